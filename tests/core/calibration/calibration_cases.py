"""Measured runs of the repository, whole and in samples that are fitted in a moment."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tests.core.built_in import host

from suanli.calibration.fitting import Fitting, Solution
from suanli.calibration.selection import measured_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.calibration.runs import Run
    from suanli.calibration.selection import Selection
    from suanli.estimation.arrays import FloatArray

RUNS = Path(__file__).resolve().parents[3] / "benchmarks" / "runs"


@cache
def selection() -> Selection:
    """Return the measured runs of the repository, posed with what the plugins start from."""
    return measured_runs(RUNS, host().catalogue)


def of_families(*families: str) -> tuple[Run, ...]:
    """Return the runs of some device families."""
    return tuple(run for run in selection().runs if run.family in families)


@cache
def sample() -> tuple[Run, ...]:
    """Return 40 runs: two families, three stacks, 8, 16 and 4 bit, dense and routed."""
    return of_families("gb200", "gb300")


@cache
def fitted() -> tuple[Fitting, Solution]:
    """Return the fit on the sample."""
    fitting = Fitting(sample())
    return fitting, fitting.solve()


def remeasured(runs: Sequence[Run], factors: FloatArray) -> tuple[Run, ...]:
    """Return runs whose measured rates are multiplied."""
    pairs = zip(runs, factors.tolist(), strict=True)
    return tuple(replace(run, measured=run.measured * factor) for run, factor in pairs)


def measured_at(fitting: Fitting, coordinates: FloatArray) -> tuple[Run, ...]:
    """Return the runs as they would have been measured if some coordinates were the truth."""
    return remeasured(fitting.runs, np.exp(fitting.residuals(coordinates)))
