"""What oversubscription saves in switches and cables, and what it costs in exposed communication."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from suanli.estimation.step_time import StepArrays
from suanli.planning.network.clos import clos
from suanli.planning.network.fabric import shape_of
from suanli.planning.network.link_options import steps_at
from suanli.planning.network.results import Dimension, Level, ShapeCounts, SubscriptionRow

if TYPE_CHECKING:
    from suanli.planning.network.clos import ClosCounts
    from suanli.planning.network.link_options import Asked
    from suanli.planning.network.results import Traffic

__all__ = ["RATIOS", "plan_shapes", "plan_subscription"]

RATIOS = (1.0, 2.0, 4.0)
"""Oversubscriptions that are compared, beside the user's own."""


def plan_subscription(asked: Asked, traffic: tuple[Traffic, ...]) -> tuple[SubscriptionRow, ...]:
    """Return what each oversubscription saves and costs; none where no traffic crosses a spine.

    A dimension that crosses spines or core gets the uplinks' share of a port, 1/s; one that stays on a leaf
    keeps the whole port. Idle time in the pipeline follows the slower case, so that the step is an upper end.
    """
    base, ports = asked.fabric.counts, asked.ports
    crossing = {one.dimension for one in traffic if one.level.distance >= Level.SPINE.distance}
    if base is None or base.tiers == 1 or ports is None or not crossing:
        return ()
    chosen = asked.requirement.cluster.oversubscription
    ratios = sorted({*RATIOS, chosen})
    networks = [
        clos(sum(base.leaf_endpoints), base.radix, ratio, base.breakout, base.rails) for ratio in ratios
    ]
    built = [_built(one) for one in networks]
    steps = steps_at(asked, np.array([1.0, *(1 / ratio for ratio in built)]))
    totals = [_mixed(steps, index + 1, crossing) for index in range(len(built))]
    scale = asked.step.total_s / _mixed(steps, 0, crossing)[0]
    return tuple(
        SubscriptionRow(
            asked=wanted,
            ratio=ratio,
            switches=one.switches,
            cables=one.links,
            bisection_bytes_per_s=sum(one.leaf_endpoints) / 2 * ports[1] / ratio,
            exposed_share=exposed / total,
            step_s=total * scale,
            chosen=math.isclose(wanted, chosen),
        )
        for wanted, ratio, one, (total, exposed) in zip(ratios, built, networks, totals, strict=True)
        if one is not None
    )


def _built(counts: ClosCounts | None) -> float:
    """Return the oversubscription of a network as built, which may be less than allowed."""
    return 1.0 if counts is None else counts.oversubscription


def _mixed(steps: StepArrays, index: int, crossing: set[Dimension]) -> tuple[float, float]:
    """Return step and exposed communication in s, where only some dimensions have the reduced bandwidth.

    Column 0 of the steps has the whole bandwidth, column `index` the reduced one.
    """
    exposed = {f"{one.value}_exposed_s": one in crossing for one in Dimension}
    total = waited = 0.0
    for part in fields(StepArrays):
        column = np.broadcast_to(getattr(steps, part.name), np.shape(steps.total_s))
        # Dimensions that stay on a leaf, and all that is no communication, do not change.
        value = float(column[index if exposed.get(part.name, True) else 0])
        total += value
        waited += value if part.name in exposed else 0.0
    return total, waited


def plan_shapes(asked: Asked) -> tuple[ShapeCounts, ...]:
    """Return the counts as a fat tree and as a network optimised for rails, the chosen one marked."""
    base, ports = asked.fabric.counts, asked.ports
    if base is None or base.tiers == 1 or ports is None:
        return ()
    ratio = asked.requirement.cluster.oversubscription
    endpoints = sum(base.leaf_endpoints)
    rails = sorted({1, base.rails, ports[0] if ports[0] <= _MOST_RAILS else 1})
    found = ((count, clos(endpoints, base.radix, ratio, base.breakout, count)) for count in rails)
    return tuple(
        ShapeCounts(
            shape=shape_of(one),
            leaf=one.leaf,
            spine=one.spine,
            core=one.core,
            cables=one.links,
            ports_free=one.ports_free,
            chosen=count == base.rails,
        )
        for count, one in found
        if one is not None
    )


_MOST_RAILS = 8
"""Ports of a server up to which rails are compared."""
