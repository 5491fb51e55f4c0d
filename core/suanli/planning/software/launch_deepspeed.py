"""Configuration file and command of DeepSpeed.

Keys are those of the configuration reference of release v0.19.5, flags those of its launcher
(``deepspeed/launcher/runner.py``) and of ``deepspeed.add_config_arguments``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Precision
from suanli.domain.software import Launcher
from suanli.domain.workload import Offload, Recompute, Task
from suanli.planning.software.job import flag, script
from suanli.planning.software.results import Launch, LaunchFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.software import StackFeatures
    from suanli.planning.software.job import Argument, LaunchJob

__all__ = ["deepspeed_launch"]

_CONFIG: Final = "ds_config.json"


def deepspeed_launch(job: LaunchJob, matrix: StackFeatures) -> Launch:
    """Return the run as a DeepSpeed configuration with its command."""
    files = (
        LaunchFile("launch.sh", script(_command(job))),
        LaunchFile(_CONFIG, json.dumps(dict(_config(job)), indent=2) + "\n"),
    )
    return Launch(Launcher.DEEPSPEED, matrix.release, matrix.source, files, tuple(_notes(job)))


def _command(job: LaunchJob) -> Iterator[Argument]:
    yield ("deepspeed",)
    if job.nodes > 1:
        yield flag("--hostfile", "<hostfile>")
        yield flag("--master_addr", "<master-address>")
        yield flag("--master_port", "<master-port>")
    yield flag("--num_nodes", job.nodes)
    yield flag("--num_gpus", job.ranks_per_node)
    yield ("<training-script>",)
    yield ("--deepspeed",)
    yield flag("--deepspeed_config", _CONFIG)


def _config(job: LaunchJob) -> Iterator[tuple[str, object]]:
    layout = job.layout
    yield "train_batch_size", job.batch_size
    yield "train_micro_batch_size_per_gpu", layout.micro_batch_size
    yield "gradient_accumulation_steps", layout.micro_batches
    if job.precision is Precision.FP16:
        yield "fp16", {"enabled": True}
    if job.precision is Precision.BF16:
        yield "bf16", {"enabled": True}
    yield "zero_optimization", dict(_zero(job))
    if layout.tp > 1:
        yield "tensor_parallel", {"autotp_size": layout.tp}
    if layout.ep > 1:
        yield "expert_parallel", {"enabled": True, "autoep_size": layout.ep}


def _zero(job: LaunchJob) -> Iterator[tuple[str, object]]:
    layout = job.layout
    yield "stage", layout.zero_stage
    if layout.zero_stage:
        yield "overlap_comm", True
        yield "contiguous_gradients", True
        yield "reduce_scatter", True
    if layout.offload is not Offload.NONE:
        yield "offload_optimizer", {"device": "cpu", "pin_memory": True}
    if layout.offload is Offload.WEIGHTS:
        yield "offload_param", {"device": "cpu", "pin_memory": True}


def _notes(job: LaunchJob) -> Iterator[str]:
    layout = job.layout
    yield "script-model"
    if layout.recompute is not Recompute.NONE:
        yield "script-recompute"
    if layout.recompute is Recompute.SELECTIVE or layout.recompute_layers is not None:
        yield "recompute-partial"
    if job.workload.task in {Task.LORA, Task.QLORA}:
        yield "script-adapters"
    if layout.pp > 1:
        yield "script-pipeline"
    if layout.cp > 1:
        yield "script-context"
    if job.shards < job.replicas:
        yield "shard-group"
    if job.precision is Precision.FP8:
        yield "script-fp8"
