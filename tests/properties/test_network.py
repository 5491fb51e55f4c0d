"""Properties of the network that hold for any number of servers, radix, rails and oversubscription."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.core.planning.network.test_link_options import priced

from suanli.planning.network.cabling import Hall, count_cables
from suanli.planning.network.clos import ClosCounts, clos
from suanli.planning.network.link_options import mark_cheapest
from suanli.planning.network.results import CableClass
from suanli.planning.network.wiring import Tier, wire

servers = st.integers(2, 3000)
radixes = st.sampled_from([32, 36, 40, 48, 64, 128, 144, 768])
ratios = st.sampled_from([1 / 1.16, 1.0, 1.5, 2.0, 3.0, 4.0])
breakouts = st.sampled_from([1, 2, 4])
rails = st.sampled_from([1, 8])


def network(count: int, radix: int, ratio: float, breakout: int, rail: int) -> ClosCounts:
    counts = clos(8 * count, radix, ratio, breakout, rail)
    assume(counts is not None)
    assert counts is not None
    return counts


@given(count=servers, radix=radixes, ratio=ratios, breakout=breakouts, rail=rails)
@settings(max_examples=150, deadline=None)
def test_every_port_is_connected_once(count: int, radix: int, ratio: float, breakout: int, rail: int) -> None:
    counts = network(count, radix, ratio, breakout, rail)
    lowest = wire(counts, 8).runs[0]
    ends = {"server": [(lowest.lower * 8 + lowest.lower_port)], "leaf": [], "spine": [], "core": []}
    places = {Tier.HOST_LEAF: ("", "leaf"), Tier.LEAF_SPINE: ("leaf", "spine")}
    places[Tier.SPINE_CORE] = ("spine", "core")
    split: list[int] = []
    for run in wire(counts, 8).runs:
        lower, upper = places[run.tier]
        assert int(run.upper_port.max()) < radix
        assert int(run.lane.max()) < breakout
        port = run.upper * radix + run.upper_port
        if run.tier is Tier.HOST_LEAF:
            # Lanes of a split port are told apart; the port itself is used once.
            split.append(len(np.unique(port * breakout + run.lane)) - len(port))
            port = np.unique(port)
        ends[upper].append(port)
        if lower:
            assert int(run.lower_port.max()) < radix
            ends[lower].append(run.lower * radix + run.lower_port)

    assert split == [0]
    used = 0
    for kind, found in ends.items():
        if found:
            ports = np.concatenate(found)
            assert len(np.unique(ports)) == len(ports)
            used += 0 if kind == "server" else len(ports)
    assert len(ends["server"][0]) == 8 * count
    assert used == counts.ports_used
    assert counts.ports_free == counts.switches * radix - used
    assert counts.ports_free >= 0


@given(count=servers, radix=radixes, ratio=ratios, rail=rails)
@settings(max_examples=200, deadline=None)
def test_doubling_the_servers_never_lowers_the_switches(
    count: int, radix: int, ratio: float, rail: int
) -> None:
    single = network(count, radix, ratio, 1, rail)
    double = network(2 * count, radix, ratio, 1, rail)

    assert double.switches >= single.switches
    assert double.links >= single.links


@given(leaves=st.integers(2, 36), radix=st.sampled_from([36, 48, 64, 144]), ratio=ratios, breakout=breakouts)
@settings(deadline=None)
def test_the_uplinks_of_full_leaves_carry_what_the_oversubscription_states(
    leaves: int, radix: int, ratio: float, breakout: int
) -> None:
    one = clos(10 * radix * breakout, radix, ratio, breakout)
    assert one is not None
    counts = clos(leaves * one.down * breakout, radix, ratio, breakout)
    assume(counts is not None and counts.tiers == 2)
    assert counts is not None
    # Rates in units of an endpoint: a port between switches carries as many as share one to hosts.
    hosts, up = sum(counts.leaf_endpoints), counts.leaf_spine_links * breakout

    assert hosts / up == pytest.approx(counts.down / counts.up)
    assert counts.down / counts.up <= ratio + 1e-9


@given(count=servers, ratio=ratios, per_rack=st.integers(1, 8), breakout=breakouts, rail=rails)
@settings(max_examples=100, deadline=None)
def test_classes_hold_every_cable_once_and_modules_pair_up(
    count: int, ratio: float, per_rack: int, breakout: int, rail: int
) -> None:
    counts = network(count, 64, ratio, breakout, rail)
    wiring = wire(counts, 8)
    found = count_cables(wiring, counts, Hall(per_rack))

    for run in wiring.runs:
        assert sum(one.cables for one in found if one.tier is run.tier) == len(run)
    for one in found:
        if one.kind is CableClass.COPPER:
            assert one.host_modules == one.switch_modules == 0
        elif one.tier is not Tier.HOST_LEAF:
            assert one.switch_modules == 2 * one.cables
        else:
            assert one.host_modules == one.cables
            assert one.switch_modules * breakout >= one.cables


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([12.5e9, 25e9, 50e9]),
            st.one_of(st.none(), st.integers(1, 100)),
            st.booleans(),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_the_cheapest_keeps_the_limit_and_nothing_that_keeps_it_is_cheaper(
    rows: list[tuple[float, int | None, bool]],
) -> None:
    options = tuple(
        priced(f"link-{number}", rate, amount, meets=meets)
        for number, (rate, amount, meets) in enumerate(rows)
    )
    marked = [one for one in mark_cheapest(options) if one.cheapest]
    meeting = [one for one in options if one.meets]

    assert len(marked) == min(1, len(meeting))
    if marked and all(one.cost for one in meeting):
        assert marked[0].cost is not None
        assert all(one.cost is not None and marked[0].cost.amount <= one.cost.amount for one in meeting)
    elif marked:
        assert all(marked[0].port_bytes_per_s <= one.port_bytes_per_s for one in meeting)
