"""The hall of a whole cluster: its boxes are the bill's, its power is that of the energy figures."""

from __future__ import annotations

import pytest
from tests.core.built_in import host
from tests.core.planning.facility.halls import box, hall, servers, standing
from tests.factories import accelerator, catalogue, device, price, requirement, server, shop, sizing, watts

from suanli.domain.market import PriceKind, SiteFigure
from suanli.domain.workload import ClusterWish
from suanli.planning import defaults_facility as rules
from suanli.planning.cluster import plan_cluster
from suanli.planning.facility.results import BoxKind, RackRole
from suanli.planning.results import BillCategory, ClusterPlan
from suanli.planning.rules import rule_text

IN_RACKS = {
    BillCategory.COMPUTE,
    BillCategory.NETWORK,
    BillCategory.STORAGE,
    BillCategory.MANAGEMENT,
    BillCategory.SPARES,
}


def cluster(nodes: int, *without: str) -> ClusterPlan:
    records = [record for record in shop() if record.id not in without]
    return plan_cluster(sizing(nodes), requirement(wish=ClusterWish(spare_nodes=2)), catalogue(*records))


@pytest.mark.parametrize("nodes", [1, 4, 21, 64, 300])
def test_the_drawing_holds_what_the_bill_buys(nodes: int) -> None:
    plan = cluster(nodes)
    assert plan.facility is not None
    bought = {
        item.id: item.quantity
        for item in plan.bill
        if item.category in IN_RACKS and item.unit == "set" and "spare-parts" not in item.id
    }

    assert standing(plan.facility) == bought


@pytest.mark.parametrize("nodes", [1, 4, 21, 64, 300])
def test_racks_and_pdus_on_the_bill_are_those_of_the_drawing(nodes: int) -> None:
    plan = cluster(nodes, "p-colocation-kw-month")
    bill = {item.id: item.quantity for item in plan.bill}
    assert plan.facility is not None
    assert plan.power is not None

    assert bill["racks"] == sum(rack.count for rack in plan.facility.racks) == plan.power.racks
    assert bill["pdus"] == sum(rack.count * rack.circuits.count for rack in plan.facility.racks)
    assert bill["ups"] == plan.facility.ups.installed
    assert bill.get("transformers", 0) == (
        plan.facility.transformers.installed if plan.facility.transformers else 0
    )


@pytest.mark.parametrize("nodes", [1, 4, 21, 64, 300])
def test_the_sum_of_the_racks_is_the_power_of_the_energy_figures(nodes: int) -> None:
    plan = cluster(nodes)
    assert plan.facility is not None
    assert plan.power is not None

    assert plan.facility.it_peak_w == pytest.approx(plan.power.it_peak_w, abs=0.5)
    assert plan.facility.it_training_w == pytest.approx(plan.power.it_training_w.p50, abs=0.5)
    assert plan.facility.facility_peak_w == pytest.approx(plan.power.facility_peak_w, abs=0.5)


def test_a_hall_whose_rack_space_is_rented_brings_ups_and_transformers() -> None:
    rented, owned = cluster(64), cluster(64, "p-colocation-kw-month")
    assert rented.facility is not None
    assert owned.facility is not None
    plants = {"ups", "transformers"}
    of_hall = [{item.id for item in one.bill} & {"racks", "pdus", *plants} for one in (rented, owned)]

    # The capacity is the same; only who pays for it differs.
    assert of_hall == [{"racks", "pdus"}, {"racks", "pdus", *plants}]
    assert (rented.facility.ups, rented.facility.transformers) == (
        owned.facility.ups,
        owned.facility.transformers,
    )
    assert (rented.facility.hosted, owned.facility.hosted) == (True, False)


@pytest.mark.parametrize(("currency", "hosted"), [("CNY", True), ("USD", True), ("JPY", False)])
def test_a_rent_that_cannot_be_converted_pays_for_no_plant(currency: str, *, hosted: bool) -> None:
    # The test project counts in CNY and has an exchange rate of USD.
    others = [record for record in shop() if record.id != "p-colocation-kw-month"]
    kind, basis = PriceKind.COLOCATION, "colocation-kw-month"
    rent = price("rent", "80", kind, currency, basis=basis, per="kW-month")
    plan = plan_cluster(sizing(64), requirement(), catalogue(*others, rent))
    assert plan.facility is not None

    assert plan.facility.hosted is hosted
    assert ("ups" in {item.id for item in plan.bill}) is not hosted


