"""Pre-training of base models from 100B on, dense and mixture of experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.workload import Task
from suanli.plugin import Scenario, Text
from suanli.project.complete import ScenarioDefaults, complete_project
from suanli_scenarios.starters import starter

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.project.schema import Project

__all__ = ["DEFAULTS", "SCENARIO"]

DEFAULTS = ScenarioDefaults(
    tasks=(Task.PRETRAIN,),
    sequence_length=4096,
    global_batch_tokens=4096 * 4096,
    epochs=1,
    runs_per_year=1,
    parameters=(90e9, 5e12),
    size_name=Text(zh="100B 以上", en="100B and more"),
    tokens_per_parameter=(5.0, 300.0),
)
"""About sixteen million tokens a step, as Llama 3.1 405B (Llama team, 2024, table 4)."""


def complete(project: Project, catalogue: Catalogue) -> Requirement:
    """Complete a base-model project."""
    return complete_project(project, catalogue, DEFAULTS)


SCENARIO = Scenario(
    id="base-100b",
    name=Text(zh="千亿参数以上基座模型", en="Base model, 100B and more"),
    summary=Text(
        zh="预训练 100B 以上的稠密或混合专家基座模型，通常数百至数千台服务器。",
        en="Pre-trains a dense or mixture-of-experts base model of 100B and more, on hundreds of servers.",
    ),
    tasks=DEFAULTS.tasks,
    complete=complete,
    starter=starter("base-100b"),
)
