"""The storage of an option as it is shown: volumes, bandwidths, tiers, ways to write a checkpoint."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Part
from suanli.planning.storage_results import DemandKind, TierBound, TierKind, VolumeKind
from suanli.proposal.model.figures import Shown

__all__ = ["CheckpointModeView", "DemandView", "StorageView", "TierView", "VolumeView"]


class VolumeView(Part):
    """One kind of data and the room that it takes."""

    kind: VolumeKind
    tier: TierKind
    stored: Shown
    count: int = 1
    """Files or copies of equal size."""


class DemandView(Part):
    """Bandwidth that one activity asks for."""

    kind: DemandKind
    tier: TierKind
    transfer: Shown | None
    """None for a stream without an end."""
    time: Shown | None
    rate: Shown
    write: bool
    sizing: bool
    """False where it is shown for comparison."""


class TierView(Part):
    """One tier: what is asked of it, and the servers that give it."""

    kind: TierKind
    stored: Shown
    usable: Shown
    raw_tb: int
    read: Shown
    write: Shown
    servers_for_capacity: int
    servers_for_read: int
    servers_for_write: int
    servers: int
    bound: TierBound
    given_read: Shown
    given_write: Shown


class CheckpointModeView(Part):
    """One way to write a checkpoint."""

    key: str
    stall: Shown
    write: Shown
    rate: Shown
    interval: Shown
    share: Decimal
    chosen: bool


class StorageView(Part):
    """Data set and checkpoints."""

    dataset: Shown
    checkpoint: Shown
    checkpoints_kept: int
    capacity: Shown
    write: Shown
    read: Shown
    milestones: int = 0
    asynchronous: bool = False
    local: bool = False
    """True where the servers' own drives hold everything."""
    drives_included: bool = False
    weights: Shown | None = None
    """16-bit weights in a checkpoint."""
    states: Shown | None = None
    """32-bit master copy and moments in a checkpoint."""
    stored: Shown | None = None
    """Sum of all volumes."""
    volumes: tuple[VolumeView, ...] = ()
    demands: tuple[DemandView, ...] = ()
    tiers: tuple[TierView, ...] = ()
    modes: tuple[CheckpointModeView, ...] = ()
