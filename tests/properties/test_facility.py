"""Properties of the hall that hold for any boxes and any site."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.core.planning.facility.halls import box, hall, servers, standing

from suanli.planning.facility.feeds import plan_circuits, plan_plant
from suanli.planning.facility.results import Box, BoxKind, RackRole
from suanli.planning.power import servers_per_rack

SUPPORT = (
    BoxKind.CORE,
    BoxKind.SPINE,
    BoxKind.LEAF,
    BoxKind.STORAGE,
    BoxKind.MANAGEMENT,
    BoxKind.OUT_OF_BAND,
)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[Box, ...]:
    """Return servers, and other boxes that each fit into a rack."""
    found = [servers(draw(st.integers(1, 120)), draw(st.integers(2, 12)), draw(st.floats(2_000, 16_000)))]
    for kind in SUPPORT:
        count = draw(st.integers(0, 60))
        if count:
            found.append(box(kind, count, draw(st.integers(1, 4)), draw(st.floats(50, 2_500))))
    return tuple(found)


rack_powers = st.floats(16_000, 50_000)


def per_rack(found: tuple[Box, ...], rack_w: float) -> int:
    return servers_per_rack(found[0].peak_w or 0.0, rack_w, found[0].rack_units)


@given(found=boxes(), rack_w=rack_powers)
@settings(max_examples=150, deadline=None)
def test_every_box_is_in_exactly_one_rack(found: tuple[Box, ...], rack_w: float) -> None:
    plan = hall(*found, per_rack=per_rack(found, rack_w), rack_w=rack_w)

    assert standing(plan) == {one.key: one.count for one in found}


@given(found=boxes(), rack_w=rack_powers)
@settings(max_examples=150, deadline=None)
def test_no_rack_is_above_its_height_or_power_and_no_box_covers_another(
    found: tuple[Box, ...], rack_w: float
) -> None:
    plan = hall(*found, per_rack=per_rack(found, rack_w), rack_w=rack_w)
    heights = {one.key: one.rack_units for one in found}

    for rack in plan.racks:
        assert rack.peak_w <= rack_w * (1 + 1e-9)
        assert not rack.over_power
        assert all(slot.units == heights[slot.box] for slot in rack.slots)
        assert all(low.bottom + low.units <= high.bottom for low, high in pairwise(rack.slots))
        assert rack.slots[0].bottom == 1
        assert rack.slots[-1].bottom + rack.slots[-1].units - 1 <= rack.units - rack.reserved_units


@given(found=boxes(), rack_w=rack_powers)
@settings(max_examples=150, deadline=None)
def test_power_adds_up_from_box_to_rack_to_row_to_site(found: tuple[Box, ...], rack_w: float) -> None:
    plan = hall(*found, per_rack=per_rack(found, rack_w), rack_w=rack_w)
    boxes_w = sum(one.count * (one.peak_w or 0.0) for one in found)
    work_w = sum(one.count * (one.training_w or 0.0) for one in found)
    by_key = {rack.key: rack for rack in plan.racks}

    for row in plan.rows:
        assert row.peak_w == sum(number * by_key[key].peak_w for key, number in row.racks)
    assert plan.it_peak_w == sum(row.count * row.peak_w for row in plan.rows)
    assert sum(rack.count * rack.peak_w for rack in plan.racks) == pytest.approx(boxes_w, abs=1.0)
    assert plan.it_peak_w == pytest.approx(boxes_w, abs=1.0)
    assert plan.it_training_w == pytest.approx(work_w, abs=1.0)
    assert sum(row.count * sum(number for _, number in row.racks) for row in plan.rows) == plan.rack_count


@given(found=boxes(), rack_w=rack_powers)
@settings(max_examples=150, deadline=None)
def test_doubling_the_boxes_never_lowers_the_racks(found: tuple[Box, ...], rack_w: float) -> None:
    number = per_rack(found, rack_w)
    double = tuple(replace(one, count=2 * one.count) for one in found)
    one, two = (hall(*some, per_rack=number, rack_w=rack_w) for some in (found, double))

    assert two.rack_count >= one.rack_count
    assert two.racks_of(RackRole.COMPUTE) >= one.racks_of(RackRole.COMPUTE)
    assert two.pdu_count >= 1


@given(
    parts=st.integers(2, 16),
    units=st.integers(50, 760),
    count=st.integers(1, 12),
    watts=st.floats(50_000, 700_000),
)
@settings(max_examples=100, deadline=None)
def test_a_supernode_keeps_its_height_and_power_over_its_racks(
    parts: int, units: int, count: int, watts: float
) -> None:
    assume(units >= parts)
    system = servers(count, units, watts, racks_each=parts, brings_rack=True)
    plan = hall(system, per_rack=1, rack_w=60_000)

    assert plan.rack_count == parts * count
    assert sum(slot.units * rack.count for rack in plan.racks for slot in rack.slots) == units * count
    assert plan.it_peak_w == pytest.approx(count * watts, rel=1e-9)


@given(power=st.floats(0, 300_000), redundancy=st.sampled_from(["N", "N+1", "2N"]))
@settings(max_examples=200, deadline=None)
def test_a_source_always_carries_the_rack_within_the_continuous_rating(power: float, redundancy: str) -> None:
    circuits = plan_circuits(power, "CN", redundancy)

    assert circuits.current_a <= 0.8 * circuits.per_source * circuits.rating_a * (1 + 1e-9)
    assert circuits.sources == (1 if redundancy == "N" else 2)


@given(power=st.floats(1_000, 5e7), redundancy=st.sampled_from(["N", "N+1", "2N"]))
@settings(max_examples=200, deadline=None)
def test_installed_capacity_survives_what_the_redundancy_promises(power: float, redundancy: str) -> None:
    plant = plan_plant(power, (100e3, 200e3, 400e3, 600e3), redundancy)
    lost = {"N": 0, "N+1": 1, "2N": plant.needed}[redundancy]

    assert (plant.installed - lost) * plant.unit_va * 0.8 >= plant.load_va * (1 - 1e-9)
