"""What the estimation yields: frozen records in SI units, without text or rounding."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from suanli.domain.workload import Offload

if TYPE_CHECKING:
    from suanli.domain.hardware import Accelerator, Collective, Precision, Server
    from suanli.domain.vendor import Calibration, Fit, PowerModel, SoftwareStack
    from suanli.domain.workload import Recompute

__all__ = [
    "Constraint",
    "Device",
    "Goodput",
    "Infeasible",
    "Layout",
    "MemoryPhases",
    "MemoryUse",
    "ModelProfile",
    "ParetoPoint",
    "Range",
    "Remedy",
    "RemedyKind",
    "Sizing",
    "StepTime",
]


@dataclass(frozen=True, slots=True)
class Range:
    """A figure with its 80 % interval; p10 is the low end and p90 the high end of the figure itself."""

    p10: float
    p50: float
    p90: float

    def scaled(self, factor: float) -> Range:
        """Return the range multiplied by a positive factor."""
        return Range(self.p10 * factor, self.p50 * factor, self.p90 * factor)


class Constraint(StrEnum):
    """What decides the size of the cluster, or forbids it."""

    DEADLINE = "deadline"
    MEMORY = "memory"
    NETWORK = "network"
    BATCH = "batch"
    """The global batch cannot be divided over more accelerators."""
    BUDGET = "budget"
    NODE = "node"
    """A whole node is the least that can be bought."""
    PINNED = "pinned"
    """The user fixed the number or the layout."""
    PRECISION = "precision"
    """The device has no peak in the asked precision."""
    CALIBRATION = "calibration"
    """No constants are known for the device."""


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """Parameters and work of a model under a workload, counted exactly from its architecture."""

    total_parameters: int
    active_parameters: int
    """Parameters a token passes through, embeddings included."""
    matmul_parameters: int
    """Active weights that are multiplied: without the input embedding, with the LM head."""
    trainable_parameters: int
    """All for full training, the adapters for LoRA."""
    matmul_flops_per_token: float
    """Training work per token of all products with weights: 6 per active weight, 4 where it is frozen."""
    attention_flops_per_token: float
    """Training work per token of causal attention scores and values."""
    six_n_flops_per_token: float
    """The cross-check: 6 × active parameters."""

    @property
    def flops_per_token(self) -> float:
        """Return the model FLOPs of training one token (the numerator of MFU)."""
        return self.matmul_flops_per_token + self.attention_flops_per_token


@dataclass(frozen=True, slots=True)
class Device:
    """One accelerator in one server with everything the estimate needs to know of it."""

    accelerator: Accelerator
    server: Server
    calibration: Calibration
    stack: SoftwareStack
    power: PowerModel | None
    collectives: tuple[Collective, ...] = ()
    borrowed: tuple[str, ...] = ()
    """Names of what was taken from a sibling, such as ``server`` or ``calibration``."""
    adapter_stack: SoftwareStack | None = None
    """Stack that adapters would be trained with, where the workload names none; None: the same."""
    shared: Fit | None = None
    """Fitted constants that hold for every device; None: the values of the code."""
    device_fit: Fit | None = None
    """The fit behind the device's constants."""
    stack_fit: Fit | None = None

    @property
    def key(self) -> str:
        """Return the id pair that names this device in files."""
        return f"{self.accelerator.id}@{self.server.id}"


@dataclass(frozen=True, slots=True)
class Layout:
    """How the model is spread over devices as software sees them: world = tp·pp·cp·dp.

    ep divides the data-parallel side. A package of two dies that are devices of their own counts as two.
    """

    tp: int
    pp: int
    cp: int
    dp: int
    ep: int
    micro_batch_size: int
    micro_batches: int
    """Micro-batches per step and pipeline (gradient accumulation)."""
    virtual_pipeline: int
    recompute: Recompute
    zero_stage: int
    """0-3; 3 means weights are sharded too (FSDP)."""
    sequence_parallel: bool
    recompute_layers: int | None = None
    """Layers of a stage that full recomputation covers; None means all of them."""
    shard_group: int | None = None
    """Ranks over which ZeRO spreads states, copies beyond (HSDP); None means all that hold the same data."""
    offload: Offload = Offload.NONE
    loss_chunks: int = 1
    """Pieces in which the loss works through the logits of a micro-batch."""

    @property
    def devices(self) -> int:
        """Return the number of devices that software sees."""
        return self.tp * self.pp * self.cp * self.dp


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """A layout that none beats in rate, memory and accelerators together."""

    layout: Layout
    accelerators: int
    """Accelerators at work, as sold."""
    step_s: float
    tokens_per_s: float
    """Of the whole cluster while stepping."""
    memory_bytes: float
    """Peak on the fullest device."""
    headroom_share: float
    """Free share of usable memory."""


