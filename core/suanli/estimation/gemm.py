"""Time of matrix products by their shape, and the products of each part of a transformer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from suanli.estimation.numbers import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.estimation.arrays import FloatArray, LayoutArrays
    from suanli.estimation.constants import Constants
    from suanli.estimation.numbers import Posed

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


@dataclass(frozen=True, slots=True)
class Gemm:
    """A product of an M×K activation and a K×N weight, `count` times per layer and device."""

    m: FloatArray
    k: FloatArray
    n: FloatArray
    count: FloatArray = field(default_factory=lambda: np.array(1.0))
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
    sigma = np.sqrt(rate / _REFERENCE_FLOPS_PER_S) * constants.shape_chip
    # (1 + σ Σ kᵢ/side) · 2MKN, multiplied out: products of three sides would need more operations.
    pairs = m * k
    work = pairs * n
    shape = constants.shape_k * m * n + constants.shape_m * k * n + constants.shape_n * pairs
    compute_s = 2 * (work + sigma * shape) / rate
    return np.maximum(compute_s, 2 * (pairs + (m + k) * n) / constants.hbm_bytes_per_s)


def gemm_times(posed: Posed, gemms: Iterable[Gemm]) -> GemmTime:
    """Return forward and backward time of a list of products.

    Backward is the input gradient (M, N, K) and the weight gradient (K, M, N); frozen weights have no weight
    gradient.
    """
    c, trained = posed.constants, posed.model.passes_of_weights
    forward, backward = np.array(0.0), np.array(0.0)
    for gemm in gemms:
        factor = gemm.count * c.compute_factor
        if gemm.grouped:
            factor = factor * posed.shared.grouped_overhead * c.moe_gemm_factor
        kind = gemm.sixteen_bit
        forward = forward + factor * gemm_s(c, gemm.m, gemm.k, gemm.n, sixteen_bit=kind)
        backward = backward + factor * gemm_s(c, gemm.m, gemm.n, gemm.k, sixteen_bit=kind)
        if np.any(trained):
            weights = gemm_s(c, gemm.k, gemm.m, gemm.n, sixteen_bit=kind)
            backward = backward + factor * trained * weights
    return GemmTime(forward, backward)


def attention_gemms(posed: Posed, layouts: LayoutArrays) -> list[Gemm]:
    """Return the projections of one layer: fused query-key-value and output, or the latent factors."""
    x, rows, tp = posed.model, tokens(posed, layouts), layouts.tp
    output = Gemm(rows, x.heads * x.value_width / tp, x.hidden)
    found = [output]
    if not np.all(x.latent):
        # Grouped-query heads cannot be split below one per rank; they are then computed on several.
        width = (x.heads / tp + 2 * np.maximum(x.kv_heads / tp, 1.0)) * x.query_width
        found.append(Gemm(rows, x.hidden, width, 1.0 - x.latent))
    if np.any(x.latent):
        found.extend(_latent_gemms(posed, rows, tp))
    return found


def _latent_gemms(posed: Posed, rows: FloatArray, tp: FloatArray) -> list[Gemm]:
    """Return the factors of latent attention; sides of absent ones are 1 and their count is 0."""
    x = posed.model
    ranked = x.latent * (x.query_rank > 0)
    rank, latent = np.maximum(x.query_rank, 1.0), np.maximum(x.kv_rank, 1.0)
    queries = x.heads * x.query_width / tp
    keys = x.heads * (x.nope_width + x.value_width) / tp
    return [
        Gemm(rows, x.hidden, queries, x.latent - ranked),
        Gemm(rows, x.hidden, rank, ranked),
        Gemm(rows, rank, queries, ranked),
        Gemm(rows, x.hidden, latent + x.rope_width, x.latent),
        Gemm(rows, latent, keys, x.latent),
    ]


def mlp_gemms(posed: Posed, layouts: LayoutArrays) -> list[Gemm]:
    """Return the products of one dense feed-forward block; gate and up are one product."""
    x, rows, width = posed.model, tokens(posed, layouts), posed.model.ffn / layouts.tp
    return [Gemm(rows, x.hidden, x.up * width), Gemm(rows, width, x.hidden)]


def moe_gemms(posed: Posed, layouts: LayoutArrays) -> list[Gemm]:
    """Return the products of one routed block: E/ep experts of T_l·k·ep/E tokens, and the shared one."""
    x, rows = posed.model, tokens(posed, layouts)
    local = np.where(layouts.ep > 1, rows / layouts.tp, rows)
    experts = np.maximum(x.experts, 1.0)
    # A balanced router is assumed; an expert that is hit by less than one token still costs a row.
    hit = np.maximum(local * x.copies * layouts.ep / experts, 1.0)
    width = np.maximum(x.expert_ffn, 1.0) / layouts.expert_tp
    count = x.experts / layouts.ep
    shared = np.maximum(x.shared_ffn, 1.0) / layouts.tp
    once = np.where(x.shared_ffn > 0, 1.0, 0.0)
    return [
        Gemm(hit, x.hidden, x.up * width, count, grouped=True),
        Gemm(hit, width, x.hidden, count, grouped=True),
        Gemm(rows, x.hidden, x.up * shared, once),
        Gemm(rows, shared, x.hidden, once),
    ]


def head_gemm(posed: Posed, layouts: LayoutArrays) -> Gemm:
    """Return the product that gives the logits, in 16 bit whatever the precision, in the pieces asked for."""
    x, pieces = posed.model, layouts.loss_chunks
    return Gemm(tokens(posed, layouts) / pieces, x.hidden, x.vocab / layouts.tp, pieces, sixteen_bit=True)
