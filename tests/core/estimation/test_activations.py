from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.core.estimation.estimation_cases import (
    LLAMA2_7B,
    device,
    h100,
    layout,
    model,
    plain_device,
    problem,
    workload,
)

from suanli.domain.architecture import MlpType
from suanli.domain.hardware import Precision
from suanli.domain.workload import Recompute, Task
from suanli.estimation.activations import backward_bytes, kept_activations, layer_activations
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.recipes import MEGATRON_FP32_GRADIENTS, default_recipe

if TYPE_CHECKING:
    from suanli.estimation.problem import Problem

TOKENS, HIDDEN, FFN, HEADS = 4096, 4096, 11008, 32
SPLIT = replace(MEGATRON_FP32_GRADIENTS, packed_projections=0)
"""Queries, keys and values are projected apart."""
PLAIN = problem(plain_device(), LLAMA2_7B, workload(), SPLIT)
ONE = LayoutArrays.of(layout())


def dense_bytes(posed: Problem, *, selective: bool = False, layouts: LayoutArrays = ONE) -> float:
    """Return the bytes of one dense layer per token."""
    return float(layer_activations(posed, layouts, selective=selective)[0][0]) / TOKENS


def unfused(posed: Problem) -> Problem:
    """Return a problem whose attention keeps its score matrix."""
    return replace(posed, constants=replace(posed.constants, unfused=np.array(1.0)))


def test_activations_of_a_plain_attention_layer_are_thirty_two_bytes_per_element() -> None:
    # Korthikanti 2022 counts 34·s·b·h with dropout masks; a GPT block without dropout and with flash
    # attention keeps 2·(2h + 4h) and the softmax statistics, and 2·(2h + 2·4h) for the block.
    gpt = LLAMA2_7B.model_copy(update={"mlp_type": MlpType.GELU, "ffn_hidden_size": 4 * HIDDEN})
    posed = problem(plain_device(), gpt, workload(), SPLIT)
    assert dense_bytes(posed) / HIDDEN == pytest.approx(12 + 20 + 4 * HEADS / HIDDEN)


def test_a_joint_projection_that_stays_adds_queries_keys_and_values_once_more() -> None:
    packed = problem(plain_device(), LLAMA2_7B, workload())
    assert dense_bytes(packed) - dense_bytes(PLAIN) == 2 * 3 * HIDDEN


def test_the_keys_without_position_and_the_values_of_latent_attention_stay_joint() -> None:
    joint, apart = (
        problem(plain_device(), model("deepseek-v3"), workload(), recipe)
        for recipe in (MEGATRON_FP32_GRADIENTS, SPLIT)
    )
    assert dense_bytes(joint) - dense_bytes(apart) == 2 * 128 * (128 + 128)


def test_tensor_parallelism_splits_all_but_the_norms_and_sequence_parallelism_those() -> None:
    kept = [
        dense_bytes(PLAIN, layouts=LayoutArrays.of(one))
        for one in (layout(), layout(tp=8, sequence_parallel=False), layout(tp=8))
    ]
    norms = 2 * 4 * HIDDEN
    assert kept[1] == norms + (kept[0] - norms) / 8
    assert kept[2] == kept[0] / 8


def test_selective_recomputation_drops_norms_and_the_product_of_the_block() -> None:
    assert dense_bytes(PLAIN) - dense_bytes(PLAIN, selective=True) == 2 * (2 * HIDDEN + FFN)


def test_selective_recomputation_of_unfused_attention_drops_the_score_matrix_alone() -> None:
    posed = unfused(PLAIN)
    assert dense_bytes(posed) - dense_bytes(PLAIN) == 5 * HEADS * TOKENS
    assert dense_bytes(posed, selective=True) == dense_bytes(PLAIN)


def test_every_second_product_leaves_less_than_half_under_full_sharding() -> None:
    posed = problem(device("h100-sxm", "dgx-h100", "torchtitan"), model("llama-3-8b"), workload())
    # Layer input and last product 2h, q and attention output 2h, v, the block's first product, statistics.
    kept = 2 * (4 * HIDDEN + 1024 + 14336) + 4 * HEADS
    assert dense_bytes(posed, selective=True) == kept
    assert kept / dense_bytes(posed) == pytest.approx(0.456, abs=0.001)


