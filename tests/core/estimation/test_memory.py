from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from tests.core.estimation.estimation_cases import (
    LLAMA2_7B,
    ascend,
    catalogue,
    figure,
    layout,
    model,
    plain_device,
    problem,
    workload,
)

from suanli.domain.figure import Bytes
from suanli.domain.hardware import Accelerator
from suanli.domain.workload import Offload, Recompute, Task
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.memory import (
    RESERVE_SHARE,
    UNUSABLE_SHARE,
    fits,
    host_bytes,
    local_parameters,
    memory,
    memory_use,
    micro_batches_in_flight,
    peak_bytes,
    phases,
    usable_memory,
)
from suanli.estimation.recipes import (
    MEGATRON_BF16_GRADIENTS,
    MINDSPORE_OPTIMIZER_PARALLEL,
    RECIPES,
    default_recipe,
    static_bytes_per_device,
)

PLAIN = problem(plain_device(), LLAMA2_7B, workload())


def test_tensor_and_pipeline_parallelism_split_every_parameter_once() -> None:
    arrays = LayoutArrays.of(layout(tp=8))
    assert local_parameters(PLAIN, arrays, last=False).dense[0] * 8 == PLAIN.counts.total
    split = LayoutArrays.of(layout(pp=2))
    stages = [local_parameters(PLAIN, split, last=last).dense[0] for last in (False, True)]
    assert sum(stages) == PLAIN.counts.total - PLAIN.counts.final_norm


def test_expert_parallelism_splits_the_experts_and_nothing_else() -> None:
    posed = problem(plain_device(), model("mixtral-8x7b"), workload())
    whole, spread = (
        local_parameters(posed, LayoutArrays.of(layout(dp=8, ep=ep)), last=False) for ep in (1, 8)
    )
    assert spread.experts[0] * 8 == whole.experts[0] == posed.counts.expert
    assert spread.dense[0] == whole.dense[0]


def test_the_first_stage_holds_as_many_micro_batches_as_there_are_stages() -> None:
    arrays = LayoutArrays.of(
        layout(pp=4, micro_batches=16),
        layout(pp=4, micro_batches=16, virtual_pipeline=2),
        layout(pp=4, micro_batches=2),
    )
    assert micro_batches_in_flight(arrays, last=False).tolist() == [4, 5.5, 2]
    assert micro_batches_in_flight(arrays, last=True).tolist() == [1, 2.5, 1]


def test_the_optimizer_is_sharded_over_data_parallel_ranks() -> None:
    one, eight = memory(PLAIN, LayoutArrays.of(layout(dp=1), layout(dp=8))).optimizer
    assert one == 12 * PLAIN.counts.total
    assert eight == one / 8


@pytest.mark.parametrize(
    ("stage", "expected_gb"),
    [(0, 120.0), (1, 31.4), (2, 16.6), (3, 1.9)],
    ids=["none", "zero1", "zero2", "zero3"],
)
def test_zero_gives_the_golden_values_of_its_paper(stage: int, expected_gb: float) -> None:
    found = static_bytes_per_device(7.5e9, MEGATRON_BF16_GRADIENTS, stage, 64) / 1e9
    assert found == pytest.approx(expected_gb, abs=0.05)


@pytest.mark.parametrize(("stage", "shards"), [(4, 8), (-1, 8), (1, 0)])
def test_a_zero_stage_that_does_not_exist_is_refused(stage: int, shards: int) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        static_bytes_per_device(1.0, MEGATRON_BF16_GRADIENTS, stage, shards)


def test_recipes_have_the_bytes_that_their_names_say() -> None:
    totals = {name: recipe.total_bytes for name, recipe in RECIPES.items()}
    assert totals == {
        "megatron-fp32-gradients": 18,
        "megatron-bf16-gradients": 16,
        "mindspore-optimizer-parallel": 16,
        "fsdp-fp32-shards": 16,
        "zero-mixed-adam": 20,
        "pure-bf16": 8,
        "adam-8bit": 6,
    }


def test_an_unknown_sharding_takes_the_recipe_of_megatron() -> None:
    assert default_recipe(Task.PRETRAIN, "other").name == "megatron-fp32-gradients"


def test_the_memory_of_a_die_is_its_part_of_the_package() -> None:
    package = plain_device(memory_gb=128, usable_gib=120).accelerator.model_copy(update={"dies": 2})
    assert usable_memory(package) == (60 * 2**30, True)
    unmeasured = plain_device(memory_gb=128).accelerator.model_copy(update={"dies": 2})
    assert usable_memory(unmeasured)[0] == pytest.approx(64 * 2**30 * (1 - UNUSABLE_SHARE))


def test_usable_memory_is_measured_or_the_label_in_gib_less_a_stated_share() -> None:
    assert usable_memory(ascend().accelerator) == (60.97 * 2**30, True)
    unmeasured, measured = usable_memory(plain_device().accelerator)
    assert unmeasured == pytest.approx(80 * 2**30 * (1 - UNUSABLE_SHARE))
    assert not measured


