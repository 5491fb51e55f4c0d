"""Money: exact decimal amounts with a currency. Sums of different currencies are refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

__all__ = ["CENT", "Money", "round_half_up"]

CENT = 2
"""Decimal places of an amount that can be paid."""

# The usual context has 28 digits and refuses to quantize beyond them, which the FLOPs of a run can reach.
_EVERY_FLOAT = Context(prec=400, rounding=ROUND_HALF_UP)


def round_half_up(value: Decimal, places: int = CENT) -> Decimal:
    """Return a value rounded commercially, halves away from zero, as Excel's ROUND does.

    >>> round_half_up(Decimal("2.675"))
    Decimal('2.68')
    """
    return value.quantize(Decimal(1).scaleb(-places), context=_EVERY_FLOAT)


@dataclass(frozen=True, slots=True, order=False)
class Money:
    """An amount in one ISO 4217 currency."""

    amount: Decimal
    currency: str

    def __post_init__(self) -> None:
        """Refuse binary floats and what is not a currency code."""
        if not isinstance(self.amount, Decimal):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"money takes a Decimal, not {type(self.amount).__name__}")
        if not self.amount.is_finite():
            raise ValueError(f"money must be finite, not {self.amount}")
        if not re.fullmatch(r"[A-Z]{3}", self.currency):
            raise ValueError(f'"{self.currency}" is not an ISO 4217 currency code')

    def __add__(self, other: Money) -> Money:
        """Add an amount of the same currency."""
        if other.currency != self.currency:
            raise ValueError(f"cannot add {other.currency} to {self.currency} without an exchange rate")
        return Money(self.amount + other.amount, self.currency)

    def __str__(self) -> str:
        """Return the amount and its currency."""
        return f"{self.amount} {self.currency}"
