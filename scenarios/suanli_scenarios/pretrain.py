"""Pre-training of models from 34B to 70B."""

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
    tasks=(Task.PRETRAIN, Task.FULL_FINETUNE),
    sequence_length=4096,
    global_batch_tokens=1024 * 4096,
    epochs=1,
    runs_per_year=1,
    parameters=(30e9, 80e9),
    size_name=Text(zh="34B 至 70B", en="34B to 70B"),
    tokens_per_parameter=(5.0, 300.0),
)
"""About four million tokens a step, as Llama 2 (Touvron et al., 2023, section 2.2)."""


def complete(project: Project, catalogue: Catalogue) -> Requirement:
    """Complete a pre-training project."""
    return complete_project(project, catalogue, DEFAULTS)


SCENARIO = Scenario(
    id="pretrain-34b-70b",
    name=Text(zh="34B–70B 预训练", en="Pre-training, 34–70B"),
    summary=Text(
        zh="从头或继续预训练 34B–70B 稠密模型，通常数十至数百台服务器。",
        en="Pre-trains a 34–70B model from scratch or continues one, usually on tens to hundreds of servers.",
    ),
    tasks=DEFAULTS.tasks,
    complete=complete,
    starter=starter("pretrain-34b-70b"),
)