def test_every_second_product_leaves_the_same_share_of_a_routed_layer() -> None:
    posed = problem(plain_device(sharding="fsdp"), model("mixtral-8x7b"), workload())
    dense, routed = layer_activations(posed, ONE, selective=False)
    half, half_routed = layer_activations(posed, ONE, selective=True)
    assert half_routed[0] / routed[0] == pytest.approx(half[0] / dense[0])


def test_adapters_on_attention_alone_keep_no_inputs_of_frozen_blocks() -> None:
    recipe = replace(default_recipe(Task.LORA, "distributed-optimizer"), packed_projections=0)
    everywhere = problem(plain_device(), LLAMA2_7B, workload(Task.LORA), recipe)
    attention = problem(plain_device(), LLAMA2_7B, workload(Task.LORA), replace(recipe, adapted_blocks=0))
    assert dense_bytes(everywhere) == dense_bytes(PLAIN)
    assert dense_bytes(everywhere) - dense_bytes(attention) == 2 * (HIDDEN + FFN)


def test_where_all_is_trained_the_place_of_adapters_means_nothing() -> None:
    assert dense_bytes(replace(PLAIN, recipe=replace(SPLIT, adapted_blocks=0))) == dense_bytes(PLAIN)


def test_inputs_of_matrices_are_kept_in_8_bit_by_stacks_that_do_so() -> None:
    sixteen, eight = (
        problem(h100(), LLAMA2_7B, workload(precision=one)) for one in (Precision.BF16, Precision.FP8)
    )
    assert dense_bytes(sixteen) - dense_bytes(eight) == 2 * HIDDEN + FFN
    sharded = problem(h100("torchtitan"), LLAMA2_7B, workload(precision=Precision.FP8))
    assert dense_bytes(sharded) == dense_bytes(PLAIN)


def test_routed_tokens_are_kept_as_they_arrive_and_leave() -> None:
    posed = problem(plain_device(), model("mixtral-8x7b"), workload(), SPLIT)
    dense, routed = layer_activations(posed, ONE, selective=False)
    block = 2 * (2 * HIDDEN + 3 * 14336)
    experts = 4 * HIDDEN + 2 * 2 * (2 * HIDDEN + 3 * 14336)
    assert (routed[0] - dense[0]) / TOKENS == experts - block


def test_spread_experts_share_the_tokens_of_a_tensor_parallel_group() -> None:
    posed = problem(plain_device(), model("mixtral-8x7b"), workload())
    layouts = LayoutArrays.of(layout(tp=4, dp=8), layout(tp=4, dp=8, ep=8))
    whole, spread = layer_activations(posed, layouts, selective=False)[1]
    # Without expert parallelism every rank routes all tokens, and only the width is split.
    assert whole - spread == pytest.approx(TOKENS * 2 * 2 * 2 * HIDDEN * (1 - 1 / 4))


def test_full_recomputation_keeps_two_bytes_per_input_element() -> None:
    arrays = LayoutArrays.of(layout(recompute=Recompute.FULL))
    kept, working = kept_activations(PLAIN, arrays, np.array(32.0), np.array(0.0))
    assert kept[0] == 32 * 2 * TOKENS * HIDDEN
    assert working[0] == TOKENS * dense_bytes(PLAIN) + backward_bytes(PLAIN, arrays)[0]


def test_recomputing_some_layers_lies_between_none_and_all() -> None:
    full = layout(recompute=Recompute.FULL)
    arrays = LayoutArrays.of(
        layout(), *(replace(full, recompute_layers=count) for count in (8, 16, 24)), full
    )
    kept, _ = kept_activations(PLAIN, arrays, np.array(32.0), np.array(0.0))
    steps = [before - after for before, after in pairwise(kept.tolist())]
    assert min(steps) > 0
    assert max(steps) == pytest.approx(min(steps))


def test_more_layers_to_recompute_than_a_stage_has_are_all_of_them() -> None:
    full = layout(recompute=Recompute.FULL)
    arrays = LayoutArrays.of(replace(full, recompute_layers=99), full)
    kept, working = kept_activations(PLAIN, arrays, np.array(8.0), np.array(0.0))
    assert kept[0] == kept[1]
    assert working[0] == working[1]


def test_the_backward_pass_of_a_block_holds_the_gradients_of_its_widths() -> None:
    assert backward_bytes(PLAIN, ONE)[0] == 2 * TOKENS * 3 * FFN
    routed = problem(plain_device(), model("mixtral-8x7b"), workload())
    assert backward_bytes(routed, ONE)[0] == 2 * TOKENS * 2 * (HIDDEN + 3 * 14336)
