"""Present values and level payments at the edges of their definition."""

from __future__ import annotations

from decimal import Decimal

import pytest

from suanli.domain.money import round_half_up
from suanli.errors import InputError
from suanli.finance.time_value import (
    Timing,
    annuity_factor,
    annuity_present_value,
    discount_factor,
    equivalent_annual_cost,
    future_value,
    level_payment,
    number_of_payments,
    present_value,
)


def test_at_a_rate_of_zero_money_is_added_up() -> None:
    assert present_value(0, [-100, 40, 40, 40], first_year=0) == 20
    assert annuity_factor(0, 12) == annuity_factor(0, 12, Timing.START) == 12
    assert level_payment(0, 12, 1200) == 100
    assert future_value(0, 10, initial=5, payment=1) == 15
    assert number_of_payments(0, 100, 1200) == 12


def test_a_later_first_year_discounts_every_flow_once_more() -> None:
    rate, flows = Decimal("0.08"), [100, 200, 300]
    years = [present_value(rate, flows, first_year=year) for year in (0, 1, 2)]

    assert years[0] / years[1] == pytest.approx(Decimal("1.08"))
    assert years[1] / years[2] == pytest.approx(Decimal("1.08"))


def test_rounded_factors_are_those_of_printed_tables() -> None:
    """Four digits at 8 %: 0.9259, 0.8573, 0.7938, 0.7350, 0.6806, 0.6302, 0.5835."""
    printed = ["0.9259", "0.8573", "0.7938", "0.7350", "0.6806", "0.6302", "0.5835"]
    assert [str(discount_factor(Decimal("0.08"), year, places=4)) for year in range(1, 8)] == printed
    assert annuity_factor(Decimal("0.10"), 5, places=4) == Decimal("3.7908")


def test_a_negative_rate_is_allowed_down_to_minus_one() -> None:
    assert discount_factor(Decimal("-0.5"), 1) == 2
    for rate in (-1, Decimal("-1.5")):
        with pytest.raises(InputError, match="-100 %"):
            discount_factor(rate, 1)


def test_payments_in_advance_are_those_in_arrears_a_period_earlier() -> None:
    rate = Decimal("0.01")
    arrears, advance = (level_payment(rate, 10, 10_000, timing=timing) for timing in Timing)

    assert arrears / advance == pytest.approx(1 + rate)
    assert annuity_present_value(rate, 10, advance, timing=Timing.START) == pytest.approx(10_000)


def test_a_balloon_lowers_the_payments_and_is_worth_the_rest() -> None:
    rate = Decimal("0.005")
    payment = level_payment(rate, 36, 100_000, final=30_000)

    assert payment < level_payment(rate, 36, 100_000)
    assert annuity_present_value(rate, 36, payment, final=30_000) == pytest.approx(100_000)


def test_payments_that_do_not_cover_the_interest_never_end() -> None:
    assert round_half_up(number_of_payments(Decimal("0.01"), 101, 10_000), 1) == Decimal("463.8")
    for payment in (100, 99, 0):
        with pytest.raises(InputError, match=r"interest|nothing off"):
            number_of_payments(Decimal("0.01"), payment, 10_000)


def test_a_loan_has_a_period() -> None:
    with pytest.raises(InputError, match="0 periods"):
        level_payment(Decimal("0.01"), 0, 100)
    with pytest.raises(InputError, match="less than none"):
        annuity_factor(Decimal("0.01"), -1)


def test_the_asset_with_the_lower_equivalent_annual_cost_is_cheaper_over_a_common_life() -> None:
    """Three years at 15 and 5 a year against two at 10 and 6, at 6 %: Brealey, Myers, Allen, chapter 6."""
    rate = Decimal("0.06")
    longer = equivalent_annual_cost(rate, 3, 15, yearly=5)
    shorter = equivalent_annual_cost(rate, 2, 10, yearly=6)
    six_years = [annuity_present_value(rate, 6, cost) for cost in (longer, shorter)]

    assert [round_half_up(one) for one in (longer, shorter)] == [Decimal("10.61"), Decimal("11.45")]
    assert six_years[0] < six_years[1]
    assert equivalent_annual_cost(rate, 3, 15, yearly=5, salvage=3) < longer
