"""Rounding for display loses no more than half a unit of the last digit shown."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suanli.domain.money import round_half_up
from suanli.estimation.results import Range
from suanli.proposal.rounding import places, share, shown_range, significant

magnitudes = st.floats(1e-9, 1e30, allow_nan=False, allow_infinity=False)
signed = st.builds(lambda value, sign: value * sign, magnitudes, st.sampled_from([1.0, -1.0]))


@given(signed, st.integers(1, 6))
def test_a_significant_value_is_within_half_a_unit_of_its_last_digit(value: float, digits: int) -> None:
    shown = significant(value, digits)
    exponent = shown.as_tuple().exponent
    assert isinstance(exponent, int)
    assert abs(shown - Decimal(repr(value))) <= Decimal(5).scaleb(exponent - 1)


@given(signed, st.integers(1, 6))
def test_rounding_twice_is_rounding_once(value: float, digits: int) -> None:
    once = significant(value, digits)
    assert significant(float(once), digits) == once


@given(signed, signed, st.integers(1, 6))
def test_rounding_keeps_the_order(one: float, other: float, digits: int) -> None:
    low, high = sorted((one, other))
    assert significant(low, digits) <= significant(high, digits)


@given(signed, st.integers(1, 6))
def test_rounding_is_the_same_on_both_sides_of_nothing(value: float, digits: int) -> None:
    assert significant(-value, digits) == -significant(value, digits)


@given(st.floats(1, 1e15), st.integers(1, 4))
def test_whole_digits_are_never_dropped(value: float, digits: int) -> None:
    assert abs(significant(value, digits) - Decimal(repr(value))) <= Decimal("0.5")


@given(st.floats(0, 1))
def test_a_share_stays_a_share(value: float) -> None:
    assert 0 <= share(value) <= 1


@given(st.decimals(-(10**9), 10**9, places=6), st.integers(0, 6))
def test_money_is_rounded_half_away_from_nothing(value: Decimal, decimals: int) -> None:
    rounded = round_half_up(value, decimals)
    unit = Decimal(1).scaleb(-decimals)
    assert abs(rounded - value) * 2 <= unit
    if abs(rounded - value) * 2 == unit:
        assert abs(rounded) > abs(value)


@given(st.floats(1e-6, 1e9), st.floats(0.3, 1.0), st.floats(1.0, 3.0))
def test_a_shown_range_contains_its_median(middle: float, low: float, high: float) -> None:
    figure = shown_range(Range(middle * low, middle, middle * high), "day")
    assert figure.low is not None
    assert figure.high is not None
    assert figure.low <= figure.value <= figure.high


@given(st.integers(0, 10**6), st.integers(0, 4))
def test_a_fixed_number_of_decimals_is_kept(value: int, decimals: int) -> None:
    assert -places(float(value), decimals).as_tuple().exponent == decimals  # type: ignore[operator] # pyright: ignore[reportOperatorIssue]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_stops_the_document(value: float) -> None:
    with pytest.raises(ValueError, match="must be finite"):
        significant(value)
