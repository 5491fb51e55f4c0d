"""Job configuration and command of TorchTitan.

Keys are those of ``torchtitan/config/job_config.py`` of release v0.2.2. A model is named by a flavour of the
framework, so that its shape is not among them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Precision
from suanli.domain.software import Launcher
from suanli.domain.workload import Offload, Recompute, Task
from suanli.planning.software.job import WEIGHTS_SHARDED, flag, script
from suanli.planning.software.results import Launch, LaunchFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.software import StackFeatures
    from suanli.planning.software.job import Argument, LaunchJob

__all__ = ["torchtitan_launch"]

_CONFIG: Final = "job.toml"

_Value = bool | int | str | list[str]


def torchtitan_launch(job: LaunchJob, matrix: StackFeatures) -> Launch | None:
    """Return the run as a TorchTitan job, or None for adapters, which it has no keys for."""
    if job.workload.task in {Task.LORA, Task.QLORA}:
        return None
    files = (
        LaunchFile("launch.sh", script(_command(job))),
        LaunchFile(_CONFIG, "\n".join(_section(name, dict(rows)) for name, rows in _sections(job))),
    )
    return Launch(Launcher.TORCHTITAN, matrix.release, matrix.source, files, tuple(_notes(job)))


def _command(job: LaunchJob) -> Iterator[Argument]:
    yield ("torchrun",)
    yield flag("--nproc_per_node", job.ranks_per_node)
    yield flag("--nnodes", job.nodes)
    yield flag("--rdzv_backend", "c10d")
    endpoint = "<master-address>:<master-port>" if job.nodes > 1 else "localhost:0"
    yield flag("--rdzv_endpoint", f'"{endpoint}"')
    yield flag("-m", "torchtitan.train")
    yield flag("--job.config_file", _CONFIG)


def _sections(job: LaunchJob) -> Iterator[tuple[str, Iterator[tuple[str, _Value]]]]:
    yield "model", _model(job)
    yield "optimizer", iter([("name", "AdamW"), ("lr", "<learning-rate>")])
    yield "training", _training(job)
    yield "parallelism", _parallelism(job)
    yield "activation_checkpoint", _activation(job)
    yield (
        "checkpoint",
        iter([("enable", True), ("folder", "<checkpoint-path>"), ("interval", job.save_interval_steps)]),
    )


def _model(job: LaunchJob) -> Iterator[tuple[str, _Value]]:
    yield "name", "<model-name>"
    yield "flavor", "<model-flavor>"
    yield "hf_assets_path", "<tokenizer-path>"
    if job.precision is Precision.FP8:
        yield "converters", ["quantize.linear.float8"]


def _training(job: LaunchJob) -> Iterator[tuple[str, _Value]]:
    layout = job.layout
    # Under a pipeline a step takes all its micro-batches from one local batch.
    pipelined = layout.pp > 1
    yield "dataset", "<dataset>"
    yield "seq_len", job.workload.sequence_length
    yield "local_batch_size", layout.micro_batch_size * (layout.micro_batches if pipelined else 1)
    yield "global_batch_size", job.batch_size
    yield "steps", job.steps
    yield "enable_cpu_offload", layout.offload is Offload.WEIGHTS


def _parallelism(job: LaunchJob) -> Iterator[tuple[str, _Value]]:
    layout = job.layout
    yield "data_parallel_replicate_degree", job.replicas // job.shards
    yield "data_parallel_shard_degree", job.shards // layout.cp
    yield "fsdp_reshard_after_forward", "default" if layout.zero_stage == WEIGHTS_SHARDED else "never"
    yield "tensor_parallel_degree", layout.tp
    yield "context_parallel_degree", layout.cp
    yield "expert_parallel_degree", layout.ep
    yield "pipeline_parallel_degree", layout.pp
    if layout.pp > 1:
        yield "pipeline_parallel_schedule", "1F1B" if layout.virtual_pipeline == 1 else "Interleaved1F1B"
        yield "pipeline_parallel_microbatch_size", layout.micro_batch_size
        yield "pipeline_parallel_layers_per_stage", math.ceil(job.architecture.layers / job.segments)
        # The estimate counts the embedding and the head in memory, not as layers of their stages.
        yield "pipeline_parallel_first_stage_less_layers", 0
        yield "pipeline_parallel_last_stage_less_layers", 0


def _activation(job: LaunchJob) -> Iterator[tuple[str, _Value]]:
    layout = job.layout
    every = _every_nth(job)
    if layout.recompute is Recompute.NONE:
        yield "mode", "none"
    elif layout.recompute is Recompute.SELECTIVE:
        yield "mode", "selective"
        yield "selective_ac_option", "op"
    elif every > 1:
        yield "mode", "selective"
        yield "selective_ac_option", str(every)
    else:
        yield "mode", "full"


def _every_nth(job: LaunchJob) -> int:
    """Return every how many layers one is recomputed, 1 for all; no fewer than the layout has."""
    recomputed = job.layout.recompute_layers
    if recomputed is None:
        return 1
    return max(1, math.ceil(job.architecture.layers / job.layout.pp) // recomputed)


def _notes(job: LaunchJob) -> Iterator[str]:
    layout = job.layout
    yield "model-flavor"
    if layout.recompute_layers is not None:
        yield "recompute-every-nth"
    if layout.offload is Offload.OPTIMIZER:
        yield "optimizer-offload"


def _section(name: str, rows: dict[str, _Value]) -> str:
    lines = [f"{key} = {_toml(value)}" for key, value in rows.items()]
    return "\n".join([f"[{name}]", *lines]) + "\n"


def _toml(value: _Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return str(value) if isinstance(value, int) else f'"{value}"'
