"""Values written back as a project file spells them; the reader of each returns exactly the value written."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.project.quantities.physical import BYTE_UNITS

if TYPE_CHECKING:
    from suanli.domain.money import Money

__all__ = [
    "shortest",
    "spell_bytes",
    "spell_carbon",
    "spell_count",
    "spell_duration",
    "spell_energy_price",
    "spell_fraction",
    "spell_money",
    "spell_number",
    "spell_power",
]

_SHORT = 6
"""Digits up to which a number with a suffix reads better than the number in full."""


def spell_number(number: Decimal | float) -> str:
    """Return a number without exponent and without trailing zeros.

    >>> spell_number(Decimal("1.250"))
    '1.25'
    """
    text = f"{number if isinstance(number, Decimal) else Decimal(repr(number)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def shortest(amount: Decimal, units: list[tuple[str, Decimal]]) -> tuple[str, str]:
    """Return number and name of the largest unit that needs few digits; the last unit otherwise."""
    for name, size in units:
        number = spell_number(amount / size)
        if amount >= size and len(number.replace(".", "")) <= _SHORT and Decimal(number) * size == amount:
            return number, name
    return spell_number(amount / units[-1][1]), units[-1][0]


def spell_count(count: float) -> str:
    """Return a count with the largest suffix in which it is short.

    >>> spell_count(2e12), spell_count(4_194_304)
    ('2T', '4194304')
    """
    units = [
        ("T", Decimal(10) ** 12),
        ("B", Decimal(10) ** 9),
        ("M", Decimal(10) ** 6),
        ("k", Decimal(10) ** 3),
    ]
    return "".join(shortest(Decimal(round(count)), [*units, ("", Decimal(1))]))


def spell_bytes(number: int) -> str:
    """Return an amount of memory in the largest unit in which it is short, decimal units before binary ones.

    >>> spell_bytes(64 * 2**30)
    '64 GiB'
    """
    decimal = [(name, BYTE_UNITS[name]) for name in ("PB", "TB", "GB", "MB", "kB")]
    binary = [(name, BYTE_UNITS[name]) for name in ("PiB", "TiB", "GiB", "MiB", "KiB")]
    return " ".join(shortest(Decimal(number), [*decimal, *binary, ("B", Decimal(1))]))


def spell_duration(seconds: float) -> str:
    """Return a duration in days, hours or minutes where one of them is short, in seconds otherwise.

    >>> spell_duration(120 * 86400.0)
    '120 days'
    """
    units = [("days", Decimal(86_400)), ("h", Decimal(3600)), ("min", Decimal(60)), ("s", Decimal(1))]
    return " ".join(shortest(Decimal(repr(seconds)), units))


def spell_power(watts: float) -> str:
    """Return a power in MW, kW or W.

    >>> spell_power(35_000.0)
    '35 kW'
    """
    return " ".join(
        shortest(Decimal(repr(watts)), [("MW", Decimal(10) ** 6), ("kW", Decimal(1000)), ("W", Decimal(1))])
    )


def spell_fraction(share: Decimal | float) -> str:
    """Return a share in per cent.

    >>> spell_fraction(Decimal("0.065"))
    '6.5%'
    """
    return f"{spell_number((share if isinstance(share, Decimal) else Decimal(repr(share))) * 100)}%"


def spell_money(money: Money) -> str:
    """Return an amount with its currency, in millions or billions where it is short.

    >>> from suanli.domain.money import Money
    >>> spell_money(Money(Decimal(200_000_000), "CNY"))
    '200M CNY'
    """
    units = [("B", Decimal(10) ** 9), ("M", Decimal(10) ** 6), ("", Decimal(1))]
    return f"{''.join(shortest(money.amount, units))} {money.currency}"


def spell_energy_price(price: Money) -> str:
    """Return a price of electricity per kWh.

    >>> from suanli.domain.money import Money
    >>> spell_energy_price(Money(Decimal("0.42"), "CNY"))
    '0.42 CNY/kWh'
    """
    return f"{spell_number(price.amount)} {price.currency}/kWh"


def spell_carbon(kg_per_kwh: Decimal) -> str:
    """Return a carbon intensity.

    >>> spell_carbon(Decimal("0.5306"))
    '0.5306 kg/kWh'
    """
    return f"{spell_number(kg_per_kwh)} kg/kWh"
