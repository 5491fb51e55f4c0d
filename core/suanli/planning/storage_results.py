"""What the storage design yields: volumes, demands on bandwidth, tiers, ways to write a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "CheckpointMode",
    "Demand",
    "DemandKind",
    "StoragePlan",
    "StorageTier",
    "TierBound",
    "TierKind",
    "Volume",
    "VolumeKind",
]


class TierKind(StrEnum):
    """Where data lie."""

    PERFORMANCE = "performance"
    """Flash under a parallel file system."""
    CAPACITY = "capacity"
    """Disks under an object store or file system."""


class VolumeKind(StrEnum):
    """What the storage holds, in the order of the document."""

    TOKENISED = "tokenised"
    SOURCE = "source"
    """Text that the tokens come from, kept so that it can be tokenised again."""
    SCRATCH = "scratch"
    """Room in which the data are cleaned and tokenised."""
    RECOVERY = "recovery"
    """Checkpoints that a run goes on from after an interruption, with room for the one being written."""
    MILESTONES = "milestones"
    BASE_MODEL = "base-model"
    """Weights that a fine-tuning starts from."""
    RELEASED = "released"
    """Final weights of every run."""
    LOGS = "logs"
    HOMES = "homes"


class DemandKind(StrEnum):
    """What asks for bandwidth, in the order of the document."""

    CHECKPOINT = "checkpoint"
    RESTART = "restart"
    REPLICAS = "replicas"
    """Every data-parallel copy reads the weights itself, in place of one that passes them on."""
    LOADING = "loading"
    """Data loaders of the run."""
    EVALUATION = "evaluation"
    INGEST = "ingest"
    TOKENISING = "tokenising"
    """The source data are read to be tokenised."""
    MILESTONE = "milestone"


class TierBound(StrEnum):
    """What decides the number of servers of a tier."""

    CAPACITY = "capacity"
    READ = "read"
    WRITE = "write"
    MINIMUM = "minimum"
    """The least that survives the loss of one, by the erasure code."""


@dataclass(frozen=True, slots=True)
class Volume:
    """One kind of data and the room that it takes."""

    kind: VolumeKind
    tier: TierKind
    stored_bytes: float
    count: int = 1
    """Copies or files of equal size that make it up."""


@dataclass(frozen=True, slots=True)
class Demand:
    """Bandwidth that one activity asks for, over the whole cluster."""

    kind: DemandKind
    tier: TierKind
    transfer_bytes: float | None
    """None for a stream without an end."""
    time_s: float | None
    bytes_per_s: float
    write: bool
    sizing: bool = True
    """False where it is shown for comparison and decides nothing."""


@dataclass(frozen=True, slots=True)
class StorageTier:
    """One tier: capacity, bandwidth and the servers that give both."""

    kind: TierKind
    stored_bytes: float
    usable_bytes: float
    raw_tb: int
    """Raw capacity to buy, spread evenly over the servers."""
    read_bytes_per_s: float
    """Asked for."""
    write_bytes_per_s: float
    servers_for_capacity: int
    servers_for_read: int
    servers_for_write: int
    servers: int
    bound: TierBound
    given_read_bytes_per_s: float
    """What the servers give together."""
    given_write_bytes_per_s: float


@dataclass(frozen=True, slots=True)
class CheckpointMode:
    """One way to write checkpoints and what it costs in bandwidth and time."""

    key: str
    """stated, half, asynchronous, asynchronous-window."""
    stall_s: float
    write_s: float
    """Until the checkpoint is safe."""
    bytes_per_s: float
    interval_s: float
    share: float
    """Effective share of wall-clock time."""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class StoragePlan:
    """Data, checkpoints, bandwidth and the tiers that hold them."""

    dataset_bytes: float
    """Source text and token ids."""
    checkpoint_bytes: float
    checkpoints_kept: int
    """For recovery; milestones apart."""
    capacity_bytes: float
    """Usable, over all tiers."""
    write_bytes_per_s: float
    """Bandwidth that writes one checkpoint within the stated time."""
    read_bytes_per_s: float
    local: bool = False
    """True where the servers' own drives hold everything, so that no storage servers are bought."""
    drives_included: bool = False
    """True where the catalogued servers come with drives that are large enough."""
    milestones: int = 0
    asynchronous: bool = False
    checkpoint_parts: tuple[tuple[str, float], ...] = ()
    """Bytes of a checkpoint by what they hold."""
    volumes: tuple[Volume, ...] = ()
    demands: tuple[Demand, ...] = ()
    tiers: tuple[StorageTier, ...] = ()
    """Empty where the servers' own drives hold everything."""
    modes: tuple[CheckpointMode, ...] = ()

    @property
    def servers(self) -> int:
        """Return the storage servers of all tiers."""
        return sum(tier.servers for tier in self.tiers)

    @property
    def stored_bytes(self) -> float:
        """Return the sum of all volumes."""
        return sum(volume.stored_bytes for volume in self.volumes)
