from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import host
from tests.factories import requirement, sizing

from suanli.domain.catalogue import Catalogue
from suanli.domain.workload import ClusterWish, ReliabilityWish, Requirement
from suanli.estimation.goodput import DEFAULT_FAILURES, FailureModel, goodput
from suanli.planning.availability import plan_availability, published_rates, rate_per_1000_device_days
from suanli.planning.availability_results import AvailabilityPlan, LossKind
from suanli.planning.spares import plan_spares

if TYPE_CHECKING:
    from suanli.estimation.results import Sizing

DAY_S = 86_400.0


def run(nodes: int, days: float = 54.0, failures: FailureModel = DEFAULT_FAILURES) -> Sizing:
    """Return a sizing whose goodput is computed, of so many days without interruptions."""
    base = sizing(nodes)
    point = goodput(base.accelerators, days * DAY_S, 405e9, failures)
    profile = replace(base.profile, trainable_parameters=405_000_000_000)
    duration = base.duration_s.scaled(days * DAY_S / point.share / base.duration_s.p50)
    return replace(base, goodput=point, ideal_s=days * DAY_S, duration_s=duration, profile=profile)


def planned(
    one: Sizing, spares: int | None = None, need: Requirement | None = None, known: Catalogue | None = None
) -> AvailabilityPlan:
    stated = need or requirement()
    wish, repair = ClusterWish(spare_nodes=spares), stated.reliability.repair_s
    spare_plan = plan_spares(one.goodput, wish, one.device.server.accelerator_count, one.nodes, repair)
    return plan_availability(one, spare_plan, stated, known or host().catalogue)


def test_llama_3_saw_419_unexpected_interruptions_in_54_days() -> None:
    # 466 interruptions in 54 days on 16,384 devices, 47 of them planned (Llama Team, 2024, section 3.3.4).
    plan = planned(run(2048, days=54 * 0.9))

    assert plan.per_1000_device_days == pytest.approx(0.474)
    assert plan.interruptions.p50 == pytest.approx(466 - 47, rel=0.01)
    assert plan.interruptions.p10 < 419 < plan.interruptions.p90
    # The square root of 419, times 1.28 for each end of an 80 % interval.
    assert plan.interruptions.p90 - plan.interruptions.p10 == pytest.approx(2 * 1.2816 * 419**0.5, rel=0.05)


def test_causes_are_split_as_the_published_run_counts_them() -> None:
    plan = planned(run(2048))
    causes = dict(plan.causes)

    assert sum(causes.values()) == pytest.approx(plan.interruptions.p50)
    assert causes["device"] / plan.interruptions.p50 == pytest.approx(268 / 419)
    assert causes["network"] / plan.interruptions.p50 == pytest.approx(42 / 419)
    assert plan.causes_source == "common-llama-3-paper"


def test_without_records_there_are_no_causes_and_no_published_rates() -> None:
    plan = planned(run(64), known=Catalogue())

    assert (plan.causes, plan.causes_source, plan.rates) == ((), "", ())


def test_published_rates_are_read_from_rates_and_from_times_between_failures() -> None:
    rates = published_rates(host().catalogue)
    found = {(rate.record, round(rate.per_1000_device_days, 2)) for rate in rates}

    # 7.9 h for jobs of 1,024 devices and 1.8 h for 16,384 (Kokolis et al., 2025).
    assert found >= {
        ("llama-3-405b", 0.47),
        ("opt-175b", 1.8),
        ("meta-research-clusters", 2.97),
        ("meta-research-clusters", 0.81),
    }
    values = [rate.per_1000_device_days for rate in rates]
    assert values == sorted(values)


def test_the_rate_planned_with_is_marked_among_the_published_ones() -> None:
    plan = planned(run(64))

    assert [outcome.published.record for outcome in plan.rates if outcome.used] == ["llama-3-405b"]
    used = next(outcome for outcome in plan.rates if outcome.used)
    assert used.duration_s == pytest.approx(plan.duration_s.p50)
    assert used.spares == plan.spares.count


def test_a_higher_published_rate_means_less_goodput_and_more_spares() -> None:
    outcomes = planned(run(256)).rates

    shares, spares = [one.share for one in outcomes], [one.spares for one in outcomes]
    assert shares == sorted(shares, reverse=True)
    assert spares == sorted(spares)


def test_losses_and_progress_make_up_the_wall_clock_time() -> None:
    one = run(256)
    plan = planned(one, spares=1)

    lost = sum(loss.time_s for loss in plan.losses)
    assert lost + one.ideal_s == pytest.approx(plan.adjusted_s.p50)
    assert sum(loss.share for loss in plan.losses) == pytest.approx(1 - one.ideal_s / plan.adjusted_s.p50)
    assert 1 - plan.waiting_share == pytest.approx(plan.duration_s.p50 / plan.adjusted_s.p50)


def test_each_spare_saves_time_and_the_next_one_less() -> None:
    effects = planned(run(256), spares=4).effects

    assert [effect.spares for effect in effects] == list(range(7))
    saved = [effect.saved_s for effect in effects if effect.saved_s is not None]
    assert all(time > 0 for time in saved)
    assert saved == sorted(saved, reverse=True)
    assert effects[4].duration_s == pytest.approx(planned(run(256), spares=4).adjusted_s.p50)


def test_without_spares_the_run_waits_for_every_repair() -> None:
    plan = planned(run(64), spares=0)
    loss = next(loss for loss in plan.losses if loss.kind is LossKind.REPAIR)

    mean = plan.spares.under_repair
    assert loss.share == pytest.approx(mean / (1 + mean))


def test_youngs_interval_is_near_dalys_where_writing_is_short() -> None:
    interval = planned(run(64)).interval

    assert interval is not None
    assert interval.young_s == pytest.approx(interval.daly_s, rel=0.01)
    assert interval.daly_wall <= interval.young_wall
    assert interval.young_wall - interval.daly_wall < 1e-4


def test_asynchronous_checkpoints_have_neither_interval() -> None:
    failures = replace(DEFAULT_FAILURES, checkpoint_write_s=5.0, background_write_s=300.0)

    assert planned(run(64, failures=failures)).interval is None


def test_a_stated_repair_time_decides_what_is_under_repair() -> None:
    need = replace(requirement(), reliability=ReliabilityWish(repair_s=DAY_S))

    assert planned(run(64), need=need).spares.under_repair == pytest.approx(
        planned(run(64)).spares.under_repair / 3
    )


def test_a_larger_cluster_fails_in_proportion() -> None:
    plan = planned(run(64))
    own = next(size for size in plan.sizes if size.accelerators == 512)
    double = next(size for size in plan.sizes if size.accelerators == 1024)

    assert own.mtbf_s == pytest.approx(plan.mtbf_s)
    assert double.mtbf_s == pytest.approx(plan.mtbf_s / 2)
    assert double.share < own.share


def test_a_rate_and_a_time_between_failures_are_the_same_fact() -> None:
    assert rate_per_1000_device_days(1.8 * 3600, 16_384) == pytest.approx(0.8138, abs=1e-4)
