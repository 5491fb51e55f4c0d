"""Wrong project files: file, line, key, what is allowed, the nearest name; all faults at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.scenarios.builtin import BASE

from suanli.domain.record import Text
from suanli.errors import InputError
from suanli.project.load import load_project, parse_project

if TYPE_CHECKING:
    from pathlib import Path

TOP = """\
project: {name: Cluster, client: Client, date: 2026-11-30}
scenario: pretrain-34b-70b
model: qwen2.5-72b
"""


def refused(text: str, *settings: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_project(text, "acme.yaml", settings)
    return str(caught.value)


# Each file is TOP and what stands here, so that its first own line is line 4.
WRONG: dict[str, tuple[str, str, str, str]] = {
    "a key misspelt": (
        "workload:\n  tokns: 2T",
        "acme.yaml:5: workload.tokns",
        "known keys here: task, tokens",
        '"tokens"',
    ),
    "a section misspelt": (
        "workloads: {}",
        "acme.yaml:4: workloads",
        "known keys here: project, scenario",
        '"workload"',
    ),
    "a key in the wrong section": (
        "workload: {pue: 1.2}",
        "acme.yaml:4: workload.pue",
        '"pue" is not a key',
        '"site.pue"',
    ),
    "a bare number of tokens": (
        "workload: {tokens: 2}",
        "workload.tokens",
        "suffixes k M B G T P",
        'write "2T"',
    ),
    "a decimal number of tokens": (
        "workload: {tokens: 1.0}",
        "workload.tokens",
        "is ambiguous",
        'write "1T"',
    ),
    "no tokens": ("workload: {tokens: }", "workload.tokens: no value", "allowed: a count", "remove the line"),
    "negative tokens": ("workload: {tokens: -1T}", "workload.tokens", "above 0", ""),
    "infinite tokens": ("workload: {tokens: .inf}", "workload.tokens", "not a finite number", ""),
    "a deadline without unit": (
        "workload: {deadline: 120}",
        "workload.deadline",
        "days, weeks, months",
        "120 days",
    ),
    "a task misspelt": (
        "workload: {task: pretain}",
        "workload.task",
        "one of: pretrain, full-finetune",
        '"pretrain"',
    ),
    "a format that is not trained in": (
        "workload: {precision: int8}",
        "workload.precision",
        "bf16, fp16, fp8",
        "",
    ),
    "a fraction over one": (
        "commercial: {discount_rate: 6}",
        "commercial.discount_rate",
        "is over 1",
        '"6%" or "0.06"',
    ),
    "a PUE below one": ("site: {pue: 0.9}", "site.pue", "never below 1", ""),
    "a PUE that is not a number": ("site: {pue: .nan}", "site.pue", "not a finite number", ""),
    "an electricity price without currency": (
        "site: {electricity: 0.65}",
        "site.electricity",
        "CURRENCY/kWh",
        "",
    ),
    "a region by name": ("site: {region: 贵州}", "site.region", "ISO 3166-2", 'write "CN-GZ"'),
    "carbon in the wrong unit": (
        "site: {grid_carbon: 530 kg/kWh}",
        "site.grid_carbon",
        "from 0 to 2 kg/kWh",
        "",
    ),
    "a rack power without unit": ("site: {rack_power: 35}", "site.rack_power", "W, kW or MW", "35 kW"),
    "a cooling misspelt": ("site: {cooling: liqid}", "site.cooling", "one of: air, liquid", '"liquid"'),
    "a budget without currency": (
        "commercial: {budget: 200M}",
        "commercial.budget",
        "ISO 4217",
        '"200M CNY"',
    ),
    "a pair without slash": (
        "commercial:\n  fx:\n    - {pair: USDCNY, rate: 7, date: 2026-11-28}",
        "acme.yaml:6: commercial.fx.0.pair",
        "BASE/QUOTE",
        '"USD/CNY"',
    ),
    "a rate without a day": (
        "commercial: {fx: [{pair: USD/CNY, rate: 7}]}",
        "commercial.fx.0.date: is missing",
        "Day of the rate",
        "add date",
    ),
    "milestones that do not add up": (
        "commercial: {milestones: [{name: a, share: 60%}]}",
        "commercial",
        "add up to 100%",
        "",
    ),
    "a tariff of 20 hours": (
        "site: {tariff: [{period: flat, hours: 20, price: 1 CNY/kWh}]}",
        "acme.yaml:4: site",
        "24 hours a day",
        "",
    ),
    "a list of sections": (
        "vendors: [ascend]",
        "acme.yaml:4: vendors",
        "known keys: consider, accelerators",
        "",
    ),
    "text where keys are meant": ("site: CN-GZ", "acme.yaml:4: site", '"CN-GZ" where keys are meant', ""),
    "a mapping where one value is meant": (
        "objective: {a: cost}",
        "acme.yaml:4: objective",
        "a mapping where one value",
        "",
    ),
    "a list where one value is meant": (
        "objective: [cost, time]",
        "acme.yaml:4: objective",
        "a list where one value",
        "",
    ),
    "mappings that are text": (
        "claims: [32 cards]",
        "acme.yaml:4: claims.0",
        "known keys: by, says, accelerator",
        "",
    ),
    "an oversubscription below one": (
        "cluster: {oversubscription: 0.5}",
        "cluster.oversubscription",
        "from 1",
        "",
    ),
    "half an accelerator": ("cluster: {accelerators: 8.5}", "cluster.accelerators", "not whole", ""),
    "no accelerators": ("cluster: {accelerators: 0}", "cluster.accelerators", "from 1 to", ""),
    "a language that is not written": (
        "solve_for: acelerators",
        "solve_for",
        "accelerators, days, tokens",
        '"accelerators"',
    ),
    "a ZeRO stage of four": ("layout: {zero_stage: 4}", "layout.zero_stage", "from 0 to 3", ""),
    "a certainty of 100 %": (
        "workload: {deadline_confidence: 100%}",
        "workload.deadline_confidence",
        "up to 0.999",
        "",
    ),
}


@pytest.mark.parametrize(("text", "place", "allowed", "cure"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_names_place_key_what_is_allowed_and_the_cure(
    text: str, place: str, allowed: str, cure: str
) -> None:
    message = refused(TOP + text + "\n")
    assert "acme.yaml:" in message
    assert place in message
    assert allowed in message
    assert cure in message
    assert message.count("acme.yaml") == 1, "one fault for one mistake"


def test_all_faults_are_reported_at_once_in_order_of_line() -> None:
    text = "project: {nme: x}\nmodel: 7\nworkload:\n  tokens: 2\n  deadline: 3\nsite: {pue: 0.9}\n"
    with pytest.raises(InputError) as caught:
        parse_project(text, "acme.yaml")
    keys = [fault.key for fault in caught.value.faults]
    assert keys[-1] == "scenario", "a key that stands nowhere comes last"
    assert keys[:-1] == [
        "project.name",
        "project.client",
        "project.date",
        "project.nme",
        "workload.tokens",
        "workload.deadline",
        "site.pue",
    ]


def test_a_name_is_the_same_in_all_languages_or_given_in_each() -> None:
    same = parse_project(BASE.replace("name: Cluster", "name: Compute")).file.project.name
    assert same == Text(zh="Compute", en="Compute")
    pair = parse_project(BASE.replace("name: Cluster", "name: {zh: 集群, en: Cluster}")).file.project.name
    assert pair == Text(zh="集群", en="Cluster")


def test_a_name_in_one_language_of_two_is_refused() -> None:
    message = refused(BASE.replace("name: Cluster", "name: {zh: 集群}"))
    assert "project.name: keys here: zh" in message
    assert "a text, or {zh: ..., en: ...}" in message


def test_a_missing_key_says_what_it_means_and_how_to_write_it() -> None:
    message = refused("model: a\nproject: {client: c, date: 2026-11-30}\nscenario: x\n")
    assert "acme.yaml:2: project.name: is missing\n  Name of the project.\n  add name: " in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("- a\n- b\n", "the file is a list"),
        ("hello\n", "the file is one value"),
        ("model： qwen\n", "full-width"),
    ],
)
def test_a_file_that_is_no_mapping_is_refused(text: str, message: str) -> None:
    assert message in refused(text)


def test_a_section_whose_keys_are_commented_out_is_empty() -> None:
    project = parse_project(f"{BASE}layout:\n  # tp: 8\nclaims:\n")
    assert project.file.layout.tp is None
    assert project.file.claims == ()


def test_single_values_and_full_width_commas_stand_for_lists() -> None:
    text = BASE.replace("date: 2026-11-30", "date: 2026-11-30, languages: zh")
    project = parse_project(f"{text}vendors: {{consider: [ascend，nvidia], accelerators: h20}}\n")
    assert project.file.project.languages == ("zh",)
    assert project.file.vendors.consider == ("ascend", "nvidia")
    assert project.file.vendors.accelerators == ("h20",)


def test_settings_replace_and_add_keys_before_anything_is_checked() -> None:
    settings = [
        "workload.deadline=90 days",
        "vendors.consider=[ascend]",
        "site.pue=1.1",
        "layout.tp=8",
        "commercial.fx.0.rate=7.2",
    ]
    project = parse_project(BASE, "acme.yaml", settings)
    assert project.file.workload.deadline == 90 * 86_400
    assert project.file.vendors.consider == ("ascend",)
    assert str(project.file.site.pue) == "1.1"
    assert project.file.layout.tp == 8
    assert str(project.file.commercial.fx[0].rate) == "7.2"
    assert project.origin.place("workload.deadline") == "--set workload.deadline=90 days"


@pytest.mark.parametrize(
    ("setting", "parts"),
    [
        (
            "workload.dedline=90 days",
            ['"workload.dedline" is not a key', "known keys of workload: task", '"workload.deadline"'],
        ),
        ("workload.deadline", ["is not KEY=VALUE"]),
        (
            "workload.deadline=soon",
            ["--set workload.deadline=soon: workload.deadline", "does not begin with a number"],
        ),
        ("vendors.consider=[ascend", ["--set vendors.consider=[ascend", "is not YAML"]),
        ("claims.3.days=5", ["no such list item"]),
        ("nonsense=1", ["known keys: project, scenario, model"]),
    ],
)
def test_a_wrong_setting_is_a_fault_at_the_setting(setting: str, parts: list[str]) -> None:
    message = refused(BASE, setting)
    for part in parts:
        assert part in message


def test_faults_of_settings_and_of_the_file_are_reported_together() -> None:
    message = refused(f"{BASE}objective: cst\n", "workload.dedline=1")
    assert "workload.dedline" in message
    assert 'did you mean "cost"?' in message


def test_a_file_is_loaded_from_disk_and_keeps_its_path(tmp_path: Path) -> None:
    path = tmp_path / "acme.yaml"
    path.write_text(BASE, encoding="utf-8")
    project = load_project(path)
    assert project.path == path
    assert project.scenario == "pretrain-34b-70b"
    assert project.has("workload.tokens")
    assert not project.has("workload.precision")
