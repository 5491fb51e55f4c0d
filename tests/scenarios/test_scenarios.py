"""The three scenarios: starters and examples load and complete, advice is given and is no error."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scenarios.builtin import BASE, catalogue, completed, scenarios

from suanli.domain.hardware import Accelerator
from suanli.domain.workload import SolveFor, Task
from suanli.errors import InputError
from suanli.project.complete import ScenarioDefaults, requirement_yaml
from suanli.project.load import load_project, parse_project
from suanli.project.schema import known_keys
from suanli_scenarios import base, lora, plugin, pretrain

EXAMPLES = Path(__file__).parents[2] / "examples"
STARTERS = [
    (scenario, language)
    for scenario in ("finetune-lora", "pretrain-34b-70b", "base-100b")
    for language in ("zh", "en")
]


def test_the_plugin_yields_the_three_scenarios_of_the_contract() -> None:
    assert plugin.API_VERSION == 1
    assert list(scenarios()) == ["finetune-lora", "pretrain-34b-70b", "base-100b"]
    for scenario in scenarios().values():
        assert scenario.name.zh != scenario.name.en
        assert scenario.tasks


@pytest.mark.parametrize(("scenario", "language"), STARTERS)
def test_a_starter_loads_and_completes_as_it_is(scenario: str, language: str) -> None:
    project = parse_project(scenarios()[scenario].starter(language), f"{scenario}.yaml")
    requirement = scenarios()[project.scenario].complete(project, catalogue())
    assert requirement.scenario == scenario
    assert requirement.solve_for is SolveFor.ACCELERATORS


@pytest.mark.parametrize(("scenario", "language"), STARTERS)
def test_a_starter_explains_every_key_of_the_file(scenario: str, language: str) -> None:
    text = scenarios()[scenario].starter(language)
    skipped = ("model.", "measured.0.stack", "commercial.fx.0.source", "claims.0.")
    missing = [
        key
        for key in known_keys()
        if f"{key.rpartition('.')[2]}:" not in text and not key.startswith(skipped)
    ]
    assert missing == []


@pytest.mark.parametrize(("scenario", "language"), STARTERS)
def test_every_commented_key_of_a_starter_is_valid_when_the_hash_is_removed(
    scenario: str, language: str
) -> None:
    rows = scenarios()[scenario].starter(language).splitlines()
    commented = [number for number, row in enumerate(rows) if re.fullmatch(r" *# [a-z_]+: .*", row)]
    assert len(commented) > 30
    for number in commented:
        tried = [*rows[:number], rows[number].replace("# ", "", 1), *rows[number + 1 :]]
        parse_project("\n".join(tried), "starter.yaml")


def test_there_is_no_starter_in_another_language() -> None:
    with pytest.raises(InputError, match="allowed: zh, en"):
        scenarios()["base-100b"].starter("fr")


@pytest.mark.parametrize(
    ("name", "scenario", "model", "task"),
    [
        ("lora-13b", "finetune-lora", "llama-2-13b", Task.LORA),
        ("pretrain-70b", "pretrain-34b-70b", "qwen2.5-72b", Task.PRETRAIN),
        ("base-405b", "base-100b", "llama-3.1-405b", Task.PRETRAIN),
        ("base-moe-671b", "base-100b", "deepseek-v3", Task.PRETRAIN),
    ],
)
def test_an_example_loads_completes_and_compares_three_vendors(
    name: str, scenario: str, model: str, task: Task
) -> None:
    project = load_project(EXAMPLES / f"{name}.yaml")
    requirement = scenarios()[project.scenario].complete(project, catalogue())
    assert (requirement.scenario, requirement.model.reference, requirement.workload.task) == (
        scenario,
        model,
        task,
    )
    devices = [catalogue().get(Accelerator, device) for device in requirement.vendors.accelerators]
    assert {device.vendor for device in devices} == {"ascend", "nvidia", "amd"}
    assert requirement.notices == (), "an example needs no advice"
    assert requirement.commercial.currency == "CNY"
    again = parse_project(requirement_yaml(project, requirement))
    assert scenarios()[again.scenario].complete(again, catalogue()).assumptions == ()


def test_the_claims_of_the_pretraining_example_are_those_that_circulate() -> None:
    project = load_project(EXAMPLES / "pretrain-70b.yaml")
    claims = scenarios()[project.scenario].complete(project, catalogue()).claims
    assert [(claim.accelerators, claim.days and round(claim.days, 2)) for claim in claims] == [
        (320, 120.0),  # the client's own, beside those that circulate
        (32, 5.0),
        (8, 12.42),
        (160, 1.0),
        (256, 8.9),
    ]


@pytest.mark.parametrize(
    ("scenario", "model", "told"),
    [
        ("pretrain-34b-70b", "llama-2-7b", True),
        ("pretrain-34b-70b", "yi-34b", False),
        ("pretrain-34b-70b", "llama-3.1-405b", True),
        ("base-100b", "llama-2-70b", True),
        ("base-100b", "gpt3-175b", False),
        ("base-100b", "deepseek-v3", False),
        ("finetune-lora", "llama-2-7b", False),
        ("finetune-lora", "llama-2-70b", True),
    ],
)
def test_a_model_outside_the_usual_sizes_is_a_notice_and_no_error(
    scenario: str, model: str, *, told: bool
) -> None:
    requirement = completed(BASE, f"scenario={scenario}", f"model={model}")
    assert any("outside the scenario's usual sizes" in notice.en for notice in requirement.notices) is told


@pytest.mark.parametrize(
    ("tokens", "told"),
    [("100B", True), ("1T", False), ("15T", False), ("50T", True)],
)
def test_tokens_far_from_the_optimum_are_a_notice(tokens: str, *, told: bool) -> None:
    requirement = completed(BASE, f"workload.tokens={tokens}")
    found = [notice.en for notice in requirement.notices if "Hoffmann" in notice.en]
    assert bool(found) is told
    assert all("about 1.5T" in text for text in found), "20 tokens for each of 72.7B parameters"


def test_fine_tuning_has_no_rule_of_tokens_per_parameter() -> None:
    requirement = completed(BASE, "scenario=finetune-lora", "model=llama-2-13b", "workload.tokens=1M")
    assert not any("Hoffmann" in notice.en for notice in requirement.notices)


@pytest.mark.parametrize("defaults", [lora.DEFAULTS, pretrain.DEFAULTS, base.DEFAULTS])
def test_default_batches_are_whole_sequences(defaults: ScenarioDefaults) -> None:
    assert defaults.global_batch_tokens % defaults.sequence_length == 0


def test_adapters_have_a_rank_by_default_and_full_training_has_none() -> None:
    tuned = completed(BASE, "scenario=finetune-lora", "model=llama-2-13b")
    assert (tuned.workload.task, tuned.workload.lora_rank) == (Task.LORA, 16)
    full = completed(BASE, "scenario=finetune-lora", "model=llama-2-13b", "workload.task=full-finetune")
    assert full.workload.lora_rank == 0
    assert replace(full.workload, task=Task.LORA, lora_rank=16) == tuned.workload
