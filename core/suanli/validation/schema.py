"""One published run as frozen records; the keys of the files are the names of the fields.

Every figure may be absent, and absent is None. Units are those in the names: GB is 1e9 bytes, MWh is stated
within `RunExtra.power_scope`, parameters are in 1e9. ``benchmarks/runs/README.md`` says what a field means.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - annotations are read at run time
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

__all__ = [
    "Metric",
    "MlaDims",
    "RunBatch",
    "RunCheck",
    "RunDerived",
    "RunExtra",
    "RunLora",
    "RunMeasured",
    "RunModel",
    "RunParallel",
    "RunRecord",
    "RunSource",
    "RunUse",
]


class Metric(StrEnum):
    """What can be predicted and compared; the value is the key under ``use``."""

    THROUGHPUT = "throughput"
    MEMORY = "memory"
    ENERGY = "energy"
    RUN_TOTALS = "run_totals"

    @property
    def unit(self) -> str:
        """Unit of measured and predicted values."""
        return _UNITS[self]


_UNITS = {
    Metric.THROUGHPUT: "tokens/s per accelerator",
    Metric.MEMORY: "GB",
    Metric.ENERGY: "MWh",
    Metric.RUN_TOTALS: "accelerator-hours",
}


@dataclass(frozen=True, slots=True)
class RunSource:
    """Where the run was published."""

    title: str | None = None
    where: str | None = None
    path_or_url: str | None = None
    year: int | None = None
    family: str | None = None
    """Name of the collection; it stands for the software stack."""
    reliability: str | None = None
    """A, B, C or a mixture such as A/B."""


@dataclass(frozen=True, slots=True)
class MlaDims:
    """Ranks and head sizes of multi-head latent attention."""

    q_lora_rank: int | None = None
    """None where the query is not compressed."""
    kv_lora_rank: int | None = None
    qk_nope_head_dim: int | None = None
    qk_rope_head_dim: int | None = None
    v_head_dim: int | None = None


@dataclass(frozen=True, slots=True)
class RunModel:
    """Shape of the model."""

    name: str | None = None
    family: Literal["dense", "moe"] | None = None
    layers: int | None = None
    hidden: int | None = None
    ffn_hidden: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    head_dim: int | None = None
    """Not meaningful where `mla` is true."""
    vocab: int | None = None
    gated_mlp: bool | None = None
    tied_embeddings: bool | None = None
    experts: int | None = None
    top_k: int | None = None
    moe_ffn_hidden: int | None = None
    shared_ffn_hidden: int | None = None
    dense_layers: int | None = None
    """Layers without experts; may be all of them in a truncated model."""
    mla: bool | None = None
    mla_dims: MlaDims | None = None
    total_params_b: float | None = None
    active_params_b: float | None = None
    params_source: str | None = None


@dataclass(frozen=True, slots=True)
class RunLora:
    """The adapters of a LoRA or QLoRA run."""

    rank: int | None = None
    alpha: int | None = None
    targets: str | None = None
    """Prose."""


@dataclass(frozen=True, slots=True)
class RunBatch:
    """The global batch of an optimizer step."""

    samples: int | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class RunParallel:
    """Parallel layout as the source states it."""

    tp: int | None = None
    pp: int | None = None
    dp: int | None = None
    cp: int | None = None
    ep: int | None = None
    virtual_pipeline: int | None = None
    sequence_parallel: bool | None = None
    zero_stage: int | None = None
    fsdp: str | None = None
    """Spelling of the source: ``FULL_SHARD``, ``fsdp1``, ``fsdp2``, or a number of ranks as text."""


@dataclass(frozen=True, slots=True)
class RunMeasured:
    """What the source states, never a conversion."""

    step_time_s: float | None = None
    tokens_per_s_per_accelerator: float | None = None
    tflops_per_accelerator: float | None = None
    tflops_kind: (
        Literal["hfu_full", "mfu_full", "mfu_causal", "weights_only", "mfu_model_specific", "unknown"] | None
    ) = None
    mfu: float | None = None
    hfu: float | None = None
    accelerator_hours: float | None = None
    total_tokens: float | None = None
    peak_memory_gb: float | None = None
    """GB of 1e9 bytes, after conversion where the source uses GiB or MiB."""
    peak_memory_note: str | None = None
    energy_mwh: float | None = None
    mean_power_w_per_accelerator: float | None = None
    pue: float | None = None
    tco2e: float | None = None
    cost_usd: float | None = None
    time_to_train_min: float | None = None


@dataclass(frozen=True, slots=True)
class RunDerived:
    """Conversions of what is measured."""

    tokens_per_s_per_accelerator: float | None = None
    step_time_s: float | None = None
    tokens_per_s_basis: str | None = None
    """What the rate was derived from, where not from a step time."""


@dataclass(frozen=True, slots=True)
class RunCheck:
    """Plausibility of the record: TFLOP/s per accelerator that its token rate implies, and flags."""

    peak_tflops_used: float | None = None
    implied_tflops_weights_only: float | None = None
    implied_tflops_causal_attention: float | None = None
    implied_tflops_full_attention: float | None = None
    implied_mfu_causal: float | None = None
    implied_mfu_vs_bf16_peak: float | None = None
    best_matching_flop_convention: str | None = None
    rel_error_vs_stated_tflops: float | None = None
    rel_error_vs_stated_mfu: float | None = None
    rel_error_vs_stated_hfu: float | None = None
    status: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunUse:
    """What the record may score; None is not True."""

    throughput: bool | None = None
    throughput_end_to_end_only: bool | None = None
    memory: bool | None = None
    energy: bool | None = None
    run_totals: bool | None = None
    mfu_only: bool | None = None


@dataclass(frozen=True, slots=True)
class RunExtra:
    """Facts that few sources state; the ones that matter here by name, all of them in `facts`."""

    power_scope: str | None = None
    """What the stated energy includes, in prose."""
    energy_includes_pue: str | None = None
    end_to_end_tokens_per_s_per_accelerator: float | None = None
    """Rate over the whole run, evaluation and checkpoints included."""
    steady_tokens_per_s_per_gpu: float | None = None
    implementation: str | None = None
    framework: str | None = None
    longest_example_tokens: int | None = None
    stated_device_power_w: float | None = None
    samples_or_tokens_to_converge: float | None = None
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType(dict[str, object]()))


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One published run."""

    id: str
    """Id of the file, or ``<file>[<position>]`` where it has none."""
    split_group: str | None = None
    """Model shape, accelerator and task class; the unit of leave-one-group-out."""
    source: RunSource = field(default_factory=RunSource)
    vendor: str | None = None
    accelerator: str | None = None
    """Name in the records, not the id of a catalogue."""
    accelerator_variant: str | None = None
    num_accelerators: int | None = None
    accelerators_per_node: int | None = None
    intra_node_link: str | None = None
    inter_node_link: str | None = None
    """Prose that mixes rates per node and per device."""
    model: RunModel = field(default_factory=RunModel)
    task: Literal["pretrain", "full_finetune", "lora", "qlora"] | None = None
    lora: RunLora | None = None
    sequence_length: int | None = None
    global_batch: RunBatch = field(default_factory=RunBatch)
    micro_batch: int | None = None
    parallel: RunParallel = field(default_factory=RunParallel)
    recompute: str | None = None
    """Text of the source: ``none``, ``selective``, ``full``, ``partial [8, 8]``, ``full, method block``."""
    precision: (
        Literal["bf16", "fp16", "fp8", "mxfp8", "fp4", "nvfp4", "int8-weights+fp16", "int4-weights+fp16"]
        | None
    ) = None
    measured: RunMeasured = field(default_factory=RunMeasured)
    as_reported: str | None = None
    derived: RunDerived = field(default_factory=RunDerived)
    check: RunCheck = field(default_factory=RunCheck)
    use: RunUse = field(default_factory=RunUse)
    extra: RunExtra = field(default_factory=RunExtra)
    notes: str | None = None

    @property
    def group(self) -> str:
        """Unit of leave-one-group-out: `split_group`, or the record itself where it is unknown."""
        return self.split_group or self.id
