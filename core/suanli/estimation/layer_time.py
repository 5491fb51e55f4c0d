"""Time of one layer and of the LM head: matrices, attention, vector work and the launch floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suanli.estimation.gemm import attention_gemms, gemm_times, head_gemm, mlp_gemms, moe_gemms
from suanli.estimation.numbers import tokens

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray, LayoutArrays
    from suanli.estimation.numbers import Posed

__all__ = ["LayerTime", "attention_s", "head_s", "layer_time", "score_bytes", "smooth_max", "vector_bytes"]

_ATTENTION_BACKWARD = 2.5
"""Backward over forward work of flash attention, scores recomputed (Dao, "FlashAttention-2", 2023, section
4.1)."""
_BACKWARD = 2.0
_SCORE_PASSES, _SCORE_PASSES_BACK = 5, 6
"""Reads and writes of the 16-bit score matrix by unfused attention: scale, mask, softmax, dropout,
product."""


@dataclass(frozen=True, slots=True)
class LayerTime:
    """Seconds of one layer and micro-batch on one device, communication apart."""

    forward: FloatArray
    backward: FloatArray
    attention: FloatArray
    """Forward attention alone, behind which context parallelism hides."""
    cheap: FloatArray
    """Forward vector work alone, which selective recomputation repeats."""


def smooth_max(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return (a⁴ + b⁴)^(1/4): the larger of two that overlap, somewhat more where they are about equal."""
    # Squares and square roots: a general power costs ten times as much on a large grid.
    first, second = one * one, other * other
    return np.sqrt(np.sqrt(first * first + second * second))


