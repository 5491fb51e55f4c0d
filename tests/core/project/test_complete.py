"""A project file is completed: models resolved, defaults listed with their source, contradictions refused."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.scenarios.builtin import BASE, catalogue, completed, scenarios

from suanli.domain.catalogue import Catalogue
from suanli.domain.figure import Source
from suanli.domain.hardware import Accelerator
from suanli.domain.money import Money
from suanli.domain.transformer import count_parameters
from suanli.domain.workload import ReliabilityWish, SolveFor, StorageWish, Task
from suanli.errors import InputError
from suanli.project.load import parse_project

if TYPE_CHECKING:
    from pathlib import Path


def refused(text: str, *settings: str, path: str = "acme.yaml") -> str:
    with pytest.raises(InputError) as caught:
        completed(text, *settings, path=path)
    return str(caught.value)


def model(text: str) -> str:
    return BASE.replace("model: qwen2.5-72b", f"model: {text}")


# --- the model ---


def test_a_catalogue_id_gives_the_exact_architecture() -> None:
    choice = completed().model
    assert (choice.origin, choice.reference) == ("catalogue", "qwen2.5-72b")
    assert count_parameters(choice.architecture).total == 72_706_203_648


def test_a_parameter_count_gives_a_shape_of_that_size_and_a_notice() -> None:
    requirement = completed(model("{parameters: 72B}"))
    assert requirement.model.origin == "parameters"
    assert requirement.model.stated_parameters == 72e9
    assert abs(count_parameters(requirement.model.architecture).total / 72e9 - 1) < 0.02
    assert any("shape is assumed" in notice.en for notice in requirement.notices)


def test_a_config_json_is_found_beside_the_project_file(tmp_path: Path) -> None:
    config = {
        "model_type": "llama",
        "num_hidden_layers": 80,
        "hidden_size": 8192,
        "intermediate_size": 28672,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    requirement = completed(model("./config.json"), path=str(tmp_path / "acme.yaml"))
    assert requirement.model.origin == "config"
    assert count_parameters(requirement.model.architecture).total == 70_553_706_496


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file"),
        ("{", "is not JSON"),
        ("[1]", "one JSON object"),
        ("{}", "acme.yaml:3: model ("),
    ],
)
def test_a_wrong_config_json_is_a_fault_of_the_model_key(
    tmp_path: Path, content: str | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "c.json").write_text(content)
    assert message in refused(model("./c.json"), path=str(tmp_path / "acme.yaml"))


def test_a_shape_is_taken_as_written_and_its_open_widths_are_listed() -> None:
    requirement = completed(
        model("{layers: 80, hidden: 8192, ffn_hidden: 28672, heads: 64, vocab: 32000, kv_heads: 8}")
    )
    assert count_parameters(requirement.model.architecture).total == 68_976_648_192
    listed = {assumption.key: assumption.value for assumption in requirement.assumptions}
    assert listed["model.head_dim"] == "128"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("qwen2.5-27b", ["acme.yaml:3: model", "is not among the models", "did you mean"]),
        ("72B", ["is a size, not a model", "write {parameters: 72B}"]),
        ("7", ["is a size, not a model", "write {parameters: 7B}"]),
        ("{parameters: 72B, layers: 80}", ["parameters and shape given", "keep one"]),
        ("{name: x}", ["nothing given"]),
        (
            "{layers: 80, hidden: 8192}",
            ["model.heads: is missing", "model.ffn_hidden: is missing", "model.vocab: is missing"],
        ),
        (
            "{layers: 2, hidden: 64, ffn_hidden: 64, heads: 6, kv_heads: 4, vocab: 99}",
            ["not a multiple of kv_heads"],
        ),
        ("{parameters: 1M}", ["acme.yaml:3: model.parameters"]),
    ],
)
def test_a_wrong_model_says_what_was_probably_meant(text: str, parts: list[str]) -> None:
    message = refused(model(text))
    for part in parts:
        assert part in message


# --- the unknown ---


@pytest.mark.parametrize(
    ("settings", "unknown"),
    [
        ([], SolveFor.ACCELERATORS),
        (["workload={tokens: 1T}", "cluster.accelerators=512"], SolveFor.DAYS),
        (["workload={deadline: 90 days}", "cluster.accelerators=512"], SolveFor.TOKENS),
        (
            ["workload={tokens: 1T}", "solve_for=best-within-budget", "commercial.budget=100M CNY"],
            SolveFor.BEST_WITHIN_BUDGET,
        ),
    ],
)
def test_the_unknown_is_what_is_missing_or_asked_for(settings: list[str], unknown: SolveFor) -> None:
    assert completed(BASE, *settings).solve_for is unknown


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        (
            ["cluster.accelerators=512"],
            ["accelerators, deadline and tokens are all given", "leave out the one"],
        ),
        (["workload={}"], ["are missing", "give two of"]),
        (["workload={tokens: 1T}", "commercial.budget=1M CNY"], ["solve_for: best-within-budget"]),
        (
            ["solve_for=accelerators", "cluster.accelerators=512"],
            ["cluster.accelerators: is given, but is what is asked for"],
        ),
        (
            ["solve_for=days"],
            ["cluster.accelerators: is missing", "workload.deadline: is given, but is what is asked for"],
        ),
        (["solve_for=best-within-budget"], ["commercial.budget: is missing"]),
    ],
)
def test_contradictions_about_the_unknown_are_refused(settings: list[str], parts: list[str]) -> None:
    message = refused(BASE, *settings)
    for part in parts:
        assert part in message


# --- devices ---


def test_an_alias_that_means_one_device_is_resolved() -> None:
    alias, device = next(
        (alias, device.id)
        for device in catalogue().all(Accelerator)
        for alias in device.aliases
        if device.trains and not device.ambiguous_with and alias == "MI-325X"
    )
    assert completed(BASE, f"vendors.accelerators=[{alias}]").vendors.accelerators == (device,)


def test_an_unknown_device_is_never_replaced_by_another() -> None:
    message = refused(BASE, "vendors.accelerators=[h101-sxm]")
    assert "vendors.accelerators.0" in message
    assert "none stands in for another" in message
    assert 'did you mean "h100-sxm"?' in message


def test_a_device_for_inference_is_refused() -> None:
    assert "is a device for inference" in refused(BASE, "vendors.accelerators=[ascend-310p]")


def test_listed_devices_of_vendors_that_are_not_considered_are_left_out_and_said_so() -> None:
    requirement = completed(BASE, "vendors.consider=[ascend]", "vendors.accelerators=[ascend-910b2, h20]")
    assert requirement.vendors.accelerators == ("ascend-910b2",)
    assert any("h20: listed" in notice.en for notice in requirement.notices)


def test_a_considered_vendor_without_a_listed_device_is_said_so() -> None:
    requirement = completed(BASE, "vendors.consider=[ascend, amd]", "vendors.accelerators=[ascend-910b2]")
    assert any(notice.en.startswith("amd: considered") for notice in requirement.notices)


@pytest.mark.parametrize(
    ("setting", "parts"),
    [
        ("vendors.consider=[ascent]", ['no plugin knows a vendor "ascent"', 'did you mean "ascend"?']),
        (
            "vendors.prefer=domestc",
            ["one of: domestic, none, amd, ascend, nvidia", 'did you mean "domestic"?'],
        ),
        ("workload.stack=megatron-ml", ["is not among the stacks", "did you mean"]),
        (
            "claims=[{by: a, says: b, accelerator: H100, accelerators: 8, days: 1}]",
            ["claims.0.accelerator", "h100-pcie", "h100-sxm"],
        ),
        ("measured=[{accelerator: nope, tokens_per_s_per_accelerator: 1}]", ["measured.0.accelerator"]),
    ],
)
def test_names_are_checked_against_the_catalogue(setting: str, parts: list[str]) -> None:
    message = refused(BASE, setting)
    for part in parts:
        assert part in message


# --- the job ---


def test_the_batch_is_rounded_to_whole_sequences_and_the_rounding_is_shown() -> None:
    requirement = completed(BASE, "workload.global_batch_tokens=4M")
    assert requirement.workload.global_batch_size == 977
    assert any("977 sequences, 4,001,792 tokens" in notice.en for notice in requirement.notices)


def test_tokens_count_every_epoch() -> None:
    assert completed(BASE, "workload.epochs=2").workload.tokens == 2e12


@pytest.mark.parametrize(
    ("setting", "tuned", "stack"), [("tuned", True, ""), ("untuned", False, "")], ids=["tuned", "untuned"]
)
def test_the_stack_may_be_named_by_its_tuning(setting: str, *, tuned: bool, stack: str) -> None:
    workload = completed(BASE, f"workload.stack={setting}").workload
    assert (workload.tuned, workload.stack) == (tuned, stack)


def test_a_rank_without_adapters_is_refused_as_unused() -> None:
    assert "has no use for the task pretrain" in refused(BASE, "workload.lora.rank=8")


def test_a_task_of_another_scenario_is_refused() -> None:
    assert "the scenario pretrain-34b-70b has: pretrain, full-finetune" in refused(BASE, "workload.task=lora")


@pytest.mark.parametrize(
    ("setting", "parts"),
    [
        ("layout.tp=7", ["7 does not divide the 64 attention heads", "1, 2, 4, 8, 16, 32, 64", "use 4 or 8"]),
        ("layout.pp=81", ["81 stages for 80 layers"]),
        ("layout={pp: 8, virtual_pipeline: 11}", ["88 stages for 80 layers"]),
        ("layout.ep=8", ["a model without experts"]),
        ("layout={zero_stage: 3, pp: 2}", ["stage 3 cannot be combined with pipeline stages"]),
        ("layout={recompute: selective, recompute_layers: 4}", ["4 recomputed layers under selective"]),
        ("layout={offload: weights, zero_stage: 1}", ["weights are offloaded under ZeRO stage 1"]),
        ("layout={shard_group: 8, zero_stage: 0}", ["shards nothing under ZeRO stage 0"]),
        ("layout.cp=3", ["3 does not divide the sequence"]),
        ("layout.micro_batch_size=2000", ["above the global batch"]),
    ],
)
def test_a_layout_that_cannot_be_launched_is_refused(setting: str, parts: list[str]) -> None:
    message = refused(BASE, setting)
    for part in parts:
        assert part in message


def test_a_cluster_that_is_no_multiple_of_the_pinned_layout_is_refused() -> None:
    message = refused(BASE, "workload={tokens: 1T}", "cluster.accelerators=100", "layout={tp: 8, pp: 4}")
    assert "use 96 or 128" in message


def test_a_package_of_two_dies_holds_a_pinned_layout_of_twice_its_count() -> None:
    settings = ("workload={tokens: 1T}", "cluster.accelerators=48", "layout={tp: 8, pp: 4}")
    message = refused(BASE, *settings, "vendors.accelerators=[h100-sxm]")
    assert "use 32 or 64" in message
    assert completed(BASE, *settings, "vendors.accelerators=[ascend-910c]").cluster.accelerators == 48


def test_storage_and_failures_are_kept_as_stated_and_left_to_the_planning_otherwise() -> None:
    stated = completed(
        BASE, "storage={checkpoints_kept: 4, source_data: 200 TB}", "reliability.repair=5 days"
    )
    assert stated.storage == StorageWish(checkpoints_kept=4, source_data_bytes=2e14)
    assert stated.reliability == ReliabilityWish(repair_s=5 * 86_400)
    silent = completed(BASE)
    assert (silent.storage, silent.reliability) == (StorageWish(), ReliabilityWish())


def test_an_oversubscription_is_kept_without_a_notice_since_the_network_chapter_gives_its_effect() -> None:
    narrow = completed(BASE, "cluster.oversubscription=3")
    assert narrow.cluster.oversubscription == 3
    assert narrow.notices == completed(BASE).notices


def test_a_background_write_of_a_synchronous_checkpoint_is_refused() -> None:
    message = refused(BASE, "storage.checkpoint_write=5 min")
    assert "storage.checkpoint_write: is given, but checkpoints are synchronous" in message
    assert completed(BASE, "storage={asynchronous: true, checkpoint_write: 5 min}").storage.asynchronous


@pytest.mark.parametrize(("years", "share"), [(1, "0.625"), (3, "0.3"), (5, "0.125"), (7, "0")])
def test_what_is_left_depends_on_the_age_at_the_horizon(years: int, share: str) -> None:
    requirement = completed(BASE, f"commercial.horizon={years} years", "commercial.depreciation_years=5")
    assert requirement.commercial.residual_share == Decimal(share)


# --- site and money ---


def test_defaults_come_from_the_catalogue_with_their_source() -> None:
    requirement = completed(BASE, "site={region: CN-GD}")
    listed = {assumption.key: assumption for assumption in requirement.assumptions}
    assert listed["site.electricity"].value == "0.7172 CNY/kWh"
    assert listed["site.pue"].value == "1.4"
    for key in ("site.electricity", "site.pue", "site.grid_carbon", "commercial.maintenance"):
        assert catalogue().find(Source, listed[key].source) is not None, key
    assert requirement.site.electricity == Money(Decimal("0.7172"), "CNY")
    assert requirement.site.electricity_source == listed["site.electricity"].source


def test_a_province_without_carbon_data_takes_the_country_and_a_country_without_any_takes_none() -> None:
    china = completed(BASE, "site.region=CN-HK")
    assert china.site.grid_carbon_kg_per_kwh == Decimal("0.5306")
    kenya = completed(BASE, "site={region: KE, electricity: 0.1 USD/kWh}")
    assert kenya.site.grid_carbon_kg_per_kwh is None
    assert any("carbon is not computed" in notice.en for notice in kenya.notices)


def test_what_has_no_sourced_default_is_asked_for() -> None:
    message = refused(BASE, "site={region: CN-SC}")
    assert "site.electricity: is missing" in message
    assert "a price is never guessed" in message
    assert "site.region: is missing" in refused(BASE, "site={electricity: 1 CNY/kWh}")


@pytest.mark.parametrize(
    ("region", "goods", "works", "services"),
    [("CN-GZ", "0.13", "0.09", "0.06"), ("DE", "0.2", "0.2", "0.2"), ("KE", "0", "0", "0")],
)
def test_vat_follows_the_country(region: str, goods: str, works: str, services: str) -> None:
    rules = completed(
        BASE, f"site={{region: {region}, electricity: 0.1 CNY/kWh}}", "commercial.currency=CNY"
    ).commercial
    assert (rules.vat_goods, rules.vat_works, rules.vat_services) == (
        Decimal(goods),
        Decimal(works),
        Decimal(services),
    )


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        (
            ["commercial.budget=1M EUR", "commercial.currency=CNY"],
            ["commercial.budget: is in EUR, totals are in CNY", "EUR/CNY"],
        ),
        (["site.electricity=0.1 EUR/kWh"], ["site.electricity: is in EUR"]),
        (["commercial.fx.0.date=2026-12-24"], ["2026-12-24 is after the document's date"]),
    ],
)
def test_money_that_cannot_be_converted_is_refused(settings: list[str], parts: list[str]) -> None:
    message = refused(BASE, *settings)
    for part in parts:
        assert part in message


def test_a_project_without_a_dollar_rate_is_told_what_that_means() -> None:
    assert any("No USD/CNY rate" in notice.en for notice in completed(BASE, "commercial={}").notices)


def test_all_faults_of_all_sections_come_together() -> None:
    message = refused(
        BASE,
        "layout.tp=7",
        "vendors.consider=[x]",
        "commercial.budget=1 EUR",
        "commercial.currency=CNY",
        "workload.stack=y",
    )
    for key in ("layout.tp", "vendors.consider.0", "commercial.budget", "workload.stack"):
        assert f"{key}: " in message


def test_every_assumption_names_a_key_that_the_file_left_out_and_has_a_reason_in_both_languages() -> None:
    project = parse_project(BASE)
    requirement = scenarios()[project.scenario].complete(project, catalogue())
    keys = [assumption.key for assumption in requirement.assumptions]
    assert keys == sorted(keys)
    assert len(keys) == len(set(keys))
    for assumption in requirement.assumptions:
        assert not project.has(assumption.key), assumption.key
        assert assumption.reason.zh
        assert assumption.reason.en.endswith(".")
    assert requirement.workload.task is Task.PRETRAIN


def test_an_empty_catalogue_gives_faults_and_no_crash() -> None:
    project = parse_project(BASE)
    with pytest.raises(InputError, match="is not among the models"):
        scenarios()[project.scenario].complete(project, Catalogue())


# --- what the cases of users did not reach ---


@pytest.mark.parametrize("reference", ["8x22B", "8×22B", "8 x 22b"])
def test_experts_times_a_size_is_no_size_and_the_model_that_is_meant_is_offered(reference: str) -> None:
    message = refused(model(f'"{reference}"'))
    assert "neither the total nor the active count" in message
    assert 'did you mean "mixtral-8x22b"' in message


def test_experts_times_a_size_that_no_model_has_asks_for_the_shape() -> None:
    assert "give a config.json, or a catalogue id" in refused(model('"3x99B"'))


def test_a_folder_stands_for_the_config_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "My-Model"
    folder.mkdir()
    config = {
        "num_hidden_layers": 4,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_attention_heads": 8,
        "vocab_size": 100,
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    choice = completed(model("./My-Model"), path=str(tmp_path / "project.yaml")).model
    assert (choice.origin, choice.name.en) == ("config", "My-Model")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not JSON"),
        ("[1]", "is no config.json"),
        ("1" * 1_000_001, "is larger than 1,000,000 bytes"),
        ('{"num_hidden_layers": 2}', "no hidden size"),
        ('{"num_hidden_layers": Infinity, "hidden_size": 8}', "no layers"),
    ],
)
def test_a_file_that_is_no_config_is_refused_with_its_reason(
    tmp_path: Path, content: str, words: str
) -> None:
    (tmp_path / "config.json").write_text(content, encoding="utf-8")
    assert words in refused(model("./config.json"), path=str(tmp_path / "project.yaml"))


def test_a_pair_of_currencies_has_one_rate() -> None:
    twice = (
        "fx: [{pair: USD/CNY, rate: 7.10, date: 2026-11-28}, {pair: CNY/USD, rate: 0.14, date: 2026-11-28}]"
    )
    assert "stands twice" in refused(
        BASE.replace("fx: [{pair: USD/CNY, rate: 7.10, date: 2026-11-28}]", twice)
    )


def test_a_pilot_faster_than_the_dense_peak_is_refused() -> None:
    run = "measured=[{accelerator: h20, tokens_per_s_per_accelerator: 99999}]"
    message = refused(BASE, run)
    assert "is above what h20 can do" in message
    assert "measured.0.tokens_per_s_per_accelerator" in message


def test_expert_ranks_divide_the_experts() -> None:
    message = refused(model("mixtral-8x22b"), "layout.ep=3")
    assert "3 does not divide the 8 experts" in message
    assert "allowed: 1, 2, 4, 8" in message


def test_a_sequence_beyond_the_models_context_is_advice_not_an_error() -> None:
    notices = [text.en for text in completed(BASE, "workload.sequence_length=1M").notices]
    assert any("is beyond the model's published context" in text for text in notices)
