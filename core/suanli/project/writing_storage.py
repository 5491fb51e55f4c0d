"""The sections on storage and failures written out; keys that are left to the planning stay out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.project.quantities import spell_byte_amount, spell_duration, spell_number

if TYPE_CHECKING:
    from suanli.domain.workload import ReliabilityWish, StorageWish

__all__ = ["reliability_keys", "storage_keys"]


def storage_keys(wish: StorageWish) -> dict[str, str | int | None] | None:
    """Return the keys of a storage section, or None where none is fixed."""
    keys: dict[str, str | int | None] = {
        "checkpoint_stall": _duration(wish.checkpoint_stall_s),
        "asynchronous": "true" if wish.asynchronous else None,
        "checkpoint_write": _duration(wish.checkpoint_write_s),
        "checkpoints_kept": wish.checkpoints_kept,
        "milestones": wish.milestones,
        "source_data": _amount(wish.source_data_bytes),
        "scratch": _amount(wish.scratch_bytes),
    }
    return keys if any(value is not None for value in keys.values()) else None


def reliability_keys(wish: ReliabilityWish) -> dict[str, str | None] | None:
    """Return the keys of a reliability section, or None where none is fixed."""
    rate = wish.interruptions_per_1000_device_days
    keys = {
        "interruptions": None if rate is None else spell_number(rate),
        "restart": _duration(wish.restart_s),
        "repair": _duration(wish.repair_s),
    }
    return keys if any(value is not None for value in keys.values()) else None


def _duration(seconds: float | None) -> str | None:
    return None if seconds is None else spell_duration(seconds)


def _amount(stored: float | None) -> str | None:
    return None if stored is None else spell_byte_amount(stored)
