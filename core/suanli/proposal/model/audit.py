"""What the document says beside the options: audited claims and risks."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from suanli.domain.record import Part, Text
from suanli.proposal.model.figures import Shown

__all__ = ["ClaimVerdict", "ClaimView", "RiskLevel", "RiskView"]


class ClaimVerdict(StrEnum):
    """What the audit says of a claim."""

    PLAUSIBLE = "plausible"
    OPTIMISTIC = "optimistic"
    """Above what was ever measured on the device, below its peak."""
    IMPOSSIBLE = "impossible"
    """Above the dense peak: no software can do it."""
    DOES_NOT_FIT = "does-not-fit"
    PESSIMISTIC = "pessimistic"
    NOT_COMPUTABLE = "not-computable"


class ClaimView(Part):
    """A claim and its audit."""

    by: str
    says: str
    accelerator_name: Text
    accelerators: int
    days: Shown
    implied_mfu: Shown | None
    """Over the dense peak; above 1 is impossible."""
    implied_rate: Shown | None
    """FLOP/s that each device would have to sustain."""
    peak: Shown | None
    fits: bool | None
    static_memory: Shown | None
    """Model states per device when sharded over all of them."""
    right_days: Shown | None
    """How long that many devices really need."""
    right_accelerators: int | None
    """How many devices the claimed time really needs."""
    factor: Shown | None
    """Right days over claimed days."""
    verdict: ClaimVerdict
    refs: tuple[str, ...] = ()


class RiskLevel(StrEnum):
    """How grave a risk is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class RiskView(Part):
    """A risk that the figures show; the text is found by key."""

    key: str
    level: RiskLevel
    option: str = ""
    numbers: dict[str, Shown] = Field(default_factory=dict[str, Shown])
    texts: dict[str, Text] = Field(default_factory=dict[str, Text])
    refs: tuple[str, ...] = ()
