"""What a rack weighs, and the load on the floor below it and its share of the aisles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.planning import defaults_facility as rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from suanli.planning.facility.results import Box, Slot

__all__ = ["floor_kg_per_m2", "rack_weight_kg"]


def rack_weight_kg(slots: Iterable[Slot], boxes: Mapping[str, Box]) -> float | None:
    """Return the weight of a rack with its boxes in kg; None where one of them is unknown.

    A system that comes as whole racks is weighed with them.
    """
    total, bare = 0.0, rules.CABINET_KG
    for slot in slots:
        box = boxes[slot.box]
        if box.weight_kg is None:
            return None
        total += box.weight_kg / box.racks_each
        bare = 0.0 if box.brings_rack else bare
    return total + bare


def floor_kg_per_m2(weight_kg: float) -> float:
    """Return the load on the floor in kg/m2, spread over the rack and half of the aisles beside it.

    Equation: q = (m + q_aisle * A_aisle + q_floor * A) / A with A = A_rack + A_aisle. m: weight of the rack
    in kg; A_rack: its footprint; A_aisle: half of the two aisles before and behind it; q_aisle: live load of
    aisles; q_floor: raised floor and cables, in kg/m2.

    Range of validity: racks side by side in rows; the floor slab, not single panels or feet.

    Raises:
        ValueError: the weight is negative.

    Source: IBM, "Floor construction and floor loading", POWER8 documentation.

    >>> round(floor_kg_per_m2(700))
    450
    """
    if weight_kg < 0:
        raise ValueError(f"no load from {weight_kg} kg")
    width, depth = rules.RACK_AREA_M
    rack, aisle = width * depth, width * rules.AISLE_M
    area = rack + aisle
    return (weight_kg + rules.AISLE_KG_PER_M2 * aisle + rules.RAISED_FLOOR_KG_PER_M2 * area) / area
