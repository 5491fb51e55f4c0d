"""Peak memory of a device, in closed form over all layouts at once.

The peak is the larger of the first and the last pipeline stage: states + gathered weights + activations in
flight + logits + constant. Source of the structure: Korthikanti et al., "Reducing Activation Recomputation in
Large Transformer Models", 2022, sections 4 and 5; Rajbhandari et al., "ZeRO", 2020. Against published peaks
the closed form is within 5 % in the median and 29 % at the 90th percentile where the recipe is not named;
hence the reserve.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.estimation.flops import head_widths
from suanli.estimation.results import MemoryUse

if TYPE_CHECKING:
    from suanli.domain.hardware import Accelerator
    from suanli.estimation.arrays import BoolArray, FloatArray, LayoutArrays
    from suanli.estimation.problem import Problem

__all__ = [
    "RESERVE_SHARE",
    "UNUSABLE_SHARE",
    "LocalParameters",
    "MemoryArrays",
    "activation_bytes_per_layer",
    "fits",
    "local_parameters",
    "memory",
    "memory_use",
    "micro_batches_in_flight",
    "usable_memory",
]

RESERVE_SHARE: Final = 0.10
"""Share of usable memory that is kept free: fragmentation, longer batches, and the error of the closed
form."""
UNUSABLE_SHARE: Final = 0.05
"""Share of nominal memory that software cannot allocate, where it was not measured: 3.03 of 64 GiB on an
Ascend 910B."""

_FULL, _SELECTIVE = 2, 1
_SELECTIVE_FSDP = 0.47
"""Share of activations that stays when every second operation is recomputed (fitted on published torchtitan
peaks)."""
_GATHERED_LAYERS = 2
_ZERO3 = 3
_FP32_BYTES, _BF16_BYTES = 4, 2


@dataclass(frozen=True, slots=True)
class LocalParameters:
    """Parameters on one device of a pipeline stage, before sharding over data-parallel ranks."""

    dense: FloatArray
    """Everything but the routed experts."""
    experts: FloatArray
    head: FloatArray
    """The part of `dense` that is embedding or LM head."""


def local_parameters(problem: Problem, layouts: LayoutArrays, *, last: bool) -> LocalParameters:
    """Return the parameters on one device of the first or the last stage.

    Tensor parallelism divides matrices; expert parallelism divides experts; leading dense layers sit on the
    first stage.
    """
    counts, whole = problem.counts, layouts.pp == 1
    dense_layers, moe_layers = _stage_split(problem, layouts, last=last)
    layers = dense_layers * counts.dense_layer + moe_layers * counts.moe_layer_without_experts
    head = np.where(whole, counts.embedding + counts.lm_head, counts.head_matrix)
    expert = counts.experts * (counts.expert_matrices + counts.expert_vectors)
    other = counts.positions + counts.final_norm + counts.extra
    return LocalParameters(
        dense=(layers + head + np.where(whole, other, 0.0)) / layouts.tp,
        experts=moe_layers * expert / (layouts.ep * layouts.expert_tp),
        head=head / layouts.tp,
    )


def _stage_split(problem: Problem, layouts: LayoutArrays, *, last: bool) -> tuple[FloatArray, FloatArray]:
    """Return the dense and the routed layers of the first or the last stage, or of the only one."""
    counts, whole = problem.counts, layouts.pp == 1
    stage = np.where(whole, counts.layers, problem.stage_layers(layouts))
    dense = np.minimum(counts.dense_layers, stage)
    # The dense layers of a routed model lead, so a last stage of its own has none of them.
    if counts.moe_layers and last:
        dense = np.where(whole, dense, 0.0)
    return dense, stage - dense


@dataclass(frozen=True, slots=True)
class MemoryArrays:
    """Bytes of each layout on its fullest stage, by part."""

    weights: FloatArray
    gradients: FloatArray
    optimizer: FloatArray
    activations: FloatArray
    logits: FloatArray
    buffers: FloatArray

    @property
    def total(self) -> FloatArray:
        """Return the sum of the parts."""
        return self.weights + self.gradients + self.optimizer + self.activations + self.logits + self.buffers


def _sharded(layouts: LayoutArrays, local: LocalParameters, from_stage: int) -> tuple[FloatArray, FloatArray]:
    """Return dense and expert parameters after sharding, where the ZeRO stage reaches `from_stage`."""
    sharded = layouts.zero_stage >= from_stage
    return (
        np.where(sharded, local.dense / layouts.shards, local.dense),
        np.where(sharded, local.experts / layouts.expert_shards, local.experts),
    )


def _frozen_bytes(problem: Problem, local: LocalParameters) -> FloatArray:
    """Return the bytes of a frozen base before sharding; embeddings, head and norms stay in 16 bit."""
    recipe = problem.recipe
    return recipe.frozen_bytes * local.head + recipe.frozen_linear_bytes * (
        local.dense - local.head + local.experts
    )


def _states(
    problem: Problem, layouts: LayoutArrays, local: LocalParameters
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weights, gradients and optimizer in bytes."""
    recipe, share = problem.recipe, problem.adapter_share if problem.adapter else 1.0
    parts = [
        share * size * np.add(*_sharded(layouts, local, stage))
        for stage, size in ((3, recipe.weight_bytes), (2, recipe.gradient_bytes), (1, recipe.optimizer_bytes))
    ]
    weights, gradients, optimizer = parts
    if problem.adapter:
        frozen = _frozen_bytes(problem, local)
        weights = weights + np.where(layouts.zero_stage >= _ZERO3, frozen / layouts.shards, frozen)
    return weights, gradients, optimizer


