"""Ranges: how far measured rates lie from predicted ones, by what was known when the prediction was made.

The spread of ln(measured/predicted) is a base times a multiplier for each class that a prediction belongs to:
how much of the layout is stated, the vendor, mixtures of experts, adapters, long sequences, a stack or a
device without runs of its own. Base, multipliers and quantiles are fitted on the residuals of published runs
whose group was left out (`suanli.calibration.bands`); without a fit those below are used. Quantiles are
skewed to the slow side because a new or untuned stack is slower, rarely faster.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from suanli.domain.vendor import Tuning
from suanli.estimation.results import Range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.estimation.problem import Problem

__all__ = [
    "CLASSES",
    "DEFAULT_SCALES",
    "UNTUNED_FACTOR",
    "classes_of",
    "loses_tuning",
    "memory_ratio",
    "rate_ratio",
]

CLASSES: Final = (
    "options-unknown",
    "layout-unknown",
    "vendor-huawei",
    "vendor-amd",
    "mixture-of-experts",
    "adapters",
    "long-context",
)
"""Classes whose spread is fitted. A prediction belongs to any number of them."""

DEFAULT_SCALES: Final[Mapping[str, float]] = MappingProxyType(
    {
        "base": 0.08,
        "options-unknown": 1.2,
        "layout-unknown": 1.4,
        "vendor-huawei": 1.1,
        "vendor-amd": 2.0,
        "mixture-of-experts": 1.5,
        "adapters": 1.4,
        "long-context": 1.2,
        "stack-not-calibrated": 1.8,
        "device-not-calibrated": 1.8,
        "p10": -1.9,
        "p50": 0.0,
        "p90": 1.6,
        "memory-p10": -0.10,
        "memory-p50": 0.0,
        "memory-p90": 0.12,
    }
)
"""Spread and quantiles where no fit is loaded."""

UNTUNED_FACTOR: Final = 0.72
"""Rate of an untuned stack over a tuned one: P10 of stacks that had been left out of a fit. The same model on
the same devices has been published 3.3 times apart between an early recipe and a tuned one, so this is the
milder half of the truth."""

_LONG_CONTEXT_TOKENS = 32768
_VENDORS: Final[Mapping[str, str]] = MappingProxyType({"ascend": "vendor-huawei", "amd": "vendor-amd"})


def classes_of(problem: Problem, evidence: str) -> frozenset[str]:
    """Return the classes that a prediction belongs to.

    Args:
        problem: model, workload and device.
        evidence: ``layout-known``, ``options-unknown`` or ``layout-unknown``.
    """
    vendor = _VENDORS.get(problem.device.accelerator.vendor, "")
    found = {evidence, vendor}
    if problem.architecture.moe is not None:
        found.add("mixture-of-experts")
    if problem.adapter:
        found.add("adapters")
    if problem.workload.sequence_length >= _LONG_CONTEXT_TOKENS:
        found.add("long-context")
    return frozenset(found & set(CLASSES))


def _scales(problem: Problem) -> Mapping[str, float]:
    fit = problem.device.shared
    fitted = {} if fit is None else {name: one.si for name, one in fit.scales.items()}
    return {**DEFAULT_SCALES, **fitted}


def _not_calibrated(problem: Problem) -> list[str]:
    """Return what of device and stack has no runs of its own behind it."""
    device = problem.device
    borrowed = bool(device.calibration.sibling) or "calibration" in device.borrowed
    found = ["device-not-calibrated"] if borrowed or device.device_fit is None else []
    return [*found, "stack-not-calibrated"] if device.stack_fit is None else found


def rate_ratio(problem: Problem, *, evidence: str = "layout-unknown") -> Range:
    """Return P10, P50 and P90 of measured over predicted rate for a problem.

    Equation: exp(qᵢ · s₀ · Π m), with the quantile qᵢ of residuals over their spread.
    """
    scales = _scales(problem)
    spread = scales["base"]
    for name in sorted(classes_of(problem, evidence)):
        spread *= scales[name]
    # Device and stack are rarely both new; where they are, the worse of the two counts.
    spread *= max((scales[name] for name in _not_calibrated(problem)), default=1.0)
    low, middle, high = (math.exp(scales[name] * spread) for name in ("p10", "p50", "p90"))
    band = Range(low, middle, high)
    return band.scaled(UNTUNED_FACTOR) if loses_tuning(problem) else band


def memory_ratio(problem: Problem) -> Range:
    """Return P10, P50 and P90 of measured over predicted peak memory.

    Equation: exp(qᵢ · w), with quantiles qᵢ of ln(measured/predicted) of published peaks and the widening w
    of a stack without runs of its own, whose recipe is that of its way of sharding.
    """
    scales = _scales(problem)
    wide = scales["stack-not-calibrated"] if problem.device.stack_fit is None else 1.0
    low, middle, high = (math.exp(scales[f"memory-{end}"] * wide) for end in ("p10", "p50", "p90"))
    return Range(low, middle, high)


def loses_tuning(problem: Problem) -> bool:
    """Tell whether a tuned stack is run by a team that starts with it.

    A stack that is marked untuned was calibrated on untuned runs, so its constants hold the loss already.
    """
    return not problem.workload.tuned and problem.device.stack.tuned is Tuning.TUNED
