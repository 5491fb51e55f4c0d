"""Amounts of money and prices of energy, exact."""

from __future__ import annotations

import re
from decimal import Decimal

from suanli.domain.money import Money
from suanli.project.quantities.codes import parse_currency
from suanli.project.quantities.counts import COUNT_UNITS
from suanli.project.quantities.reading import QuantityError, parse_text, split_number, within

__all__ = ["parse_energy_price", "parse_money"]

_SYMBOLS = {"¥": "CNY or JPY", "$": "USD, HKD, AUD …", "€": "EUR", "£": "GBP"}
_ENERGY_UNITS = {"kwh": Decimal(1), "度": Decimal(1), "mwh": Decimal(1000)}
_HIGHEST = Decimal(10) ** 15


def _refuse_symbol(text: str, allowed: str) -> None:
    """Refuse a currency symbol: most stand for several currencies."""
    for symbol, codes in _SYMBOLS.items():
        if symbol in text:
            raise QuantityError(
                f'"{text}" names its currency by a symbol',
                allowed,
                f'replace "{symbol}" by the code: {codes}',
            )


def parse_money(value: object, *, zero: bool = False) -> Money:
    """Read an amount of money such as ``200M CNY``, ``CNY 200M`` or ``2亿元``.

    Raises:
        QuantityError: no positive amount, or no ISO 4217 currency.

    >>> parse_money("200M CNY") == parse_money("2亿元") == Money(Decimal(200_000_000), "CNY")
    True
    """
    allowed = (
        f"an amount {'from' if zero else 'above'} 0 with an ISO 4217 currency, such as 200M CNY or 2亿 CNY"
    )
    text = parse_text(value, allowed)
    _refuse_symbol(text, allowed)
    leading = re.fullmatch(r"([A-Z]{3})\s*([+-]?[\d.].*)", text)
    ordered = f"{leading[2]} {leading[1]}" if leading else text
    number, unit = split_number(ordered, allowed)
    suffix = next((name for name in sorted(COUNT_UNITS, key=len, reverse=True) if _is_suffix(unit, name)), "")
    currency = unit.removeprefix(suffix).strip()
    if not currency:
        raise QuantityError(f'"{text}" has no currency', allowed, f'write "{text} CNY" if yuan are meant')
    code = "CNY" if currency in {"元", "人民币"} else parse_currency(currency)
    return Money(within(number * COUNT_UNITS[suffix], text, allowed, open_low=not zero, high=_HIGHEST), code)


def _is_suffix(unit: str, name: str) -> bool:
    """Tell whether a unit begins with a suffix, not with a currency that shares its letter."""
    if not name or not unit.startswith(name):
        return False
    rest = unit.removeprefix(name)
    return (
        rest == ""
        or rest[0].isspace()
        or not name.isascii()
        or not rest[0].isascii()
        or len(rest.strip()) == len("CNY")
    )


def parse_energy_price(value: object) -> Money:
    """Read a price of electricity per kWh such as ``0.65 CNY/kWh`` or ``0.65元/度``.

    Raises:
        QuantityError: no positive price, no currency, or no unit of energy.

    >>> parse_energy_price("420 CNY/MWh")
    Money(amount=Decimal('0.42'), currency='CNY')
    """
    allowed = "a price above 0 in CURRENCY/kWh, such as 0.65 CNY/kWh"
    text = parse_text(value, allowed)
    amount, slash, energy = text.rpartition("/")
    if not slash:
        raise QuantityError(
            f'"{text}" is not a price of energy', allowed, f'write "{text}/kWh" if that is meant'
        )
    per_kwh = _ENERGY_UNITS.get(energy.strip().casefold())
    if per_kwh is None:
        raise QuantityError(
            f'"{text}": "{energy.strip()}" is not a unit of energy', allowed, "write kWh or MWh"
        )
    money = parse_money(amount)
    price = within(money.amount / per_kwh, text, allowed, high=Decimal(1000))
    return Money(price, money.currency)
