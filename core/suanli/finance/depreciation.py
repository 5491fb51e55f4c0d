"""Depreciation by year: straight line, accelerated, by output, and the year in China's calendar.

Every method returns the charge of each year of life; together they are cost less salvage, except where a
declining balance stops short of it, which its text says.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from suanli.domain.money import round_half_up
from suanli.finance.amounts import require

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from suanli.finance.amounts import Amount

__all__ = [
    "by_calendar_year",
    "by_output",
    "double_declining",
    "double_declining_china",
    "fixed_declining",
    "straight_line",
    "sum_of_years_digits",
]

_MONTHS: Final = 12
_LEVEL_YEARS: Final = 2
"""Last years of life in which China's double declining balance is level."""


def straight_line(cost: Amount, salvage: Amount, years: int) -> tuple[Decimal, ...]:
    """Return equal charges (年限平均法), (C - S) / n.

    Raises:
        InputError: the life is no year, or the salvage is not between zero and the cost.

    Source: IAS 16, Property, Plant and Equipment, paragraph 62; CAS 4 固定资产 (2006), article 17.

    >>> straight_line(10_000, 1_000, 5)[0]
    Decimal('1800')
    """
    _require_asset(cost, salvage, years)
    return ((Decimal(cost) - salvage) / years,) * years


def sum_of_years_digits(cost: Amount, salvage: Amount, years: int) -> tuple[Decimal, ...]:
    """Return charges in proportion to the years left (年数总和法), (C - S) (n - k + 1) / (n (n + 1) / 2).

    Raises:
        InputError: as `straight_line`.

    Source: CAS 4 固定资产 (2006), article 17; the spreadsheet function SYD.

    >>> [int(one) for one in sum_of_years_digits(10_000, 1_000, 5)]
    [3000, 2400, 1800, 1200, 600]
    """
    _require_asset(cost, salvage, years)
    digits = years * (years + 1) // 2
    return tuple((Decimal(cost) - salvage) * left / digits for left in range(years, 0, -1))


def double_declining(cost: Amount, salvage: Amount, years: int, factor: Amount = 2) -> tuple[Decimal, ...]:
    """Return charges of a declining balance, min(B f / n, B - S), as spreadsheets' DDB has it.

    The book value B never falls below the salvage S. Nothing brings it there either: where the balance
    declines too slowly, the charges add up to less than cost less salvage.

    Args:
        cost: C at the start.
        salvage: S at the end.
        years: life n.
        factor: f, 2 for double.

    Raises:
        InputError: as `straight_line`, or the factor is not above 0.

    Source: the spreadsheet function DDB.

    >>> charges = double_declining(2_400, 300, 10)
    >>> charges[0], round_half_up(charges[9])
    (Decimal('480.0'), Decimal('22.12'))
    """
    _require_asset(cost, salvage, years)
    require(factor > 0, f"a factor of {factor} depreciates nothing", "a factor is above 0")
    share = min(Decimal(1), Decimal(factor) / years)
    book, charges = Decimal(cost), list[Decimal]()
    for _ in range(years):
        charge = min(book * share, book - salvage)
        book -= charge
        charges.append(charge)
    return tuple(charges)


def double_declining_china(cost: Amount, salvage: Amount, years: int) -> tuple[Decimal, ...]:
    """Return China's double declining balance (双倍余额递减法): 2/n of the book value, two last years level.

    The salvage is left aside until the last two years, which take (B - S) / 2 each. So the charges always
    add up to cost less salvage, and differ from the Western ones in the last years. A life of two years is
    level.

    Raises:
        InputError: as `straight_line`; or the book value before the last two years is below the salvage
            already, so that the method does not suit the asset.

    Source: CAS 4 固定资产 (2006), article 17, and its application guidance.

    >>> [int(one) for one in double_declining_china(1_000_000, 4_000, 5)]
    [400000, 240000, 144000, 106000, 106000]
    """
    _require_asset(cost, salvage, years)
    level_years = min(_LEVEL_YEARS, years)
    book, charges = Decimal(cost), list[Decimal]()
    for _ in range(years - level_years):
        charge = book * 2 / years
        book -= charge
        charges.append(charge)
    require(
        book >= salvage,
        f"the book value falls to {round_half_up(book)}, below the salvage of {salvage}",
        "the double declining balance leaves the salvage aside until the last two years",
        "use the straight line or the sum of the years' digits",
    )
    return (*charges, *((book - salvage) / level_years,) * level_years)


