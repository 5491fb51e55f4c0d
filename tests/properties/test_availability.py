"""Properties of checkpoints, spares and storage that hold for any cluster."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories import goodput, requirement, sizing

from suanli.domain.workload import StorageWish
from suanli.estimation.goodput import daly_interval_s, wall_per_progress, young_interval_s
from suanli.planning.counting import erlang_loss, poisson_cdf
from suanli.planning.spares import paying_spares, waiting_share, wall_factor
from suanli.planning.storage import plan_storage

loads = st.floats(0.001, 200)


@given(
    write=st.floats(1, 600),
    factor=st.floats(0.2, 5).filter(lambda ratio: abs(ratio - 1) > 0.01),
    mtbf=st.floats(1e3, 1e7),
)
def test_youngs_interval_loses_least_by_the_first_order_formula(
    write: float, factor: float, mtbf: float
) -> None:
    best = young_interval_s(write, mtbf)

    def lost(interval: float) -> float:
        return write / interval + interval / (2 * mtbf)

    assert lost(best) < lost(factor * best)


@given(
    ratio=st.floats(1e-6, 0.2),
    factor=st.floats(0.3, 3).filter(lambda one: abs(one - 1) > 0.15),
    restart=st.floats(0, 3600),
)
def test_dalys_interval_loses_least_by_the_complete_formula(
    ratio: float, factor: float, restart: float
) -> None:
    mtbf = 36_000.0
    write = ratio * mtbf
    best = daly_interval_s(write, mtbf)

    least = wall_per_progress(best, write, restart, mtbf)
    assert least <= wall_per_progress(factor * best, write, restart, mtbf)
    assert least <= wall_per_progress(young_interval_s(write, mtbf), write, restart, mtbf) * (1 + 1e-12)


@given(load=loads, spares=st.integers(0, 300))
def test_another_spare_never_lowers_availability_and_saves_less_than_the_last(
    load: float, spares: int
) -> None:
    none, one, two = (waiting_share(spares + more, load) for more in (0, 1, 2))

    assert 0 <= two <= one <= none < 1
    assert wall_factor(spares + 1, load) <= wall_factor(spares, load)


@given(load=loads, places=st.integers(0, 300))
def test_the_loss_formula_is_the_truncated_poisson_distribution(load: float, places: int) -> None:
    below = poisson_cdf(load, places)
    at = below - poisson_cdf(load, places - 1)

    # Where the cumulative probability is tiny, the difference of two of them has no digits left.
    if below > 1e-6 and at > 1e-9:
        assert abs(erlang_loss(places, load) - at / below) < 1e-5


@given(load=loads, units=st.integers(1, 4096))
@settings(max_examples=60, deadline=None)
def test_spares_pay_until_one_more_saves_less_than_a_unit_at_work(load: float, units: int) -> None:
    count = paying_spares(load, units)
    next_one = 1 - wall_factor(count + 1, load) / wall_factor(count, load)

    assert next_one <= 1 / units
    if count:
        assert 1 - wall_factor(count, load) / wall_factor(count - 1, load) > 1 / units


@given(
    nodes=st.integers(5, 512),
    checkpoint=st.floats(1e9, 2e13),
    source=st.floats(1e9, 5e15),
    kept=st.integers(1, 20),
    stall=st.floats(5, 600),
)
@settings(max_examples=60, deadline=None)
def test_storage_holds_everything_and_meets_every_demand(
    nodes: int, checkpoint: float, source: float, kept: int, stall: float
) -> None:
    wish = StorageWish(source_data_bytes=source, checkpoints_kept=kept)
    point = replace(goodput(checkpoint_bytes=checkpoint), checkpoint_write_s=stall)
    plan = plan_storage(replace(sizing(nodes), goodput=point), replace(requirement(), storage=wish), spares=1)

    assert plan.capacity_bytes >= plan.stored_bytes >= source + (kept + plan.milestones) * checkpoint
    for tier in plan.tiers:
        stored = sum(volume.stored_bytes for volume in plan.volumes if volume.tier is tier.kind)
        assert tier.usable_bytes >= stored
        assert tier.given_write_bytes_per_s >= tier.write_bytes_per_s
        assert tier.given_read_bytes_per_s >= tier.read_bytes_per_s
        for demand in plan.demands:
            if demand.tier is tier.kind and demand.sizing:
                given_rate = tier.given_write_bytes_per_s if demand.write else tier.given_read_bytes_per_s
                assert given_rate >= demand.bytes_per_s
