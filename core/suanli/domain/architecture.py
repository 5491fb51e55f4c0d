"""The shape of a transformer, exactly as its config gives it."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Self

from pydantic import Field, model_validator

from suanli.domain.figure import Check, Confidence
from suanli.domain.record import Identifier, Part, Record, Text

__all__ = ["Architecture", "LatentAttention", "MixtureOfExperts", "MlpType", "ModelRecord"]


class MlpType(StrEnum):
    """Feed-forward block: gated blocks hold three matrices, plain ones two."""

    SWIGLU = "swiglu"
    GEGLU = "geglu"
    GELU = "gelu"
    RELU2 = "relu2"

    @property
    def gated(self) -> bool:
        """Tell whether the block has a gate matrix."""
        return self in {MlpType.SWIGLU, MlpType.GEGLU}


class MixtureOfExperts(Part):
    """The routed feed-forward blocks of a mixture of experts."""

    experts: int = Field(ge=2)
    """Routed experts per layer."""
    top_k: int = Field(ge=1)
    expert_ffn_hidden_size: int = Field(ge=1)
    shared_expert_ffn_hidden_size: int = Field(default=0, ge=0)
    """Width of all shared experts of a layer together; 0 where there is none."""
    dense_layers: int = Field(default=0, ge=0)
    """Leading layers with an ordinary feed-forward block."""
    layer_interval: int = Field(default=1, ge=1)
    """Every how many layers a block is routed (1: all after the dense ones)."""
    shared_expert_gate: bool = False
    router_bias: bool = False
    expert_bias: bool = False

    @model_validator(mode="after")
    def _check_top_k(self) -> Self:
        if self.top_k > self.experts:
            raise ValueError(f"top_k {self.top_k} is above the number of experts {self.experts}")
        return self


class LatentAttention(Part):
    """Multi-head latent attention (DeepSeek-V2, 2024, section 2.1)."""

    q_lora_rank: int | None = Field(default=None, ge=1)
    """Rank of the query compression; None where queries are projected directly."""
    kv_lora_rank: int = Field(ge=1)
    qk_nope_head_dim: int = Field(ge=1)
    qk_rope_head_dim: int = Field(ge=1)
    v_head_dim: int = Field(ge=1)


class Architecture(Part):
    """Everything that decides parameters, FLOPs and activation sizes of a decoder-only transformer."""

    layers: int = Field(ge=1)
    hidden_size: int = Field(ge=1)
    ffn_hidden_size: int = Field(ge=1)
    mlp_type: MlpType = MlpType.SWIGLU
    attention_heads: int = Field(ge=1)
    kv_heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)
    vocab_size: int = Field(ge=1)
    tied_embeddings: bool = False
    learned_positions: int = Field(default=0, ge=0)
    """Rows of a learned position table; 0 for rotary or other parameter-free positions."""
    qkv_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    qk_norm: bool = False
    norm_bias: bool = False
    norms_per_layer: int = Field(default=2, ge=1)
    max_context: int | None = None
    moe: MixtureOfExperts | None = None
    mla: LatentAttention | None = None
    extra_parameters: int = 0
    """Parameters of tensors that no field here describes, so that a published total comes out exactly."""

    @model_validator(mode="after")
    def _check_heads(self) -> Self:
        if self.attention_heads % self.kv_heads:
            raise ValueError(
                f"attention_heads {self.attention_heads} is not a multiple of kv_heads {self.kv_heads}"
            )
        return self


class ModelRecord(Record):
    """A published model in the catalogue."""

    kind: ClassVar[str] = "models"

    name: Text
    family: str
    architecture: Architecture
    source: Identifier
    confidence: Confidence
    check: Check
    released: str = ""
    licence: str = ""
    published_total_parameters: int | None = None
    notes: tuple[str, ...] = ()
