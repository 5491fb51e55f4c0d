from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.estimation.estimation_cases import (
    LLAMA2_7B,
    device,
    h100,
    model,
    plain_device,
    problem,
    workload,
)

from suanli.estimation.evaluate import quantile_s
from suanli.estimation.ranges import LEVELS, UNTUNED_FACTOR, combine, rate_range, rate_ratio
from suanli.estimation.results import Range


def test_levels_are_combined_by_the_wider_end_never_by_multiplying() -> None:
    found = combine([Range(0.84, 0.99, 1.13), Range(0.9, 1.0, 1.3)])
    assert (found.p10, found.p90) == (0.84, 1.3)
    assert found.p50 == 1.0


def test_a_known_layout_keeps_the_calibrated_band() -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload())
    assert rate_ratio(posed, layout_known=True) == Range(0.84, 1.0, 1.19)


@pytest.mark.parametrize("level", list(LEVELS), ids=str)
def test_every_level_is_ordered_and_skewed_or_shifted(level: str) -> None:
    band = LEVELS[level]
    assert band.p10 < band.p50 < band.p90
    assert band.p10 < 1 < band.p90


def test_routed_experts_borrowed_calibrations_and_long_contexts_widen() -> None:
    base = rate_ratio(problem(h100(), model("llama-3-70b"), workload()))
    routed = rate_ratio(problem(h100(), model("deepseek-v3"), workload()))
    long = rate_ratio(problem(h100(), model("llama-3-70b"), workload(sequence_length=32768)))
    sibling = rate_ratio(
        problem(device("h800-sxm", "inspur-nf5688g7", "megatron-core"), model("llama-3-70b"), workload())
    )
    assert routed.p10 < base.p10
    assert long.p90 > base.p90
    assert sibling.p10 < base.p10


def test_a_team_that_starts_with_a_tuned_stack_is_slower() -> None:
    job = workload()
    tuned = rate_ratio(problem(h100(), LLAMA2_7B, job))
    untuned = rate_ratio(problem(h100(), LLAMA2_7B, replace(job, tuned=False)))
    assert untuned == tuned.scaled(UNTUNED_FACTOR)


def test_a_stack_calibrated_on_untuned_runs_is_not_slowed_twice() -> None:
    job = replace(workload(), tuned=False)
    untuned = rate_ratio(problem(h100("huggingface-deepspeed"), LLAMA2_7B, job))
    assert untuned.p10 > UNTUNED_FACTOR * 0.9


def test_a_range_of_rates_scales_with_the_prediction() -> None:
    assert rate_range(200.0, Range(0.8, 1.0, 1.2)) == Range(160.0, 200.0, 240.0)


@pytest.mark.parametrize(("probability", "expected"), [(0.1, 80.0), (0.5, 100.0), (0.9, 130.0)])
def test_the_quantile_of_a_duration_passes_through_its_range(probability: float, expected: float) -> None:
    assert quantile_s(Range(80.0, 100.0, 130.0), probability) == pytest.approx(expected)


def test_more_confidence_needs_more_time() -> None:
    times = [quantile_s(Range(80.0, 100.0, 130.0), p) for p in (0.05, 0.3, 0.5, 0.8, 0.95, 0.999)]
    assert times == sorted(times)
