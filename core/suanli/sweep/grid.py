"""The grid of a sweep: varied keys with their values, and points in a fixed order, the last key fastest."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.errors import Fault, InputError
from suanli.project.quantities import normalise
from suanli.sweep.values import expand_range, split_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["LIMIT", "PRICE", "Axis", "Grid", "parse_grid"]

LIMIT = 100_000
"""Points that a grid may have unless the user allows more."""

PRICE = "price."
"""Start of a key that varies prices of the catalogue rather than the project file."""

_MONEY_SECTIONS = ("project", "site", "commercial", PRICE.rstrip("."))
"""Sections of keys that leave the layout search as it is in all but rare cases; only the order of work
depends on it, never a result."""

_EXAMPLE = "--vary workload.deadline=60d,90d,120d"


@dataclass(frozen=True, slots=True)
class Axis:
    """One varied key."""

    key: str
    values: tuple[str, ...]
    """As a project file or ``--set`` would spell them."""

    @property
    def of_prices(self) -> bool:
        """Tell whether the key names prices of the catalogue."""
        return self.key.startswith(PRICE)

    @property
    def light(self) -> bool:
        """Tell whether neighbours along this key are likely to share their sizings."""
        return self.key.partition(".")[0] in _MONEY_SECTIONS


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of the values of all keys."""

    axes: tuple[Axis, ...]

    def __len__(self) -> int:
        """Return the number of points."""
        return math.prod(len(axis.values) for axis in self.axes)

    def positions(self, point: int) -> tuple[int, ...]:
        """Return the position of a point along each axis; the last axis runs fastest."""
        found: list[int] = []
        for axis in reversed(self.axes):
            point, position = divmod(point, len(axis.values))
            found.append(position)
        return tuple(reversed(found))

    def point(self, positions: Sequence[int]) -> int:
        """Return the number of the point at a position along each axis.

        >>> grid = Grid((Axis("a", ("1", "2")), Axis("b", ("x", "y", "z"))))
        >>> [grid.point(grid.positions(number)) for number in range(len(grid))]
        [0, 1, 2, 3, 4, 5]
        """
        number = 0
        for axis, position in zip(self.axes, positions, strict=True):
            number = number * len(axis.values) + position
        return number

    def values(self, point: int) -> tuple[str, ...]:
        """Return the value of each key at a point."""
        return tuple(
            axis.values[position] for axis, position in zip(self.axes, self.positions(point), strict=True)
        )

    def settings(self, point: int) -> tuple[str, ...]:
        """Return the settings ``KEY=VALUE`` of the project file at a point; prices are no keys of it."""
        return tuple(
            f"{axis.key}={value}"
            for axis, value in zip(self.axes, self.values(point), strict=True)
            if not axis.of_prices
        )

    def prices(self, point: int) -> tuple[tuple[str, str], ...]:
        """Return the pattern and the change of each varied price at a point."""
        return tuple(
            (axis.key.removeprefix(PRICE), value)
            for axis, value in zip(self.axes, self.values(point), strict=True)
            if axis.of_prices
        )

    def order(self) -> Iterator[tuple[int, ...]]:
        """Yield the points in the order of work, those together that are likely to share their sizings."""
        light = Grid(tuple(axis for axis in self.axes if axis.light))
        heavy = Grid(tuple(axis for axis in self.axes if not axis.light))
        for group in range(len(heavy)):
            outer = _positions_of(heavy, group)
            yield tuple(
                self.point(self._joined(outer, _positions_of(light, inner))) for inner in range(len(light))
            )

    def _joined(self, heavy: Sequence[int], light: Sequence[int]) -> tuple[int, ...]:
        """Return positions along all axes from those along the heavy and the light ones."""
        rest = {True: iter(light), False: iter(heavy)}
        return tuple(next(rest[axis.light]) for axis in self.axes)


def _positions_of(grid: Grid, point: int) -> tuple[int, ...]:
    """Return the positions of a point of a part of the grid; of no axes it has one point, without any."""
    return grid.positions(point) if grid.axes else ()


def parse_grid(texts: Sequence[str], limit: int = LIMIT) -> Grid:
    """Return the grid of the ``KEY=VALUE,VALUE…`` that the command line gives.

    Args:
        texts: one for each key, in the order that the points are numbered by.
        limit: most points.

    Raises:
        InputError: there is none, one is malformed, or there are too many points; one fault for each.
    """
    if not texts:
        raise InputError(Fault("no key is varied", key="--vary", cure=f"add {_EXAMPLE}"))
    faults: list[Fault] = []
    axes = [axis for text in texts if (axis := _axis(text, faults)) is not None]
    faults += _collisions([axis.key for axis in axes])
    grid = Grid(tuple(axes))
    if not faults and len(grid) > limit:
        sizes = " × ".join(str(len(axis.values)) for axis in axes)
        why = f"{sizes} values; at most {limit:,} points are computed"
        cure = f"take fewer values, or allow more with --limit {len(grid)}"
        faults.append(Fault(f"the grid has {len(grid):,} points", key="--vary", why=why, cure=cure))
    if faults:
        raise InputError(faults)
    return grid


def _axis(text: str, faults: list[Fault]) -> Axis | None:
    name, equals, listed = text.partition("=")
    key, where = normalise(name), f"--vary {text}"
    if not equals or not key:
        faults.append(Fault("is not KEY=VALUE,VALUE…", where=where, cure=f"write for example {_EXAMPLE}"))
        return None
    values: list[str] = []
    for part in split_values(listed):
        found = expand_range(part, where, key)
        if isinstance(found, Fault):
            faults.append(found)
        elif not part:
            why = "a value is missing between commas or at an end"
            faults.append(Fault("an empty value", where=where, key=key, why=why))
        else:
            values += found
    faults += [
        Fault(f'"{value}" is given {count} times', where=where, key=key, cure="leave out all but one")
        for value, count in Counter(values).items()
        if count > 1
    ]
    return Axis(key, tuple(values))


def _collisions(keys: Sequence[str]) -> Iterator[Fault]:
    """Yield keys that are varied twice, and those that stand within another varied one."""
    for key, count in Counter(keys).items():
        if count > 1:
            cure = "list all values after one --vary"
            yield Fault(f'"{key}" is varied {count} times', where="--vary", key=key, cure=cure)
    for key in dict.fromkeys(keys):
        for other in dict.fromkeys(keys):
            if key.startswith(f"{other}."):
                why = f'it stands within "{other}", which is varied as a whole'
                yield Fault(f'"{key}" cannot be varied beside "{other}"', where="--vary", key=key, why=why)