def _gathered(problem: Problem, layouts: LayoutArrays, local: LocalParameters) -> FloatArray:
    """Return the bytes of weights and gradients that ZeRO-3 holds whole at its peak.

    Two layers, embedding and head in 16 bit and one layer's 32-bit gradient; under a pipeline all local
    weights and gradients stay whole between micro-batches (6 bytes).
    """
    layers = problem.stage_layers(layouts)
    one_layer = (local.dense - local.head + local.experts) / np.where(
        layouts.pp == 1, problem.counts.layers, layers
    )
    if problem.adapter:
        live = (
            _GATHERED_LAYERS * problem.recipe.frozen_linear_bytes * one_layer + _BF16_BYTES * local.head / 2
        )
        piped = problem.recipe.frozen_linear_bytes * (local.dense + local.experts)
    else:
        live = (_GATHERED_LAYERS * _BF16_BYTES + _FP32_BYTES) * one_layer + _BF16_BYTES * local.head
        piped = (_BF16_BYTES + _FP32_BYTES) * (local.dense + local.experts)
    whole = np.where(layouts.pp > 1, piped, live)
    return np.where((layouts.zero_stage >= _ZERO3) & (layouts.shards > 1), whole, 0.0)


def _attention_activations(problem: Problem, layouts: LayoutArrays, *, selective: bool) -> FloatArray:
    """Return bytes per layer: 2T[2h/sp + (n_q·d_q + n_kv·d_q + n_kv·d_v + n_q·d_v)/tp] + 4T·n_q/tp."""
    a, tokens = problem.architecture, problem.tokens(layouts)
    query, value = head_widths(a)
    # Key and value heads below tp are replicated; divided by tp further down, this leaves one per rank.
    kv_heads = a.attention_heads if a.mla else np.maximum(a.kv_heads, layouts.tp)
    heads = a.attention_heads * (query + value) + kv_heads * (query + value)
    norms = 1 if selective else 2
    latent = 2 * ((a.mla.q_lora_rank or 0) + a.mla.kv_lora_rank + a.mla.qk_rope_head_dim) if a.mla else 0
    kept = 2 * (norms * a.hidden_size / layouts.norm_split + heads / layouts.tp)
    return tokens * (kept + 4 * a.attention_heads / layouts.tp + latent)


def _mlp_activations(problem: Problem, layouts: LayoutArrays, *, selective: bool) -> FloatArray:
    """Return bytes per layer and micro-batch: 2T[2h/sp + (g + 1)f/tp], g = 2 for gated blocks."""
    a, tokens = problem.architecture, problem.tokens(layouts)
    widths = (2 if a.mlp_type.gated else 1) + (0 if selective else 1)
    norms = 1 if selective else 2
    return 2 * tokens * (norms * a.hidden_size / layouts.norm_split + widths * a.ffn_hidden_size / layouts.tp)


def _moe_activations(problem: Problem, layouts: LayoutArrays, *, selective: bool) -> FloatArray:
    """Return bytes per layer and micro-batch: 4Th/sp + 2T_l·k[2h + (g + 1)f_e/etp] + 6T·f_shared/tp."""
    a, moe = problem.architecture, problem.architecture.moe
    if moe is None:
        return np.zeros(len(layouts))
    tokens = problem.tokens(layouts)
    local_tokens = np.where(layouts.ep > 1, tokens / layouts.tp, tokens)
    widths = (2 if a.mlp_type.gated else 1) + (0 if selective else 1)
    expert = 2 * a.hidden_size + widths * moe.expert_ffn_hidden_size / layouts.expert_tp
    shared = 2 * widths * moe.shared_expert_ffn_hidden_size / layouts.tp
    return (
        4 * tokens * a.hidden_size / layouts.norm_split
        + 2 * local_tokens * moe.top_k * expert
        + tokens * shared
    )


