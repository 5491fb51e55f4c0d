"""Depreciation adds up, stays above salvage, and falls into the right years."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import pytest

from suanli.domain.money import round_half_up
from suanli.errors import InputError
from suanli.finance.depreciation import (
    by_calendar_year,
    by_output,
    double_declining,
    double_declining_china,
    fixed_declining,
    straight_line,
    sum_of_years_digits,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Method: TypeAlias = "Callable[..., tuple[Decimal, ...]]"

WHOLE: tuple[Method, ...] = (straight_line, sum_of_years_digits, double_declining_china)


@pytest.mark.parametrize("method", WHOLE)
@pytest.mark.parametrize("years", [1, 2, 3, 5, 10])
def test_charges_add_up_to_cost_less_salvage(method: Method, years: int) -> None:
    charges = method(1_000_000, 50_000, years)

    assert len(charges) == years
    assert sum(charges) == pytest.approx(950_000)


@pytest.mark.parametrize("method", [sum_of_years_digits, double_declining, fixed_declining])
def test_accelerated_charges_fall(method: Method) -> None:
    charges = method(1_000_000, 50_000, 8)
    assert all(before >= after for before, after in pairwise(charges))


def test_chinas_last_two_years_may_be_charged_more_than_the_one_before() -> None:
    """Ten years at 20 % leave 167,772 after eight, of which each of the last two takes 58,886."""
    charges = [int(one) for one in double_declining_china(1_000_000, 50_000, 10)]
    assert charges[-3:] == [41_943, 58_886, 58_886]


def test_western_declining_balance_leaves_a_rest_where_it_is_too_slow() -> None:
    slow, fast = double_declining(1_000, 0, 5), double_declining(1_000, 300, 5)

    assert sum(slow) < 1_000
    assert sum(fast) == 700
    assert fast[-1] == 0


def test_a_factor_other_than_two_is_possible() -> None:
    assert double_declining(2_400, 300, 10, Decimal("1.5"))[1] == 306
    assert double_declining(100, 0, 1, 5)[0] == 100
    with pytest.raises(InputError, match="factor"):
        double_declining(100, 0, 5, 0)


def test_chinas_declining_balance_of_short_lives_is_level() -> None:
    assert list(double_declining_china(100, 10, 2)) == [45, 45]
    assert list(double_declining_china(100, 10, 1)) == [90]


def test_chinas_declining_balance_refuses_a_high_salvage() -> None:
    with pytest.raises(InputError, match="below the salvage") as error:
        double_declining_china(1_000_000, 300_000, 5)
    assert "straight line" in str(error.value)


def test_a_fixed_rate_with_a_broken_first_year() -> None:
    """The example of the spreadsheet function DB: 1,000,000 to 100,000 in six years, seven months first."""
    printed = ["186083.33", "259639.42", "176814.44", "120410.64", "81999.64", "55841.76", "15845.10"]
    charges = fixed_declining(1_000_000, 100_000, 6, first_year_months=7)

    assert [str(round_half_up(charge)) for charge in charges] == printed
    assert len(fixed_declining(1_000, 100, 6)) == 6
    with pytest.raises(InputError, match="never reaches zero"):
        fixed_declining(1_000, 0, 6)
    with pytest.raises(InputError, match="13 months"):
        fixed_declining(1_000, 100, 6, first_year_months=13)


def test_by_output_an_idle_year_costs_nothing() -> None:
    assert list(by_output(1_000, 100, 900, [450, 0, 450])) == [450, 0, 450]
    with pytest.raises(InputError, match="exceed"):
        by_output(1_000, 100, 900, [500, 401])
    with pytest.raises(InputError, match="total output"):
        by_output(1_000, 100, 0, [])


@pytest.mark.parametrize(
    ("day", "from_next_month", "first_year", "months"),
    [
        (date(2026, 1, 31), True, 2026, 11),
        (date(2026, 11, 30), True, 2026, 1),
        (date(2026, 12, 1), True, 2027, 12),
        (date(2026, 1, 31), False, 2026, 12),
        (date(2026, 12, 31), False, 2026, 1),
    ],
)
def test_depreciation_starts_in_the_month_after_first_use(
    day: date, first_year: int, months: int, *, from_next_month: bool
) -> None:
    found = by_calendar_year([1_200] * 5, day, from_next_month=from_next_month)

    assert min(found) == first_year
    assert found[first_year] == 100 * months
    assert sum(found.values()) == 6_000
    assert len(found) == (5 if months == 12 else 6)


def test_an_accelerated_year_of_life_is_split_between_calendar_years() -> None:
    """In use in September 2026: three months of the first charge, then nine of it and three of the next."""
    charges = sum_of_years_digits(1_000_000, 4_000, 5)
    found = by_calendar_year(charges, date(2026, 9, 20))

    assert found[2026] == charges[0] * 3 / 12
    assert found[2027] == charges[0] * 9 / 12 + charges[1] * 3 / 12
    assert sum(found.values()) == 996_000


@pytest.mark.parametrize("method", [*WHOLE, double_declining, fixed_declining])
@pytest.mark.parametrize(("cost", "salvage", "years"), [(100, 101, 5), (100, -1, 5), (100, 10, 0)])
def test_an_asset_has_a_life_and_a_salvage_within_its_cost(
    method: Method, cost: int, salvage: int, years: int
) -> None:
    with pytest.raises(InputError, match=r"salvage|life"):
        method(cost, salvage, years)


def test_amounts_stay_exact() -> None:
    assert all(isinstance(charge, Decimal) for charge in straight_line(100, 0, 3))
