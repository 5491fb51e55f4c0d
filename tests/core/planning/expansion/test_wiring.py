"""What of a network serves its larger successor, by networks that can be counted on paper."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.factories import accelerator, catalogue, link, server, switch

from suanli.planning.expansion.results import Kind, Pod, Wiring
from suanli.planning.expansion.wiring import built_out, changes, kept_links, wiring_of
from suanli.planning.network.fabric import plan_fabric


def plain(leaf: int, spine: int, hosts: int, *, copper: bool = False) -> Wiring:
    """Return a two-tier network of switches of 64 ports, half of them up; one switch where no spine."""
    up = 32 if spine else 0
    return Wiring(2 if spine else 1, (Pod(leaf, spine),), 0, 64, 64 - up, up, hosts, copper=copper)


def moved(before: Wiring, after: Wiring) -> dict[str, tuple[int, int, int, int]]:
    return {
        one.kind.value: (one.kept, one.moved, one.added, one.discarded)
        for one in changes(before, after, (1, 2))
    }


def test_doubling_the_spines_moves_half_of_the_links_of_the_old_leaves() -> None:
    # 16 leaves with 32 links to 8 spines, 4 for each pair; with 16 spines 2 for each pair.
    found = moved(plain(16, 8, 512), plain(32, 16, 1024))

    assert found["leaf-spine-links"] == (256, 256, 512, 0)
    assert found["host-cables"] == (512, 0, 512, 0)
    assert found["spine"] == (8, 0, 8, 0)


def test_leaves_under_standing_spines_move_nothing() -> None:
    found = moved(plain(16, 16, 512), plain(32, 16, 1024))

    assert found["leaf-spine-links"] == (512, 0, 512, 0)


def test_a_single_switch_that_becomes_a_leaf_gives_up_half_of_its_hosts() -> None:
    found = moved(plain(1, 0, 64), plain(4, 2, 128))

    assert found["host-cables"] == (32, 32, 64, 0)
    assert found["leaf"] == (1, 0, 3, 0)
    assert found["leaf-spine-links"] == (0, 0, 128, 0)


def test_copper_that_must_move_is_thrown_away() -> None:
    found = moved(plain(1, 0, 64, copper=True), plain(4, 2, 128))

    assert found["host-cables"] == (32, 0, 96, 32)


def test_a_pod_of_three_tiers_keeps_half_of_the_links_of_spines_that_turn_ports_to_the_core() -> None:
    # 32 leaves with 2 links to each of 16 spines; in a pod of 32 leaves and 32 spines one link a pair.
    after = Wiring(3, (Pod(32, 32), Pod(32, 32), Pod(32, 32)), 48, 64, 32, 32, 3072)
    found = moved(plain(32, 16, 1024), after)

    assert found["leaf-spine-links"] == (512, 512, 2048, 0)
    assert found["core"] == (0, 0, 48, 0)


def test_links_to_a_core_that_doubles_move_by_half() -> None:
    before = Wiring(3, (Pod(32, 32),) * 3, 48, 64, 32, 32, 3072)
    after = Wiring(3, (Pod(32, 32),) * 6, 96, 64, 32, 32, 6144)
    found = moved(before, after)

    assert found["leaf-spine-links"] == (3072, 0, 3072, 0)
    assert found["spine-core-links"] == (1536, 1536, 3072, 0)


def test_rails_that_shared_a_leaf_part_when_servers_come() -> None:
    # 10 servers of 8 ports: three leaves with 3, 3 and 2 rails; 20 servers: a leaf for each rail.
    records = catalogue(link(), switch(), accelerator())
    before = wiring_of(plan_fabric(records, server(), 10))
    after = wiring_of(plan_fabric(records, server(), 20))

    assert before is not None
    assert after is not None
    assert (before.leaf, before.rails) == (3, (3, 3, 2))
    assert (after.leaf, after.rails) == (8, (1,) * 8)
    assert moved(before, after)["host-cables"] == (30, 50, 80, 0)


def test_a_network_built_out_begins_only_the_pods_that_it_needs() -> None:
    target = Wiring(3, (Pod(32, 32),) * 3, 48, 64, 32, 32, 3072)
    today = built_out(target, 1200)

    assert today.pods == (Pod(32, 32), Pod(6, 32))
    assert (today.core, today.leaf_spine_links) == (48, 38 * 32)


def test_an_unknown_network_has_no_wiring() -> None:
    unknown = plan_fabric(catalogue(link()), server(), 32)

    assert wiring_of(unknown) is None


def test_a_single_server_has_no_switches_and_no_cables() -> None:
    alone = wiring_of(plan_fabric(catalogue(link(), switch()), server(), 1))

    assert alone is not None
    assert (alone.tiers, alone.switches, alone.host_cables, alone.ports_free) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("pairs", "before", "after", "kept"),
    [
        (512, Fraction(2), Fraction(1), 512),
        (512, Fraction(1), Fraction(2), 512),
        (10, Fraction(1), Fraction(1, 3), 3),
    ],
)
def test_the_smaller_share_of_a_pair_stays(pairs: int, before: Fraction, after: Fraction, kept: int) -> None:
    assert kept_links(pairs, before, after) == kept


def test_every_kind_is_told_once() -> None:
    found = changes(plain(1, 0, 64), plain(4, 2, 128), (8, 16))

    assert [one.kind for one in found] == list(Kind)
    assert (found[0].before, found[0].after) == (8, 16)
