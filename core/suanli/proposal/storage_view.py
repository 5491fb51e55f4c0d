"""The storage of one option as it is shown, rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_GB, BYTES_PER_TB
from suanli.proposal.model import StorageView
from suanli.proposal.model.storage import CheckpointModeView, DemandView, TierView, VolumeView
from suanli.proposal.rounding import places, shown
from suanli.proposal.scales import rate, size, time

if TYPE_CHECKING:
    from suanli.planning.storage_results import CheckpointMode, Demand, StoragePlan, StorageTier, Volume
    from suanli.proposal.references import References

__all__ = ["storage_view"]


def storage_view(storage: StoragePlan, references: References) -> StorageView:
    """Return data, checkpoints, bandwidths and tiers, rounded."""
    memory = (references.formula("memory"),)
    parts = dict(storage.checkpoint_parts)
    return StorageView(
        dataset=shown(storage.dataset_bytes / BYTES_PER_TB, "TB"),
        checkpoint=shown(storage.checkpoint_bytes / BYTES_PER_GB, "GB", refs=memory),
        checkpoints_kept=storage.checkpoints_kept,
        capacity=shown(storage.capacity_bytes / BYTES_PER_TB, "TB"),
        write=shown(storage.write_bytes_per_s / BYTES_PER_GB, "GB/s"),
        read=shown(storage.read_bytes_per_s / BYTES_PER_GB, "GB/s"),
        milestones=storage.milestones,
        asynchronous=storage.asynchronous,
        local=storage.local,
        drives_included=storage.drives_included,
        weights=size(parts["weights"]) if parts else None,
        states=size(parts["master"] + parts["moments"]) if parts else None,
        stored=size(storage.stored_bytes) if storage.volumes else None,
        volumes=tuple(_volume(volume) for volume in storage.volumes),
        demands=tuple(_demand(demand) for demand in storage.demands),
        tiers=tuple(_tier(tier) for tier in storage.tiers),
        modes=tuple(_mode(mode) for mode in storage.modes),
    )


def _volume(volume: Volume) -> VolumeView:
    return VolumeView(
        kind=volume.kind, tier=volume.tier, stored=size(volume.stored_bytes), count=volume.count
    )


def _demand(demand: Demand) -> DemandView:
    return DemandView(
        kind=demand.kind,
        tier=demand.tier,
        transfer=None if demand.transfer_bytes is None else size(demand.transfer_bytes),
        time=None if demand.time_s is None else time(demand.time_s),
        rate=rate(demand.bytes_per_s),
        write=demand.write,
        sizing=demand.sizing,
    )


def _tier(tier: StorageTier) -> TierView:
    return TierView(
        kind=tier.kind,
        stored=size(tier.stored_bytes),
        usable=size(tier.usable_bytes),
        raw_tb=tier.raw_tb,
        read=rate(tier.read_bytes_per_s),
        write=rate(tier.write_bytes_per_s),
        servers_for_capacity=tier.servers_for_capacity,
        servers_for_read=tier.servers_for_read,
        servers_for_write=tier.servers_for_write,
        servers=tier.servers,
        bound=tier.bound,
        given_read=rate(tier.given_read_bytes_per_s),
        given_write=rate(tier.given_write_bytes_per_s),
    )


def _mode(mode: CheckpointMode) -> CheckpointModeView:
    return CheckpointModeView(
        key=mode.key,
        stall=time(mode.stall_s),
        write=time(mode.write_s),
        rate=rate(mode.bytes_per_s),
        interval=time(mode.interval_s),
        share=places(mode.share, 4),
        chosen=mode.chosen,
    )
