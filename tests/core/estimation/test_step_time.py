from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.core.estimation.estimation_cases import (
    LLAMA2_7B,
    h100,
    layout,
    model,
    plain_device,
    problem,
    workload,
)

from suanli.domain.hardware import Topology
from suanli.domain.workload import Recompute, Task
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.gemm import gemm_s
from suanli.estimation.layer_time import attention_s, layer_time
from suanli.estimation.step_time import bubble_share, step_arrays

if TYPE_CHECKING:
    from suanli.estimation.results import Layout

PLAIN = problem(plain_device(), LLAMA2_7B, workload())


def step_s(*layouts: Layout) -> list[float]:
    return [float(one) for one in step_arrays(PLAIN, LayoutArrays.of(*layouts)).total_s]


def test_a_large_matrix_approaches_the_efficiency_of_the_chip() -> None:
    side = np.array([65536.0])
    seconds = gemm_s(PLAIN.constants, side, side, side)[0]
    rate = 2 * 65536.0**3 / seconds
    limit = PLAIN.constants.peak_flops_per_s * PLAIN.constants.gemm_efficiency
    assert 0.95 * limit < rate < limit


def test_a_thin_matrix_is_bound_by_memory() -> None:
    m, k, n = np.array([1.0]), np.array([8192.0]), np.array([8192.0])
    bytes_moved = 2 * (8192 + 8192**2 + 8192)
    assert gemm_s(PLAIN.constants, m, k, n)[0] >= bytes_moved / PLAIN.constants.hbm_bytes_per_s


def test_the_bubble_is_stages_less_one_over_micro_batches() -> None:
    assert bubble_share(1, 4) == 0
    assert bubble_share(8, 56) == pytest.approx(7 / 63)
    assert bubble_share(8, 56, 7) == pytest.approx(1 / 57)


def test_the_parts_of_a_step_add_up() -> None:
    arrays = step_arrays(PLAIN, LayoutArrays.of(layout(tp=2, pp=4, dp=2, micro_batches=8)))
    step = arrays.step(0)
    assert step.total_s == pytest.approx(float(arrays.total_s[0]))
    assert all(getattr(step, part.name) >= 0 for part in fields(step))
    assert step.bubble_s > 0


def test_scaling_a_step_scales_every_part() -> None:
    arrays = step_arrays(PLAIN, LayoutArrays.of(layout(tp=2, dp=2)))
    assert arrays.step(0, 2.0).total_s == pytest.approx(2 * arrays.step(0).total_s)


def test_recomputation_costs_time_in_order_of_its_level() -> None:
    none, selective, full = step_s(*(layout(dp=8, micro_batches=4, recompute=mode) for mode in Recompute))
    assert none < selective < full
    assert full / none == pytest.approx(4 / 3, rel=0.1)


def test_more_virtual_stages_shrink_the_bubble() -> None:
    base = layout(pp=8, micro_batches=16)
    one, four = step_arrays(PLAIN, LayoutArrays.of(base, replace(base, virtual_pipeline=4))).bubble_s
    assert four < one


def test_layers_that_do_not_divide_cost_the_fullest_stage() -> None:
    even, uneven = step_arrays(
        problem(plain_device(), LLAMA2_7B.model_copy(update={"layers": 31}), workload()),
        LayoutArrays.of(layout(pp=1, micro_batches=64), layout(pp=16, micro_batches=64)),
    ).total_s
    assert uneven > even / 16 * 32 / 31


def test_tensor_parallelism_on_a_mesh_pair_costs_more_than_on_a_switch() -> None:
    pair = LayoutArrays.of(layout(tp=2, dp=4))
    meshed = problem(plain_device(topology=Topology.MESH), LLAMA2_7B, workload())
    assert step_arrays(meshed, pair).tp_exposed_s[0] > 5 * step_arrays(PLAIN, pair).tp_exposed_s[0]


def test_fully_sharded_weights_cost_communication_at_every_micro_batch() -> None:
    sharded = problem(plain_device(sharding="fsdp"), LLAMA2_7B, workload())
    few, many = (
        step_arrays(sharded, LayoutArrays.of(layout(dp=64, micro_batches=m, zero_stage=3))).dp_exposed_s[0]
        for m in (1, 8)
    )
    assert many > 4 * few


def test_a_frozen_base_is_cheaper_than_full_training_and_four_bit_dearer_than_sixteen() -> None:
    one = LayoutArrays.of(layout(dp=8, micro_batches=4))
    full, lora, qlora = (
        float(step_arrays(problem(plain_device(), LLAMA2_7B, workload(task=task)), one).total_s[0])
        for task in (Task.FULL_FINETUNE, Task.LORA, Task.QLORA)
    )
    assert lora < full
    assert lora < qlora


def test_attention_grows_with_the_square_of_the_sequence() -> None:
    short, long = (
        attention_s(
            problem(plain_device(), LLAMA2_7B, workload(sequence_length=s)), LayoutArrays.of(layout())
        )[0]
        for s in (16384, 32768)
    )
    assert long / short == pytest.approx(4, rel=0.05)


def test_a_small_model_is_bound_by_the_host() -> None:
    small = LLAMA2_7B.model_copy(
        update={"hidden_size": 256, "ffn_hidden_size": 512, "attention_heads": 2, "kv_heads": 2}
    )
    posed = problem(plain_device(), small, workload(sequence_length=128, global_batch_size=8))
    time = layer_time(posed, LayoutArrays.of(layout()), routed=False)
    assert time.forward[0] == pytest.approx(12 * posed.constants.host_s_per_kernel, rel=0.1)


def test_experts_are_counted_by_active_work() -> None:
    routed = problem(h100(), model("mixtral-8x7b"), workload())
    dense = problem(h100(), model("llama-2-70b"), workload())
    one = LayoutArrays.of(layout(tp=8, dp=1, micro_batches=16))
    # 12.9 of 46.7 billion parameters are active; grouped products and routing cost more than their work.
    assert step_arrays(routed, one).total_s[0] < step_arrays(dense, one).total_s[0] * 0.6


def test_expert_parallelism_beyond_the_domain_exposes_more() -> None:
    posed = problem(h100(), model("deepseek-v3"), workload())
    near, far = step_arrays(
        posed, LayoutArrays.of(layout(pp=8, dp=64, ep=8), layout(pp=8, dp=64, ep=64))
    ).ep_exposed_s
    assert far > near > 0
