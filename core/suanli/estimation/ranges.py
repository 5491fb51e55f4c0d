"""Ranges: how far measured rates lie from predicted ones, by what was known when the prediction was made.

Each level holds P10, P50 and P90 of measured over predicted rate, group-balanced over published runs, left
out in turn. Levels are combined by taking the wider end of each, never by multiplying; the median shifts by
that of the widest level. Bands are skewed to the slow side because a new or untuned stack is slower, rarely
faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.vendor import Tuning
from suanli.estimation.results import Range

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.vendor import Calibration
    from suanli.estimation.problem import Problem

__all__ = ["LEVELS", "UNTUNED_FACTOR", "combine", "loses_tuning", "rate_range", "rate_ratio"]

LEVELS: Final = {
    "layout-searched": Range(0.87, 0.99, 1.19),
    "stack-not-calibrated": Range(0.72, 0.96, 1.29),
    "device-not-calibrated": Range(0.71, 0.97, 1.23),
    "mixture-of-experts": Range(0.76, 0.99, 1.26),
    "long-context": Range(0.87, 0.99, 1.37),
    "adapters": Range(0.81, 1.00, 1.42),
}
"""P10, P50 and P90 of measured over predicted rate by evidence level, from leave-one-group-out residuals over
437 published runs. The long-context band (28 runs in fewer than 15 groups) is 1.4 times as wide as measured,
as few groups demand. The band of adapters is that of 69 LoRA and QLoRA runs in 12 groups; its middle is kept
at 1 because tuned and eager stacks lie on different sides of it."""

UNTUNED_FACTOR: Final = 0.72
"""Rate of an untuned stack over a tuned one: P10 of the level "stack not calibrated". The same model on the
same devices has been published 3.3 times apart between an early recipe and a tuned one, so this is the milder
half of the truth."""

_LONG_CONTEXT_TOKENS = 32768


def combine(levels: Iterable[Range]) -> Range:
    """Return the wider of all levels at each end, with the median of the level that is widest.

    >>> combine([Range(0.9, 1.0, 1.1), Range(0.7, 0.95, 1.05)])
    Range(p10=0.7, p50=0.95, p90=1.1)
    """
    known = list(levels)
    widest = max(known, key=lambda level: (level.p90 / level.p10, level.p50))
    return Range(min(level.p10 for level in known), widest.p50, max(level.p90 for level in known))


def _calibrated(calibration: Calibration) -> Range:
    return Range(calibration.time_ratio_p10.si, calibration.time_ratio_p50.si, calibration.time_ratio_p90.si)


def rate_ratio(problem: Problem, *, layout_known: bool = False) -> Range:
    """Return P10, P50 and P90 of measured over predicted rate for a problem.

    The calibration's own band always counts; a searched layout, a stack without constants, a borrowed
    calibration, adapters, routed experts and sequences of 32,768 tokens and more each add their level.
    """
    device, levels = problem.device, [_calibrated(problem.device.calibration)]
    if not layout_known:
        levels.append(LEVELS["layout-searched"])
    if not device.stack.constants:
        levels.append(LEVELS["stack-not-calibrated"])
    if device.calibration.sibling or "calibration" in device.borrowed:
        levels.append(LEVELS["device-not-calibrated"])
    if problem.adapter:
        levels.append(LEVELS["adapters"])
    if problem.architecture.moe is not None:
        levels.append(LEVELS["mixture-of-experts"])
    if problem.workload.sequence_length >= _LONG_CONTEXT_TOKENS:
        levels.append(LEVELS["long-context"])
    band = combine(levels)
    return band.scaled(UNTUNED_FACTOR) if loses_tuning(problem) else band


def loses_tuning(problem: Problem) -> bool:
    """Tell whether a tuned stack is run by a team that starts with it.

    A stack that is marked untuned was calibrated on untuned runs, so its constants hold the loss already.
    """
    return not problem.workload.tuned and problem.device.stack.tuned is Tuning.TUNED


def rate_range(predicted: float, ratio: Range) -> Range:
    """Return the range of a rate from its prediction and the ratio's range."""
    return ratio.scaled(predicted)
