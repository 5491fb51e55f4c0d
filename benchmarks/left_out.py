"""What the page on validation says of runs: errors seen, left out, with hidden layouts, after a pilot run."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suanli.calibration.fitting import Fitting
from suanli.calibration.runs import Run
from suanli.validation.options import Evidence
from suanli.validation.scoring import LONG_SEQUENCE
from suanli.validation.settling import settle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from suanli.calibration.outcome import Calibrated
    from suanli.estimation.arrays import BoolArray, FloatArray, LayoutArrays

__all__ = [
    "SLICES",
    "Errors",
    "Hidden",
    "best_of_sweeps",
    "errors_of",
    "hidden_layouts",
    "pilots",
]

SLICES: Mapping[str, Callable[[Run], str]] = {
    "vendor": lambda run: run.problem.device.accelerator.vendor,
    "task": lambda run: run.problem.workload.task.value,
    "model": lambda run: "dense" if run.problem.architecture.moe is None else "mixture of experts",
    "sequence": lambda run: (
        f"{LONG_SEQUENCE:,} and longer"
        if run.problem.workload.sequence_length >= LONG_SEQUENCE
        else f"below {LONG_SEQUENCE:,}"
    ),
    "evidence": lambda run: run.posed.evidence.value,
    "accelerator": lambda run: run.problem.device.accelerator.id,
    "stack": lambda run: run.stack,
    "source": lambda run: run.posed.record.source.family or "–",
}
"""By what runs are told apart."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Median and P90 of |e|, and the median of e, with e = predicted/measured − 1."""

    n: int
    median: float
    p90: float
    bias: float

    def __str__(self) -> str:
        """Return median and P90 in %."""
        return f"{self.median * 100:.1f} / {self.p90 * 100:.0f}" if self.n else "–"


def errors_of(logs: FloatArray) -> Errors:
    """Return the statistics of residuals ln(predicted/measured)."""
    if not len(logs):
        return Errors(0, np.nan, np.nan, np.nan)
    errors = np.expm1(logs)
    size = np.abs(errors)
    return Errors(len(logs), float(np.median(size)), float(np.quantile(size, 0.9)), float(np.median(errors)))


@dataclass(frozen=True, slots=True)
class Hidden:
    """Runs with a stated layout, which was hidden and searched."""

    rows: BoolArray
    """Clean runs with a stated layout for which the search finds one."""
    in_sample: FloatArray
    """ln(predicted/measured) with the searched layout, by the fit on all runs."""
    by_group: FloatArray
    """The same with the constants of a fit without the run's group."""


def hidden_layouts(found: Calibrated) -> Hidden:
    """Hide every stated layout, search it anew, and predict the rate of what is found."""
    fitting, coordinates = found.fitting, found.solution.coordinates
    searched: list[Run] = []
    rows = np.zeros(len(fitting.runs), dtype=np.bool_)
    for index, (run, problem) in enumerate(zip(fitting.runs, fitting.problems(coordinates), strict=True)):
        stated = run.posed.evidence is not Evidence.LAYOUT_UNKNOWN and run.trap is None
        layouts = settle(run.posed, problem, hidden=True) if stated else None
        rows[index] = layouts is not None
        searched.append(_with_layouts(run, layouts))
    other = Fitting(tuple(searched))
    return Hidden(rows, other.residuals(coordinates), _without_groups(found, other))


def _with_layouts(run: Run, layouts: LayoutArrays | None) -> Run:
    kept = run.layouts if layouts is None else layouts
    return Run(run.posed, run.problem, kept, run.measured, run.group, run.trap)


def _without_groups(found: Calibrated, other: Fitting, steps: int = 2) -> FloatArray:
    """Return residuals of other layouts by constants fitted on the stated ones without the run's group."""
    fitting, start = found.fitting, found.solution.coordinates
    base, jacobian = fitting.residuals(start), fitting.jacobian(start)
    labels, result = np.array(fitting.groups), np.empty(len(fitting.runs))
    for label in sorted(set(fitting.groups)):
        inside = labels == label
        coordinates, residuals = start, base
        for _ in range(steps):
            coordinates = fitting.step(coordinates, residuals, jacobian, fitting.clean & ~inside)
            residuals = fitting.residuals(coordinates)
        result[inside] = other.residuals(coordinates)[inside]
    return result


def best_of_sweeps(runs: Sequence[Run], rows: BoolArray) -> BoolArray:
    """Keep the fastest of runs that differ in layout and batch alone: a sweep publishes bad ones as well."""
    sweeps: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for index in np.flatnonzero(rows):
        run = runs[int(index)]
        work = run.problem.workload
        key = (run.group, run.stack, run.posed.devices, work.precision, work.sequence_length)
        sweeps[key].append(int(index))
    kept = np.zeros(len(runs), dtype=np.bool_)
    for each in sweeps.values():
        kept[max(each, key=lambda index: runs[index].measured)] = True
    return kept


def pilots(
    runs: Sequence[Run], logs: FloatArray, rows: BoolArray, *, same_model: bool
) -> tuple[FloatArray, FloatArray]:
    """Return residuals before, and errors after another run of the device and stack moves the rate.

    Runs that could have had no pilot are left out of both.

    Args:
        runs: runs.
        logs: residuals without own runs of the client.
        rows: runs that count.
        same_model: the pilot is of the same group, or of any other group.
    """
    before: list[float] = []
    after: list[float] = []
    chosen = [int(index) for index in np.flatnonzero(rows)]
    for one in chosen:
        mates = [
            other
            for other in chosen
            if other != one
            and (runs[other].family, runs[other].stack) == (runs[one].family, runs[one].stack)
            and (runs[other].group == runs[one].group) is same_model
        ]
        if mates:
            before.append(float(logs[one]))
            # The median over pilots: what to expect of an arbitrary one.
            after.append(float(np.median(np.abs(np.expm1(logs[one] - logs[mates])))))
    return np.array(before), np.log1p(np.array(after))
