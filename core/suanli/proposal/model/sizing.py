"""The sizing of an option as it is shown: layout and goodput."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Part
from suanli.domain.workload import Offload, Recompute
from suanli.proposal.model.figures import Shown

__all__ = ["GoodputView", "LayoutView", "ParetoView"]


class LayoutView(Part):
    """The parallel layout."""

    tp: int
    pp: int
    cp: int
    dp: int
    ep: int
    micro_batch_size: int
    micro_batches: int
    virtual_pipeline: int
    recompute: Recompute
    zero_stage: int
    sequence_parallel: bool
    recompute_layers: int | None = None
    """Layers of a stage that full recomputation covers; None: all."""
    shard_group: int | None = None
    """Ranks over which states are sharded, copies beyond; None: all that hold the same data."""
    offload: Offload = Offload.NONE
    loss_chunks: int = 1
    """Pieces in which the loss works through the logits."""
    devices_per_accelerator: int = 1
    """Devices that software sees in one accelerator.

    tp, pp, cp and dp multiply to so many times the accelerators, and memory is that of one such device.
    """


class ParetoView(Part):
    """A layout that none beats in rate, memory and accelerators together."""

    layout: LayoutView
    accelerators: int
    tokens_per_s: Decimal
    """Of the whole cluster while stepping, P50."""
    step_s: Decimal
    memory_gb: Decimal
    """Peak of the fullest device."""
    memory_headroom: Decimal


class GoodputView(Part):
    """Failures and checkpoints."""

    share: Shown
    mtbf_h: Shown
    interruptions: Shown
    checkpoint: Shown
    interval_min: Shown
    write_s: Shown
    restart_min: Shown
    checkpoint_share: Decimal
    lost_work_share: Decimal
    restart_share: Decimal
