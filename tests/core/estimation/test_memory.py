from __future__ import annotations

import numpy as np
import pytest
from tests.core.estimation.estimation_cases import (
    LLAMA2_7B,
    ascend,
    layout,
    model,
    plain_device,
    problem,
    workload,
)

from suanli.domain.architecture import MlpType
from suanli.domain.workload import Recompute, Task
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.memory import (
    RESERVE_SHARE,
    UNUSABLE_SHARE,
    activation_bytes_per_layer,
    fits,
    local_parameters,
    memory,
    memory_use,
    micro_batches_in_flight,
    usable_memory,
)
from suanli.estimation.recipes import (
    MEGATRON_BF16_GRADIENTS,
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


def test_activations_of_a_plain_attention_layer_are_thirty_four_bytes_per_element() -> None:
    # Korthikanti 2022 counts 34·s·b·h with dropout masks; a GPT block without dropout and with flash
    # attention keeps
    # 2·(2h + 4h) + 4·n_h for attention and 2·(2h + 2·4h) for the block.
    gpt = LLAMA2_7B.model_copy(update={"mlp_type": MlpType.GELU, "ffn_hidden_size": 16384})
    posed = problem(plain_device(), gpt, workload())
    dense, _, _ = activation_bytes_per_layer(posed, LayoutArrays.of(layout()))
    assert dense[0] / (4096 * 4096) == pytest.approx(12 + 20 + 4 * 32 / 4096)


def test_full_recomputation_keeps_two_bytes_per_input_element() -> None:
    dense, _, working = activation_bytes_per_layer(PLAIN, LayoutArrays.of(layout(recompute=Recompute.FULL)))
    assert dense[0] == 2 * 4096 * 4096
    assert working[0] > dense[0]


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
    assert usable_memory(unmeasured)[0] == pytest.approx(64e9 * (1 - UNUSABLE_SHARE))


def test_usable_memory_is_measured_or_nominal_less_a_stated_share() -> None:
    assert usable_memory(ascend().accelerator) == (60.97 * 2**30, True)
    assert usable_memory(plain_device().accelerator) == (80e9 * (1 - UNUSABLE_SHARE), False)


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
    assert found.logits[0] == 8 * 4096 * 512000
    assert np.isfinite(found.total[0])
