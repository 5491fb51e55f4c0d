"""Failures, lost time and spares of an option as they are shown."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Part, Text
from suanli.planning.availability_results import LossKind, RepairUnit
from suanli.proposal.model.figures import Share, Shown

__all__ = ["AvailabilityView", "LossView", "RateView", "SizeView", "SpareView"]


class LossView(Part):
    """Time lost to one cause."""

    kind: LossKind
    time: Shown
    share: Decimal


class SpareView(Part):
    """What a number of spares does."""

    spares: int
    cover: Decimal
    waiting_share: Decimal
    days: Shown
    saved: Shown | None
    """Against one spare fewer."""
    chosen: bool


class RateView(Part):
    """A published failure rate and what the run would see with it."""

    name: Text
    rate: Shown
    mtbf: Shown
    share: Decimal
    days: Shown
    spares: int
    """That the rule asks for at this rate."""
    used: bool


class SizeView(Part):
    """Failures at another size of the cluster."""

    accelerators: int
    mtbf: Shown
    interval: Shown
    share: Decimal
    current: bool


class AvailabilityView(Part):
    """Failures of one run, and what checkpoints and spares make of them."""

    rate: Shown
    """Interruptions per 1,000 device-days."""
    mtbf: Shown
    interruptions: Shown
    """With the P10-P90 range of a random number."""
    rare: bool = False
    """True where a run is seldom interrupted at all, so that rates and sizes need no tables."""
    causes: tuple[Share, ...] = ()
    """Expected interruptions by cause."""
    causes_refs: tuple[str, ...] = ()
    restart: Shown
    repair: Shown
    young: Shown | None = None
    daly: Shown | None = None
    """Daly's interval; None for asynchronous checkpoints."""
    young_loss: Decimal | None = None
    """Wall-clock time beyond progress at Young's interval, over progress, by the complete formula."""
    daly_loss: Decimal | None = None
    losses: tuple[LossView, ...] = ()
    lost_share: Decimal
    unit: RepairUnit
    spares: int
    under_repair: Decimal
    cover_count: int
    paying_count: int
    stated: bool
    """True where the project fixes the spares."""
    effects: tuple[SpareView, ...] = ()
    rates: tuple[RateView, ...] = ()
    sizes: tuple[SizeView, ...] = ()
    ideal: Shown
    days: Shown
    adjusted: Shown
    """Waiting for repairs included."""
    waiting_share: Decimal
