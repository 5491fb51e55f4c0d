"""Published runs as the fit takes them: a problem, a layout, and a measured rate each."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from suanli.domain.catalogue import Catalogue
from suanli.domain.vendor import Fit
from suanli.estimation.arrays import LayoutArrays
from suanli.validation.posing import Posed, pose_run
from suanli.validation.records import truth
from suanli.validation.schema import Metric
from suanli.validation.settling import problem_of, settle

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from suanli.estimation.problem import Problem
    from suanli.validation.schema import RunRecord

__all__ = ["Run", "joined", "resettled", "runs_of", "without_fits"]


@dataclass(frozen=True, slots=True)
class Run:
    """One measured run, posed with the constants that a fit starts from."""

    posed: Posed
    problem: Problem
    layouts: LayoutArrays
    """The layout, as a list of one: stated, or chosen by the search."""
    measured: float
    """Tokens per second and device as software sees it."""
    group: str
    trap: str | None
    """Why it counts neither in the fit nor among the clean figures; None for a clean run."""

    @property
    def family(self) -> str:
        """Return the device family."""
        device = self.problem.device
        return device.calibration.family or device.accelerator.id

    @property
    def stack(self) -> str:
        """Return the stack."""
        return self.problem.device.stack.id


def without_fits(catalogue: Catalogue) -> Catalogue:
    """Return a catalogue without fitted constants, so that a fit starts from the plugins' own."""
    kept = {kind: records for kind, records in catalogue.records.items() if kind != Fit.kind}
    return Catalogue(kept, catalogue.provenance)


def runs_of(records: Iterable[RunRecord], catalogue: Catalogue, traps: Mapping[str, str]) -> tuple[Run, ...]:
    """Return every record that scores throughput and can be posed, in order."""
    found: list[Run] = []
    for record in records:
        measured = truth(record, Metric.THROUGHPUT)
        if record.use.throughput is not True or measured is None:
            continue
        posed = pose_run(record, catalogue)
        problem = None if isinstance(posed, str) else problem_of(posed)
        if isinstance(posed, str) or problem is None:
            continue
        layouts = settle(posed, problem)
        if layouts is None:
            continue
        group = record.split_group or record.id
        rate = measured / posed.devices_per_unit
        found.append(Run(posed, problem, layouts, rate, group, traps.get(record.id)))
    return tuple(found)


def resettled(runs: Sequence[Run], problems: Sequence[Problem]) -> tuple[Run, ...]:
    """Return the runs with unknown layouts chosen anew by other constants."""
    return tuple(
        replace(run, layouts=settle(run.posed, problem) or run.layouts)
        for run, problem in zip(runs, problems, strict=True)
    )


def joined(runs: Sequence[Run]) -> LayoutArrays:
    """Return the layouts of all runs as one list."""
    return LayoutArrays(
        *(np.concatenate([getattr(run.layouts, one.name) for run in runs]) for one in fields(LayoutArrays))
    )
