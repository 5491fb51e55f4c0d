"""Rounding for display: the one place where computed floats become shown decimals."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.money import round_half_up
from suanli.proposal.model import Shown

if TYPE_CHECKING:
    from suanli.domain.figure import Grade
    from suanli.estimation.results import Range

__all__ = ["money", "places", "share", "shown", "shown_range", "significant"]


def significant(value: float, digits: int = 3) -> Decimal:
    """Return a value rounded half up to significant digits; whole digits are never dropped.

    >>> significant(0.012345), significant(109.4321), significant(70553706496.0, 4)
    (Decimal('0.0123'), Decimal('109'), Decimal('70553706496'))
    """
    if not math.isfinite(value):
        raise ValueError(f"a shown figure must be finite, not {value}")
    if value == 0:
        return Decimal(0)
    magnitude = math.floor(math.log10(abs(value)))
    return round_half_up(Decimal(repr(float(value))), max(0, digits - 1 - magnitude))


def places(value: float, decimals: int) -> Decimal:
    """Return a value rounded half up to a fixed number of decimals."""
    return round_half_up(Decimal(repr(float(value))), decimals)


def share(value: float) -> Decimal:
    """Return a share (0-1) rounded to a tenth of a percent."""
    return places(value, 3)


def shown(
    value: float,
    unit: str,
    *,
    digits: int = 3,
    refs: tuple[str, ...] = (),
    grade: Grade | None = None,
) -> Shown:
    """Return a figure without a range, rounded to significant digits."""
    return Shown(value=significant(value, digits), unit=unit, refs=refs, grade=grade)


def shown_range(
    figure: Range,
    unit: str,
    *,
    scale: float = 1.0,
    digits: int = 3,
    refs: tuple[str, ...] = (),
) -> Shown:
    """Return a figure with its P10-P90 range, all three at the decimals that suit the median."""
    middle = significant(figure.p50 * scale, digits)
    exponent = middle.as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    return Shown(
        value=middle,
        unit=unit,
        low=places(figure.p10 * scale, decimals),
        high=places(figure.p90 * scale, decimals),
        refs=refs,
    )


def money(amount: Decimal, currency: str, *, incomplete: bool = False, refs: tuple[str, ...] = ()) -> Shown:
    """Return an amount rounded to the cent."""
    return Shown(value=round_half_up(amount), unit=currency, incomplete=incomplete, refs=refs)
