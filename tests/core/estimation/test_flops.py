from __future__ import annotations

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, model, workload

from suanli.domain.transformer import count_parameters, lora_parameters
from suanli.domain.workload import Task
from suanli.estimation.flops import attention_flops_per_token, model_profile, training_flops


def test_full_training_costs_six_flops_per_matrix_weight_and_token() -> None:
    profile = model_profile(LLAMA2_7B, workload())
    assert profile.matmul_flops_per_token == 6 * (6_738_415_616 - 32000 * 4096 - 65 * 4096)
    assert profile.trainable_parameters == profile.total_parameters


@pytest.mark.parametrize(("sequence_length", "share"), [(4096, 0.08), (8192, 0.16), (32768, 0.635)])
def test_causal_attention_adds_half_of_what_the_full_square_would(sequence_length: int, share: float) -> None:
    profile = model_profile(LLAMA2_7B, workload(sequence_length=sequence_length))
    # 12·L·d·s over 6·N is 16 %, 32 % and 127 %; the causal mask halves it
    assert profile.attention_flops_per_token / (6 * 6.7384e9) == pytest.approx(share, rel=0.02)


def test_latent_attention_uses_its_own_head_widths() -> None:
    assert attention_flops_per_token(model("deepseek-v3"), 4096) == 3 * 61 * 4096 * 128 * (192 + 128)


def test_frozen_weights_cost_four_and_adapters_six() -> None:
    profile = model_profile(LLAMA2_7B, workload(task=Task.LORA, lora_rank=8))
    adapters = lora_parameters(LLAMA2_7B, 8)
    assert profile.matmul_flops_per_token == 4 * count_parameters(LLAMA2_7B).matmul + 6 * adapters
    assert profile.trainable_parameters == adapters


def test_a_routed_model_works_with_its_active_weights_only() -> None:
    profile = model_profile(model("deepseek-v3"), workload())
    assert profile.matmul_flops_per_token == pytest.approx(6 * 36.6e9, rel=0.01)
    assert profile.six_n_flops_per_token == pytest.approx(6 * 37.55e9, rel=0.01)


def test_the_work_of_a_run_is_tokens_times_work_per_token() -> None:
    profile = model_profile(LLAMA2_7B, workload())
    assert training_flops(profile, 10.0) == 10 * profile.flops_per_token
