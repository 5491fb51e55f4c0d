"""Bytes of each dimension against hand calculations, and the levels that they cross."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, h100, layout, problem, shipped, workload
from tests.factories import catalogue, link, switch

from suanli.domain.workload import Recompute
from suanli.planning.network.fabric import plan_fabric
from suanli.planning.network.results import Dimension, Level
from suanli.planning.network.traffic import bytes_per_step, level_of, spans, switch_level

if TYPE_CHECKING:
    from suanli.domain.hardware import Server
    from suanli.estimation.problem import Problem
    from suanli.estimation.results import Layout
    from suanli.planning.results import FabricPlan

SEQUENCE, HIDDEN, LAYERS, HEADS, WIDTH = 4096, 4096, 32, 32, 128


def posed() -> Problem:
    return problem(h100(), LLAMA2_7B, workload(sequence_length=SEQUENCE, global_batch_size=64))


def fabric(servers: int, ratio: float = 1.0, box: Server | None = None) -> FabricPlan:
    return plan_fabric(catalogue(link(), switch()), box or h100().server, servers, ratio)


def test_tensor_parallel_ranks_send_twice_their_share_of_four_activations_a_layer() -> None:
    chosen = layout(tp=8, dp=2, micro_batches=16, recompute=Recompute.NONE)
    moved = bytes_per_step(posed(), chosen)
    # Two all-reduces forward and two back, each 2(p - 1)/p of an activation in 16 bit.
    one = 2 * 7 / 8 * 2 * SEQUENCE * HIDDEN

    assert moved[Dimension.TENSOR] == pytest.approx(16 * LAYERS * 4 * one)


def test_full_recomputation_repeats_the_forward_all_reduces() -> None:
    plain = bytes_per_step(posed(), layout(tp=8, dp=2, micro_batches=16, recompute=Recompute.NONE))
    again = bytes_per_step(posed(), layout(tp=8, dp=2, micro_batches=16, recompute=Recompute.FULL))

    assert again[Dimension.TENSOR] == pytest.approx(1.5 * plain[Dimension.TENSOR])


def test_data_parallel_ranks_send_gradients_and_weights_once_a_step() -> None:
    one = posed()
    moved = bytes_per_step(one, layout(dp=16, micro_batches=4, zero_stage=1))

    # 32-bit gradients and 16-bit weights, (N - 1)/N of each.
    assert moved[Dimension.DATA] == pytest.approx(15 / 16 * 6 * one.counts.total, rel=1e-3)


def test_fully_sharded_ranks_send_weights_twice_and_gradients_once_a_micro_batch() -> None:
    one = problem(h100("pytorch-fsdp"), LLAMA2_7B, workload(global_batch_size=64))
    moved = bytes_per_step(one, layout(dp=16, micro_batches=4, zero_stage=3))

    assert moved[Dimension.DATA] == pytest.approx(4 * 15 / 16 * 3 * 2 * one.counts.total, rel=1e-3)


def test_pipeline_stages_send_one_activation_and_one_gradient_a_micro_batch() -> None:
    moved = bytes_per_step(posed(), layout(pp=4, dp=4, micro_batches=16))

    assert moved[Dimension.PIPELINE] == pytest.approx(16 * 2 * 2 * SEQUENCE * HIDDEN)


def test_context_parallel_ranks_pass_keys_and_values_round_the_ring() -> None:
    moved = bytes_per_step(posed(), layout(cp=4, dp=4, micro_batches=16, recompute=Recompute.NONE))
    block = 2 * (SEQUENCE / 4) * 2 * WIDTH * HEADS

    # One pass forward and two back.
    assert moved[Dimension.CONTEXT] == pytest.approx(16 * LAYERS * 3 * 3 * block)


def test_a_dimension_of_one_rank_moves_nothing_and_is_left_out() -> None:
    alone = layout(dp=16, micro_batches=4)

    assert [one.dimension for one in spans(alone)] == [Dimension.DATA]
    assert bytes_per_step(posed(), alone)[Dimension.TENSOR] == 0


SPREAD = layout(tp=8, pp=4, dp=32)


@pytest.mark.parametrize(
    ("chosen", "dimension", "level"),
    [
        (SPREAD, Dimension.TENSOR, Level.NODE),
        # 32 replicas of eight are 32 servers, one group of the rails.
        (SPREAD, Dimension.DATA, Level.RAIL),
        (SPREAD, Dimension.PIPELINE, Level.SPINE),
        # 12 replicas of eight are 12 servers, and every third group straddles two leaves of 32.
        (layout(tp=8, pp=10, dp=12), Dimension.DATA, Level.SPINE),
        (layout(tp=8, pp=8, dp=16), Dimension.DATA, Level.RAIL),
    ],
)
def test_a_dimension_crosses_the_level_that_its_widest_group_spans(
    chosen: Layout, dimension: Dimension, level: Level
) -> None:
    one, network = posed(), fabric(128)
    span = next(span for span in spans(chosen) if span.dimension is dimension)

    assert level_of(span, one, network, 8, chosen.devices) is level


def test_three_tiers_have_a_core_between_pods() -> None:
    network = fabric(512)

    assert network.tiers == 3
    assert switch_level(network, 8, 32, 512) is Level.RAIL
    assert switch_level(network, 8, 64, 512) is Level.SPINE
    assert switch_level(network, 8, 512, 512) is Level.CORE


def test_a_single_switch_is_a_leaf_to_all() -> None:
    assert switch_level(fabric(8), 8, 8, 8) is Level.LEAF


def test_the_dies_of_a_package_and_a_supernode_are_levels_of_their_own() -> None:
    whole = shipped("ascend-910c", "cloudmatrix-384", "mindspeed")
    one = problem(whole, LLAMA2_7B, workload(global_batch_size=768))
    network, chosen = fabric(2, box=whole.server), layout(tp=2, dp=64)
    levels = {
        span.dimension: level_of(span, one, network, 384, chosen.devices)
        for span in spans(layout(tp=2, cp=8, dp=8))
    }

    assert levels == {
        Dimension.TENSOR: Level.PACKAGE,
        Dimension.CONTEXT: Level.NODE,
        Dimension.DATA: Level.DOMAIN,
    }


def test_levels_are_in_order_of_distance() -> None:
    assert [level.distance for level in Level] == list(range(len(Level)))
    assert Level.SPINE.distance > Level.RAIL.distance
