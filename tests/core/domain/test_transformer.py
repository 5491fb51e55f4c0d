from __future__ import annotations

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, catalogue, model

from suanli.domain.architecture import Architecture, MixtureOfExperts, MlpType, ModelRecord
from suanli.domain.transformer import count_parameters, linears, lora_parameters, moe_layer_count

MODELS = catalogue().all(ModelRecord)


def test_the_catalogue_holds_published_totals_to_check_against() -> None:
    assert len([one for one in MODELS if one.published_total_parameters]) >= 40


@pytest.mark.parametrize(
    "record", [one for one in MODELS if one.published_total_parameters], ids=lambda record: record.id
)
def test_the_published_total_is_reproduced_exactly(record: ModelRecord) -> None:
    assert count_parameters(record.architecture).total == record.published_total_parameters


@pytest.mark.parametrize(
    ("model_id", "active", "without_embedding"),
    [
        # active parameters of the model cards: total less the experts that a token does not visit
        ("mixtral-8x7b", 12_879_925_248, 12_748_853_248),
        ("deepseek-v3", 37_552_297_984, 36_625_618_432),
        ("qwen3-30b-a3b", 3_353_032_704, 3_041_867_776),
    ],
)
def test_active_parameters_of_routed_models_match_their_published_counts(
    model_id: str, active: int, without_embedding: int
) -> None:
    counts = count_parameters(model(model_id))
    assert counts.active - counts.embedding == pytest.approx(without_embedding, rel=1e-5)
    assert counts.active == pytest.approx(active, rel=1e-5)


def test_a_layer_of_llama_2_7b_has_202_million_parameters() -> None:
    counts = count_parameters(LLAMA2_7B)
    assert counts.dense_layer == 4 * 4096**2 + 3 * 4096 * 11008 + 2 * 4096
    assert counts.layers * counts.dense_layer == pytest.approx(6.476e9, rel=1e-3)
    assert counts.embedding == counts.lm_head == 32000 * 4096


def test_parts_add_up_to_the_total_and_experts_are_counted_apart() -> None:
    counts = count_parameters(model("deepseek-v3"))
    assert counts.expert + counts.non_expert == counts.total
    assert counts.expert == 58 * 256 * 3 * 7168 * 2048


def test_matrix_parameters_leave_out_the_embedding_and_keep_a_tied_head() -> None:
    tied = LLAMA2_7B.model_copy(update={"tied_embeddings": True})
    untied = count_parameters(LLAMA2_7B)
    assert count_parameters(tied).matmul == untied.matmul
    assert untied.matmul == untied.total - untied.embedding - 65 * 4096
    assert untied.total - count_parameters(tied).total == 32000 * 4096


def test_a_plain_block_has_two_matrices_and_biases_where_the_config_says_so() -> None:
    gpt = Architecture(
        layers=1,
        hidden_size=8,
        ffn_hidden_size=32,
        mlp_type=MlpType.GELU,
        attention_heads=2,
        kv_heads=2,
        head_dim=4,
        vocab_size=10,
        tied_embeddings=True,
        learned_positions=5,
        qkv_bias=True,
        output_bias=True,
        mlp_bias=True,
        norm_bias=True,
    )
    by_hand = (3 * (64 + 8) + 64 + 8) + (8 * 32 + 32 + 32 * 8 + 8) + 2 * 16 + 16 + 80 + 40
    assert count_parameters(gpt).total == by_hand


def test_routed_layers_follow_the_dense_ones_at_their_interval() -> None:
    moe = MixtureOfExperts(experts=4, top_k=2, expert_ffn_hidden_size=8, dense_layers=2, layer_interval=2)
    shape = LLAMA2_7B.model_copy(update={"moe": moe})
    assert moe_layer_count(shape) == 15
    assert count_parameters(shape).dense_layers == 17


def test_adapters_on_all_linear_layers_follow_rank_times_inputs_plus_outputs() -> None:
    sides = 4 * (4096 + 4096) + 3 * (4096 + 11008)
    assert lora_parameters(LLAMA2_7B, 8) == 32 * 8 * sides
    assert lora_parameters(LLAMA2_7B, 16) == 2 * lora_parameters(LLAMA2_7B, 8)


def test_adapters_of_a_routed_model_count_visited_experts_only_when_asked() -> None:
    shape = model("mixtral-8x7b")
    whole, active = lora_parameters(shape, 8), lora_parameters(shape, 8, active=True)
    one_expert = 8 * 3 * (4096 + 14336)
    assert whole - active == 32 * 6 * one_expert


def test_latent_attention_lists_its_factors() -> None:
    names = [one.name for one in linears(model("deepseek-v3"))]
    assert names[:5] == ["q_down", "q_up", "kv_down", "kv_up", "o"]
    assert [one.name for one in linears(model("deepseek-v2-lite"))][:3] == ["q", "kv_down", "kv_up"]
