"""Predictions of published runs: every record has one or a reason, and none knows who it is."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.validation.test_posing import catalogue, posed, runs

from suanli.estimation.ranges import rate_ratio
from suanli.estimation.step_time import step_arrays
from suanli.validation.predict import predict_runs
from suanli.validation.records import Metric, RunRecord, selected, truth
from suanli.validation.settling import problem_of, settle

if TYPE_CHECKING:
    from suanli.validation.results import Prediction

NO_SHAPE = "the shape of the model is not stated: layers and hidden size are needed"


@cache
def predictions(metric: Metric) -> dict[str, Prediction]:
    """Return the predictions of every record, whether it may score or not."""
    found = predict_runs(runs(), catalogue(), metric.value)
    assert [one.id for one in found] == [record.id for record in runs()]
    return {one.id: one for one in found}


def record(**changes: Any) -> RunRecord:  # noqa: ANN401 - fields of a record
    return posed(**changes).record


def one(given: RunRecord, metric: Metric = Metric.THROUGHPUT) -> Prediction:
    (found,) = predict_runs([given], catalogue(), metric.value)
    return found


def nameless(given: RunRecord) -> RunRecord:
    """Return a record that does not say who or what it is."""
    source = replace(given.source, title=None, where=None, path_or_url=None, reliability=None)
    model = replace(given.model, name="no name", params_source=None)
    return replace(given, id="x", split_group="y", source=source, model=model, notes=None, as_reported=None)


@pytest.mark.parametrize("metric", Metric)
def test_every_record_is_predicted_or_has_a_reason(metric: Metric) -> None:
    for name, found in predictions(metric).items():
        if found.predicted is None:
            assert found.skipped, name
            assert (found.p10, found.p90) == (None, None)
        else:
            assert found.skipped is None, name
            assert found.p10 is not None
            assert found.p90 is not None
            assert 0 < found.p10 <= found.predicted <= found.p90 < math.inf, name
            assert found.null_basis is not None
            assert found.null_basis > 0


def test_what_may_score_throughput_and_memory_is_predicted() -> None:
    for metric in (Metric.THROUGHPUT, Metric.MEMORY):
        reasons = Counter(
            predictions(metric)[given.id].skipped
            for given in selected(runs(), metric)
            if predictions(metric)[given.id].predicted is None
        )
        assert set(reasons) <= {"no plugin has the device Gaudi2", NO_SHAPE}
        assert reasons.total() <= 4


def test_only_devices_and_shapes_that_nobody_has_are_without_a_rate() -> None:
    reasons = Counter(one.skipped for one in predictions(Metric.THROUGHPUT).values() if one.skipped)
    assert reasons == {"no plugin has the device Gaudi2": 4, NO_SHAPE: 7}


@pytest.mark.parametrize("metric", Metric)
def test_predictions_depend_on_neither_ids_nor_names(metric: Metric) -> None:
    renamed = predict_runs([nameless(given) for given in runs()], catalogue(), metric.value)
    for given, other in zip(runs(), renamed, strict=True):
        assert replace(other, id=given.id) == predictions(metric)[given.id]


def test_predictions_know_no_measured_rate() -> None:
    given = selected(runs(), Metric.THROUGHPUT)[::9]
    blind = [
        replace(
            one,
            measured=replace(
                one.measured,
                tokens_per_s_per_accelerator=None,
                step_time_s=None,
                tflops_per_accelerator=None,
                mfu=None,
                hfu=None,
                peak_memory_gb=None,
            ),
            derived=replace(one.derived, tokens_per_s_per_accelerator=None, step_time_s=None),
        )
        for one in given
    ]
    found = predict_runs(blind, catalogue(), Metric.THROUGHPUT.value)
    assert found == [predictions(Metric.THROUGHPUT)[one.id] for one in given]


def test_one_record_is_predicted_as_it_is_among_others() -> None:
    for given in runs()[::40]:
        assert one(given) == predictions(Metric.THROUGHPUT)[given.id]


def test_the_rate_is_tokens_of_a_step_over_its_time_and_devices() -> None:
    run = posed()
    problem = problem_of(run)
    assert problem is not None
    layouts = settle(run, problem)
    assert layouts is not None
    step_s = float(step_arrays(problem, layouts).total_s.ravel()[0])
    rate = 128 * 8192 / step_s / 64
    ratio = rate_ratio(problem, evidence="layout-known")
    found = one(run.record)
    assert (found.p10, found.predicted, found.p90) == pytest.approx(
        (rate * ratio.p10, rate * ratio.p50, rate * ratio.p90)
    )
    # The null model predicts k times peak over the FLOPs of a token: H100 989.4 TFLOPS, about 6.9e10 a token.
    assert found.null_basis == pytest.approx(989.4e12 / problem.profile.flops_per_token, rel=0.01)


def test_a_package_of_two_dies_has_twice_the_rate_of_a_die() -> None:
    layout = {"tp": 4, "pp": 2, "dp": 8, "cp": 1}
    die = record(accelerator="Ascend-910C-die", num_accelerators=64, parallel=layout)
    package = record(
        accelerator="Ascend-910C@Atlas-900-A3-SuperPoD",
        num_accelerators=32,
        accelerators_per_node=8,
        parallel=layout,
    )
    rates = [one(given) for given in (die, package)]
    assert rates[0].predicted is not None
    assert rates[1].predicted is not None
    # The two differ in nothing but the server that is taken for them.
    assert rates[1].predicted == pytest.approx(2 * rates[0].predicted, rel=0.1)


def test_the_less_is_stated_the_wider_is_the_range() -> None:
    unknown = {"tp": None, "pp": None, "dp": None, "cp": None}
    given = [record(), record(micro_batch=None, recompute=None), record(parallel=unknown, micro_batch=None)]
    found = [one(each) for each in given]
    assert [each.evidence for each in found] == ["layout-known", "options-unknown", "layout-unknown"]
    widths = [(each.p90 or 0) / (each.p10 or 1) for each in found]
    assert widths[0] < min(widths[1:])


def test_run_totals_are_tokens_over_the_rate_and_the_share_of_time_in_steps() -> None:
    given = record(measured={"total_tokens": 1e12})
    rate, hours = one(given), one(given, Metric.RUN_TOTALS)
    assert rate.predicted is not None
    assert hours.predicted == pytest.approx(1e12 / (rate.predicted * 0.68) / 3600)
    assert hours.p10 == pytest.approx(1e12 / ((rate.p90 or 0) * 0.87) / 3600)
    assert hours.p90 == pytest.approx(1e12 / ((rate.p10 or 0) * 0.48) / 3600)
    assert one(record(), Metric.RUN_TOTALS).skipped == "the tokens of the run are not stated"


def test_energy_is_hours_times_watts_within_the_stated_scope() -> None:
    measured = {"accelerator_hours": 1e5}
    devices = record(measured=measured, extra={"power_scope": "GPU only"})
    servers = record(measured=measured, extra={"power_scope": "whole servers"})
    found = one(devices, Metric.ENERGY)
    # 1e5 hours at 90 % of 700 W.
    assert found.predicted == pytest.approx(1e5 * 0.9 * 700 / 1e6)
    whole = one(servers, Metric.ENERGY)
    assert whole.predicted is not None
    assert found.predicted is not None
    assert whole.predicted > found.predicted
    assert one(record(), Metric.ENERGY).skipped == "the tokens of the run are not stated"


def test_memory_rises_with_the_micro_batch() -> None:
    peaks = [one(record(micro_batch=size), Metric.MEMORY).predicted for size in (1, 2, 4)]
    assert all(peak is not None for peak in peaks)
    assert peaks == sorted(peaks, key=lambda peak: peak or 0)
    assert len(set(peaks)) == 3


def test_runs_that_the_constants_were_fitted_on_are_predicted_as_the_fit_did() -> None:
    table = [given for given in selected(runs(), Metric.THROUGHPUT) if given.source.family == "llm_foundry"]
    errors = sorted(
        abs((predictions(Metric.THROUGHPUT)[given.id].predicted or 0) / measured - 1)
        for given in table
        if (measured := truth(given, Metric.THROUGHPUT)) is not None
    )
    assert len(errors) > 50
    assert errors[len(errors) // 2] < 0.03