def fixed_declining(
    cost: Amount, salvage: Amount, years: int, *, first_year_months: int = _MONTHS
) -> tuple[Decimal, ...]:
    """Return charges at a fixed rate of the book value, q = 1 - (S / C)^(1/n) rounded to three decimals.

    The first year is charged for its months; a broken first year is made up for in one more year at the end.

    Raises:
        InputError: as `straight_line`, the salvage is not above 0, or the months are not 1 to 12.

    Source: the spreadsheet function DB.

    >>> round_half_up(fixed_declining(1_000_000, 100_000, 6, first_year_months=7)[0])
    Decimal('186083.33')
    """
    _require_asset(cost, salvage, years)
    require(salvage > 0, "a fixed rate never reaches zero", "the salvage is above 0")
    require(
        1 <= first_year_months <= _MONTHS, f"{first_year_months} months are no year", "a year has 1 to 12"
    )
    rate = round_half_up(1 - (Decimal(salvage) / cost) ** (Decimal(1) / years), 3)
    book, charges = Decimal(cost), list[Decimal]()
    rest = _MONTHS - first_year_months
    for months in (first_year_months, *(_MONTHS,) * (years - 1), *((rest,) if rest else ())):
        charge = book * rate * months / _MONTHS
        book -= charge
        charges.append(charge)
    return tuple(charges)


def by_output(cost: Amount, salvage: Amount, total: Amount, outputs: Sequence[Amount]) -> tuple[Decimal, ...]:
    """Return charges in proportion to output (工作量法), (C - S) u_k / U, such as accelerator-hours.

    Raises:
        InputError: the salvage is not between zero and the cost, or the outputs exceed the total.

    Source: CAS 4 固定资产 (2006), article 17; IAS 16, paragraph 62.

    >>> by_output(1_000, 100, 9_000, [3_000, 6_000])
    (Decimal('300'), Decimal('600'))
    """
    _require_asset(cost, salvage, 1)
    require(total > 0, f"a total output of {total} carries no cost", "the total output is above 0")
    require(sum(outputs) <= total, "the outputs exceed the total", "an asset is depreciated once")
    return tuple((Decimal(cost) - salvage) * output / total for output in outputs)


def by_calendar_year(
    charges: Sequence[Amount], in_service: date, *, from_next_month: bool = True
) -> dict[int, Decimal]:
    """Return charges by calendar year, each year of life spread evenly over its twelve months.

    Depreciation starts in the month after that of first use and runs in the month of retirement, as China's
    accounts have it; an asset put to use in December is charged from January on.

    Args:
        charges: by year of life.
        in_service: first day of use.
        from_next_month: False to start with the month of first use.

    Source: CAS 4 固定资产 (2006), application guidance, section 2; Implementation Regulations of the
        Enterprise Income Tax Law of China (2019), article 59.

    >>> from datetime import date
    >>> by_calendar_year([1_200, 600], date(2026, 9, 15))
    {2026: Decimal('300'), 2027: Decimal('1050'), 2028: Decimal('450')}
    """
    start = in_service.year * _MONTHS + in_service.month - 1 + (1 if from_next_month else 0)
    months: dict[int, Decimal] = {}
    for life_year, charge in enumerate(charges):
        first = start + life_year * _MONTHS
        for year in (first // _MONTHS, first // _MONTHS + 1):
            shared = min(first + _MONTHS, (year + 1) * _MONTHS) - max(first, year * _MONTHS)
            if shared > 0:
                months[year] = months.get(year, Decimal(0)) + Decimal(charge) * shared / _MONTHS
    return months


def _require_asset(cost: Amount, salvage: Amount, years: int) -> None:
    require(years >= 1, f"a life of {years} years cannot be depreciated over", "a life is at least one year")
    require(
        0 <= salvage <= cost,
        f"a salvage of {salvage} does not fit a cost of {cost}",
        "the salvage lies between zero and the cost",
    )
