"""Read the shape of a model from a Hugging Face ``config.json``.

The families spell the same quantity differently; `SPELLINGS` lists the spellings that are understood, in
order of preference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, TypedDict, cast

from pydantic import ValidationError

from suanli.domain.architecture import Architecture, LatentAttention, MixtureOfExperts, MlpType
from suanli.errors import Fault, InputError

__all__ = ["SPELLINGS", "architecture_from_config"]

SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "layers": ("num_hidden_layers", "n_layer", "num_layers", "n_layers"),
    "hidden_size": ("hidden_size", "n_embd", "d_model"),
    "ffn_hidden_size": ("intermediate_size", "ffn_hidden_size", "n_inner"),
    "attention_heads": ("num_attention_heads", "n_head", "n_heads"),
    "kv_heads": ("num_key_value_heads", "multi_query_group_num", "n_head_kv", "num_kv_heads"),
    "head_dim": ("head_dim", "kv_channels", "attention_head_size"),
    "vocab_size": ("vocab_size", "padded_vocab_size"),
    "max_context": ("max_position_embeddings", "seq_length", "n_positions", "n_ctx", "model_max_length"),
    "experts": ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"),
    "top_k": ("num_experts_per_tok", "moe_top_k", "num_experts_per_token", "moe_topk"),
    "expert_ffn_hidden_size": ("moe_intermediate_size", "expert_intermediate_size"),
    "shared_expert_ffn_hidden_size": ("shared_expert_intermediate_size",),
    "shared_experts": ("n_shared_experts", "num_shared_experts"),
    "dense_layers": ("first_k_dense_replace", "moe_layer_start_index"),
    "layer_interval": ("decoder_sparse_step", "moe_layer_freq", "moe_layer_interval"),
}
"""Field of the architecture, and the keys that may hold it."""

_ACTIVATIONS = ("hidden_act", "activation_function", "activation")
_ALWAYS = ("layers", "hidden_size", "attention_heads", "vocab_size")
_QKV_BIAS_TYPES = {"qwen2", "qwen2_moe", "qwen", "chatglm", "gpt2", "bloom", "phi", "gpt_neox", "internlm"}
_PLAIN_BIAS_TYPES = {"gpt2", "bloom", "phi", "gpt_neox", "opt"}
_TIED_TYPES = {"gpt2", "bloom"}
_LEARNED_POSITION_TYPES = {"gpt2", "opt"}
_QK_NORM_TYPES = {"qwen3", "qwen3_moe"}
_ROUTED_TYPES = {"mixtral", "qwen2_moe", "qwen3_moe", "deepseek_v2", "deepseek_v3"}


def _find(config: Mapping[str, object], field: str) -> object:
    return next((config[key] for key in SPELLINGS[field] if config.get(key) is not None), None)


def _integer(config: Mapping[str, object], field: str) -> int | None:
    """Return a size, the largest where it is stated for each layer; None for what is no number."""
    value = _find(config, field)
    sizes = (
        [_whole(one) for one in cast("list[object]", value)] if isinstance(value, list) else [_whole(value)]
    )
    return max((size for size in sizes if size is not None), default=None)


def _whole(value: object) -> int | None:
    # JSON as Python reads it has true, Infinity and NaN, none of which is a size.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) else int(value) if math.isfinite(value) else None


def _flag(config: Mapping[str, object], *keys: str, default: bool) -> bool:
    return next((bool(config[key]) for key in keys if config.get(key) is not None), default)


def _missing(config: Mapping[str, object], fields: tuple[str, ...]) -> list[Fault]:
    return [
        Fault(
            f"no {field.replace('_', ' ')}",
            key=SPELLINGS[field][0],
            why=f"known spellings: {', '.join(SPELLINGS[field])}",
            cure="add the key, or choose a model of the catalogue",
        )
        for field in fields
        if _integer(config, field) is None
    ]


def _model_type(config: Mapping[str, object]) -> str:
    return str(config.get("model_type", "")).lower()


def _mlp_type(config: Mapping[str, object]) -> MlpType:
    model_type = _model_type(config)
    activation = str(next((config[key] for key in _ACTIVATIONS if config.get(key)), "silu")).lower()
    if "relu2" in activation or "squared_relu" in activation:
        return MlpType.RELU2
    if "gelu" in activation:
        return MlpType.GEGLU if model_type.startswith("gemma") else MlpType.GELU
    return MlpType.GELU if model_type in _PLAIN_BIAS_TYPES else MlpType.SWIGLU


def _moe(config: Mapping[str, object]) -> MixtureOfExperts | None:
    experts = _integer(config, "experts")
    if experts is None or experts <= 1:
        return None
    width = _integer(config, "expert_ffn_hidden_size") or _integer(config, "ffn_hidden_size") or 0
    shared = _integer(config, "shared_expert_ffn_hidden_size")
    if shared is None:
        shared = (_integer(config, "shared_experts") or 0) * width
    return MixtureOfExperts(
        experts=experts,
        top_k=_integer(config, "top_k") or 0,
        expert_ffn_hidden_size=width,
        shared_expert_ffn_hidden_size=shared,
        dense_layers=_integer(config, "dense_layers") or 0,
        layer_interval=_integer(config, "layer_interval") or 1,
        shared_expert_gate=_model_type(config) == "qwen2_moe",
        router_bias=config.get("topk_method") == "noaux_tc",
    )


def _mla(config: Mapping[str, object]) -> LatentAttention | None:
    if config.get("kv_lora_rank") is None:
        return None
    names = ("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
    lost = [name for name in names if not isinstance(config.get(name), int)]
    if lost:
        raise InputError([Fault(f"no {name}", key=name, why="latent attention needs it") for name in lost])
    rank = config.get("q_lora_rank")
    return LatentAttention(
        q_lora_rank=rank if isinstance(rank, int) and rank > 0 else None,
        **{name: cast("int", config[name]) for name in names},
    )


def _ffn(config: Mapping[str, object], hidden_size: int) -> int | None:
    width = _integer(config, "ffn_hidden_size")
    if width is None and _mlp_type(config) is MlpType.GELU:
        # The plain families leave the width out where it is four times the hidden size.
        return 4 * hidden_size
    return width


def _head_dim(config: Mapping[str, object], mla: LatentAttention | None, hidden_size: int, heads: int) -> int:
    if mla is not None:
        return mla.qk_nope_head_dim + mla.qk_rope_head_dim
    return _integer(config, "head_dim") or hidden_size // max(1, heads)


def _kv_heads(config: Mapping[str, object], heads: int) -> int:
    if config.get("multi_query") is True and _integer(config, "kv_heads") is None:
        return 1
    if config.get("multi_query_attention") is False:
        return heads
    return _integer(config, "kv_heads") or heads


_OTHER_KINDS = frozenset(
    {
        *("albert", "bert", "camembert", "deberta", "deberta-v2", "distilbert", "electra", "modernbert"),
        *("roberta", "xlm-roberta", "bart", "mbart", "mt5", "pegasus", "t5", "clip", "vit", "whisper"),
    }
)
"""``model_type`` of encoders and encoder-decoders, whose layers a decoder's count would get wrong."""


