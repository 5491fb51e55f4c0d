"""Time of matrix multiplication: exact shapes, a roofline, and an efficiency that falls for small sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suanli.estimation.flops import head_widths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.estimation.arrays import FloatArray, LayoutArrays
    from suanli.estimation.constants import Constants
    from suanli.estimation.problem import Problem

__all__ = [
    "Gemm",
    "GemmTime",
    "attention_gemms",
    "gemm_s",
    "gemm_times",
    "head_gemm",
    "mlp_gemms",
    "moe_gemms",
]

_REFERENCE_FLOPS_PER_S = 312e12
"""Peak at which the shape constants are stated (A100)."""
_GROUPED_OVERHEAD = 1.6
"""Grouped expert GEMMs against one GEMM of the same shape, before the stack's own factor (fitted on published
runs)."""


@dataclass(frozen=True, slots=True)
class Gemm:
    """A product of an M×K activation and a K×N weight, `count` times per layer and device."""

    m: FloatArray
    k: FloatArray
    n: FloatArray
    count: FloatArray
    sixteen_bit: bool = False
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class GemmTime:
    """Seconds per layer and micro-batch."""

    forward: FloatArray
    backward: FloatArray


def gemm_s(
    constants: Constants, m: FloatArray, k: FloatArray, n: FloatArray, *, sixteen_bit: bool = False
) -> FloatArray:
    """Return the time of one matrix product.

    Equation: max{ 2MKN/(P·e) · [1 + σ(k_K/K + k_M/M + k_N/N)], 2(MK + KN + MN)/B }, σ = √(P·e / 312e12) ·
    k_chip. P: dense peak in FLOP/s; e: large-matrix efficiency; k: shape constants; B: memory bandwidth
    reached in bytes/s. A faster chip needs larger matrices, hence σ.

    Source: roofline of Williams, Waterman, Patterson, 2009; shape term fitted on published runs.
    """
    peak = constants.peak16_flops_per_s if sixteen_bit else constants.peak_flops_per_s
    rate = peak * (constants.gemm16_efficiency if sixteen_bit else constants.gemm_efficiency)
    # The shape constants were fitted on one chip; a faster one fills its units only with larger sides.
    sigma = (rate / _REFERENCE_FLOPS_PER_S) ** 0.5 * constants.shape_chip
    shape = 1 + sigma * (constants.shape_k / k + constants.shape_m / m + constants.shape_n / n)
    compute_s: FloatArray = 2 * m * k * n / rate * shape
    return np.maximum(compute_s, 2 * (m * k + k * n + m * n) / constants.hbm_bytes_per_s)


def gemm_times(problem: Problem, gemms: Iterable[Gemm], size: int) -> GemmTime:
    """Return forward and backward time of a list of products.

    Backward is the input gradient (M, N, K) and the weight gradient (K, M, N); frozen weights have no weight
    gradient.
    """
    constants = problem.constants
    forward, backward = np.zeros(size), np.zeros(size)
    for gemm in gemms:
        factor = gemm.count * constants.compute_factor
        if gemm.grouped:
            factor = factor * _GROUPED_OVERHEAD * constants.moe_gemm_factor
        kind = gemm.sixteen_bit
        forward = forward + factor * gemm_s(constants, gemm.m, gemm.k, gemm.n, sixteen_bit=kind)
        backward = backward + factor * gemm_s(constants, gemm.m, gemm.n, gemm.k, sixteen_bit=kind)
        if not problem.adapter:
            backward = backward + factor * gemm_s(constants, gemm.k, gemm.m, gemm.n, sixteen_bit=kind)
    return GemmTime(forward, backward)


def _gemm(m: FloatArray, k: float | FloatArray, n: float | FloatArray) -> Gemm:
    return Gemm(m, np.broadcast_to(k, m.shape), np.broadcast_to(n, m.shape), np.ones_like(m))


def attention_gemms(problem: Problem, layouts: LayoutArrays) -> list[Gemm]:
    """Return the projections of one layer: fused query-key-value and output, or the latent factors."""
    a, tokens, tp = problem.architecture, problem.tokens(layouts), layouts.tp
    query, value = head_widths(a)
    output = _gemm(tokens, a.attention_heads * value / tp, a.hidden_size)
    if a.mla is None:
        # Grouped-query heads cannot be split below one per rank; they are then computed on several.
        width = (a.attention_heads / tp + 2 * np.maximum(a.kv_heads / tp, 1.0)) * a.head_dim
        return [_gemm(tokens, a.hidden_size, width), output]
    rank, latent = a.mla.q_lora_rank, a.mla.kv_lora_rank
    queries = a.attention_heads * query / tp
    keys = a.attention_heads * (a.mla.qk_nope_head_dim + value) / tp
    first = [_gemm(tokens, a.hidden_size, queries)]
    if rank is not None:
        first = [_gemm(tokens, a.hidden_size, rank), _gemm(tokens, rank, queries)]
    down = _gemm(tokens, a.hidden_size, latent + a.mla.qk_rope_head_dim)
    return [*first, down, _gemm(tokens, latent, keys), output]


def _block(problem: Problem, tokens: FloatArray, width: float | FloatArray) -> list[Gemm]:
    a = problem.architecture
    up = (2 if a.mlp_type.gated else 1) * width
    return [_gemm(tokens, a.hidden_size, up), _gemm(tokens, width, a.hidden_size)]


def mlp_gemms(problem: Problem, layouts: LayoutArrays) -> list[Gemm]:
    """Return the products of one dense feed-forward block; gate and up are one product."""
    return _block(problem, problem.tokens(layouts), problem.architecture.ffn_hidden_size / layouts.tp)


def moe_gemms(problem: Problem, layouts: LayoutArrays) -> list[Gemm]:
    """Return the products of one routed block: E/ep experts of T_l·k·ep/E tokens, and the shared one."""
    moe = problem.architecture.moe
    if moe is None:
        return []
    tokens = problem.tokens(layouts)
    local = np.where(layouts.ep > 1, tokens / layouts.tp, tokens)
    # A balanced router is assumed; an expert that is hit by less than one token still costs a row.
    rows = np.maximum(local * moe.top_k * layouts.ep / moe.experts, 1.0)
    width = moe.expert_ffn_hidden_size / layouts.expert_tp
    count = moe.experts / layouts.ep
    routed = [Gemm(g.m, g.k, g.n, count, grouped=True) for g in _block(problem, rows, width)]
    if not moe.shared_expert_ffn_hidden_size:
        return routed
    return [*routed, *_block(problem, tokens, moe.shared_expert_ffn_hidden_size / layouts.tp)]


def head_gemm(problem: Problem, layouts: LayoutArrays) -> Gemm:
    """Return the product that gives the logits, in 16 bit whatever the precision."""
    a, tokens = problem.architecture, problem.tokens(layouts)
    shape = tokens.shape
    return Gemm(
        tokens,
        np.full(shape, float(a.hidden_size)),
        a.vocab_size / layouts.tp,
        np.ones(shape),
        sixteen_bit=True,
    )
