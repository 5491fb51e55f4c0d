"""Pilot runs of the client: what was measured over what the model predicts for the same cluster.

A run of the same accelerator and stack moves the whole band of rates to where it was measured. The width of
the band stays: on published runs a pilot of the same model takes the median error of a stack without runs
from 7.6 to 6.0 % and that of a device without runs from 8.7 to 5.5 %, one of another model neither
(`docs/validation.md`), so a pilot settles the middle and little of the rest.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.workload import LayoutPins
from suanli.estimation.search import Limits, search

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.workload import Measured
    from suanli.estimation.problem import Problem
    from suanli.estimation.results import Device, Range

__all__ = ["concerns", "pilot_ratio", "recentred"]


def concerns(run: Measured, device: Device) -> bool:
    """Tell whether a run speaks of a device: the same accelerator, and the same stack where it names one."""
    return run.accelerator == device.accelerator.id and run.stack in {"", device.stack.id}


def _predicted(problem: Problem, run: Measured) -> float | None:
    """Return the predicted tokens per second of one accelerator on the run's cluster, before any band.

    A run that does not say how many accelerators it had is taken to have had one server.
    """
    accelerators = run.accelerators or problem.device.server.accelerator_count
    found = search(problem, accelerators * problem.dies, Limits(LayoutPins(tp=run.tp, pp=run.pp)))
    if found.layouts is None:
        return None
    working = float(found.layouts.devices[0]) / problem.dies
    return found.tokens_factor * problem.workload.sequence_length / working


def pilot_ratio(problem: Problem, runs: Iterable[Measured]) -> float | None:
    """Return the geometric mean of measured over predicted rates of the runs on a device.

    Equation: exp(mean of ln(r_i / p_i)). r_i: measured, p_i: predicted tokens per second of one accelerator,
    both for the project's model, sequence and batch. None where no run concerns the device, or none fits in
    memory by the model.
    """
    logs = [
        math.log(run.tokens_per_s_per_accelerator / predicted)
        for run in runs
        if concerns(run, problem.device) and (predicted := _predicted(problem, run)) is not None
    ]
    return math.exp(sum(logs) / len(logs)) if logs else None


def recentred(band: Range, ratio: float | None) -> Range:
    """Return a band moved so that its middle is a measured ratio; unchanged where there is none.

    >>> from suanli.estimation.results import Range
    >>> recentred(Range(0.8, 1.0, 1.2), 0.5)
    Range(p10=0.4, p50=0.5, p90=0.6)
    """
    return band if ratio is None else band.scaled(ratio / band.p50)
