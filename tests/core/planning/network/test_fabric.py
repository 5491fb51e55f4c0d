from __future__ import annotations

import pytest
from tests.factories import accelerator, catalogue, gbit, link, server, switch

from suanli.planning.network.cabling import Hall
from suanli.planning.network.fabric import plan_fabric, switches_per_rack
from suanli.planning.network.results import CableClass, NetworkShape
from suanli.planning.network.selection import endpoint_ports, rails_of, switch_for


def test_a_single_server_needs_no_network() -> None:
    plan = plan_fabric(catalogue(link(), switch()), server(), 1)

    assert (plan.tiers, plan.switches, plan.transceivers, plan.host_cables) == (0, 0, 0, 0)
    assert plan.shape is NetworkShape.NONE


def test_every_optical_cable_has_two_transceivers() -> None:
    plan = plan_fabric(catalogue(link(), switch()), server(), 32)

    assert plan.host_cables == 256
    assert plan.fabric_cables == 256
    assert plan.transceivers == 2 * (256 + 256)
    assert {one.kind for one in plan.cables} == {CableClass.OPEN}


def test_servers_and_switch_in_one_rack_are_joined_by_copper() -> None:
    plan = plan_fabric(catalogue(link(), switch()), server(), 4, hall=Hall(4))

    assert plan.copper_hosts
    assert plan.transceivers == 0


def test_servers_have_rails_unless_their_maker_keeps_the_ports_together() -> None:
    usual = plan_fabric(catalogue(link(), switch()), server(), 32)
    own = switch("ce", "ascend")
    together = plan_fabric(catalogue(link("roce-400", "RoCE 400GbE"), own), server(vendor="ascend"), 32)

    assert (usual.shape, usual.rails) == (NetworkShape.RAIL_OPTIMISED, 8)
    assert (together.shape, together.rails) == (NetworkShape.FAT_TREE, 1)


def test_a_rack_that_is_bought_as_one_has_no_rail_for_each_of_its_ports() -> None:
    assert rails_of(server(), 72) == 1


def test_switches_fill_racks_by_their_height_and_a_chassis_has_one_of_its_own() -> None:
    flat, chassis = switch(), switch("chassis", ports=768).model_copy(update={"rack_units": None})
    unknown = switch().model_copy(update={"rack_units": None})

    assert [switches_per_rack(one) for one in (flat, chassis, unknown)] == [40, 1, 20]


def test_bisection_is_half_the_endpoints_at_line_rate_over_the_oversubscription() -> None:
    plan = plan_fabric(catalogue(link(), switch()), server(), 96, oversubscription=3.0)

    assert plan.oversubscription == pytest.approx(3.0)
    assert plan.bisection_bytes_per_s == pytest.approx(384 * 50e9 / 3.0)


def test_oversubscription_counts_the_host_ports_in_use_and_not_those_that_are_left() -> None:
    # A leaf of 64 ports at 2 : 1 sends 22 up and may serve 42; 28 servers take 28 of these.
    plan = plan_fabric(catalogue(link(), switch()), server(), 28, oversubscription=2.0)
    counts = plan.counts

    assert counts is not None
    assert (counts.down, counts.up, set(counts.leaf_endpoints)) == (42, 22, {28})
    assert plan.oversubscription == pytest.approx(28 / 22)
    assert plan.bisection_bytes_per_s == pytest.approx(112 * 50e9 * 22 / 28)


def test_one_switch_oversubscribes_nothing_whatever_was_asked_for() -> None:
    plan = plan_fabric(catalogue(link(), switch()), server(), 8, oversubscription=2.0)

    assert (plan.tiers, plan.oversubscription) == (1, 1.0)


def test_a_split_port_serves_two_endpoints() -> None:
    records = catalogue(link("roce-400", "RoCE v2 400GbE"), switch("th5", "broadcom", rate=800))
    plan = plan_fabric(records, server(vendor="amd"), 16)

    assert plan.switch is not None
    assert (plan.tiers, plan.leaf_switches) == (1, 1)
    assert plan.host_transceivers == 128
    assert plan.switch_transceivers == 64


def test_switches_of_the_vendors_own_technology_are_preferred() -> None:
    ethernet = switch("sn5400").model_copy(update={"technology": "ethernet"})
    found = switch_for(catalogue(switch(), ethernet), "nvidia", gbit(400).si)

    assert found is not None
    assert found[0].id == "acme-64"


def test_a_technology_that_is_asked_for_is_taken() -> None:
    ethernet = switch("sn5400").model_copy(update={"technology": "ethernet"})
    found = switch_for(catalogue(switch(), ethernet), "nvidia", gbit(400).si, ("ethernet",))

    assert found is not None
    assert found[0].id == "sn5400"


def test_a_neutral_switch_comes_before_a_rivals() -> None:
    rival = switch("sn5400").model_copy(update={"technology": "ethernet"})
    neutral = switch("th5", "broadcom", rate=800)
    found = switch_for(catalogue(rival, neutral, accelerator()), "amd", gbit(400).si)

    assert found is not None
    assert found[0].id == "th5"


def test_an_ascend_network_takes_no_other_makers_switch() -> None:
    assert switch_for(catalogue(switch("th5", "broadcom")), "ascend", gbit(400).si) is None


def test_unknown_switches_leave_the_counts_unknown() -> None:
    plan = plan_fabric(catalogue(link()), server(), 32)

    assert not plan.known
    assert plan.switches is None
    assert plan.leaf_switches is None
    assert plan.shape is None
    assert plan.endpoints == 256


def test_unknown_ports_leave_even_the_endpoints_unknown() -> None:
    bare = server().model_copy(update={"nics": ()})

    assert endpoint_ports(bare) is None
    assert plan_fabric(catalogue(link(), switch()), bare, 4).endpoints is None
