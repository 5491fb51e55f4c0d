"""What export control measures a chip by: total processing performance and performance density."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Precision
from suanli.domain.units import FLOPS_PER_TFLOP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.export import Criterion
    from suanli.domain.figure import Figure
    from suanli.domain.hardware import Accelerator

__all__ = ["BITS", "Performance", "meets", "performance"]

BITS: Final[Mapping[Precision, int]] = MappingProxyType(
    {
        Precision.FP32: 32,
        Precision.TF32: 19,
        Precision.BF16: 16,
        Precision.FP16: 16,
        Precision.FP8: 8,
        Precision.INT8: 8,
        Precision.FP4: 4,
    }
)
"""Bits of an operand; TF32 keeps 1 sign, 8 exponent and 10 fraction bits of its 32."""

_MM2_PER_M2: Final = 1e6
_GB_PER_S: Final = 1e9


@dataclass(frozen=True, slots=True)
class Performance:
    """A device's figures under export control, with what they were worked out from."""

    precision: Precision
    """Format that gives the maximum."""
    peak: Figure
    """Dense peak in that format."""
    bits: int
    tpp: float
    """Bit-TOPS."""
    die_area: Figure | None
    density: float | None
    """Bit-TOPS per mm²; None where the die area is unknown."""
    dram_gb_per_s: float | None


def performance(accelerator: Accelerator) -> Performance | None:
    """Return processing performance and density of a device; None where no peak is known.

    Equation: TPP = max over formats of (dense peak in TOPS × bits of an operand); density = TPP / die area.
    The peak counts a multiply and an add as two operations, as the rule does with twice the MAC rate.
    Source: 15 CFR part 774, supplement no. 1, ECCN 3A090, technical notes.

    >>> from suanli.domain.figure import Check, Confidence, FlopsPerSecond
    >>> peak = FlopsPerSecond(value=1979, unit="TFLOPS", source="s", confidence=Confidence.DATASHEET,
    ...     check=Check.DIRECT)
    >>> peak.value * BITS[Precision.FP8]
    15832.0
    """
    rated = [
        (figure.si / FLOPS_PER_TFLOP * BITS[precision], -BITS[precision], precision, figure)
        for precision, figure in accelerator.dense_peak.items()
        if not figure.barred
    ]
    if not rated:
        return None
    # Of formats with the same product the narrowest is named, as published classifications do.
    tpp, _, precision, peak = max(rated, key=lambda one: (round(one[0], 6), one[1]))
    area, memory = accelerator.die_area, accelerator.memory_bandwidth
    return Performance(
        precision=precision,
        peak=peak,
        bits=BITS[precision],
        tpp=tpp,
        die_area=area,
        density=None if area is None else tpp / (area.si * _MM2_PER_M2),
        dram_gb_per_s=None if memory is None else memory.si / _GB_PER_S,
    )


def meets(found: Performance, criterion: Criterion) -> bool | None:
    """Tell whether a device meets a criterion; None where a figure that would decide is unknown."""
    answers = (
        _within(found.tpp, criterion.tpp_from, criterion.tpp_below),
        _within(found.density, criterion.density_from, criterion.density_below),
        _within(found.dram_gb_per_s, criterion.dram_gb_per_s_from, None),
    )
    if any(answer is False for answer in answers):
        return False
    return None if any(answer is None for answer in answers) else True


def _within(value: float | None, low: float | None, below: float | None) -> bool | None:
    if low is None and below is None:
        return True
    if value is None:
        return None
    return (low is None or value >= low) and (below is None or value < below)
