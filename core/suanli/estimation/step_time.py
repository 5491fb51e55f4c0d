"""Time of one optimizer step, in closed form over all layouts at once.

A step is m micro-batches on the slowest pipeline stage, the bubble, what data-parallel communication does not
hide, the optimizer and per-step constants. Where a constant is said to be fitted, it was fitted on published
runs; `docs/estimation.md` gives the table.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from suanli.estimation.exposed import (
    context_parallel_s,
    data_parallel_s,
    expert_parallel_s,
    fully_sharded_gather_s,
    pipeline_transfer_s,
    tensor_parallel_s,
)
from suanli.estimation.layer_time import head_s, layer_time
from suanli.estimation.memory import local_parameters
from suanli.estimation.results import StepTime

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray, LayoutArrays
    from suanli.estimation.problem import Problem

__all__ = ["StepArrays", "bubble_share", "recompute_share", "step_arrays"]

_HEAD_ON_SLOWEST = 0.72
"""Share of the LM head's excess that lands on the slowest stage where layers divide evenly (fitted)."""
_DP_COVER = 0.9
"""Share of one stage's last forward and backward behind which gradients may travel."""
_OPTIMIZER_COST = 1.45
_STEP_CONSTANT_S = 0.033
_STRAGGLER = 0.0043
"""Slowdown per doubling of nodes."""
_SMOOTH = 4.0
_ZERO3 = 3
_FULL, _SELECTIVE = 2, 1
_SELECTIVE_FSDP = 0.5
_BACKWARD = 2.0


@dataclass(frozen=True, slots=True)
class StepArrays:
    """Seconds per step by cause, for every layout, named as in `suanli.estimation.results.StepTime`."""

    compute_s: FloatArray
    recompute_s: FloatArray
    tp_exposed_s: FloatArray
    cp_exposed_s: FloatArray
    ep_exposed_s: FloatArray
    pp_exposed_s: FloatArray
    bubble_s: FloatArray
    dp_exposed_s: FloatArray
    optimizer_s: FloatArray
    other_s: FloatArray

    @property
    def total_s(self) -> FloatArray:
        """Return the whole step."""
        # Added one by one: summing a generator of arrays would start from the integer 0 and lose the type.
        total = np.zeros_like(self.compute_s)
        for part in fields(self):
            total = total + getattr(self, part.name)
        return total

    @property
    def communication_share(self) -> FloatArray:
        """Return exposed communication over the whole step."""
        exposed = (
            self.tp_exposed_s + self.cp_exposed_s + self.ep_exposed_s + self.pp_exposed_s + self.dp_exposed_s
        )
        return exposed / self.total_s

    def step(self, index: int, factor: float = 1.0) -> StepTime:
        """Return one layout's step as a record, every part times a factor."""
        return StepTime(*(float(getattr(self, part.name)[index]) * factor for part in fields(self)))


@dataclass(frozen=True, slots=True)
class _Passes:
    """Seconds of all layers of the model for one micro-batch, by cause, as if on one stage."""

    forward: FloatArray
    backward: FloatArray
    again: FloatArray
    tp: FloatArray
    cp: FloatArray
    ep: FloatArray

    @property
    def total(self) -> FloatArray:
        return self.forward + self.backward + self.again + self.tp + self.cp + self.ep


def bubble_share(pp: float, micro_batches: float, virtual_pipeline: float = 1.0) -> float:
    """Return the idle share of a pipelined step: (p − 1)/v over m + (p − 1)/v.

    p: stages; m: micro-batches per step; v: chunks per device.

    Source: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters", 2021, section
    2.2.

    >>> bubble_share(8, 8)
    0.4666666666666667
    """
    idle = (pp - 1) / virtual_pipeline
    return idle / (micro_batches + idle)


def recompute_share(
    problem: Problem, layouts: LayoutArrays, forward: FloatArray, cheap: FloatArray
) -> FloatArray:
    """Return the share of a layer's forward pass that the backward pass repeats.

    Full recomputation repeats all of it. Selective recomputation repeats the vector work, or half of all
    operations under FSDP.
    """
    selective = (
        np.full(len(layouts), _SELECTIVE_FSDP) if problem.fully_sharded else np.minimum(1.0, cheap / forward)
    )
    mode = layouts.recompute
    return np.where(mode == _FULL, 1.0, np.where(mode == _SELECTIVE, selective, 0.0))


def _one_kind(problem: Problem, layouts: LayoutArrays, layers: int, *, routed: bool) -> _Passes:
    """Return the times of all dense or all routed layers."""
    one = layer_time(problem, layouts, routed=routed)
    share = recompute_share(problem, layouts, one.forward, one.cheap)
    # Full recomputation runs the forward pass, and with it its collectives, once more.
    repeats = np.where(layouts.recompute == _FULL, 1.0, 0.0)
    tp = tensor_parallel_s(problem, layouts, routed=routed) * (2 + repeats)
    cp = context_parallel_s(problem, layouts, one.attention) * (1 + _BACKWARD + repeats)
    ep = expert_parallel_s(problem, layouts) * (2 + repeats) if routed else np.zeros(len(layouts))
    parts = (one.forward, one.backward, share * one.forward, tp, cp, ep)
    return _Passes(*(layers * part for part in parts))


