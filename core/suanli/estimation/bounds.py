"""Bounds that claims about memory and decoding are held against: bytes that must exist, bytes that must move.

Source: Pope et al., "Efficiently Scaling Transformer Inference", 2022, section 3 (weights and cache per
decoded token); Shazeer, "Fast Transformer Decoding", 2019, section 3 (shared key-value heads); Rajbhandari
et al., "ZeRO", 2020, section 7 (traffic of sharded weights).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture

__all__ = ["decode_bound_s", "kv_cache_bytes_per_token", "zero3_traffic_bytes"]


def kv_cache_bytes_per_token(architecture: Architecture, bytes_per_value: float = 2.0) -> float:
    """Return what one token of context keeps in the cache.

    Equation: 2 · L · n_kv · d · b; with latent attention L · (r_kv + d_rope) · b.
    L: layers; n_kv: key-value heads, not attention heads; d: width of a head; b: bytes of a value; r_kv: rank
    of the compressed keys and values; d_rope: width of the rotated key.

    Range of validity: full attention in every layer.

    >>> from suanli.domain.architecture import Architecture
    >>> llama2 = Architecture(layers=80, hidden_size=8192, ffn_hidden_size=28672, attention_heads=64,
    ...                       kv_heads=8, head_dim=128, vocab_size=32000)
    >>> kv_cache_bytes_per_token(llama2), round(kv_cache_bytes_per_token(llama2) * 32768 / 1e9, 1)
    (327680.0, 10.7)
    """
    mla = architecture.mla
    if mla is not None:
        return architecture.layers * (mla.kv_lora_rank + mla.qk_rope_head_dim) * bytes_per_value
    return 2 * architecture.layers * architecture.kv_heads * architecture.head_dim * bytes_per_value


def decode_bound_s(
    active_parameters: float, bytes_per_weight: float, devices: int, bytes_per_s: float
) -> float:
    """Return the time below which no token of a single sequence can be decoded.

    Equation: t = P · b/(n · B): every weight that the token passes is read once from memory.
    P: active parameters; b: bytes of a weight; n: devices that share the weights; B: memory bandwidth of one
    in bytes/s.

    Range of validity: without speculative decoding, which yields several tokens a pass.

    Raises:
        ValueError: there is no device, or the bandwidth is not positive.

    >>> round(decode_bound_s(70e9, 2, 1, 3.35e12) * 1e3, 1)
    41.8
    """
    if devices < 1 or bytes_per_s <= 0:
        raise ValueError(f"{devices} devices at {bytes_per_s} bytes/s cannot decode")
    return active_parameters * bytes_per_weight / (devices * bytes_per_s)


def zero3_traffic_bytes(parameters: float, servers: int, bytes_per_weight: float = 2.0) -> float:
    """Return what enters each server for one micro-batch under ZeRO-3: 3 · P · b · (n − 1)/n.

    Weights are gathered for the forward and again for the backward pass, gradients are scattered once.

    Raises:
        ValueError: there is no server.

    >>> zero3_traffic_bytes(70e9, 4) / 1e9
    315.0
    """
    if servers < 1:
        raise ValueError("traffic needs at least one server")
    return 3 * parameters * bytes_per_weight * (servers - 1) / servers
