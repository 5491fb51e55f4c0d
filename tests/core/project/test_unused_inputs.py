"""No input is ignored in silence: every key changes the requirement, or a notice says that it does not.

Users of another tool found an efficiency that changed no result (bad-015); here the keys are taken from the
schema, so that a new one cannot be forgotten.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.scenarios.builtin import BASE, catalogue, scenarios

from suanli.project.load import parse_project
from suanli.project.schema import known_keys

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement

SHAPE = "layers: 80, hidden: 8192, ffn_hidden: 28672, heads: 64, kv_heads: 8, head_dim: 128, vocab: 128256"
MOE = "experts: 8, top_k: 2, expert_ffn_hidden: 14336"
MLA = "kv_lora_rank: 512, qk_nope_head_dim: 128, qk_rope_head_dim: 64, v_head_dim: 128"
CLAIM = "by: a, says: b, accelerator: h20, accelerators: 8, days: 5"
EDIT = "input: quantity.servers, accelerator: h20, value: 3, date: 2026-12-01"
RUN = "accelerator: h20, tokens_per_s_per_accelerator: 100"

# Key, the settings it needs around it, and a value unlike what it then has.
CHANGES: dict[str, tuple[list[str], str]] = {
    "project.name": ([], "Other"),
    "project.client": ([], "Other"),
    "project.date": ([], "2026-12-01"),
    "project.type": ([], "vendor-bid"),
    "project.track": ([], "government"),
    "project.languages": ([], "[en]"),
    "project.paper": ([], "letter"),
    "project.theme": ([], "house"),
    "scenario": ([], "base-100b"),
    "model.name": (["model={reference: qwen2.5-72b}"], "House"),
    "model.layers": ([f"model={{{SHAPE}}}"], "40"),
    "model.hidden": ([f"model={{{SHAPE}}}"], "4096"),
    "model.ffn_hidden": ([f"model={{{SHAPE}}}"], "4096"),
    "model.heads": ([f"model={{{SHAPE}}}"], "32"),
    "model.kv_heads": ([f"model={{{SHAPE}}}"], "16"),
    "model.head_dim": ([f"model={{{SHAPE}}}"], "64"),
    "model.vocab": ([f"model={{{SHAPE}}}"], "32000"),
    "model.mlp": ([f"model={{{SHAPE}}}"], "gelu"),
    "model.tied_embeddings": ([f"model={{{SHAPE}}}"], "true"),
    "model.qkv_bias": ([f"model={{{SHAPE}}}"], "true"),
    "model.qk_norm": ([f"model={{{SHAPE}}}"], "true"),
    "model.output_bias": ([f"model={{{SHAPE}}}"], "true"),
    "model.mlp_bias": ([f"model={{{SHAPE}}}"], "true"),
    "model.norm_bias": ([f"model={{{SHAPE}}}"], "true"),
    "model.norms_per_layer": ([f"model={{{SHAPE}}}"], "4"),
    "model.learned_positions": ([f"model={{{SHAPE}}}"], "2048"),
    "model.extra_parameters": ([f"model={{{SHAPE}}}"], "1000"),
    "model.max_context": ([f"model={{{SHAPE}}}"], "131072"),
    "model.moe.experts": ([f"model={{{SHAPE}, moe: {{{MOE}}}}}"], "16"),
    "model.moe.top_k": ([f"model={{{SHAPE}, moe: {{{MOE}}}}}"], "4"),
    "model.moe.expert_ffn_hidden": ([f"model={{{SHAPE}, moe: {{{MOE}}}}}"], "2048"),
    "model.moe.shared_expert_ffn_hidden": ([f"model={{{SHAPE}, moe: {{{MOE}}}}}"], "2048"),
    "model.moe.dense_layers": ([f"model={{{SHAPE}, moe: {{{MOE}}}}}"], "3"),
    "model.moe.shared_expert_gate": ([f"model={{{SHAPE}, moe: {{{MOE}}}}}"], "true"),
    "model.moe.router_bias": ([f"model={{{SHAPE}, moe: {{{MOE}}}}}"], "true"),
    "model.moe.expert_bias": ([f"model={{{SHAPE}, moe: {{{MOE}}}}}"], "true"),
    "model.moe.layer_interval": ([f"model={{{SHAPE}, moe: {{{MOE}}}}}"], "2"),
    "model.mla.kv_lora_rank": ([f"model={{{SHAPE}, mla: {{{MLA}}}}}"], "256"),
    "model.mla.qk_nope_head_dim": ([f"model={{{SHAPE}, mla: {{{MLA}}}}}"], "64"),
    "model.mla.qk_rope_head_dim": ([f"model={{{SHAPE}, mla: {{{MLA}}}}}"], "32"),
    "model.mla.v_head_dim": ([f"model={{{SHAPE}, mla: {{{MLA}}}}}"], "64"),
    "model.mla.q_lora_rank": ([f"model={{{SHAPE}, mla: {{{MLA}}}}}"], "1536"),
    "workload.task": ([], "full-finetune"),
    "workload.tokens": ([], "2T"),
    "workload.epochs": ([], "2"),
    "workload.sequence_length": ([], "8192"),
    "workload.global_batch_tokens": ([], "8M"),
    "workload.precision": ([], "fp8"),
    "workload.deadline": ([], "90 days"),
    "workload.deadline_confidence": ([], "80%"),
    "workload.runs_per_year": ([], "3"),
    "workload.stack": ([], "untuned"),
    "workload.capacity_factor": (["scenario=base-100b", "model=deepseek-v3"], "1.25"),
    "workload.lora.rank": (["scenario=finetune-lora", "model=llama-2-13b"], "64"),
    "objective": ([], "time"),
    "layout.tp": ([], "8"),
    "layout.pp": ([], "4"),
    "layout.cp": ([], "2"),
    "layout.ep": (["scenario=base-100b", "model=deepseek-v3"], "8"),
    "layout.micro_batch_size": ([], "1"),
    "layout.virtual_pipeline": ([], "2"),
    "layout.recompute": ([], "full"),
    "layout.recompute_layers": ([], "3"),
    "layout.zero_stage": ([], "1"),
    "layout.shard_group": ([], "8"),
    "layout.offload": ([], "optimizer"),
    "layout.sequence_parallel": ([], "false"),
    "layout.loss_chunks": ([], "8"),
    "cluster.spare_nodes": ([], "2"),
    "cluster.oversubscription": ([], "2:1"),
    "cluster.exposed_communication_max": ([], "10%"),
    "cluster.expansion": ([], "[2x]"),
    "storage.checkpoint_stall": ([], "10 s"),
    "storage.asynchronous": ([], "true"),
    "storage.checkpoint_write": (["storage.asynchronous=true"], "2 min"),
    "storage.checkpoints_kept": ([], "4"),
    "storage.milestones": ([], "0"),
    "storage.source_data": ([], "90 TB"),
    "storage.scratch": ([], "9 TB"),
    "reliability.interruptions": ([], "2"),
    "reliability.restart": ([], "20 min"),
    "reliability.repair": ([], "1 days"),
    "site.region": ([], "CN-NM"),
    "site.pue": ([], "1.1"),
    "site.electricity": ([], "0.5 CNY/kWh"),
    "site.tariff": ([], "[{period: flat, hours: 24, price: 1 CNY/kWh}]"),
    "site.rack_power": ([], "50 kW"),
    "site.cooling": ([], "liquid"),
    "site.redundancy": ([], "2N"),
    "site.hall": ([], "build"),
    "site.planned_downtime": ([], "100 h"),
    "site.grid_carbon": ([], "0.1 kg/kWh"),
    "vendors.consider": ([], "[ascend]"),
    "vendors.accelerators": ([], "[h20]"),
    "vendors.prefer": ([], "domestic"),
    "vendors.delivery_region": ([], "US"),
    "commercial.currency": ([], "USD"),
    "commercial.budget": ([], "1M CNY"),
    "commercial.horizon": ([], "3 years"),
    "commercial.discount_rate": ([], "9%"),
    "commercial.vat.goods": ([], "1%"),
    "commercial.vat.works": ([], "1%"),
    "commercial.vat.services": ([], "1%"),
    "commercial.fx.0.pair": ([], "EUR/CNY"),
    "commercial.fx.0.rate": ([], "8"),
    "commercial.fx.0.date": ([], "2026-11-01"),
    "commercial.fx.0.source": ([], "central parity"),
    "commercial.rounding": ([], "document"),
    "commercial.milestones": ([], "[{name: a, share: 100%}]"),
    "commercial.price_validity": ([], "30 days"),
    "commercial.quotes": ([], "[./q.xlsx]"),
    "commercial.rent": ([], "{price: 12 CNY}"),
    "commercial.depreciation_years": ([], "3"),
    "commercial.residual": ([], "1%"),
    "commercial.maintenance": ([], "1%"),
    "commercial.warranty_years": ([], "5"),
    "commercial.spare_parts": ([], "1%"),
    "commercial.delivery": ([], "6 months"),
    "commercial.insurance": ([], "1%"),
    "commercial.scoring": ([], "{cost: 20%, time: 20%, energy: 20%, evidence: 20%, supply: 20%}"),
    "commercial.decommissioning": ([], "1%"),
    "commercial.escalation.electricity": ([], "2%"),
    "commercial.escalation.staff": ([], "2%"),
    "commercial.escalation.services": ([], "2%"),
    "commercial.financing.method": (
        ["commercial.financing={method: level, share: 70%, rate: 5%, term: 36 months}"],
        "equal-principal",
    ),
    "commercial.financing.share": (
        ["commercial.financing={method: level, share: 70%, rate: 5%, term: 36 months}"],
        "50%",
    ),
    "commercial.financing.rate": (
        ["commercial.financing={method: level, share: 70%, rate: 5%, term: 36 months}"],
        "6%",
    ),
    "commercial.financing.term": (
        ["commercial.financing={method: level, share: 70%, rate: 5%, term: 36 months}"],
        "48 months",
    ),
    "commercial.financing.grace": (
        ["commercial.financing={method: level, share: 70%, rate: 5%, term: 36 months}"],
        "6 months",
    ),
    "commercial.serving.tokens_per_s_per_accelerator": (
        ["commercial.serving={tokens_per_s_per_accelerator: 500, utilisation: 50%}"],
        "600",
    ),
    "commercial.serving.utilisation": (
        ["commercial.serving={tokens_per_s_per_accelerator: 500, utilisation: 50%}"],
        "60%",
    ),
    "commercial.scenarios.optimistic.price": ([], "0.7"),
    "commercial.scenarios.optimistic.exchange": ([], "0.7"),
    "commercial.scenarios.optimistic.electricity": ([], "0.7"),
    "commercial.scenarios.optimistic.staff": ([], "0.7"),
    "commercial.scenarios.optimistic.use": ([], "0.7"),
    "commercial.scenarios.optimistic.run_time": ([], "0.7"),
    "commercial.scenarios.optimistic.residual": ([], "0.7"),
    "commercial.scenarios.pessimistic.price": ([], "0.7"),
    "commercial.scenarios.pessimistic.exchange": ([], "0.7"),
    "commercial.scenarios.pessimistic.electricity": ([], "0.7"),
    "commercial.scenarios.pessimistic.staff": ([], "0.7"),
    "commercial.scenarios.pessimistic.use": ([], "0.7"),
    "commercial.scenarios.pessimistic.run_time": ([], "0.7"),
    "commercial.scenarios.pessimistic.residual": ([], "0.7"),
    "commercial.staff.posts": (["commercial.staff={posts: 1, cost: 1 CNY}"], "2"),
    "commercial.staff.cost": (["commercial.staff={posts: 1, cost: 1 CNY}"], "2 CNY"),
    "measured.0.accelerator": ([f"measured=[{{{RUN}}}]"], "h100-sxm"),
    "measured.0.tokens_per_s_per_accelerator": ([f"measured=[{{{RUN}}}]"], "120"),
    "measured.0.stack": ([f"measured=[{{{RUN}}}]"], "megatron-core"),
    "measured.0.accelerators": ([f"measured=[{{{RUN}}}]"], "16"),
    "measured.0.layout.tp": ([f"measured=[{{{RUN}}}]"], "4"),
    "measured.0.layout.pp": ([f"measured=[{{{RUN}}}]"], "4"),
    "claims.0.by": ([f"claims=[{{{CLAIM}}}]"], "c"),
    "claims.0.says": ([f"claims=[{{{CLAIM}}}]"], "c"),
    "claims.0.accelerator": ([f"claims=[{{{CLAIM}}}]"], "h100-sxm"),
    "claims.0.accelerators": ([f"claims=[{{{CLAIM}}}]"], "9"),
    "claims.0.days": ([f"claims=[{{{CLAIM}}}]"], "6"),
    "claims.0.tokens_per_s": ([f"claims=[{{{CLAIM}}}]"], "2M"),
    "claims.0.tokens_per_s_per_accelerator": ([f"claims=[{{{CLAIM}}}]"], "120"),
    "claims.0.mfu": ([f"claims=[{{{CLAIM}}}]"], "40%"),
    "claims.0.fits": ([f"claims=[{{{CLAIM}}}]"], "true"),
    "claims.0.memory": ([f"claims=[{{{CLAIM}}}]"], "40 GB"),
    "claims.0.states": ([f"claims=[{{{CLAIM}}}]"], "840 GB"),
    "claims.0.optimizer": ([f"claims=[{{{CLAIM}}}]"], "28 GB"),
    "claims.0.weights": ([f"claims=[{{{CLAIM}}}]"], "14 GB"),
    "claims.0.kv_cache": ([f"claims=[{{{CLAIM}}}]"], "2 GB"),
    "claims.0.time_per_output_token": ([f"claims=[{{{CLAIM}}}]"], "1 ms"),
    "claims.0.network": ([f"claims=[{{{CLAIM}}}]"], "25 Gbit/s"),
    "claims.0.peak": ([f"claims=[{{{CLAIM}}}]"], "400 TFLOPS"),
    "claims.0.device_memory": ([f"claims=[{{{CLAIM}}}]"], "32 GB"),
    "edits.0.input": ([f"edits=[{{{EDIT}}}]"], "quantity.racks"),
    "edits.0.value": ([f"edits=[{{{EDIT}}}]"], "4"),
    "edits.0.date": ([f"edits=[{{{EDIT}}}]"], "2026-12-02"),
    "edits.0.accelerator": ([f"edits=[{{{EDIT}}}]"], "h100-sxm"),
}

REPLACING: dict[str, list[str]] = {
    "model.reference": ["model=llama-2-70b"],
    "model.parameters": ["model={parameters: 70B}"],
    "solve_for": ["workload={tokens: 1T}", "commercial.budget=1M CNY", "solve_for=best-within-budget"],
    "cluster.accelerators": ["workload={tokens: 1T}", "cluster.accelerators=512"],
}
"""Keys that take the place of others: the whole setting, compared with the bare project."""

INERT_PARTS = ("site.tariff.0.", "commercial.milestones.0.", "commercial.rent.", "commercial.scoring.")
"""Keys inside a mapping that as a whole raises a notice, or whose parts only change together."""


def outcome(settings: list[str]) -> Requirement:
    """Return what documents and figures depend on."""
    project = parse_project(BASE, "acme.yaml", settings)
    requirement = scenarios()[project.scenario].complete(project, catalogue())
    return replace(requirement, assumptions=(), notices=())


@pytest.mark.parametrize("key", CHANGES)
def test_every_key_changes_the_requirement(key: str) -> None:
    around, value = CHANGES[key]
    assert outcome([*around, f"{key}={value}"]) != outcome(around)


@pytest.mark.parametrize("key", REPLACING)
def test_a_key_that_replaces_others_changes_the_requirement(key: str) -> None:
    assert outcome(REPLACING[key]) != outcome([])


def test_the_tables_hold_every_leaf_of_the_schema() -> None:
    keys = list(known_keys())
    leaves = {key for key in keys if not any(other.startswith(f"{key}.") for other in keys)}
    whole = {"site.tariff", "commercial.milestones", "commercial.rent", "commercial.scoring"}
    expected = {key for key in leaves if not key.startswith(INERT_PARTS)} | whole
    assert {*CHANGES, *REPLACING} == expected
