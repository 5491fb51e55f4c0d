"""The finished sweep as a table, read point by point, and what a reader wants to see of it first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.sweep.columns import COLUMNS, POINT, Cell, Column, axis_column, typed_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from suanli.sweep.grid import Grid
    from suanli.sweep.point import Outcome
    from suanli.sweep.rows import Row

__all__ = ["Best", "Share", "Summary", "Table", "cell_of", "recommended", "summarise", "without_effect"]

_INDEX = {column.name: number for number, column in enumerate(COLUMNS)}


@dataclass(frozen=True, slots=True)
class Table:
    """All rows of a sweep; the order is that of the grid, and within a point that of the options."""

    grid: Grid
    read: Callable[[int], Outcome]
    """Returns a finished point."""
    name: str
    """Of the project."""
    day: date
    """Of the project."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return the columns: the point, the varied keys, the figures."""
        return (POINT, *(axis_column(axis) for axis in self.grid.axes), *COLUMNS)

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the points in order."""
        return (self.read(point) for point in range(len(self.grid)))

    def rows(self) -> Iterator[list[Cell]]:
        """Yield all rows in order, each with the cells of all columns."""
        axes = [axis_column(axis) for axis in self.grid.axes]
        for outcome in self.outcomes():
            values = self.grid.values(outcome.point)
            varied = [typed_value(column, value) for column, value in zip(axes, values, strict=True)]
            for row in outcome.rows:
                yield [outcome.point, *varied, *row]


def cell_of(row: Row, name: str) -> Cell:
    """Return a cell of a row by the name of its column."""
    return row[_INDEX[name]]


def recommended(outcome: Outcome) -> Row | None:
    """Return the row of the option that is recommended at a point, or None."""
    return next((row for row in outcome.rows if cell_of(row, "verdict") == "recommended"), None)


@dataclass(frozen=True, slots=True)
class Best:
    """The recommended option of one point, as far as a summary shows it."""

    point: int
    accelerator: str
    accelerators: int
    days: float
    tco: Decimal
    currency: str

    @classmethod
    def of(cls, outcome: Outcome) -> Best | None:
        """Return it, or None where no option is recommended; one that is has always a price."""
        row = recommended(outcome)
        if row is None:
            return None
        return cls(
            outcome.point,
            str(cell_of(row, "accelerator")),
            int(str(cell_of(row, "accelerators"))),
            float(str(cell_of(row, "days_p50"))),
            Decimal(str(cell_of(row, "tco_net"))),
            str(cell_of(row, "currency")),
        )


@dataclass(slots=True)
class Share:
    """The points that have one value of one key."""

    points: int = 0
    answered: int = 0
    """Those with a recommended option."""
    cheapest: Best | None = None
    dearest: Best | None = None

    def take(self, best: Best | None) -> None:
        """Count a point."""
        self.points += 1
        if best is None:
            return
        self.answered += 1
        if self.cheapest is None or best.tco < self.cheapest.tco:
            self.cheapest = best
        if self.dearest is None or best.tco > self.dearest.tco:
            self.dearest = best


@dataclass(slots=True)
class Summary:
    """What a sweep found, over all points."""

    points: int = 0
    rows: int = 0
    verdicts: Counter[str] = field(default_factory=Counter[str])
    """Rows by verdict."""
    currencies: set[str] = field(default_factory=set[str])
    """Of the recommended options; amounts can be compared where there is one."""
    total: Share = field(default_factory=Share)
    shares: dict[tuple[int, int], Share] = field(default_factory=dict[tuple[int, int], Share])
    """By number of the key and position of its value."""


def summarise(table: Table) -> Summary:
    """Return the summary of a sweep, in one pass over its points."""
    summary = Summary()
    for number, axis in enumerate(table.grid.axes):
        summary.shares.update({(number, position): Share() for position in range(len(axis.values))})
    for outcome in table.outcomes():
        best = Best.of(outcome)
        summary.points += 1
        summary.rows += len(outcome.rows)
        summary.verdicts.update(str(cell_of(row, "verdict")) for row in outcome.rows)
        summary.total.take(best)
        if best is not None:
            summary.currencies.add(best.currency)
        for place in enumerate(table.grid.positions(outcome.point)):
            summary.shares[place].take(best)
    return summary


def without_effect(table: Table) -> tuple[str, ...]:
    """Return the varied keys that change no row anywhere, which a user most likely did not mean."""
    return tuple(
        axis.key
        for number, axis in enumerate(table.grid.axes)
        if len(axis.values) > 1 and not _has_effect(table, number)
    )


def _has_effect(table: Table, number: int) -> bool:
    """Tell whether some point differs from the one that has the first value of a key instead."""
    for point in range(len(table.grid)):
        positions = table.grid.positions(point)
        if positions[number]:
            base = table.grid.point([*positions[:number], 0, *positions[number + 1 :]])
            if table.read(point).rows != table.read(base).rows:
                return True
    return False
