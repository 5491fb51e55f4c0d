"""What a vendor plugin says beside hardware: software, compliance, calibration, acceptance."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from suanli.domain.figure import BytesPerSecond, Check, Confidence, Number, Seconds
from suanli.domain.hardware import Precision
from suanli.domain.record import Identifier, Part, Record, Text

__all__ = [
    "AcceptanceTest",
    "Calibration",
    "ComplianceEvent",
    "Deliverability",
    "Feature",
    "Fit",
    "FitScope",
    "PowerModel",
    "ProcurementRule",
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
    tpp_dense: Number | None = None
    """Total processing performance in bit-TOPS, dense, maximum over formats."""
    as_of: date
    source: Identifier
    confidence: Confidence
    check: Check
    note: str = ""


class ComplianceEvent(Record):
    """A dated event of export control."""

    kind: ClassVar[str] = "compliance-events"

    day: str
    jurisdiction: str
    title: Text
    effect: str
    status: str = ""
    source: Identifier
    confidence: Confidence
    check: Check


class ProcurementRule(Record):
    """A rule of public procurement or of data protection."""

    kind: ClassVar[str] = "rules"

    jurisdiction: str
    topic: str
    """procurement or data."""
    name: Text
    dated: str
    content: Text
    source: Identifier
    confidence: Confidence
    check: Check


class AcceptanceTest(Record):
    """A test by which a delivered cluster is accepted."""

    kind: ClassVar[str] = "acceptance-tests"

    vendor: Identifier
    name: Text
    tool: str
    procedure: Text
    metric: Text
    threshold: BytesPerSecond | Number | None = None
    """Pass value, where one is published."""
    source: Identifier | None = None
