"""Ways to grow a network, and which of them to choose by numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from suanli.planning.defaults_expansion import EARLY_SWITCH_PORT_SHARE
from suanli.planning.expansion.results import GrowthPath, PathStage
from suanli.planning.expansion.wiring import built_out, changes, wiring_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.planning.expansion.results import Wiring
    from suanli.planning.results import ClusterPlan

__all__ = ["growth_paths", "recommended_target"]

_Size = tuple[Fraction, "ClusterPlan", "Wiring"]


def growth_paths(sizes: Sequence[tuple[Fraction, ClusterPlan]]) -> tuple[GrowthPath, ...]:
    """Return the ways to grow through sizes: in place, and with the spines of each later size from today.

    Args:
        sizes: factor and cluster of each size as bought whole, today's first.

    Returns:
        Growth in place first. None at all where the network of a size is unknown or is built of another
        switch, so that nothing can be said of reuse.
    """
    known: list[_Size] = []
    for factor, plan in sizes:
        wiring = wiring_of(plan.fabric)
        if wiring is None:
            return ()
        known.append((factor, plan, wiring))
    switches = {plan.fabric.switch.id for _, plan, _ in known if plan.fabric.switch is not None}
    if len(switches) > 1:
        return ()
    paths = tuple(_path(known, target) for target, _, _ in known)
    # What buys nothing early is growth in place, and what spares nothing is no choice.
    place, *early = paths
    return (place, *(path for path in early if path.extra_today and path.moved < place.moved))


def _path(known: Sequence[_Size], target: Fraction) -> GrowthPath:
    """Return the path on which the spines and cores of the target stand from today."""
    large = next(wiring for factor, _, wiring in known if factor == target)
    steps = [
        (
            factor,
            plan,
            # Copper reaches a switch in the same rack, which leaves of a larger network need not be.
            wiring
            if factor >= target
            else built_out(large, wiring.host_cables, copper=wiring.copper and large.tiers == wiring.tiers),
        )
        for factor, plan, wiring in known
    ]
    stages = [PathStage(steps[0][0], steps[0][2])]
    stages += [
        PathStage(factor, wiring, changes(old, wiring, (before.nodes, plan.nodes)))
        for (_, before, old), (factor, plan, wiring) in pairwise(steps)
    ]
    extra = stages[0].wiring.switches - known[0][2].switches
    return GrowthPath(target, tuple(stages), max(0, extra))


def recommended_target(paths: Sequence[GrowthPath]) -> Fraction | None:
    """Return the target of the path to choose, or None without any.

    Each switch bought early must spare the moving of a stated share of its ports' cables on the way. The
    nearest stage that does so is chosen, because what lies beyond can be decided when it is reached; without
    one, growth in place.
    """
    if not paths:
        return None
    place = paths[0]
    least = Fraction(EARLY_SWITCH_PORT_SHARE) * place.stages[-1].wiring.radix
    worth = [
        path.target
        for path in paths[1:]
        if path.discarded <= place.discarded and place.moved - path.moved >= least * path.extra_today
    ]
    return min(worth, default=place.target)