def test_racks_of_unknown_power_are_in_the_load_of_the_plant() -> None:
    known = servers(32)
    plan = hall(known, box(BoxKind.SWITCH, 12, 1, None), per_rack=4, rack_w=45_000)
    sums = (plan.it_peak_w, plan.reserved_w, plan.ups.load_va)

    # 32 servers of 10.2 kW; one rack of switches with circuits for the 30 kW that plain air serves.
    assert sums == pytest.approx((326_400, 30_000, 356_400 / rules.POWER_FACTOR))
    assert plan.transformers is not None
    assert plan.transformers.load_va == pytest.approx(plan.ups.load_va * float(requirement().site.pue))
    assert hall(known).reserved_w == 0


@pytest.mark.parametrize("missing", ["acme-64", "p-none"])
def test_power_without_that_of_some_switch_is_a_lower_bound(missing: str) -> None:
    records = [record for record in shop() if record.id != missing]
    power = plan_cluster(sizing(64), requirement(), catalogue(*records)).power
    assert power is not None
    assert power.lower_bound is (missing == "acme-64")


def test_the_rules_of_the_hall_can_be_read_in_both_languages() -> None:
    for item in cluster(64).bill:
        if item.category is BillCategory.FACILITY:
            assert "{" not in rule_text(item.rule).zh + rule_text(item.rule).en


def test_racks_that_come_with_their_systems_are_placed_but_not_bought() -> None:
    whole = sizing(3, chip=device(server(max_power=watts(40_000), units=48)))
    plan = plan_cluster(whole, requirement(wish=ClusterWish(spare_nodes=0)), catalogue(*shop()))
    bill = {item.id: item for item in plan.bill}
    assert plan.facility is not None

    assert plan.facility.racks_brought == 3
    assert bill["racks"].quantity == plan.facility.rack_count - 3 == plan.facility.racks_of(RackRole.MIXED)
    assert bill["racks"].rule.key == "racks-brought"
    assert bill["pdus"].quantity == sum(
        rack.count * rack.circuits.count for rack in plan.facility.racks if not rack.brought
    )


def test_without_a_known_power_there_is_no_hall_and_one_line_to_be_quoted() -> None:
    dark = sizing(4, chip=device(server(), accelerator()))
    plan = plan_cluster(dark, requirement(), catalogue(*shop()))

    assert plan.facility is None
    assert [item.id for item in plan.bill if item.category is BillCategory.FACILITY] == ["racks"]


def test_a_server_of_unknown_height_is_placed_by_power_and_says_so() -> None:
    flat = sizing(9, chip=device(server(max_power=watts(10_000), units=None)))
    plan = plan_cluster(flat, requirement(wish=ClusterWish(spare_nodes=0)), catalogue(*shop()))
    assert plan.facility is not None

    assert plan.facility.boxes[0].height_assumed
    assert plan.facility.racks_of(RackRole.COMPUTE) == 3


def test_a_network_without_a_known_switch_stands_in_no_rack() -> None:
    plan = cluster(21, "acme-64")
    assert plan.facility is not None

    assert not any("leaf" in box.key for box in plan.facility.boxes)
    assert plan.facility.racks_of(RackRole.NETWORK) == 0


@pytest.mark.parametrize(
    ("record", "default"),
    [
        ("circuit-continuous-share", rules.CONTINUOUS_SHARE),
        ("server-power-factor", rules.POWER_FACTOR),
        ("cold-plate-share-full", rules.LIQUID_SHARE[2]),
        ("aisle-live-load", rules.AISLE_KG_PER_M2),
        ("floor-live-load-tia-942", rules.FLOOR_LIMIT_KG_PER_M2),
    ],
)
def test_a_default_that_rests_on_a_document_is_what_the_catalogue_says(record: str, default: float) -> None:
    assert host().catalogue.get(SiteFigure, record).figure.si == pytest.approx(default)
