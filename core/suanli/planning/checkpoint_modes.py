"""Ways to write a checkpoint: what each asks of the storage, and what each costs the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.estimation.goodput import ASYNCHRONOUS_STALL_S, BACKGROUND_WRITE_S, FailureModel, goodput
from suanli.planning.demands import write_time_s
from suanli.planning.storage_results import CheckpointMode

if TYPE_CHECKING:
    from suanli.domain.workload import StorageWish
    from suanli.estimation.results import Sizing

__all__ = ["checkpoint_modes"]


def checkpoint_modes(sizing: Sizing, wish: StorageWish) -> tuple[CheckpointMode, ...]:
    """Return the chosen way and three others: half its bandwidth, and asynchronous, fast and slow.

    Every way is judged by the effective share of the same cluster with the interval that suits it.
    """
    stall, write = sizing.goodput.checkpoint_write_s, write_time_s(sizing)
    window = wish.checkpoint_write_s or BACKGROUND_WRITE_S
    modes = [
        _mode("half", sizing, 2 * write, 0.0),
        _mode("asynchronous", sizing, ASYNCHRONOUS_STALL_S, write),
    ]
    if wish.asynchronous:
        stated = _mode("stated", sizing, stall, write, chosen=True)
        return stated, _mode("synchronous", sizing, write, 0.0), modes[0]
    chosen = _mode("stated", sizing, stall, 0.0, chosen=True)
    return chosen, *modes, _mode("asynchronous-window", sizing, ASYNCHRONOUS_STALL_S, window)


def _mode(
    key: str, sizing: Sizing, stall_s: float, background_s: float, *, chosen: bool = False
) -> CheckpointMode:
    """Return one way: a stall, and a background write where training does not wait for it."""
    point, write_s = sizing.goodput, background_s or stall_s
    # The rate of the sizing's own interruptions, so that only the writing differs.
    per_device_day = 1000.0 * 86_400.0 / (point.mtbf_s * sizing.accelerators)
    failures = FailureModel(
        per_device_day, point.failure_source, stall_s, point.restart_s, background_write_s=background_s
    )
    found = goodput(sizing.accelerators, sizing.ideal_s, sizing.profile.trainable_parameters, failures)
    return CheckpointMode(
        key=key,
        stall_s=stall_s,
        write_s=write_s,
        bytes_per_s=point.checkpoint_bytes / write_s,
        interval_s=found.checkpoint_interval_s,
        share=found.share,
        chosen=chosen,
    )
