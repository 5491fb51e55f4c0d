"""Exact amounts: what every formula of this package takes and how it refuses what it cannot take."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

from suanli.errors import Fault, InputError

__all__ = ["Amount", "exact", "require", "require_share"]

Amount: TypeAlias = Decimal | int
"""A sum of money, a price or a rate: exact, never a binary float."""


def exact(value: float | Decimal) -> Decimal:
    """Return a physical quantity as the decimal that it is written as, so that it can multiply a price.

    >>> exact(0.1) * 3
    Decimal('0.3')
    """
    return value if isinstance(value, Decimal) else Decimal(repr(value))


def require(holds: bool, what: str, why: str, cure: str = "") -> None:  # noqa: FBT001 - the condition itself
    """Refuse an input that a formula is not defined for.

    Raises:
        InputError: the condition does not hold.
    """
    if not holds:
        raise InputError(Fault(what, why=why, cure=cure))


def require_share(value: float | Decimal, name: str) -> None:
    """Refuse a share outside of 0 to 1.

    Raises:
        InputError: the value is no share.
    """
    require(0 <= value <= 1, f"{name} {value} is no share", "a share lies between 0 and 1", "6 % is 0.06")
