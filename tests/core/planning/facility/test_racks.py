"""Boxes in racks: published designs, supernodes, small clusters."""

from __future__ import annotations

import pytest
from tests.core.planning.facility.halls import LIQUID, box, hall, servers, standing

from suanli.planning.facility.results import BoxKind, CoolingMethod, FacilityPlan, RackRole
from suanli.planning.power import servers_per_rack


@pytest.mark.parametrize(
    ("count", "units", "watts", "rack_w", "racks", "rack_kw"),
    [
        pytest.param(32, 8, 10_200, 45_000, 8, 40.8, id="DGX SuperPOD H100, one scalable unit"),
        pytest.param(72, 10, 14_000, 60_000, 18, 56.0, id="DGX SuperPOD B300 XDR, one scalable unit"),
        pytest.param(32, 9, 14_500, 20_000, 32, 14.5, id="32-node B300 farm, one server a rack"),
        pytest.param(32, 10, 14_300, 30_000, 16, 28.6, id="DGX SuperPOD B200, two systems a rack"),
    ],
)
def test_published_designs_take_as_many_racks_as_they_say(  # noqa: PLR0913, PLR0917 - columns of a table
    count: int, units: int, watts: float, rack_w: float, racks: int, rack_kw: float
) -> None:
    # NVIDIA: SuperPOD B300 XDR reference architecture (72 systems, four a rack of about 56 kW), SuperPOD H100
    # data center design (32 systems, four a rack of 40.8 kW) and best practices for B200 (two a rack of
    # 28.6 kW). The B300 farm is a published plan of 32 compute racks of 14.5 kW.
    boxes = servers(count, units, watts, cooling=LIQUID)
    plan = hall(boxes, per_rack=servers_per_rack(watts, rack_w, units), rack_w=rack_w)

    assert plan.racks_of(RackRole.COMPUTE) == racks
    assert plan.racks[0].peak_w == pytest.approx(rack_kw * 1000)
    assert len(plan.racks) == 1


def test_a_rack_scale_system_stands_in_racks_of_its_own() -> None:
    # GB200 NVL72: one rack of 48 units; eight make a scalable unit of one row of racks.
    system = servers(8, 48, 132_000, cooling=LIQUID, brings_rack=True, weight_kg=1360.0)
    plan = hall(system, per_rack=1, rack_w=132_000, cooling=LIQUID)

    assert [(rack.count, rack.units, rack.reserved_units) for rack in plan.racks] == [(8, 48, 0)]
    assert plan.racks[0].method is CoolingMethod.LIQUID
    assert plan.racks[0].weight_kg == 1360.0
    assert plan.it_peak_w == pytest.approx(8 * 132_000)


def test_a_supernode_taller_than_a_rack_is_spread_over_several() -> None:
    # CloudMatrix384: 16 racks of 47 units and 600 kW in all.
    system = servers(2, 752, 600_000, cooling=LIQUID, brings_rack=True, racks_each=16)
    plan = hall(system, per_rack=1, rack_w=60_000, cooling=LIQUID)

    assert plan.rack_count == 32
    assert {rack.units for rack in plan.racks} == {48}
    assert plan.racks[0].peak_w == pytest.approx(37_500)
    assert standing(plan)["server"] == pytest.approx(2)
    assert [(row.count, sum(number for _, number in row.racks)) for row in plan.rows] == [(2, 16)]


def test_a_height_that_does_not_divide_is_spread_without_loss() -> None:
    system = servers(1, 100, 90_000, cooling=LIQUID, brings_rack=True, racks_each=3)
    plan = hall(system, per_rack=1, rack_w=60_000, cooling=LIQUID)

    assert sum(slot.units * rack.count for rack in plan.racks for slot in rack.slots) == 100


def test_the_few_boxes_of_a_small_cluster_stand_among_its_servers() -> None:
    leaf, manager = box(BoxKind.LEAF, 1, 1, 1_500), box(BoxKind.MANAGEMENT, 3, 2, 800)
    plan = hall(servers(2), leaf, manager, per_rack=3, rack_w=35_000)

    assert plan.rack_count == 1
    assert plan.racks[0].role is RackRole.COMPUTE
    assert [slot.bottom for slot in plan.racks[0].slots] == [1, 9, 17, 18, 20, 22]


def test_what_does_not_all_fit_among_the_servers_stands_apart() -> None:
    storage = box(BoxKind.STORAGE, 20, 2, 1_200)
    plan = hall(servers(2), storage, per_rack=3, rack_w=35_000)

    assert [(rack.role, rack.count) for rack in plan.racks] == [(RackRole.COMPUTE, 1), (RackRole.STORAGE, 1)]


def _large(*support: tuple[BoxKind, int, int, float | None]) -> FacilityPlan:
    return hall(servers(32), *(box(*one) for one in support))


def test_switches_are_spread_so_that_plain_air_cools_them() -> None:
    # 34 switches of 1,720 W are 58 kW, though one rack has the height for them.
    plan = _large((BoxKind.LEAF, 34, 1, 1_720))

    assert plan.racks_of(RackRole.NETWORK) == 2
    assert all(rack.method is CoolingMethod.AIR for rack in plan.racks if rack.role is RackRole.NETWORK)


def test_each_group_opens_a_rack_unless_all_of_it_fits_beside_another() -> None:
    plan = _large(
        (BoxKind.LEAF, 12, 1, 1_720), (BoxKind.STORAGE, 15, 2, 600), (BoxKind.OUT_OF_BAND, 3, 1, 98)
    )

    assert [rack.role for rack in plan.racks] == [RackRole.COMPUTE, RackRole.MIXED, RackRole.STORAGE]
    assert standing(plan) == {"server": 32, "leaf": 12, "storage": 15, "out-of-band": 3}


def test_a_server_that_alone_draws_too_much_stands_alone_and_is_flagged() -> None:
    plan = hall(servers(3, watts=50_000), per_rack=0, rack_w=35_000)

    assert plan.rack_count == 3
    assert all(rack.over_power for rack in plan.racks)


def test_a_box_of_unknown_power_makes_its_rack_a_lower_bound_with_circuits_for_the_most() -> None:
    plan = _large((BoxKind.LEAF, 4, 2, None), (BoxKind.STORAGE, 20, 2, 1_200))
    network, storage = plan.racks[1:]

    assert not network.power_known
    assert network.peak_w == 0
    assert storage.power_known
    assert network.circuits.current_a > storage.circuits.current_a
    assert [one.key for one in plan.unknown_power] == ["leaf"]


def test_a_box_taller_than_any_rack_stretches_its_own() -> None:
    plan = _large((BoxKind.LEAF, 2, 60, 9_000))

    assert [(rack.count, rack.units) for rack in plan.racks[1:]] == [(2, 62)]
