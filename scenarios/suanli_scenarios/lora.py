"""LoRA, QLoRA and full fine-tuning of 7B to 13B models."""

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
    tasks=(Task.LORA, Task.QLORA, Task.FULL_FINETUNE),
    sequence_length=2048,
    global_batch_tokens=128 * 2048,
    epochs=3,
    runs_per_year=12,
    parameters=(6e9, 16e9),
    size_name=Text(zh="7B 至 13B", en="7B to 13B"),
    lora_rank=16,
)
"""128 packed sequences of 2,048 tokens a step, three passes, one run a month: a model adapted regularly."""


def complete(project: Project, catalogue: Catalogue) -> Requirement:
    """Complete a fine-tuning project."""
    return complete_project(project, catalogue, DEFAULTS)


SCENARIO = Scenario(
    id="finetune-lora",
    name=Text(zh="LoRA 微调（7B–13B）", en="LoRA fine-tuning (7–13B)"),
    summary=Text(
        zh="用 LoRA、QLoRA 或全参数方式微调 7B–13B 模型，通常一台或几台服务器。",
        en="Adapts a 7–13B model with LoRA, QLoRA or full fine-tuning, usually on one or a few servers.",
    ),
    tasks=DEFAULTS.tasks,
    complete=complete,
    starter=starter("finetune-lora"),
)
