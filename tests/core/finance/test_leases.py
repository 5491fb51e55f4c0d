"""Leases: what is owed at the start is paid by the end."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from suanli.domain.money import round_half_up
from suanli.errors import InputError
from suanli.finance.leases import Lease, lease_schedule, lease_start
from suanli.finance.time_value import Timing, annuity_present_value

RENTS = Lease((50_000,) * 10, Decimal("0.05"), Timing.START, initial_direct_costs=20_000, incentives=5_000)


@pytest.mark.parametrize("timing", Timing)
@pytest.mark.parametrize("final", [0, 30_000])
def test_the_liability_is_paid_off_and_the_asset_written_off(timing: Timing, final: int) -> None:
    lease = replace(RENTS, timing=timing, final=final)
    start, rows = lease_start(lease), lease_schedule(lease)

    assert rows[-1].liability == pytest.approx(0, abs=1e-15)
    assert rows[-1].right_of_use_asset == pytest.approx(0, abs=1e-15)
    assert sum(row.depreciation for row in rows) == pytest.approx(start.right_of_use_asset)
    # What is paid is rent, and it pays the liability and its interest.
    paid = start.paid + sum(row.payment for row in rows)
    assert paid == sum(lease.payments) + final
    assert sum(row.interest for row in rows) == pytest.approx(paid - start.paid - start.liability)


def test_the_first_rent_in_advance_is_no_liability() -> None:
    start = lease_start(RENTS)

    assert start.paid == 50_000
    assert start.liability == pytest.approx(annuity_present_value(RENTS.rate, 9, 50_000))
    assert start.right_of_use_asset == start.liability + 50_000 + 20_000 - 5_000


def test_in_arrears_all_rents_are() -> None:
    start = lease_start(replace(RENTS, timing=Timing.END))

    assert start.paid == 0
    assert start.liability == pytest.approx(annuity_present_value(RENTS.rate, 10, 50_000))


def test_expenses_of_the_accounts_fall_while_rent_is_level() -> None:
    rows = lease_schedule(replace(RENTS, timing=Timing.END))
    expenses = [row.interest + row.depreciation for row in rows]

    assert expenses == sorted(expenses, reverse=True)
    assert expenses[0] > 50_000 > expenses[-1] - 2_000


def test_rents_may_rise_and_restoration_is_part_of_the_asset() -> None:
    lease = Lease((100, 110, 121), Decimal("0.1"), Timing.END, restoration=7)
    start = lease_start(lease)

    assert round_half_up(start.liability) == Decimal("272.73")
    assert start.right_of_use_asset - start.liability == 7


def test_at_a_rate_of_zero_the_liability_is_the_rent() -> None:
    assert lease_start(Lease((10, 20), 0, Timing.END)).liability == 30


def test_a_lease_has_payments() -> None:
    with pytest.raises(InputError, match="without payments"):
        lease_start(Lease((), Decimal("0.05"), Timing.END))
