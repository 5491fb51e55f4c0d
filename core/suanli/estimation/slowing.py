"""A sizing on a network that is slower than the one it was estimated with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.estimation.results import Sizing

__all__ = ["slowed"]


def slowed(sizing: Sizing, step_s: float) -> Sizing:
    """Return a sizing whose step takes as long as given; the difference is communication that is waited for.

    Durations stretch and rates fall by the ratio of the steps; memory, work and layout stay. A step that is
    no longer than the sizing's changes nothing.

    Args:
        sizing: on the network that the estimate knows.
        step_s: time of a step on the network as built, in s.
    """
    ratio = step_s / sizing.step.total_s
    if ratio <= 1:
        return sizing
    waited = step_s - sizing.step.total_s
    return replace(
        sizing,
        step=replace(sizing.step, dp_exposed_s=sizing.step.dp_exposed_s + waited),
        tokens_per_s_per_accelerator=sizing.tokens_per_s_per_accelerator.scaled(1 / ratio),
        mfu=sizing.mfu.scaled(1 / ratio),
        hfu=sizing.hfu / ratio,
        ideal_s=sizing.ideal_s * ratio,
        duration_s=sizing.duration_s.scaled(ratio),
        untuned_duration_s=sizing.untuned_duration_s * ratio,
        alternatives=tuple((count, seconds * ratio) for count, seconds in sizing.alternatives),
    )
