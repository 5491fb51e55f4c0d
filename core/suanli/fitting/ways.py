"""The ways out of a model that does not fit, each tried through the model and stated with what it then takes.

A way that does not do alone is tried together with the cheaper ones, of which those are kept that it needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.fitting.changes import STEPS
from suanli.fitting.trial import holds, place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.fitting.changes import Change, Option, Step
    from suanli.fitting.trial import Placed, Trial

__all__ = ["Way", "ways_out"]


@dataclass(frozen=True, slots=True)
class Way:
    """Changes with which the model fits, and what it then takes."""

    changes: tuple[Change, ...]
    placed: Placed


def ways_out(trial: Trial, catalogue: Catalogue, count: int = 3) -> tuple[Way, ...]:
    """Return the first ways out with which the reserve is kept, from what costs least.

    Args:
        trial: what does not fit.
        catalogue: other stacks and larger cards.
        count: how many ways to return at most.
    """
    found: list[Way] = []
    cheaper: list[Step] = []
    for step in STEPS:
        if len(found) == count:
            break
        way = _alone(trial, step, catalogue)
        if way is None and not step.alone:
            way = _together(trial, step, cheaper, catalogue)
        if way is not None:
            found.append(way)
        if step.cheap:
            cheaper.append(step)
    return tuple(found)


def _alone(trial: Trial, step: Step, catalogue: Catalogue) -> Way | None:
    for option in step.options(trial, catalogue):
        way = _way(trial, [option])
        if way is not None:
            return way
    return None


def _way(trial: Trial, options: Sequence[Option]) -> Way | None:
    """Return changes as a way out where the reserve is then kept in every phase."""
    changed = _made(trial, options)
    if not holds(changed):
        return None
    placed = place(changed)
    return Way(tuple(one.change for one in options), placed) if placed.fits else None


def _made(trial: Trial, options: Sequence[Option]) -> Trial:
    for option in options:
        trial = option.made(trial)
    return trial


def _together(trial: Trial, step: Step, cheaper: Sequence[Step], catalogue: Catalogue) -> Way | None:
    """Return a step with as few of the cheaper ones as it takes; what costs more is not among them."""
    before: list[Option] = []
    for earlier in cheaper:
        options = list(earlier.options(_made(trial, before), catalogue))
        before += options[-1:]
    if not before:
        return None
    for option in step.options(_made(trial, before), catalogue):
        if holds(_made(trial, [*before, option])):
            needed = _needed(trial, before, option)
            # What the cheaper ones do without it was stated with them.
            return None if holds(_made(trial, needed[:-1])) else _way(trial, needed)
    return None


def _needed(trial: Trial, before: Sequence[Option], last: Option) -> list[Option]:
    """Return the changes without those that it does as well without."""
    kept = list(before)
    for option in before:
        fewer = [one for one in kept if one is not option]
        if holds(_made(trial, [*fewer, last])):
            kept = fewer
    return [*kept, last]
