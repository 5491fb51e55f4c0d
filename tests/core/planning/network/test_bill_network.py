"""The network's lines of the bill: quantities are those of the wiring, port by port."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, device, goodput, link, requirement, server, shop, sizing, switch, watts

from suanli.domain.workload import ClusterWish
from suanli.planning.cluster import plan_cluster
from suanli.planning.network.results import CableClass, PortUser, Purpose
from suanli.planning.network.wiring import Tier, wire
from suanli.planning.results import BillCategory
from suanli.planning.rules import rule_text

if TYPE_CHECKING:
    from suanli.domain.record import Record
    from suanli.planning.results import BillItem, ClusterPlan


def cluster(nodes: int, *more: Record, vendor: str = "nvidia", ratio: float = 1.0) -> ClusterPlan:
    box = device(server(vendor=vendor, max_power=watts(10_000)))
    wish = ClusterWish(spare_nodes=0, oversubscription=ratio)
    wanted = requirement(wish=wish)
    return plan_cluster(sizing(nodes, chip=box), wanted, catalogue(*shop(), *more))


def lines(plan: ClusterPlan) -> dict[str, BillItem]:
    return {item.id: item for item in plan.bill}


@pytest.mark.parametrize(("nodes", "ratio"), [(16, 1.0), (40, 1.0), (127, 1.0), (127, 2.0), (600, 1.0)])
def test_switches_cables_and_modules_of_the_bill_are_those_of_the_wiring(nodes: int, ratio: float) -> None:
    plan = cluster(nodes, ratio=ratio)
    counts, bill = plan.fabric.counts, lines(plan)
    assert counts is not None
    cables = list(wire(counts, 8).cables())
    leaves = {cable.upper for cable in cables if cable.tier is Tier.HOST_LEAF}
    spines = {cable.upper for cable in cables if cable.tier is Tier.LEAF_SPINE}
    cores = {cable.upper for cable in cables if cable.tier is Tier.SPINE_CORE}

    for level, used in (("leaf", leaves), ("spine", spines), ("core", cores)):
        line = bill.get(f"{level}-switches")
        assert (0 if line is None else line.quantity) == len(used)
    bought = Counter[str]()
    for one in bill.values():
        if one.id.endswith("-cables") and one.category is BillCategory.NETWORK:
            tier = next(tier for tier in Tier if one.id.startswith(tier.value))
            bought[tier.value] += one.quantity
    assert bought == Counter(cable.tier.value for cable in cables)
    # Every optical cable has a module at each end; copper brings its own.
    copper = sum(one.cables for one in plan.fabric.cables if one.kind is CableClass.COPPER)
    modules = sum(
        line.quantity
        for line in bill.values()
        if line.id.endswith("transceivers") and not line.id.startswith("spare")
    )
    assert modules == 2 * (len(cables) - copper)


def test_rails_say_so_in_the_rule_of_the_leaves() -> None:
    rule = lines(cluster(40))["leaf-switches"].rule

    assert rule.key == "leaf-switches-rails"
    assert "8 rails: 40 servers" in rule_text(rule).en


def test_cables_on_a_split_port_share_a_module_on_the_bill() -> None:
    wide = switch("th5", "broadcom", rate=800)
    plan = cluster(32, wide, link("roce-400", "RoCE v2 400GbE"), vendor="amd")
    bill = lines(plan)

    assert bill["host-leaf-multimode-cables"].quantity == 256
    assert bill["host-multimode-transceivers"].quantity == 256
    spine_links = sum(one.cables for one in plan.fabric.cables if one.tier is not Tier.HOST_LEAF)
    copper = sum(one.cables for one in plan.fabric.cables if one.kind is CableClass.COPPER)
    assert bill["switch-multimode-transceivers"].quantity == 128 + 2 * (spine_links - copper)


def test_the_storage_network_is_on_the_bill_with_the_adapters_that_servers_lack() -> None:
    plan = cluster(40)
    side, bill = plan.network.side(Purpose.STORAGE) if plan.network else None, lines(plan)

    assert side is not None
    assert side.counts is not None
    assert bill["storage-network-switches"].quantity == side.switches
    assert bill["storage-network-links"].quantity == side.ports + side.planes * side.counts.links
    assert bill["storage-nics"].quantity == 40


def test_out_of_band_switches_and_the_ports_that_they_take_are_counted_together() -> None:
    network = cluster(600).network
    assert network is not None
    storage, management = network.side(Purpose.STORAGE), network.side(Purpose.MANAGEMENT)
    assert storage is not None
    assert management is not None
    ports = {group.user: group for group in storage.groups}

    assert (ports[PortUser.SUPPORT].each, ports[PortUser.OUT_OF_BAND].each) == (2, 2)
    assert ports[PortUser.OUT_OF_BAND].machines == management.switches
    assert ports[PortUser.OUT_OF_BAND].ports == management.uplinks
    bill = lines(cluster(600))
    support = ("management-servers", "login-servers", "monitoring-servers")
    assert ports[PortUser.SUPPORT].machines == sum(bill[one].quantity for one in support)


def test_a_storage_network_without_a_known_switch_is_an_unpriced_line() -> None:
    wanted = requirement(wish=ClusterWish(spare_nodes=0))
    known = [record for record in shop() if record.id != "acme-eth"]
    bill = lines(plan_cluster(sizing(40), wanted, catalogue(*known)))

    assert bill["storage-network"].price is None
    assert "storage-network-switches" not in bill


def test_the_management_switches_of_the_bill_are_those_of_the_network() -> None:
    plan = cluster(127)
    side = plan.network.side(Purpose.MANAGEMENT) if plan.network else None

    assert side is not None
    assert lines(plan)["management-switches"].quantity == side.switches


def test_local_drives_need_no_storage_network_on_the_bill() -> None:
    small = replace(sizing(4), tokens=1e9, goodput=goodput(checkpoint_bytes=1e10))
    plan = plan_cluster(small, requirement(wish=ClusterWish(spare_nodes=0)), catalogue(*shop()))

    assert plan.storage.local
    assert not any(item.id.startswith("storage-n") for item in plan.bill)
