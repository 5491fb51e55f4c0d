"""Arguments of MindSpeed LLM.

Flags are those of release 26.1.0 on MindSpeed Core 26.1.0_core_r0.12.1 and Megatron-LM core_v0.12.1: the
argument parser of the latter, and the feature managers of the former two. Uneven stages are filled up with
empty layers, which is how its own examples train DeepSeek-V3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Precision
from suanli.domain.software import Launcher
from suanli.domain.workload import Offload, Recompute, Task
from suanli.planning.software.job import WEIGHTS_SHARDED, flag, script
from suanli.planning.software.launch_megatron import (
    batch_arguments,
    distribution,
    model_arguments,
    model_notes,
    precision_arguments,
)
from suanli.planning.software.results import Launch, LaunchFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.software import StackFeatures
    from suanli.planning.software.job import Argument, LaunchJob

__all__ = ["empty_layers", "mindspeed_launch"]

_TUNED: Final = {Task.FULL_FINETUNE, Task.LORA}
_ADAPTED_MODULES: Final = ("linear_qkv", "linear_proj", "linear_fc1", "linear_fc2")


def mindspeed_launch(job: LaunchJob, matrix: StackFeatures) -> Launch | None:
    """Return the run as arguments of MindSpeed LLM, or None for a quantised base, which has no flag."""
    if job.workload.task is Task.QLORA:
        return None
    tuned = job.workload.task in _TUNED
    words = [
        *distribution(job),
        ("posttrain_gpt.py" if tuned else "pretrain_gpt.py",),
        ("--use-mcore-models",),
        *_parallel(job),
        *_model(job),
        *_experts(job),
        *batch_arguments(job),
        *_precision(job),
        *_recompute(job),
        *_states(job),
        *(_tuning(job) if tuned else ()),
        *_files(job, tuned=tuned),
    ]
    text = script(
        words, () if job.layout.zero_stage == WEIGHTS_SHARDED else ("export CUDA_DEVICE_MAX_CONNECTIONS=1",)
    )
    files = (LaunchFile("launch.sh", text),)
    notes = (*model_notes(job.architecture), *_notes(job))
    return Launch(Launcher.MINDSPEED_LLM, matrix.release, matrix.source, files, notes)


def empty_layers(job: LaunchJob) -> int:
    """Return the empty layers that make the stages equal."""
    return -job.architecture.layers % job.segments


def _parallel(job: LaunchJob) -> Iterator[Argument]:
    layout = job.layout
    yield flag("--tensor-model-parallel-size", layout.tp)
    if layout.sequence_parallel and layout.tp > 1:
        yield ("--sequence-parallel",)
    yield flag("--pipeline-model-parallel-size", layout.pp)
    if layout.virtual_pipeline > 1:
        layers = (job.architecture.layers + empty_layers(job)) // job.segments
        yield flag("--num-layers-per-virtual-pipeline-stage", layers)
    yield flag("--context-parallel-size", layout.cp)
    if layout.cp > 1:
        # The estimate sends keys and values round a ring.
        yield flag("--context-parallel-algo", "megatron_cp_algo")
    if layout.ep > 1:
        yield flag("--expert-model-parallel-size", layout.ep)
        yield flag("--expert-tensor-parallel-size", 1)


def _model(job: LaunchJob) -> Iterator[Argument]:
    a, empty = job.architecture, empty_layers(job)
    for argument in model_arguments(a, job.workload.sequence_length):
        yield flag("--num-layers", a.layers + empty) if argument[0] == "--num-layers" else argument
    if empty:
        yield flag("--noop-layers", ",".join(str(a.layers + number) for number in range(empty)))
    yield ("--use-flash-attn",)
    if not a.learned_positions:
        yield ("--use-rotary-position-embeddings",)
    yield flag("--tokenizer-type", "PretrainedFromHF")
    yield flag("--tokenizer-name-or-path", "<tokenizer-path>")
    yield flag("--make-vocab-size-divisible-by", 1)
    yield flag("--padded-vocab-size", a.vocab_size + -a.vocab_size % job.layout.tp)


def _experts(job: LaunchJob) -> Iterator[Argument]:
    moe = job.architecture.moe
    if moe is None:
        return
    yield flag("--num-experts", moe.experts)
    yield flag("--moe-router-topk", moe.top_k)
    yield flag("--moe-ffn-hidden-size", moe.expert_ffn_hidden_size)
    if moe.shared_expert_ffn_hidden_size:
        yield flag("--moe-shared-expert-intermediate-size", moe.shared_expert_ffn_hidden_size)
    if moe.shared_expert_gate:
        yield ("--shared-expert-gate",)
    if moe.dense_layers:
        yield flag("--first-k-dense-replace", moe.dense_layers)
    yield flag("--moe-layer-freq", 1 if moe.layer_interval == 1 else "<moe-layer-pattern>")
    yield ("--moe-grouped-gemm",)
    # Adapters run with the older dispatcher only.
    adapters = job.workload.task is Task.LORA
    if job.layout.ep > 1 or adapters:
        yield flag("--moe-token-dispatcher-type", "alltoall_seq" if adapters else "alltoall")


def _precision(job: LaunchJob) -> Iterator[Argument]:
    yield from precision_arguments(job.precision)
    narrow = job.precision is Precision.FP8
    yield flag("--transformer-impl", "transformer_engine" if narrow else "local")


def _recompute(job: LaunchJob) -> Iterator[Argument]:
    layout = job.layout
    if layout.recompute is Recompute.SELECTIVE:
        yield ("--recompute-activations",)
    if layout.recompute is not Recompute.FULL:
        return
    yield flag("--recompute-granularity", "full")
    yield flag("--recompute-method", "uniform" if layout.recompute_layers is None else "block")
    yield flag("--recompute-num-layers", layout.recompute_layers or 1)
    if layout.recompute_layers is not None and layout.virtual_pipeline > 1:
        # Layers are counted over a device rather than over each of its virtual stages.
        yield ("--enable-recompute-layers-per-pp-rank",)


def _states(job: LaunchJob) -> Iterator[Argument]:
    layout = job.layout
    if layout.zero_stage == WEIGHTS_SHARDED:
        yield ("--use-custom-fsdp",)
        yield flag("--data-parallel-sharding-strategy", "optim_grads_params")
        yield ("--no-gradient-accumulation-fusion",)
    if layout.zero_stage:
        yield ("--use-distributed-optimizer",)
    if layout.zero_stage == 1:
        yield ("--overlap-grad-reduce",)
        yield ("--overlap-param-gather",)
    if layout.offload is Offload.OPTIMIZER:
        yield ("--swap-optimizer",)


def _tuning(job: LaunchJob) -> Iterator[Argument]:
    yield ("--finetune",)
    yield flag("--stage", "sft")
    yield ("--is-instruction-dataset",)
    yield flag("--prompt-type", "<prompt-template>")
    if job.workload.task is Task.LORA:
        yield flag("--lora-r", job.workload.lora_rank)
        yield flag("--lora-alpha", "<lora-alpha>")
        yield flag("--lora-target-modules", *_ADAPTED_MODULES)


def _files(job: LaunchJob, *, tuned: bool) -> Iterator[Argument]:
    yield flag("--data-path", "<data-path>")
    yield flag("--split", "<data-split>")
    yield flag("--ckpt-format", "torch" if tuned else "torch_dist")
    yield flag("--save", "<checkpoint-path>")
    yield flag("--save-interval", job.save_interval_steps)
    yield flag("--load", "<base-checkpoint-path>" if tuned else "<checkpoint-path>")
    yield flag("--distributed-backend", "nccl")


def _notes(job: LaunchJob) -> Iterator[str]:
    yield "layer-spec"
    if job.layout.zero_stage == 2:  # noqa: PLR2004 - the ZeRO stage that shards gradients
        yield "zero-2"
    if job.shards < job.replicas:
        yield "shard-group"
    if job.layout.offload is Offload.WEIGHTS:
        yield "weights-offload"
