"""Published cluster designs come out with their switches and cables; what differs is said and counted.

`docs/planning/network.md` has the same tables with the reasons.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest
from tests.core.estimation.estimation_cases import catalogue

from suanli.domain.hardware import Server
from suanli.planning.network.clos import clos, plane_counts
from suanli.planning.network.fabric import plan_fabric
from suanli.planning.network.results import NetworkShape
from suanli.planning.network.wiring import Tier, wire


@dataclass(frozen=True, slots=True)
class Design:
    """A published network: endpoints and switches of one kind."""

    name: str
    endpoints: int
    radix: int
    leaf: int
    spine: int
    core: int
    host_cables: int
    leaf_spine: int
    spine_core: int


H100 = "NVIDIA, DGX SuperPOD reference architecture (H100), network fabrics, table 4"
B200 = "NVIDIA, DGX SuperPOD reference architecture (B200), larger component counts"
XDR = "NVIDIA, DGX SuperPOD reference architecture (B300, XDR), table 3"
DESIGNS = [
    (Design("31-nodes", 31 * 8, 64, 8, 4, 0, 248, 256, 0), H100),
    (Design("63-nodes", 63 * 8, 64, 16, 8, 0, 504, 512, 0), H100),
    (Design("95-nodes", 95 * 8, 64, 24, 16, 0, 760, 768, 0), H100),
    (Design("127-nodes", 127 * 8, 64, 32, 16, 0, 1016, 1024, 0), H100),
    (Design("64-nodes", 512, 64, 16, 8, 0, 512, 512, 0), B200),
    (Design("128-nodes", 1024, 64, 32, 16, 0, 1024, 1024, 0), B200),
    (Design("256-nodes", 2048, 64, 64, 32, 0, 2048, 2048, 0), B200),
    (Design("512-nodes", 4096, 64, 128, 128, 64, 4096, 4096, 4096), B200),
    (Design("1024-nodes", 8192, 64, 256, 256, 128, 8192, 8192, 8192), B200),
    (Design("2048-nodes", 16384, 64, 512, 512, 256, 16384, 16384, 16384), B200),
    (Design("72-nodes-xdr", 576, 144, 8, 4, 0, 576, 576, 0), XDR),
    (Design("144-nodes-xdr", 1152, 144, 16, 8, 0, 1152, 1152, 0), XDR),
    (Design("288-nodes-xdr", 2304, 144, 32, 18, 0, 2304, 2304, 0), XDR),
    (Design("576-nodes-xdr", 4608, 144, 64, 36, 0, 4608, 4608, 0), XDR),
    (Design("1296-nodes-xdr", 10368, 144, 144, 72, 0, 10368, 10368, 0), XDR),
]


@pytest.mark.parametrize(("design", "source"), DESIGNS, ids=[one.name for one, _ in DESIGNS])
def test_a_published_superpod_has_its_switches_and_cables(design: Design, source: str) -> None:
    assert source
    counts = clos(design.endpoints, design.radix, rails=8)
    assert counts is not None
    wiring = wire(counts, 8)

    assert (counts.leaf, counts.spine, counts.core) == (design.leaf, design.spine, design.core)
    assert wiring.count(Tier.HOST_LEAF) == design.host_cables
    assert wiring.count(Tier.LEAF_SPINE) == design.leaf_spine
    assert wiring.count(Tier.SPINE_CORE) == design.spine_core


def test_four_cables_of_a_superpod_go_to_its_fabric_manager_and_not_to_servers() -> None:
    # Table 4 counts 1,020 cables of 127 servers and the managers of the fabric: 1,016 and four.
    plan = plan_fabric(catalogue(), catalogue().get(Server, "dgx-h100"), 127)

    assert plan.switch is not None
    assert plan.switch.id == "qm9700"
    assert plan.host_cables == 1020 - 4
    # The 128th place of a full group of rails is what the managers' four ports are taken from.
    assert plan.counts is not None
    assert 128 * 8 - plan.host_cables == 8


PLAIN = [
    # Endpoints, leaf, spine, core, links: DeepSeek-AI, Insights into DeepSeek-V3, 2025, table 3.
    ("two-layers", 2048, 64, 32, 0, 2048),
    ("three-layers", 65536, 2048, 2048, 1024, 131072),
]


@pytest.mark.parametrize("row", PLAIN, ids=[row[0] for row in PLAIN])
def test_a_published_fat_tree_has_its_switches_and_cables(row: tuple[str, int, int, int, int, int]) -> None:
    _, endpoints, *expected = row
    counts = clos(endpoints, 64)

    assert counts is not None
    assert [counts.leaf, counts.spine, counts.core, counts.links] == expected
    assert counts.switches == sum(expected[:3])


def test_sixteen_eight_way_servers_share_one_switch_of_51_tbit() -> None:
    # AMD, Instinct MI3XX reference design: a single switch serves 8 to 128 devices, 1 to 16 servers.
    box = catalogue().get(Server, "smc-as-8125gs-tnmr2")
    last, first = plan_fabric(catalogue(), box, 16), plan_fabric(catalogue(), box, 17)

    assert (last.shape, last.ports_free) == (NetworkShape.SINGLE_SWITCH, 0)
    assert first.shape is NetworkShape.RAIL_OPTIMISED


def test_256_eight_way_servers_with_uplinks_to_spare_need_about_61_switches_of_51_tbit() -> None:
    # The same, power requirements: about 61 switches for 2,048 devices, 16 % more up than down.
    counts = clos(2048, 64, 1 / 1.16, breakout=2, rails=8)

    assert counts is not None
    # Eight rails of five leaves with room for 58 servers each.
    assert (counts.tiers, counts.leaf) == (2, 40)
    # Ours takes every port of a leaf that is left, 35, where 1.16 x 29 asks for 34: one spine more.
    assert counts.switches == pytest.approx(61, abs=1)


def test_the_planes_of_an_atlas_900_supernode_join_its_servers_with_2688_links() -> None:
    # Architects' Tech Alliance on the wiring of Atlas 900 A3 SuperPoD: 48 servers, 56 ports of 400 Gbit/s
    # each, 56 bus devices in seven planes; CloudMatrix384 paper: 16 chips of 48 ports a plane, two a device.
    devices, links = plane_counts(servers=48, ports=56, radix=48)

    assert (devices, links) == (56, 2688)
    assert devices % 7 == 0
    assert 2 * devices == 7 * 16
    # Eight links of a chip carry 448 GB/s, and so all of a server the 392 GB/s of each of its eight devices.
    assert links / 48 * (448 / 8) / 8 == pytest.approx(392)


def test_one_supernode_reaches_others_over_one_port_for_each_device() -> None:
    # Its parameter plane has eight ports of 400 Gbit/s a server: 384 in all, which one chassis switch holds.
    box = catalogue().get(Server, "cloudmatrix-384")
    plan = plan_fabric(catalogue(), box, 2)

    assert plan.endpoints == 2 * 384
    assert plan.switch is not None
    assert plan.switch.id == "ce16800"
    assert (plan.shape, plan.leaf_switches, plan.ports_free) == (NetworkShape.SINGLE_SWITCH, 1, 0)


def test_a_ring_of_equal_ports_crosses_one_switch_in_a_scalable_unit() -> None:
    counts = clos(127 * 8, 64, rails=8)
    assert counts is not None
    leaves = Counter(
        (cable.lower // 32, cable.rail, cable.upper)
        for cable in wire(counts, 8).cables()
        if cable.tier is Tier.HOST_LEAF
    )

    # One leaf for each rail of each unit: traffic of a rail is one hop from the other servers of the unit.
    assert len(leaves) == 4 * 8
