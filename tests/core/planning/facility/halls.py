"""Boxes and sites from which the tests of the hall are made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.factories import catalogue, requirement, text

from suanli.domain.hardware import Cooling
from suanli.planning.facility.plan import lay_out
from suanli.planning.facility.results import Box, BoxKind

if TYPE_CHECKING:
    from suanli.domain.workload import Site
    from suanli.planning.facility.results import FacilityPlan

__all__ = ["box", "hall", "servers", "site", "standing"]


def box(
    kind: BoxKind,
    count: int,
    units: int,
    watts: float | None,
    **changed: Any,  # noqa: ANN401 - any field of a box
) -> Box:
    """Return boxes that draw four fifths of their peak at work."""
    made = Box(
        key=kind.value,
        kind=kind,
        name=text(kind.value),
        count=count,
        rack_units=units,
        peak_w=watts,
        training_w=None if watts is None else 0.8 * watts,
    )
    return replace(made, **changed)


def servers(
    count: int,
    units: int = 8,
    watts: float = 10_200,
    **changed: Any,  # noqa: ANN401 - any field of a box
) -> Box:
    """Return training servers, by default such as DGX H100."""
    return box(BoxKind.SERVER, count, units, watts, **changed)


def site(rack_w: float = 45_000, **changed: Any) -> Site:  # noqa: ANN401 - any field of a site
    """Return a hall cooled by air."""
    return replace(requirement().site, rack_power_w=rack_w, **changed)


def hall(
    *boxes: Box,
    per_rack: int = 4,
    rack_w: float = 45_000,
    **changed: Any,  # noqa: ANN401 - any field of a site
) -> FacilityPlan:
    """Return the plan of a hall."""
    return lay_out(boxes, per_rack, site(rack_w, **changed), catalogue())


def standing(plan: FacilityPlan) -> dict[str, float]:
    """Return how many boxes of each line stand in all racks; a supernode counts once over its racks."""
    parts = {one.key: one.racks_each for one in plan.boxes}
    found: dict[str, float] = {}
    for rack in plan.racks:
        for slot in rack.slots:
            found[slot.box] = found.get(slot.box, 0.0) + rack.count / parts[slot.box]
    return found


LIQUID = Cooling.LIQUID
