"""Storage and failures: what a project states is kept, what it leaves out the planning chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.workload import ReliabilityWish, StorageWish

if TYPE_CHECKING:
    from suanli.project.completion.draft import Draft

__all__ = ["complete_reliability", "complete_storage"]


def complete_storage(draft: Draft) -> StorageWish:
    """Return what is fixed about storage and checkpoints."""
    keys = draft.project.file.storage
    if keys.checkpoint_write is not None and not keys.asynchronous:
        draft.fault(
            "storage.checkpoint_write",
            "is given, but checkpoints are synchronous",
            "only an asynchronous checkpoint is written after its stall",
            "add asynchronous: true, or give checkpoint_stall instead",
        )
    return StorageWish(
        checkpoint_stall_s=keys.checkpoint_stall,
        asynchronous=bool(keys.asynchronous),
        checkpoint_write_s=keys.checkpoint_write,
        checkpoints_kept=keys.checkpoints_kept,
        milestones=keys.milestones,
        source_data_bytes=keys.source_data,
        scratch_bytes=keys.scratch,
    )


def complete_reliability(draft: Draft) -> ReliabilityWish:
    """Return what the project knows about failures."""
    keys = draft.project.file.reliability
    return ReliabilityWish(
        interruptions_per_1000_device_days=None if keys.interruptions is None else float(keys.interruptions),
        restart_s=keys.restart,
        repair_s=keys.repair,
    )
