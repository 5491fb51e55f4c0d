"""The scoring matrix of options: each score follows from a figure by one stated formula.

A measure of which less is better scores 100 x least / own, as the price of a bid does; a range scores
100 x low / high; an option of which delivery is not established scores half. An option that lacks a figure is
not scored at all: nought would call an unknown cost the worst one.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Final

from suanli.domain.scoring import Criterion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.domain.scoring import ScoringWeights

__all__ = ["Measured", "Scored", "scored"]

_FULL: Final = Decimal(100)
_HALF: Final = Decimal(50)
_STEP: Final = Decimal("0.1")
_LEAST: Final = (Criterion.COST, Criterion.TIME, Criterion.ENERGY)
_ENOUGH: Final = 2


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of an option that are scored; None where unknown."""

    key: str
    least: Mapping[Criterion, Decimal | None]
    """Cost, time and energy; less is better."""
    narrowness: Decimal | None
    """Low over high end of the range of the duration, 0-1."""
    deliverable: bool
    """False where delivery is not established."""

    @property
    def complete(self) -> bool:
        """Tell whether every criterion has a figure."""
        values = [self.least.get(criterion) for criterion in _LEAST]
        return self.narrowness is not None and all(value is not None and value > 0 for value in values)


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of an option."""

    key: str
    scores: Mapping[Criterion, Decimal]
    """0-100 to one place."""
    total: Decimal
    """Scores by weight, to one place."""
    rank: int
    """1 is best; options of equal total share a rank."""


def scored(options: Sequence[Measured], weights: ScoringWeights) -> tuple[Scored, ...]:
    """Return the scores of the options that have every figure, best first.

    Args:
        options: options that could be chosen.
        weights: shares of the criteria.

    Returns:
        Nothing where fewer than two options can be scored: a score only says something beside another.
    """
    complete = [one for one in options if one.complete]
    if len(complete) < _ENOUGH:
        return ()
    least = {criterion: min(_of(one, criterion) for one in complete) for criterion in _LEAST}
    rows = [(one.key, _scores(one, least)) for one in complete]
    totals = {key: _total(row, weights) for key, row in rows}
    ranks = {key: 1 + sum(other > total for other in totals.values()) for key, total in totals.items()}
    found = [Scored(key, row, totals[key], ranks[key]) for key, row in rows]
    return tuple(sorted(found, key=lambda one: one.rank))


def _of(one: Measured, criterion: Criterion) -> Decimal:
    value = one.least[criterion]
    if value is None:
        raise ValueError(f"option {one.key} has no {criterion}")
    return value


def _scores(one: Measured, least: Mapping[Criterion, Decimal]) -> dict[Criterion, Decimal]:
    found = {criterion: _rounded(_FULL * low / _of(one, criterion)) for criterion, low in least.items()}
    found[Criterion.EVIDENCE] = _rounded(_FULL * (one.narrowness or Decimal(0)))
    found[Criterion.SUPPLY] = _rounded(_FULL if one.deliverable else _HALF)
    return found


def _total(scores: Mapping[Criterion, Decimal], weights: ScoringWeights) -> Decimal:
    return _rounded(sum(weights.of(name) * value for name, value in scores.items()))


def _rounded(value: Decimal | int) -> Decimal:
    return Decimal(value).quantize(_STEP, ROUND_HALF_UP)
