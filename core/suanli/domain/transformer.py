"""Exact parameter counts of a transformer from its architecture.

One list of linear layers, `linears`, is the single description from which totals, active parameters, matrix
parameters and LoRA adapters are counted. Nothing is rounded and nothing is fitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture

__all__ = [
    "Block",
    "Linear",
    "ParameterCounts",
    "count_parameters",
    "linears",
    "lora_parameters",
    "moe_layer_count",
]


class Block(StrEnum):
    """Where a linear layer sits, which decides how often it occurs."""

    ATTENTION = "attention"
    """In every layer."""
    DENSE_MLP = "dense-mlp"
    """In each layer whose feed-forward block is not routed."""
    ROUTER = "router"
    EXPERT = "expert"
    """Once for each routed expert of each routed layer."""
    SHARED_EXPERT = "shared-expert"


@dataclass(frozen=True, slots=True)
class Linear:
    """One weight matrix with its bias and the normalisation that belongs to its input."""

    name: str
    block: Block
    inputs: int
    outputs: int
    bias: bool = False

    @property
    def matrix_parameters(self) -> int:
        """Return inputs × outputs."""
        return self.inputs * self.outputs

    @property
    def bias_parameters(self) -> int:
        """Return the length of the bias, or 0."""
        return self.outputs if self.bias else 0


def _attention(architecture: Architecture) -> tuple[Linear, ...]:
    a, hidden = architecture, architecture.hidden_size
    query, key_value = a.attention_heads * a.head_dim, a.kv_heads * a.head_dim
    return (
        Linear("q", Block.ATTENTION, hidden, query, a.qkv_bias),
        Linear("k", Block.ATTENTION, hidden, key_value, a.qkv_bias),
        Linear("v", Block.ATTENTION, hidden, key_value, a.qkv_bias),
        Linear("o", Block.ATTENTION, query, hidden, a.output_bias),
    )


def _latent_attention(architecture: Architecture) -> tuple[Linear, ...]:
    a, mla = architecture, architecture.mla
    if mla is None:
        return _attention(a)
    query = a.attention_heads * (mla.qk_nope_head_dim + mla.qk_rope_head_dim)
    key_value = a.attention_heads * (mla.qk_nope_head_dim + mla.v_head_dim)
    if mla.q_lora_rank is None:
        queries: tuple[Linear, ...] = (Linear("q", Block.ATTENTION, a.hidden_size, query, a.qkv_bias),)
    else:
        queries = (
            Linear("q_down", Block.ATTENTION, a.hidden_size, mla.q_lora_rank, a.qkv_bias),
            Linear("q_up", Block.ATTENTION, mla.q_lora_rank, query),
        )
    return (
        *queries,
        Linear(
            "kv_down", Block.ATTENTION, a.hidden_size, mla.kv_lora_rank + mla.qk_rope_head_dim, a.qkv_bias
        ),
        Linear("kv_up", Block.ATTENTION, mla.kv_lora_rank, key_value),
        Linear("o", Block.ATTENTION, a.attention_heads * mla.v_head_dim, a.hidden_size, a.output_bias),
    )


def _mlp(architecture: Architecture, block: Block, width: int, *, bias: bool) -> tuple[Linear, ...]:
    hidden = architecture.hidden_size
    names = ("gate", "up") if architecture.mlp_type.gated else ("up",)
    ups = tuple(Linear(name, block, hidden, width, bias) for name in names)
    return (*ups, Linear("down", block, width, hidden, bias))


def linears(architecture: Architecture) -> tuple[Linear, ...]:
    """Return every kind of weight matrix in the layers, each once per place where it occurs."""
    a, moe = architecture, architecture.moe
    found = [*_latent_attention(a)]
    if moe_layer_count(a) < a.layers:
        found += _mlp(a, Block.DENSE_MLP, a.ffn_hidden_size, bias=a.mlp_bias)
    if moe is not None:
        found.append(Linear("router", Block.ROUTER, a.hidden_size, moe.experts, moe.router_bias))
        found += _mlp(a, Block.EXPERT, moe.expert_ffn_hidden_size, bias=moe.expert_bias)
        if moe.shared_expert_ffn_hidden_size:
            found += _mlp(a, Block.SHARED_EXPERT, moe.shared_expert_ffn_hidden_size, bias=a.mlp_bias)
        if moe.shared_expert_gate:
            found.append(Linear("shared_gate", Block.SHARED_EXPERT, a.hidden_size, 1))
    return tuple(found)


def moe_layer_count(architecture: Architecture) -> int:
    """Return the number of layers whose feed-forward block is routed."""
    moe = architecture.moe
    return 0 if moe is None else max(0, architecture.layers - moe.dense_layers) // moe.layer_interval


@dataclass(frozen=True, slots=True)
class ParameterCounts:
    """Parameters of one model, by part. Whole-model figures are properties."""

    layers: int
    moe_layers: int
    experts: int
    top_k: int
    attention_matrices: int
    """Matrices of one layer's attention."""
    attention_vectors: int
    """Biases and inner norms of one layer's attention."""
    mlp_matrices: int
    """Matrices of one dense feed-forward block."""
    mlp_vectors: int
    expert_matrices: int
    """Matrices of one routed expert."""
    expert_vectors: int
    shared_matrices: int
    """Router and shared experts of one routed layer."""
    shared_vectors: int
    layer_norms: int
    """Norms around the blocks of one layer."""
    embedding: int
    positions: int
    lm_head: int
    """0 where the head shares the embedding."""
    head_matrix: int
    """Weights that produce the logits, shared with the embedding or not."""
    final_norm: int
    extra: int

    @property
    def dense_layers(self) -> int:
        """Return the number of layers with an ordinary feed-forward block."""
        return self.layers - self.moe_layers

    @property
    def expert(self) -> int:
        """Return the parameters of all routed experts."""
        return self.moe_layers * self.experts * (self.expert_matrices + self.expert_vectors)

    @property
    def layer_common(self) -> int:
        """Return what every layer holds: attention and norms."""
        return self.attention_matrices + self.attention_vectors + self.layer_norms

    @property
    def dense_layer(self) -> int:
        """Return the parameters of one layer with an ordinary feed-forward block."""
        return self.layer_common + self.mlp_matrices + self.mlp_vectors

    @property
    def moe_layer_without_experts(self) -> int:
        """Return attention, norms, router and shared experts of one routed layer."""
        return self.layer_common + self.shared_matrices + self.shared_vectors

    @property
    def non_expert(self) -> int:
        """Return everything but the routed experts."""
        return (
            self.dense_layers * self.dense_layer
            + self.moe_layers * self.moe_layer_without_experts
            + self.embedding
            + self.positions
            + self.lm_head
            + self.final_norm
            + self.extra
        )

    @property
    def total(self) -> int:
        """Return all parameters."""
        return self.non_expert + self.expert

    @property
    def active(self) -> int:
        """Return the parameters that one token passes through, embeddings included."""
        routed = self.moe_layers * self.top_k * (self.expert_matrices + self.expert_vectors)
        return self.non_expert + routed

    @property
    def matmul(self) -> int:
        """Return the active weights that are multiplied: matrices of the layers and the LM head."""
        return (
            self.layers * self.attention_matrices
            + self.dense_layers * self.mlp_matrices
            + self.moe_layers * (self.shared_matrices + self.top_k * self.expert_matrices)
            + self.head_matrix
        )


