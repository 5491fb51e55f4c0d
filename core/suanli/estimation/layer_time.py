"""Time of one layer and of the LM head: matrices, attention, vector work and the launch floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suanli.estimation.flops import head_widths
from suanli.estimation.gemm import attention_gemms, gemm_times, head_gemm, mlp_gemms, moe_gemms

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray, LayoutArrays
    from suanli.estimation.problem import Problem

__all__ = ["LayerTime", "attention_s", "head_s", "layer_time", "vector_bytes"]

_ATTENTION_HALF_LENGTH = 610.0
"""Tokens at which fused attention reaches half its efficiency."""
_ATTENTION_BACKWARD = 2.5
"""Backward over forward work of flash attention, scores recomputed (Dao, "FlashAttention-2", 2023, section
4.1)."""
_BACKWARD = 2.0
_DENSE_KERNELS, _NARROW_KERNELS, _MOE_KERNELS, _ADAPTER_KERNELS = 12, 8, 26, 4
"""Kernel launches of a layer's forward pass: dense layer, added by casts below 16 bit, routed layer, each
adapter."""
_FLOOR_POWER = 4.0
_LOSS_BYTES_PER_LOGIT = 50.0
"""20 bytes read and written per logit by the loss, at 40 % of the bandwidth of plain vector work."""
_CAST_BYTES = 2.9
"""Bytes per GEMM input element of casts below 16 bit: 4 at 0.73."""
_DEQUANTISE_BYTES = 14.0
"""Bytes per 4-bit weight and pass: 2.5 at 5.7 times the cost of plain vector work."""


@dataclass(frozen=True, slots=True)
class LayerTime:
    """Seconds of one layer and micro-batch on one device, communication apart."""

    forward: FloatArray
    backward: FloatArray
    attention: FloatArray
    """Forward attention alone, behind which context parallelism hides."""
    cheap: FloatArray
    """Forward vector work alone, which selective recomputation repeats."""


def attention_s(problem: Problem, layouts: LayoutArrays) -> FloatArray:
    """Return the forward time of causal attention of one layer.

    Equation: T · s · n_h · (d_q + d_v)/tp / (P₁₆ · e_att(s)), e_att(s) = e_att / (1 + s₀/s_blk), s₀ = 610.
    s_blk is s, or s/(2cp) where a ring of context-parallel ranks works on blocks. Narrow formats do not speed
    it up.
    """
    a, c = problem.architecture, problem.constants
    s = problem.workload.sequence_length
    query, value = head_widths(a)
    flops = problem.tokens(layouts) * s * a.attention_heads * (query + value) / layouts.tp
    # Ring attention works on half blocks, because each rank holds one early and one late part (load balance).
    block = np.where(layouts.cp > 1, s / (2 * layouts.cp), s)
    fill = 1 / (1 + _ATTENTION_HALF_LENGTH / block)
    ring = np.where(layouts.cp > 1, c.ring_factor, 1.0)
    # Softmax and accumulation stay in 16 or 32 bit, whatever format the matrices have.
    rate = c.peak16_flops_per_s * c.attention_efficiency * c.attention_factor * fill
    seconds: FloatArray = c.compute_factor * ring * flops / rate
    return seconds


def vector_bytes(problem: Problem, layouts: LayoutArrays, *, routed: bool) -> FloatArray:
    """Return the bytes that the forward pass of one layer moves outside of matrix products.

    Equation: 2T[8h/sp + (g + 1)f/tp + (2n_h + 2n_kv)d/tp]; a routed layer has its local experts' share and
    the permutation instead.
    """
    a, moe, tokens = problem.architecture, problem.architecture.moe, problem.tokens(layouts)
    gate = 3 if a.mlp_type.gated else 2
    query, _ = head_widths(a)
    # Rotary embedding reads and writes queries and keys; latent attention has a key for every head.
    heads = (2 * a.attention_heads + 2 * (a.attention_heads if a.mla else a.kv_heads)) * query
    common: FloatArray = 2 * tokens * (8 * a.hidden_size / layouts.norm_split + heads / layouts.tp)
    if not routed or moe is None:
        return common + 2 * tokens * gate * a.ffn_hidden_size / layouts.tp
    local = np.where(layouts.ep > 1, tokens / layouts.tp, tokens) * moe.top_k
    shared = 2 * tokens * gate * moe.shared_expert_ffn_hidden_size / layouts.tp
    experts = 2 * local * gate * moe.expert_ffn_hidden_size / layouts.expert_tp
    # Tokens are sorted by expert and back, a read and a write each.
    permutation: FloatArray = 4 * 2 * local * a.hidden_size
    return common + shared + experts + permutation


def _cast_bytes(problem: Problem, layouts: LayoutArrays) -> FloatArray:
    """Return the bytes of casting GEMM inputs to a format below 16 bit, forward."""
    if not problem.constants.narrow:
        return np.zeros(len(layouts))
    a = problem.architecture
    inputs = 2 * a.hidden_size + (a.attention_heads * head_widths(a)[1] + a.ffn_hidden_size) / layouts.tp
    moved: FloatArray = _CAST_BYTES * problem.tokens(layouts) * inputs
    return moved


def _adapter_bytes(problem: Problem, layouts: LayoutArrays, weights: float) -> FloatArray:
    """Return the bytes of adapters on their inputs and outputs and of unpacking 4-bit weights, forward."""
    if not problem.adapter:
        return np.zeros(len(layouts))
    a = problem.architecture
    widths = 4 * a.hidden_size + 2 * (
        a.attention_heads * a.head_dim + 2 * a.kv_heads * a.head_dim + 3 * a.ffn_hidden_size
    )
    packed = _DEQUANTISE_BYTES * weights / layouts.tp if problem.quantised else 0.0
    return 2 * problem.tokens(layouts) * widths / layouts.tp + packed


def _floor(gpu_s: FloatArray, host_s: FloatArray | float) -> FloatArray:
    """Return the smooth maximum of device and host time: (gpu⁴ + cpu⁴)^(1/4)."""
    return (gpu_s**_FLOOR_POWER + host_s**_FLOOR_POWER) ** (1 / _FLOOR_POWER)


def layer_time(problem: Problem, layouts: LayoutArrays, *, routed: bool) -> LayerTime:
    """Return the time of one layer, the larger of device and host work smoothly."""
    c, counts = problem.constants, problem.counts
    size = len(layouts)
    block = moe_gemms(problem, layouts) if routed else mlp_gemms(problem, layouts)
    gemm = gemm_times(problem, [*attention_gemms(problem, layouts), *block], size)
    attention = attention_s(problem, layouts)
    weights = float(counts.dense_layer if not routed else counts.moe_layer_without_experts)
    plain = vector_bytes(problem, layouts, routed=routed)
    extra = _cast_bytes(problem, layouts) + _adapter_bytes(problem, layouts, weights)
    vector = (plain * c.vector_factor + extra) / c.hbm_bytes_per_s
    kernels = (_MOE_KERNELS if routed else _DENSE_KERNELS) + _ADAPTER_KERNELS * problem.adapters_per_layer
    kernels += _NARROW_KERNELS if c.narrow else 0
    # Where kernels are short, the host cannot launch them fast enough and becomes the floor.
    host = kernels * c.host_s_per_kernel + (c.moe_host_s_per_layer if routed else 0.0)
    gap = kernels * c.kernel_gap_s
    forward = gemm.forward + attention + vector + gap
    # Vector work and launch gaps double in the backward pass: gradients of inputs and of weights.
    backward = gemm.backward + _ATTENTION_BACKWARD * attention + _BACKWARD * (vector + gap)
    return LayerTime(
        forward=_floor(forward, host),
        backward=_floor(backward, _BACKWARD * host),
        attention=attention,
        cheap=plain * c.vector_factor / c.hbm_bytes_per_s,
    )


def head_s(problem: Problem, layouts: LayoutArrays) -> FloatArray:
    """Return forward and backward time of the LM head and the loss for one micro-batch."""
    gemm = gemm_times(problem, [head_gemm(problem, layouts)], len(layouts))
    logits = problem.tokens(layouts) * problem.architecture.vocab_size / layouts.tp
    return gemm.forward + gemm.backward + _LOSS_BYTES_PER_LOGIT * logits / problem.constants.hbm_bytes_per_s
