"""Sized jobs for the tests of launch arguments, and readers that parse the arguments back."""

from __future__ import annotations

import json
import shlex
import tomllib
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import yaml
from tests.architectures import DEEPSEEK_V3, LLAMA_3_70B
from tests.factories import requirement, sizing, text

from suanli.domain.figure import Check
from suanli.domain.hardware import Precision
from suanli.domain.software import Exclusion, Launcher, StackFeature, StackFeatures, Support
from suanli.domain.workload import Recompute, Requirement, Task
from suanli.estimation.results import Layout, Sizing
from suanli.planning.software.job import LaunchJob, launch_job

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.architecture import Architecture
    from suanli.planning.software.results import Launch

LLAMA = LLAMA_3_70B.model_copy(update={"max_context": 8192})
"""Llama 3 70B."""

DEEPSEEK = DEEPSEEK_V3.model_copy(update={"max_context": 163840})
"""DeepSeek-V3."""

DENSE = Layout(
    tp=8,
    pp=4,
    cp=1,
    dp=2,
    ep=1,
    micro_batch_size=1,
    micro_batches=32,
    virtual_pipeline=2,
    recompute=Recompute.NONE,
    zero_stage=1,
    sequence_parallel=True,
)
"""64 devices on 8 servers, 64 sequences a step."""

SHARDED = replace(
    DENSE, tp=1, pp=1, dp=64, virtual_pipeline=1, micro_batches=1, zero_stage=3, sequence_parallel=False
)
"""64 devices that shard everything."""


def feature_matrix(
    launcher: Launcher | None = None,
    supported: Mapping[StackFeature, bool | None] | None = None,
    exclusions: tuple[tuple[StackFeature, ...], ...] = (),
) -> StackFeatures:
    """Return a matrix that knows the features given and no others."""
    return StackFeatures(
        id="framework-1",
        name=text("Framework"),
        stacks=("stack",),
        release="v1",
        as_of=date(2026, 8, 1),
        source="src",
        launcher=launcher,
        features={
            feature: Support(supported=known, source="src", check=Check.DIRECT)
            for feature, known in (supported or {}).items()
        },
        exclusions=tuple(
            Exclusion(features=one, reason=text("no"), source="src", check=Check.DIRECT) for one in exclusions
        ),
    )


def posed(
    layout: Layout,
    model: Architecture = LLAMA,
    task: Task = Task.PRETRAIN,
    *,
    sequence_length: int = 4096,
    precision: Precision = Precision.BF16,
) -> tuple[Sizing, Requirement]:
    """Return a sizing of a layout with the requirement that it answers."""
    base = requirement()
    workload = replace(
        base.workload,
        task=task,
        sequence_length=sequence_length,
        precision=precision,
        lora_rank=16 if task in {Task.LORA, Task.QLORA} else 0,
    )
    wanted = replace(base, model=replace(base.model, architecture=model), workload=workload)
    nodes = -(-layout.devices // 8)
    return replace(sizing(nodes), layout=layout, precision=precision), wanted


def job(
    layout: Layout,
    model: Architecture = LLAMA,
    task: Task = Task.PRETRAIN,
    *,
    sequence_length: int = 4096,
    precision: Precision = Precision.BF16,
) -> LaunchJob:
    """Return the launch facts of a layout."""
    return launch_job(*posed(layout, model, task, sequence_length=sequence_length, precision=precision))


def file_of(launch: Launch | None, name: str) -> str:
    """Return the text of a file."""
    assert launch is not None
    return next(one.text for one in launch.files if one.name == name)


def words(launch: Launch | None) -> list[str]:
    """Return the command of the script as a shell would split it."""
    body = file_of(launch, "launch.sh").replace("\\\n", " ")
    return shlex.split(body.splitlines()[-1])


def arguments(launch: Launch | None) -> dict[str, str]:
    """Return the flags of the script with their values, empty for a flag that stands alone."""
    found: dict[str, str] = {}
    last = ""
    for word in words(launch):
        if word.endswith(".py") or word == "<training-script>":
            continue
        if word.startswith("--"):
            last = word
            found[word] = ""
        elif last:
            found[last] = f"{found[last]} {word}".strip()
    return found


def read_json(launch: Launch | None, name: str) -> dict[str, Any]:
    """Return a JSON file of the launch."""
    found: dict[str, Any] = json.loads(file_of(launch, name))
    return found


def read_yaml(launch: Launch | None, name: str) -> dict[str, Any]:
    """Return a YAML file of the launch."""
    found: dict[str, Any] = yaml.safe_load(file_of(launch, name))
    return found


def read_toml(launch: Launch | None, name: str) -> dict[str, Any]:
    """Return a TOML file of the launch."""
    return tomllib.loads(file_of(launch, name))