def _check(config: Mapping[str, object]) -> None:
    kind = _model_type(config)
    if kind in _OTHER_KINDS:
        why = "only decoder-only language models can be sized"
        raise InputError(Fault(f'model_type "{kind}" is no decoder-only model', key="model", why=why))
    needed: tuple[str, ...] = _ALWAYS
    if _integer(config, "expert_ffn_hidden_size") is None and _mlp_type(config) is not MlpType.GELU:
        needed = (*needed, "ffn_hidden_size")
    if _integer(config, "experts") is not None:
        needed = (*needed, "top_k")
    elif _model_type(config) in _ROUTED_TYPES:
        needed = (*needed, "experts", "top_k")
    faults = _missing(config, needed)
    if faults:
        raise InputError(faults)


def architecture_from_config(config: Mapping[str, object]) -> Architecture:
    """Return the architecture that a ``config.json`` describes.

    Understood are the spellings of Llama, Mistral, Mixtral, Qwen 2 and 3 (dense and routed), DeepSeek V2 and
    V3, GPT-2, BLOOM, Phi, Baichuan, InternLM and ChatGLM. A nested ``text_config`` is used where there is
    one. What a family fixes in its code rather than in the file (the query, key and value biases of Qwen 2,
    the query and key norms of Qwen 3) follows ``model_type``.

    Raises:
        InputError: keys are missing (all of them are listed with their known spellings) or contradict each
        other.

    >>> shape = architecture_from_config({"model_type": "qwen2", "num_hidden_layers": 28, "hidden_size": 3584,
    ...     "intermediate_size": 18944, "num_attention_heads": 28, "num_key_value_heads": 4,
    ...     "vocab_size": 152064})
    >>> shape.head_dim, shape.qkv_bias
    (128, True)
    """
    nested = config.get("text_config")
    if isinstance(nested, Mapping):
        config = cast("Mapping[str, object]", nested)
    _check(config)
    context = _integer(config, "max_context")
    try:
        mla, moe = _mla(config), _moe(config)
        return Architecture(
            **_widths(config, mla, moe),
            **_biases(config),
            mlp_type=_mlp_type(config),
            tied_embeddings=_flag(config, "tie_word_embeddings", default=_model_type(config) in _TIED_TYPES),
            learned_positions=(context or 0) if _model_type(config) in _LEARNED_POSITION_TYPES else 0,
            max_context=context,
            moe=moe,
            mla=mla,
        )
    except ValidationError as error:
        raise InputError(
            [Fault(str(one["msg"]), key=".".join(str(part) for part in one["loc"])) for one in error.errors()]
        ) from error


