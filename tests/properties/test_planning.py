"""Properties of the plan that hold for any size of cluster."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from suanli.estimation.results import Range
from suanli.planning.counting import poisson_cover
from suanli.planning.energy import product
from suanli.planning.network.clos import clos
from suanli.planning.power import servers_per_rack

radixes = st.sampled_from([32, 36, 40, 48, 64, 128, 144])
ratios = st.sampled_from([1.0, 1.5, 2.0, 3.0])


@given(endpoints=st.integers(1, 100_000), radix=radixes, ratio=ratios, breakout=st.sampled_from([1, 2, 4]))
@settings(max_examples=300, deadline=None)
def test_every_port_is_connected_once_and_no_switch_is_overfilled(
    endpoints: int, radix: int, ratio: float, breakout: int
) -> None:
    counts = clos(endpoints, radix, ratio, breakout)
    assume(counts is not None)
    assert counts is not None

    assert counts.host_ports * breakout >= endpoints > (counts.host_ports - 1) * breakout
    assert counts.ports_used <= counts.switches * radix
    assert counts.host_ports + counts.leaf_spine_links <= counts.leaf * radix
    assert counts.leaf_spine_links + counts.spine_core_links <= counts.spine * radix
    assert counts.spine_core_links <= counts.core * radix


@given(endpoints=st.integers(1, 60_000), radix=radixes, ratio=ratios)
@settings(max_examples=300, deadline=None)
def test_doubling_the_servers_never_lowers_the_switches(endpoints: int, radix: int, ratio: float) -> None:
    single, double = clos(endpoints, radix, ratio), clos(2 * endpoints, radix, ratio)
    assume(double is not None)
    assert single is not None
    assert double is not None

    assert double.switches >= single.switches
    assert double.tiers >= single.tiers


@given(endpoints=st.integers(2, 60_000), radix=radixes, ratio=ratios)
@settings(max_examples=200, deadline=None)
def test_a_network_is_no_more_oversubscribed_than_allowed(endpoints: int, radix: int, ratio: float) -> None:
    counts = clos(endpoints, radix, ratio)
    assume(counts is not None)
    assert counts is not None
    assume(counts.tiers > 1)

    assert counts.down <= ratio * counts.up + 1e-9
    assert counts.leaf * counts.down >= endpoints


@given(
    server_w=st.floats(500, 200_000),
    rack_w=st.floats(5_000, 200_000),
    units=st.one_of(st.none(), st.floats(1, 48)),
)
def test_a_rack_never_draws_more_than_it_may(server_w: float, rack_w: float, units: float | None) -> None:
    assert servers_per_rack(server_w, rack_w, units) * server_w <= rack_w * (1 + 1e-9)


@given(mean=st.floats(0, 500))
def test_more_failures_never_need_fewer_spares(mean: float) -> None:
    assert poisson_cover(mean + 1, 0.95) >= poisson_cover(mean, 0.95) >= mean - 1


positive = st.floats(0.01, 1e6)
spreads = st.floats(1.0, 3.0)


@given(first=positive, second=positive, low=spreads, high=spreads)
def test_a_product_of_ranges_is_wider_than_either_and_narrower_than_the_product_of_ends(
    first: float, second: float, low: float, high: float
) -> None:
    both = product(Range(first / low, first, first * high), Range(second / low, second, second * high))
    middle = first * second

    assert both.p10 <= middle / low * (1 + 1e-6) + 1e-9
    assert both.p10 >= middle / low**2 * (1 - 1e-6) - 1e-9
    assert middle * high * (1 - 1e-6) - 1e-9 <= both.p90 <= middle * high**2 * (1 + 1e-6) + 1e-9
