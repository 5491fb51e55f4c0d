"""How offers are scored: blocks of points by the rules of procurement, and the score of a price.

No source gives one table for all purchases; the points are a proposal built from the rules, and each block is
quantified, so that two assessors reach the same score.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from suanli.domain.workload import Track

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["FULL_MARKS", "PRICE_FLOOR", "Block", "BlockKey", "Subject", "price_scores", "scoring_blocks"]

FULL_MARKS = 100


class BlockKey(StrEnum):
    """Blocks of a scoring table."""

    PRICE = "price"
    TECHNICAL = "technical"
    BENCHMARK = "benchmark"
    LIFE_CYCLE = "life-cycle"
    DELIVERY = "delivery"
    SERVICE = "service"
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a scoring table."""

    key: BlockKey
    points: int
    numbers: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])
    """Figures of its rule, by name: parts of the points, counts, steps."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What the specification gives the scoring to work with."""

    important: int
    """Clauses that are scored."""
    rated: bool
    """True where a rate of training is asked for."""


_POINTS: dict[Track, tuple[int, ...]] = {
    Track.GOVERNMENT: (35, 30, 10, 5, 8, 8, 4),
    Track.BIDDING_LAW: (40, 30, 8, 5, 7, 6, 4),
    Track.ENTERPRISE: (40, 28, 10, 8, 6, 6, 2),
    Track.INTERNATIONAL: (35, 35, 10, 10, 5, 5, 0),
}
"""Points of the blocks in the order of `BlockKey`.

Goods bought with fiscal money weigh the price by 30 % at least (Ministry of Finance, order 87, article 55, as
quoted by third parties); 35 leaves room above that floor.
"""

PRICE_FLOOR: dict[Track, int] = {Track.GOVERNMENT: 30}
"""Least points of the price for goods, where a rule sets one."""


_RATE_STEPS = 5
"""Steps from half to all points of the measured rate, each of 2% of what is asked for."""
_PLAN_PARTS = 5
"""Named parts of a delivery plan: schedule, staff, risks, acceptance, training."""
_PART_POINTS = Decimal("0.5")
_FIXED_SERVICE = 4
"""Points for the time to arrive on site and for the spares; the rest of the block is for years."""


def scoring_blocks(track: Track, subject: Subject) -> tuple[Block, ...]:
    """Return the blocks of a track with their points, which add up to `FULL_MARKS`.

    A block without a subject gives its points away: the two that build on the delivered rate to the technical
    requirements, the technical requirements to the price.
    """
    points = dict(zip(BlockKey, _POINTS[track], strict=True))
    if not subject.rated:
        points[BlockKey.TECHNICAL] += points.pop(BlockKey.BENCHMARK) + points.pop(BlockKey.LIFE_CYCLE)
    if not subject.important:
        points[BlockKey.PRICE] += points.pop(BlockKey.TECHNICAL)
    return tuple(Block(key, whole, _numbers(key, whole, subject)) for key, whole in points.items() if whole)


def _numbers(key: BlockKey, points: int, subject: Subject) -> Mapping[str, Decimal]:
    whole = Decimal(points)
    plan = _PLAN_PARTS * _PART_POINTS
    rules: dict[BlockKey, Callable[[], dict[str, Decimal]]] = {
        BlockKey.TECHNICAL: lambda: {"items": Decimal(subject.important)},
        BlockKey.BENCHMARK: lambda: {"half": whole / 2, "step": whole / 2 / _RATE_STEPS},
        BlockKey.DELIVERY: lambda: {"early": whole - plan, "plan": plan, "part": _PART_POINTS},
        BlockKey.SERVICE: lambda: {"extra": whole - _FIXED_SERVICE},
    }
    return rules[key]() if key in rules else {}


def price_scores(prices: Sequence[Decimal], points: int) -> tuple[Decimal, ...]:
    """Return the price scores of valid bids: points x lowest price / price, to two places.

    The lowest valid price is the base and gets all points.

    Args:
        prices: prices of the bids, of one tax basis and after deductions where the rules grant any.
        points: points of the price.

    Raises:
        ValueError: a price is not positive.

    Source: Ministry of Finance, order 87 (2017), article 55, as quoted by third parties.

    >>> price_scores([Decimal(100), Decimal(125)], 40)
    (Decimal('40.00'), Decimal('32.00'))
    """
    if any(price <= 0 for price in prices):
        raise ValueError("a bid has a positive price")
    base = min(prices, default=Decimal(1))
    cent = Decimal("0.01")
    return tuple((points * base / price).quantize(cent, ROUND_HALF_UP) for price in prices)
