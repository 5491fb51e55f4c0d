from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

import pytest
from tests.core.planning.storage_tiers import tier_of
from tests.factories import (
    accelerator,
    catalogue,
    device,
    goodput,
    price,
    requirement,
    server,
    shop,
    sizing,
    watts,
)

from suanli.costing.build import build_ledger
from suanli.domain.market import PriceKind
from suanli.domain.workload import ClusterWish, StorageWish
from suanli.planning.bill import unpriced
from suanli.planning.bill_support import login_servers, management_servers
from suanli.planning.cluster import plan_cluster
from suanli.planning.defaults import planning_assumptions
from suanli.planning.network.results import Purpose
from suanli.planning.results import BillCategory, BillItem, ClusterPlan, VatClass
from suanli.planning.rules import rule_text
from suanli.planning.storage_results import TierKind

GOODS = {BillCategory.COMPUTE, BillCategory.NETWORK, BillCategory.STORAGE, BillCategory.MANAGEMENT}


def cluster(nodes: int = 4, spares: int = 1, *without: str) -> ClusterPlan:
    records = [record for record in shop() if record.id not in without]
    return plan_cluster(sizing(nodes), requirement(wish=ClusterWish(spare_nodes=spares)), catalogue(*records))


def small(nodes: int) -> ClusterPlan:
    """Return a cluster without spares whose data fit on the servers' own drives."""
    wish, point = ClusterWish(spare_nodes=0), goodput(checkpoint_bytes=98e9)
    job = replace(sizing(nodes), tokens=1e11, goodput=point)
    return plan_cluster(job, requirement(wish=wish), catalogue(*shop()))


def items(plan: ClusterPlan) -> dict[str, BillItem]:
    return {item.id: item for item in plan.bill}


def test_the_bill_has_every_block_of_a_cluster() -> None:
    bill = items(cluster())

    assert {item.category for item in bill.values()} >= GOODS | {BillCategory.FACILITY, BillCategory.SERVICES}
    assert bill["servers"].quantity == 4
    assert bill["spare-servers"].quantity == 1
    assert bill["host-leaf-multimode-cables"].quantity == 40
    modules = ("host-multimode-transceivers", "switch-multimode-transceivers")
    assert [bill[one].quantity for one in modules] == [40, 40]
    # Three and two servers of 10 kW in racks of 35 kW have room for everything else: 34.6 and 31.6 kW, of
    # which 80 % of one circuit of 63 A carries neither.
    assert bill["racks"].quantity == 2
    assert bill["pdus"].quantity == 2 * (2 + 2)


def test_ids_are_unique_and_every_rule_can_be_read_in_both_languages() -> None:
    plan = cluster(nodes=64)

    assert len(items(plan)) == len(plan.bill)
    for item in plan.bill:
        shown = rule_text(item.rule)
        assert "{" not in shown.zh
        assert "{" not in shown.en


def test_a_plugins_own_rule_is_shown_as_it_stands() -> None:
    own = replace(cluster().bill[0].rule, key="devices / 8")

    assert rule_text(own).en == "devices / 8"


def test_a_thing_without_a_price_stays_on_the_bill_unpriced() -> None:
    bill = cluster(4, 1, "p-rack").bill

    assert [item.id for item in unpriced(bill)] == ["racks"]


def test_device_prices_do_not_pass_for_prices_of_whole_servers() -> None:
    records = [record for record in shop() if record.id != "p-box"]
    records.append(price("p-chip", "30000", PriceKind.ACCELERATOR, "USD", prices=("acme-x1",), per="device"))
    plan = plan_cluster(sizing(), requirement(), catalogue(*records))
    bill = items(plan)

    assert bill["accelerators"].price_factor == 8
    assert bill["accelerators"].price is not None
    assert bill["servers"].price is None
    assert not build_ledger([("A", plan)], requirement(), catalogue(*records)).whole


def test_an_unknown_network_is_an_unpriced_line_not_a_missing_one() -> None:
    bill = items(cluster(4, 1, "acme-64"))

    assert bill["compute-network"].price is None
    assert "leaf-switches" not in bill


def test_unknown_power_leaves_power_energy_and_racks_unknown() -> None:
    bare = device(server(), accelerator())
    plan = plan_cluster(sizing(chip=bare), requirement(), catalogue(*shop()))

    assert plan.power is None
    assert plan.energy is None
    assert items(plan)["racks"].price is None
    assert items(plan)["racks"].rule.key == "racks-unknown"


def test_a_spare_beside_a_single_server_needs_no_network() -> None:
    plan = cluster(nodes=1, spares=1)

    assert plan.fabric.tiers == 0
    network = {item.id for item in plan.bill if item.category is BillCategory.NETWORK}
    assert all(one.startswith("storage-") for one in network)


