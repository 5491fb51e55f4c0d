"""Peak memory of a device, in closed form over all layouts at once.

The peak is the larger of the first and the last pipeline stage: states + gathered weights + activations in
flight + logits + constant. Source of the structure: Korthikanti et al., "Reducing Activation Recomputation in
Large Transformer Models", 2022, sections 4 and 5; Rajbhandari et al., "ZeRO", 2020; Ren et al.,
"ZeRO-Offload", 2021. `docs/validation.md` gives the error against published peaks; it is why a reserve is
kept. What a stack keeps for a parameter or a logit is in `recipes`, what a layer keeps in `activations`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.estimation.activations import kept_activations
from suanli.estimation.numbers import stage_layers, tokens
from suanli.estimation.ranges import memory_ratio
from suanli.estimation.results import MemoryPhases, MemoryUse

if TYPE_CHECKING:
    from suanli.domain.hardware import Accelerator
    from suanli.estimation.arrays import BoolArray, FloatArray, LayoutArrays
    from suanli.estimation.numbers import Posed
    from suanli.estimation.problem import Problem

__all__ = [
    "RESERVE_SHARE",
    "UNUSABLE_SHARE",
    "LocalParameters",
    "MemoryArrays",
    "PhaseArrays",
    "fits",
    "host_bytes",
    "local_parameters",
    "memory",
    "memory_use",
    "micro_batches_in_flight",
    "peak_bytes",
    "phases",
    "stage_memory",
    "usable_memory",
]

RESERVE_SHARE: Final = 0.10
"""Share of usable memory that is kept free: fragmentation, longer batches, and the error of the closed
form."""
UNUSABLE_SHARE: Final = 0.05
"""Share of the memory label, read as GiB, that software cannot allocate where it was not measured: 3.03 of 64
GiB on an Ascend 910B, less on other devices."""

_LABEL_UNIT: Final = 2**30 / 1e9
"""Memory comes in powers of two: a label of 80 GB is 80 GiB, as the measured totals show."""
_GATHERED_LAYERS: Final = 2.0
"""Layers of ZeRO-3 whose weights are whole at once: the one at work and the one prefetched."""
_NORM_BYTES: Final = 6.0
"""Input, output and gradient of the last norm, in 16 bit, per element."""
_ZERO3 = 3
_FP32_BYTES, _BF16_BYTES = 4.0, 2.0
_OPTIMIZER_OFFLOADED, _WEIGHTS_OFFLOADED = 1, 2
_PINNED_BUFFERS = 1.5
"""Host memory over the states it holds: pinned buffers and the allocator's rounding up (LLaMA-Factory and
DeepSpeed users report 1.3 to 2)."""


@dataclass(frozen=True, slots=True)
class LocalParameters:
    """Parameters on one device of a pipeline stage, before sharding over data-parallel ranks."""

    dense: FloatArray
    """Everything but the routed experts."""
    experts: FloatArray
    head: FloatArray
    """The part of `dense` that is embedding or LM head."""


def local_parameters(posed: Posed, layouts: LayoutArrays, *, last: bool) -> LocalParameters:
    """Return the parameters on one device of the first or the last stage.

    Tensor parallelism divides matrices; expert parallelism divides experts; leading dense layers sit on the
    first stage.
    """
    x, whole = posed.model, layouts.pp == 1
    dense_layers, moe_layers = stage_split(posed, layouts, last=last)
    layers = dense_layers * x.dense_layer_parameters + moe_layers * x.moe_layer_parameters
    head = np.where(whole, x.embedding + x.lm_head, x.head_matrix)
    return LocalParameters(
        dense=(layers + head + np.where(whole, x.other_parameters, 0.0)) / layouts.tp,
        experts=moe_layers * x.expert_parameters / (layouts.ep * layouts.expert_tp),
        head=head / layouts.tp,
    )


def stage_split(posed: Posed, layouts: LayoutArrays, *, last: bool) -> tuple[FloatArray, FloatArray]:
    """Return the dense and the routed layers of the first or the last stage, or of the only one."""
    x, whole = posed.model, layouts.pp == 1
    stage = np.where(whole, x.layers, stage_layers(posed, layouts))
    dense = np.minimum(x.dense_layers, stage)
    # The dense layers of a routed model lead, so a last stage of its own has none of them.
    if last:
        dense = np.where(whole | (x.moe_layers == 0), dense, 0.0)
    return dense, stage - dense


@dataclass(frozen=True, slots=True)
class MemoryArrays:
    """Bytes of each layout on one stage, by part."""

    weights: FloatArray
    gradients: FloatArray
    optimizer: FloatArray
    activations: FloatArray
    logits: FloatArray
    buffers: FloatArray

    @property
    def total(self) -> FloatArray:
        """Return the sum of the parts."""
        states = self.weights + self.gradients + self.optimizer + self.buffers
        # States and activations depend on different dimensions of a grid, so they meet last.
        return states + (self.activations + self.logits)


@dataclass(frozen=True, slots=True)
class PhaseArrays:
    """Bytes of each layout on the fullest device at the peak of each phase."""

    load: FloatArray
    step: FloatArray
    save: FloatArray


def _sharded(layouts: LayoutArrays, local: LocalParameters, from_stage: FloatArray | int) -> FloatArray:
    """Return dense and expert parameters after sharding, where the ZeRO stage reaches `from_stage`."""
    sharded = local.dense / layouts.shards + local.experts / layouts.expert_shards
    return np.where(layouts.zero_stage >= from_stage, sharded, local.dense + local.experts)


def _frozen_bytes(posed: Posed, layouts: LayoutArrays, local: LocalParameters) -> FloatArray:
    """Return the bytes of a frozen base; embeddings and head stay in 16 bit."""
    recipe, whole = posed.recipe_numbers, layouts.zero_stage < _ZERO3
    linear = recipe.frozen_linear_bytes
    dense = recipe.frozen_bytes * local.head + linear * (local.dense - local.head)
    # Experts are held by fewer ranks than the rest, so that fewer share each copy.
    experts = linear * local.experts / np.where(whole, 1.0, layouts.expert_shards)
    return dense / np.where(whole, 1.0, layouts.shards) + experts


def _states(
    posed: Posed, layouts: LayoutArrays, local: LocalParameters
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weights, gradients and optimizer in bytes, on device or host."""
    recipe, share = posed.recipe_numbers, posed.model.adapter_share
    weights = share * recipe.weight_bytes * _sharded(layouts, local, 3)
    gradients = share * recipe.gradient_bytes * _sharded(layouts, local, recipe.gradients_sharded_from)
    optimizer = share * recipe.optimizer_bytes * _sharded(layouts, local, 1)
    if np.any(posed.model.adapter):
        weights = weights + posed.model.adapter * _frozen_bytes(posed, layouts, local)
    return weights, gradients, optimizer


