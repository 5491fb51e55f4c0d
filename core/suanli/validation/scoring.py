"""Errors of predictions, and their statistics over any selection of runs.

The error of a run is e = predicted / measured − 1, so that +0.1 is a throughput predicted 10 % too fast. The
*absolute* error is |e|. Quantiles interpolate linearly between order statistics.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["LONG_SEQUENCE", "SLICES", "Scored", "Statistics", "Summary", "slices", "statistics", "summarise"]

LONG_SEQUENCE: Final = 32_768
"""Tokens from which a sequence counts as long."""

_UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Scored:
    """One run, its prediction and its errors; values in the metric's unit."""

    id: str
    metric: str
    measured: float
    predicted: float | None = None
    p10: float | None = None
    p90: float | None = None
    error: float | None = None
    """Predicted / measured − 1; None where there is no prediction."""
    null_error: float | None = None
    """The same of the null model by chip, width and class."""
    constant_error: float | None = None
    """The same of the null model with one efficiency for everything."""
    skipped: str | None = None
    """Why there is no prediction."""
    vendor: str | None = None
    accelerator: str | None = None
    task: str | None = None
    family: str | None = None
    """``dense`` or ``moe``."""
    source: str | None = None
    """Source family."""
    precision: str | None = None
    sequence_length: int | None = None
    evidence: str | None = None
    """Evidence level of the range."""
    group: str = ""
    """Split group."""
    trap: str | None = None
    """Why the record is known to mislead."""

    @property
    def covered(self) -> bool | None:
        """Whether the measured value lies within P10 and P90, ends included; None without a range."""
        if self.p10 is None or self.p90 is None:
            return None
        return self.p10 <= self.measured <= self.p90


@dataclass(frozen=True, slots=True)
class Statistics:
    """Errors of a selection of runs; shares from 0 to 1, None where no run can say."""

    n: int
    """Runs with a prediction."""
    groups: int
    """Split groups among them."""
    median: float | None
    """Median of |e|."""
    p90: float | None
    """90th percentile of |e|."""
    mean: float | None
    """Mean of |e| (MAPE)."""
    bias: float | None
    """Mean of e; positive means predicted too high."""
    median_error: float | None
    """Median of e."""
    within_10: float | None
    """Share of runs with |e| ≤ 10 %."""
    within_20: float | None
    """Share of runs with |e| ≤ 20 %."""
    coverage: float | None
    """Share of runs measured within P10 to P90; 0.8 is what the range promises."""
    coverage_by_group: float | None
    """The same with weight 1 for each split group: the mean over groups of the share within the group."""
    null_n: int
    """Runs among the n that the null models predict as well; the null figures are of these."""
    null_median: float | None
    """Median of |e| of the null model by chip, width and class."""
    null_p90: float | None
    """90th percentile of |e| of the null model."""
    constant_median: float | None
    """Median of |e| of one efficiency for everything."""
    constant_p90: float | None
    """90th percentile of |e| of one efficiency for everything."""


def statistics(runs: Iterable[Scored]) -> Statistics:
    """Return the statistics of the runs that have a prediction; the others are left out."""
    predicted = [run for run in runs if run.error is not None]
    errors = _array(run.error for run in predicted)
    null = _array(run.null_error for run in predicted)
    constant = _array(run.constant_error for run in predicted)
    size = np.abs(errors)
    return Statistics(
        n=len(predicted),
        groups=len({run.group for run in predicted}),
        median=_quantile(size, 0.5),
        p90=_quantile(size, 0.9),
        mean=_mean(size),
        bias=_mean(errors),
        median_error=_quantile(errors, 0.5),
        within_10=_mean(size <= _TENTH),
        within_20=_mean(size <= _FIFTH),
        coverage=_mean(np.asarray([run.covered for run in predicted if run.covered is not None])),
        coverage_by_group=_group_coverage(predicted),
        null_n=len(null),
        null_median=_quantile(np.abs(null), 0.5),
        null_p90=_quantile(np.abs(null), 0.9),
        constant_median=_quantile(np.abs(constant), 0.5),
        constant_p90=_quantile(np.abs(constant), 0.9),
    )


_TENTH, _FIFTH = 0.1, 0.2


def _array(values: Iterable[float | None]) -> np.ndarray:
    return np.asarray([value for value in values if value is not None], dtype=np.float64)


def _quantile(values: np.ndarray, share: float) -> float | None:
    return float(np.quantile(values, share)) if values.size else None


def _mean(values: np.ndarray) -> float | None:
    return float(np.mean(values)) if values.size else None


def _group_coverage(runs: Iterable[Scored]) -> float | None:
    """Return the mean over split groups of the share of a group's runs within the range."""
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for run in runs:
        if run.covered is not None:
            groups[run.group].append(run.covered)
    return _mean(np.asarray([np.mean(covered) for covered in groups.values()]))


def _length(run: Scored) -> str:
    if run.sequence_length is None:
        return _UNKNOWN
    return f">= {LONG_SEQUENCE:,}" if run.sequence_length >= LONG_SEQUENCE else f"< {LONG_SEQUENCE:,}"


SLICES: Final[Mapping[str, Callable[[Scored], str | None]]] = {
    "vendor": lambda run: run.vendor,
    "task": lambda run: run.task,
    "family": lambda run: run.family,
    "evidence": lambda run: run.evidence,
    "precision": lambda run: run.precision,
    "sequence length": _length,
    "accelerator": lambda run: run.accelerator,
    "source": lambda run: run.source,
}
"""By what runs are sliced, and the value of a run; None is shown as unknown."""


def slices(runs: Sequence[Scored], value: Callable[[Scored], str | None]) -> dict[str, Statistics]:
    """Return statistics by a value of the runs that have a prediction, the largest slice first."""
    found: defaultdict[str, list[Scored]] = defaultdict(list)
    for run in runs:
        if run.error is not None:
            found[value(run) or _UNKNOWN].append(run)
    order = sorted(found, key=lambda name: (-len(found[name]), name))
    return {name: statistics(found[name]) for name in order}


@dataclass(frozen=True, slots=True)
class Summary:
    """What the predictions of one metric are worth."""

    metric: str
    selected: int
    """Runs that may score the metric and state its value."""
    predicted: int
    skipped: Mapping[str, int]
    """Runs without a prediction, by reason."""
    traps: int
    """Runs with a prediction that are known to mislead."""
    overall: Statistics
    """All runs with a prediction, those that mislead included."""
    without_traps: Statistics
    by: Mapping[str, Mapping[str, Statistics]]
    """Slices by the names of `SLICES`; runs that mislead are included."""


def summarise(runs: Sequence[Scored], metric: str) -> Summary:
    """Return the summary of the runs of one metric."""
    clean = [run for run in runs if run.trap is None]
    overall, without_traps = statistics(runs), statistics(clean)
    return Summary(
        metric=metric,
        selected=len(runs),
        predicted=overall.n,
        skipped=dict(Counter(run.skipped for run in runs if run.skipped is not None).most_common()),
        traps=overall.n - without_traps.n,
        overall=overall,
        without_traps=without_traps,
        by={name: slices(runs, value) for name, value in SLICES.items()},
    )
