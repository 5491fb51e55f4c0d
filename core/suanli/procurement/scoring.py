"""How offers are scored: blocks of points by the rules of procurement, and the score of a price.

No source gives one table for all purchases; the points are a proposal built from the rules, and each block is
quantified, so that two assessors reach the same score.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from suanli.domain.workload import Track

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FULL_MARKS", "Block", "BlockKey", "price_scores", "scoring_blocks"]

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


def scoring_blocks(track: Track) -> tuple[Block, ...]:
    """Return the blocks of a track with their points, which add up to `FULL_MARKS`."""
    pairs = zip(BlockKey, _POINTS[track], strict=True)
    return tuple(Block(key, points) for key, points in pairs if points)


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