def _one_layer(posed: Posed, layouts: LayoutArrays, local: LocalParameters) -> FloatArray:
    """Return the parameters of one layer on a device."""
    matrices = local.dense - local.head + local.experts
    return matrices / np.where(layouts.pp == 1, posed.model.layers, stage_layers(posed, layouts))


def _gathered(posed: Posed, layouts: LayoutArrays, local: LocalParameters) -> FloatArray:
    """Return the bytes of weights and gradients that ZeRO-3 holds whole at its peak.

    Two layers, embedding and head in 16 bit, and one layer's 32-bit gradient; under a pipeline all local
    weights and gradients stay whole between micro-batches (6 bytes) beside that gradient. FSDP wraps a frozen
    embedding and a frozen head apart, so that one of them is whole; DeepSpeed keeps both for reuse.
    """
    if not np.any(layouts.zero_stage >= _ZERO3):
        return np.zeros(np.shape(layouts.zero_stage))
    x, recipe = posed.model, posed.recipe_numbers
    one_layer = _one_layer(posed, layouts, local)
    trained = x.passes_of_weights
    size = np.where(trained > 0, _BF16_BYTES, recipe.frozen_linear_bytes)
    gradient = trained * _FP32_BYTES
    head = np.where((trained > 0) | (posed.constants.fully_sharded == 0), _BF16_BYTES, _BF16_BYTES / 2)
    live = _GATHERED_LAYERS * size * one_layer + head * local.head
    piped = (size + gradient) * (local.dense + local.experts)
    whole = np.where(layouts.pp > 1, piped, live) + gradient * one_layer
    return np.where((layouts.zero_stage >= _ZERO3) & (layouts.shards > 1), whole, 0.0)


def micro_batches_in_flight(layouts: LayoutArrays, *, last: bool) -> FloatArray:
    """Return how many whole-stage micro-batches a stage holds at its peak.

    First stage: min(m, p) for one chunk, min(m, p + (p − 1)/v) when interleaved; last stage: 1, or 1 + (p −
    1)/v.

    Source: Narayanan et al., 2021, section 2.2; Korthikanti et al., 2022, appendix C.
    """
    m, p, v = layouts.micro_batches, layouts.pp, layouts.virtual_pipeline
    extra = np.where(v > 1, (p - 1) / v, 0.0)
    return np.minimum(m, 1 + extra if last else p + extra)