def attention_s(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the forward time of causal attention of one layer.

    Equation: T · s · n_h · (d_q + d_v)/tp / (P₁₆ · e_att(s)), e_att(s) = e_att / (1 + s₀/s_blk). s₀: length
    of half efficiency; s_blk: s, or s/(2cp) where a ring of context-parallel ranks works on blocks. Narrow
    formats do not speed it up. Unfused attention computes the masked half too, at the rate of small products.

    Source: Dao, "FlashAttention-2", 2023, section 4.1 (causal work); half-length and efficiencies fitted.
    """
    x, c = posed.model, posed.constants
    widths = x.heads * (x.query_width + x.value_width) / layouts.tp
    flops = tokens(posed, layouts) * x.sequence_length * widths
    # Ring attention works on half blocks, because each rank holds one early and one late part (load balance).
    block = np.where(layouts.cp > 1, x.sequence_length / (2 * layouts.cp), x.sequence_length)
    fill = 1 / (1 + posed.shared.attention_half_length / block)
    ring = np.where(layouts.cp > 1, c.ring_factor, 1.0)
    # Softmax and accumulation stay in 16 or 32 bit, whatever format the matrices have.
    fused = ring * flops / (c.peak16_flops_per_s * c.attention_efficiency * c.attention_factor * fill)
    if not np.any(c.unfused):
        return c.compute_factor * fused
    plain = 2 * flops / (c.peak16_flops_per_s * c.gemm16_efficiency * posed.shared.unfused_efficiency)
    return c.compute_factor * np.where(c.unfused > 0, plain, fused)


def score_bytes(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the bytes of one pass over the 16-bit score matrix of one layer: 2 · n_h · T · s/tp."""
    x = posed.model
    return 2 * x.heads * tokens(posed, layouts) * x.sequence_length / layouts.tp


def vector_bytes(posed: Posed, layouts: LayoutArrays, *, routed: bool) -> FloatArray:
    """Return the bytes that the forward pass of one layer moves outside of matrix products.

    Equation: 2T[8h/sp + (g + 1)f/tp + (2n_h + 2n_kv)d/tp]; a routed layer has its local experts' share and
    the permutation instead.
    """
    x, rows = posed.model, tokens(posed, layouts)
    gate = x.up + 1
    # Rotary embedding reads and writes queries and keys; latent attention has a key for every head.
    heads = 2 * (x.heads + x.kv_heads) * x.query_width
    common = 2 * rows * (8 * x.hidden / layouts.norm_split + heads / layouts.tp)
    if not routed:
        return common + 2 * rows * gate * x.ffn / layouts.tp
    local = np.where(layouts.ep > 1, rows / layouts.tp, rows) * x.copies
    shared = 2 * rows * gate * x.shared_ffn / layouts.tp
    experts = 2 * local * gate * x.expert_ffn / layouts.expert_tp
    # Tokens are sorted by expert and back, a read and a write each.
    permutation = 4 * 2 * local * x.hidden
    return common + shared + experts + permutation


def _cast_bytes(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the bytes of casting GEMM inputs to a format below 16 bit, forward."""
    x = posed.model
    inputs = 2 * x.hidden + (x.heads * x.value_width + x.ffn) / layouts.tp
    return posed.constants.narrow * posed.shared.cast_bytes * tokens(posed, layouts) * inputs


def _adapter_bytes(posed: Posed, layouts: LayoutArrays, *, routed: bool) -> FloatArray:
    """Return the bytes of adapters on their inputs and outputs and of unpacking 4-bit weights, forward.

    A routed layer has the widths of the experts that a token passes, and unpacks all of its local experts.
    """
    x = posed.model
    ffn = x.copies * x.expert_ffn + x.shared_ffn if routed else x.ffn
    widths = 4 * x.hidden + 2 * ((x.heads + 2 * x.kv_heads) * x.query_width + 3 * ffn)
    weights = (x.moe_layer_parameters if routed else x.dense_layer_parameters) / layouts.tp
    if routed:
        weights = weights + x.expert_parameters / (layouts.ep * layouts.expert_tp)
    packed = x.quantised * posed.shared.dequantise_bytes * weights
    return x.adapter * (2 * tokens(posed, layouts) * widths / layouts.tp + packed)


def _kernels(posed: Posed, *, routed: bool) -> FloatArray:
    """Return the kernel launches of one layer's forward pass."""
    shared = posed.shared
    base = shared.moe_kernels if routed else shared.dense_kernels
    x = posed.model
    adapters = shared.adapter_kernels * (x.adapters_per_moe_layer if routed else x.adapters_per_layer)
    return base + adapters + shared.narrow_kernels * posed.constants.narrow


def layer_time(posed: Posed, layouts: LayoutArrays, *, routed: bool) -> LayerTime:
    """Return the time of one layer, the larger of device and host work smoothly."""
    c, x = posed.constants, posed.model
    block = moe_gemms(posed, layouts) if routed else mlp_gemms(posed, layouts)
    gemm = gemm_times(posed, [*attention_gemms(posed, layouts), *block])
    attention = attention_s(posed, layouts)
    plain = vector_bytes(posed, layouts, routed=routed) * c.vector_factor
    moved = plain
    if np.any(c.narrow):
        moved = moved + _cast_bytes(posed, layouts)
    if np.any(x.adapter):
        moved = moved + _adapter_bytes(posed, layouts, routed=routed)
    kernels = _kernels(posed, routed=routed)
    # Where kernels are short, the host cannot launch them fast enough and becomes the floor.
    host = kernels * c.host_s_per_kernel + (c.moe_host_s_per_layer if routed else 0.0)
    scores = (
        score_bytes(posed, layouts) * c.unfused / c.hbm_bytes_per_s if np.any(c.unfused) else np.array(0.0)
    )
    vector = moved / c.hbm_bytes_per_s + kernels * c.kernel_gap_s
    forward = gemm.forward + attention + vector + _SCORE_PASSES * scores
    # Vector work and launch gaps double in the backward pass: gradients of inputs and of weights.
    back = np.where(c.unfused > 0, _BACKWARD, _ATTENTION_BACKWARD)
    backward = gemm.backward + back * attention + _BACKWARD * vector + _SCORE_PASSES_BACK * scores
    return LayerTime(
        forward=smooth_max(forward, host),
        backward=smooth_max(backward, _BACKWARD * host),
        attention=attention,
        cheap=plain / c.hbm_bytes_per_s + c.unfused * (attention + _SCORE_PASSES * scores),
    )


def head_s(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return forward and backward time of the LM head and the loss for one micro-batch."""
    gemm = gemm_times(posed, [head_gemm(posed, layouts)])
    logits = tokens(posed, layouts) * posed.model.vocab / layouts.tp
    c = posed.constants
    loss = c.loss_factor * posed.shared.loss_bytes_per_logit * logits / c.hbm_bytes_per_s
    return gemm.forward + gemm.backward + loss
