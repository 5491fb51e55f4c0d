"""Experiment file and command of Primus with its Megatron-LM backend.

Keys are those of the Megatron parameter reference of release v26.5.1, which are the names of Megatron's
arguments with underscores; the few that differ are in `_RENAMED`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.software import Launcher
from suanli.domain.workload import Offload, Task
from suanli.planning.software.job import WEIGHTS_SHARDED, flag, script, yaml_text
from suanli.planning.software.launch_megatron import (
    batch_arguments,
    expert_arguments,
    model_arguments,
    model_notes,
    parallel_arguments,
    precision_arguments,
    recompute_arguments,
)
from suanli.planning.software.results import Launch, LaunchFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from suanli.domain.software import StackFeatures
    from suanli.planning.software.job import Argument, LaunchJob

__all__ = ["primus_launch"]

_RENAMED: Final = {"disable_bias_linear": ("add_bias_linear", False), "fp8_format": ("fp8", None)}
_ABSENT: Final = {"moe_shared_expert_gate"}
_FILE: Final = "experiment.yaml"


def primus_launch(job: LaunchJob, matrix: StackFeatures) -> Launch | None:
    """Return the run as an experiment of Primus, or None for fine-tuning, whose trainer has other keys."""
    if job.workload.task is not Task.PRETRAIN:
        return None
    trainer = {
        "framework": "megatron",
        "config": "pre_trainer.yaml",
        "model": "<model-config>",
        "overrides": _overrides(job),
    }
    experiment = {
        "work_group": "<team>",
        "user_name": "<user>",
        "exp_name": "<experiment>",
        "workspace": "<workspace>",
        "modules": {"pre_trainer": trainer},
    }
    files = (
        LaunchFile("launch.sh", script(_command(job))),
        LaunchFile(_FILE, yaml_text(experiment)),
    )
    notes = (*model_notes(job.architecture), *_notes(job))
    return Launch(Launcher.PRIMUS, matrix.release, matrix.source, files, notes)


def _command(job: LaunchJob) -> tuple[Argument, ...]:
    train = flag("train", "pretrain", "--config", _FILE)
    if job.nodes == 1:
        return (flag("./runner/primus-cli", "direct", "--"), train)
    return (flag("./runner/primus-cli", "slurm", "srun", "-N", job.nodes, "-p", "<partition>", "--"), train)


def _overrides(job: LaunchJob) -> dict[str, object]:
    arguments = (
        *parallel_arguments(job),
        *model_arguments(job.architecture, job.workload.sequence_length),
        *expert_arguments(job),
        *batch_arguments(job),
        *precision_arguments(job.precision),
        *recompute_arguments(job),
    )
    return {**_keys(arguments), **dict(_states(job)), **dict(_files(job))}


def _keys(arguments: Iterable[Argument]) -> dict[str, object]:
    """Return arguments as keys: dashes become underscores, a flag alone is true."""
    found: dict[str, object] = {}
    for name, *values in arguments:
        key = name.removeprefix("--").replace("-", "_")
        value: object = _value(values[0]) if values else True
        if key in _RENAMED:
            key, fixed = _RENAMED[key]
            value = value if fixed is None else fixed
        if key not in _ABSENT:
            found[key] = value
    return found


def _value(text: str) -> int | str:
    return int(text) if text.isdigit() else text.strip('"')


def _states(job: LaunchJob) -> Iterator[tuple[str, object]]:
    layout = job.layout
    sharded = layout.zero_stage == WEIGHTS_SHARDED
    if sharded:
        yield "use_torch_fsdp2", True
        yield "gradient_accumulation_fusion", False
    yield "use_distributed_optimizer", layout.zero_stage > 0 and not sharded
    yield "overlap_grad_reduce", True
    yield "overlap_param_gather", layout.zero_stage > 0 and not sharded
    if job.shards < job.replicas:
        yield "num_distributed_optimizer_instances", job.replicas // job.shards
    if layout.offload is Offload.OPTIMIZER:
        yield "optimizer_cpu_offload", True
        yield "use_precision_aware_optimizer", True


def _files(job: LaunchJob) -> Iterator[tuple[str, object]]:
    yield "tokenizer_type", "HuggingFaceTokenizer"
    yield "tokenizer_model", "<tokenizer-path>"
    yield "train_data_path", "<data-path>"
    yield "ckpt_format", "torch_dist"
    yield "save", "<checkpoint-path>"
    yield "save_interval", job.save_interval_steps


def _notes(job: LaunchJob) -> Iterator[str]:
    yield "model-config"
    moe, layers = job.architecture.moe, job.layout.recompute_layers
    if moe is not None and moe.shared_expert_gate:
        yield "shared-gate"
    if layers is not None and layers % job.layout.virtual_pipeline:
        yield "recompute-rounded"
    if job.layout.offload is Offload.WEIGHTS:
        yield "weights-offload"