@pytest.mark.parametrize(("unit", "value"), [("GiB", 80.0), ("GB", 80.0), ("TB", 0.0858993459)])
def test_only_a_label_in_gb_is_read_in_powers_of_two(unit: str, value: float) -> None:
    device = plain_device().accelerator.model_copy(update={"memory": figure(Bytes, value, unit)})
    assert usable_memory(device)[0] == pytest.approx(80 * 2**30 * (1 - UNUSABLE_SHARE))


@pytest.mark.parametrize("accelerator", ["h100-sxm", "h200-sxm", "ascend-910b2", "ascend-910b4", "gb200"])
def test_the_rule_for_unmeasured_memory_stays_below_what_was_measured(accelerator: str) -> None:
    known = catalogue().get(Accelerator, accelerator)
    by_rule = usable_memory(known.model_copy(update={"usable_memory": None}))[0]
    assert 0.93 * usable_memory(known)[0] < by_rule < 1.04 * usable_memory(known)[0]


def test_the_record_repeats_the_arrays_and_fitting_keeps_the_reserve() -> None:
    arrays = LayoutArrays.of(layout(tp=8, dp=2))
    use = memory_use(PLAIN, arrays)
    assert use.total_bytes == pytest.approx(float(memory(PLAIN, arrays).total[0]))
    assert use.reserve_share == RESERVE_SHARE
    limit = use.total_bytes / use.usable_bytes
    assert fits(PLAIN, arrays, 1 - limit * 1.001)[0]
    assert not fits(PLAIN, arrays, 1 - limit * 0.999)[0]


def test_adapters_over_a_four_bit_base_need_least_and_full_training_most() -> None:
    arrays = LayoutArrays.of(layout(dp=8))
    totals = [
        float(memory(problem(plain_device(), LLAMA2_7B, workload(task=task)), arrays).total[0])
        for task in (Task.QLORA, Task.LORA, Task.FULL_FINETUNE)
    ]
    assert totals == sorted(totals)
    assert totals[1] < 60e9


def test_all_experts_are_resident_whatever_a_token_visits() -> None:
    posed = problem(plain_device(), model("mixtral-8x7b"), workload(task=Task.LORA))
    weights = memory(posed, LayoutArrays.of(layout(zero_stage=0))).weights[0]
    assert weights >= 2 * 46.7e9


def test_the_fullest_of_first_and_last_stage_counts() -> None:
    wide = LLAMA2_7B.model_copy(update={"vocab_size": 512000, "layers": 4})
    posed = problem(plain_device(), wide, workload())
    found = memory(posed, LayoutArrays.of(layout(pp=2, micro_batches=1)))
    # The logits, the head's gradient, and input, output and gradient of the last norm.
    assert found.logits[0] == 2 * 4096 * 512000 + 2 * 512000 * 4096 + 6 * 4096 * 4096
    assert np.isfinite(found.total[0])


GRID = LayoutArrays.of(
    *(
        layout(tp, pp, cp, 4, ep, 2, micro_batches, v, mode, stage, sequence_parallel=sp)
        for tp, sp in ((1, False), (4, False), (4, True))
        for pp, v in ((1, 1), (2, 1), (4, 2))
        for cp in (1, 2)
        for ep in (1, 4)
        for micro_batches in (1, 8)
        for mode in Recompute
        for stage in range(4)
    )
)


@pytest.mark.parametrize("name", ["llama-2-7b", "mixtral-8x7b", "deepseek-v3"])
@pytest.mark.parametrize("task", list(Task))
@pytest.mark.parametrize("sharding", ["distributed-optimizer", "fsdp", "zero"])
def test_the_fast_total_equals_the_sum_of_the_parts(name: str, task: Task, sharding: str) -> None:
    posed = problem(plain_device(sharding=sharding), model(name), workload(task=task))
    parts = memory(posed, GRID)
    assert np.allclose(peak_bytes(posed, GRID), parts.total, rtol=1e-12)
    assert all(np.all(getattr(parts, part.name) >= 0) for part in fields(parts))


def test_the_extras_of_loss_and_backward_pass_are_not_there_at_once() -> None:
    layouts = LayoutArrays.of(layout(recompute=Recompute.FULL))
    small, large = (
        memory(
            problem(plain_device(), LLAMA2_7B.model_copy(update={"vocab_size": size}), workload()), layouts
        )
        for size in (1000, 64000)
    )
    # With few logits the recomputed layer is higher than the loss; with many the loss covers it.
    assert small.activations[0] > large.activations[0] == 32 * 2 * 4096 * 4096


def test_tied_embeddings_are_on_both_ends_of_a_pipeline() -> None:
    tied = LLAMA2_7B.model_copy(update={"tied_embeddings": True})
    posed, layouts = problem(plain_device(), tied, workload()), LayoutArrays.of(layout(pp=2))
    first, last = (local_parameters(posed, layouts, last=one) for one in (False, True))
    assert first.head[0] == last.head[0] == 32000 * 4096
    whole = local_parameters(posed, LayoutArrays.of(layout()), last=True)
    assert whole.head[0] == 32000 * 4096


