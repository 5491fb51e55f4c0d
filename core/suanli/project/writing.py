"""A completed project written out as a project file: the input as used, every default spelt out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from suanli.domain.units import S_PER_DAY
from suanli.domain.workload import ClaimQuantity, SolveFor
from suanli.project.quantities import (
    spell_bandwidth,
    spell_byte_amount,
    spell_carbon,
    spell_count,
    spell_duration,
    spell_energy_price,
    spell_flops,
    spell_fraction,
    spell_latency,
    spell_money,
    spell_number,
    spell_power,
)
from suanli.project.writing_finance import written_finance
from suanli.project.writing_storage import reliability_keys, storage_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from suanli.domain.architecture import Architecture
    from suanli.domain.record import Text
    from suanli.domain.workload import (
        Claim,
        ClusterWish,
        Commercial,
        LayoutPins,
        Milestone,
        ModelChoice,
        ProjectInfo,
        RentOffer,
        Requirement,
        Site,
        VendorChoice,
    )
    from suanli.project.schema import Project

__all__ = ["requirement_yaml"]

_PLAIN = re.compile(r"[\w一-鿿][\w一-鿿 .+/%()×-]*", re.ASCII)
_RESERVED = {"null", "Null", "NULL", "~", ""}

T = TypeVar("T")

Node: TypeAlias = "str | int | Sequence[Node] | Mapping[str, Node] | None"
"""Text, list or mapping of nodes; a key whose value is None is left out."""


def requirement_yaml(project: Project, requirement: Requirement) -> str:
    """Return a project file that completes to the same requirement, without any default left to choose.

    Keys that the tool chose carry the comment ``# default``.
    """
    chosen = {assumption.key: assumption.reason.en for assumption in requirement.assumptions}
    tree = _tree(requirement, named=project.has("model.name"))
    lines = ["# The input as used. Values marked 'default' were chosen by the tool."]
    for key, value in tree.items():
        lines.extend(_emit(key, value, key, 0, chosen))
    return "\n".join(lines) + "\n"


def _tree(requirement: Requirement, *, named: bool) -> dict[str, Node]:
    """Return every section as text."""
    return {
        "project": _project(requirement.project),
        "scenario": requirement.scenario,
        "model": _model(requirement.model, named=named),
        "workload": _workload(requirement),
        "solve_for": requirement.solve_for.value,
        "objective": requirement.objective.value,
        "layout": _layout(requirement.pins),
        "cluster": _cluster(requirement.cluster),
        "storage": storage_keys(requirement.storage),
        "reliability": reliability_keys(requirement.reliability),
        "site": _site(requirement.site),
        "vendors": _vendors(requirement.vendors),
        "commercial": _commercial(requirement.commercial),
        "measured": _measured(requirement) or None,
        "claims": _claims(requirement) or None,
        "edits": _edits(requirement) or None,
    }


def _words(text: Text) -> Node:
    return text.zh if text.zh == text.en else {"zh": text.zh, "en": text.en}


def _project(info: ProjectInfo) -> dict[str, Node]:
    return {
        "name": _words(info.name),
        "client": _words(info.client),
        "type": info.type.value,
        "track": info.track.value,
        "languages": list(info.languages),
        "date": info.day.isoformat(),
        "paper": info.paper.value,
        "theme": info.theme,
    }


def _layout(pins: LayoutPins) -> dict[str, Node]:
    return {
        "tp": pins.tp,
        "pp": pins.pp,
        "cp": pins.cp,
        "ep": pins.ep,
        "micro_batch_size": pins.micro_batch_size,
        "virtual_pipeline": pins.virtual_pipeline,
        "recompute": pins.recompute and pins.recompute.value,
        "recompute_layers": pins.recompute_layers,
        "zero_stage": pins.zero_stage,
        "shard_group": pins.shard_group,
        "offload": pins.offload and pins.offload.value,
        "sequence_parallel": pins.sequence_parallel,
        "loss_chunks": pins.loss_chunks,
    }


def _cluster(cluster: ClusterWish) -> dict[str, Node]:
    return {
        "accelerators": cluster.accelerators,
        "spare_nodes": cluster.spare_nodes,
        "oversubscription": spell_number(cluster.oversubscription),
        "exposed_communication_max": _optional(cluster.exposed_communication_max, spell_fraction),
        "expansion": [f"{spell_number(multiple)}x" for multiple in cluster.expansion] or None,
    }


def _site(site: Site) -> dict[str, Node]:
    return {
        "region": site.region,
        "pue": spell_number(site.pue),
        "electricity": None if site.tariff else spell_energy_price(site.electricity),
        "tariff": [
            {
                "period": band.name,
                "hours": spell_number(band.hours),
                "price": spell_energy_price(band.price),
            }
            for band in site.tariff
        ]
        or None,
        "rack_power": spell_power(site.rack_power_w),
        "cooling": site.cooling.value,
        "redundancy": site.redundancy,
        "hall": site.hall.value,
        "planned_downtime": f"{spell_number(site.planned_downtime_h)} h" if site.planned_downtime_h else None,
        "grid_carbon": _optional(site.grid_carbon_kg_per_kwh, spell_carbon),
    }


def _vendors(vendors: VendorChoice) -> dict[str, Node]:
    return {
        "consider": list(vendors.consider),
        "accelerators": list(vendors.accelerators),
        "prefer": vendors.prefer or "none",
        "delivery_region": vendors.delivery_region,
    }


def _optional(value: T | None, spell: Callable[[T], str]) -> str | None:
    return None if value is None else spell(value)


def _model(model: ModelChoice, *, named: bool) -> Node:
    """Return a catalogue id or count as given; a shape is written out, so that the file stands alone."""
    name = model.name.en if named else None
    if model.origin == "catalogue":
        return {"reference": model.reference, "name": name} if named else model.reference
    if model.stated_parameters is not None:
        return {"parameters": spell_count(model.stated_parameters), "name": name}
    # A config.json is named after its folder, which the written file no longer knows.
    return {"name": name or (model.name.en if model.reference else None), **_shape(model.architecture)}


def _shape(a: Architecture) -> dict[str, Node]:
    moe, mla = a.moe, a.mla
    flags = ("tied_embeddings", "qkv_bias", "qk_norm", "output_bias", "mlp_bias", "norm_bias")
    return {
        "layers": a.layers,
        "hidden": a.hidden_size,
        "ffn_hidden": a.ffn_hidden_size,
        "heads": a.attention_heads,
        "kv_heads": a.kv_heads,
        "head_dim": a.head_dim,
        "vocab": a.vocab_size,
        "mlp": a.mlp_type.value,
        **{flag: "true" if getattr(a, flag) else "false" for flag in flags},
        "norms_per_layer": a.norms_per_layer,
        "learned_positions": a.learned_positions,
        "extra_parameters": a.extra_parameters,
        "max_context": a.max_context,
        "moe": None
        if moe is None
        else {
            "experts": moe.experts,
            "top_k": moe.top_k,
            "expert_ffn_hidden": moe.expert_ffn_hidden_size,
            "shared_expert_ffn_hidden": moe.shared_expert_ffn_hidden_size,
            "dense_layers": moe.dense_layers,
            "layer_interval": moe.layer_interval,
            **{
                flag: "true" if getattr(moe, flag) else "false"
                for flag in ("shared_expert_gate", "router_bias", "expert_bias")
            },
        },
        "mla": None if mla is None else mla.model_dump(exclude_none=True),
    }


def _workload(requirement: Requirement) -> dict[str, Node]:
    job, unknown = requirement.workload, requirement.solve_for
    tokens = (
        None if job.tokens is None or unknown is SolveFor.TOKENS else spell_count(job.tokens / job.epochs)
    )
    stack = job.stack or ("tuned" if job.tuned else "untuned")
    capacity = "none" if job.capacity_factor is None else spell_number(job.capacity_factor)
    return {
        "task": job.task.value,
        "tokens": tokens,
        "epochs": spell_number(job.epochs),
        "sequence_length": job.sequence_length,
        "global_batch_tokens": spell_count(job.global_batch_tokens),
        "precision": job.precision.value,
        "deadline": _optional(job.deadline_s, spell_duration),
        "deadline_confidence": spell_fraction(job.deadline_confidence),
        "runs_per_year": spell_number(job.runs_per_year),
        "stack": stack,
        "capacity_factor": capacity if requirement.model.architecture.moe else None,
        "lora": {"rank": job.lora_rank or None},
    }


def _commercial(rules: Commercial) -> dict[str, Node]:
    staff: dict[str, Node] | None = None
    if rules.staff_fte is not None and rules.staff_cost is not None:
        staff = {"posts": spell_number(rules.staff_fte), "cost": spell_money(rules.staff_cost)}
    return {
        "currency": rules.currency,
        "budget": _optional(rules.budget, spell_money),
        "horizon": f"{rules.horizon_years} years",
        "discount_rate": spell_fraction(rules.discount_rate),
        "vat": {
            "goods": spell_fraction(rules.vat_goods),
            "works": spell_fraction(rules.vat_works),
            "services": spell_fraction(rules.vat_services),
        },
        "fx": [
            {
                "pair": f"{fx.base}/{fx.quote}",
                "rate": spell_number(fx.rate),
                "date": fx.day.isoformat(),
                "source": fx.source or None,
            }
            for fx in rules.exchange_rates
        ]
        or None,
        "rounding": rules.rounding.value,
        "price_validity": f"{rules.price_validity_days} days",
        "depreciation_years": rules.depreciation_years,
        "residual": spell_fraction(rules.residual_share),
        "maintenance": spell_fraction(rules.maintenance_share),
        "warranty_years": rules.warranty_years,
        "spare_parts": spell_fraction(rules.spare_parts_share),
        "staff": staff,
        "milestones": [_milestone(one) for one in rules.milestones] or None,
        "delivery": _optional(rules.delivery_months, _months),
        **written_finance(rules),
        "rent": None if rules.rent is None else _rent(rules.rent),
        "quotes": list(rules.quotes) or None,
    }


def _months(months: int) -> str:
    return f"{months} months"


def _milestone(one: Milestone) -> dict[str, Node]:
    after = None if one.after_days is None else f"{one.after_days} days"
    return {"name": _words(one.name), "share": spell_fraction(one.share), "after": after}


def _rent(offer: RentOffer) -> dict[str, Node]:
    return {
        "price": spell_money(offer.price),
        "commitment": _optional(offer.commitment_s, spell_duration),
        "accelerator": offer.accelerator or None,
    }


def _measured(requirement: Requirement) -> list[Node]:
    return [
        {
            "accelerator": run.accelerator,
            "stack": run.stack or None,
            "tokens_per_s_per_accelerator": spell_number(run.tokens_per_s_per_accelerator),
            "accelerators": run.accelerators,
            "layout": {"tp": run.tp, "pp": run.pp},
        }
        for run in requirement.measured
    ]


def _edits(requirement: Requirement) -> list[Node]:
    return [
        {
            "input": edit.input,
            "accelerator": edit.accelerator or None,
            "value": spell_number(edit.value),
            "date": edit.day.isoformat(),
        }
        for edit in requirement.edits
    ]


def _claims(requirement: Requirement) -> list[Node]:
    return [
        {
            "by": _words(claim.by),
            "says": _words(claim.says),
            "accelerator": claim.accelerator,
            "accelerators": claim.accelerators,
            **_stated(claim),
        }
        for claim in requirement.claims
    ]


def _stated(claim: Claim) -> dict[str, Node]:
    """Return the key of the quantity that a claim states, spelt as it is read."""
    if claim.value is None:
        return {}
    spell = _SPELL_CLAIM.get(claim.quantity, spell_byte_amount)
    return {claim.quantity.value: spell(claim.value)}


_SPELL_CLAIM: Final[dict[ClaimQuantity, Callable[[float], str]]] = {
    ClaimQuantity.DAYS: lambda seconds: spell_number(seconds / S_PER_DAY),
    ClaimQuantity.TOKENS_PER_S: spell_number,
    ClaimQuantity.TOKENS_PER_S_PER_ACCELERATOR: spell_number,
    ClaimQuantity.MFU: spell_fraction,
    ClaimQuantity.FITS: lambda _: "true",
    ClaimQuantity.TIME_PER_OUTPUT_TOKEN: spell_latency,
    ClaimQuantity.NETWORK: spell_bandwidth,
    ClaimQuantity.PEAK: spell_flops,
}
"""Spellings of what is not an amount of memory."""


def _emit(key: str, value: Node, path: str, depth: int, chosen: dict[str, str]) -> Iterator[str]:
    """Yield the lines of one key; nothing for a key without a value."""
    pad = "  " * depth
    if isinstance(value, dict):
        rows = [
            line
            for name, item in value.items()
            for line in _emit(name, item, f"{path}.{name}", depth + 1, chosen)
        ]
        yield from [f"{pad}{key}:", *rows] if rows else []
    elif isinstance(value, list | tuple) and any(isinstance(item, dict) for item in value):
        yield f"{pad}{key}:"
        yield from (f"{pad}  - {_flow(item)}" for item in value)
    elif value is not None:
        comment = f"  # default: {chosen[path]}" if path in chosen else ""
        yield f"{pad}{key}: {_flow(value)}{comment}"


def _flow(value: Node) -> str:
    """Return a value on one line."""
    if isinstance(value, dict):
        pairs = [
            f"{key}: {_flow(item)}"
            for key, item in value.items()
            if item is not None and item != {} and _filled(item)
        ]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_flow(item) for item in value)}]"
    text = str(value)
    plain = _PLAIN.fullmatch(text) and text == text.strip() and text not in _RESERVED
    return text if plain else f'"{"".join(_escaped(letter) for letter in text)}"'


def _escaped(letter: str) -> str:
    """Return a character as it stands in a double-quoted YAML text."""
    if letter in {'"', "\\"}:
        return f"\\{letter}"
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"


def _filled(item: Node) -> bool:
    return not isinstance(item, dict) or any(value is not None for value in item.values())