def test_a_single_server_is_bought_without_storage_servers_managers_or_racks_of_their_own() -> None:
    plan = small(1)
    bill = items(plan)

    assert {"storage-servers", "management-servers", "management-switches"}.isdisjoint(bill)
    assert bill["storage-flash"].rule.key == "storage-local"
    # 1 TB of data, 13 checkpoints of 98 GB, 10 releases of 14 GB, 0.28 TB of logs and files; / 0.8, mirrored.
    assert bill["storage-flash"].quantity == 7
    assert bill["racks"].quantity == 1
    assert plan.power is not None
    assert plan.power.auxiliary_w == 0


def test_four_servers_share_one_management_switch_and_no_more() -> None:
    bill = items(small(4))

    assert "management-servers" not in bill
    assert bill["management-switches"].quantity == 1
    # As above, with 1.12 TB of logs and files.
    assert bill["storage-flash"].quantity == 4 * 9
    assert bill["racks"].quantity == 2


def test_infiniband_is_cabled_at_its_own_price_by_port_and_tiers() -> None:
    fields = {"basis": "fabric-cabling-1l", "per": "accelerator"}
    records = (*shop(), price("p-cabling", "1320", PriceKind.CABLE, "USD", **fields))
    bill = items(plan_cluster(sizing(), requirement(wish=ClusterWish(spare_nodes=1)), catalogue(*records)))

    line = bill["network-cabling"]
    assert (line.quantity, line.unit) == (40, "port")
    assert line.price is not None
    assert line.price.id == "p-cabling"
    assert dict(line.rule.numbers) == {
        "cables": "40",
        "links": "0",
        "modules": "80",
        "tiers": "1",
        "copper": "0",
        "multimode": "40",
        "single": "0",
    }
    assert not any("multimode" in one for one in bill)


def test_an_ethernet_transceiver_never_prices_an_infiniband_one() -> None:
    records = [record for record in shop() if record.id != "p-optic-ib-400g"]
    records.append(price("p-ethernet", "100", PriceKind.OPTIC, basis="optic-400g", per="module"))
    bill = items(plan_cluster(sizing(), requirement(wish=ClusterWish(spare_nodes=1)), catalogue(*records)))

    assert bill["host-multimode-transceivers"].price is None


def test_works_and_services_have_their_own_vat_class() -> None:
    bill = items(cluster())

    assert bill["installation"].vat is VatClass.WORKS
    assert bill["commissioning"].vat is VatClass.SERVICES
    assert bill["servers"].vat is VatClass.GOODS
    assert bill["cabling-works"].vat is VatClass.WORKS
    assert bill["operator-training"].vat is VatClass.SERVICES
    assert bill["cluster-software"].vat is VatClass.SERVICES


def test_quantities_of_the_bill_are_those_of_the_plan() -> None:
    plan = cluster(nodes=64, spares=2)
    bill, storage = items(plan), plan.storage
    flash = tier_of(storage, TierKind.PERFORMANCE)

    assert bill["storage-flash"].quantity == flash.raw_tb
    assert bill["storage-servers"].quantity == flash.servers
    assert bill["servers"].quantity + bill["spare-servers"].quantity == plan.nodes
    assert bill["cluster-software"].quantity == plan.nodes
    assert bill["management-servers"].quantity == management_servers(66)
    assert bill["login-servers"].quantity == login_servers(66)
    laid = [line for line in plan.bill if line.id.endswith(("-cables", "-links"))]
    laid = [line for line in laid if line.category is not BillCategory.SPARES]
    assert "management-cables" in {line.id for line in laid}
    assert bill["cabling-works"].quantity == sum(line.quantity for line in laid)


def test_cabling_that_is_sold_by_port_is_laid_all_the_same() -> None:
    fields = {"basis": "fabric-cabling-2l", "per": "accelerator"}
    records = (*shop(), price("p-cabling", "1320", PriceKind.CABLE, "USD", **fields))
    by_port = plan_cluster(sizing(64), requirement(), catalogue(*records))
    by_piece = plan_cluster(sizing(64), requirement(), catalogue(*shop()))

    assert "network-cabling" in items(by_port)
    # 1,024 cables of the compute network, as many below the leaves as above, beside those of the other two.
    fabric = by_port.fabric
    assert fabric.host_cables is not None
    assert fabric.fabric_cables is not None
    assert items(by_port)["cabling-works"].quantity > fabric.host_cables + fabric.fabric_cables
    assert items(by_port)["cabling-works"].quantity == items(by_piece)["cabling-works"].quantity


def test_cables_of_an_unknown_network_are_said_to_be_missing_from_the_works() -> None:
    line = items(cluster(4, 1, "acme-64"))["cabling-works"]

    assert line.rule.key == "cabling-works-open"
    assert "not included" in rule_text(line.rule).en
    assert line.quantity == sum(int(value) for _, value in line.rule.numbers if value.isdigit())


def test_every_out_of_band_port_has_a_patch_cable_on_the_bill() -> None:
    plan = cluster(nodes=64)
    side = plan.network.side(Purpose.MANAGEMENT) if plan.network else None

    assert side is not None
    assert items(plan)["management-cables"].quantity == side.ports == side.cables
    assert items(small(4))["management-cables"].quantity == 4 * 2 + 1


