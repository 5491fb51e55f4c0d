"""The hall as it is shown: letters, kilowatts and counts that still add up."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import NAMES, proposal
from tests.core.planning.facility.halls import LIQUID, box, hall, servers
from tests.factories import catalogue

from suanli.planning.facility.results import BoxKind, FacilityPlan
from suanli.proposal.facility_view import facility_view
from suanli.proposal.references import References

if TYPE_CHECKING:
    from suanli.proposal.model import FacilityView


def view(plan: FacilityPlan) -> FacilityView:
    empty = catalogue()
    return facility_view(plan, empty, References(empty))


PLAN = hall(
    servers(33, weight_kg=130.45),
    box(BoxKind.LEAF, 8, 1, 1_720),
    box(BoxKind.SWITCH, 2, 2, None, height_assumed=True),
    box(BoxKind.STORAGE, 5, 2, 1_200),
    box(BoxKind.OUT_OF_BAND, 2, 1, 98),
)


def test_every_box_has_a_letter_of_its_own_and_keeps_its_number() -> None:
    shown = view(PLAN)

    assert [(one.letter, one.key, one.count) for one in shown.boxes] == [
        ("A", "server", 33),
        ("B", "leaf", 8),
        ("C", "switch", 2),
        ("D", "storage", 5),
        ("E", "out-of-band", 2),
    ]
    assert shown.unknown_power == ("C",)
    assert shown.boxes[2].peak is None


def test_the_letters_in_the_racks_count_up_to_the_boxes() -> None:
    shown = view(PLAN)
    counted: dict[str, int] = {}
    for rack in shown.racks:
        for letter, number in rack.content:
            counted[letter] = counted.get(letter, 0) + number * rack.count

    assert counted == {one.letter: one.count for one in shown.boxes}
    assert sum(rack.count for rack in shown.racks) == shown.rack_count == PLAN.rack_count
    assert sum(rack.pdus_all for rack in shown.racks) == shown.pdu_count == PLAN.pdu_count


def test_rows_add_up_to_the_site_within_their_rounding() -> None:
    shown = view(PLAN)

    total = sum(row.total_peak.value for row in shown.rows)
    assert abs(total - shown.it_peak.value) <= Decimal("0.1") * len(shown.rows)
    assert any(not row.power_known for row in shown.rows)


@pytest.mark.parametrize("uncounted", [True, False])
def test_sums_that_miss_a_power_are_lower_bounds(*, uncounted: bool) -> None:
    known = hall(servers(33), box(BoxKind.LEAF, 8, 1, 1_720))
    empty = catalogue()
    shown = facility_view(known, empty, References(empty), uncounted=uncounted)
    of_known = (shown.it_peak, shown.it_training, shown.facility_peak, shown.cooling.heat, shown.cooling.air)

    assert {figure.incomplete for figure in of_known} == {uncounted}
    assert (shown.reserved, shown.uncounted) == (None, uncounted)
    assert view(PLAN).it_peak.incomplete
    # The rack of the switches has circuits for 30 kW and known boxes of 8 x 1.72 + 5 x 1.2 + 2 x 0.098 kW.
    reserved = view(PLAN).reserved
    assert reserved is not None
    assert float(reserved.value) == pytest.approx(PLAN.reserved_w / 1e3, abs=0.05)
    assert PLAN.reserved_w == pytest.approx(30_000 - 8 * 1_720 - 5 * 1_200 - 2 * 98)


def test_small_boxes_are_told_in_watts() -> None:
    peak = view(PLAN).boxes[4].peak

    assert peak is not None
    assert (peak.value, peak.unit) == (Decimal(98), "W")


def test_the_floor_is_told_for_the_heaviest_rack_and_not_at_all_where_no_weight_is_known() -> None:
    floor = view(PLAN).floor

    assert floor is not None
    assert (floor.rack, floor.met) == ("R1", True)
    assert view(hall(servers(4))).floor is None


@pytest.mark.parametrize(("cooling", "liquid"), [(LIQUID, True), (None, False)])
def test_a_liquid_loop_is_told_only_where_there_are_cold_plates(cooling: object, *, liquid: bool) -> None:
    assert (view(hall(servers(4, cooling=cooling))).cooling.liquid is not None) is liquid


def test_a_small_load_has_no_transformer_of_its_own() -> None:
    assert view(hall(servers(1))).transformers is None
    assert view(PLAN).transformers is not None


@pytest.mark.parametrize("name", NAMES)
def test_the_drawings_of_an_example_hold_the_quantities_of_its_bill(name: str) -> None:
    options = [option for option in proposal(name).options if option.facility is not None]
    assert options
    for option in options:
        facility = option.facility
        assert facility is not None
        bill = {row.id: row.quantity for row in option.bill}
        parts = {box.letter: box.racks_each for box in facility.boxes}
        drawn = dict.fromkeys(parts, 0.0)
        for rack in facility.racks:
            for slot in rack.slots:
                drawn[slot.letter] += rack.count / parts[slot.letter]

        assert {box.key: drawn[box.letter] for box in facility.boxes} == pytest.approx(
            {box.key: bill[box.key] for box in facility.boxes}
        )
        assert bill["racks"] == sum(rack.count for rack in facility.racks if not rack.brought)
        assert bill["pdus"] == sum(rack.pdus_all for rack in facility.racks)
        # Every site of the examples has a price of rack space, which pays for the plant.
        assert facility.hosted
        assert "ups" not in bill


@pytest.mark.parametrize("name", NAMES)
def test_the_rows_of_an_example_add_up_to_its_site(name: str) -> None:
    for option in proposal(name).options:
        facility, power = option.facility, option.power
        if facility is None or power is None:
            continue
        racks = {rack.key: rack.peak.value for rack in facility.racks}
        for row in facility.rows:
            total = sum(count * racks[key] for key, count in row.racks)
            assert abs(total - row.peak.value) <= Decimal("0.05") * (1 + row.racks_each)
        summed = sum(row.total_peak.value for row in facility.rows)
        assert abs(summed - facility.it_peak.value) <= Decimal("0.05") * (1 + len(facility.rows))
        assert facility.it_peak.value == pytest.approx(power.it_peak.value, rel=Decimal("0.01"))
        assert facility.rack_count == power.racks
