"""Cells of a filled-in quote sheet as people write them: amounts, currencies, yes and no, rates, days."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from suanli.project.quantities import QuantityError, normalise, parse_currency, parse_date

__all__ = [
    "Amount",
    "Cell",
    "read_amount",
    "read_currency",
    "read_day",
    "read_rate",
    "read_yes",
    "split_vat_mark",
]

Cell = str | int | float | bool | date | datetime | None
"""What a spreadsheet program stores in a cell."""

_AMOUNT: Final = "a number above zero, such as 12500, 12,500.00 or 1.25万元"
_TIMES: Final = {"亿": Decimal(100_000_000), "万": Decimal(10_000), "千": Decimal(1_000)}
_SIGNS: Final[dict[str, frozenset[str]]] = {
    "元": frozenset({"CNY"}),
    "人民币": frozenset({"CNY"}),
    "RMB": frozenset({"CNY"}),
    "美元": frozenset({"USD"}),
    "欧元": frozenset({"EUR"}),
    "港元": frozenset({"HKD"}),
    "港币": frozenset({"HKD"}),
    "日元": frozenset({"JPY"}),
    "US$": frozenset({"USD"}),
    "HK$": frozenset({"HKD"}),
    "¥": frozenset({"CNY", "JPY"}),
    "€": frozenset({"EUR"}),
    "£": frozenset({"GBP"}),
    "$": frozenset({"USD", "HKD", "SGD", "AUD", "CAD", "NZD", "TWD"}),
}
"""Signs and names that stand beside an amount, and the currencies that they may mean."""
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,4}(?:,\d{4})+|\d+)(?:\.\d+)?|[+-]?\.\d+")
_EXACT_DIGITS: Final = 15
"""Digits of a number that a spreadsheet program keeps."""

Amount = tuple[Decimal, frozenset[str]]
"""An amount and the currencies that the text beside it allows; none named: an empty set."""


def read_amount(cell: Cell) -> Amount:
    """Read an amount of money: a number, or text with separators, 万 or 亿, and a sign or name of a currency.

    Raises:
        QuantityError: it is no amount.

    >>> read_amount("１，２５０.５０ 元")[0], read_amount("1.25万元")[0]
    (Decimal('1250.50'), Decimal('12500.00'))
    """
    if isinstance(cell, bool | date):
        raise QuantityError(f'"{cell}" is no amount', _AMOUNT)
    if isinstance(cell, int | float):
        # A binary float of the file: its 15 digits are what was typed.
        return _finite(Decimal(f"{cell:.{_EXACT_DIGITS}g}"), str(cell)), frozenset()
    text = normalise(str(cell)).replace("，", ",")
    rest, currencies = _currencies(text)
    times = Decimal(1)
    while rest[-1:] in _TIMES:
        times *= _TIMES[rest[-1]]
        rest = rest[:-1].rstrip()
    if not _NUMBER.fullmatch(rest):
        raise QuantityError(f'"{text}" is text where a number is meant', _AMOUNT)
    return _finite(Decimal(rest.replace(",", "")) * times, text), currencies


def _finite(value: Decimal, text: str) -> Decimal:
    if not value.is_finite():
        raise QuantityError(f'"{text}" is no amount', _AMOUNT)
    return value


def _currencies(text: str) -> tuple[str, frozenset[str]]:
    """Take the sign, name or code of a currency off both ends of an amount."""
    found: frozenset[str] = frozenset()
    rest = text
    for sign, meant in _SIGNS.items():
        bare = rest.removeprefix(sign).removesuffix(sign).strip()
        if bare != rest:
            rest, found = bare, found & meant if found else meant
    code = re.fullmatch(r"(?:(?P<before>[A-Z]{3})\s*)?(?P<rest>.*?)(?:\s*(?P<after>[A-Z]{3}))?", rest)
    named = code and (code["before"] or code["after"])
    if code and named:
        return code["rest"].strip(), frozenset({parse_currency(named)})
    return rest, found


def read_currency(cell: Cell) -> str:
    """Read a currency: its code, its Chinese name or an unambiguous sign.

    Raises:
        QuantityError: it is no currency, or a sign of several.

    >>> read_currency("人民币"), read_currency("usd")
    ('CNY', 'USD')
    """
    text = normalise(str(cell))
    meant = _SIGNS.get(text, frozenset[str]())
    if len(meant) == 1:
        return next(iter(meant))
    if meant:
        raise QuantityError(f'"{text}" stands for several currencies', f"one of {', '.join(sorted(meant))}")
    return parse_currency(text.upper())


_NET_MARK: Final = r"不含税|未税|excl\.?(?:uding)? vat"
_GROSS_MARK: Final = r"含税|incl\.?(?:uding)? vat"
_VAT_MARK: Final = re.compile(
    rf"[(（]?\s*(?:(?P<net>{_NET_MARK})|(?P<gross>{_GROSS_MARK}))\s*[)）]?", re.IGNORECASE
)


def split_vat_mark(cell: Cell) -> tuple[Cell, bool | None]:
    """Take words such as 含税 off a price: the price without them, and whether they say that VAT is in it.

    >>> split_vat_mark("1130元（含税）"), split_vat_mark("1000 excl. VAT"), split_vat_mark(12.5)
    (('1130元', True), ('1000', False), (12.5, None))
    """
    if not isinstance(cell, str):
        return cell, None
    text = normalise(cell)
    found = _VAT_MARK.search(text)
    if found is None:
        return cell, None
    return f"{text[: found.start()]} {text[found.end() :]}".strip(), found["gross"] is not None


_YES: Final = frozenset({"yes", "y", "true", "1", "是", "含", "含税", "included", "incl", "incl."})
_NO: Final = frozenset(
    {"no", "n", "false", "0", "否", "不含", "不含税", "excluded", "excl", "excl.", "未含税"}
)


def read_yes(cell: Cell) -> bool:
    """Read yes or no.

    Raises:
        QuantityError: it is neither.

    >>> read_yes("是"), read_yes("不含税")
    (True, False)
    """
    if isinstance(cell, bool):
        return cell
    text = normalise(str(cell))
    words = {part.strip().casefold() for part in text.split("/")}
    if words <= _YES:
        return True
    if words <= _NO:
        return False
    raise QuantityError(f'"{text}" is neither yes nor no', "yes or no (是 or 否)")


_RATE: Final = "a share of the net price, such as 13% or 0.13"


def read_rate(cell: Cell) -> Decimal:
    """Read a tax rate as a fraction.

    Raises:
        QuantityError: it is no number, or not between 0 and 1.

    >>> read_rate("13%"), read_rate(0.06)
    (Decimal('0.13'), Decimal('0.06'))
    """
    text = normalise(str(cell))
    try:
        percent = text.endswith("%")
        rate = Decimal(text.removesuffix("%").strip()) / (100 if percent else 1)
    except InvalidOperation:
        raise QuantityError(f'"{text}" is text where a rate is meant', _RATE) from None
    if not rate.is_finite() or not 0 <= rate < 1:
        meant = f'write "{text}%"' if rate.is_finite() and 1 <= rate < 100 else ""  # noqa: PLR2004 - per cent
        raise QuantityError(f'"{text}" is no rate', _RATE, meant)
    return rate


_DAY: Final = "a date cell, or text such as 2026-11-30 or 2026年11月30日"


def read_day(cell: Cell) -> date:
    """Read a day: a date of the spreadsheet, ISO 8601, or Chinese.

    Raises:
        QuantityError: it is no day of the calendar.

    >>> read_day("2026年11月30日")
    datetime.date(2026, 11, 30)
    """
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    text = normalise(str(cell))
    loose = re.fullmatch(r"(\d{4})\s*[年/.-]\s*(\d{1,2})\s*[月/.-]\s*(\d{1,2})\s*日?(?: 00:00:00)?", text)
    try:
        if loose:
            return date(int(loose[1]), int(loose[2]), int(loose[3]))
        if re.fullmatch(r"\d{8}", text):
            return date(int(text[:4]), int(text[4:6]), int(text[6:]))
        return parse_date(text)
    except (ValueError, QuantityError):
        raise QuantityError(f'"{text}" is no date', _DAY) from None
