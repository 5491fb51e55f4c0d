"""Pilot runs move the rates of the device that they were made on, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.estimation.estimation_cases import ascend, h100, model, problem, requirement, workload

from suanli.domain.workload import Measured, SolveFor
from suanli.estimation.pilot import concerns, pilot_ratio, recentred
from suanli.estimation.results import Range, Sizing
from suanli.estimation.sizing import size

SHAPE, JOB = model("llama-2-7b"), workload(tokens=1e11)


def run(
    rate: float, accelerator: str = "h100-sxm", stack: str = "", accelerators: int | None = 8
) -> Measured:
    return Measured(accelerator, stack, rate, accelerators=accelerators)


def sized(*runs: Measured, tuned: bool = True) -> Sizing:
    wanted = requirement(SHAPE, replace(JOB, tuned=tuned), SolveFor.DAYS, 64)
    found = size(h100(), replace(wanted, measured=runs))
    assert isinstance(found, Sizing)
    return found


def raw_rate() -> float:
    """Return what the model predicts for eight devices before any band."""
    ratio = pilot_ratio(problem(h100(), SHAPE, JOB), [run(1000.0)])
    assert ratio is not None
    return 1000.0 / ratio


def test_a_run_at_the_predicted_rate_gives_a_ratio_of_one() -> None:
    assert pilot_ratio(problem(h100(), SHAPE, JOB), [run(raw_rate())]) == pytest.approx(1.0)


def test_several_runs_give_their_geometric_mean() -> None:
    rate = raw_rate()
    ratio = pilot_ratio(problem(h100(), SHAPE, JOB), [run(0.5 * rate), run(2 * rate)])
    assert ratio == pytest.approx(1.0)


def test_a_slower_run_lengthens_the_whole_range_in_proportion() -> None:
    rate = raw_rate()
    fast, slow = sized(run(rate)), sized(run(0.8 * rate))
    assert slow.pilot_ratio == pytest.approx(0.8)
    assert slow.tokens_per_s_per_accelerator.p50 == pytest.approx(0.8 * fast.tokens_per_s_per_accelerator.p50)
    for end in ("p10", "p50", "p90"):
        assert getattr(slow.duration_s, end) == pytest.approx(getattr(fast.duration_s, end) / 0.8, rel=0.01)


def test_the_width_of_the_band_stays() -> None:
    plain, moved = sized(), sized(run(0.6 * raw_rate()))
    before, after = plain.duration_s, moved.duration_s
    assert after.p90 / after.p10 == pytest.approx(before.p90 / before.p10)
    assert plain.pilot_ratio is None


def test_a_measured_team_is_not_slowed_again() -> None:
    moved = sized(run(raw_rate()), tuned=False)
    assert moved.untuned_duration_s == moved.duration_s.p50
    assert moved.tokens_per_s_per_accelerator.p50 == pytest.approx(
        sized(run(raw_rate())).tokens_per_s_per_accelerator.p50
    )


def test_a_run_without_a_number_of_accelerators_counts_as_one_server() -> None:
    posed = problem(h100(), SHAPE, JOB)
    assert pilot_ratio(posed, [run(1000.0, accelerators=None)]) == pilot_ratio(posed, [run(1000.0)])


@pytest.mark.parametrize(
    ("one", "speaks"),
    [
        (run(1.0), True),
        (run(1.0, stack="megatron-core"), True),
        (run(1.0, stack="nemo-24.07"), False),
        (run(1.0, accelerator="h20"), False),
    ],
)
def test_only_runs_of_the_same_accelerator_and_stack_count(one: Measured, *, speaks: bool) -> None:
    assert concerns(one, h100()) is speaks
    assert (pilot_ratio(problem(h100(), SHAPE, JOB), [one]) is not None) is speaks


def test_a_run_that_the_model_finds_too_large_gives_no_ratio() -> None:
    posed = problem(h100(), model("llama-2-70b"), workload(tokens=1e11))
    assert pilot_ratio(posed, [run(100.0, accelerators=8)]) is None


def test_another_device_keeps_its_rates() -> None:
    wanted = requirement(SHAPE, JOB, SolveFor.DAYS, 64)
    plain, beside = size(ascend(), wanted), size(ascend(), replace(wanted, measured=(run(100.0),)))
    assert plain == beside


def test_no_ratio_leaves_the_band() -> None:
    band = Range(0.8, 1.0, 1.2)
    assert recentred(band, None) is band