def _on_device(
    posed: Posed, layouts: LayoutArrays, local: LocalParameters
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weights, gradients and optimizer in bytes, as far as they stay on the device."""
    weights, gradients, optimizer = _states(posed, layouts, local)
    if not np.any(layouts.offload):
        return weights, gradients, optimizer
    away = layouts.offload >= _OPTIMIZER_OFFLOADED
    gradients, optimizer = np.where(away, 0.0, gradients), np.where(away, 0.0, optimizer)
    return np.where(layouts.offload >= _WEIGHTS_OFFLOADED, 0.0, weights), gradients, optimizer


def _loss_bytes(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return what the loss and the head's backward pass need beside kept activations.

    Equation: (c·T·V/n + g·V·h) / tp + 6·T·h/sp: logits of one of n pieces, the head's gradient of one
    micro-batch where the head is trained, and input, output and gradient of the last norm in 16 bit.
    """
    x, recipe, rows = posed.model, posed.recipe_numbers, tokens(posed, layouts)
    gradient = x.passes_of_weights * recipe.head_gradient_bytes * (x.vocab * x.hidden) / layouts.tp
    logits = recipe.logit_bytes * x.vocab / (layouts.tp * layouts.loss_chunks)
    per_row = logits + _NORM_BYTES * x.hidden / layouts.norm_split
    return rows * per_row + gradient


def _update_bytes(posed: Posed, layouts: LayoutArrays, local: LocalParameters) -> FloatArray:
    """Return the temporaries of the optimizer's update on the device, when activations are gone."""
    x, recipe = posed.model, posed.recipe_numbers
    held = x.adapter_share * recipe.update_bytes * _sharded(layouts, local, 1)
    return np.where(layouts.offload >= _OPTIMIZER_OFFLOADED, 0.0, held)


def stage_memory(posed: Posed, layouts: LayoutArrays, *, last: bool) -> MemoryArrays:
    """Return the bytes on one device of the first or the last stage at the peak of a step.

    The peak falls into the loss, the backward pass or the update, whichever is highest: their extras are not
    there at once. What is offloaded counts on the host instead (`host_bytes`); a layer's weights and
    gradients still pass through.
    """
    recipe = posed.recipe_numbers
    local = local_parameters(posed, layouts, last=last)
    states = _on_device(posed, layouts, local)
    dense, moe = stage_split(posed, layouts, last=last)
    kept, working = kept_activations(posed, layouts, dense, moe)
    loss = _loss_bytes(posed, layouts)
    logits = loss if last else np.where(layouts.pp == 1, loss, 0.0)
    activations = micro_batches_in_flight(layouts, last=last) * kept + np.maximum(working - logits, 0.0)
    update = np.maximum(_update_bytes(posed, layouts, local) - (activations + logits), 0.0)
    buffers = _gathered(posed, layouts, local) + update
    return MemoryArrays(
        *states,
        activations=activations,
        logits=logits,
        buffers=buffers + recipe.constant_bytes,
    )


def memory(posed: Posed, layouts: LayoutArrays) -> MemoryArrays:
    """Return the bytes on the fullest of the first and the last stage, for every layout."""
    first, last = stage_memory(posed, layouts, last=False), stage_memory(posed, layouts, last=True)
    # The first stage holds most micro-batches in flight, the last the logits; no other stage can exceed both.
    take_first = first.total >= last.total
    fullest: list[FloatArray] = [
        np.where(take_first, getattr(first, part.name), getattr(last, part.name))
        for part in fields(MemoryArrays)
    ]
    return MemoryArrays(*fullest)


def peak_bytes(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the bytes on the fullest of the first and the last stage: the total of `memory`."""
    local = local_parameters(posed, layouts, last=False)
    split = stage_split(posed, layouts, last=False)
    kept, working = kept_activations(posed, layouts, *split)
    # The first stage never holds fewer micro-batches than the last, and the working set beside them covers
    # that of the last where both have the same layers.
    held = micro_batches_in_flight(layouts, last=False) * kept + working
    states = _resident(posed, layouts, local)
    loss = _loss_bytes(posed, layouts)
    if not np.any(posed.model.moe_layers):
        held = np.maximum(held, micro_batches_in_flight(layouts, last=True) * kept + loss)
        return states + _updated(posed, layouts, local, held)
    ends = local_parameters(posed, layouts, last=True)
    kept, working = kept_activations(posed, layouts, *stage_split(posed, layouts, last=True))
    tail = micro_batches_in_flight(layouts, last=True) * kept + np.maximum(working, loss)
    first = states + _updated(posed, layouts, local, held)
    return np.maximum(first, _resident(posed, layouts, ends) + _updated(posed, layouts, ends, tail))


def _resident(posed: Posed, layouts: LayoutArrays, local: LocalParameters) -> FloatArray:
    """Return the bytes of a stage that do not depend on micro-batches: states, gathered weights, constant."""
    states = sum(_on_device(posed, layouts, local), _gathered(posed, layouts, local))
    return states + posed.recipe_numbers.constant_bytes


def _updated(posed: Posed, layouts: LayoutArrays, local: LocalParameters, held: FloatArray) -> FloatArray:
    """Return what a stage holds beside its states in a step, or in the optimizer's update if that is more."""
    if not np.any(posed.recipe_numbers.update_bytes):
        return held
    return np.maximum(held, _update_bytes(posed, layouts, local))


def _unit_bytes(posed: Posed, layouts: LayoutArrays, local: LocalParameters) -> FloatArray:
    """Return the 16-bit bytes of the largest piece that is whole for a moment: a layer, embedding or head."""
    matrix = posed.model.head_matrix / layouts.tp
    return _BF16_BYTES * np.maximum(_one_layer(posed, layouts, local), matrix)


def _stage_phases(posed: Posed, layouts: LayoutArrays, *, last: bool) -> tuple[FloatArray, FloatArray]:
    """Return the bytes of loading and of saving on the first or the last stage."""
    local = local_parameters(posed, layouts, last=last)
    states = sum(_on_device(posed, layouts, local)) + posed.recipe_numbers.constant_bytes
    piece, sharded = _unit_bytes(posed, layouts, local), layouts.zero_stage >= _ZERO3
    load = states + np.where(sharded | (posed.model.quantised > 0), piece, 0.0)
    return load, states + np.where(sharded, piece, 0.0)


def phases(posed: Posed, layouts: LayoutArrays) -> PhaseArrays:
    """Return the bytes on the fullest device at the peak of loading, of a step, and of saving.

    Loading: all states, and one layer in 16 bit while it is sharded or quantised. Saving: all states, and
    one layer while sharded weights are gathered piece by piece; states that are sharded stay so.
    """
    first, last = (_stage_phases(posed, layouts, last=one) for one in (False, True))
    return PhaseArrays(
        load=np.maximum(first[0], last[0]),
        step=peak_bytes(posed, layouts),
        save=np.maximum(first[1], last[1]),
    )


def host_bytes(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the host memory that offloaded states of one device need.

    Equation: 1.5 · (offloaded bytes of weights, gradients and optimizer), or 2 N / n where weights are
    offloaded and that is more: the checkpoint of N parameters is read whole, in 16 bit, into a server of n
    devices before it is sharded or quantised. 0 where nothing is offloaded.
    """
    if not np.any(layouts.offload):
        return np.zeros(np.shape(layouts.offload))
    local = local_parameters(posed, layouts, last=False)
    weights, gradients, optimizer = _states(posed, layouts, local)
    away = np.where(layouts.offload >= _OPTIMIZER_OFFLOADED, gradients + optimizer, 0.0)
    kept = _PINNED_BUFFERS * (away + np.where(layouts.offload >= _WEIGHTS_OFFLOADED, weights, 0.0))
    read = _BF16_BYTES * posed.model.total_parameters / posed.constants.devices_per_node
    return np.maximum(kept, np.where(layouts.offload >= _WEIGHTS_OFFLOADED, read, 0.0))


def usable_memory(accelerator: Accelerator) -> tuple[float, bool]:
    """Return the bytes that software can allocate on one device and whether that was measured.

    Where it was not, the label read as GiB less `UNUSABLE_SHARE`. A package of several dies that software
    sees as devices of their own has its memory divided: a tensor lives on one die.
    """
    if accelerator.usable_memory is not None:
        return accelerator.usable_memory.si / accelerator.dies, True
    whole = accelerator.memory.si * (_LABEL_UNIT if accelerator.memory.unit == "GB" else 1)
    return whole * (1 - UNUSABLE_SHARE) / accelerator.dies, False


def fits(problem: Problem, layouts: LayoutArrays, reserve_share: float = RESERVE_SHARE) -> BoolArray:
    """Tell which layouts stay within usable memory less the reserve."""
    usable, _ = usable_memory(problem.device.accelerator)
    return memory(problem, layouts).total <= usable * (1 - reserve_share)


def memory_use(problem: Problem, layouts: LayoutArrays, reserve_share: float = RESERVE_SHARE) -> MemoryUse:
    """Return the parts of the first layout of a list as a record."""
    one = layouts.take(slice(0, 1))
    parts = memory(problem, one)
    usable, measured = usable_memory(problem.device.accelerator)
    peaks = phases(problem, one)
    times = {f"{part.name}_bytes": float(getattr(peaks, part.name).ravel()[0]) for part in fields(peaks)}
    sizes = {f"{part.name}_bytes": float(getattr(parts, part.name).ravel()[0]) for part in fields(parts)}
    return MemoryUse(
        **sizes,
        host_bytes=float(host_bytes(problem, one).ravel()[0]),
        phases=MemoryPhases(**times),
        usable_bytes=usable,
        reserve_share=reserve_share,
        usable_measured=measured,
        peak_ratio=memory_ratio(problem),
    )
