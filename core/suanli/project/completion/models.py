"""The model: a catalogue id, a Hugging Face config.json, a bare parameter count, or a shape written out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from suanli.domain.architecture import Architecture, LatentAttention, MixtureOfExperts, MlpType, ModelRecord
from suanli.domain.hf_config import architecture_from_config
from suanli.domain.record import Text
from suanli.domain.scaling import architecture_from_parameters
from suanli.domain.transformer import count_parameters
from suanli.domain.workload import ModelChoice
from suanli.errors import InputError, nearest
from suanli.project.completion.draft import Default
from suanli.project.quantities import spell_count

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.project.completion.draft import Draft
    from suanli.project.model_section import MlaKeys, ModelKeys, MoeKeys

__all__ = ["complete_model"]

_CONFIG_BYTES = 1_000_000
_SIZE = re.compile(r"\d+(?:\.\d+)?\s*[bBmMtT]?")
_EXPERTS_TIMES_SIZE = re.compile(r"\d+\s*[x×*]\s*\d+(?:\.\d+)?\s*[bB]?", re.IGNORECASE)


def complete_model(draft: Draft) -> ModelChoice | None:
    """Return the model with its architecture, or None where it has a fault.

    Exactly one way of naming the model is taken; two together are a fault, because one would be ignored.
    """
    keys = draft.project.file.model
    shape = keys.model_fields_set - {"reference", "parameters", "name"}
    ways = [
        way
        for way, used in (("reference", keys.reference), ("parameters", keys.parameters), ("shape", shape))
        if used
    ]
    if len(ways) != 1:
        found = " and ".join(ways) or "nothing"
        why = "allowed: a catalogue id, a path to a config.json, {parameters: 72B} or {layers: …, hidden: …}"
        draft.fault("model", f"{found} given", why, "keep one of them")
        return None
    if keys.reference is not None:
        return _reference(draft, keys.reference, keys.name)
    if keys.parameters is not None:
        return _parameters(draft, keys.parameters, keys.name)
    return _shape(draft, keys)


def _named(name: str | None, text: Text) -> Text:
    return Text(zh=name, en=name) if name else text


def _reference(draft: Draft, reference: str, name: str | None) -> ModelChoice | None:
    if "/" in reference or reference.endswith(".json") or reference.startswith("."):
        return _config(draft, reference, name)
    record = draft.catalogue.find(ModelRecord, reference) or draft.catalogue.find(
        ModelRecord, reference.casefold()
    )
    if record is None:
        _unknown_model(draft, reference)
        return None
    return ModelChoice(_named(name, record.name), record.architecture, "catalogue", record.id, record.source)


def _unknown_model(draft: Draft, reference: str) -> None:
    """Say what a wrong reference probably was: a size, experts times a size, or a misspelt id."""
    known = [record.id for record in draft.catalogue.all(ModelRecord)]
    lists = "allowed: an id of suanli catalog models, a path to a config.json, or {parameters: 72B}"
    if _EXPERTS_TIMES_SIZE.fullmatch(reference):
        _experts_times_size(draft, reference)
    elif _SIZE.fullmatch(reference):
        count = reference if reference[-1:].isalpha() else f"{reference}B"
        draft.fault(
            "model",
            f'"{reference}" is a size, not a model',
            lists,
            f"write {{parameters: {count}}} if that is meant",
        )
    else:
        draft.fault(
            "model",
            f'"{reference}" is not among the models of the catalogue',
            lists,
            nearest(reference.casefold(), known),
        )


def _experts_times_size(draft: Draft, reference: str) -> None:
    """Refuse experts times size: only the experts are multiplied, attention and embeddings are shared."""
    text = re.sub(r"\s", "", reference.casefold()).replace("×", "x").replace("*", "x")
    match = next((r for r in draft.catalogue.all(ModelRecord) if f"-{text.rstrip('b')}b" in f"-{r.id}"), None)
    cure = "give a config.json, or a catalogue id"
    if match is not None:
        counts = count_parameters(match.architecture)
        total, active = counts.total / 1e9, counts.active / 1e9
        cure = f'did you mean "{match.id}" ({total:.1f}B parameters in all, {active:.1f}B active per token)?'
    why = "experts times size is neither the total nor the active count: attention and embeddings are shared"
    draft.fault("model", f'"{reference}" is no parameter count', why, cure)


def _config(draft: Draft, reference: str, name: str | None) -> ModelChoice | None:
    path = draft.project.path.parent / reference
    if path.is_dir() and (path / "config.json").is_file():
        path /= "config.json"
    config = _read_config(draft, path, reference)
    if config is None:
        return None
    try:
        architecture = architecture_from_config(config)
    except InputError as error:
        draft.absorb(error, "model")
        return None
    text = str(config.get("_name_or_path") or path.parent.resolve().name or path.stem).rpartition("/")[2]
    return ModelChoice(_named(name, Text(zh=text, en=text)), architecture, "config", reference)


def _read_config(draft: Draft, path: Path, reference: str) -> dict[str, Any] | None:
    """Return the mapping of a config.json, or note why there is none."""
    why = f"names are relative to the folder of {draft.project.path.name}"
    try:
        with path.open("rb") as stream:
            content = stream.read(_CONFIG_BYTES + 1)
    except OSError as error:
        draft.fault("model", f'"{reference}" cannot be read: {error.strerror}', why)
        return None
    if len(content) > _CONFIG_BYTES:
        draft.fault(
            "model", f'"{reference}" is larger than {_CONFIG_BYTES:,} bytes', "a config.json is one page"
        )
        return None
    try:
        config: object = json.loads(content)
    except (ValueError, RecursionError) as error:
        draft.fault("model", f'"{reference}" is not JSON: {error}')
        return None
    if not isinstance(config, dict):
        draft.fault("model", f'"{reference}" is no config.json', "allowed: one JSON object")
        return None
    return cast("dict[str, Any]", config)


def _parameters(draft: Draft, count: int, name: str | None) -> ModelChoice | None:
    try:
        architecture = architecture_from_parameters(count)
    except InputError as error:
        draft.absorb(error, "model.parameters")
        return None
    spelled = spell_count(count)
    draft.notice(
        zh=f"只给出参数量 {spelled}，结构按同规模模型假定；给出 config.json 可缩小误差。",
        en=f"Only the parameter count {spelled} is given; its shape is assumed. A config.json says more.",
    )
    text = Text(zh=f"{spelled} 参数模型", en=f"{spelled}-parameter model")
    return ModelChoice(
        _named(name, text), architecture, "parameters", spelled, stated_parameters=float(count)
    )


def _shape(draft: Draft, keys: ModelKeys) -> ModelChoice | None:
    """Return the model of a shape that is written out."""
    needed = {
        "layers": keys.layers,
        "hidden": keys.hidden,
        "heads": keys.heads,
        "ffn_hidden": keys.ffn_hidden,
        "vocab": keys.vocab,
    }
    missing = [key for key, value in needed.items() if value is None]
    for key in missing:
        draft.fault(
            f"model.{key}",
            "is missing",
            f"a shape needs {', '.join(needed)}",
            f"add {key}, or give a config.json",
        )
    if missing:
        return None
    try:
        architecture = Architecture(**_fields(draft, keys))
    except ValidationError as error:
        for item in error.errors(include_url=False):
            draft.fault("model", str(item["msg"]).removeprefix("Value error, "))
        return None
    spelled = f"{count_parameters(architecture).total / 1e9:.1f}B"
    text = Text(zh=f"{spelled} 参数模型", en=f"{spelled}-parameter model")
    return ModelChoice(_named(keys.name, text), architecture, "config")


_SAME_NAMES = (
    "tied_embeddings",
    "qkv_bias",
    "qk_norm",
    "output_bias",
    "mlp_bias",
    "norm_bias",
    "norms_per_layer",
    "learned_positions",
    "extra_parameters",
    "max_context",
)
"""Keys of a shape that are spelt as the fields of an architecture."""
_SWIGLU = Default(
    "swiglu", "未给出前馈类型，按主流模型取 SwiGLU。", "Not given: SwiGLU, as in current models."
)


def _fields(draft: Draft, keys: ModelKeys) -> dict[str, Any]:
    """Translate the keys of a shape to fields of an architecture; what is left out keeps its default."""
    kv_heads, head_dim = _kv_heads(draft, keys), _head_dim(draft, keys)
    fields: dict[str, Any] = {
        "layers": keys.layers,
        "hidden_size": keys.hidden,
        "ffn_hidden_size": keys.ffn_hidden,
        "attention_heads": keys.heads,
        "vocab_size": keys.vocab,
        "kv_heads": kv_heads,
        "head_dim": head_dim,
        "mlp_type": draft.given_or(keys.mlp, "model.mlp", MlpType.SWIGLU, _SWIGLU),
        "moe": _moe(keys.moe) if keys.moe else None,
        "mla": _mla(keys.mla) if keys.mla else None,
    }
    given = {name: getattr(keys, name) for name in _SAME_NAMES if getattr(keys, name) is not None}
    return fields | given


def _kv_heads(draft: Draft, keys: ModelKeys) -> int:
    heads = keys.heads or 1
    default = Default(
        str(heads), "未给出键值头数，按多头注意力取同头数。", "Not given: as many as attention heads."
    )
    return draft.given_or(keys.kv_heads, "model.kv_heads", heads, default)


def _head_dim(draft: Draft, keys: ModelKeys) -> int:
    mla = keys.mla
    width = mla.qk_nope_head_dim + mla.qk_rope_head_dim if mla else (keys.hidden or 1) // (keys.heads or 1)
    default = Default(str(width), "未给出头宽，按结构推得。", "Not given: follows from the other widths.")
    return draft.given_or(keys.head_dim, "model.head_dim", width, default)


def _moe(keys: MoeKeys) -> MixtureOfExperts:
    return MixtureOfExperts(
        experts=keys.experts,
        top_k=keys.top_k,
        expert_ffn_hidden_size=keys.expert_ffn_hidden,
        shared_expert_ffn_hidden_size=keys.shared_expert_ffn_hidden,
        dense_layers=keys.dense_layers,
        layer_interval=keys.layer_interval,
        shared_expert_gate=bool(keys.shared_expert_gate),
        router_bias=bool(keys.router_bias),
        expert_bias=bool(keys.expert_bias),
    )


def _mla(keys: MlaKeys) -> LatentAttention:
    return LatentAttention(
        q_lora_rank=keys.q_lora_rank,
        kv_lora_rank=keys.kv_lora_rank,
        qk_nope_head_dim=keys.qk_nope_head_dim,
        qk_rope_head_dim=keys.qk_rope_head_dim,
        v_head_dim=keys.v_head_dim,
    )
