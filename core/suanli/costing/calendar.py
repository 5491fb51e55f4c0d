"""The calendar of the ledger: months of operation, the years that show them, what counts when.

Month 0 is everything up to the first day of operation, months 1 to 12·H are the months of operation. Years
only add months up. Every row has one formula, which reads the number of its month.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.expressions import Expression, Power, RoundUp
from suanli.costing.formulas import at_most, constant
from suanli.costing.lines import line, ref, sum_of, text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.costing.ledger import Line

__all__ = [
    "ESCALATIONS",
    "MONTHS_PER_YEAR",
    "calendar_lines",
    "month_key",
    "months_of_year",
    "operating_months",
    "year_key",
]

MONTHS_PER_YEAR = 12

ESCALATIONS = {
    "electricity": text("电费涨价系数", "Rise of electricity"),
    "staff": text("人工涨价系数", "Rise of staff"),
    "services": text("服务涨价系数", "Rise of services"),
}
"""What rises from year to year."""


def month_key(month: int) -> str:
    """Return the last part of the ids of a month; 0 is the time before operation."""
    return f"month{month}"


def year_key(year: int) -> str:
    """Return the last part of the ids of a year; 0 is the time before operation."""
    return f"year{year}"


def operating_months(horizon_years: int) -> range:
    """Return the months of operation."""
    return range(1, MONTHS_PER_YEAR * horizon_years + 1)


def months_of_year(year: int) -> range:
    """Return the months of a year of operation.

    >>> list(months_of_year(2))[:2]
    [13, 14]
    """
    return range(MONTHS_PER_YEAR * (year - 1) + 1, MONTHS_PER_YEAR * year + 1)


def calendar_lines(horizon_years: int) -> tuple[Line, ...]:
    """Return the number of every month, what counts in it, how far prices have risen, and the years."""
    months = operating_months(horizon_years)
    return (
        *_numbers(months),
        *(one for month in months for one in _flags(month)),
        *(one for name in ESCALATIONS for one in _rises(name, months)),
        *_years(range(1, horizon_years + 1)),
        line("general.nil", text("无发生额", "No amount"), constant(0), "count"),
    )


def _number(month: int) -> Expression:
    return ref(f"general.number.{month_key(month)}")


def _numbers(months: Iterable[int]) -> tuple[Line, ...]:
    first = line(f"general.number.{month_key(0)}", text("月序：第 0 月", "Number, month 0"), constant(0), "n")
    rest = (
        line(
            f"general.number.{month_key(month)}",
            text(f"月序：第 {month} 月", f"Number, month {month}"),
            _number(month - 1) + constant(1),
            "n",
        )
        for month in months
    )
    return (first, *rest)


def _flags(month: int) -> tuple[Line, ...]:
    """Return whether a month counts, is the last that counts, and is past the warranty."""
    number = _number(month)
    last = constant(MONTHS_PER_YEAR) * ref("general.horizon")
    covered = constant(MONTHS_PER_YEAR) * ref("general.warranty_years")
    active, key = ref(f"general.active.{month_key(month)}"), month_key(month)
    rows = (
        ("active", f"第 {month} 月计入", f"Month {month} counts", at_most(number, last)),
        (
            "final",
            f"第 {month} 月为期末",
            f"Month {month} is the last",
            at_most(number, last) * at_most(last, number),
        ),
        (
            "maintained",
            f"第 {month} 月付维保",
            f"Maintenance is paid in month {month}",
            (constant(1) - at_most(number, covered)) * active,
        ),
    )
    return tuple(
        line(f"general.{name}.{key}", text(zh, en), expression, "count") for name, zh, en, expression in rows
    )


def _rises(name: str, months: Iterable[int]) -> tuple[Line, ...]:
    """Return (1 + g)^(y - 1), with y the year of operation in which a month lies."""
    label = ESCALATIONS[name]
    growth = constant(1) + ref(f"general.escalation.{name}")
    return tuple(
        line(
            f"general.rise.{name}.{month_key(month)}",
            text(f"{label.zh}：第 {month} 月", f"{label.en}, month {month}"),
            Power(growth, RoundUp(_number(month) / constant(MONTHS_PER_YEAR)) - constant(1)),
            "factor",
        )
        for month in months
    )


def _years(years: range) -> tuple[Line, ...]:
    flags = tuple(
        line(
            f"general.active.{year_key(year)}",
            text(f"第 {year} 年计入", f"Year {year} counts"),
            at_most(constant(year), ref("general.horizon")),
            "count",
        )
        for year in years
    )
    label = text("计入年数", "Years that count")
    return (*flags, line("general.years", label, sum_of(flag.id for flag in flags), "year"))
