"""The numbers of a model under a workload that the formulas read, as arrays that broadcast.

A single problem has arrays without an axis. Several problems stacked have one axis, and a list of layouts of
the same length beside them evaluates each problem with its own layout: that is how constants are fitted on
many runs at once. What a model lacks is zero, so that one expression serves dense, routed, latent, and
adapter-only models.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from suanli.domain.transformer import Block, count_parameters, linears, lora_parameters
from suanli.domain.workload import Task
from suanli.estimation.flops import LORA_RANK, head_widths, is_adapter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.domain.architecture import Architecture
    from suanli.domain.transformer import ParameterCounts
    from suanli.domain.workload import Workload
    from suanli.estimation.arrays import FloatArray, LayoutArrays
    from suanli.estimation.constants import Constants, SharedConstants
    from suanli.estimation.recipes import RecipeNumbers

__all__ = ["ModelNumbers", "Posed", "model_numbers", "stack", "stage_layers", "tokens"]


@dataclass(frozen=True, slots=True)
class ModelNumbers:
    """Sizes, parameters and flags; flags are 1 or 0."""

    layers: FloatArray
    dense_layers: FloatArray
    moe_layers: FloatArray
    hidden: FloatArray
    heads: FloatArray
    kv_heads: FloatArray
    """Heads of keys and values that are stored; with latent attention every query head has its own."""
    query_width: FloatArray
    value_width: FloatArray
    ffn: FloatArray
    up: FloatArray
    """Matrices that widen: 2 for gated blocks, 1 for plain ones."""
    vocab: FloatArray
    latent: FloatArray
    """1 for multi-head latent attention."""
    query_rank: FloatArray
    """0 where queries are projected directly."""
    kv_rank: FloatArray
    rope_width: FloatArray
    nope_width: FloatArray
    experts: FloatArray
    copies: FloatArray
    """Copies of a token that experts work on: the experts of a token times the capacity factor."""
    expert_ffn: FloatArray
    shared_ffn: FloatArray
    dense_layer_parameters: FloatArray
    moe_layer_parameters: FloatArray
    """One routed layer without its routed experts."""
    expert_parameters: FloatArray
    """All routed experts of one layer."""
    embedding: FloatArray
    lm_head: FloatArray
    head_matrix: FloatArray
    other_parameters: FloatArray
    total_parameters: FloatArray
    sequence_length: FloatArray
    adapter: FloatArray
    adapter_share: FloatArray
    """Adapter parameters over all parameters; 1 for full training."""
    adapters_per_layer: FloatArray
    """Adapted matrices that a token passes in a dense layer."""
    adapters_per_moe_layer: FloatArray
    quantised: FloatArray

    @property
    def passes_of_weights(self) -> FloatArray:
        """Return 1 where weights are trained and 0 where they are frozen."""
        return 1.0 - self.adapter


class Posed(Protocol):
    """What the formulas read: one problem, or several stacked."""

    @property
    def model(self) -> ModelNumbers:
        """Return the numbers of the model."""
        ...

    @property
    def constants(self) -> Constants:
        """Return the constants of device and stack."""
        ...

    @property
    def shared(self) -> SharedConstants:
        """Return the constants that hold for every device."""
        ...

    @property
    def recipe_numbers(self) -> RecipeNumbers:
        """Return what is kept in memory for each parameter and logit."""
        ...


def _attention(a: Architecture) -> dict[str, float]:
    query, value = head_widths(a)
    mla = a.mla
    return {
        "heads": a.attention_heads,
        "kv_heads": a.attention_heads if mla else a.kv_heads,
        "query_width": query,
        "value_width": value,
        "latent": mla is not None,
        "query_rank": (mla.q_lora_rank or 0) if mla else 0,
        "kv_rank": mla.kv_lora_rank if mla else 0,
        "rope_width": mla.qk_rope_head_dim if mla else 0,
        "nope_width": mla.qk_nope_head_dim if mla else 0,
    }


def _experts(a: Architecture, workload: Workload) -> dict[str, float]:
    moe = a.moe
    return {
        "experts": moe.experts if moe else 0,
        # Padding is worked on, kept and sent like tokens. Without it a balanced router is assumed.
        "copies": moe.top_k * (workload.capacity_factor or 1.0) if moe else 0,
        "expert_ffn": moe.expert_ffn_hidden_size if moe else 0,
        "shared_ffn": moe.shared_expert_ffn_hidden_size if moe else 0,
    }


def _parameters(counts: ParameterCounts) -> dict[str, float]:
    return {
        "layers": counts.layers,
        "dense_layers": counts.dense_layers,
        "moe_layers": counts.moe_layers,
        "dense_layer_parameters": counts.dense_layer,
        "moe_layer_parameters": counts.moe_layer_without_experts,
        "expert_parameters": counts.experts * (counts.expert_matrices + counts.expert_vectors),
        "embedding": counts.embedding,
        "lm_head": counts.lm_head,
        "head_matrix": counts.head_matrix,
        "other_parameters": counts.positions + counts.final_norm + counts.extra,
        "total_parameters": counts.total,
    }


def _adapters(a: Architecture, workload: Workload, total: int) -> dict[str, float]:
    if not is_adapter(workload):
        return {
            "adapter": 0,
            "adapter_share": 1,
            "adapters_per_layer": 0,
            "adapters_per_moe_layer": 0,
            "quantised": 0,
        }
    blocks = Counter(one.block for one in linears(a) if one.block is not Block.ROUTER)
    attention, routed = blocks[Block.ATTENTION], blocks[Block.SHARED_EXPERT]
    return {
        "adapter": 1,
        "adapter_share": lora_parameters(a, workload.lora_rank or LORA_RANK) / total,
        "adapters_per_layer": attention + blocks[Block.DENSE_MLP],
        "adapters_per_moe_layer": attention + routed + blocks[Block.EXPERT] * (a.moe.top_k if a.moe else 0),
        "quantised": workload.task is Task.QLORA,
    }


def model_numbers(architecture: Architecture, workload: Workload) -> ModelNumbers:
    """Return the numbers of one model under one workload."""
    counts = count_parameters(architecture)
    numbers = {
        "hidden": architecture.hidden_size,
        "ffn": architecture.ffn_hidden_size,
        "up": 2 if architecture.mlp_type.gated else 1,
        "vocab": architecture.vocab_size,
        "sequence_length": workload.sequence_length,
        **_attention(architecture),
        **_experts(architecture, workload),
        **_parameters(counts),
        **_adapters(architecture, workload, counts.total),
    }
    return ModelNumbers(**{name: np.array(value, dtype=np.float64) for name, value in numbers.items()})


Numbers = TypeVar("Numbers")


def stack(records: Sequence[Numbers]) -> Numbers:
    """Return one record whose every field is the array of that field over all records.

    Raises:
        ValueError: there is no record.
    """
    if not records:
        raise ValueError("there is nothing to stack")
    kind = type(records[0])
    names = [one.name for one in fields(kind)]  # type: ignore[arg-type] # dataclasses only, by contract
    return kind(**{name: np.array([getattr(record, name) for record in records]) for name in names})


def tokens(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the tokens that a device sees in one micro-batch: micro-batch · sequence / cp."""
    return layouts.micro_batch_size * posed.model.sequence_length / layouts.cp


def stage_layers(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the layers of the fullest pipeline stage: v · ⌈L / (p · v)⌉."""
    chunks = layouts.pp * layouts.virtual_pipeline
    return np.ceil(posed.model.layers / chunks) * layouts.virtual_pipeline