def test_hybrid_sharding_keeps_a_copy_in_every_group() -> None:
    posed = problem(plain_device(sharding="fsdp"), LLAMA2_7B, workload())
    base = layout(dp=32, zero_stage=3)
    spread, grouped, eight = memory(
        posed, LayoutArrays.of(base, replace(base, shard_group=8), layout(dp=8, zero_stage=3))
    ).optimizer
    assert grouped == eight == 4 * spread


def test_whole_weights_of_zero_3_are_two_layers_the_tables_and_one_gradient() -> None:
    posed = problem(plain_device(sharding="fsdp"), LLAMA2_7B, workload())
    layouts = LayoutArrays.of(layout(dp=8, zero_stage=2), layout(dp=8, zero_stage=3))
    without, whole = memory(posed, layouts).buffers
    one_layer, tables = posed.counts.dense_layer + 4096 / 32, 2 * 32000 * 4096
    assert whole - without == pytest.approx((2 * 2 + 4) * one_layer + 2 * tables)


def test_frozen_tables_are_whole_one_at_a_time_under_fsdp_and_both_under_deepspeed() -> None:
    layouts = LayoutArrays.of(layout(dp=8, zero_stage=2), layout(dp=8, zero_stage=3))
    fsdp, zero = (
        np.diff(
            memory(
                problem(plain_device(sharding=sharding), LLAMA2_7B, workload(task=Task.LORA)), layouts
            ).buffers
        )[0]
        for sharding in ("fsdp", "zero")
    )
    assert zero - fsdp == pytest.approx(2 * 32000 * 4096)


def test_optimizer_parallelism_of_mindspore_shards_gradients_with_the_optimizer() -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload(), MINDSPORE_OPTIMIZER_PARALLEL)
    found = memory(posed, LayoutArrays.of(layout(dp=8)))
    assert found.weights[0] == 2 * posed.counts.total
    assert found.gradients[0] + found.optimizer[0] == 14 * posed.counts.total / 8


def test_the_update_of_the_optimizer_is_a_floor_where_activations_are_small() -> None:
    posed = problem(plain_device(sharding="zero"), LLAMA2_7B, workload(sequence_length=128))
    found = memory(posed, LayoutArrays.of(layout(zero_stage=0, recompute=Recompute.FULL)))
    assert found.total[0] == pytest.approx(22 * posed.counts.total + posed.recipe.constant_bytes)


def test_phases_hold_states_and_what_is_whole_for_a_moment() -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload(task=Task.QLORA))
    one = LayoutArrays.of(layout(zero_stage=0))
    parts, found = memory(posed, one), phases(posed, one)
    states = parts.weights[0] + parts.gradients[0] + parts.optimizer[0] + posed.recipe.constant_bytes
    # A layer arrives in 16 bit before it is quantised, and the base is saved as it is.
    assert found.load[0] == pytest.approx(states + 2 * (posed.counts.dense_layer + 4096 / 32))
    assert found.save[0] == pytest.approx(states)
    assert found.step[0] == peak_bytes(posed, one)[0]
    sharded = LayoutArrays.of(layout(dp=8, zero_stage=3))
    full = problem(plain_device(sharding="fsdp"), LLAMA2_7B, workload())
    assert phases(full, sharded).save[0] < phases(full, sharded).step[0]


def test_the_record_of_memory_names_the_peak_of_each_phase() -> None:
    use = memory_use(PLAIN, LayoutArrays.of(layout(tp=8, dp=2)))
    assert use.phases is not None
    assert use.phases.step_bytes == pytest.approx(use.total_bytes)
    assert max(use.phases.load_bytes, use.phases.save_bytes) < use.phases.step_bytes


@pytest.mark.parametrize("offload", list(Offload))
def test_what_is_offloaded_is_on_the_host_with_its_buffers(offload: Offload) -> None:
    posed = problem(plain_device(sharding="zero"), LLAMA2_7B, workload())
    one = LayoutArrays.of(replace(layout(dp=8, zero_stage=3), offload=offload))
    parts, total = memory(posed, one), posed.counts.total
    host = {Offload.NONE: 0.0, Offload.OPTIMIZER: 1.5 * 18 / 8, Offload.WEIGHTS: 1.5 * 20 / 8}[offload]
    assert host_bytes(posed, one)[0] == pytest.approx(host * total)
    assert (parts.optimizer[0] == 0) == (offload is not Offload.NONE)
    assert (parts.weights[0] == 0) == (offload is Offload.WEIGHTS)


def test_a_server_reads_the_checkpoint_of_offloaded_weights_whole() -> None:
    posed = problem(plain_device(sharding="fsdp"), LLAMA2_7B, workload(task=Task.QLORA, lora_rank=8))
    one = LayoutArrays.of(replace(layout(dp=8, zero_stage=3), offload=Offload.WEIGHTS))
    assert host_bytes(posed, one)[0] * 8 == 2 * posed.counts.total