def _passes(problem: Problem, layouts: LayoutArrays) -> _Passes:
    counts = problem.counts
    kinds = [
        _one_kind(problem, layouts, layers, routed=routed)
        for layers, routed in ((counts.dense_layers, False), (counts.moe_layers, True))
        if layers
    ]
    if len(kinds) == 1:
        return kinds[0]
    first, second = kinds
    return _Passes(*(getattr(first, f.name) + getattr(second, f.name) for f in fields(_Passes)))


def _optimizer_s(problem: Problem, layouts: LayoutArrays) -> FloatArray:
    """Return the time of the optimizer pass over local states.

    Bytes per local trained parameter: 8 + 24/N with a distributed optimizer over N ranks, 32 without, 30/N
    fully sharded; times 1.45 over the memory bandwidth (fitted).
    """
    local = local_parameters(problem, layouts, last=False)
    share = problem.adapter_share if problem.adapter else 1.0

    def passed(shards: FloatArray) -> FloatArray:
        # Gradients are read everywhere; masters and moments only by the rank that owns them.
        staged = np.where(layouts.zero_stage >= 1, 8 + 24 / shards, 32.0)
        return np.where(layouts.zero_stage >= _ZERO3, 30 / shards, staged)

    moved = local.dense * passed(layouts.shards) + local.experts * passed(
        np.maximum(layouts.expert_shards, 1.0)
    )
    return _OPTIMIZER_COST * share * moved / problem.constants.hbm_bytes_per_s


def _slowest_excess(
    problem: Problem, layouts: LayoutArrays, layers_s: FloatArray, head: FloatArray
) -> FloatArray:
    """Return by how much the slowest stage exceeds the mean stage for one micro-batch.

    Where layers divide evenly, 0.72 of the head's excess lands on the last stage; where they do not, the
    short stage takes the head and the fullest stage has ⌈L/(p·v)⌉·v layers.
    """
    layers, p = problem.architecture.layers, layouts.pp
    # The bubble is waiting for the slowest stage, so only what it has beyond the mean is added here.
    mean = (layers_s + head) / p
    fullest = problem.stage_layers(layouts)
    even = fullest * p == layers
    head_excess = _HEAD_ON_SLOWEST * head * (1 - 1 / p)
    uneven = np.maximum(0.0, fullest * layers_s / layers - mean)
    return np.where(even, head_excess, uneven)


def step_arrays(problem: Problem, layouts: LayoutArrays) -> StepArrays:
    """Return the step time of every layout by cause.

    Equation: step = [m · slowest + (p − 1)/v · stage + exposed DP + optimizer + 33 ms] · (1 + 0.0043 · log₂
    nodes).
    """
    c, p, m = problem.constants, layouts.pp, layouts.micro_batches
    passes, head = _passes(problem, layouts), head_s(problem, layouts)
    transfer = pipeline_transfer_s(problem, layouts)
    stage = (passes.total + head) / p
    comm = fully_sharded_gather_s(problem, layouts)
    # A smooth maximum: gathers hide behind compute until the two are about equal. Contention for memory
    # and SMs is paid even where they hide.
    overlapped = (stage**_SMOOTH + comm**_SMOOTH) ** (1 / _SMOOTH) + c.fsdp_contention * comm
    gather_exposed = np.where(comm > 0, overlapped - stage, 0.0)
    excess = _slowest_excess(problem, layouts, passes.total, head)
    bubble = m * excess + (p - 1) / layouts.virtual_pipeline * (stage + gather_exposed + transfer)
    once = data_parallel_s(problem, layouts)
    # Gradients travel bucket by bucket behind the last backward pass, which bounds what can hide.
    hidden = np.minimum(c.dp_hidden * once, _DP_COVER * (passes.forward + passes.backward) / p)
    parts = {
        "compute_s": m * (passes.forward + passes.backward + head) / p,
        "recompute_s": m * passes.again / p,
        "tp_exposed_s": m * passes.tp / p,
        "cp_exposed_s": m * passes.cp / p,
        "ep_exposed_s": m * passes.ep / p,
        "pp_exposed_s": m * transfer,
        "bubble_s": bubble,
        "dp_exposed_s": m * gather_exposed + once - hidden,
        "optimizer_s": _optimizer_s(problem, layouts),
    }
    # Below one node there is nobody to wait for; log₂ would turn negative.
    nodes = np.maximum(1.0, layouts.devices / problem.devices_per_node)
    straggler = sum(parts.values(), np.zeros(len(layouts))) * _STRAGGLER * np.log2(nodes)
    return StepArrays(**parts, other_s=_STEP_CONSTANT_S + straggler)
