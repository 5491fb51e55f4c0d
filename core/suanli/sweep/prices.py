"""What-ifs on prices: a varied key ``price.PATTERN`` changes catalogue prices before anything is costed.

The pattern is the id of a price record, in which ``*`` stands for any characters. The value is a factor
(``0.8x``), a change (``-20%``, ``+10%``) or, for a single record, an amount with its currency (``1.8M CNY``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING

from suanli.domain.catalogue import Catalogue
from suanli.domain.market import Price
from suanli.errors import Fault, InputError, nearest
from suanli.project.quantities import QuantityError, normalise, parse_money
from suanli.sweep.grid import PRICE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from suanli.domain.money import Money
    from suanli.domain.record import Record
    from suanli.domain.workload import Commercial
    from suanli.sweep.grid import Axis

__all__ = ["PriceChange", "change_prices", "check_currencies", "price_faults", "read_change"]

_FACTOR = re.compile(r"(?P<factor>\d+(?:\.\d+)?)\s*[xX×]|(?P<change>[+-]\d+(?:\.\d+)?|0)\s*%")
_ALLOWED = "a factor such as 0.8x, a change such as -20%, or an amount such as 1.8M CNY"
_SHARES = frozenset({"%", "fraction"})
"""Currencies of rates, which no amount of money can replace."""


@dataclass(frozen=True, slots=True)
class PriceChange:
    """What is done to a price: either of the two."""

    factor: Decimal | None = None
    amount: Money | None = None

    def of(self, price: Price) -> Price:
        """Return the price changed; a factor moves the ends of its range too, an amount has none."""
        if self.amount is not None:
            new = {"amount": self.amount.amount, "currency": self.amount.currency, "low": None, "high": None}
            return price.model_copy(update=new)
        factor = self.factor or Decimal(1)
        ends = {
            name: None if end is None else end * factor
            for name, end in (("low", price.low), ("high", price.high))
        }
        return price.model_copy(update={"amount": price.amount * factor, **ends})


def read_change(text: str) -> PriceChange:
    """Read a change of a price.

    Raises:
        QuantityError: it is none of the three forms, or would leave nothing to pay.

    >>> read_change("-20%").factor, read_change("1.8M CNY").amount.amount
    (Decimal('0.8'), Decimal('1800000.0'))
    """
    text = normalise(text)
    match = _FACTOR.fullmatch(text)
    if match is None:
        try:
            return PriceChange(amount=parse_money(text))
        except QuantityError as error:
            raise QuantityError(error.found, _ALLOWED, error.suggestion) from None
    factor = Decimal(match["factor"]) if match["factor"] else 1 + Decimal(match["change"]) / 100
    if factor <= 0:
        raise QuantityError(f'"{text}" leaves nothing to pay', _ALLOWED)
    return PriceChange(factor=factor)


def _matching(catalogue: Catalogue, pattern: str) -> tuple[Price, ...]:
    """Return the prices that a pattern names; an id that is one names that one alone."""
    exact = catalogue.find(Price, pattern)
    if exact is not None:
        return (exact,)
    if "*" not in pattern:
        return ()
    return tuple(price for price in catalogue.all(Price) if fnmatchcase(price.id, pattern))


def change_prices(catalogue: Catalogue, changes: Iterable[tuple[str, str]]) -> Catalogue:
    """Return the catalogue with some of its prices changed, in the order given.

    Args:
        catalogue: the catalogue.
        changes: pattern and change as typed, both checked before.
    """
    prices: dict[str, Record] = dict(catalogue.records.get(Price.kind, {}))
    changed = False
    for pattern, text in changes:
        change = read_change(text)
        for found in _matching(catalogue, pattern):
            current = prices[found.id]
            if isinstance(current, Price):
                prices[found.id] = change.of(current)
                changed = True
    if not changed:
        return catalogue
    records = {**catalogue.records, Price.kind: MappingProxyType(prices)}
    return Catalogue(MappingProxyType(records), catalogue.provenance)


def check_currencies(changes: Iterable[tuple[str, str]], commercial: Commercial) -> None:
    """Make sure that every amount can be converted into the project's currency, or a total would miss it.

    Raises:
        InputError: the project has no exchange rate of a currency; one fault for each amount.
    """
    known = {commercial.currency}
    for rate in commercial.exchange_rates:
        if commercial.currency in {rate.base, rate.quote}:
            known |= {rate.base, rate.quote}
    faults = [
        Fault(
            f'"{text}" cannot be converted into {commercial.currency}',
            key=f"{PRICE}{pattern}",
            why=f"the project has no exchange rate of {money.currency}",
            cure="add it under commercial.fx",
        )
        for pattern, text in changes
        if (money := read_change(text).amount) is not None and money.currency not in known
    ]
    if faults:
        raise InputError(faults)


def price_faults(axes: Sequence[Axis], catalogue: Catalogue) -> Iterator[Fault]:
    """Yield what is wrong with the varied prices: unknown ids, unreadable values, amounts for many."""
    for axis in axes:
        if axis.of_prices:
            found = _matching(catalogue, axis.key.removeprefix(PRICE))
            if not found:
                yield _unknown(axis, catalogue)
            for value in axis.values:
                yield from _value_faults(axis, value, found)


def _unknown(axis: Axis, catalogue: Catalogue) -> Fault:
    pattern = axis.key.removeprefix(PRICE)
    ids = [price.id for price in catalogue.all(Price)]
    what = f'"{pattern}" matches no price' if "*" in pattern else f'"{pattern}" is not among the prices'
    why = f"suanli catalog prices lists the {len(ids)} known"
    return Fault(what, where=f"--vary {axis.key}", key=axis.key, why=why, cure=nearest(pattern, ids))


def _value_faults(axis: Axis, value: str, found: Sequence[Price]) -> Iterator[Fault]:
    where = f"--vary {axis.key}={value}"
    try:
        change = read_change(value)
    except QuantityError as error:
        why = f"allowed: {error.allowed}"
        yield Fault(error.found, where=where, key=axis.key, why=why, cure=error.suggestion)
        return
    if change.amount is None:
        return
    if len(found) > 1:
        why = f"the pattern names {len(found)} prices"
        yield Fault("one amount for many prices", where=where, key=axis.key, why=why, cure="give a factor")
    elif found and found[0].currency in _SHARES:
        what = f'"{value}" for a rate in {found[0].currency}'
        yield Fault(what, where=where, key=axis.key, why="this row is a share, not an amount of money")
