"""A sweep run: the points that the journal lacks, computed by whoever there is, appended as they come."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suanli.sweep.executors import Executor, Points, Work
    from suanli.sweep.grid import Grid
    from suanli.sweep.journal import Journal

__all__ = ["pieces", "run"]

_LARGEST = 20
"""Points of a piece: about a second of work where only money is varied."""
_SHARES = 8
"""Pieces for each worker at least, so that all end at about the same time."""


def run(
    grid: Grid, work: Work, journal: Journal, executor: Executor, progress: Callable[[int], None]
) -> None:
    """Compute every point that the journal lacks.

    Args:
        grid: the varied keys.
        work: computes points.
        journal: takes them.
        executor: who computes.
        progress: told the number of finished points after each piece.
    """
    progress(len(journal))
    for outcomes in executor.run(work, pieces(grid, journal, executor.workers)):
        journal.add(outcomes)
        progress(len(journal))


def pieces(grid: Grid, journal: Journal, workers: int) -> Iterator[Points]:
    """Yield the points that the journal lacks, in pieces whose points are likely to share their sizings."""
    missing = len(grid) - len(journal)
    size = max(1, min(_LARGEST, math.ceil(missing / (workers * _SHARES))))
    for group in grid.order():
        wanted = [point for point in group if point not in journal]
        for start in range(0, len(wanted), size):
            yield tuple(wanted[start : start + size])
