"""Properties of growth that hold for any network: nothing is reused that is not there, nothing gets lost."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.factories import accelerator, catalogue, link, server, switch

from suanli.planning.expansion.results import Change, Kind, Wiring
from suanli.planning.expansion.wiring import built_out, changes, filled, kept_links, wiring_of
from suanli.planning.network.fabric import plan_fabric

if TYPE_CHECKING:
    from suanli.planning.results import FabricPlan

radixes = st.sampled_from([8, 16, 32, 40, 64, 128])
sizes = st.integers(2, 600)
ratios = st.sampled_from([1.0, 2.0, 3.0])
vendors = st.sampled_from(["nvidia", "ascend"])


def fabric(servers: int, radix: int, ratio: float, vendor: str) -> FabricPlan:
    records = catalogue(link(), switch(vendor=vendor, ports=radix), accelerator())
    return plan_fabric(records, server(vendor=vendor), servers, ratio)


def wirings(servers: int, factor: int, radix: int, ratio: float, vendor: str) -> tuple[Wiring, Wiring]:
    small = wiring_of(fabric(servers, radix, ratio, vendor))
    large = wiring_of(fabric(servers * factor, radix, ratio, vendor))
    assume(small is not None)
    assume(large is not None)
    assert small is not None
    assert large is not None
    return small, large


def grown(small: Wiring, large: Wiring, servers: int, factor: int) -> dict[Kind, Change]:
    return {change.kind: change for change in changes(small, large, (servers, servers * factor))}


@given(servers=sizes, radix=radixes, ratio=ratios, vendor=vendors)
@settings(max_examples=150, deadline=None)
def test_the_wiring_has_the_counts_of_the_planned_network(
    servers: int, radix: int, ratio: float, vendor: str
) -> None:
    planned = fabric(servers, radix, ratio, vendor)
    wiring = wiring_of(planned)
    assume(wiring is not None)
    assert wiring is not None

    assert (wiring.leaf, wiring.spine, wiring.core) == (
        planned.leaf_switches,
        planned.spine_switches,
        planned.core_switches,
    )
    assert wiring.leaf_spine_links + wiring.spine_core_links == planned.fabric_cables
    assert wiring.host_cables == planned.host_cables == 8 * servers


@given(servers=sizes, factor=st.integers(1, 6), radix=radixes, ratio=ratios, vendor=vendors)
@settings(max_examples=300, deadline=None)
def test_nothing_is_reused_that_is_not_there_and_nothing_gets_lost(
    servers: int, factor: int, radix: int, ratio: float, vendor: str
) -> None:
    small, large = wirings(servers, factor, radix, ratio, vendor)
    found = grown(small, large, servers, factor)

    assert all(min(one.kept, one.moved, one.added, one.discarded) >= 0 for one in found.values())
    stated = {
        Kind.SERVERS: (servers, servers * factor),
        Kind.LEAF: (small.leaf, large.leaf),
        Kind.SPINE: (small.spine, large.spine),
        Kind.CORE: (small.core, large.core),
        Kind.HOST_CABLES: (small.host_cables, large.host_cables),
        Kind.LEAF_SPINE_LINKS: (small.leaf_spine_links, large.leaf_spine_links),
        Kind.SPINE_CORE_LINKS: (small.spine_core_links, large.spine_core_links),
    }
    assert {kind: (one.before, one.after) for kind, one in found.items()} == stated


@given(servers=sizes, radix=radixes, ratio=ratios, vendor=vendors)
@settings(max_examples=150, deadline=None)
def test_a_cluster_that_stays_as_it_is_moves_and_throws_away_nothing(
    servers: int, radix: int, ratio: float, vendor: str
) -> None:
    small, large = wirings(servers, 1, radix, ratio, vendor)
    found = grown(small, large, servers, 1).values()

    assert sum(one.moved + one.added + one.discarded for one in found) == 0


@given(servers=sizes, radix=radixes, ratio=ratios, vendor=vendors)
@settings(max_examples=200, deadline=None)
def test_doubling_never_lowers_what_is_reused_and_added(
    servers: int, radix: int, ratio: float, vendor: str
) -> None:
    small, large = wirings(servers, 2, radix, ratio, vendor)
    found = grown(small, large, servers, 2)

    cables = (Kind.HOST_CABLES, Kind.LEAF_SPINE_LINKS, Kind.SPINE_CORE_LINKS)
    assert all(found[kind].after >= found[kind].before for kind in (*cables, Kind.SERVERS))
    assert large.switches >= small.switches


@given(servers=sizes, factor=st.integers(2, 6), radix=radixes, ratio=ratios, vendor=vendors)
@settings(max_examples=300, deadline=None)
def test_a_network_whose_spines_stand_from_today_grows_without_moving_a_cable(
    servers: int, factor: int, radix: int, ratio: float, vendor: str
) -> None:
    small, large = wirings(servers, factor, radix, ratio, vendor)
    today = built_out(large, small.host_cables)
    found = grown(today, large, servers, factor).values()

    assert sum(one.moved + one.discarded for one in found) == 0
    assert today.leaf <= large.leaf
    assert today.ports_free >= 0
    assert today.leaf * today.down * today.split >= today.host_cables


@given(
    pairs=st.integers(0, 10_000),
    before=st.fractions(Fraction(0), Fraction(64)),
    after=st.fractions(Fraction(0), Fraction(64)),
)
def test_no_more_links_stay_than_the_pairs_have_before_or_after(
    pairs: int, before: Fraction, after: Fraction
) -> None:
    kept = kept_links(pairs, before, after)

    assert 0 <= kept <= pairs * min(before, after) < kept + 1


@given(total=st.integers(0, 5_000), groups=st.integers(1, 64))
def test_groups_that_are_filled_in_order_hold_everything(total: int, groups: int) -> None:
    found = filled(total, groups)

    assert sum(found) == total
    assert len(found) <= groups
    assert list(found) == sorted(found, reverse=True)
