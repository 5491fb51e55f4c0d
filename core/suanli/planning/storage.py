"""Storage: volumes in two tiers, the bandwidth that keeps them from stalling a run, the servers for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.estimation.goodput import checkpoint_parts
from suanli.planning import defaults
from suanli.planning.checkpoint_modes import checkpoint_modes
from suanli.planning.demands import demands_of
from suanli.planning.storage_results import DemandKind, StoragePlan, VolumeKind
from suanli.planning.tiers import capacity_bytes, tiers_of
from suanli.planning.volumes import placed, recovery_checkpoints, volumes_of

if TYPE_CHECKING:
    from suanli.domain.hardware import Server
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Sizing
    from suanli.planning.storage_results import Demand, Volume

__all__ = ["kept_locally", "plan_storage"]


def kept_locally(server: Server, servers: int, capacity: float) -> tuple[bool, bool]:
    """Return whether the servers' own drives hold everything, and whether these come with the server.

    Every server of a small cluster keeps a copy, so that no parallel file system is needed.

    Args:
        server: the server, whose drives may be known.
        servers: how many, spares included.
        capacity: bytes to keep, room to work included.
    """
    own = server.local_nvme is not None and not server.local_nvme.barred
    raw = server.local_nvme.si if own and server.local_nvme is not None else defaults.LOCAL_DRIVES_BYTES
    # Beyond a few servers, copies on each cost more than a file system and go out of step.
    local = servers <= defaults.SMALL_CLUSTER_SERVERS and capacity <= raw * defaults.LOCAL_USABLE_SHARE
    return local, local and own


def plan_storage(sizing: Sizing, requirement: Requirement, spares: int = 0) -> StoragePlan:
    """Return the storage of a sizing and its spare servers.

    The write bandwidth is the one behind the sizing's own checkpoint time, so that duration and storage
    agree. Reading serves the restart, which may take a stated share of the restart time, and the data
    loaders with evaluation, whichever asks for more.
    """
    goodput, wish = sizing.goodput, requirement.storage
    servers = sizing.nodes + spares
    all_on_flash = volumes_of(sizing, requirement, servers)
    stored = sum(volume.stored_bytes for volume in all_on_flash)
    flash = capacity_bytes(stored, defaults.STORAGE_FILL_SHARE)
    local, included = kept_locally(sizing.device.server, servers, flash)
    volumes = all_on_flash if local else placed(all_on_flash)
    demands = _asked(demands_of(sizing, requirement, volumes), local=local)
    tiers = () if local else tiers_of(volumes, demands)
    return StoragePlan(
        dataset_bytes=_sum(volumes, VolumeKind.TOKENISED, VolumeKind.SOURCE),
        checkpoint_bytes=goodput.checkpoint_bytes,
        checkpoints_kept=recovery_checkpoints(requirement),
        capacity_bytes=flash if local else sum(tier.usable_bytes for tier in tiers),
        write_bytes_per_s=_largest(demands, write=True),
        read_bytes_per_s=_largest(demands, write=False),
        local=local,
        drives_included=included,
        milestones=sum(volume.count for volume in volumes if volume.kind is VolumeKind.MILESTONES),
        asynchronous=wish.asynchronous,
        checkpoint_parts=checkpoint_parts(sizing.profile.trainable_parameters),
        volumes=volumes,
        demands=demands,
        tiers=tiers,
        modes=checkpoint_modes(sizing, wish),
    )


_OUTSIDE = frozenset({DemandKind.INGEST, DemandKind.TOKENISING, DemandKind.MILESTONE})
"""Demands of moving data about, which a cluster without storage servers does by the way."""


def _asked(demands: tuple[Demand, ...], *, local: bool) -> tuple[Demand, ...]:
    return tuple(one for one in demands if not local or one.kind not in _OUTSIDE)


def _sum(volumes: tuple[Volume, ...], *kinds: VolumeKind) -> float:
    return sum(volume.stored_bytes for volume in volumes if volume.kind in kinds)


def _largest(demands: tuple[Demand, ...], *, write: bool) -> float:
    """Return the largest demand of a run itself: its checkpoints, or its restart and data loading."""
    own = {DemandKind.CHECKPOINT, DemandKind.RESTART, DemandKind.LOADING}
    return max(one.bytes_per_s for one in demands if one.kind in own and one.write is write)
