"""Configuration file and command of Accelerate for PyTorch FSDP2.

Keys are those of the configurations in ``examples/torch_native_parallelism/configs`` of release v1.14.0,
flags those of ``accelerate launch``; arguments of the training script are those of the PEFT fine-tuning
example of v0.20.0, which are Hugging Face's `TrainingArguments`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Precision
from suanli.domain.software import Launcher
from suanli.domain.workload import Offload, Recompute, Task
from suanli.planning.software.job import WEIGHTS_SHARDED, flag, script, yaml_text
from suanli.planning.software.results import Launch, LaunchFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.software import StackFeatures
    from suanli.planning.software.job import Argument, LaunchJob

__all__ = ["accelerate_launch"]

_CONFIG: Final = "fsdp_config.yaml"
_FORMATS: Final = {Precision.BF16: "bf16", Precision.FP16: "fp16", Precision.FP8: "fp8"}


def accelerate_launch(job: LaunchJob, matrix: StackFeatures) -> Launch:
    """Return the run as an Accelerate configuration with its command."""
    files = (
        LaunchFile("launch.sh", script(_command(job))),
        LaunchFile(_CONFIG, yaml_text(_config(job))),
    )
    return Launch(Launcher.ACCELERATE, matrix.release, matrix.source, files, tuple(_notes(job)))


def _command(job: LaunchJob) -> Iterator[Argument]:
    layout, task = job.layout, job.workload.task
    yield flag("accelerate", "launch")
    yield flag("--config_file", _CONFIG)
    if job.nodes > 1:
        yield flag("--machine_rank", "<node-rank>")
        yield flag("--main_process_ip", "<master-address>")
        yield flag("--main_process_port", "<master-port>")
    yield ("<training-script>",)
    yield flag("--per_device_train_batch_size", layout.micro_batch_size)
    yield flag("--gradient_accumulation_steps", layout.micro_batches)
    yield flag("--learning_rate", "<learning-rate>")
    yield flag("--output_dir", "<checkpoint-path>")
    if task in {Task.LORA, Task.QLORA}:
        yield flag("--use_peft_lora", "True")
        yield flag("--lora_r", job.workload.lora_rank)
        yield flag("--lora_alpha", "<lora-alpha>")
        yield flag("--lora_target_modules", "all-linear")
    if task is Task.QLORA:
        yield flag("--use_4bit_quantization", "True")


def _config(job: LaunchJob) -> dict[str, object]:
    layout = job.layout
    return {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "FSDP",
        "fsdp_config": {
            "fsdp_version": 2,
            "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "fsdp_reshard_after_forward": layout.zero_stage == WEIGHTS_SHARDED,
            "fsdp_activation_checkpointing": layout.recompute is Recompute.FULL,
            "fsdp_offload_params": layout.offload is Offload.WEIGHTS,
            "fsdp_state_dict_type": "SHARDED_STATE_DICT",
        },
        "mixed_precision": _FORMATS.get(job.precision, "no"),
        "num_machines": job.nodes,
        "num_processes": layout.devices,
        "parallelism_config": {
            "parallelism_config_dp_replicate_size": job.replicas // job.shards,
            "parallelism_config_dp_shard_size": job.shards // layout.cp,
            "parallelism_config_tp_size": layout.tp,
            "parallelism_config_cp_size": layout.cp,
        },
        "rdzv_backend": "static",
    }


def _notes(job: LaunchJob) -> Iterator[str]:
    layout = job.layout
    yield "script-model"
    yield "script-arguments"
    if layout.recompute is Recompute.SELECTIVE or layout.recompute_layers is not None:
        yield "recompute-partial"
    if layout.offload is Offload.OPTIMIZER:
        yield "optimizer-offload"
    if layout.pp > 1 or layout.ep > 1:
        yield "not-expressible"
