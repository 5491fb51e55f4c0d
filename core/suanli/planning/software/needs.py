"""Which features of a training framework a layout, a workload and a model need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Precision
from suanli.domain.software import StackFeature
from suanli.domain.workload import Offload, Recompute, Task
from suanli.planning.software.results import Need

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.architecture import Architecture
    from suanli.estimation.results import Layout, Sizing

__all__ = ["layout_needs", "model_needs", "needed_features"]

_FORMATS: Final = {
    Precision.BF16: StackFeature.BF16,
    Precision.FP16: StackFeature.FP16,
    Precision.FP8: StackFeature.FP8,
}
_ZERO: Final = {1: StackFeature.ZERO_1, 2: StackFeature.ZERO_2, 3: StackFeature.ZERO_3}
_UNFUSED: Final = "unfused"
"""Constant of stacks whose attention keeps the matrix of scores."""


def needed_features(sizing: Sizing, task: Task, architecture: Architecture) -> tuple[Need, ...]:
    """Return every feature that a sized job needs of its framework, in the order of the matrix.

    Args:
        sizing: layout, stack and format of the job.
        task: kind of training.
        architecture: the model.
    """
    stack = sizing.device.stack
    flash = stack.constants.get(_UNFUSED) is None
    needs = [
        *_format_needs(sizing.precision),
        *([Need(StackFeature.FLASH_ATTENTION)] if flash else []),
        *model_needs(architecture, task),
        *layout_needs(sizing.layout),
    ]
    order = list(StackFeature)
    return tuple(sorted(needs, key=lambda need: order.index(need.feature)))


def _format_needs(precision: Precision) -> Iterator[Need]:
    """Yield the number format; none is named for 32-bit training, which every framework has."""
    if precision in _FORMATS:
        yield Need(_FORMATS[precision])


def model_needs(architecture: Architecture, task: Task) -> Iterator[Need]:
    """Yield what the shape of the model and the kind of training need."""
    if architecture.mla is not None:
        yield Need(StackFeature.MLA)
    if architecture.moe is not None:
        yield Need(StackFeature.MOE, "experts", architecture.moe.experts)
    if task is Task.LORA:
        yield Need(StackFeature.LORA)
    if task is Task.QLORA:
        yield Need(StackFeature.QLORA)


def layout_needs(layout: Layout) -> Iterator[Need]:
    """Yield what the dimensions of a layout need; a dimension of one needs nothing.

    >>> from suanli.estimation.results import Layout
    >>> from suanli.domain.workload import Recompute
    >>> layout = Layout(tp=8, pp=1, cp=1, dp=4, ep=1, micro_batch_size=1, micro_batches=8,
    ...                 virtual_pipeline=1, recompute=Recompute.NONE, zero_stage=1, sequence_parallel=True)
    >>> [need.feature.value for need in layout_needs(layout)][:3]
    ['zero-1', 'tensor-parallel', 'sequence-parallel']
    """
    yield from _sharding_needs(layout)
    yield from _split_needs(layout)
    yield from _memory_needs(layout)
    if layout.devices > 1:
        yield Need(StackFeature.DISTRIBUTED_CHECKPOINT)


def _sharding_needs(layout: Layout) -> Iterator[Need]:
    replicas = layout.dp * layout.cp
    shards = replicas if layout.shard_group is None else min(replicas, layout.shard_group)
    if shards > 1 and layout.zero_stage in _ZERO:
        yield Need(_ZERO[layout.zero_stage], "zero", layout.zero_stage)
        if shards < replicas:
            yield Need(StackFeature.HSDP, "group", shards)


def _split_needs(layout: Layout) -> Iterator[Need]:
    if layout.tp > 1:
        yield Need(StackFeature.TENSOR_PARALLEL, "tp", layout.tp)
        if layout.sequence_parallel:
            yield Need(StackFeature.SEQUENCE_PARALLEL)
    if layout.pp > 1:
        yield Need(StackFeature.PIPELINE_PARALLEL, "pp", layout.pp)
        if layout.virtual_pipeline > 1:
            yield Need(StackFeature.INTERLEAVED_PIPELINE, "v", layout.virtual_pipeline)
    if layout.cp > 1:
        yield Need(StackFeature.CONTEXT_PARALLEL, "cp", layout.cp)
    if layout.ep > 1:
        yield Need(StackFeature.EXPERT_PARALLEL, "ep", layout.ep)


def _memory_needs(layout: Layout) -> Iterator[Need]:
    if layout.recompute is Recompute.SELECTIVE:
        yield Need(StackFeature.SELECTIVE_RECOMPUTE)
    if layout.recompute is Recompute.FULL and layout.recompute_layers is None:
        yield Need(StackFeature.FULL_RECOMPUTE)
    if layout.recompute is Recompute.FULL and layout.recompute_layers is not None:
        yield Need(StackFeature.PARTIAL_RECOMPUTE, "layers", layout.recompute_layers)
    if layout.loss_chunks > 1:
        yield Need(StackFeature.CHUNKED_LOSS, "pieces", layout.loss_chunks)
    if layout.offload is Offload.OPTIMIZER:
        yield Need(StackFeature.OPTIMIZER_OFFLOAD)
    if layout.offload is Offload.WEIGHTS:
        yield Need(StackFeature.WEIGHTS_OFFLOAD)
