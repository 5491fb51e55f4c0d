"""Published runs with the peak that the memory model gives each; open options are settled here."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
from tests.core.estimation.estimation_cases import catalogue, problem

from suanli.domain.workload import Recompute
from suanli.estimation.arrays import RECOMPUTE_CODES, LayoutArrays
from suanli.estimation.memory import memory, usable_memory
from suanli.estimation.problem import Batch
from suanli.validation.posing import Posed, pose_run
from suanli.validation.records import read_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.estimation.arrays import FloatArray
    from suanli.estimation.problem import Problem
    from suanli.validation.records import RunRecord

__all__ = [
    "UNKNOWN_RECIPES",
    "MemoryRun",
    "errors",
    "errors_without_group",
    "memory_runs",
    "other_constants",
    "throughput_runs",
]

FOLDER: Final = Path(__file__).parents[2] / "benchmarks" / "runs"

UNKNOWN_RECIPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "-v-half": "a schedule that halves activations",
        "-v-min": "a schedule that keeps a third of the activations",
        "-ci-tune-llama": "instruction data of variable length below the stated one",
        "-ci-tune-llama3": "instruction data of variable length below the stated one",
        "-tp2d-": "tensor parallelism in two dimensions",
        "-swap": "activations of attention are swapped to the host",
        "-double-ring": "weights share memory with their 32-bit copies",
        "-32k-": "neither micro-batch nor recomputation are stated",
        "-rtx-a6000": "another optimizer than the same recipe on a smaller card",
    }
)
"""Records whose recipe has no field or is not stated, by a part of their id, with the reason."""

_SHARDING: Final = {"fsdp": 3, "zero": 1, "none": 0}
_LADDER: Final = (0.25, 0.5, 0.75)
_MOST: Final = 0.95
"""Share of usable memory up to which a less costly recomputation is taken where it is not stated."""


@dataclass(frozen=True, slots=True)
class MemoryRun:
    """One run, posed, with its layout and predicted peak."""

    record: RunRecord
    posed: Posed
    problem: Problem
    layouts: LayoutArrays
    """A list of one."""
    peak_bytes: float

    @property
    def error(self) -> float:
        """Return predicted over measured peak less 1."""
        return self.peak_bytes / (1e9 * (self.record.measured.peak_memory_gb or 0.0)) - 1

    @property
    def usable_bytes(self) -> float:
        return usable_memory(self.problem.device.accelerator)[0]

    @property
    def known(self) -> bool:
        """Tell whether the recipe is known."""
        return not any(part in self.record.id for part in UNKNOWN_RECIPES)

    @property
    def recipe(self) -> tuple[str, float, float]:
        """Return what tells recipes apart: the stack, logits and constant."""
        chosen = self.posed.recipe
        return f"{self.posed.device.stack.id} {chosen.name}", chosen.logit_bytes, chosen.constant_bytes


def _problem(posed: Posed) -> Problem:
    made = problem(posed.device, posed.architecture, posed.workload, posed.recipe)
    if posed.device.stack.id != "megatron-2021":
        return made
    return replace(made, constants=replace(made.constants, unfused=np.array(1.0)))


def _recomputations(posed: Posed, stage_layers: int) -> list[tuple[int, float]]:
    """Return the stated recomputation, or the ladder from none to all layers."""
    pins = posed.pins
    if pins.recompute is not None:
        covered = np.inf if pins.recompute_layers is None else pins.recompute_layers
        return [(RECOMPUTE_CODES.index(pins.recompute), covered)]
    full = RECOMPUTE_CODES.index(Recompute.FULL)
    some = [(full, float(max(1, round(share * stage_layers)))) for share in _LADDER]
    return [(0, np.inf), (RECOMPUTE_CODES.index(Recompute.SELECTIVE), np.inf), *some, (full, np.inf)]


def _layouts(posed: Posed) -> LayoutArrays:
    """Return the layout, once for each recomputation that may be; an unknown micro-batch is 1."""
    pins, layers = posed.pins, posed.architecture.layers
    tp, pp, cp, ep = (one or 1 for one in (pins.tp, pins.pp, pins.cp, pins.ep))
    dp, size, v = (
        max(1, posed.devices // (tp * pp * cp)),
        pins.micro_batch_size or 1,
        pins.virtual_pipeline or 1,
    )
    count = posed.micro_batches or max(1, round(posed.workload.global_batch_size / (size * dp)))
    stage = _SHARDING.get(posed.device.stack.sharding, 1) if pins.zero_stage is None else pins.zero_stage
    sequence_parallel = tp > 1 if pins.sequence_parallel is None else pins.sequence_parallel
    rows = [
        (
            tp,
            pp,
            cp,
            dp,
            ep,
            size,
            count,
            v,
            mode,
            covered,
            stage,
            pins.shard_group or np.inf,
            sequence_parallel,
            0,
            1,
        )
        for mode, covered in _recomputations(posed, -(-layers // (pp * v)) * v)
    ]
    return LayoutArrays(*np.array(rows, dtype=np.float64).T)


def _run(record: RunRecord, posed: Posed) -> MemoryRun:
    made, layouts = _problem(posed), _layouts(posed)
    peaks = np.broadcast_to(memory(made, layouts).total, layouts.shape)
    fitting = peaks <= _MOST * usable_memory(made.device.accelerator)[0]
    chosen = int(np.argmax(fitting)) if fitting.any() else len(peaks) - 1
    return MemoryRun(record, posed, made, layouts.take(slice(chosen, chosen + 1)), float(peaks[chosen]))


@cache
def _runs(metric: str) -> tuple[MemoryRun, ...]:
    found: list[MemoryRun] = []
    for record in read_runs(FOLDER):
        posed = pose_run(record, catalogue()) if getattr(record.use, metric) else ""
        if not isinstance(posed, str):
            found.append(_run(record, posed))
    return tuple(found)


def memory_runs() -> tuple[MemoryRun, ...]:
    """Return the runs that state a peak and the shape of their model."""
    return _runs("memory")


def throughput_runs() -> tuple[MemoryRun, ...]:
    """Return the runs that state a rate and tensor and pipeline parallelism."""
    return tuple(run for run in _runs("throughput") if run.posed.evidence != "layout-unknown")


def errors(runs: Sequence[MemoryRun]) -> FloatArray:
    """Return the absolute errors of runs."""
    return np.abs([run.error for run in runs])


_GRID: Final = [
    (float(logits), constant * 1e9)
    for logits in range(17)
    for constant in (0.0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3)
]
_LOGITS, _CONSTANTS = np.array(_GRID).T


def _refitted(taught: list[FloatArray], run: MemoryRun) -> int:
    """Return the constants that fit other groups best; what they leave open keeps the recipe's value."""
    _, logits, constant = run.recipe
    away = 1e-6 * (np.abs(_LOGITS - logits) + np.abs(_CONSTANTS - constant) / 1e9)
    if not taught:
        return int(np.argmin(away))
    return int(np.argmin(np.mean(np.abs(np.log1p(np.array(taught))), axis=0) + away))


def errors_without_group(runs: Sequence[MemoryRun]) -> dict[str, float]:
    """Return the error of each run by id, bytes per logit and constant of its recipe learnt from others.

    They are chosen on a grid by the other groups of the same recipe.
    """
    grids = {run.record.id: other_constants(run, _LOGITS, _CONSTANTS) for run in runs}
    by_recipe: defaultdict[tuple[str, float, float], list[MemoryRun]] = defaultdict(list)
    for run in runs:
        by_recipe[run.recipe].append(run)
    return {
        run.record.id: float(
            grids[run.record.id][
                _refitted([grids[o.record.id] for o in group if o.record.group != run.record.group], run)
            ]
        )
        for group in by_recipe.values()
        for run in group
    }


def other_constants(run: MemoryRun, logit_bytes: FloatArray, constant_bytes: FloatArray) -> FloatArray:
    """Return the errors of a run for other bytes per logit and constants of its recipe."""
    made = run.problem
    numbers = replace(made.recipe_numbers, logit_bytes=logit_bytes, constant_bytes=constant_bytes)
    peaks = memory(Batch(made.model, made.constants, made.shared, numbers), run.layouts).total
    return peaks / (1e9 * (run.record.measured.peak_memory_gb or 0.0)) - 1
