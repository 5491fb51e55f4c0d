from __future__ import annotations

import pytest

from suanli.planning.network.cabling import Hall, cable_class, count_cables
from suanli.planning.network.clos import ClosCounts, clos
from suanli.planning.network.results import CableClass, CableCount
from suanli.planning.network.wiring import Tier, wire


def counted(servers: int, hall: Hall | None, breakout: int = 1) -> tuple[CableCount, ...]:
    counts = counts_of(servers, breakout)
    return count_cables(wire(counts, 8), counts, hall)


def counts_of(servers: int, breakout: int = 1) -> ClosCounts:
    counts = clos(8 * servers, 64, 1.0, breakout, 8)
    assert counts is not None
    return counts


@pytest.mark.parametrize(
    ("length", "in_rack", "kind"),
    [
        (2.0, True, CableClass.COPPER),
        (3.1, True, CableClass.MULTIMODE),
        (2.0, False, CableClass.MULTIMODE),
        (50.0, False, CableClass.MULTIMODE),
        (50.1, False, CableClass.SINGLE_MODE),
    ],
)
def test_copper_stays_in_a_rack_and_long_links_are_single_mode(
    length: float,
    in_rack: bool,  # noqa: FBT001 - a column of the table
    kind: CableClass,
) -> None:
    assert cable_class(length, in_rack=in_rack) is kind


def test_one_rack_is_all_copper_and_needs_no_transceivers() -> None:
    found = counted(10, Hall(10))

    assert {one.kind for one in found} == {CableClass.COPPER}
    assert sum(one.host_modules + one.switch_modules for one in found) == 0


def test_unknown_racks_leave_the_length_open() -> None:
    found = counted(40, None)

    assert {one.kind for one in found} == {CableClass.OPEN}
    assert all(one.longest_m is None for one in found)


@pytest.mark.parametrize("servers", [20, 64, 127, 700])
def test_classes_add_up_to_the_cables_of_each_tier(servers: int) -> None:
    counts = counts_of(servers)
    found = counted(servers, Hall(2))
    of_tier = {tier: sum(one.cables for one in found if one.tier is tier) for tier in Tier}

    assert of_tier[Tier.HOST_LEAF] == 8 * servers
    assert of_tier[Tier.LEAF_SPINE] == counts.leaf_spine_links
    assert of_tier[Tier.SPINE_CORE] == counts.spine_core_links


def test_a_large_hall_needs_single_mode_between_distant_rows() -> None:
    # 2,000 servers, one a rack: 125 rows of 16 racks, 3 m apart.
    kinds = {one.kind for one in counted(2000, Hall(1)) if one.tier is not Tier.HOST_LEAF}

    assert CableClass.SINGLE_MODE in kinds


def test_servers_reach_the_switches_in_the_middle_of_their_row() -> None:
    found = {one.kind: one for one in counted(32, Hall(2)) if one.tier is Tier.HOST_LEAF}
    multimode = found[CableClass.MULTIMODE]

    # Sixteen racks of two fill one row; the network rack stands after the eighth.
    assert list(found) == [CableClass.MULTIMODE]
    assert multimode.longest_m == pytest.approx(8 * 0.6 + 2 * 2.5)


def test_cables_on_one_split_port_share_a_module() -> None:
    (hosts,) = (one for one in counted(32, Hall(2), breakout=2) if one.tier is Tier.HOST_LEAF)

    assert (hosts.cables, hosts.host_modules, hosts.switch_modules) == (256, 256, 128)
