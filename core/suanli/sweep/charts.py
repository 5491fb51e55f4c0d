"""The series that a chart of a sweep draws: a figure over one key, a line for each device or second value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from suanli.domain.record import Text
from suanli.sweep.table import cell_of, recommended

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.sweep.point import Outcome
    from suanli.sweep.table import Table

__all__ = ["METRICS", "Pivot", "pivots"]

METRICS: Final = ("tco_net", "accelerators", "days_p50")
"""Columns that are drawn."""

_MOST_SERIES = 12
"""Lines that can be told apart in one chart."""
_MOST_CATEGORIES = 200
_CHARTED_KEYS = 2


@dataclass(frozen=True, slots=True)
class Pivot:
    """One chart as a table: a row for each value of a key, a column for each series."""

    metric: str
    key: str
    """The key along the horizontal axis."""
    by: Text
    """What tells the series apart."""
    categories: tuple[str, ...]
    series: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    """One tuple for each category; None where there is no such option."""


def pivots(table: Table) -> tuple[Pivot, ...]:
    """Return the charts of a sweep of one or two keys; none where it would not fit into a chart."""
    grid = table.grid
    if len(grid.axes) == 1:
        found = _by_device(table) if len(grid) <= _MOST_CATEGORIES else ()
        return tuple(found)
    if len(grid.axes) != _CHARTED_KEYS:
        return ()
    # The key with fewer values tells the lines apart, the second one of equals.
    across = 0 if len(grid.axes[0].values) >= len(grid.axes[1].values) else 1
    sizes = len(grid.axes[across].values), len(grid.axes[1 - across].values)
    fits = sizes[0] <= _MOST_CATEGORIES and sizes[1] <= _MOST_SERIES
    return tuple(_by_value(table, across)) if fits else ()


def _figure(outcome: Outcome, metric: str, accelerator: str = "") -> float | None:
    """Return a figure of a device at a point, or of the recommended option."""
    rows = [row for row in outcome.rows if cell_of(row, "accelerator") == accelerator]
    row = next(iter(rows), None) if accelerator else recommended(outcome)
    value = None if row is None else cell_of(row, metric)
    return None if value is None else float(value)


def _by_device(table: Table) -> Iterator[Pivot]:
    """Yield charts over the only key, a series for each device in order of first appearance."""
    axis = table.grid.axes[0]
    names = dict.fromkeys(
        str(cell_of(row, "accelerator"))
        for outcome in table.outcomes()
        for row in outcome.rows
        if cell_of(row, "accelerators") is not None
    )
    series = tuple(names)[:_MOST_SERIES]
    for metric in METRICS if series else ():
        values = tuple(
            tuple(_figure(outcome, metric, name) for name in series) for outcome in table.outcomes()
        )
        by = Text(zh="各加速卡", en="by accelerator")
        yield Pivot(metric, axis.key, by, axis.values, series, values)


def _by_value(table: Table, across: int) -> Iterator[Pivot]:
    """Yield charts of the recommended option over one key, a series for each value of the other."""
    grid = table.grid
    axis, other = grid.axes[across], grid.axes[1 - across]
    for metric in METRICS:
        values = tuple(
            tuple(
                _figure(table.read(grid.point((here, there) if across == 0 else (there, here))), metric)
                for there in range(len(other.values))
            )
            for here in range(len(axis.values))
        )
        by = Text(zh=f"推荐方案，按 {other.key}", en=f"recommended option, by {other.key}")
        yield Pivot(metric, axis.key, by, axis.values, other.values, values)
