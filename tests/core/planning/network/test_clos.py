from __future__ import annotations

import pytest

from suanli.planning.network.clos import clos, plane_counts


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


def test_uplinks_to_spare_leave_fewer_ports_for_hosts() -> None:
    spare = clos(1024, 64, oversubscription=1 / 1.16)

    assert spare is not None
    assert (spare.down, spare.up) == (29, 35)


@pytest.mark.parametrize("arguments", [(0, 64), (8, 1), (8, 64, 0.0), (8, 64, 1.0, 0), (8, 64, 1.0, 1, 0)])
def test_senseless_networks_are_refused(arguments: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no network"):
        clos(*arguments)


def test_a_leaf_without_a_port_for_hosts_is_no_network() -> None:
    assert clos(100, 8, oversubscription=0.05) is None


@pytest.mark.parametrize(
    ("servers", "leaves", "held"),
    [
        # Eight rails on leaves of 32 ports: three rails fit beside each other, then one, then groups.
        (10, 3, (30, 30, 20)),
        (32, 8, (32,) * 8),
        (40, 16, (32,) * 8 + (8,) * 8),
    ],
)
def test_rails_share_a_leaf_whole_or_have_one_each(servers: int, leaves: int, held: tuple[int, ...]) -> None:
    counts = clos(8 * servers, 64, rails=8)

    assert counts is not None
    assert counts.leaf == leaves
    assert counts.leaf_endpoints == held


def test_even_spines_add_no_more_than_half() -> None:
    # 40 leaves with 35 uplinks need 22 spines of 64 ports; 35, the next divisor, would add more than half.
    counts = clos(2048, 64, 1 / 1.16, 2, 8)

    assert counts is not None
    assert (counts.leaf, counts.spine) == (40, 22)


def test_planes_have_one_switch_for_each_port_of_a_server() -> None:
    assert plane_counts(48, 56, 48) == (56, 2688)
    with pytest.raises(ValueError, match="49 servers"):
        plane_counts(49, 56, 48)