def _inner_norms(architecture: Architecture) -> int:
    mla = architecture.mla
    latent = 0 if mla is None else mla.kv_lora_rank + (mla.q_lora_rank or 0)
    return latent + (2 * architecture.head_dim if architecture.qk_norm else 0)


def _block_sum(architecture: Architecture, *blocks: Block) -> tuple[int, int]:
    chosen = [linear for linear in linears(architecture) if linear.block in blocks]
    return sum(x.matrix_parameters for x in chosen), sum(x.bias_parameters for x in chosen)


def count_parameters(architecture: Architecture) -> ParameterCounts:
    """Count every parameter of a model.

    Counted are the token embedding, learned positions, attention (grouped-query or latent, with query and key
    norms and the norms of latent ranks), gated or plain feed-forward blocks, routers, routed and shared
    experts, layer norms, the final norm, the LM head unless it is tied, biases where the config has them, and
    `extra_parameters`.

    Source: the published Hugging Face implementations of each family; every catalogue total is reproduced
    exactly by a test.

    >>> from suanli.domain.architecture import Architecture
    >>> llama2 = Architecture(layers=32, hidden_size=4096, ffn_hidden_size=11008, attention_heads=32,
    ...                       kv_heads=32, head_dim=128, vocab_size=32000)
    >>> count_parameters(llama2).total
    6738415616
    """
    a, moe = architecture, architecture.moe
    norm = a.hidden_size * (2 if a.norm_bias else 1)
    attention, attention_bias = _block_sum(a, Block.ATTENTION)
    mlp, mlp_bias = _block_sum(a, Block.DENSE_MLP)
    expert, expert_bias = _block_sum(a, Block.EXPERT)
    shared, shared_bias = _block_sum(a, Block.ROUTER, Block.SHARED_EXPERT)
    vocabulary = a.vocab_size * a.hidden_size
    return ParameterCounts(
        layers=a.layers,
        moe_layers=moe_layer_count(a),
        experts=0 if moe is None else moe.experts,
        top_k=0 if moe is None else moe.top_k,
        attention_matrices=attention,
        attention_vectors=attention_bias + _inner_norms(a),
        mlp_matrices=mlp,
        mlp_vectors=mlp_bias,
        expert_matrices=expert,
        expert_vectors=expert_bias,
        shared_matrices=shared,
        shared_vectors=shared_bias,
        layer_norms=a.norms_per_layer * norm,
        embedding=vocabulary,
        positions=a.learned_positions * a.hidden_size,
        lm_head=0 if a.tied_embeddings else vocabulary,
        head_matrix=vocabulary,
        final_norm=norm,
        extra=a.extra_parameters,
    )


def _occurrences(architecture: Architecture, block: Block, *, active: bool) -> int:
    routed = moe_layer_count(architecture)
    moe = architecture.moe
    if block is Block.ATTENTION:
        return architecture.layers
    if block is Block.DENSE_MLP:
        return architecture.layers - routed
    if block is Block.EXPERT and moe is not None:
        return routed * (moe.top_k if active else moe.experts)
    return routed


def lora_parameters(architecture: Architecture, rank: int, *, active: bool = False) -> int:
    """Return the parameters of rank-`rank` adapters on all linear layers: Σ rank · (inputs + outputs).

    Routers and the LM head carry no adapter. With `active`, only the experts that one token visits are
    counted.

    Source: Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, section 4.1.

    >>> from suanli.domain.architecture import Architecture
    >>> llama2 = Architecture(layers=32, hidden_size=4096, ffn_hidden_size=11008, attention_heads=32,
    ...                       kv_heads=32, head_dim=128, vocab_size=32000)
    >>> lora_parameters(llama2, 8)
    19988480
    """
    carriers = [linear for linear in linears(architecture) if linear.block is not Block.ROUTER]
    return sum(
        rank * (linear.inputs + linear.outputs) * _occurrences(architecture, linear.block, active=active)
        for linear in carriers
    )
