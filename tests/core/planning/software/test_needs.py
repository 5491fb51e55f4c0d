from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.factories import number
from tests.launching import DEEPSEEK, DENSE, LLAMA, SHARDED, posed

from suanli.domain.hardware import Precision
from suanli.domain.software import StackFeature as F
from suanli.domain.workload import Offload, Recompute, Task
from suanli.planning.software.needs import layout_needs, model_needs, needed_features

if TYPE_CHECKING:
    from suanli.estimation.results import Layout

ONE = replace(
    DENSE, tp=1, pp=1, dp=1, virtual_pipeline=1, micro_batches=1, zero_stage=1, sequence_parallel=False
)
"""A single device, which needs nothing of a framework."""


def test_one_device_needs_nothing_of_a_layout() -> None:
    assert list(layout_needs(ONE)) == []


@pytest.mark.parametrize(
    ("layout", "needed"),
    [
        (replace(ONE, dp=2), {F.ZERO_1: 1}),
        (replace(ONE, dp=2, zero_stage=0), {}),
        (replace(ONE, dp=2, zero_stage=2), {F.ZERO_2: 2}),
        (replace(ONE, dp=2, zero_stage=3), {F.ZERO_3: 3}),
        # Context-parallel ranks hold the same parameters, so that states are sharded over them too.
        (replace(ONE, cp=2), {F.ZERO_1: 1, F.CONTEXT_PARALLEL: 2}),
        (replace(ONE, dp=16, zero_stage=3, shard_group=8), {F.ZERO_3: 3, F.HSDP: 8}),
        (replace(ONE, dp=16, zero_stage=3, shard_group=16), {F.ZERO_3: 3}),
        (replace(ONE, tp=4), {F.TENSOR_PARALLEL: 4}),
        (replace(ONE, tp=4, sequence_parallel=True), {F.TENSOR_PARALLEL: 4, F.SEQUENCE_PARALLEL: None}),
        (replace(ONE, pp=2), {F.PIPELINE_PARALLEL: 2}),
        (replace(ONE, pp=2, virtual_pipeline=5), {F.PIPELINE_PARALLEL: 2, F.INTERLEAVED_PIPELINE: 5}),
        (replace(ONE, dp=8, ep=8), {F.ZERO_1: 1, F.EXPERT_PARALLEL: 8}),
        (
            replace(ONE, tp=2, recompute=Recompute.SELECTIVE),
            {F.TENSOR_PARALLEL: 2, F.SELECTIVE_RECOMPUTE: None},
        ),
        (replace(ONE, tp=2, recompute=Recompute.FULL), {F.TENSOR_PARALLEL: 2, F.FULL_RECOMPUTE: None}),
        (
            replace(ONE, tp=2, recompute=Recompute.FULL, recompute_layers=7),
            {F.TENSOR_PARALLEL: 2, F.PARTIAL_RECOMPUTE: 7},
        ),
        (replace(ONE, tp=2, loss_chunks=8), {F.TENSOR_PARALLEL: 2, F.CHUNKED_LOSS: 8}),
        (replace(ONE, tp=2, offload=Offload.OPTIMIZER), {F.TENSOR_PARALLEL: 2, F.OPTIMIZER_OFFLOAD: None}),
        (replace(ONE, tp=2, offload=Offload.WEIGHTS), {F.TENSOR_PARALLEL: 2, F.WEIGHTS_OFFLOAD: None}),
    ],
)
def test_each_dimension_of_a_layout_needs_its_feature_and_no_other(
    layout: Layout, needed: dict[F, int | None]
) -> None:
    found = {need.feature: need.value for need in layout_needs(layout)}

    # Whatever runs on several devices writes its checkpoint from all of them.
    assert found == {**needed, F.DISTRIBUTED_CHECKPOINT: None}


@pytest.mark.parametrize(
    ("task", "features"),
    [(Task.PRETRAIN, []), (Task.FULL_FINETUNE, []), (Task.LORA, [F.LORA]), (Task.QLORA, [F.QLORA])],
)
def test_the_kind_of_training_needs_its_adapters(task: Task, features: list[F]) -> None:
    assert [need.feature for need in model_needs(LLAMA, task)] == features


def test_the_shape_of_a_model_needs_its_attention_and_experts() -> None:
    found = {need.feature: need.value for need in model_needs(DEEPSEEK, Task.PRETRAIN)}

    assert found == {F.MLA: None, F.MOE: 256}


@pytest.mark.parametrize(
    ("precision", "feature"),
    [(Precision.BF16, F.BF16), (Precision.FP16, F.FP16), (Precision.FP8, F.FP8)],
)
def test_the_number_format_is_needed(precision: Precision, feature: F) -> None:
    sized, wanted = posed(SHARDED, precision=precision)

    found = [need.feature for need in needed_features(sized, wanted.workload.task, LLAMA)]

    assert found == [feature, F.FLASH_ATTENTION, F.ZERO_3, F.DISTRIBUTED_CHECKPOINT]


def test_a_stack_with_unfused_attention_needs_no_fused_one() -> None:
    sized, wanted = posed(SHARDED)
    stack = sized.device.stack.model_copy(update={"constants": {"unfused": number(1)}})
    older = replace(sized, device=replace(sized.device, stack=stack))

    found = {need.feature for need in needed_features(older, wanted.workload.task, LLAMA)}

    assert F.FLASH_ATTENTION not in found


def test_needs_come_in_the_order_of_the_matrix() -> None:
    sized, wanted = posed(DENSE, DEEPSEEK)
    found = [need.feature for need in needed_features(sized, wanted.workload.task, DEEPSEEK)]

    assert found == sorted(found, key=list(F).index)
