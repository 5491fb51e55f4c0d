"""Shapes and names for any input: counts add up, and a name never means two devices."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.estimation.estimation_cases import catalogue

from suanli.domain.architecture import Architecture, MixtureOfExperts, MlpType
from suanli.domain.hardware import Accelerator
from suanli.domain.hf_config import architecture_from_config
from suanli.domain.naming import resolve_accelerator
from suanli.domain.transformer import count_parameters, lora_parameters
from suanli.errors import InputError


@st.composite
def shapes(draw: st.DrawFn) -> Architecture:
    kv_heads, group = draw(st.sampled_from([1, 2, 4, 8])), draw(st.integers(1, 8))
    layers = draw(st.integers(1, 100))
    experts = draw(st.integers(2, 64))
    routed = MixtureOfExperts(
        experts=experts,
        top_k=draw(st.integers(1, experts)),
        expert_ffn_hidden_size=draw(st.integers(1, 4096)),
        shared_expert_ffn_hidden_size=draw(st.integers(0, 4096)),
        dense_layers=draw(st.integers(0, layers - 1)),
        layer_interval=draw(st.integers(1, 4)),
    )
    return Architecture(
        layers=layers,
        hidden_size=draw(st.integers(8, 16384)),
        ffn_hidden_size=draw(st.integers(8, 65536)),
        attention_heads=kv_heads * group,
        kv_heads=kv_heads,
        head_dim=draw(st.sampled_from([32, 64, 128, 256])),
        vocab_size=draw(st.integers(100, 300_000)),
        mlp_type=draw(st.sampled_from(list(MlpType))),
        tied_embeddings=draw(st.booleans()),
        qkv_bias=draw(st.booleans()),
        moe=draw(st.sampled_from([None, routed])),
    )


@given(shapes())
def test_no_more_is_active_than_there_is(shape: Architecture) -> None:
    counts = count_parameters(shape)
    assert counts.matmul > 0
    assert 0 < counts.active <= counts.total


@given(shapes())
def test_tying_the_embeddings_saves_one_of_them(shape: Architecture) -> None:
    tied = count_parameters(shape.model_copy(update={"tied_embeddings": True}))
    loose = count_parameters(shape.model_copy(update={"tied_embeddings": False}))
    assert loose.total - tied.total == shape.vocab_size * shape.hidden_size
    # The head multiplies whether it has weights of its own or not.
    assert loose.matmul == tied.matmul


@given(shapes())
def test_another_layer_adds_what_a_layer_has(shape: Architecture) -> None:
    dense = shape.model_copy(update={"moe": None})
    grown = [
        count_parameters(dense.model_copy(update={"layers": dense.layers + more})).total for more in (0, 1, 2)
    ]
    assert grown[2] - grown[1] == grown[1] - grown[0] > 0


@given(shapes(), st.integers(1, 256))
def test_adapters_are_linear_in_their_rank_and_visit_no_more_than_all(shape: Architecture, rank: int) -> None:
    one, many = lora_parameters(shape, 1), lora_parameters(shape, rank)
    assert many == rank * one
    assert lora_parameters(shape, rank, active=True) <= many


@given(shapes())
def test_a_dense_config_reads_back_as_the_shape_it_was_written_from(shape: Architecture) -> None:
    dense = shape.model_copy(update={"moe": None, "mlp_type": MlpType.SWIGLU, "qkv_bias": False})
    config = {
        "model_type": "llama",
        "num_hidden_layers": dense.layers,
        "hidden_size": dense.hidden_size,
        "intermediate_size": dense.ffn_hidden_size,
        "num_attention_heads": dense.attention_heads,
        "num_key_value_heads": dense.kv_heads,
        "head_dim": dense.head_dim,
        "vocab_size": dense.vocab_size,
        "tie_word_embeddings": dense.tied_embeddings,
    }
    assert architecture_from_config(config) == dense


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
COMPLETE: dict[str, object] = {
    "num_hidden_layers": 4,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 8,
    "vocab_size": 100,
}
KEYS = [
    *COMPLETE,
    *(
        "num_key_value_heads",
        "head_dim",
        "model_type",
        "hidden_act",
        "max_position_embeddings",
        "text_config",
    ),
    *("num_experts", "num_experts_per_tok", "moe_intermediate_size", "n_shared_experts", "moe_layer_freq"),
    *("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "q_lora_rank"),
]
sizes = st.integers(-2, 10) | st.lists(st.integers(-1, 4), max_size=3) | st.floats() | json_values


@given(st.dictionaries(st.sampled_from(KEYS), sizes), st.booleans())
@settings(max_examples=300)
def test_a_config_is_read_or_refused_but_never_a_traceback(config: dict[str, object], whole: bool) -> None:  # noqa: FBT001
    try:
        shape = architecture_from_config({**COMPLETE, **config} if whole else config)
    except InputError as refused:
        faults = refused.faults
    else:
        assert count_parameters(shape).total > 0
        return
    assert faults


@given(st.text(max_size=12))
def test_any_text_is_one_device_or_refused(name: str) -> None:
    known = {device.id for device in catalogue().all(Accelerator)}
    try:
        meant = resolve_accelerator(catalogue(), name)
    except InputError as refused:
        (fault,) = refused.faults
    else:
        assert meant.id in known
        return
    assert name in fault.what
