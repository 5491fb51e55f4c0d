"""The matrix products of a layer, whatever its attention and its experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, layout, model, plain_device, problem, workload

from suanli.domain.architecture import Architecture, LatentAttention
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.exposed import expert_parallel_s
from suanli.estimation.gemm import Gemm, attention_gemms, mlp_gemms, moe_gemms

if TYPE_CHECKING:
    from suanli.estimation.problem import Problem

LATENT = LatentAttention(kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)


def posed(shape: Architecture) -> tuple[Problem, LayoutArrays]:
    return problem(plain_device(), shape, workload()), LayoutArrays.of(layout())


def weights(gemms: list[Gemm]) -> float:
    return float(sum(np.ravel(gemm.k * gemm.n * gemm.count)[0] for gemm in gemms))


@pytest.mark.parametrize("rank", [None, 1536])
def test_latent_attention_multiplies_all_of_its_weights(rank: int | None) -> None:
    mla = LATENT.model_copy(update={"q_lora_rank": rank})
    shape = LLAMA2_7B.model_copy(update={"mla": mla, "head_dim": 192})
    one, layouts = posed(shape)
    assert weights(attention_gemms(one, layouts)) == one.counts.attention_matrices
    used = [gemm for gemm in attention_gemms(one, layouts) if np.any(gemm.count > 0)]
    assert len(used) == (4 if rank is None else 5)


def test_a_dense_layer_multiplies_all_of_its_weights() -> None:
    one, layouts = posed(LLAMA2_7B)
    assert weights(attention_gemms(one, layouts)) == one.counts.attention_matrices
    assert weights(mlp_gemms(one, layouts)) == one.counts.mlp_matrices


def test_a_dense_model_has_no_experts_to_multiply_or_to_send_to() -> None:
    one, layouts = posed(LLAMA2_7B)
    assert all(not np.any(gemm.count) for gemm in moe_gemms(one, layouts))
    assert np.array_equal(expert_parallel_s(one, layouts), np.zeros(1))


def test_a_routed_layer_multiplies_its_experts_and_the_shared_one() -> None:
    one, layouts = posed(model("deepseek-v3"))
    counts = one.counts
    held = counts.experts * counts.expert_matrices + counts.shared_matrices
    # The router is too small to be a product of its own.
    router = counts.experts * one.architecture.hidden_size
    assert weights(moe_gemms(one, layouts)) == held - router


def test_full_training_has_no_adapters() -> None:
    one, _ = posed(LLAMA2_7B)
    assert one.model.adapter == 0.0
    assert one.model.adapter_share == 1.0
