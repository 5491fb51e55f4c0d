"""Read the shape of a model from a Hugging Face ``config.json``.

The families spell the same quantity differently; `SPELLINGS` lists the spellings that are understood, in
order of preference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

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
_QK_NORM_TYPES = {"qwen3", "qwen3_moe"}
_ROUTED_TYPES = {"mixtral", "qwen2_moe", "qwen3_moe", "deepseek_v2", "deepseek_v3"}


def _find(config: Mapping[str, object], field: str) -> object:
    return next((config[key] for key in SPELLINGS[field] if config.get(key) is not None), None)


def _integer(config: Mapping[str, object], field: str) -> int | None:
    value = _find(config, field)
    if isinstance(value, list) and value:
        value = max(cast("list[int]", value))
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


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
        return (
            4 * hidden_size
        )  # the plain families leave the width out where it is four times the hidden size
    return width


def _head_dim(config: Mapping[str, object], mla: LatentAttention | None, hidden_size: int, heads: int) -> int:
    if mla is not None:
        return mla.qk_nope_head_dim + mla.qk_rope_head_dim
    return _integer(config, "head_dim") or hidden_size // heads


def _kv_heads(config: Mapping[str, object], heads: int) -> int:
    if config.get("multi_query") is True and _integer(config, "kv_heads") is None:
        return 1
    if config.get("multi_query_attention") is False:
        return heads
    return _integer(config, "kv_heads") or heads


def _check(config: Mapping[str, object]) -> None:
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
    hidden_size, heads = _integer(config, "hidden_size") or 0, _integer(config, "attention_heads") or 0
    model_type, mla, moe = _model_type(config), _mla(config), _moe(config)
    plain = model_type in _PLAIN_BIAS_TYPES
    width = _ffn(config, hidden_size) or (moe.expert_ffn_hidden_size if moe else 0)
    context = _integer(config, "max_context")
    try:
        return Architecture(
            layers=_integer(config, "layers") or 0,
            hidden_size=hidden_size,
            ffn_hidden_size=width,
            mlp_type=_mlp_type(config),
            attention_heads=heads,
            kv_heads=heads if mla is not None else _kv_heads(config, heads),
            head_dim=_head_dim(config, mla, hidden_size, heads),
            vocab_size=_integer(config, "vocab_size") or 0,
            tied_embeddings=_flag(config, "tie_word_embeddings", default=model_type in {"gpt2", "bloom"}),
            learned_positions=(context or 0) if model_type in {"gpt2", "opt"} else 0,
            qkv_bias=_flag(
                config,
                "attention_bias",
                "qkv_bias",
                "add_qkv_bias",
                "bias",
                default=model_type in _QKV_BIAS_TYPES,
            ),
            output_bias=_flag(config, "attention_bias", "bias", default=plain)
            if model_type != "chatglm"
            else False,
            mlp_bias=_flag(config, "mlp_bias", "add_bias_linear", default=plain),
            qk_norm=_flag(config, "qk_norm", "qk_layernorm", default=model_type in _QK_NORM_TYPES),
            norm_bias=plain,
            max_context=context,
            moe=moe,
            mla=mla,
        )
    except ValidationError as error:
        raise InputError(
            [Fault(str(one["msg"]), key=".".join(str(part) for part in one["loc"])) for one in error.errors()]
        ) from error
