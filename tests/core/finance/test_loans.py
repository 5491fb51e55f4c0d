"""Schedules of loans: they close at zero, in whole cents where asked, with grace and in advance."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import pytest

from suanli.domain.money import round_half_up
from suanli.errors import InputError
from suanli.finance.loans import (
    construction_interest,
    equal_principal_schedule,
    interest_between,
    level_payment_schedule,
    principal_between,
    total_interest,
)
from suanli.finance.time_value import Timing

if TYPE_CHECKING:
    from collections.abc import Callable

    from suanli.finance.loans import Instalment

Schedule: TypeAlias = "Callable[..., tuple[Instalment, ...]]"
RATE = Decimal("0.049") / 12


@pytest.mark.parametrize("cents", [False, True])
@pytest.mark.parametrize("grace", [0, 6])
@pytest.mark.parametrize("schedule", [level_payment_schedule, equal_principal_schedule])
def test_a_loan_is_paid_off(schedule: Schedule, grace: int, *, cents: bool) -> None:
    rows = schedule(1_000_000, RATE, 36, grace=grace, cents=cents)

    assert len(rows) == 36
    assert rows[-1].balance == 0
    assert principal_between(rows, 1, 36) == pytest.approx(1_000_000)
    assert [row.principal for row in rows[:grace]] == [0] * grace
    for row in rows:
        assert row.payment == row.interest + row.principal


@pytest.mark.parametrize("schedule", [level_payment_schedule, equal_principal_schedule])
def test_rounded_instalments_are_whole_cents_and_the_last_one_balances(schedule: Schedule) -> None:
    rows = schedule(1_000_000, RATE, 360, cents=True)

    for row in rows:
        for amount in (row.payment, row.interest, row.principal, row.balance):
            assert amount == round_half_up(amount)
    assert sum(row.principal for row in rows) == 1_000_000
    assert abs(rows[-1].principal - rows[-2].principal) < 360 * Decimal("0.01") + Decimal(25)


def test_level_payments_are_level_and_equal_parts_fall_evenly() -> None:
    level = level_payment_schedule(1_000_000, RATE, 120)
    equal = equal_principal_schedule(1_000_000, RATE, 120)
    falls = [before.payment - after.payment for before, after in pairwise(equal)]

    assert max(row.payment for row in level) - min(row.payment for row in level) < Decimal("1e-15")
    assert max(falls) - min(falls) < Decimal("1e-15")
    assert total_interest(equal) < total_interest(level)


def test_in_grace_interest_alone_is_paid_and_the_rest_is_a_shorter_loan() -> None:
    rows = level_payment_schedule(1_000_000, RATE, 48, grace=12)
    short = level_payment_schedule(1_000_000, RATE, 36)

    assert [row.payment for row in rows[:12]] == [1_000_000 * RATE] * 12
    assert [row.payment for row in rows[12:]] == [row.payment for row in short]


def test_in_advance_the_first_payment_holds_no_interest() -> None:
    rows = level_payment_schedule(10_000, Decimal("0.01"), 10, timing=Timing.START)

    assert rows[0].interest == 0
    assert rows[1].interest == pytest.approx((10_000 - rows[0].payment) / 100)
    assert rows[-1].balance == 0
    assert rows[-1].payment == pytest.approx(rows[0].payment)


@pytest.mark.parametrize(("periods", "grace"), [(0, 0), (12, 12), (12, 13), (12, -1)])
def test_a_loan_has_periods_to_repay_in(periods: int, grace: int) -> None:
    for schedule in (level_payment_schedule, equal_principal_schedule):
        with pytest.raises(InputError, match="grace periods"):
            schedule(100, RATE, periods, grace=grace)


def test_grace_and_payments_in_advance_exclude_each_other() -> None:
    with pytest.raises(InputError, match="in advance"):
        level_payment_schedule(100, RATE, 12, grace=1, timing=Timing.START)


@pytest.mark.parametrize(("first", "last"), [(0, 3), (5, 4), (1, 13)])
def test_a_span_lies_within_the_loan(first: int, last: int) -> None:
    rows = level_payment_schedule(100, RATE, 12)
    for part in (interest_between, principal_between):
        with pytest.raises(InputError, match="not of a loan of 12"):
            part(rows, first, last)


def test_interest_of_construction_compounds() -> None:
    """300, 600 and 400 drawn evenly within three years at 12 %: 235.22 together."""
    assert round_half_up(sum(construction_interest([300, 600, 400], Decimal("0.12")), Decimal(0))) == Decimal(
        "235.22"
    )
    assert construction_interest([], Decimal("0.12")) == ()
