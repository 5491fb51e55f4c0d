"""What the availability plan yields: interruptions, lost time, spares, published rates."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.domain.record import Text
    from suanli.estimation.results import Range
    from suanli.planning.results import Rule

__all__ = [
    "AvailabilityPlan",
    "IntervalChoice",
    "Loss",
    "LossKind",
    "PublishedRate",
    "RateOutcome",
    "RepairUnit",
    "SizeOutcome",
    "SpareEffect",
    "SparePlan",
]


class RepairUnit(StrEnum):
    """What is taken out for repair, and so what a spare is."""

    SERVER = "server"
    """A whole server, its spare standing by in the network."""
    TRAY = "tray"
    """A tray of a rack-scale system, its spare lying on site."""


class LossKind(StrEnum):
    """Where wall-clock time goes that makes no progress, in the order of the document."""

    CHECKPOINT = "checkpoint"
    LOST_WORK = "lost-work"
    RESTART = "restart"
    REPAIR = "repair"
    """Waiting for a repair because no spare is left."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Time lost to one cause over a run."""

    kind: LossKind
    time_s: float
    share: float
    """Of the wall-clock time, waiting for repairs included."""


@dataclass(frozen=True, slots=True)
class SpareEffect:
    """What a number of spares does."""

    spares: int
    cover: float
    """Probability that so many are enough at a time, whatever the run does (Poisson)."""
    waiting_share: float
    """Share of wall-clock time in which the run waits for a repair."""
    duration_s: float
    """P50 of one run, waiting included."""
    saved_s: float | None
    """Less than with one spare fewer; None for no spares."""


@dataclass(frozen=True, slots=True)
class SparePlan:
    """The spares to buy and what decided their number."""

    unit: RepairUnit
    count: int
    """In units: servers, or trays that lie on site."""
    servers: int
    """Spare servers, which stand in racks and have network ports."""
    trays: int
    units: int
    """Units at work."""
    under_repair: float
    """Units expected under repair at one time."""
    cover_count: int
    paying_count: int
    """Spares that each shorten a run by more than one more working unit could."""
    rule: Rule


@dataclass(frozen=True, slots=True)
class PublishedRate:
    """The failure rate of a published run or fleet."""

    record: str
    name: Text
    per_1000_device_days: float
    source: str
    weak: bool = False
    """True where the document itself was not read, or only claims it."""


@dataclass(frozen=True, slots=True)
class RateOutcome:
    """What the same run would see at a published rate."""

    published: PublishedRate
    mtbf_s: float
    share: float
    duration_s: float
    """P50 of one run without waiting for repairs."""
    spares: int
    """Units that the rule for spares asks for at this rate."""
    used: bool = False
    """True for the rate that is planned with."""


@dataclass(frozen=True, slots=True)
class SizeOutcome:
    """Mean time between interruptions and effective share at another size of the cluster."""

    accelerators: int
    mtbf_s: float
    interval_s: float
    share: float


@dataclass(frozen=True, slots=True)
class IntervalChoice:
    """Young's and Daly's interval and the wall-clock time that each costs, failures in writes included."""

    young_s: float
    daly_s: float
    young_wall: float
    """Wall-clock time per unit of progress at Young's interval."""
    daly_wall: float


@dataclass(frozen=True, slots=True)
class AvailabilityPlan:
    """Failures of one run on one cluster and what spares and checkpoints make of them."""

    per_1000_device_days: float
    failure_source: str
    """Empty where the project states the rate."""
    mtbf_s: float
    interruptions: Range
    """P10, mean and P90 of a Poisson number."""
    causes: tuple[tuple[str, float], ...]
    """Expected interruptions by cause; empty where no source splits them."""
    causes_source: str
    repair_s: float
    restart_s: float
    interval: IntervalChoice | None
    """None for asynchronous checkpoints, which neither formula is of."""
    losses: tuple[Loss, ...]
    spares: SparePlan
    effects: tuple[SpareEffect, ...]
    """From none to two beyond what is bought."""
    rates: tuple[RateOutcome, ...]
    sizes: tuple[SizeOutcome, ...]
    ideal_s: float
    duration_s: Range
    """Of the sizing: failures and checkpoints, without waiting for repairs."""
    adjusted_s: Range
    """Waiting for repairs included, with the spares that are bought."""

    @property
    def waiting_share(self) -> float:
        """Return the share of wall-clock time that waits for repairs with the spares that are bought."""
        return next((loss.share for loss in self.losses if loss.kind is LossKind.REPAIR), 0.0)
