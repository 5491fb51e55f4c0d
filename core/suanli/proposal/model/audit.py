"""What the document says beside the options: audited claims and risks."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from suanli.domain.record import Part, Text
from suanli.domain.workload import ClaimQuantity
from suanli.proposal.model.figures import Shown
from suanli.proposal.model.words import Words

__all__ = ["ClaimVerdict", "ClaimView", "RiskLevel", "RiskView"]


class ClaimVerdict(StrEnum):
    """What the audit says of a claim."""

    PLAUSIBLE = "plausible"
    """Consistent with the estimate: within its 80 % range, or within the values of published recipes."""
    OPTIMISTIC = "optimistic"
    """Better than the range, but not beyond belief."""
    IMPLAUSIBLE = "implausible"
    """Possible by physics, but better than 99 in 100 published runs, or than any named recipe."""
    IMPOSSIBLE = "impossible"
    """Beyond the dense peak, the bandwidth or the bytes that must exist: no software can do it."""
    DOES_NOT_FIT = "does-not-fit"
    PESSIMISTIC = "pessimistic"
    """Worse than the range."""
    IMPRACTICAL = "impractical"
    """It fits, but the run would take longer than a year."""
    NOT_COMPUTABLE = "not-computable"
    NOT_EXPRESSIBLE = "not-expressible"
    """No quantity is stated that a computation could settle."""


class ClaimView(Part):
    """A claim and its audit."""

    by: Words
    says: Words
    quantity: ClaimQuantity = ClaimQuantity.DAYS
    """What a value is stated of."""
    claimed: Shown | None = None
    right: Shown | None = None
    """The right value of the same quantity, with its range."""
    bound: Shown | None = None
    """The value that physics sets a limit at."""
    accelerator_name: Text | None = None
    accelerators: int | None = None
    days: Shown | None = None
    """The claimed time; None where something else is claimed."""
    implied_mfu: Shown | None = None
    """Over the dense peak; above 1 is impossible."""
    implied_rate: Shown | None = None
    """FLOP/s that each device would have to sustain."""
    peak: Shown | None = None
    implied_bandwidth: Shown | None = None
    """Bytes/s that would have to be moved."""
    bandwidth: Shown | None = None
    """Bytes/s that the device or the network has."""
    fits: bool | None = None
    static_memory: Shown | None = None
    """Model states per device when sharded over all of them."""
    usable_memory: Shown | None = None
    """What software can allocate on one device."""
    least_accelerators: int | None = None
    """Fewest devices, in whole servers, on which the job fits; where the claimed number does not do."""
    right_days: Shown | None = None
    """How long that many devices really need."""
    right_accelerators: int | None = None
    """How many devices the claimed time really needs."""
    factor: Shown | None = None
    """How many times better the claim is than the median of the estimate."""
    verdict: ClaimVerdict
    arithmetic: Text | None = None
    """The line of arithmetic that a reader can repeat."""
    statement: Text | None = None
    """The verdict in words, with its reason and the right value."""
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
