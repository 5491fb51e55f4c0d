"""What a vendor plugin says beside hardware: software, compliance, calibration, acceptance."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from suanli.domain.figure import BytesPerSecond, Check, Confidence, Number, Seconds
from suanli.domain.hardware import Precision
from suanli.domain.record import Identifier, Part, Record, Text
from suanli.domain.workload import Track

__all__ = [
    "ANY_VENDOR",
    "AcceptanceBasis",
    "AcceptancePhase",
    "AcceptanceTest",
    "Calibration",
    "ComplianceEvent",
    "Deliverability",
    "Feature",
    "Fit",
    "FitScope",
    "PowerModel",
    "ProcurementRule",
    "RuleTopic",
    "SkuStatus",
    "SoftwareStack",
    "SoftwareVersions",
    "Tuning",
]


class Feature(Part):
    """Whether a stack supports something a layout may need."""

    status: str
    supported: bool | None = None
    """None where the source does not settle it."""
    since: str = ""
    source: Identifier
    check: Check
    note: str = ""


class SoftwareVersions(Record):
    """Versions and features of a vendor's software platform."""

    kind: ClassVar[str] = "software"

    name: Text
    vendor: Identifier
    versions: dict[str, str] = Field(default_factory=dict[str, str])
    version_source: dict[str, Identifier] = Field(default_factory=dict[str, Identifier])
    features: dict[str, Feature] = Field(default_factory=dict[str, Feature])


class Tuning(StrEnum):
    """Who runs the stack: a recipe tuned by its makers, or a team that starts with it."""

    TUNED = "tuned"
    UNTUNED = "untuned"


class SoftwareStack(Record):
    """A training framework, with the constants by which it differs from others in the estimate.

    The constants are those of `suanli.estimation.step_time`; each is a multiplier or a share with its range.
    """

    kind: ClassVar[str] = "stacks"

    name: Text
    vendors: tuple[Identifier, ...]
    default_for: tuple[Identifier, ...] = ()
    """Vendors whose default stack this is for pre-training."""
    default_for_lora: tuple[Identifier, ...] = ()
    tuned: Tuning = Tuning.TUNED
    sharding: str = "distributed-optimizer"
    """``distributed-optimizer`` (ZeRO-1 in the Megatron manner), ``fsdp`` or ``zero``."""
    constants: dict[str, Number | Seconds] = Field(default_factory=dict[str, Number | Seconds])
    pipeline_with_zero3: bool = False
    notes: tuple[str, ...] = ()


class FitScope(StrEnum):
    """What the constants of a fit hold for."""

    DEVICE = "device"
    """One family of accelerators."""
    STACK = "stack"
    """One software stack."""
    SHARED = "shared"
    """Every device and stack."""


class Fit(Record):
    """Constants as fitted on published runs by ``suanli calibrate``; they replace those they start from."""

    kind: ClassVar[str] = "fits"

    scope: FitScope
    subject: Identifier
    """Device family, stack id, or ``all``."""
    constants: dict[str, Number | Seconds]
    """Fitted value with the ends of its 68 % interval."""
    stack_factors: dict[Identifier, Number] = Field(default_factory=dict[Identifier, Number])
    """Multiplier on compute time of a device family under a stack."""
    scales: dict[str, Number] = Field(default_factory=dict[str, Number])
    """Spread of measured over predicted rate by class of evidence, as named in `suanli.estimation.ranges`."""
    groups: int = Field(ge=0)
    """Groups of runs (shape, accelerator, kind of task) behind the fit."""
    run_ids: tuple[str, ...] = ()
    """Published runs behind the fit."""
    median_error: Number | None = None
    """Median of the absolute error of those runs, each predicted without its own group."""
    p90_error: Number | None = None


class Calibration(Record):
    """Physical constants of one accelerator: what a fit on published runs starts from.

    They hold as they are where no fit has the family, or the accelerator is a stated relative of one.
    """

    kind: ClassVar[str] = "calibrations"

    accelerator: Identifier
    family: str = ""
    """Accelerators that are fitted together; empty for one that stands alone."""
    stack_factors: dict[Identifier, Number] = Field(default_factory=dict[Identifier, Number])
    """Multiplier on compute time under a stack, from a fit."""
    constants: dict[str, Number | Seconds]
    """``gemm_efficiency``, ``attention_efficiency``, ... as named in `suanli.estimation.step_time`."""
    precision_efficiency: dict[Precision, Number] = Field(default_factory=dict[Precision, Number])
    """Multiplier on the GEMM efficiency for formats narrower than 16 bit, on their own peak."""
    sibling: str = ""
    """Relative whose runs the constants come from; empty where the device has runs of its own."""
    runs: int = Field(default=0, ge=0)
    """Published runs of this very accelerator among those that a fit rests on."""
    note: str = ""


class PowerModel(Record):
    """How much of its nameplate a server draws in training and idle."""

    kind: ClassVar[str] = "power-models"

    server: Identifier | None = None
    training_fraction: Number
    idle_fraction: Number | None = None
    host_share: Number | None = None
    """Power of host, fans and NICs over device TDP, used where a server's nameplate is unknown."""


class Deliverability(StrEnum):
    """Whether a device may be delivered to a region."""

    FREE = "free"
    LICENCE = "licence"
    BARRED = "barred"
    UNKNOWN = "unknown"