@dataclass(frozen=True, slots=True)
class MemoryPhases:
    """Bytes on the fullest device at the peak of each phase of a run."""

    load_bytes: float
    """Weights arrive and states are set up."""
    step_bytes: float
    """A training step, its update included."""
    save_bytes: float
    """A checkpoint is gathered and written, between two steps."""


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes on the fullest device as software sees it (pipeline stage) at its peak."""

    weights_bytes: float
    gradients_bytes: float
    optimizer_bytes: float
    activations_bytes: float
    logits_bytes: float
    buffers_bytes: float
    usable_bytes: float
    """What software can allocate on the device."""
    reserve_share: float
    """Share of the usable memory that is kept free."""
    usable_measured: bool
    """False where usable memory is nominal memory less a stated share."""
    host_bytes: float = 0.0
    """Host memory for offloaded states of the device."""
    phases: MemoryPhases | None = None
    """None where only the step was estimated."""
    peak_ratio: Range | None = None
    """P10, P50 and P90 of measured over predicted peak; None where it was not asked for."""

    @property
    def peak_bytes(self) -> Range | None:
        """Return the range of the peak of a step, its middle as predicted."""
        total, ratio = self.total_bytes, self.peak_ratio
        return None if ratio is None else Range(total * ratio.p10, total, total * ratio.p90)

    @property
    def total_bytes(self) -> float:
        """Return the sum of all parts."""
        return (
            self.weights_bytes
            + self.gradients_bytes
            + self.optimizer_bytes
            + self.activations_bytes
            + self.logits_bytes
            + self.buffers_bytes
        )

    @property
    def headroom_share(self) -> float:
        """Return the free share of usable memory."""
        return 1.0 - self.total_bytes / self.usable_bytes


@dataclass(frozen=True, slots=True)
class StepTime:
    """Seconds of one optimizer step, by cause; the parts add up to the step."""

    compute_s: float
    """Matrix, attention and vector work with the launch floor, without recomputation."""
    recompute_s: float
    tp_exposed_s: float
    cp_exposed_s: float
    ep_exposed_s: float
    pp_exposed_s: float
    bubble_s: float
    dp_exposed_s: float
    optimizer_s: float
    other_s: float
    """Per-step constants; waiting for stragglers is in the other parts."""

    @property
    def total_s(self) -> float:
        """Return the whole step."""
        return (
            self.compute_s
            + self.recompute_s
            + self.tp_exposed_s
            + self.cp_exposed_s
            + self.ep_exposed_s
            + self.pp_exposed_s
            + self.bubble_s
            + self.dp_exposed_s
            + self.optimizer_s
            + self.other_s
        )

    @property
    def communication_share(self) -> float:
        """Return exposed communication over the whole step."""
        exposed = (
            self.tp_exposed_s + self.cp_exposed_s + self.ep_exposed_s + self.pp_exposed_s + self.dp_exposed_s
        )
        return exposed / self.total_s


@dataclass(frozen=True, slots=True)
class Goodput:
    """Share of wall-clock time that makes progress, and why the rest is lost."""

    interruptions: float
    """Expected number in one run."""
    mtbf_s: float
    """Mean time between interruptions of the whole cluster."""
    checkpoint_bytes: float
    checkpoint_interval_s: float
    """Young's interval: the square root of twice the stall times the MTBF; never below a background write."""
    checkpoint_write_s: float
    restart_s: float
    checkpoint_share: float
    lost_work_share: float
    restart_share: float
    failure_source: str
    """Source id of the failure rate."""
    background_write_s: float = 0.0
    """Time until an asynchronous checkpoint is safe; 0 where training waits for the write."""

    @property
    def share(self) -> float:
        """Return the effective share of wall-clock time."""
        return 1.0 - self.checkpoint_share - self.lost_work_share - self.restart_share


class RemedyKind(StrEnum):
    """A way out of an infeasible sizing."""

    MORE_TIME = "more-time"
    MORE_ACCELERATORS = "more-accelerators"
    FEWER_TOKENS = "fewer-tokens"
    MORE_BUDGET = "more-budget"
    RECOMPUTE = "recompute"
    SHARD_MORE = "shard-more"
    LARGER_MEMORY = "larger-memory"
    LARGER_BATCH = "larger-batch"
    SHORTER_SEQUENCE = "shorter-sequence"
    UNPIN = "unpin"
    OTHER_PRECISION = "other-precision"
    LORA = "lora"
    OFFLOAD = "offload"
    """States in host memory."""
    CHUNKED_LOSS = "chunked-loss"
    """Logits in pieces."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One way out, with the figure that would do."""

    kind: RemedyKind
    value: float | None = None
    """In the unit of the kind: seconds, accelerators, tokens, bytes, sequences."""
    detail: str = ""
    """An id or a layout value, never prose."""


@dataclass(frozen=True, slots=True)
class Infeasible:
    """Why a device cannot do the job, by how much, and the cheapest ways out."""

    constraint: Constraint
    need: float
    """What would be needed, in the constraint's unit (bytes, seconds, accelerators, sequences)."""
    have: float
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True)
class Sizing:
    """A feasible cluster for one device."""

    device: Device
    profile: ModelProfile
    precision: Precision
    layout: Layout
    nodes: int
    """Servers at work, spares apart."""
    memory: MemoryUse
    step: StepTime
    goodput: Goodput
    tokens: float
    """Tokens of one run."""
    steps: int
    """Optimizer steps of one run, rounded up."""
    tokens_per_s_per_accelerator: Range
    """While stepping; goodput apart."""
    mfu: Range
    hfu: float
    ideal_s: float
    """Steps at the P50 step time without interruptions."""
    duration_s: Range
    """Wall-clock time of one run: p10 is the fast end."""
    untuned_duration_s: float
    """P50 for a team that starts with an untuned stack."""
    peak_bound_s: float
    """Lower bound: model FLOPs over the dense peak, nothing lost."""
    binding: Constraint
    candidates: int
    """Layouts looked at, over all cluster sizes tried."""
    rejected: dict[str, int] = field(default_factory=dict[str, int])
    """How many layouts fell to each reason."""
    alternatives: tuple[tuple[int, float], ...] = ()
    """(accelerators, duration P50 in s) of other cluster sizes: the scaling curve."""
    pareto: tuple[ParetoPoint, ...] = ()
    """Layouts on this and other cluster sizes that none beats in rate, memory and accelerators together, the
    fastest first."""
    pilot_ratio: float | None = None
    """Measured over predicted rate of the client's pilot runs, which the rates are moved by; None without
    any."""

    @property
    def accelerators(self) -> int:
        """Return the number of accelerators, as sold, at work."""
        return -(-self.layout.devices // self.device.accelerator.dies)
