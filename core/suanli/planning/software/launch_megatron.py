"""Arguments of Megatron-LM, and the parts that MindSpeed and Primus share with it.

Flags are those of the argument parser of release core_v0.19.0: ``megatron/training/arguments.py`` and the
dataclasses that it builds groups from (`TransformerConfig`, `TrainingConfig`, `CheckpointConfig`,
`TokenizerConfig`). Values that a sizing does not decide are names in angle brackets.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from suanli.domain.architecture import MlpType
from suanli.domain.hardware import Precision
from suanli.domain.software import Launcher
from suanli.domain.workload import Offload, Recompute, Task
from suanli.planning.software.job import flag, script
from suanli.planning.software.results import Launch, LaunchFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.architecture import Architecture
    from suanli.domain.software import StackFeatures
    from suanli.planning.software.job import Argument, LaunchJob

__all__ = [
    "attention_arguments",
    "batch_arguments",
    "distribution",
    "expert_arguments",
    "layer_pattern",
    "megatron_launch",
    "model_arguments",
    "model_notes",
    "parallel_arguments",
    "pipeline_layout",
    "precision_arguments",
    "recompute_arguments",
]

_ADAPTERS: Final = {Task.LORA, Task.QLORA}
_SHARDING: Final = {2: "optim_grads", 3: "optim_grads_params"}
_SINGLE_QUEUE: Final = "export CUDA_DEVICE_MAX_CONNECTIONS=1"


def megatron_launch(job: LaunchJob, matrix: StackFeatures) -> Launch | None:
    """Return the run as arguments of Megatron-LM, or None for adapters, which it does not train."""
    if job.workload.task in _ADAPTERS:
        return None
    words = [
        *distribution(job),
        ("pretrain_gpt.py",),
        *parallel_arguments(job),
        *model_arguments(job.architecture, job.workload.sequence_length),
        *expert_arguments(job),
        *_vocabulary(job.architecture),
        *batch_arguments(job),
        *precision_arguments(job.precision),
        *recompute_arguments(job),
        *_state_arguments(job),
        *_files(job),
    ]
    text = script(words, _environment(job))
    notes = (*model_notes(job.architecture), *_notes(job))
    files = (LaunchFile("launch.sh", text),)
    return Launch(Launcher.MEGATRON_LM, matrix.release, matrix.source, files, notes)


def _environment(job: LaunchJob) -> tuple[str, ...]:
    """Return the one queue that model parallelism overlaps by before Blackwell; FSDP must not have it."""
    split = job.layout.tp > 1 or job.layout.cp > 1
    return (_SINGLE_QUEUE,) if split and job.layout.zero_stage not in _SHARDING else ()


def distribution(job: LaunchJob) -> Iterator[Argument]:
    """Yield torchrun with the shape of the cluster."""
    yield ("torchrun",)
    yield flag("--nproc_per_node", job.ranks_per_node)
    yield flag("--nnodes", job.nodes)
    if job.nodes > 1:
        yield flag("--node_rank", "<node-rank>")
        yield flag("--master_addr", "<master-address>")
        yield flag("--master_port", "<master-port>")


def parallel_arguments(job: LaunchJob) -> Iterator[Argument]:
    """Yield the dimensions of the layout; dp is what is left of the ranks."""
    layout = job.layout
    yield flag("--tensor-model-parallel-size", layout.tp)
    if layout.sequence_parallel and layout.tp > 1:
        yield ("--sequence-parallel",)
    yield flag("--pipeline-model-parallel-size", layout.pp)
    if layout.pp > 1 and job.architecture.layers % job.segments:
        yield flag("--pipeline-model-parallel-layout", f'"{pipeline_layout(job.segment_layers)}"')
    elif layout.virtual_pipeline > 1:
        yield flag("--num-virtual-stages-per-pipeline-rank", layout.virtual_pipeline)
    yield flag("--context-parallel-size", layout.cp)
    if layout.ep > 1:
        yield flag("--expert-model-parallel-size", layout.ep)
        # The estimate spreads whole experts; left alone, the launcher would split each one too.
        yield flag("--expert-tensor-parallel-size", 1)


def pipeline_layout(segments: tuple[int, ...]) -> str:
    """Return the layers of each stage as Megatron's layout string, embedding first and loss last.

    >>> pipeline_layout((2, 2, 1, 1))
    'Ett|tt|t|tL'
    """
    pieces = ["t" * layers for layers in segments]
    pieces[0] = f"E{pieces[0]}"
    pieces[-1] = f"{pieces[-1]}L"
    return "|".join(pieces)


def model_arguments(architecture: Architecture, sequence_length: int) -> Iterator[Argument]:
    """Yield the shape of the model."""
    a = architecture
    yield flag("--num-layers", a.layers)
    yield flag("--hidden-size", a.hidden_size)
    yield flag("--ffn-hidden-size", a.ffn_hidden_size)
    yield from attention_arguments(a)
    yield flag("--seq-length", sequence_length)
    if a.learned_positions:
        yield flag("--max-position-embeddings", a.learned_positions)
        yield flag("--position-embedding-type", "learned_absolute")
    else:
        yield flag("--max-position-embeddings", max(sequence_length, a.max_context or 0))
        yield flag("--position-embedding-type", "rope")
        yield flag("--rotary-base", "<rotary-base>")
    yield flag("--normalization", "LayerNorm" if a.norm_bias else "RMSNorm")
    if a.mlp_type is MlpType.SWIGLU:
        yield ("--swiglu",)
    if a.mlp_type is MlpType.RELU2:
        yield ("--squared-relu",)
    if not (a.output_bias or a.mlp_bias):
        yield ("--disable-bias-linear",)
    if not a.tied_embeddings:
        yield ("--untie-embeddings-and-output-weights",)


def attention_arguments(architecture: Architecture) -> Iterator[Argument]:
    """Yield heads, groups and biases of attention, or the ranks of latent attention."""
    a, mla = architecture, architecture.mla
    yield flag("--num-attention-heads", a.attention_heads)
    if mla is not None:
        yield ("--multi-latent-attention",)
        if mla.q_lora_rank is not None:
            yield flag("--q-lora-rank", mla.q_lora_rank)
        yield flag("--kv-lora-rank", mla.kv_lora_rank)
        yield flag("--qk-head-dim", mla.qk_nope_head_dim)
        yield flag("--qk-pos-emb-head-dim", mla.qk_rope_head_dim)
        yield flag("--v-head-dim", mla.v_head_dim)
        yield ("--qk-layernorm",)
        return
    yield flag("--kv-channels", a.head_dim)
    if a.kv_heads != a.attention_heads:
        yield ("--group-query-attention",)
        yield flag("--num-query-groups", a.kv_heads)
    if a.qkv_bias and not (a.output_bias or a.mlp_bias):
        yield ("--add-qkv-bias",)
    if a.qk_norm:
        yield ("--qk-layernorm",)


def expert_arguments(job: LaunchJob) -> Iterator[Argument]:
    """Yield the routed experts."""
    moe = job.architecture.moe
    if moe is None:
        return
    yield flag("--num-experts", moe.experts)
    yield flag("--moe-router-topk", moe.top_k)
    yield flag("--moe-ffn-hidden-size", moe.expert_ffn_hidden_size)
    if moe.shared_expert_ffn_hidden_size:
        yield flag("--moe-shared-expert-intermediate-size", moe.shared_expert_ffn_hidden_size)
    if moe.shared_expert_gate:
        yield ("--moe-shared-expert-gate",)
    pattern = layer_pattern(job.architecture)
    if pattern is not None:
        yield flag("--moe-layer-freq", f'"{pattern}"')
    yield ("--moe-grouped-gemm",)
    if job.layout.ep > 1:
        yield flag("--moe-token-dispatcher-type", "alltoall")


def layer_pattern(architecture: Architecture) -> str | None:
    """Return which layers are routed in Megatron's notation, or None where all are.

    Where only every nth layer is routed, the config does not say which; a team fills that in.
    """
    moe = architecture.moe
    if moe is None or (moe.dense_layers == 0 and moe.layer_interval == 1):
        return None
    if moe.layer_interval > 1:
        return "<moe-layer-pattern>"
    return f"([0]*{moe.dense_layers}+[1]*{architecture.layers - moe.dense_layers})"


def _vocabulary(architecture: Architecture) -> Iterator[Argument]:
    yield flag("--vocab-size", architecture.vocab_size)
    yield flag("--tokenizer-type", "HuggingFaceTokenizer")
    yield flag("--tokenizer-model", "<tokenizer-path>")


def batch_arguments(job: LaunchJob) -> Iterator[Argument]:
    """Yield the batch of a step and the length of the run."""
    yield flag("--micro-batch-size", job.layout.micro_batch_size)
    yield flag("--global-batch-size", job.batch_size)
    yield flag("--train-iters", job.steps)
    yield flag("--lr", "<learning-rate>")
    yield flag("--lr-decay-style", "<learning-rate-schedule>")


def precision_arguments(precision: Precision) -> Iterator[Argument]:
    """Yield the number format; FP8 multiplies inside 16-bit training."""
    if precision is Precision.FP16:
        yield ("--fp16",)
    if precision in {Precision.BF16, Precision.FP8}:
        yield ("--bf16",)
    if precision is Precision.FP8:
        yield flag("--fp8-format", "hybrid")
        yield flag("--fp8-recipe", "<fp8-recipe>")


def recompute_arguments(job: LaunchJob) -> Iterator[Argument]:
    """Yield recomputation; Megatron counts the layers of a model chunk, the layout those of a stage."""
    layout = job.layout
    if layout.recompute is Recompute.SELECTIVE:
        yield flag("--recompute-granularity", "selective")
    if layout.recompute is not Recompute.FULL:
        return
    yield flag("--recompute-granularity", "full")
    if layout.recompute_layers is None:
        yield flag("--recompute-method", "uniform")
        yield flag("--recompute-num-layers", 1)
    else:
        yield flag("--recompute-method", "block")
        yield flag("--recompute-num-layers", math.ceil(layout.recompute_layers / layout.virtual_pipeline))


def _state_arguments(job: LaunchJob) -> Iterator[Argument]:
    layout = job.layout
    if layout.zero_stage in _SHARDING:
        yield ("--use-megatron-fsdp",)
        yield flag("--data-parallel-sharding-strategy", _SHARDING[layout.zero_stage])
    if layout.zero_stage:
        yield ("--use-distributed-optimizer",)
        yield ("--overlap-grad-reduce",)
        yield ("--overlap-param-gather",)
    if job.shards < job.replicas:
        yield flag("--num-distributed-optimizer-instances", job.replicas // job.shards)
    if layout.offload is Offload.OPTIMIZER:
        yield ("--optimizer-cpu-offload",)
        yield ("--use-precision-aware-optimizer",)


def _files(job: LaunchJob) -> Iterator[Argument]:
    yield flag("--data-path", "<data-path>")
    yield flag("--split", "<data-split>")
    sharded = job.layout.zero_stage in _SHARDING
    yield flag("--ckpt-format", "fsdp_dtensor" if sharded else "torch_dist")
    yield flag("--save", "<checkpoint-path>")
    yield flag("--save-interval", job.save_interval_steps)
    if job.workload.task is Task.FULL_FINETUNE:
        yield flag("--load", "<base-checkpoint-path>")
        yield ("--finetune",)
    else:
        yield flag("--load", "<checkpoint-path>")


def model_notes(architecture: Architecture) -> Iterator[str]:
    """Yield what the flags of the Megatron family cannot say of a model."""
    if architecture.mlp_type is MlpType.GEGLU:
        yield "geglu"
    if architecture.output_bias != architecture.mlp_bias:
        yield "biases"
    if not architecture.learned_positions:
        yield "positions"
    if architecture.moe is not None:
        yield "routing"


def _notes(job: LaunchJob) -> Iterator[str]:
    layers, virtual = job.layout.recompute_layers, job.layout.virtual_pipeline
    if layers is not None and layers % virtual:
        yield "recompute-rounded"
    if job.layout.offload is Offload.WEIGHTS:
        yield "weights-offload"
