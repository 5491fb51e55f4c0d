"""Rounding for display."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suanli.estimation.results import Range
from suanli.proposal.rounding import money, places, share, shown, shown_range, significant


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (0.012345, 3, "0.0123"),
        (109.4321, 3, "109"),
        (3376.2, 3, "3376"),
        (9.9996, 3, "10.00"),
        (-2.675, 3, "-2.68"),
        (0.0, 3, "0"),
    ],
)
def test_significant_digits_are_rounded_half_up_and_whole_digits_kept(
    value: float, digits: int, expected: str
) -> None:
    assert significant(value, digits) == Decimal(expected)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_figure_that_is_not_finite_never_reaches_a_document(value: float) -> None:
    with pytest.raises(ValueError, match="must be finite"):
        significant(value)


@given(st.floats(min_value=1e-9, max_value=1e15))
def test_three_significant_digits_are_within_half_a_percent(value: float) -> None:
    assert float(significant(value)) == pytest.approx(value, rel=5.1e-3)


def test_a_range_has_the_decimals_of_its_median() -> None:
    figure = shown_range(Range(98.76, 109.4, 121.23), "day")
    assert (figure.low, figure.value, figure.high) == (Decimal(99), Decimal(109), Decimal(121))


def test_a_share_keeps_a_tenth_of_a_percent() -> None:
    assert share(0.41234) == Decimal("0.412")
    assert places(0.41234, 4) == Decimal("0.4123")


def test_money_is_rounded_to_the_cent_and_says_when_a_part_is_missing() -> None:
    amount = money(Decimal("2.675"), "CNY", incomplete=True)
    assert (amount.value, amount.unit, amount.incomplete) == (Decimal("2.68"), "CNY", True)


def test_a_shown_figure_keeps_its_reference_keys() -> None:
    assert shown(1.0, "h", refs=("S1",)).refs == ("S1",)
