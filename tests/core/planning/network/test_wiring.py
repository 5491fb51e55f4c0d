from __future__ import annotations

from collections import Counter

import pytest

from suanli.planning.network.clos import ClosCounts, clos
from suanli.planning.network.wiring import Tier, Wiring, wire

DESIGNS = [
    # Endpoints and radix, then what is allowed, how ports split, and rails.
    (64, 64, 1.0, 1, 8),
    (80, 64, 1.0, 1, 8),
    (160, 64, 2.0, 1, 8),
    (1016, 64, 1.0, 1, 8),
    (2048, 64, 1 / 1.16, 2, 8),
    (2000, 36, 1.0, 1, 1),
    (8000, 40, 1.5, 1, 8),
]


def network(endpoints: int, radix: int, ratio: float, breakout: int, rails: int) -> tuple[ClosCounts, Wiring]:
    counts = clos(endpoints, radix, ratio, breakout, rails)
    assert counts is not None
    return counts, wire(counts, 8)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_wiring_has_as_many_cables_as_the_counts_say(design: tuple[int, int, float, int, int]) -> None:
    counts, wiring = network(*design)

    assert wiring.count(Tier.HOST_LEAF) == design[0]
    assert wiring.count(Tier.LEAF_SPINE) == counts.leaf_spine_links
    assert wiring.count(Tier.SPINE_CORE) == counts.spine_core_links
    assert sum(1 for _ in wiring.cables()) == design[0] + counts.links


def test_a_port_of_a_server_goes_to_the_leaf_of_its_rail() -> None:
    _, wiring = network(1016, 64, 1.0, 1, 8)

    for cable in wiring.cables():
        if cable.tier is Tier.HOST_LEAF:
            assert cable.upper == cable.lower // 32 * 8 + cable.lower_port
            assert cable.rail == cable.lower_port


def test_rails_that_share_a_leaf_are_whole() -> None:
    _, wiring = network(80, 64, 1.0, 1, 8)
    leaf_of_rail: dict[int, set[int]] = {}
    for cable in wiring.cables():
        if cable.tier is Tier.HOST_LEAF:
            leaf_of_rail.setdefault(cable.rail, set()).add(cable.upper)

    assert sorted(leaf_of_rail) == list(range(8))
    assert all(len(leaves) == 1 for leaves in leaf_of_rail.values())


def test_ports_of_a_server_share_a_leaf_of_a_plain_fat_tree() -> None:
    _, wiring = network(1016, 64, 1.0, 1, 1)
    leaves: dict[int, set[int]] = {}
    for cable in wiring.cables():
        if cable.tier is Tier.HOST_LEAF:
            leaves.setdefault(cable.lower, set()).add(cable.upper)

    assert all(len(found) == 1 for found in leaves.values())


def test_every_leaf_has_equally_many_links_to_each_spine() -> None:
    counts, wiring = network(1016, 64, 1.0, 1, 8)
    pairs = Counter((cable.lower, cable.upper) for cable in wiring.cables() if cable.tier is Tier.LEAF_SPINE)

    assert len(pairs) == counts.leaf * counts.spine
    assert set(pairs.values()) == {counts.up // counts.spine}


def test_a_spine_sends_up_as_many_cables_as_come_up_to_it() -> None:
    _, wiring = network(8000, 40, 1.5, 1, 8)
    below = Counter(cable.upper for cable in wiring.cables() if cable.tier is Tier.LEAF_SPINE)
    above = Counter(cable.lower for cable in wiring.cables() if cable.tier is Tier.SPINE_CORE)

    assert below == above


def test_leaves_of_a_pod_reach_the_spines_of_that_pod_only() -> None:
    counts, wiring = network(8000, 40, 1.5, 1, 8)
    leaves, spines = -(-counts.leaf // counts.pods), counts.spine // counts.pods

    for cable in wiring.cables():
        if cable.tier is Tier.LEAF_SPINE:
            assert cable.lower // leaves == cable.upper // spines
