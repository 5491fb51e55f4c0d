"""Time of one optimizer step, in closed form over all layouts at once.

A step is m micro-batches on the slowest pipeline stage, the bubble, what data-parallel communication does not
hide, the optimizer and per-step constants. Where a constant is said to be fitted, it was fitted on published
runs; `docs/calibration.md` gives the table.
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
from suanli.estimation.layer_time import head_s, layer_time, smooth_max
from suanli.estimation.memory import local_parameters
from suanli.estimation.numbers import stage_layers
from suanli.estimation.results import StepTime

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray, LayoutArrays
    from suanli.estimation.numbers import Posed

__all__ = ["StepArrays", "bubble_share", "recompute_shares", "step_arrays"]

_ZERO2, _ZERO3 = 2, 3
_FULL, _SELECTIVE = 2, 1
_BACKWARD = 2.0
_HOST_ADAM_BYTES = 28.0
"""Bytes of host memory that Adam on the host reads and writes per parameter: gradient, weight and two moments
in 32 bit, three of them written back (Ren et al., "ZeRO-Offload", 2021, section 5.1)."""
_HOST_MEMORY_BYTES_PER_S = 25e9
"""Share of a server's memory bandwidth that the optimizer of one device gets: eight devices on 200 GB/s."""


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
        # Parts that depend on few dimensions of a grid meet first; the widest come last.
        parts = sorted((getattr(self, part.name) for part in fields(self)), key=np.size)
        total = np.array(0.0)
        for part in parts:
            total = total + part
        return total

    @property
    def communication_share(self) -> FloatArray:
        """Return exposed communication over the whole step."""
        exposed = (
            self.tp_exposed_s + self.cp_exposed_s + self.ep_exposed_s + self.pp_exposed_s + self.dp_exposed_s
        )
        return exposed / self.total_s

    def step(self, index: int, factor: float = 1.0) -> StepTime:
        """Return one layout of a list as a record, every part times a factor."""
        # A part that no layout has a share in may have no axis of its own.
        size = np.broadcast_shapes(*(np.shape(getattr(self, part.name)) for part in fields(self)))
        parts = (np.broadcast_to(getattr(self, part.name), size)[index] for part in fields(self))
        return StepTime(*(float(part) * factor for part in parts))


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


