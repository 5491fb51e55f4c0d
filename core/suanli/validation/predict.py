"""Predicts published runs from their own inputs, with the constants of the loaded plugins.

A run is posed as it states itself, what it leaves open is settled by the search, and the estimate is that of
a sizing. Nothing is looked up by id or by name of a model, and no record is skipped because it fits badly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from suanli.estimation.memory import memory
from suanli.estimation.ranges import memory_ratio, rate_ratio
from suanli.estimation.results import Range
from suanli.estimation.step_time import step_arrays
from suanli.planning.power import server_power
from suanli.validation.posing import Posed, pose_run
from suanli.validation.results import Prediction
from suanli.validation.schema import Metric
from suanli.validation.settling import problem_of, settle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.estimation.arrays import LayoutArrays
    from suanli.estimation.problem import Problem
    from suanli.validation.schema import RunRecord

__all__ = ["predict_runs"]

_WALL_CLOCK_SHARE: Final = Range(0.48, 0.68, 0.87)
"""Share of wall-clock time that predicted steps take in published totals: restarts, evaluation, checkpoints,
and slower software than the vendors' recipes take the rest. P10, P50 and P90 of 22 totals."""
_DEVICE_POWER_SHARE: Final = Range(0.80, 0.90, 0.97)
"""Power of a device in training over its nameplate, metered over whole runs of two sizes (OLMo 3 report,
2025: 621 and 649 of 700 W)."""
_S_PER_H, _W_PER_MW, _BYTES_PER_GB = 3600.0, 1e6, 1e9
_DEVICE_ONLY: Final = re.compile(r"\b(?:gpu|npu|device|accelerator)s?\s+only\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Settled:
    """A run with its problem and layout."""

    posed: Posed
    problem: Problem
    layouts: LayoutArrays

    @property
    def rate(self) -> float:
        """Return the predicted tokens per second of one accelerator as the record counts them."""
        step_s = float(step_arrays(self.problem, self.layouts).total_s.ravel()[0])
        tokens = float(self.layouts.batch_size[0]) * self.posed.workload.sequence_length
        return tokens / step_s / float(self.layouts.devices[0]) * self.posed.devices_per_unit

    @property
    def rates(self) -> Range:
        """Return the range of the rate."""
        return rate_ratio(self.problem, evidence=self.posed.evidence.value).scaled(self.rate)


def _settled(record: RunRecord, catalogue: Catalogue) -> _Settled | str:
    posed = pose_run(record, catalogue)
    if isinstance(posed, str):
        return posed
    problem = problem_of(posed)
    if problem is None:
        return f"{posed.device.accelerator.id} has no peak in {posed.workload.precision.value}"
    layouts = settle(posed, problem)
    if layouts is None:
        return "no layout of the model divides these devices"
    return _Settled(posed, problem, layouts)


def predict_runs(records: Sequence[RunRecord], catalogue: Catalogue, metric: str) -> list[Prediction]:
    """Return one prediction for each record, in order.

    Units: tokens per second and accelerator; GB (1e9 bytes) of the fullest device; MWh; accelerator-hours.
    """
    return [_predict(record, catalogue, Metric(metric)) for record in records]


def _predict(record: RunRecord, catalogue: Catalogue, metric: Metric) -> Prediction:
    run = _settled(record, catalogue)
    if isinstance(run, str):
        return Prediction(record.id, None, None, None, run, "", None, None)
    found = {
        Metric.THROUGHPUT: _throughput,
        Metric.MEMORY: _memory,
        Metric.ENERGY: _energy,
        Metric.RUN_TOTALS: _hours,
    }[metric](record, run)
    evidence = run.posed.evidence.value
    if isinstance(found, str):
        return Prediction(record.id, None, None, None, found, evidence, None, None)
    ends, basis = found
    return Prediction(record.id, ends.p50, ends.p10, ends.p90, None, evidence, basis, None)


def _throughput(_: RunRecord, run: _Settled) -> tuple[Range, float]:
    peak = float(run.problem.constants.peak_flops_per_s) * run.posed.devices_per_unit
    return run.rates, peak / run.problem.profile.flops_per_token


def _memory(_: RunRecord, run: _Settled) -> tuple[Range, float]:
    """Return the peak of the fullest device, and the states alone as the basis of the null model."""
    parts = memory(run.problem, run.layouts)
    total = float(parts.total.ravel()[0]) / _BYTES_PER_GB
    states = float((parts.weights + parts.gradients + parts.optimizer).ravel()[0]) / _BYTES_PER_GB
    return memory_ratio(run.problem).scaled(total), states


def _hours(record: RunRecord, run: _Settled) -> tuple[Range, float] | str:
    """Return accelerator-hours: tokens over the rate over the share of time that steps take."""
    tokens = record.measured.total_tokens
    if tokens is None:
        return "the tokens of the run are not stated"
    rates, share = run.rates, _WALL_CLOCK_SHARE
    hours = Range(
        tokens / (rates.p90 * share.p90) / _S_PER_H,
        tokens / (rates.p50 * share.p50) / _S_PER_H,
        tokens / (rates.p10 * share.p10) / _S_PER_H,
    )
    peak = float(run.problem.constants.peak_flops_per_s) * run.posed.devices_per_unit
    return hours, tokens * run.problem.profile.flops_per_token / peak / _S_PER_H


def _energy(record: RunRecord, run: _Settled) -> tuple[Range, float] | str:
    """Return MWh within the stated scope: accelerator-hours times watts of devices or of servers."""
    hours = _hours(record, run)
    stated = record.measured.accelerator_hours
    if isinstance(hours, str):
        if stated is None:
            return hours
        hours = (Range(stated, stated, stated), stated)
    watts = _watts(record, run)
    if isinstance(watts, str):
        return watts
    energy = Range(
        hours[0].p10 * watts.p10 / _W_PER_MW,
        hours[0].p50 * watts.p50 / _W_PER_MW,
        hours[0].p90 * watts.p90 / _W_PER_MW,
    )
    return energy, hours[1]


def _watts(record: RunRecord, run: _Settled) -> Range | str:
    """Return the power of one accelerator within the scope that the record states."""
    device = run.problem.device
    if _DEVICE_ONLY.search(record.extra.power_scope or ""):
        tdp = device.accelerator.tdp
        return "the power of the device is not known" if tdp is None else _DEVICE_POWER_SHARE.scaled(tdp.si)
    power = server_power(device)
    if power is None:
        return "the power of the server is not known"
    return power.training_w.scaled(1 / device.server.accelerator_count)
