"""What a training framework can do: features by release, with the document that says so."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import ClassVar, Self

from pydantic import Field, model_validator

from suanli.domain.figure import Check
from suanli.domain.record import Identifier, Part, Record, Text

__all__ = ["Exclusion", "Launcher", "StackFeature", "StackFeatures", "Support"]


class StackFeature(StrEnum):
    """Something that a layout, a workload or a model may need of a training framework."""

    BF16 = "bf16"
    FP16 = "fp16"
    FP8 = "fp8"
    FLASH_ATTENTION = "flash-attention"
    """Attention without the matrix of scores in memory."""
    MLA = "mla"
    """Multi-head latent attention."""
    MOE = "moe"
    LORA = "lora"
    QLORA = "qlora"
    ZERO_1 = "zero-1"
    """Optimizer states sharded over data-parallel ranks (distributed optimizer)."""
    ZERO_2 = "zero-2"
    """Gradients sharded too."""
    ZERO_3 = "zero-3"
    """Weights sharded too (FSDP)."""
    HSDP = "hsdp"
    """States sharded inside a group of ranks, copied between groups."""
    TENSOR_PARALLEL = "tensor-parallel"
    SEQUENCE_PARALLEL = "sequence-parallel"
    """Activations around norms split over the tensor-parallel ranks."""
    PIPELINE_PARALLEL = "pipeline-parallel"
    INTERLEAVED_PIPELINE = "interleaved-pipeline"
    """Several virtual stages on a device."""
    CONTEXT_PARALLEL = "context-parallel"
    EXPERT_PARALLEL = "expert-parallel"
    SELECTIVE_RECOMPUTE = "selective-recompute"
    FULL_RECOMPUTE = "full-recompute"
    PARTIAL_RECOMPUTE = "partial-recompute"
    """Full recomputation of some layers of a stage."""
    CHUNKED_LOSS = "chunked-loss"
    """Logits and loss computed in pieces, so that the logits are never whole."""
    OPTIMIZER_OFFLOAD = "optimizer-offload"
    WEIGHTS_OFFLOAD = "weights-offload"
    DISTRIBUTED_CHECKPOINT = "distributed-checkpoint"
    """Every rank writes its own shards."""
    ASYNC_CHECKPOINT = "async-checkpoint"


class Launcher(StrEnum):
    """A program whose arguments a layout can be written as."""

    MEGATRON_LM = "megatron-lm"
    MINDSPEED_LLM = "mindspeed-llm"
    PRIMUS = "primus"
    DEEPSPEED = "deepspeed"
    ACCELERATE = "accelerate"
    TORCHTITAN = "torchtitan"


class Support(Part):
    """Whether a release supports a feature, and which document says so."""

    supported: bool | None = None
    """None where the document does not settle it."""
    since: str = ""
    """First release that has it, where a document names one."""
    constraint: Text | None = None
    """What the feature asks for or leaves out."""
    source: Identifier
    check: Check
    as_of: date | None = None
    """When it was read, where that differs from the record's day."""


class Exclusion(Part):
    """Features that a release does not run together."""

    features: tuple[StackFeature, ...] = Field(min_length=2)
    reason: Text
    source: Identifier
    check: Check


class StackFeatures(Record):
    """The feature matrix of one release of a framework; a feature that is absent is not known."""

    kind: ClassVar[str] = "features"

    name: Text
    stacks: tuple[Identifier, ...] = Field(min_length=1)
    """Stacks that run on this framework."""
    release: str = Field(min_length=1)
    """The release whose documents were read."""
    as_of: date
    """Day of the documents that were read."""
    source: Identifier
    """The documents of the release."""
    requires: dict[str, str] = Field(default_factory=dict[str, str])
    """Versions of other software that the release asks for, by name, as its documents spell them."""
    launcher: Launcher | None = None
    """None where the framework's arguments have not been mapped."""
    features: dict[StackFeature, Support] = Field(default_factory=dict[StackFeature, Support])
    exclusions: tuple[Exclusion, ...] = ()

    @model_validator(mode="after")
    def _check_exclusions(self) -> Self:
        for one in self.exclusions:
            if len(set(one.features)) != len(one.features):
                raise ValueError(f"an exclusion names a feature twice: {', '.join(one.features)}")
        return self

    def support(self, feature: StackFeature) -> Support | None:
        """Return what is known of a feature, or None where nothing is."""
        return self.features.get(feature)
