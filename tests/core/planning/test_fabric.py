from __future__ import annotations

import pytest
from tests.factories import accelerator, catalogue, gbit, link, server, switch

from suanli.planning.fabric import clos, endpoint_ports, plan_fabric, switch_for

PUBLISHED = [
    # case, endpoints, radix, leaf, spine, core, links between switches, source
    ("31-nodes", 31 * 8, 64, 8, 4, 0, 256, "DGX SuperPOD H100 reference architecture, one scalable unit"),
    ("63-nodes", 63 * 8, 64, 16, 8, 0, 512, "the same, two scalable units"),
    ("95-nodes", 95 * 8, 64, 24, 16, 0, 768, "the same, three scalable units"),
    ("127-nodes", 127 * 8, 64, 32, 16, 0, 1024, "the same, four scalable units"),
    ("two-layers", 2048, 64, 64, 32, 0, 2048, "arXiv:2505.09343, table 3"),
    ("three-layers", 65536, 64, 2048, 2048, 1024, 131072, "arXiv:2505.09343, table 3"),
]


@pytest.mark.parametrize("row", PUBLISHED, ids=[row[0] for row in PUBLISHED])
def test_counts_agree_with_published_networks(row: tuple[str, int, int, int, int, int, int, str]) -> None:
    _, endpoints, radix, *expected, _ = row
    counts = clos(endpoints, radix)

    assert counts is not None
    assert [counts.leaf, counts.spine, counts.core, counts.links] == expected


def test_a_single_switch_serves_as_many_endpoints_as_it_has_ports() -> None:
    last, first = clos(64, 64), clos(65, 64)

    assert last is not None
    assert (last.tiers, last.switches, last.links) == (1, 1, 0)
    assert first is not None
    assert first.tiers == 2


def test_more_endpoints_than_three_tiers_hold_have_no_counts() -> None:
    assert clos(65536, 64) is not None
    assert clos(65537, 64) is None


def test_oversubscription_saves_spines_and_stays_within_the_ratio() -> None:
    free, tight = clos(1024, 64), clos(1024, 64, oversubscription=2.0)

    assert free is not None
    assert tight is not None
    assert tight.spine < free.spine
    assert tight.down / tight.up <= 2.0


@pytest.mark.parametrize("arguments", [(0, 64), (8, 1), (8, 64, 0.5)])
def test_senseless_networks_are_refused(arguments: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no network"):
        clos(*arguments)


def test_a_single_server_needs_no_network() -> None:
    plan = plan_fabric(catalogue(link(), switch()), server(), 1)

    assert (plan.tiers, plan.switches, plan.transceivers, plan.host_cables) == (0, 0, 0, 0)


def test_every_optical_cable_has_two_transceivers() -> None:
    plan = plan_fabric(catalogue(link(), switch()), server(), 32)

    assert plan.host_cables == 256
    assert plan.fabric_cables == 256
    assert plan.transceivers == 2 * (256 + 256)


def test_servers_and_switch_in_one_rack_are_joined_by_copper() -> None:
    plan = plan_fabric(catalogue(link(), switch()), server(), 4, one_rack=True)

    assert plan.copper_hosts
    assert plan.transceivers == 0


def test_bisection_is_half_the_endpoints_at_line_rate_over_the_oversubscription() -> None:
    plan = plan_fabric(catalogue(link(), switch()), server(), 32, oversubscription=3.0)

    assert plan.oversubscription == pytest.approx(3.0)
    assert plan.bisection_bytes_per_s == pytest.approx(128 * 50e9 / 3.0)


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
    assert plan.endpoints == 256


def test_unknown_ports_leave_even_the_endpoints_unknown() -> None:
    bare = server().model_copy(update={"nics": ()})

    assert endpoint_ports(bare) is None
    assert plan_fabric(catalogue(link(), switch()), bare, 4).endpoints is None