def activation_bytes_per_layer(
    problem: Problem, layouts: LayoutArrays
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what a dense and a routed layer keep, and one layer's working set, in bytes per micro-batch.

    Full recomputation keeps the layer's input, 2Th/sp, and computes one whole layer again. Selective
    recomputation drops what is cheap to compute again (norms and the activation function); fully sharded
    stacks instead recompute every second operation.

    Source: Korthikanti et al., 2022, section 4.1, with grouped-query heads, gated blocks and flash attention.
    """
    everything = _attention_activations(problem, layouts, selective=False)
    dense = everything + _mlp_activations(problem, layouts, selective=False)
    routed = everything + _moe_activations(problem, layouts, selective=False)
    if problem.fully_sharded:
        cheap_dense, cheap_routed = _SELECTIVE_FSDP * dense, _SELECTIVE_FSDP * routed
    else:
        kept = _attention_activations(problem, layouts, selective=True)
        cheap_dense = kept + _mlp_activations(problem, layouts, selective=True)
        cheap_routed = kept + _moe_activations(problem, layouts, selective=True)
    inputs = 2 * problem.tokens(layouts) * problem.architecture.hidden_size / layouts.norm_split
    mode = layouts.recompute
    # While one layer is computed again, its activations exist in full beside the stored inputs.
    largest = np.maximum(
        np.where(problem.counts.dense_layers > 0, dense, 0.0), routed * (problem.moe_layers > 0)
    )
    working = np.where(mode == _FULL, largest, 0.0)
    chosen = [
        np.where(mode == _FULL, inputs, np.where(mode == _SELECTIVE, cheap, kept_all))
        for cheap, kept_all in ((cheap_dense, dense), (cheap_routed, routed))
    ]
    return chosen[0], chosen[1], working


def micro_batches_in_flight(layouts: LayoutArrays, *, last: bool) -> FloatArray:
    """Return how many whole-stage micro-batches a stage holds at its peak.

    First stage: min(m, p) for one chunk, min(m, p + (p − 1)/v) when interleaved; last stage: 1, or 1 + (p −
    1)/v.

    Source: Narayanan et al., 2021, section 2.2; Korthikanti et al., 2022, appendix C.
    """
    m, p, v = layouts.micro_batches, layouts.pp, layouts.virtual_pipeline
    extra = np.where(v > 1, (p - 1) / v, 0.0)
    return np.minimum(m, 1 + extra if last else p + extra)


def _stage(problem: Problem, layouts: LayoutArrays, *, last: bool) -> MemoryArrays:
    recipe = problem.recipe
    local = local_parameters(problem, layouts, last=last)
    weights, gradients, optimizer = _states(problem, layouts, local)
    dense, routed, working = activation_bytes_per_layer(problem, layouts)
    dense_layers, moe_layers = _stage_split(problem, layouts, last=last)
    kept = dense_layers * dense + moe_layers * routed
    holds_head = last | (layouts.pp == 1)
    logits = recipe.logit_bytes * problem.tokens(layouts) * problem.architecture.vocab_size / layouts.tp
    return MemoryArrays(
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        activations=micro_batches_in_flight(layouts, last=last) * kept + working,
        logits=np.where(holds_head, logits, 0.0),
        buffers=_gathered(problem, layouts, local) + recipe.constant_bytes,
    )


def memory(problem: Problem, layouts: LayoutArrays) -> MemoryArrays:
    """Return the bytes on the fullest of the first and the last stage, for every layout."""
    first, last = _stage(problem, layouts, last=False), _stage(problem, layouts, last=True)
    # The first stage holds most micro-batches in flight, the last the logits; no other stage can exceed both.
    take_first = first.total >= last.total
    fullest: list[FloatArray] = [
        np.where(take_first, getattr(first, part.name), getattr(last, part.name))
        for part in fields(MemoryArrays)
    ]
    return MemoryArrays(*fullest)


def usable_memory(accelerator: Accelerator) -> tuple[float, bool]:
    """Return the bytes that software can allocate on one device and whether that was measured.

    Where it was not, nominal memory less `UNUSABLE_SHARE`. A package of several dies that software sees as
    devices of their own has its memory divided: a tensor lives on one die.
    """
    if accelerator.usable_memory is not None:
        return accelerator.usable_memory.si / accelerator.dies, True
    return accelerator.memory.si * (1 - UNUSABLE_SHARE) / accelerator.dies, False


def fits(problem: Problem, layouts: LayoutArrays, reserve_share: float = RESERVE_SHARE) -> BoolArray:
    """Tell which layouts stay within usable memory less the reserve."""
    usable, _ = usable_memory(problem.device.accelerator)
    return memory(problem, layouts).total <= usable * (1 - reserve_share)


def memory_use(problem: Problem, layouts: LayoutArrays, reserve_share: float = RESERVE_SHARE) -> MemoryUse:
    """Return the parts of the first layout as a record."""
    parts = memory(problem, layouts)
    usable, measured = usable_memory(problem.device.accelerator)
    return MemoryUse(
        weights_bytes=float(parts.weights[0]),
        gradients_bytes=float(parts.gradients[0]),
        optimizer_bytes=float(parts.optimizer[0]),
        activations_bytes=float(parts.activations[0]),
        logits_bytes=float(parts.logits[0]),
        buffers_bytes=float(parts.buffers[0]),
        usable_bytes=usable,
        reserve_share=reserve_share,
        usable_measured=measured,
    )
