from __future__ import annotations

from typing import Any

import pytest

from suanli.domain.architecture import Architecture, MlpType
from suanli.domain.hf_config import SPELLINGS, architecture_from_config
from suanli.domain.transformer import count_parameters
from suanli.errors import InputError

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
}

CONFIGS: list[tuple[str, dict[str, Any], int]] = [
    ("llama-3-8b", LLAMA, 8_030_261_248),
    (
        "qwen2.5-7b",
        {
            "model_type": "qwen2",
            "num_hidden_layers": 28,
            "hidden_size": 3584,
            "intermediate_size": 18944,
            "num_attention_heads": 28,
            "num_key_value_heads": 4,
            "vocab_size": 152064,
        },
        7_615_616_512,
    ),
    (
        "qwen3-8b",
        {
            "model_type": "qwen3",
            "num_hidden_layers": 36,
            "hidden_size": 4096,
            "intermediate_size": 12288,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "vocab_size": 151936,
        },
        8_190_735_360,
    ),
    (
        "mixtral-8x7b",
        {
            "model_type": "mixtral",
            "num_hidden_layers": 32,
            "hidden_size": 4096,
            "intermediate_size": 14336,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "vocab_size": 32000,
            "num_local_experts": 8,
            "num_experts_per_tok": 2,
        },
        46_702_792_704,
    ),
    (
        "qwen3-30b-a3b",
        {
            "model_type": "qwen3_moe",
            "num_hidden_layers": 48,
            "hidden_size": 2048,
            "intermediate_size": 6144,
            "moe_intermediate_size": 768,
            "num_attention_heads": 32,
            "num_key_value_heads": 4,
            "head_dim": 128,
            "vocab_size": 151936,
            "num_experts": 128,
            "num_experts_per_tok": 8,
            "decoder_sparse_step": 1,
        },
        30_532_122_624,
    ),
    (
        "deepseek-v3",
        {
            "model_type": "deepseek_v3",
            "num_hidden_layers": 61,
            "hidden_size": 7168,
            "intermediate_size": 18432,
            "moe_intermediate_size": 2048,
            "num_attention_heads": 128,
            "num_key_value_heads": 128,
            "vocab_size": 129280,
            "n_routed_experts": 256,
            "n_shared_experts": 1,
            "num_experts_per_tok": 8,
            "first_k_dense_replace": 3,
            "moe_layer_freq": 1,
            "topk_method": "noaux_tc",
            "q_lora_rank": 1536,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
        },
        671_026_419_200,
    ),
    (
        "gpt2",
        {
            "model_type": "gpt2",
            "n_layer": 12,
            "n_embd": 768,
            "n_head": 12,
            "n_positions": 1024,
            "vocab_size": 50257,
            "activation_function": "gelu_new",
        },
        124_439_808,
    ),
    (
        "chatglm3-6b",
        {
            "model_type": "chatglm",
            "num_layers": 28,
            "hidden_size": 4096,
            "ffn_hidden_size": 13696,
            "num_attention_heads": 32,
            "multi_query_attention": True,
            "multi_query_group_num": 2,
            "kv_channels": 128,
            "padded_vocab_size": 65024,
            "add_qkv_bias": True,
            "add_bias_linear": False,
        },
        6_243_584_000,
    ),
    (
        "baichuan2-7b",
        {
            "model_type": "baichuan",
            "num_hidden_layers": 32,
            "hidden_size": 4096,
            "intermediate_size": 11008,
            "num_attention_heads": 32,
            "vocab_size": 125696,
        },
        7_505_973_248,
    ),
]


@pytest.mark.parametrize(("name", "config", "total"), CONFIGS, ids=[one[0] for one in CONFIGS])
def test_a_config_gives_the_published_total(name: str, config: dict[str, Any], total: int) -> None:
    assert count_parameters(architecture_from_config(config)).total == total, name


def test_every_missing_key_is_listed_with_its_known_spellings() -> None:
    with pytest.raises(InputError) as raised:
        architecture_from_config({"model_type": "llama", "hidden_size": 4096})
    assert [fault.key for fault in raised.value.faults] == [
        "num_hidden_layers",
        "num_attention_heads",
        "vocab_size",
        "intermediate_size",
    ]
    assert "n_layer" in raised.value.faults[0].why


def test_a_routed_family_without_its_experts_is_refused() -> None:
    with pytest.raises(InputError, match="experts"):
        architecture_from_config({**LLAMA, "model_type": "mixtral"})


def test_latent_attention_without_its_widths_names_each_of_them() -> None:
    with pytest.raises(InputError) as raised:
        architecture_from_config({**LLAMA, "kv_lora_rank": 512})
    assert [fault.key for fault in raised.value.faults] == [
        "qk_nope_head_dim",
        "qk_rope_head_dim",
        "v_head_dim",
    ]


def test_heads_that_contradict_each_other_are_an_input_error() -> None:
    with pytest.raises(InputError, match="multiple of kv_heads"):
        architecture_from_config({**LLAMA, "num_key_value_heads": 5})


