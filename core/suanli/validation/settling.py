"""Settles the layout of a published run: as it states, and what it leaves open by the search.

The search is that of a sizing, with what is stated pinned: the fastest layout that fits. A run that was made
fits, whatever the memory model says of it, so where nothing fits the limit is lifted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.domain.workload import LayoutPins, Offload, Recompute
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.memory import memory, usable_memory
from suanli.estimation.problem import Problem, pose
from suanli.estimation.results import Infeasible, Layout
from suanli.estimation.search import Limits, search

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.estimation.arrays import FloatArray
    from suanli.validation.posing import Posed

__all__ = ["problem_of", "settle"]

_RESERVE: Final = 0.05
"""Share of usable memory that published runs leave free: they are tuned closer to the limit than a plan."""
_NO_LIMIT: Final = -9.0
_ZERO_STAGE: Final[Mapping[str, int]] = {"distributed-optimizer": 1, "fsdp": 3, "zero": 3, "none": 0}


def problem_of(posed: Posed) -> Problem | None:
    """Return the problem of a run with the network that it states; None where its precision has no peak."""
    problem = pose(posed.device, posed.architecture, posed.workload, posed.recipe)
    if isinstance(problem, Infeasible):
        return None
    stated: dict[str, FloatArray] = {}
    if posed.nic_bytes_per_s is not None:
        # The line rate gives way to the stated one, what a collective reaches of it stays.
        reached = problem.constants.nic_bytes_per_s / problem.line_nic_bytes_per_s
        stated["nic_bytes_per_s"] = reached * posed.nic_bytes_per_s
    if posed.domain is not None:
        stated["domain"] = np.array(float(posed.domain))
    return replace(problem, constants=replace(problem.constants, **stated))


def settle(posed: Posed, problem: Problem, *, hidden: bool = False) -> LayoutArrays | None:
    """Return the layout of a run as a list of one, or None where the search finds none at all.

    Args:
        posed: the run.
        problem: its problem, whose constants decide what is fastest.
        hidden: leave the stated layout unused and search everything.
    """
    pins = LayoutPins(sequence_parallel=posed.pins.sequence_parallel) if hidden else posed.pins
    stated = None if hidden else _stated(posed, problem)
    if stated is not None:
        return stated
    pins = replace(pins, offload=Offload.NONE)
    for reserve in (_RESERVE, _NO_LIMIT):
        forced = pins if reserve == _RESERVE else _leanest(pins)
        found = search(problem, posed.devices, Limits(forced, reserve_share=reserve))
        if found.layouts is not None:
            return found.layouts
    # A run may break a rule of the search, such as chunks that count embedding and head as layers.
    return None if hidden else _stated(posed, problem, complete=True)


def _leanest(pins: LayoutPins) -> LayoutPins:
    """Return pins with full recomputation where it is open: without a memory limit nothing else would."""
    return pins if pins.recompute is not None else replace(pins, recompute=Recompute.FULL)


def _stated(posed: Posed, problem: Problem, *, complete: bool = False) -> LayoutArrays | None:
    """Return the layout of a run that leaves nothing to search, or whose gaps are closed plainly.

    Closed plainly means one sequence, no interleaving, and the least recomputation that fits.
    """
    pins = posed.pins
    if pins.tp is None or pins.pp is None or pins.cp is None or pins.ep is None:
        return None
    open_ = (pins.micro_batch_size, pins.virtual_pipeline, pins.recompute)
    if None in open_ and not complete:
        return None
    dp, micro = max(1, posed.devices // (pins.tp * pins.pp * pins.cp)), pins.micro_batch_size or 1
    stage = _ZERO_STAGE.get(problem.device.stack.sharding, 1) if pins.zero_stage is None else pins.zero_stage
    layout = Layout(
        tp=pins.tp,
        pp=pins.pp,
        cp=pins.cp,
        dp=dp,
        ep=pins.ep,
        micro_batch_size=micro,
        micro_batches=posed.micro_batches or max(1, round(posed.workload.global_batch_size / (micro * dp))),
        virtual_pipeline=pins.virtual_pipeline or 1,
        recompute=pins.recompute or Recompute.NONE,
        zero_stage=stage,
        sequence_parallel=pins.tp > 1 if pins.sequence_parallel is None else pins.sequence_parallel,
        recompute_layers=pins.recompute_layers,
        shard_group=pins.shard_group,
    )
    levels = (Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL) if pins.recompute is None else ()
    usable = usable_memory(problem.device.accelerator)[0] * (1 - _RESERVE)
    tried = [LayoutArrays.of(replace(layout, recompute=level)) for level in levels]
    fitting = (one for one in tried if float(memory(problem, one).total[0]) <= usable)
    return next(fitting, tried[-1] if tried else LayoutArrays.of(layout))
