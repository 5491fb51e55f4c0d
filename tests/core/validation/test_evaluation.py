"""From records to scored runs, with a predictor made for the test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from suanli.domain.catalogue import Catalogue
from suanli.validation.evaluation import END_TO_END, MFU, evaluate
from suanli.validation.records import Metric, RunRecord, record_from
from suanli.validation.results import Prediction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass
class Oracle:
    """Predicts what it was told and remembers what it was asked."""

    values: Mapping[str, float | None]
    basis: float | None = 1000.0
    asked: list[str] = field(default_factory=list[str])

    def __call__(
        self,
        records: Sequence[RunRecord],
        catalogue: Catalogue,  # noqa: ARG002 - the signature of a predictor
        metric: str,
    ) -> list[Prediction]:
        self.asked += [f"{metric}:{record.id}" for record in records]
        return [self.answer(record.id) for record in records if record.id in self.values]

    def answer(self, name: str) -> Prediction:
        value = self.values[name]
        if value is None:
            return Prediction(name, None, None, None, "no such device", "none", None, None)
        return Prediction(name, value, value * 0.8, value * 1.2, None, "layout known", self.basis, None)


def record(name: str, rate: float | None = 100.0, *, use: str = "throughput", **fields: object) -> RunRecord:
    return record_from(
        {
            "id": name,
            "split_group": f"group {name}",
            "use": {use: True},
            "measured": {"tokens_per_s_per_accelerator": rate},
            **fields,
        }
    )


RECORDS = [record("a", 100.0), record("b", 200.0), record("c", 400.0)]


def test_errors_are_relative_to_the_measured_value_and_nulls_come_from_the_other_groups() -> None:
    found = evaluate(RECORDS, Catalogue(), Metric.THROUGHPUT, Oracle({"a": 110.0, "b": 150.0, "c": 400.0}))
    assert [run.error for run in found.runs] == pytest.approx([0.1, -0.25, 0.0])
    # Ratios are 0.1, 0.2, 0.4; the medians of the other two are 0.3, 0.25, 0.15.
    assert [run.null_error for run in found.runs] == pytest.approx([2.0, 0.25, -0.625])
    assert [run.covered for run in found.runs] == [True, False, True]
    assert found.summary.overall.median == pytest.approx(0.1)


def test_a_skipped_run_keeps_its_reason_and_a_forgotten_one_gets_one() -> None:
    found = evaluate(RECORDS, Catalogue(), Metric.THROUGHPUT, Oracle({"a": 110.0, "b": None}))
    assert [run.skipped for run in found.runs] == [None, "no such device", "the predictor gave no answer"]
    assert [run.predicted for run in found.runs] == [110.0, None, None]
    assert (found.summary.selected, found.summary.predicted) == (3, 1)


def test_a_run_without_a_basis_is_scored_without_a_null_model() -> None:
    found = evaluate(RECORDS, Catalogue(), Metric.THROUGHPUT, Oracle({"a": 110.0, "b": 1.0}, basis=None))
    assert found.runs[0].error == pytest.approx(0.1)
    assert found.runs[0].null_error is None
    assert found.summary.overall.null_n == 0


def test_only_records_of_the_metric_are_asked_and_those_without_a_value_are_named() -> None:
    records = [*RECORDS, record("d", None), record("e", use="memory")]
    oracle = Oracle({"a": 1.0})
    found = evaluate(records, Catalogue(), Metric.THROUGHPUT, oracle)
    assert oracle.asked == ["throughput:a", "throughput:b", "throughput:c"]
    assert found.unstated == ("d",)


def test_without_a_record_nobody_is_asked() -> None:
    oracle = Oracle({})
    found = evaluate(RECORDS, Catalogue(), Metric.ENERGY, oracle)
    assert oracle.asked == []
    assert found.runs == ()
    assert found.summary.overall.median is None


def test_end_to_end_rates_and_utilisations_are_scored_apart() -> None:
    apart = [
        record("e", None, use=END_TO_END, extra={"end_to_end_tokens_per_s_per_accelerator": 80.0}),
        record("f", None, use=MFU, measured={"mfu": 0.5}),
        record("g", None, use=MFU, measured={}),
    ]
    oracle = Oracle({"a": 100.0, "b": 200.0, "c": 400.0, "e": 100.0, "f": 400.0})
    found = evaluate([*RECORDS, *apart], Catalogue(), Metric.THROUGHPUT, oracle)
    assert [run.id for run in found.runs] == ["a", "b", "c"]
    (end_to_end,), (utilisation,) = found.apart[END_TO_END], found.apart[MFU]
    assert end_to_end.error == pytest.approx(0.25)
    # 400 tokens/s on a basis of 1,000 tokens/s at full peak are an MFU of 0.4.
    assert utilisation.predicted == pytest.approx(0.4)
    assert utilisation.error == pytest.approx(-0.2)
    assert (utilisation.p10, utilisation.p90) == pytest.approx((0.32, 0.48))


def test_a_utilisation_needs_the_basis() -> None:
    oracle = Oracle({"f": 400.0}, basis=None)
    found = evaluate(
        [record("f", None, use=MFU, measured={"mfu": 0.5})], Catalogue(), Metric.THROUGHPUT, oracle
    )
    (run,) = found.apart[MFU]
    assert run.predicted is None
    assert run.error is None
    assert run.skipped is not None


def test_other_metrics_have_nothing_apart() -> None:
    apart = record("e", None, use=END_TO_END, extra={"end_to_end_tokens_per_s_per_accelerator": 80.0})
    oracle = Oracle({"e": 1.0})
    assert evaluate([apart], Catalogue(), Metric.MEMORY, oracle).apart == {}
    assert oracle.asked == []


def test_what_a_record_says_is_carried_to_the_slices() -> None:
    one = record(
        "a",
        vendor="huawei",
        accelerator="Ascend-910B",
        task="lora",
        precision="bf16",
        sequence_length=4096,
        model={"family": "moe"},
        source={"family": "huawei_modellink"},
    )
    (run,) = evaluate([one], Catalogue(), Metric.THROUGHPUT, Oracle({"a": 1.0})).runs
    assert (run.vendor, run.accelerator, run.task, run.family) == ("huawei", "Ascend-910B", "lora", "moe")
    assert (run.source, run.precision, run.sequence_length) == ("huawei_modellink", "bf16", 4096)
    assert (run.evidence, run.group) == ("layout known", "group a")
