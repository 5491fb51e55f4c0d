"""Work of training, counted exactly from the architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.transformer import count_parameters, lora_parameters
from suanli.domain.workload import Task
from suanli.estimation.results import ModelProfile

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture
    from suanli.domain.workload import Workload

__all__ = [
    "LORA_RANK",
    "attention_flops_per_token",
    "head_widths",
    "is_adapter",
    "model_profile",
    "training_flops",
]

LORA_RANK = 16
"""Rank that is assumed where a LoRA workload leaves it out (the default of LLaMA-Factory is 8, of torchtune's
recipes 8 to 64)."""

_TRAINED_FLOPS, _FROZEN_FLOPS = 6, 4
"""Per weight and token: 2 forward, 2 for the input gradient, and 2 for the weight gradient, which frozen
weights do without."""


def is_adapter(workload: Workload) -> bool:
    """Tell whether only adapters are trained."""
    return workload.task in {Task.LORA, Task.QLORA}


def head_widths(architecture: Architecture) -> tuple[int, int]:
    """Return the widths of a query (and key) head and of a value head.

    Latent attention has two different ones.

    >>> from suanli.domain.architecture import Architecture
    >>> head_widths(Architecture(layers=2, hidden_size=8, ffn_hidden_size=8, attention_heads=2, kv_heads=2,
    ...                          head_dim=4, vocab_size=9))
    (4, 4)
    """
    mla = architecture.mla
    if mla is None:
        return architecture.head_dim, architecture.head_dim
    return mla.qk_nope_head_dim + mla.qk_rope_head_dim, mla.v_head_dim


def attention_flops_per_token(architecture: Architecture, sequence_length: int) -> float:
    """Return the training FLOPs per token of causal attention scores and values.

    Equation: 3 · L · s · n_h · (d_q + d_v), that is 3 × (forward 4 · s · n_h · (d_q + d_v)/2, halved by the
    causal mask). L: layers; s: tokens of a sequence; n_h: heads; d_q, d_v: widths of query and value heads.

    Range of validity: packed sequences with a full causal mask; a sliding window does less.

    Source: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters", 2021, appendix,
    halved for the mask as in Dao, "FlashAttention-2", 2023, section 4.1.

    >>> from suanli.domain.architecture import Architecture
    >>> llama2 = Architecture(layers=32, hidden_size=4096, ffn_hidden_size=11008, attention_heads=32,
    ...                       kv_heads=32, head_dim=128, vocab_size=32000)
    >>> attention_flops_per_token(llama2, 4096) == 6 * 32 * 4096 * 4096
    True
    """
    query, value = head_widths(architecture)
    return 3.0 * architecture.layers * sequence_length * architecture.attention_heads * (query + value)


def model_profile(architecture: Architecture, workload: Workload) -> ModelProfile:
    """Return parameters and training work per token of a model under a workload.

    Matrix work is 6 FLOPs per active weight and token; for LoRA and QLoRA 4 per frozen weight and 6 per
    adapter weight.

    Source: Kaplan et al., "Scaling Laws for Neural Language Models", 2020, section 2.1 (2 forward, 4
    backward); Hu et al., "LoRA", 2021, section 4.2 (no gradient of frozen weights).
    """
    counts = count_parameters(architecture)
    trainable, matmul_flops = counts.total, float(_TRAINED_FLOPS * counts.matmul)
    if is_adapter(workload):
        rank = workload.lora_rank or LORA_RANK
        trainable = lora_parameters(architecture, rank)
        active_adapters = lora_parameters(architecture, rank, active=True)
        matmul_flops = float(_FROZEN_FLOPS * counts.matmul + _TRAINED_FLOPS * active_adapters)
    return ModelProfile(
        total_parameters=counts.total,
        active_parameters=counts.active,
        matmul_parameters=counts.matmul,
        trainable_parameters=trainable,
        matmul_flops_per_token=matmul_flops,
        attention_flops_per_token=attention_flops_per_token(architecture, workload.sequence_length),
        six_n_flops_per_token=6.0 * counts.active,
    )


def training_flops(profile: ModelProfile, tokens: float) -> float:
    """Return the model FLOPs of a run: tokens times the work per token."""
    return profile.flops_per_token * tokens
