from __future__ import annotations

from dataclasses import replace

import pytest
from tests.factories import (
    accelerator,
    catalogue,
    device,
    price,
    requirement,
    server,
    shop,
    sizing,
)

from suanli.domain.market import PriceKind
from suanli.domain.workload import ClusterWish
from suanli.planning.bill import servers_priced, unpriced
from suanli.planning.cluster import plan_cluster
from suanli.planning.defaults import planning_assumptions
from suanli.planning.results import BillCategory, BillItem, ClusterPlan, VatClass
from suanli.planning.rules import rule_text

GOODS = {BillCategory.COMPUTE, BillCategory.NETWORK, BillCategory.STORAGE, BillCategory.MANAGEMENT}


def cluster(nodes: int = 4, spares: int = 1, *without: str) -> ClusterPlan:
    records = [record for record in shop() if record.id not in without]
    return plan_cluster(sizing(nodes), requirement(wish=ClusterWish(spare_nodes=spares)), catalogue(*records))


def small(nodes: int) -> ClusterPlan:
    """Return a cluster without spares whose data fit on the servers' own drives."""
    wish = ClusterWish(spare_nodes=0)
    return plan_cluster(replace(sizing(nodes), tokens=1e11), requirement(wish=wish), catalogue(*shop()))


def items(plan: ClusterPlan) -> dict[str, BillItem]:
    return {item.id: item for item in plan.bill}


def test_the_bill_has_every_block_of_a_cluster() -> None:
    bill = items(cluster())

    assert {item.category for item in bill.values()} >= GOODS | {BillCategory.FACILITY, BillCategory.SERVICES}
    assert bill["servers"].quantity == 4
    assert bill["spare-servers"].quantity == 1
    assert bill["host-cables"].quantity == 40
    assert bill["host-transceivers"].quantity + bill["switch-transceivers"].quantity == 80
    assert bill["racks"].quantity == 3
    assert bill["pdus"].quantity == 6


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
    assert servers_priced(bill)


def test_device_prices_do_not_pass_for_prices_of_whole_servers() -> None:
    records = [record for record in shop() if record.id != "p-box"]
    records.append(price("p-chip", "30000", PriceKind.ACCELERATOR, "USD", prices=("acme-x1",), per="device"))
    plan = plan_cluster(sizing(), requirement(), catalogue(*records))
    bill = items(plan)

    assert bill["accelerators"].price_factor == 8
    assert bill["accelerators"].price is not None
    assert bill["servers"].price is None
    assert not servers_priced(plan.bill)


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
    assert not any(item.category is BillCategory.NETWORK for item in plan.bill)


def test_a_single_server_is_bought_without_storage_servers_managers_or_racks_of_their_own() -> None:
    plan = small(1)
    bill = items(plan)

    assert {"storage-servers", "management-servers", "management-switches"}.isdisjoint(bill)
    assert bill["storage-flash"].rule.key == "storage-local"
    # (0.8 TB of data and 5 TB of checkpoints) / 0.8, mirrored.
    assert bill["storage-flash"].quantity == 15
    assert bill["racks"].quantity == 1
    assert plan.power is not None
    assert plan.power.auxiliary_w == 0


def test_four_servers_share_one_management_switch_and_no_more() -> None:
    bill = items(small(4))

    assert "management-servers" not in bill
    assert bill["management-switches"].quantity == 1
    assert bill["storage-flash"].quantity == 4 * 15
    assert bill["racks"].quantity == 2


def test_infiniband_is_cabled_at_its_own_price_by_port_and_tiers() -> None:
    fields = {"basis": "fabric-cabling-1l", "per": "accelerator"}
    records = (*shop(), price("p-cabling", "1320", PriceKind.CABLE, "USD", **fields))
    bill = items(plan_cluster(sizing(), requirement(wish=ClusterWish(spare_nodes=1)), catalogue(*records)))

    line = bill["network-cabling"]
    assert (line.quantity, line.unit) == (40, "port")
    assert line.price is not None
    assert line.price.id == "p-cabling"
    assert dict(line.rule.numbers) == {"cables": "40", "links": "0", "modules": "80", "tiers": "1"}
    assert {"host-cables", "host-transceivers", "switch-transceivers"}.isdisjoint(bill)


def test_an_ethernet_transceiver_never_prices_an_infiniband_one() -> None:
    records = [record for record in shop() if record.id != "p-optic-ib-400g"]
    records.append(price("p-ethernet", "100", PriceKind.OPTIC, basis="optic-400g", per="module"))
    bill = items(plan_cluster(sizing(), requirement(wish=ClusterWish(spare_nodes=1)), catalogue(*records)))

    assert bill["host-transceivers"].price is None


def test_works_and_services_have_their_own_vat_class() -> None:
    bill = items(cluster())

    assert bill["installation"].vat is VatClass.WORKS
    assert bill["commissioning"].vat is VatClass.SERVICES
    assert bill["servers"].vat is VatClass.GOODS


def test_a_yearly_subscription_is_recurring() -> None:
    fields = {"basis": "software-nvidia-suite-year", "per": "device-year", "preferred": True}
    records = (*shop(), price("suite", "4500", PriceKind.SOFTWARE, "USD", **fields))
    bill = items(plan_cluster(sizing(), requirement(), catalogue(*records)))

    assert bill["software"].recurring
    assert bill["software"].quantity == 40
    assert not bill["servers"].recurring


@pytest.mark.parametrize(("redundancy", "feeds"), [("N", 1), ("N+1", 2), ("2N", 2)])
def test_redundancy_decides_the_feeds_of_a_rack(redundancy: str, feeds: int) -> None:
    base = requirement()
    site = replace(base.site, redundancy=redundancy)
    bill = items(plan_cluster(sizing(), replace(base, site=site), catalogue(*shop())))

    assert bill["pdus"].quantity == feeds * bill["racks"].quantity


def test_every_planning_default_is_an_assumption_with_a_reason() -> None:
    assumptions = planning_assumptions()

    assert len({assumption.key for assumption in assumptions}) == len(assumptions)
    assert all(assumption.value and assumption.key.startswith("planning.") for assumption in assumptions)