def recompute_shares(
    posed: Posed, layouts: LayoutArrays, forward: FloatArray, cheap: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the share of a layer's forward pass that the backward pass repeats, and that of its collectives.

    Full recomputation of k of a stage's n layers repeats k/n of both. Selective recomputation repeats the
    vector work (and the score matrix of unfused attention), or a fitted share of all operations under FSDP.
    """
    mode, sharded = layouts.recompute, posed.constants.fully_sharded
    covered = np.minimum(layouts.recompute_layers / stage_layers(posed, layouts), 1.0)
    full = np.where(mode == _FULL, covered, 0.0)
    selective = np.minimum(1.0, cheap / forward)
    if np.any(sharded):
        selective = np.where(sharded > 0, posed.shared.selective_fsdp_share, selective)
    return np.where(mode == _SELECTIVE, selective, full), full


def _one_kind(posed: Posed, layouts: LayoutArrays, layers: FloatArray, *, routed: bool) -> _Passes:
    """Return the times of all dense or all routed layers."""
    one = layer_time(posed, layouts, routed=routed)
    share, repeats = recompute_shares(posed, layouts, one.forward, one.cheap)
    # Full recomputation runs the forward pass, and with it its collectives, once more.
    tp = tensor_parallel_s(posed, layouts, routed=routed) * (2 + repeats)
    cp = context_parallel_s(posed, layouts, one.attention) * (1 + _BACKWARD + repeats)
    ep = expert_parallel_s(posed, layouts) * (2 + repeats) if routed else np.array(0.0)
    parts = (one.forward, one.backward, share * one.forward, tp, cp, ep)
    return _Passes(*(layers * part for part in parts))


def _passes(posed: Posed, layouts: LayoutArrays) -> _Passes:
    x = posed.model
    kinds = [
        _one_kind(posed, layouts, layers, routed=routed)
        for layers, routed in ((x.dense_layers, False), (x.moe_layers, True))
        if np.any(layers)
    ]
    if len(kinds) == 1:
        return kinds[0]
    first, second = kinds
    return _Passes(*(getattr(first, f.name) + getattr(second, f.name) for f in fields(_Passes)))


def _optimizer_s(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the time of the optimizer pass over local states.

    Bytes per local trained parameter: 8 + 24/N with a distributed optimizer over N ranks, 32 without, 30/N
    fully sharded; times a fitted cost over the memory bandwidth. An offloaded optimizer runs on the host:
    gradients and weights cross to it and back, and Adam passes over host memory.
    """
    local, share = local_parameters(posed, layouts, last=False), posed.model.adapter_share

    def passed(shards: FloatArray) -> FloatArray:
        # Gradients are read everywhere; masters and moments only by the rank that owns them.
        staged = np.where(layouts.zero_stage >= 1, 8 + 24 / shards, 32.0)
        return np.where(layouts.zero_stage >= _ZERO3, 30 / shards, staged)

    moved = local.dense * passed(layouts.shards) + local.experts * passed(layouts.expert_shards)
    on_device = posed.shared.optimizer_cost * share * moved / posed.constants.hbm_bytes_per_s
    if not np.any(layouts.offload):
        return on_device
    sharded = local.dense / layouts.shards + local.experts / layouts.expert_shards
    owned = share * np.where(layouts.zero_stage >= 1, sharded, local.dense + local.experts)
    crossing = (posed.recipe_numbers.gradient_bytes + 2) * owned / posed.constants.host_bytes_per_s
    return np.where(
        layouts.offload > 0, crossing + _HOST_ADAM_BYTES * owned / _HOST_MEMORY_BYTES_PER_S, on_device
    )


def _slowest_excess(
    posed: Posed, layouts: LayoutArrays, layers_s: FloatArray, head: FloatArray
) -> FloatArray:
    """Return by how much the slowest stage exceeds the mean stage for one micro-batch.

    Equation: max{n·t − mean, β·(n_last·t + head − mean)}, with the layers n = ⌈L/(p·v)⌉·v of the fullest
    stage, n_last = max(0, L − (p − 1)·n) of the last, t the time of a layer, mean = (L·t + head)/p, and the
    fitted share β of the head's excess that counts.
    """
    layers, p = posed.model.layers, layouts.pp
    # The bubble is waiting for the slowest stage, so only what it has beyond the mean is added here.
    fullest = stage_layers(posed, layouts)
    last = np.maximum(0.0, layers - (p - 1) * fullest)
    first_excess = np.maximum(fullest / layers - 1 / p, 0.0) * layers_s - head / p
    last_excess = (last / layers - 1 / p) * layers_s + head * (1 - 1 / p)
    excess = np.maximum(first_excess, posed.shared.head_on_slowest * last_excess)
    return np.where(p > 1, np.maximum(0.0, excess), 0.0)


def step_arrays(posed: Posed, layouts: LayoutArrays) -> StepArrays:
    """Return the step time of every layout by cause.

    Equation: step = [m · slowest + (p − 1)/v · stage + exposed DP + optimizer] · (1 + straggler · log₂ nodes)
    + constant.
    """
    c, shared, p, m = posed.constants, posed.shared, layouts.pp, layouts.micro_batches
    passes, head = _passes(posed, layouts), head_s(posed, layouts)
    transfer = pipeline_transfer_s(posed, layouts)
    stage = (passes.total + head) / p
    comm = fully_sharded_gather_s(posed, layouts)
    waiting = stage
    gather_exposed = np.zeros(np.shape(comm))
    if np.any(comm):
        # A smooth maximum: gathers hide behind compute until the two are about equal. Contention for memory
        # and SMs is paid even where they hide.
        gather_exposed = smooth_max(stage, comm) + c.fsdp_contention * comm - stage
        waiting = stage + gather_exposed
    idle = (p - 1) / layouts.virtual_pipeline
    bubble = m * _slowest_excess(posed, layouts, passes.total, head) + idle * transfer + idle * waiting
    once = data_parallel_s(posed, layouts)
    # Gradients travel bucket by bucket behind the last backward pass, which bounds what can hide.
    # ZeRO-2 reduces after every micro-batch, behind as many passes.
    behind = np.where(layouts.zero_stage == _ZERO2, m, 1.0) * (passes.forward + passes.backward) / p
    hidden = np.minimum(c.dp_hidden * once, shared.dp_cover * behind)
    # Below one node there is nobody to wait for; log₂ would turn negative.
    doublings = np.log2(np.maximum(1.0, layouts.devices / c.devices_per_node))
    stretch = 1 + shared.straggler * doublings
    parts = {
        "compute_s": m * (passes.forward + passes.backward + head) / p,
        "recompute_s": m * passes.again / p,
        "tp_exposed_s": m * passes.tp / p,
        "cp_exposed_s": m * passes.cp / p,
        "ep_exposed_s": m * passes.ep / p,
        "pp_exposed_s": m * transfer,
        "bubble_s": bubble,
        "dp_exposed_s": m * gather_exposed + once - hidden,
        "optimizer_s": _optimizer_s(posed, layouts),
    }
    parts = {name: stretch * part for name, part in parts.items()}
    return StepArrays(**parts, other_s=shared.step_constant_s * c.step_factor)