class SkuStatus(Record):
    """Export-control status of a device for one delivery region."""

    kind: ClassVar[str] = "sku-status"

    accelerator: Identifier
    region: str
    """ISO 3166-1 code; ``*`` for any other."""
    deliverability: Deliverability
    summary: Text
    path: Text | None = None
    """The way to a licence where one is needed."""
    tpp_dense: Number | None = None
    """Total processing performance in bit-TOPS, dense, maximum over formats."""
    from_day: date | None = None
    """First day on which the status holds; None where it holds as far back as it matters."""
    as_of: date
    """Day on which it was checked."""
    source: Identifier
    confidence: Confidence
    check: Check
    note: str = ""


class ComplianceEvent(Record):
    """A dated event of export control."""

    kind: ClassVar[str] = "compliance-events"

    day: str
    """Year, month or day, ISO 8601."""
    jurisdiction: str
    title: Text
    effect: Text
    status: Text | None = None
    vendors: tuple[Identifier, ...] = ()
    """Vendors whose devices it concerns; empty: all."""
    accelerators: tuple[Identifier, ...] = ()
    """Devices it concerns; empty: all of the vendors."""
    regions: tuple[str, ...] = ()
    """ISO 3166-1 codes of the destinations it concerns; empty: all."""
    source: Identifier
    confidence: Confidence
    check: Check


class RuleTopic(StrEnum):
    """What a rule is about, in the order of the document."""

    PROCUREMENT = "procurement"
    SECURITY = "security"
    DATA = "data"


class ProcurementRule(Record):
    """A rule of public procurement, of information security or of data protection."""

    kind: ClassVar[str] = "rules"

    jurisdiction: str
    """ISO 3166-1 code, or EU."""
    topic: RuleTopic
    tracks: tuple[Track, ...] = ()
    """Procurement tracks of the project file that it concerns; empty: all."""
    name: Text
    dated: str
    content: Text
    source: Identifier
    confidence: Confidence
    check: Check


ANY_VENDOR = "any"
"""Vendor of an acceptance test that holds for every device."""


class AcceptancePhase(StrEnum):
    """Steps of acceptance in their order; one begins when the one before is signed off."""

    FACTORY = "factory"
    ARRIVAL = "arrival"
    SINGLE_NODE = "single-node"
    CROSS_NODE = "cross-node"
    STORAGE = "storage"
    BURN_IN = "burn-in"
    PILOT = "pilot"
    HANDOVER = "handover"


class AcceptanceBasis(StrEnum):
    """What a pass value is worked out from, where no document publishes one."""

    GEMM = "gemm"
    """Dense peak times the calibrated share of it that large matrices reach."""
    INTRA_NODE = "intra-node"
    """Bus bandwidth inside a scale-up domain that the estimate counts with."""
    INTER_NODE = "inter-node"
    """Bus bandwidth over so many nodes that the estimate counts with, each number of nodes on its own."""
    PORT_RATE = "port-rate"
    """Line rate of a compute port, as the upper bound of what can be measured."""
    STORAGE_WRITE = "storage-write"
    STORAGE_READ = "storage-read"
    CHECKPOINT_SAVE = "checkpoint-save"
    """Longest time that one checkpoint may take to write."""
    RESTART = "restart"
    """Longest time from a failure to the first new step."""
    SERVER_POWER = "server-power"
    """Nameplate of a server, the most that it may draw."""
    PUE = "pue"
    BURN_IN = "burn-in"
    """Interruptions that chance allows within the test, by the failure rate that the plan counts with."""
    PILOT = "pilot"
    """Low end of the estimate's throughput."""


class AcceptanceTest(Record):
    """A test by which a delivered cluster is accepted: tool, procedure, metric, pass rule."""

    kind: ClassVar[str] = "acceptance-tests"

    vendor: Identifier
    """Vendor key, or ``any``."""
    accelerators: tuple[Identifier, ...] = ()
    """Devices that it, or its published value, holds for; empty: all of the vendor."""
    phase: AcceptancePhase = AcceptancePhase.SINGLE_NODE
    order: int = 50
    """Place within the phase, the smaller first."""
    least_nodes: int = Field(default=1, ge=1)
    """Servers below which the test has no subject."""
    name: Text
    tool: str
    procedure: Text
    command: str = ""
    """Command line, with ``{nodes}``, ``{ranks}`` and ``{per_node}`` for counts of the cluster."""
    sizes: str = ""
    """Message or file sizes, such as ``8 B - 16 GiB, x2``."""
    metric: Text
    pass_rule: Text | None = None
    sample: Text | None = None
    """How much of the delivery is tested, and how often."""
    prerequisites: tuple[Identifier, ...] = ()
    """Tests that come before."""
    basis: AcceptanceBasis | None = None
    duration_h: float | None = Field(default=None, gt=0)
    """Length of a burn-in."""
    threshold: BytesPerSecond | Number | None = None
    """Pass value, where one is published."""
    published: dict[Identifier, BytesPerSecond | Number] = Field(
        default_factory=dict[Identifier, BytesPerSecond | Number]
    )
    """Published pass values that hold for one device each; they outrank `threshold`."""
    port_rate: BytesPerSecond | None = None
    """Rate of the compute ports that the published value holds for; None where it does not depend on them."""
    script: str = ""
    """Package and file of a script that is handed out, such as ``suanli_acme:acceptance/run.sh``."""
    source: Identifier | None = None