def test_cold_data_add_disks_and_their_servers_to_the_bill() -> None:
    need = replace(requirement(), storage=StorageWish(source_data_bytes=600e12))
    plan = plan_cluster(sizing(64), need, catalogue(*shop()))
    bill, disks = items(plan), tier_of(plan.storage, TierKind.CAPACITY)

    assert (bill["storage-disks"].quantity, bill["capacity-servers"].quantity) == (
        disks.raw_tb,
        disks.servers,
    )
    assert bill["storage-disks"].price is not None


def test_the_kit_of_spare_parts_is_a_share_of_what_is_installed_at_the_same_price() -> None:
    plan = cluster(nodes=64)
    bill = items(plan)
    kit = [line for line in plan.bill if line.rule.key == "spare-share"]

    assert {"spare-management-cables", "spare-storage-network-links"} < {line.id for line in kit}
    for line in kit:
        installed = bill[line.id.removeprefix("spare-")]
        assert line.quantity == math.ceil(installed.quantity * 0.02)
        assert (line.price, line.unit, line.vat) == (installed.price, installed.unit, installed.vat)
        assert line.category is BillCategory.SPARES


def test_spare_drives_are_whole_drives_at_the_price_of_their_capacity() -> None:
    need = replace(requirement(), storage=StorageWish(source_data_bytes=600e12))
    bill = items(plan_cluster(sizing(64), need, catalogue(*shop())))

    for key, drive_tb in (("storage-flash", "15.36"), ("storage-disks", "20.0")):
        installed, spare = bill[key], bill[f"spare-{key}"]
        drives = math.ceil(installed.quantity / float(drive_tb))
        assert (spare.quantity, spare.unit) == (math.ceil(drives * 0.03), "drive")
        assert spare.price == installed.price
        assert spare.price_factor == Decimal(drive_tb)
        assert f"ceil({drives} drives x 3%)" in rule_text(spare.rule).en


def test_operators_are_trained_by_their_posts() -> None:
    # Four posts of the project for five days each.
    assert items(cluster())["operator-training"].quantity == 20
    unstated = replace(requirement(), commercial=replace(requirement().commercial, staff_fte=None))
    assert items(plan_cluster(sizing(), unstated, catalogue(*shop())))["operator-training"].quantity == 20


def test_a_rack_scale_system_is_bought_with_spare_trays_in_place_of_spare_racks() -> None:
    box = server(max_power=watts(100_000)).model_copy(update={"accelerator_count": 64, "scale_up_domain": 64})
    point = replace(sizing(4, chip=device(box)), goodput=goodput(mtbf_s=5 * 86_400.0))
    bill = items(plan_cluster(point, requirement(wish=ClusterWish()), catalogue(*shop())))

    assert "spare-servers" not in bill
    assert bill["spare-trays"].quantity >= 1
    assert bill["spare-trays"].price is None
    assert bill["spare-trays"].refs == ("src",)
    assert "expected under repair" in rule_text(bill["spare-trays"].rule).en


def test_a_server_without_a_known_network_card_gets_a_line_to_be_quoted() -> None:
    bare = server(max_power=watts(10_000)).model_copy(update={"nics": ()})
    bill = items(plan_cluster(sizing(4, chip=device(bare)), requirement(), catalogue(*shop())))

    assert bill["compute-nics"].price is None
    assert bill["servers"].price is not None
    assert "compute-nics" not in items(cluster())


def test_a_yearly_subscription_is_recurring() -> None:
    fields = {"basis": "software-nvidia-suite-year", "per": "device-year", "preferred": True}
    records = (*shop(), price("suite", "4500", PriceKind.SOFTWARE, "USD", **fields))
    bill = items(plan_cluster(sizing(), requirement(), catalogue(*records)))

    assert bill["software"].recurring
    assert bill["software"].quantity == 40
    assert not bill["servers"].recurring


@pytest.mark.parametrize(("redundancy", "feeds", "ups"), [("N", 1, 1), ("N+1", 2, 2), ("2N", 2, 2)])
def test_redundancy_decides_the_feeds_of_a_rack_and_the_units_upstream(
    redundancy: str, feeds: int, ups: int
) -> None:
    base = requirement()
    site = replace(base.site, redundancy=redundancy)
    # Without a price of rack space the plant of the hall is bought.
    records = (record for record in shop() if record.id != "p-colocation-kw-month")
    bill = items(plan_cluster(sizing(), replace(base, site=site), catalogue(*records)))

    assert bill["pdus"].quantity == feeds * (2 + 2)
    assert bill["ups"].quantity == ups


def test_every_planning_default_is_an_assumption_with_a_reason() -> None:
    assumptions = planning_assumptions()

    assert len({assumption.key for assumption in assumptions}) == len(assumptions)
    assert all(
        assumption.value and assumption.key.startswith(("planning.", "acceptance."))
        for assumption in assumptions
    )


def test_drives_inside_the_servers_need_no_spares_of_their_own() -> None:
    assert "spare-storage-flash" not in items(small(4))
