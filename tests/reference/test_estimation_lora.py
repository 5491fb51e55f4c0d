"""LoRA and QLoRA memory against published peaks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.estimation.estimation_cases import layout, model, plain_device, problem, workload

from suanli.domain.workload import Recompute, Task
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.memory import fits, memory
from suanli.estimation.recipes import MemoryRecipe, default_recipe

GIB = 2**30


def chunked(task: Task) -> MemoryRecipe:
    """Return the recipe of torchtune: the loss in chunks and a small context."""
    return replace(default_recipe(task, "fsdp"), logit_bytes=1)


@pytest.mark.parametrize(
    ("task", "low_gib", "high_gib"), [(Task.LORA, 15.5, 22), (Task.QLORA, 5.5, 11)], ids=["lora", "qlora"]
)
def test_eight_billion_fit_on_one_24_gigabyte_device_at_the_published_peak(
    task: Task, low_gib: float, high_gib: float
) -> None:
    # torchtune speed table, RTX 4090: 16.2 GiB and 7.4 GiB
    job = workload(task=task, sequence_length=2048, lora_rank=8)
    posed = problem(plain_device(memory_gb=24, sharding="fsdp"), model("llama-3-8b"), job, chunked(task))
    arrays = LayoutArrays.of(layout(micro_batch_size=2, recompute=Recompute.FULL, zero_stage=0))
    assert low_gib <= memory(posed, arrays).total[0] / GIB <= high_gib
    assert fits(posed, arrays)[0]


def test_four_bit_405b_fits_on_eight_devices_of_80_gigabytes() -> None:
    # torchtune speed table: 44.8 GB per device
    job = workload(task=Task.QLORA, sequence_length=2048, lora_rank=8)
    posed = problem(plain_device(sharding="fsdp"), model("llama-3.1-405b"), job, chunked(Task.QLORA))
    arrays = LayoutArrays.of(layout(dp=8, micro_batch_size=2, recompute=Recompute.FULL, zero_stage=3))
    assert memory(posed, arrays).total[0] / 1e9 == pytest.approx(44.8, rel=0.35)
    assert fits(posed, arrays)[0]


def test_a_routed_base_needs_two_devices_because_every_expert_is_resident() -> None:
    # fms-acceleration benchmark: 57.5 GB per device on two
    posed = problem(
        plain_device(sharding="fsdp"),
        model("mixtral-8x7b"),
        workload(task=Task.LORA, sequence_length=2048),
        chunked(Task.LORA),
    )
    one = LayoutArrays.of(layout(micro_batch_size=4, recompute=Recompute.FULL, zero_stage=3))
    two = LayoutArrays.of(layout(dp=2, micro_batch_size=2, recompute=Recompute.FULL, zero_stage=3))
    assert not fits(posed, one)[0]
    assert fits(posed, two)[0]
    assert memory(posed, two).total[0] / 1e9 == pytest.approx(57.5, rel=0.25)


@pytest.mark.parametrize(
    ("task", "loaded_gb", "tolerance"),
    [(Task.LORA, 15.1, 0.08), (Task.QLORA, 4.84, 0.2)],
    ids=["lora", "qlora"],
)
def test_a_seven_billion_base_after_loading_takes_the_published_memory(
    task: Task, loaded_gb: float, tolerance: float
) -> None:
    posed = problem(plain_device(sharding="fsdp"), model("mistral-7b-v0.1"), workload(task=task, lora_rank=1))
    weights = memory(posed, LayoutArrays.of(layout(zero_stage=0))).weights[0]
    assert weights / 1e9 == pytest.approx(loaded_gb, rel=tolerance)


def test_four_bit_is_less_than_sixteen_bit_is_less_than_full_training() -> None:
    totals = [
        float(
            memory(
                problem(
                    plain_device(sharding="fsdp"),
                    model("llama-2-7b"),
                    workload(task=task, sequence_length=2048),
                ),
                LayoutArrays.of(layout(zero_stage=0, recompute=Recompute.FULL)),
            ).total[0]
        )
        / 1e9
        for task in (Task.QLORA, Task.LORA, Task.FULL_FINETUNE)
    ]
    assert totals == sorted(totals)
    assert 14 <= totals[1] <= 24
    assert totals[2] > 100
