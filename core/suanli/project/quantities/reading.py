"""What all readers share: the error, the normal form of text, and the split into a number and a unit."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation

__all__ = ["QuantityError", "normalise", "parse_text", "split_number", "within"]

_NUMBER = re.compile(
    r"""(?P<number>[+-]?(?:\d{1,3}(?:[,_]\d{3})+|\d+|(?=\.\d))(?:\.\d+)?(?:[eE][+-]?\d+(?![A-Za-z]))?)
        \s*(?P<unit>.*)""",
    re.VERBOSE,
)
_NOT_FINITE = re.compile(r"[+-]?\.?(?:nan|inf|infinity|∞)\b.*", re.IGNORECASE)
_LONGEST = 200
_DIGITS = 40
"""No quantity of a project needs more; a longer exponent would only cost time and memory."""

_MINUS = str.maketrans({"\u2212": "-", "\u2013": "-", "。": ".", "、": ",", "∕": "/", "％": "%"})


class QuantityError(ValueError):
    """A value that cannot be read: what was found, what is allowed, what was probably meant."""

    def __init__(self, found: str, allowed: str, suggestion: str = "") -> None:
        """Keep the three parts, so that a fault can show each in its place."""
        self.found = found
        self.allowed = allowed
        self.suggestion = suggestion
        super().__init__("; ".join(part for part in (found, allowed, suggestion) if part))


def normalise(text: str) -> str:
    """Return text with full-width characters narrowed and spaces collapsed.

    >>> normalise("２００Ｍ　ＣＮＹ")
    '200M CNY'
    """
    return " ".join(unicodedata.normalize("NFKC", text).translate(_MINUS).split())


def parse_text(value: object, allowed: str) -> str:
    """Return a scalar of the file as normalised text.

    Raises:
        QuantityError: the value is a list, a mapping or empty.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        kind = (
            "a list"
            if isinstance(value, list | tuple)
            else "a mapping"
            if isinstance(value, dict)
            else "no text"
        )
        raise QuantityError(f"{kind} where one value is meant", allowed)
    text = normalise(str(value))
    if not text:
        raise QuantityError("no value", allowed, "give a value, or remove the line")
    if len(text) > _LONGEST:
        raise QuantityError(f'"{text[:20]}…" is {len(text)} characters long', allowed)
    return text


def split_number(text: str, allowed: str, suggestion: str = "") -> tuple[Decimal, str]:
    """Split a normalised text into its finite number and what follows, stripped.

    Raises:
        QuantityError: the text does not begin with a finite number.
    """
    if _NOT_FINITE.fullmatch(text):
        raise QuantityError(f'"{text}" is not a finite number', allowed, suggestion)
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise QuantityError(f'"{text}" does not begin with a number', allowed, suggestion)
    try:
        number = Decimal(re.sub(r"[,_]", "", found["number"]))
    except InvalidOperation:
        raise QuantityError(f'"{found["number"]}" is not a number', allowed, suggestion) from None
    if abs(number.adjusted()) > _DIGITS:
        raise QuantityError(f'"{found["number"]}" is out of any range', allowed, suggestion)
    return number, found["unit"].strip()


def within(  # noqa: PLR0913 - a range has two ends and an openness
    number: Decimal,
    text: str,
    allowed: str,
    *,
    low: Decimal = Decimal(0),
    open_low: bool = True,
    high: Decimal | None = None,
) -> Decimal:
    """Return the number, or refuse it where it is out of range.

    Raises:
        QuantityError: the number is below `low` (or equal, where the range is open) or above `high`.
    """
    if number < low or (open_low and number == low) or (high is not None and number > high):
        raise QuantityError(f'"{text}" is out of range', allowed)
    return number