def test_the_language_part_of_a_multimodal_config_is_used() -> None:
    assert architecture_from_config({"text_config": LLAMA, "vision_config": {}}).layers == 32


@pytest.mark.parametrize("spelling", SPELLINGS["layers"])
def test_each_spelling_of_the_layer_count_is_understood(spelling: str) -> None:
    config = {key: value for key, value in LLAMA.items() if key != "num_hidden_layers"}
    assert architecture_from_config({**config, spelling: 7}).layers == 7


def spelt(**keys: object) -> Architecture:
    return architecture_from_config({**LLAMA, **keys})


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"hidden_act": "relu2"}, MlpType.RELU2),
        ({"hidden_act": "squared_relu"}, MlpType.RELU2),
        ({"hidden_act": "silu"}, MlpType.SWIGLU),
        ({"activation_function": "gelu_new"}, MlpType.GELU),
        ({"model_type": "gemma2", "hidden_act": "gelu_pytorch_tanh"}, MlpType.GEGLU),
        ({"model_type": "phi", "hidden_act": "relu"}, MlpType.GELU),
    ],
)
def test_the_activation_decides_how_many_matrices_a_block_has(
    keys: dict[str, object], expected: MlpType
) -> None:
    assert spelt(**keys).mlp_type is expected


@pytest.mark.parametrize(
    ("keys", "heads"),
    [
        ({}, 8),
        ({"num_key_value_heads": None}, 32),
        ({"num_key_value_heads": None, "multi_query": True}, 1),
        ({"multi_query_attention": False, "num_key_value_heads": 8}, 32),
        ({"num_key_value_heads": None, "multi_query_group_num": 2}, 2),
    ],
)
def test_key_and_value_heads_follow_each_familys_spelling(keys: dict[str, object], heads: int) -> None:
    assert spelt(**keys).kv_heads == heads


@pytest.mark.parametrize(
    ("keys", "qkv", "output"),
    [
        ({}, False, False),
        ({"attention_bias": True}, True, True),
        ({"model_type": "qwen2"}, True, False),
        ({"model_type": "qwen2", "attention_bias": False}, False, False),
        ({"model_type": "chatglm", "add_qkv_bias": True}, True, False),
        ({"model_type": "gpt2"}, True, True),
    ],
)
def test_biases_are_the_files_or_else_those_of_the_familys_code(
    keys: dict[str, object],
    qkv: bool,  # noqa: FBT001
    output: bool,  # noqa: FBT001
) -> None:
    shape = spelt(**keys)
    assert (shape.qkv_bias, shape.output_bias) == (qkv, output)


@pytest.mark.parametrize(
    ("keys", "shared"),
    [
        ({}, 0),
        ({"shared_expert_intermediate_size": 5632}, 5632),
        ({"n_shared_experts": 2}, 2 * 1408),
    ],
)
def test_shared_experts_are_given_by_width_or_by_number(keys: dict[str, object], shared: int) -> None:
    shape = spelt(num_experts=60, num_experts_per_tok=4, moe_intermediate_size=1408, **keys)
    assert shape.moe is not None
    assert shape.moe.shared_expert_ffn_hidden_size == shared


@pytest.mark.parametrize("experts", [None, 0, 1])
def test_a_single_expert_is_a_dense_model(experts: int | None) -> None:
    assert spelt(num_local_experts=experts, num_experts_per_tok=1).moe is None


def test_a_layer_frequency_given_as_a_list_is_read_by_its_largest() -> None:
    shape = spelt(num_experts=8, num_experts_per_tok=2, moe_layer_freq=[1, 1, 2])
    assert shape.moe is not None
    assert shape.moe.layer_interval == 2


def test_a_plain_family_without_a_width_has_four_times_the_hidden_size() -> None:
    assert spelt(model_type="gpt2", intermediate_size=None).ffn_hidden_size == 4 * 4096


def test_learned_positions_are_counted_where_the_family_has_them() -> None:
    assert spelt(model_type="gpt2", n_positions=1024).learned_positions == 1024
    assert spelt(max_position_embeddings=8192).learned_positions == 0


def test_a_query_rank_of_null_means_that_queries_are_projected_directly() -> None:
    latent = {
        "kv_lora_rank": 512,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "q_lora_rank": None,
    }
    shape = spelt(**latent)
    assert shape.mla is not None
    assert shape.mla.q_lora_rank is None
    assert (shape.head_dim, shape.kv_heads) == (192, 32)


@pytest.mark.parametrize("value", ["32", True, None, {}])
def test_a_size_that_is_no_number_counts_as_missing(value: object) -> None:
    with pytest.raises(InputError, match="no layers"):
        spelt(num_hidden_layers=value)


@pytest.mark.parametrize("kind", ["bert", "t5", "vit"])
def test_a_model_that_is_no_decoder_is_refused_by_its_type(kind: str) -> None:
    config = {"model_type": kind, "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12}
    with pytest.raises(InputError, match=f'model_type "{kind}" is no decoder-only model'):
        architecture_from_config({**config, "intermediate_size": 3072, "vocab_size": 30522})