class _Widths(TypedDict):
    layers: int
    hidden_size: int
    ffn_hidden_size: int
    attention_heads: int
    kv_heads: int
    head_dim: int
    vocab_size: int


def _widths(
    config: Mapping[str, object], mla: LatentAttention | None, moe: MixtureOfExperts | None
) -> _Widths:
    """Return the sizes of the layers; keys that are missing were refused before."""
    hidden_size, heads = _integer(config, "hidden_size") or 0, _integer(config, "attention_heads") or 0
    return _Widths(
        layers=_integer(config, "layers") or 0,
        hidden_size=hidden_size,
        # A model of experts alone states no dense width; its dense layers, if any, have that of an expert.
        ffn_hidden_size=_ffn(config, hidden_size) or (moe.expert_ffn_hidden_size if moe else 0),
        attention_heads=heads,
        # Latent attention keeps one latent vector; each head unfolds keys and values of its own from it.
        kv_heads=heads if mla is not None else _kv_heads(config, heads),
        head_dim=_head_dim(config, mla, hidden_size, heads),
        vocab_size=_integer(config, "vocab_size") or 0,
    )


class _Biases(TypedDict):
    qkv_bias: bool
    output_bias: bool
    mlp_bias: bool
    qk_norm: bool
    norm_bias: bool


def _biases(config: Mapping[str, object]) -> _Biases:
    """Return the biases and the norms of queries and keys: the file's, else those of the family's code."""
    model_type = _model_type(config)
    plain = model_type in _PLAIN_BIAS_TYPES
    qkv = ("attention_bias", "qkv_bias", "add_qkv_bias", "bias")
    return _Biases(
        qkv_bias=_flag(config, *qkv, default=model_type in _QKV_BIAS_TYPES),
        # ChatGLM's ``bias`` keys mean the query, key and value projections only.
        output_bias=model_type != "chatglm" and _flag(config, "attention_bias", "bias", default=plain),
        mlp_bias=_flag(config, "mlp_bias", "add_bias_linear", default=plain),
        qk_norm=_flag(config, "qk_norm", "qk_layernorm", default=model_type in _QK_NORM_TYPES),
        norm_bias=plain,
    )
