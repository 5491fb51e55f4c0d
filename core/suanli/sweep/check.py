"""What is known of a grid before any point is computed: unknown keys, unreadable values, contradictions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from suanli.errors import Fault, InputError
from suanli.sweep.prices import price_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.project.schema import Project
    from suanli.sweep.grid import Grid

__all__ = ["Checked", "check_grid", "fixed_twice"]


@dataclass(frozen=True, slots=True)
class Checked:
    """A grid that can be computed."""

    project: Project
    """The project at the first point."""
    doubts: tuple[Fault, ...]
    """What makes some points rows without a result, as far as it is known already."""


def fixed_twice(grid: Grid, settings: Sequence[str]) -> None:
    """Refuse keys that are set and varied at once.

    Raises:
        InputError: one fault for each such key.
    """
    fixed = {setting.partition("=")[0].strip() for setting in settings}
    faults = [
        Fault(
            f'"{axis.key}" is set and varied at once',
            where=f"--set {other}",
            key=axis.key,
            cure="leave out one of the two",
        )
        for axis in grid.axes
        for other in sorted(fixed)
        if f"{axis.key}.".startswith(f"{other}.") or f"{other}.".startswith(f"{axis.key}.")
    ]
    if faults:
        raise InputError(faults)


def check_grid(
    grid: Grid,
    catalogue: Catalogue,
    load: Callable[[Sequence[str]], Project],
    complete: Callable[[Project], object],
) -> Checked:
    """Load the project with every value of every key once, the other keys at their first value.

    Args:
        grid: the varied keys.
        catalogue: where varied prices are looked up.
        load: loads the project under settings of the grid.
        complete: completes a loaded project, or says how it contradicts itself.

    Raises:
        InputError: a key is unknown, a value cannot be read, or no value gives a project that is complete.
    """
    faults, doubts = list(price_faults(grid.axes, catalogue)), list[Fault]()
    first: Project | None = None
    sound = False
    for settings in _variations(grid):
        try:
            project = load(settings)
        except InputError as error:
            faults += _as_varied(error.faults, settings)
            continue
        first = first or project
        try:
            complete(project)
        except InputError as error:
            doubts += _as_varied(error.faults, settings)
        else:
            sound = True
    if faults or first is None or not sound:
        raise InputError(_distinct(faults or doubts))
    return Checked(first, tuple(_distinct(doubts)))


def _variations(grid: Grid) -> Iterator[tuple[str, ...]]:
    """Yield the settings of the first point, then of each point that differs from it in one key."""
    yield grid.settings(0)
    first = [0] * len(grid.axes)
    for number, axis in enumerate(grid.axes):
        if not axis.of_prices:
            for position in range(1, len(axis.values)):
                yield grid.settings(grid.point([*first[:number], position, *first[number + 1 :]]))


def _as_varied(faults: Sequence[Fault], settings: Sequence[str]) -> Iterator[Fault]:
    """Yield faults that name the option that was typed where they stand at a varied value."""
    places = {f"--set {setting}": f"--vary {setting}" for setting in settings}
    for fault in faults:
        yield replace(fault, where=places.get(fault.where, fault.where))


def _distinct(faults: Sequence[Fault]) -> list[Fault]:
    """Return each fault once: a wrong key is met with every value, one of the file with every variation."""
    return list({(fault.key, fault.what, fault.why): fault for fault in reversed(faults)}.values())[::-1]
