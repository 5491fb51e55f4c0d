"""Payback, static and discounted."""

from __future__ import annotations

from decimal import Decimal

import pytest

from suanli.errors import InputError
from suanli.finance.payback import discounted_payback, profitability_index, static_payback


def test_the_outlay_today_and_at_the_end_of_year_one_are_a_year_apart() -> None:
    flows = [-100, 40, 40, 40]
    assert static_payback(flows, first_year=0) == Decimal("2.5")
    assert static_payback(flows, first_year=1) == Decimal("3.5")


def test_a_whole_year_is_not_interpolated() -> None:
    assert static_payback([-100, 50, 50, 50], first_year=0) == 2


def test_a_project_that_never_pays_back_has_no_payback() -> None:
    assert static_payback([-100, 10, 10], first_year=0) is None
    assert discounted_payback(Decimal("0.2"), [-100, 60, 60], first_year=0) is None


def test_what_costs_nothing_has_paid_back_at_once() -> None:
    assert static_payback([10, 10], first_year=1) == 0


def test_the_first_year_that_breaks_even_counts_even_if_a_later_one_falls_back() -> None:
    assert static_payback([-100, 150, -100, 100], first_year=0) == pytest.approx(Decimal(2) / 3)


def test_discounting_lengthens_payback_and_a_rate_of_zero_does_not() -> None:
    flows = [-600, -900, 300, 500, 500, 500, 500, 500]
    static = static_payback(flows, first_year=1)
    discounted = discounted_payback(Decimal("0.08"), flows, first_year=1)

    assert static is not None
    assert discounted is not None
    assert discounted > static
    assert discounted_payback(0, flows, first_year=1) == static


def test_dynamic_payback_with_printed_factors() -> None:
    """At 10 %, factors 0.9091, 0.8264, 0.7513, 0.6830: -100 + 3 x 40 discounted is -0.53; 0.53 of 27.32."""
    flows = [-100, 40, 40, 40, 40]
    found = discounted_payback(Decimal("0.1"), flows, first_year=0, factor_places=4)
    assert found == pytest.approx(3 + (100 - 40 * Decimal("2.4868")) / (40 * Decimal("0.6830")))


def test_an_index_needs_an_outlay() -> None:
    with pytest.raises(InputError, match="outlay"):
        profitability_index(Decimal("0.1"), 0, [1])
