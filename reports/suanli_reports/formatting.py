"""Numbers, amounts and dates as a reader of one language expects them.

Everything here is pure and knows no message catalogue: the functions turn decimals into strings. Digits are
those that the proposal model holds; only powers of ten (10²³, T, 万元) move the point, and only then are
digits cut, to `SCIENTIFIC_DIGITS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from babel import Locale
from babel.dates import format_date
from babel.numbers import format_decimal

if TYPE_CHECKING:
    from datetime import date

__all__ = [
    "LOCALES",
    "SCIENTIFIC_DIGITS",
    "MoneyScale",
    "Number",
    "abbreviated",
    "amount",
    "compact_scale",
    "country",
    "day",
    "number",
    "percent",
    "scaled",
    "scientific",
    "table_scale",
]

Number = Decimal | int

LOCALES = {"zh": "zh_CN", "en": "en_GB"}
"""Babel locale of each language of the document."""

SCIENTIFIC_DIGITS = 4
"""Significant digits of a figure that is written with a power of ten."""

_MINUS = "\N{MINUS SIGN}"
_SUFFIXES = ((12, "T"), (9, "B"), (6, "M"))
_FIXED = 2
"""Decimals of an amount of money."""


def _decimals(value: Number) -> int:
    exponent = Decimal(value).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def number(value: Number, language: str = "en", decimals: int | None = None) -> str:
    """Return a number with thousands separators and the decimals that it holds, or as many as asked for.

    >>> number(Decimal("17175.20")), number(704), number(Decimal("-3.5"))
    ('17,175.20', '704', '−3.5')
    """
    places = _decimals(value) if decimals is None else decimals
    exact = (
        Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
        if decimals is not None
        else Decimal(value)
    )
    pattern = "#,##0" + ("." + "0" * places if places else "")
    text = format_decimal(abs(exact), format=pattern, locale=LOCALES[language], decimal_quantization=False)
    return f"{_MINUS}{text}" if exact < 0 else text


def percent(share: Number, language: str = "en") -> str:
    """Return a share as percent, with two decimals less than it holds.

    >>> percent(Decimal("0.412")), percent(Decimal("0.06"))
    ('41.2%', '6%')
    """
    return (
        number(
            Decimal(share) * 100 if not _decimals(share) else Decimal(share).scaleb(2),
            language,
            max(0, _decimals(share) - 2),
        )
        + "%"
    )


def _mantissa(value: Decimal, exponent: int) -> Decimal:
    mantissa = value.scaleb(-exponent)
    digits = SCIENTIFIC_DIGITS - 1 - mantissa.adjusted()
    return mantissa.quantize(Decimal(1).scaleb(-max(0, digits)), rounding=ROUND_HALF_UP).normalize()


def scientific(value: Number) -> tuple[str, int]:
    """Return mantissa and power of ten.

    >>> scientific(Decimal("904200000000000000000000"))
    ('9.042', 23)
    """
    exact = Decimal(value)
    exponent = exact.adjusted()
    mantissa = _mantissa(exact, exponent)
    if mantissa.adjusted() > 0:  # 9.9996 rounds to 10
        exponent += 1
        mantissa = _mantissa(exact, exponent)
    return f"{mantissa:f}".replace("-", _MINUS), exponent


def abbreviated(value: Number, language: str = "en") -> str:
    """Return a large count with the letter M, B or T, as tokens and parameters are spoken of.

    >>> abbreviated(Decimal("2E+12")), abbreviated(3964928), abbreviated(4096)
    ('2T', '3.965M', '4,096')
    """
    exact = Decimal(value)
    for exponent, letter in _SUFFIXES:
        if exact.adjusted() >= exponent:
            return f"{_mantissa(exact, exponent):f}{letter}"
    return number(value, language)


@dataclass(frozen=True, slots=True)
class MoneyScale:
    """A power of ten in which amounts are written, with its decimals.

    Its key is that of its name in the message catalogue.
    """

    key: str
    exponent: int
    decimals: int = _FIXED


_ONE = MoneyScale("one", 0)
_WAN = MoneyScale("wan", 4)
# To the 万元, as millions are with two decimals: both languages say the same digits.
_YI = MoneyScale("yi", 8, 4)
_MILLION = MoneyScale("million", 6)
_SCALES = {"zh": (_ONE, _WAN, _YI), "en": (_ONE, _MILLION)}


def compact_scale(value: Number, language: str) -> MoneyScale:
    """Return the scale in which one amount is written in running text: 元, 万元, 亿元 or units and millions.

    What rounds up to a whole of the next scale is written in that one: 9,999.995 万元 are 1.0000 亿元.

    >>> compact_scale(Decimal("165522080"), "zh").key, compact_scale(Decimal("165522080"), "en").key
    ('yi', 'million')
    >>> compact_scale(Decimal("99999950"), "zh").key, compact_scale(Decimal("99999949"), "zh").key
    ('yi', 'wan')
    """
    scales = _SCALES[language]
    size = abs(Decimal(value))
    for scale, larger in pairwise(scales):
        if _in_scale(size, scale) < Decimal(1).scaleb(larger.exponent - scale.exponent):
            return scale
    return scales[-1]


def _in_scale(value: Decimal, scale: MoneyScale) -> Decimal:
    return value.scaleb(-scale.exponent).quantize(Decimal(1).scaleb(-scale.decimals), rounding=ROUND_HALF_UP)


def table_scale(language: str) -> MoneyScale:
    """Return the scale of a column of large amounts: 万元, or millions in English."""
    return _MILLION if language == "en" else _WAN


def scaled(value: Number, scale: MoneyScale, language: str) -> str:
    """Return an amount in a scale, with the decimals of the scale.

    >>> scaled(Decimal("165522080"), MoneyScale("yi", 8, 4), "zh")
    '1.6552'
    """
    return number(Decimal(value).scaleb(-scale.exponent), language, scale.decimals)


def amount(value: Number, language: str) -> str:
    """Return an amount to the cent.

    >>> amount(Decimal("1250000"), "zh")
    '1,250,000.00'
    """
    return number(value, language, _FIXED)


def country(code: str, language: str) -> str:
    """Return the name of a country by its ISO 3166-1 code, empty where the code names none.

    >>> country("SG", "zh"), country("XX-1", "en")
    ('新加坡', '')
    """
    names = cast("dict[str, str]", Locale.parse(LOCALES[language]).territories)
    return names.get(code, "")


def day(value: date, language: str) -> str:
    """Return a date in words of the language.

    >>> from datetime import date
    >>> day(date(2026, 11, 30), "zh"), day(date(2026, 11, 30), "en")
    ('2026年11月30日', '30 November 2026')
    """
    pattern = "y年M月d日" if language == "zh" else "d MMMM y"
    return format_date(value, format=pattern, locale=LOCALES[language])
