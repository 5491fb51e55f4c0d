"""The input as used is a project file again: the same requirement, with no default left to choose."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scenarios.builtin import BASE, catalogue, scenarios

from suanli.domain.record import Text
from suanli.project.complete import requirement_yaml
from suanli.project.load import parse_project

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement
    from suanli.project.schema import Project


def complete(project: Project) -> Requirement:
    return scenarios()[project.scenario].complete(project, catalogue())


def bare(requirement: Requirement) -> Requirement:
    """Return a requirement without what only says where its values came from."""
    site = replace(requirement.site, pue_source="", electricity_source="", grid_carbon_source="")
    return replace(requirement, assumptions=(), notices=(), site=site)


RICH = [
    "workload={tokens: 1.5T, epochs: 2, stack: untuned, runs_per_year: 1.5, precision: fp8}",
    "cluster={accelerators: 1024, spare_nodes: 0, exposed_communication_max: 12.5%, expansion: [2x, 4x]}",
    (
        "layout={tp: 8, pp: 4, micro_batch_size: 1, recompute: full, recompute_layers: 3, zero_stage: 1,"
        " shard_group: 8, offload: optimizer, sequence_parallel: false}"
    ),
    "vendors={accelerators: [ascend-910b2, h100-sxm], prefer: domestic}",
    (
        "storage={checkpoint_stall: 7 s, asynchronous: true, checkpoint_write: 4 min, checkpoints_kept: 3,"
        " milestones: 0, source_data: 12.5 TB, scratch: 800 GB}"
    ),
    "reliability={interruptions: 1.25, restart: 11 min, repair: 36 h}",
    "site.grid_carbon=0.4321 kg/kWh",
    "commercial.staff={posts: 2.5, cost: 300k CNY}",
    "commercial.budget=1234567.89 CNY",
    """claims=[{by: 'a: b', says: '"x", y', accelerator: h100-sxm, accelerators: 8, days: 298 h}]""",
    "measured=[{accelerator: h100-sxm, tokens_per_s_per_accelerator: 612.5, layout: {tp: 8}}]",
    "measured.0.accelerators=64",
    "project.languages=[en]",
]
CASES = {
    "the least": [],
    "the most": RICH,
    "a parameter count": ["model={parameters: 72B, name: House model}"],
    "a shape": ["model={layers: 80, hidden: 8192, ffn_hidden: 28672, heads: 64, kv_heads: 8, vocab: 128256}"],
    "tokens unknown": ["workload={deadline: 100 h}", "cluster.accelerators=64"],
    "a claim of every quantity": [
        (
            "claims=[{by: a, says: b, accelerator: h100-sxm, accelerators: 8, days: 5, tokens_per_s: 1.2M,"
            " tokens_per_s_per_accelerator: 4672, mfu: 55%, fits: true, memory: 40.5 GB, states: 840 GB,"
            " optimizer: 28 GiB, weights: 74 GB, kv_cache: 85.9 GB, time_per_output_token: 0.14 ms,"
            " network: 25 Gbit/s, peak: 400 TFLOPS, device_memory: 32 GB}, {by: c, says: words alone}]"
        )
    ],
    "a model renamed": ["model={reference: qwen2.5-72b, name: 自研 72B}"],
}


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_the_input_as_used_completes_to_the_same_requirement(settings: list[str]) -> None:
    project = parse_project(BASE, "acme.yaml", settings)
    requirement = complete(project)
    again = complete(parse_project(requirement_yaml(project, requirement)))
    assert bare(again) == bare(requirement)
    assert again.assumptions == ()


def test_writing_twice_gives_the_same_text_but_for_the_marks_of_defaults() -> None:
    project = parse_project(BASE)
    first = requirement_yaml(project, complete(project))
    second_project = parse_project(first)
    second = requirement_yaml(second_project, complete(second_project))
    assert [line.partition("  # default")[0] for line in first.splitlines()] == second.splitlines()


def test_every_default_is_written_at_its_key_with_its_value() -> None:
    project = parse_project(BASE)
    requirement = complete(project)
    written = parse_project(requirement_yaml(project, requirement))
    for assumption in requirement.assumptions:
        found = written.origin.find(assumption.key)
        assert _flow(found) == assumption.value, assumption.key


def _flow(found: object) -> object:
    """Return lists and mappings on one line, as an assumption writes them."""
    if isinstance(found, list):
        return f"[{', '.join(map(str, cast('list[object]', found)))}]"
    if isinstance(found, dict):
        pairs = cast("dict[str, object]", found).items()
        return f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"
    return found


def test_milestones_and_quotations_are_kept() -> None:
    settings = [
        "commercial.milestones=[{name: 到货, share: 60%}, {name: 终验, share: 40%}]",
        "commercial.quotes=[./q.xlsx]",
    ]
    project = parse_project(BASE, "a.yaml", settings)
    written = parse_project(requirement_yaml(project, complete(project)))
    assert written.file.commercial.milestones == project.file.commercial.milestones
    assert written.file.commercial.quotes == ("./q.xlsx",)


lines = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(
    lambda text: bool(text.strip())
)


@given(lines, lines)
def test_any_text_of_the_client_reads_back(name: str, client: str) -> None:
    project = parse_project(BASE)
    requirement = complete(project)
    said = Text.same(" ".join(name.split()))
    names = replace(requirement.project, name=said, client=Text(zh=said.zh, en=" ".join(client.split())))
    written = parse_project(requirement_yaml(project, replace(requirement, project=names)))
    assert (written.file.project.name, written.file.project.client) == (names.name, names.client)
