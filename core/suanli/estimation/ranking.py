"""Which of the evaluated layouts is taken, and which are worth showing beside it.

The fastest wins. Among those within 0.1 % of it the more robust one is taken: it uses the whole cluster,
meets the batch exactly, keeps states on the device, has more memory head-room, splits the model less,
recomputes less, and places states as the stack usually does. Beside it stand the layouts that no other beats
in both rate and memory.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.results import ParetoPoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.estimation.arrays import BoolArray, FloatArray, IndexArray

__all__ = ["SHOWN_RATE", "TIE", "Front", "Pool", "choose", "pareto", "unbeaten_points"]

TIE: Final = 0.001
"""Relative difference in rate below which layouts count as equally fast."""
SHOWN_RATE: Final = 0.8
"""Rate over the best below which a layout is no alternative, however little memory it needs."""
_HEADROOM_STEP, _ENOUGH_HEADROOM = 0.05, 0.20
"""Head-room counts in steps, and no more than enough of it."""
_MOST_POINTS = 8
_RATE_STEP, _MEMORY_STEP = 0.01, 0.05
"""Least distance of two shown alternatives in rate, relative, and in memory, as share of the usable."""


@dataclass(frozen=True, slots=True)
class Front:
    """Layouts that none beats in rate and memory, by rising memory and rate."""

    peak: FloatArray
    rate: FloatArray

    def beats(self, rate: FloatArray, peak: FloatArray) -> BoolArray:
        """Tell for which points a layout of the front is as fast with no more memory."""
        reached = np.concatenate([np.array([-np.inf]), self.rate])
        return reached[np.searchsorted(self.peak, peak, side="right")] >= rate


@dataclass(frozen=True, slots=True)
class Pool:
    """Layouts that may be chosen or shown, as a list."""

    layouts: LayoutArrays
    rate: FloatArray
    """Sequences per second."""
    peak: FloatArray
    """Bytes on the fullest device."""
    state: FloatArray
    """Index of the placement of states among the stack's: lower is more usual."""

    @classmethod
    def empty(cls) -> Pool:
        """Return a pool of nothing."""
        none = np.zeros(0)
        return cls(LayoutArrays(*(none for _ in fields(LayoutArrays))), none, none, none)

    @classmethod
    def of(cls, layouts: LayoutArrays, flat: IndexArray, rate: FloatArray, peak: FloatArray) -> Pool:
        """Gather layouts of a grid whose first axis is the placement of states, by their flat indices."""
        where = np.unravel_index(flat, rate.shape)
        columns = (
            np.broadcast_to(getattr(layouts, one.name), rate.shape)[where] for one in fields(LayoutArrays)
        )
        return cls(LayoutArrays(*columns), rate[where], peak[where], where[0].astype(np.float64))

    def __len__(self) -> int:
        """Return the number of layouts."""
        return len(self.rate)

    @property
    def best(self) -> float:
        """Return the highest rate; 0 for nothing."""
        return float(self.rate.max(initial=0.0))

    @property
    def front(self) -> Front:
        """Return the layouts that no other beats."""
        kept = self.take(self.unbeaten())
        order = np.lexsort((-kept.rate, kept.peak))
        return Front(kept.peak[order], kept.rate[order])

    def take(self, chosen: IndexArray | BoolArray) -> Pool:
        """Return the chosen layouts."""
        return Pool(self.layouts.take(chosen), self.rate[chosen], self.peak[chosen], self.state[chosen])

    def with_(self, other: Pool) -> Pool:
        """Return both pools, without what can be neither chosen nor shown."""
        columns = (
            np.concatenate([getattr(self.layouts, one.name), getattr(other.layouts, one.name)])
            for one in fields(LayoutArrays)
        )
        both = Pool(
            LayoutArrays(*columns),
            np.concatenate([self.rate, other.rate]),
            np.concatenate([self.peak, other.peak]),
            np.concatenate([self.state, other.state]),
        )
        near = both.rate >= (1 - TIE) * both.best
        return both.take(near | (both.unbeaten() & (both.rate >= SHOWN_RATE * both.best)))

    def unbeaten(self) -> BoolArray:
        """Tell which layouts no other beats in rate and memory."""
        order = np.lexsort((-self.rate, self.peak))
        rate = self.rate[order]
        before = np.maximum.accumulate(np.concatenate([np.array([-np.inf]), rate]))[:-1]
        kept = np.zeros(len(rate), dtype=np.bool_)
        kept[order[rate > before]] = True
        return kept


def choose(pool: Pool, devices: int, batch: int, allowed_bytes: float, at_least: float = 0.0) -> int:
    """Return the index of the layout to take: the most robust of the fastest.

    `at_least` is a rate that the choice must not fall below, where one is known to be reached.
    """
    near = np.flatnonzero(pool.rate >= max((1 - TIE) * pool.best, at_least))
    found = pool.take(near)
    one = found.layouts
    # Room beside the reserve, in whole steps: less than the error of the model decides nothing.
    room = np.minimum(1 - found.peak / allowed_bytes, _ENOUGH_HEADROOM) // _HEADROOM_STEP
    keys = (
        one.devices != devices,
        one.batch_size != batch,
        one.offload,
        -room,
        one.tp * one.pp,
        one.recompute,
        one.recompute_layers,
        found.state,
        one.virtual_pipeline,
        -found.rate,
        # The rest only settles what is equal in all of these, so that no order of candidates matters.
        *(getattr(one, field.name) for field in fields(LayoutArrays)),
    )
    return int(near[np.lexsort(tuple(reversed(keys)))[0]])


def pareto(pool: Pool, *, dies: int, usable_bytes: float, sequence_length: int) -> tuple[ParetoPoint, ...]:
    """Return the layouts that no other beats in rate and memory, fastest first, thinned to a handful."""
    kept = pool.take(pool.unbeaten() & (pool.rate >= SHOWN_RATE * pool.best))
    points: list[ParetoPoint] = []
    last: tuple[float, float] | None = None
    for index in np.argsort(-kept.rate):
        rate, peak = float(kept.rate[index]), float(kept.peak[index])
        if last is not None and (
            rate > (1 - _RATE_STEP) * last[0] or peak > last[1] - _MEMORY_STEP * usable_bytes
        ):
            continue
        last = (rate, peak)
        layout = kept.layouts.layout(int(index))
        sequences = float(kept.layouts.batch_size[index])
        points.append(
            ParetoPoint(
                layout=layout,
                accelerators=-(-layout.devices // dies),
                step_s=sequences / rate,
                tokens_per_s=rate * sequence_length,
                memory_bytes=peak,
                headroom_share=1 - peak / usable_bytes,
            )
        )
    return tuple(points[:_MOST_POINTS])


def unbeaten_points(points: Sequence[ParetoPoint]) -> list[ParetoPoint]:
    """Return the points that no other beats in rate, memory and accelerators together, fastest first.

    Of points that are equal in all three the first stays.
    """

    def beats(one: ParetoPoint, other: ParetoPoint) -> bool:
        mine = (-one.tokens_per_s, one.memory_bytes, one.accelerators)
        theirs = (-other.tokens_per_s, other.memory_bytes, other.accelerators)
        return mine != theirs and all(a <= b for a, b in zip(mine, theirs, strict=True))

    kept = {
        (one.tokens_per_s, one.memory_bytes, one.accelerators): one
        for one in reversed(points)
        if not any(beats(other, one) for other in points)
    }
    return sorted(kept.values(), key=lambda one: -one.tokens_per_s)
