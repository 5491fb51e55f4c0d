"""What is fitted: constants of devices, of stacks, of pairs of both, and those that all share.

Each parameter has a starting value, from the plugins or the code, and a width in log or logit that says how
far runs may move it. The widths were chosen once for all parameters of a name, by the error of runs whose
group was left out; no parameter knows a model or a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.domain.hardware import Precision
from suanli.estimation.constants import NEUTRAL, PRECISION_NEUTRAL, SHARED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.calibration.runs import Run
    from suanli.domain.figure import Figure
    from suanli.estimation.arrays import BoolArray

__all__ = ["PAIR", "Parameter", "Scope", "parameters"]


class Scope(StrEnum):
    """Which runs a parameter acts on."""

    DEVICE = "device"
    STACK = "stack"
    PAIR = "pair"
    """A device family under a stack."""
    PRECISION = "precision"
    SHARED = "shared"


PAIR: Final = "stack_factors"

_DEVICE: Final[Mapping[str, float]] = MappingProxyType(
    {
        "gemm_efficiency": 0.16,
        "attention_efficiency": 0.12,
        "shape_chip": 0.24,
        "kernel_gap_s": 0.3,
        "collective_latency_s": 0.4,
    }
)
_STACK: Final[Mapping[str, float]] = MappingProxyType(
    {
        "compute_factor": 0.10,
        "vector_factor": 0.25,
        "host_s_per_kernel": 0.24,
        "tp_hidden": 0.6,
        "dp_hidden": 0.96,
        "fsdp_contention": 0.64,
        "moe_gemm_factor": 0.8,
        "moe_host_s_per_layer": 0.7,
        "step_factor": 0.3,
        "attention_factor": 0.24,
        "ring_factor": 0.15,
        "loss_factor": 0.8,
        "narrow_factor": 0.1,
    }
)
_PAIR_WIDTH: Final = 0.3
_PRECISION: Final[Mapping[Precision, float]] = MappingProxyType({Precision.FP8: 0.10, Precision.FP4: 0.15})
_COMMON: Final[Mapping[str, float]] = MappingProxyType(
    {"shape_k": 0.48, "shape_m": 0.18, "shape_n": 0.3, "hbm_efficiency": 0.05, "nic_efficiency": 0.10}
)
_SHARED: Final[Mapping[str, float]] = MappingProxyType(
    {
        "attention_half_length": 0.3,
        "unfused_efficiency": 0.3,
        "grouped_overhead": 0.3,
        "loss_bytes_per_logit": 0.4,
        "dequantise_bytes": 0.4,
        "expert_exposed": 0.6,
        "head_on_slowest": 0.3,
        "dp_cover": 0.2,
        "optimizer_cost": 0.25,
        "step_constant_s": 0.4,
    }
)
"""Shared constants that are fitted. Kernel counts, casts, transfers between stages, stragglers and the share
of selective recomputation stay as they are: runs left out are predicted as well without fitting them."""
_SHARES: Final = frozenset({"tp_hidden", "dp_hidden"})
"""Constants between 0 and 1, which are fitted in logit."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number that the fit may move."""

    name: str
    """As in `Constants`, `SharedConstants`, or ``stack_factors``."""
    scope: Scope
    key: str
    """Family, stack, ``family/stack`` or precision; empty for what all share."""
    start: float
    width: float
    """Standard deviation of the prior in log, or in logit for shares."""
    rows: BoolArray
    """Runs that it acts on."""

    @property
    def share(self) -> bool:
        """Tell whether it is fitted in logit."""
        return self.name in _SHARES

    def encode(self, value: float) -> float:
        """Return the coordinate of a value."""
        return float(np.log(value / (1 - value)) if self.share else np.log(value))

    def decode(self, coordinate: float) -> float:
        """Return the value at a coordinate."""
        return float(1 / (1 + np.exp(-coordinate)) if self.share else np.exp(coordinate))


def _start(figures: Mapping[str, Figure], name: str) -> float:
    figure = figures.get(name)
    return NEUTRAL[name] if figure is None else figure.si


def _mask(flags: Sequence[bool]) -> BoolArray:
    return np.array(flags, dtype=np.bool_)


def _of_devices(runs: Sequence[Run]) -> list[Parameter]:
    found: list[Parameter] = []
    for family in sorted({run.family for run in runs}):
        rows = _mask([run.family == family for run in runs])
        first = next(run for run in runs if run.family == family)
        figures = first.problem.device.calibration.constants
        found += [
            Parameter(name, Scope.DEVICE, family, _start(figures, name), width, rows)
            for name, width in _DEVICE.items()
        ]
    return found


def _of_stacks(runs: Sequence[Run]) -> list[Parameter]:
    found: list[Parameter] = []
    for stack in sorted({run.stack for run in runs}):
        rows = _mask([run.stack == stack for run in runs])
        narrow = _mask([bool(run.problem.constants.narrow) for run in runs]) & rows
        figures = next(run for run in runs if run.stack == stack).problem.device.stack.constants
        found += [
            Parameter(name, Scope.STACK, stack, _start(figures, name), width, acts_on)
            for name, width in _STACK.items()
            for acts_on in (narrow if name == "narrow_factor" else rows,)
            if acts_on.any()
        ]
    return found


def _of_pairs(runs: Sequence[Run]) -> list[Parameter]:
    loaded = {
        (run.family, run.stack): run.problem.device.calibration.stack_factors.get(run.stack) for run in runs
    }
    return [
        Parameter(
            PAIR,
            Scope.PAIR,
            f"{family}/{stack}",
            1.0 if factor is None else factor.si,
            _PAIR_WIDTH,
            _mask([(run.family, run.stack) == (family, stack) for run in runs]),
        )
        for (family, stack), factor in sorted(loaded.items(), key=lambda item: item[0])
    ]


def _of_precisions(runs: Sequence[Run]) -> list[Parameter]:
    found = [
        Parameter(
            "gemm_efficiency",
            Scope.PRECISION,
            precision.value,
            PRECISION_NEUTRAL[precision],
            width,
            _mask([run.problem.workload.precision is precision for run in runs]),
        )
        for precision, width in _PRECISION.items()
    ]
    return [one for one in found if one.rows.any()]


def _of_all(runs: Sequence[Run]) -> list[Parameter]:
    everywhere = _mask([True] * len(runs))
    common = runs[0].problem.device.calibration.constants
    starts = {**{name: _start(common, name) for name in _COMMON}, **SHARED}
    return [
        Parameter(name, Scope.SHARED, "", starts[name], width, everywhere)
        for name, width in {**_COMMON, **_SHARED}.items()
    ]


def parameters(runs: Sequence[Run], only: str | None = None) -> tuple[Parameter, ...]:
    """Return every parameter that some of the runs depend on.

    Args:
        runs: runs of the fit.
        only: the one device family whose parameters are fitted; None fits all.
    """
    devices, pairs = _of_devices(runs), _of_pairs(runs)
    if only is not None:
        own = [one for one in devices if one.key == only]
        return (*own, *(one for one in pairs if one.key.partition("/")[0] == only))
    # A stack's factor on narrow formats multiplies what the precision has set.
    return (*devices, *_of_precisions(runs), *_of_stacks(runs), *pairs, *_of_all(runs))
