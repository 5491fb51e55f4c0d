"""Pinned dimensions of a layout that contradict each other, whatever the model and the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.domain.workload import Offload, Recompute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.workload import LayoutPins

__all__ = ["PinConflict", "pin_conflicts"]

_ZERO3 = 3


@dataclass(frozen=True, slots=True)
class PinConflict:
    """Two pins that no layout can follow together."""

    key: str
    """The pin to change, as in the project file's layout section."""
    what: str
    why: str
    cure: str


def pin_conflicts(pins: LayoutPins) -> Iterator[PinConflict]:
    """Yield what contradicts another pin.

    >>> from suanli.domain.workload import LayoutPins
    >>> [one.key for one in pin_conflicts(LayoutPins(offload=Offload.WEIGHTS, zero_stage=1))]
    ['offload']
    """
    if pins.recompute_layers is not None and pins.recompute not in {None, Recompute.FULL}:
        yield PinConflict(
            "recompute_layers",
            f"{pins.recompute_layers} recomputed layers under {pins.recompute} recomputation",
            "a number of layers belongs to full recomputation",
            "set layout.recompute: full, or remove one of the two",
        )
    if pins.offload is Offload.WEIGHTS and pins.zero_stage not in {None, _ZERO3}:
        yield PinConflict(
            "offload",
            f"weights are offloaded under ZeRO stage {pins.zero_stage}",
            "weights leave the device only where they are sharded and gathered layer by layer",
            "set layout.zero_stage: 3, or layout.offload: optimizer",
        )
    if pins.shard_group is not None and pins.zero_stage == 0:
        yield PinConflict(
            "shard_group",
            f"a group of {pins.shard_group} ranks shards nothing under ZeRO stage 0",
            "stage 0 keeps all states on every rank",
            "remove it, or use layout.zero_stage: 1 or more",
        )
