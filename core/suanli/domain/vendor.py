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


class Calibration(Record):
    """Physical constants of one accelerator, fitted on published runs or taken from a stated sibling."""

    kind: ClassVar[str] = "calibrations"

    accelerator: Identifier
    constants: dict[str, Number | Seconds]
    """``gemm_efficiency``, ``attention_efficiency``, ... as named in `suanli.estimation.step_time`."""
    precision_efficiency: dict[Precision, Number] = Field(default_factory=dict[Precision, Number])
    """Multiplier on the GEMM efficiency for formats narrower than 16 bit, on their own peak."""
    sibling: str = ""
    """Relative whose runs the constants come from; empty where the device has runs of its own."""
    runs: int = Field(default=0, ge=0)
    """Number of published runs behind the fit."""
    time_ratio_p10: Number
    """P10 of measured over predicted rate, from residuals."""
    time_ratio_p50: Number
    time_ratio_p90: Number
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
