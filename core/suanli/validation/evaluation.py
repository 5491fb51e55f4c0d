"""From records to scored runs: who may score, what was predicted, what the null models say."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from suanli.validation.nulls import constant_null, median_null, null_keys
from suanli.validation.records import Metric, selected, truth
from suanli.validation.results import Prediction
from suanli.validation.scoring import Scored, Summary, summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.validation.records import RunRecord

__all__ = ["END_TO_END", "MFU", "Evaluation", "Predictor", "evaluate"]

END_TO_END: Final = "throughput_end_to_end_only"
"""Use of a record that states the rate over a whole run only, evaluation and checkpoints included."""
MFU: Final = "mfu_only"
"""Use of a record that states a utilisation and no rate."""

_NOT_PREDICTED: Final = "the predictor gave no answer"


class Predictor(Protocol):
    """Predicts a metric of runs; answers are joined by id."""

    def __call__(
        self, records: Sequence[RunRecord], catalogue: Catalogue, metric: str, /
    ) -> Sequence[Prediction]:
        """Return one prediction for each record."""
        ...


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything about one metric."""

    metric: Metric
    runs: tuple[Scored, ...]
    """Runs that may score it, in the order of the records."""
    summary: Summary
    apart: Mapping[str, tuple[Scored, ...]]
    """Runs that state a related value only, by use; they count nowhere else."""
    unstated: tuple[str, ...]
    """Ids of records that say they may score the metric, and state no value of it."""


def evaluate(
    records: Sequence[RunRecord],
    catalogue: Catalogue,
    metric: Metric,
    predict: Predictor,
    traps: Mapping[str, str] = MappingProxyType({}),
) -> Evaluation:
    """Predict the runs that may score a metric, and score them.

    Args:
        records: published runs.
        catalogue: records of the plugins.
        metric: what is compared.
        predict: the predictor.
        traps: why a record is known to mislead, by id; such records count, and figures without them too.
    """
    chosen = selected(records, metric)
    measured = {record.id: value for record in chosen if (value := truth(record, metric)) is not None}
    stated = [record for record in chosen if record.id in measured]
    related = _related(records) if metric is Metric.THROUGHPUT else {}
    beside = [record for group in related.values() for record, _ in group]
    asked = [*stated, *(record for record in beside if record.id not in measured)]
    answers = {record.id: _unanswered(record.id) for record in asked}
    found = predict(asked, catalogue, metric.value) if asked else ()
    answers |= {answer.id: replace(answer, trap=answer.trap or traps.get(answer.id)) for answer in found}
    runs = _score(stated, measured, answers, metric)
    return Evaluation(
        metric=metric,
        runs=runs,
        summary=summarise(runs, metric.value),
        apart={use: _score_apart(group, answers, use) for use, group in related.items()},
        unstated=tuple(record.id for record in chosen if record.id not in measured),
    )


def _related(records: Sequence[RunRecord]) -> dict[str, list[tuple[RunRecord, float | None]]]:
    """Return the records reported apart, with the value that they state, by use."""
    return {
        END_TO_END: [
            (record, record.extra.end_to_end_tokens_per_s_per_accelerator)
            for record in records
            if record.use.throughput_end_to_end_only is True
        ],
        MFU: [(record, record.measured.mfu) for record in records if record.use.mfu_only is True],
    }


def _score(
    records: Sequence[RunRecord],
    measured: Mapping[str, float],
    answers: Mapping[str, Prediction],
    metric: Metric,
) -> tuple[Scored, ...]:
    """Score runs and let the null models learn from them."""
    values = np.asarray([measured[record.id] for record in records], dtype=np.float64)
    basis = np.asarray([_basis(answers[record.id]) for record in records], dtype=np.float64)
    groups = [record.group for record in records]
    null = median_null(values, basis, groups, [null_keys(record) for record in records])
    constant = constant_null(values, basis, groups)
    return tuple(
        _scored(record, metric.value, float(value), answers[record.id], float(by_key), float(by_one))
        for record, value, by_key, by_one in zip(records, values, null, constant, strict=True)
    )


def _unanswered(record_id: str) -> Prediction:
    """Return the answer for a record that the predictor has left out."""
    return Prediction(record_id, None, None, None, _NOT_PREDICTED, "", None, None)


def _basis(answer: Prediction) -> float:
    return math.nan if answer.null_basis is None or answer.null_basis <= 0 else answer.null_basis


def _scored(  # noqa: PLR0913, PLR0917 - one run, its truth and its predictions
    record: RunRecord,
    metric: str,
    measured: float,
    answer: Prediction,
    null: float = math.nan,
    constant: float = math.nan,
) -> Scored:
    return Scored(
        id=record.id,
        metric=metric,
        measured=measured,
        predicted=answer.predicted,
        p10=answer.p10,
        p90=answer.p90,
        error=_error(answer.predicted, measured),
        null_error=_error(null, measured),
        constant_error=_error(constant, measured),
        skipped=None if answer.predicted is not None else answer.skipped or _NOT_PREDICTED,
        vendor=record.vendor,
        accelerator=record.accelerator,
        task=record.task,
        family=record.model.family,
        source=record.source.family,
        precision=record.precision,
        sequence_length=record.sequence_length,
        evidence=answer.evidence or None,
        group=record.group,
        trap=answer.trap,
    )


def _error(predicted: float | None, measured: float) -> float | None:
    return None if predicted is None or math.isnan(predicted) else predicted / measured - 1


def _score_apart(
    group: Sequence[tuple[RunRecord, float | None]], answers: Mapping[str, Prediction], use: str
) -> tuple[Scored, ...]:
    """Score runs that state a related value: an end-to-end rate as it is, an MFU by the basis of the rate."""
    found: list[Scored] = []
    for record, value in group:
        answer = answers.get(record.id, _unanswered(record.id))
        if value is not None and value > 0:
            found.append(_scored(record, use, value, _as_mfu(answer) if use == MFU else answer))
    return tuple(found)


def _as_mfu(answer: Prediction) -> Prediction:
    """Return a predicted rate as a share of the peak.

    Equation:
        MFU = rate / (P / F) with P / F, the basis, the dense peak over the model FLOPs of a token
    """
    basis = _basis(answer)
    if math.isnan(basis):
        return replace(answer, predicted=None, p10=None, p90=None)

    share = [None if one is None else one / basis for one in (answer.predicted, answer.p10, answer.p90)]
    return replace(answer, predicted=share[0], p10=share[1], p90=share[2])
