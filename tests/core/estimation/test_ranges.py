from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.core.estimation.estimation_cases import (
    LLAMA2_7B,
    ascend,
    device,
    h100,
    model,
    number,
    plain_device,
    problem,
    shipped,
    workload,
)

from suanli.domain.vendor import Fit, FitScope
from suanli.domain.workload import Task
from suanli.estimation.evaluate import quantile_s
from suanli.estimation.ranges import (
    CLASSES,
    DEFAULT_SCALES,
    UNTUNED_FACTOR,
    classes_of,
    rate_ratio,
)
from suanli.estimation.results import Range


def fit(scope: FitScope) -> Fit:
    return Fit(id=f"fit-{scope.value}", scope=scope, subject="any", constants={}, groups=5)


def test_a_stated_layout_has_the_narrowest_band() -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload())
    stated, options, searched = (
        rate_ratio(posed, evidence=name) for name in ("layout-known", "options-unknown", "layout-unknown")
    )
    assert searched.p10 < options.p10 < stated.p10 < 1 < stated.p90 < options.p90 < searched.p90


def test_the_spread_is_the_product_of_the_classes() -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload())
    scales = DEFAULT_SCALES
    spread = scales["base"] * scales["layout-unknown"] * scales["device-not-calibrated"]
    assert posed.device.shared is None
    assert rate_ratio(posed).p90 == pytest.approx(math.exp(scales["p90"] * spread))


def test_every_class_widens() -> None:
    assert all(DEFAULT_SCALES[name] >= 1 for name in CLASSES)
    assert DEFAULT_SCALES["p10"] < DEFAULT_SCALES["p50"] < DEFAULT_SCALES["p90"]


def test_routed_experts_borrowed_calibrations_and_long_contexts_widen() -> None:
    chip = h100()
    fitted = replace(chip, device_fit=fit(FitScope.DEVICE), stack_fit=fit(FitScope.STACK))
    own = rate_ratio(problem(fitted, model("llama-3-70b"), workload()))
    base = rate_ratio(problem(chip, model("llama-3-70b"), workload()))
    routed = rate_ratio(problem(chip, model("deepseek-v3"), workload()))
    long = rate_ratio(problem(chip, model("llama-3-70b"), workload(sequence_length=32768)))
    relative = device("h800-sxm", "inspur-nf5688g7", "megatron-core")
    sibling = rate_ratio(problem(relative, model("llama-3-70b"), workload()))
    assert routed.p10 < base.p10
    assert long.p90 > base.p90
    # Neither has a fit of its own here, and the worse of device and stack counts once.
    assert sibling == base
    assert base.p10 < own.p10


def test_a_relative_is_predicted_with_a_wider_range_than_what_was_measured() -> None:
    ranges = [
        rate_ratio(problem(shipped(*one, "megatron-core"), model("llama-3-70b"), workload()))
        for one in (("h100-sxm", "dgx-h100"), ("h800-sxm", "inspur-nf5688g7"))
    ]
    assert ranges[1].p10 < ranges[0].p10 < ranges[0].p90 < ranges[1].p90


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
    assert Range(0.8, 1.0, 1.2).scaled(200.0) == Range(160.0, 200.0, 240.0)


@pytest.mark.parametrize(("probability", "expected"), [(0.1, 80.0), (0.5, 100.0), (0.9, 130.0)])
def test_the_quantile_of_a_duration_passes_through_its_range(probability: float, expected: float) -> None:
    assert quantile_s(Range(80.0, 100.0, 130.0), probability) == pytest.approx(expected)


def test_more_confidence_needs_more_time() -> None:
    times = [quantile_s(Range(80.0, 100.0, 130.0), p) for p in (0.05, 0.3, 0.5, 0.8, 0.95, 0.999)]
    assert times == sorted(times)


def scales(**values: float) -> Fit:
    """Return what all share with some scales; names as in the records."""
    named = {name.replace("_", "-"): number(value) for name, value in values.items()}
    return Fit(id="fit-shared", scope=FitScope.SHARED, subject="all", constants={}, scales=named, groups=5)


def test_fitted_scales_replace_the_default_ones_and_the_rest_stays() -> None:
    chip = replace(h100(), device_fit=fit(FitScope.DEVICE), stack_fit=fit(FitScope.STACK))
    found = rate_ratio(
        problem(replace(chip, shared=scales(base=0.05, p10=-2.0)), LLAMA2_7B, workload()),
        evidence="layout-known",
    )
    assert found.p10 == pytest.approx(math.exp(-2.0 * 0.05))
    assert found.p90 == pytest.approx(math.exp(DEFAULT_SCALES["p90"] * 0.05))


@pytest.mark.parametrize("evidence", ["layout-known", "options-unknown", "layout-unknown"])
@pytest.mark.parametrize("name", ["llama-3-70b", "deepseek-v3"])
@pytest.mark.parametrize("sequence_length", [4096, 32768])
def test_the_ends_of_a_range_are_quantiles_times_the_product_of_the_classes(
    evidence: str, name: str, sequence_length: int
) -> None:
    posed = problem(ascend(), model(name), workload(sequence_length=sequence_length))
    classes = {evidence, "vendor-huawei"} & set(CLASSES)
    classes |= {"mixture-of-experts"} if name == "deepseek-v3" else set()
    classes |= {"long-context"} if sequence_length == 32768 else set()
    assert classes_of(posed, evidence) == classes
    spread = DEFAULT_SCALES["base"] * math.prod(DEFAULT_SCALES[one] for one in classes)
    # The device has a calibration and no fit, the stack has no fit: the worse of the two counts.
    spread *= max(DEFAULT_SCALES["device-not-calibrated"], DEFAULT_SCALES["stack-not-calibrated"])
    found = rate_ratio(posed, evidence=evidence)
    assert (found.p10, found.p50, found.p90) == pytest.approx(
        tuple(math.exp(DEFAULT_SCALES[end] * spread) for end in ("p10", "p50", "p90"))
    )
    assert found.p10 < found.p50 < found.p90


@pytest.mark.parametrize(
    ("device_known", "stack_known", "factor"),
    [(True, True, 1.0), (False, True, 1.5), (True, False, 1.3), (False, False, 1.5)],
)
def test_of_a_new_device_and_a_new_stack_the_worse_counts(
    device_known: bool,  # noqa: FBT001 - a column of the table
    stack_known: bool,  # noqa: FBT001
    factor: float,
) -> None:
    chip = replace(
        h100(),
        shared=scales(base=0.1, p90=1.0, device_not_calibrated=1.5, stack_not_calibrated=1.3),
        device_fit=fit(FitScope.DEVICE) if device_known else None,
        stack_fit=fit(FitScope.STACK) if stack_known else None,
    )
    found = rate_ratio(problem(chip, LLAMA2_7B, workload()), evidence="layout-known")
    assert found.p90 == pytest.approx(math.exp(0.1 * factor))


def test_adapters_and_vendors_are_classes_of_their_own() -> None:
    job = workload(task=Task.LORA, lora_rank=16)
    assert classes_of(problem(h100(), LLAMA2_7B, job), "layout-known") == {"adapters"}
    assert classes_of(problem(h100(), LLAMA2_7B, workload()), "layout-known") == frozenset()
    amd = device("mi300x", "smc-as-8125gs-tnmr2", "primus")
    assert classes_of(problem(amd, LLAMA2_7B, workload()), "layout-known") == {"vendor-amd"}
