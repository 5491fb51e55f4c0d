"""Chooses the runs of a folder that a calibration rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suanli.calibration.runs import Run, runs_of, without_fits
from suanli.domain.naming import resolve_accelerator
from suanli.domain.vendor import Calibration
from suanli.errors import Fault, InputError
from suanli.validation.predict import predict_runs
from suanli.validation.records import read_runs, selected, truth
from suanli.validation.schema import Metric
from suanli.validation.traps import read_traps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from suanli.domain.catalogue import Catalogue
    from suanli.estimation.arrays import FloatArray
    from suanli.validation.schema import RunRecord

__all__ = ["Selection", "measured_runs"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Runs to fit on."""

    runs: tuple[Run, ...]
    memory: FloatArray
    """ln(measured/predicted) of peak memory of the clean runs that state it."""
    family: str | None
    """The only device family whose constants may move; None for all constants."""


def measured_runs(folder: Path, catalogue: Catalogue, accelerator: str | None = None) -> Selection:
    """Return the runs of a folder that score throughput.

    All constants start from the plugins' own, as if there were no fit. Those of one device start from what is
    loaded, and nothing else moves.

    Raises:
        InputError: the folder cannot be read, the accelerator is unknown, or no run can be fitted on.
    """
    records, traps = read_runs(folder), read_traps(folder)
    family = None if accelerator is None else _family(catalogue, accelerator)
    start = without_fits(catalogue) if family is None else catalogue
    runs = runs_of(records, start, traps)
    if family is not None:
        runs = tuple(run for run in runs if run.family == family)
    if all(run.trap is not None for run in runs):
        what = "of any device that the plugins have" if family is None else f"of {accelerator} or its family"
        why = 'a run counts where its "use" says throughput: true, it states a rate, and it is no trap'
        raise InputError(Fault(f"holds no measured run {what}", where=str(folder), key="FOLDER", why=why))
    return Selection(runs, _memory_logs(records, traps, start), family)


def _memory_logs(records: Sequence[RunRecord], traps: Mapping[str, str], catalogue: Catalogue) -> FloatArray:
    """Return ln(measured/predicted) of peak memory of the clean records that state and score it."""
    measured = {
        record.id: value
        for record in selected(records, Metric.MEMORY)
        if record.id not in traps and (value := truth(record, Metric.MEMORY)) is not None
    }
    stated = [record for record in records if record.id in measured]
    answers = predict_runs(stated, catalogue, Metric.MEMORY.value)
    return np.array(
        [
            math.log(measured[answer.id] / answer.predicted)
            for answer in answers
            if answer.predicted is not None
        ]
    )


def _family(catalogue: Catalogue, name: str) -> str:
    """Return the family whose constants an accelerator takes: its own id where it stands alone."""
    accelerator = resolve_accelerator(catalogue, name, key="--accelerator")
    own = next((one for one in catalogue.all(Calibration) if one.accelerator == accelerator.id), None)
    return (own.family if own is not None else "") or accelerator.id
