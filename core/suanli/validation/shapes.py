"""Makes the shape of a model from what a record states of it, or says why it cannot be made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from suanli.domain.architecture import Architecture, LatentAttention, MixtureOfExperts, MlpType
from suanli.domain.transformer import Block, linears

if TYPE_CHECKING:
    from suanli.validation.schema import RunModel

__all__ = ["adapted_linears", "architecture_of"]

_HEAD_DIM: Final = 128
_VOCABULARY: Final = 32000
_WIDTH_STEP: Final = 256
_FEW_EXPERTS, _FEW_CHOSEN, _MANY_CHOSEN = 16, 2, 8
_MATRICES: Final = {True: 3, False: 2}
_KV_RANK, _NOPE, _ROPE, _VALUE, _QUERY_RANK = 512, 128, 64, 128, 1536
"""Latent attention of the published DeepSeek models (DeepSeek-V2, 2024, section 3.1.2)."""
_SMALL_HIDDEN: Final = 2048
"""Hidden size up to which the published models with latent attention do not compress queries."""


def architecture_of(model: RunModel) -> tuple[Architecture, tuple[str, ...]] | str:
    """Return the shape and the fields that had to be assumed, or a reason.

    Layers and hidden size are needed. Heads are 128 wide; all heads have keys and values of their own; the
    feed-forward width follows from the total number of parameters, else 4 h (8 h / 3 for gated blocks); a
    block of width 4 h is a plain one; the head is not tied; the vocabulary is 32,000. With latent attention
    the head size of the record means nothing. A truncated mixture of experts that is said to have dense
    layers alone keeps one of them, or none in a single layer.
    """
    if not model.layers or not model.hidden:
        return "the shape of the model is not stated: layers and hidden size are needed"
    if model.family == "moe" and (model.experts or 0) <= 1:
        return "the shape of the model is not stated: a mixture of experts needs their number"
    assumed = [
        name
        for name in ("heads", "kv_heads", "vocab", "gated_mlp", "tied_embeddings")
        if getattr(model, name) is None and not (name == "kv_heads" and model.mla)
    ]
    try:
        mla, moe = _latent(model), _routed(model, assumed)
        shape = _architecture(model, mla, moe, assumed)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"the shape of the model contradicts itself: {where} {first['msg']}".replace("  ", " ")
    return shape, tuple(f"model.{name}" for name in assumed)


def _architecture(
    model: RunModel, mla: LatentAttention | None, moe: MixtureOfExperts | None, assumed: list[str]
) -> Architecture:
    hidden, layers = model.hidden or 0, model.layers or 0
    heads = model.heads or max(1, hidden // (model.head_dim or _HEAD_DIM))
    own = model.kv_heads or heads
    kv_heads = heads if mla is not None or heads % own else own
    head_dim = model.head_dim or max(1, hidden // heads)
    if mla is not None:
        head_dim = mla.qk_nope_head_dim + mla.qk_rope_head_dim
    gated = model.ffn_hidden != 4 * hidden if model.gated_mlp is None else model.gated_mlp
    vocabulary = model.vocab or _VOCABULARY
    shape = Architecture(
        layers=layers,
        hidden_size=hidden,
        ffn_hidden_size=model.ffn_hidden or (moe.expert_ffn_hidden_size if moe else 1),
        mlp_type=MlpType.SWIGLU if gated else MlpType.GELU,
        attention_heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab_size=vocabulary,
        tied_embeddings=bool(model.tied_embeddings),
        moe=moe,
        mla=mla,
    )
    if model.ffn_hidden or moe:
        return shape
    assumed.append("ffn_hidden")
    return shape.model_copy(update={"ffn_hidden_size": _width(model, shape)})


def _width(model: RunModel, shape: Architecture) -> int:
    """Return the feed-forward width f that the parameter count leaves, or the usual one.

    Equation: f = (N − V·h·e − L·a) / (L·g·h), with N parameters, e embeddings and head, a attention matrices
    of a layer and g matrices of a block.
    """
    hidden, matrices = shape.hidden_size, _MATRICES[shape.mlp_type.gated]
    attention = sum(one.matrix_parameters for one in linears(shape) if one.block is Block.ATTENTION)
    tables = (1 if shape.tied_embeddings else 2) * shape.vocab_size * hidden
    left = 1e9 * (model.total_params_b or 0) - tables - shape.layers * attention
    width = left / (shape.layers * matrices * hidden)
    if not hidden / 2 < width < 16 * hidden:
        width = 8 * hidden / 3 if shape.mlp_type.gated else 4 * hidden
    return max(_WIDTH_STEP, round(width / _WIDTH_STEP) * _WIDTH_STEP)


def _routed(model: RunModel, assumed: list[str]) -> MixtureOfExperts | None:
    """Return the routed blocks, or None for a dense model."""
    experts = model.experts or 0
    if experts <= 1:
        return None
    if model.top_k is None:
        assumed.append("top_k")
    usual = min(experts, _FEW_CHOSEN if experts <= _FEW_EXPERTS else _MANY_CHOSEN)
    layers, dense = model.layers or 0, model.dense_layers or 0
    if dense >= layers:
        dense = 1 if layers > 1 else 0
    return MixtureOfExperts(
        experts=experts,
        top_k=model.top_k or usual,
        expert_ffn_hidden_size=model.moe_ffn_hidden or model.ffn_hidden or 0,
        shared_expert_ffn_hidden_size=model.shared_ffn_hidden or 0,
        dense_layers=dense,
    )


def _latent(model: RunModel) -> LatentAttention | None:
    """Return latent attention, with the published sizes for those that the record leaves out."""
    if not model.mla:
        return None
    stated = model.mla_dims
    if stated is None or not stated.kv_lora_rank:
        rank = None if (model.hidden or 0) <= _SMALL_HIDDEN else _QUERY_RANK
        return LatentAttention(
            q_lora_rank=rank,
            kv_lora_rank=_KV_RANK,
            qk_nope_head_dim=_NOPE,
            qk_rope_head_dim=_ROPE,
            v_head_dim=_VALUE,
        )
    return LatentAttention(
        q_lora_rank=stated.q_lora_rank or None,
        kv_lora_rank=stated.kv_lora_rank,
        qk_nope_head_dim=stated.qk_nope_head_dim or _NOPE,
        qk_rope_head_dim=stated.qk_rope_head_dim or _ROPE,
        v_head_dim=stated.v_head_dim or _VALUE,
    )


def adapted_linears(targets: str | None, architecture: Architecture) -> tuple[str, ...] | None:
    """Return the names of the matrices that carry adapters, as `linears` names them; None if not stated.

    Read are "attention", "MLP" and the query, key, value and output matrices under their usual names.

    >>> shape = Architecture(layers=2, hidden_size=256, ffn_hidden_size=512, attention_heads=2, kv_heads=2,
    ...                      head_dim=128, vocab_size=100)
    >>> adapted_linears(".*wq|.*wk|.*wv", shape), adapted_linears("see script", shape)
    (('q', 'k', 'v'), None)
    """
    text = (targets or "").casefold()
    every = [one for one in linears(architecture) if one.block is not Block.ROUTER]
    attention, feed_forward = "attention" in text, "mlp" in text or "feed-forward" in text
    whole = "all linear" in text or "all-linear" in text
    chosen = [
        one.name
        for one in every
        if whole or (attention if one.block is Block.ATTENTION else feed_forward) or _named(one.name, text)
    ]
    return tuple(dict.fromkeys(chosen)) or None


def _named(name: str, text: str) -> bool:
    """Tell whether a matrix is named on its own, as ``wq`` or ``q_proj``."""
    letter = name.partition("_")[0]
    usual = (f"w{letter}", f"{letter}_proj", f"linear_{letter}") if len(letter) == 1 else (f"{letter}_proj",)
    joined = letter in {"q", "k", "v"} and any(word in text for word in ("qkv", "c_attn", "query_key_value"))
    return joined or any(word in text for word in usual)
