"""The catalogue and the scenarios that the project ships, loaded as any plugin is."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from suanli.domain.catalogue import Catalogue, Provenance
from suanli.plugin import load_records
from suanli.project.load import parse_project
from suanli_scenarios.plugin import suanli_scenarios

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement
    from suanli.project.scenario import Scenario

PACKAGES = ("suanli_common", "suanli_ascend", "suanli_nvidia", "suanli_amd")

BASE = """\
project: {name: Cluster, client: Client, date: 2026-11-30}
scenario: pretrain-34b-70b
model: qwen2.5-72b
workload: {tokens: 1T, deadline: 120 days}
site: {region: CN-GZ, electricity: 0.42 CNY/kWh}
commercial: {fx: [{pair: USD/CNY, rate: 7.10, date: 2026-11-28}]}
"""
"""The least that a pre-training project needs."""


@cache
def catalogue() -> Catalogue:
    """Return the records of the built-in plugins."""
    return Catalogue.of(
        (record, Provenance(package, "suanli", "test"))
        for package in PACKAGES
        for record in load_records(package)
    )


@cache
def scenarios() -> dict[str, Scenario]:
    """Return the built-in scenarios by id."""
    return {scenario.id: scenario for scenario in suanli_scenarios()}


def completed(text: str = BASE, *settings: str, path: str = "project.yaml") -> Requirement:
    """Return the requirement of a project file."""
    project = parse_project(text, path, settings)
    return scenarios()[project.scenario].complete(project, catalogue())
