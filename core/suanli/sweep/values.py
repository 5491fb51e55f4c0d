"""The values of a varied key as typed: a list with commas, in which a range may stand for several."""

from __future__ import annotations

import re
from decimal import Decimal

from suanli.errors import Fault

__all__ = ["expand_range", "split_values"]

_COMMAS = ",，"
_OPENING, _CLOSING = "[{(", "]})"
_QUOTES = "\"'"
_END = re.compile(r"(?P<number>[+-]?\d+(?:\.\d+)?)\s*(?P<unit>.*)")
_SYMBOL = 2
"""Characters of a unit such as d, GB or %."""
_DIGITS = 9
"""Significant digits of a value between the ends of a range."""
_MOST = 100_000
"""Values of one range, beyond which a slip of the keyboard is likelier than a wish."""


def split_values(text: str) -> tuple[str, ...]:
    """Return the parts between commas, leaving alone those within brackets and quotes.

    >>> split_values('1.1, 1.25,[ascend, nvidia],"2,000B"')
    ('1.1', '1.25', '[ascend, nvidia]', '"2,000B"')
    """
    parts: list[str] = []
    current, depth, quote = "", 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES:
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        if character in _COMMAS and not quote and depth <= 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    return (*parts, current.strip())


def expand_range(text: str, where: str, key: str) -> tuple[str, ...] | Fault:
    """Return the values that one typed value stands for: itself, or the evenly spaced ones of a range.

    A range is ``LOW..HIGH/COUNT``, both ends included; a unit may follow either end and holds for all.

    >>> expand_range("60d..180d/3", "", ""), expand_range("1.1..1.5/5", "", "")
    (('60d', '120d', '180d'), ('1.1', '1.2', '1.3', '1.4', '1.5'))
    >>> expand_range("0.3..0.9 CNY/kWh/3", "", "")
    ('0.3 CNY/kWh', '0.6 CNY/kWh', '0.9 CNY/kWh')
    """
    if ".." not in text or text.startswith(("[", "{", '"', "'", "..")):
        return (text,)
    ends, _, counted = text.rpartition("/")
    low, _, high = (_END.fullmatch(end.strip()) for end in ends.partition(".."))
    if low is None or high is None or not counted.strip().isdigit():
        cure = "write LOW..HIGH/COUNT, such as 60d..180d/5, or quote the value"
        return Fault(f'"{text}" is no range', where=where, key=key, cure=cure)
    count = int(counted)
    if not 1 < count <= _MOST:
        return Fault(f'"{text}" has {count} values', where=where, key=key, why=f"allowed: 2 to {_MOST:,}")
    units = list(dict.fromkeys(end["unit"] for end in (low, high) if end["unit"]))
    if len(units) > 1:
        return Fault(f'"{text}" has two units', where=where, key=key, cure=f"write both ends in {units[0]}")
    unit = _joined(units[0]) if units else ""
    sign = "+" if "+" in {low["number"][0], high["number"][0]} else ""
    return tuple(
        f"{sign if value > 0 else ''}{_spell(value)}{unit}"
        for value in _spaced(Decimal(low["number"]), Decimal(high["number"]), count)
    )


def _joined(unit: str) -> str:
    """Return a unit as it follows a number: words behind a space, short symbols at once."""
    return unit if len(unit) <= _SYMBOL else f" {unit}"


def _spaced(low: Decimal, high: Decimal, count: int) -> list[Decimal]:
    """Return evenly spaced values from low to high, both included: low + (high − low)·i/(n − 1)."""
    return [low + (high - low) * step / (count - 1) for step in range(count)]


def _spell(value: Decimal) -> str:
    """Return a number with few digits, without exponent and trailing zeros."""
    text = f"{Decimal(f'{value:.{_DIGITS}g}'):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
