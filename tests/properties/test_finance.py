"""The finance library against numpy-financial on random inputs, and laws that hold for any of them.

Spreadsheet functions, and numpy-financial with them, give payments the sign opposite to the principal; this
library does not. Budget: 100 examples each, 2 s together.
"""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy_financial as npf  # type: ignore[import-untyped]
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from suanli.domain.money import round_half_up
from suanli.errors import InputError
from suanli.finance.depreciation import (
    by_calendar_year,
    double_declining,
    double_declining_china,
    straight_line,
    sum_of_years_digits,
)
from suanli.finance.leases import Lease, lease_schedule, lease_start
from suanli.finance.loans import equal_principal_schedule, level_payment_schedule, total_interest
from suanli.finance.payback import discounted_payback, static_payback
from suanli.finance.rates import (
    annuity_rate,
    effective_annual_rate,
    internal_rate_of_return,
    internal_rates,
    interpolated_internal_rate,
    modified_internal_rate,
    nominal_annual_rate,
)
from suanli.finance.time_value import (
    Timing,
    annuity_present_value,
    future_value,
    level_payment,
    number_of_payments,
    present_value,
)
from suanli.finance.training_cost import InterconnectBasis, interconnect_cost

if TYPE_CHECKING:
    from datetime import date

amounts = st.decimals(min_value=1, max_value=10**9, places=2)
period_rates = st.decimals(min_value=Decimal("-0.2"), max_value=Decimal("0.5"), places=6)
positive_rates = st.decimals(min_value=Decimal("0.0001"), max_value=Decimal("0.3"), places=6)
alike = st.decimals(min_value=1, max_value=1000, places=2)
"""Amounts within three orders of magnitude: beyond them the peer's polynomials lose their last digits."""
peer_rates = st.one_of(
    st.decimals(min_value=Decimal("-0.2"), max_value=Decimal("-0.0005"), places=6),
    st.decimals(min_value=Decimal("0.0005"), max_value=Decimal("0.5"), places=6),
)
"""The closed forms of the peer lose digits near a rate of zero and divide by it at zero."""
periods = st.integers(1, 120)
loan_rates = st.decimals(min_value=Decimal("0.0005"), max_value=Decimal("0.05"), places=6)
"""Per period: at higher ones the peer's balances grow out of the digits of a float."""
flow_amounts = st.decimals(min_value=-(10**6), max_value=10**6, places=2)
flow_lists = st.lists(flow_amounts, min_size=2, max_size=12)
timings = st.sampled_from(list(Timing))
shares = st.decimals(min_value=0, max_value=Decimal("0.9"), places=4)
assets = st.tuples(amounts, shares, st.integers(1, 20)).map(lambda one: (one[0], one[0] * one[1], one[2]))


def when(timing: Timing) -> str:
    return "begin" if timing is Timing.START else "end"


def close(given_value: Decimal, expected: float, size: float = 0.0) -> bool:
    """Tell whether two agree to what binary floats leave of sums of that size."""
    return math.isclose(float(given_value), expected, rel_tol=1e-8, abs_tol=1e-9 * max(1.0, size))


@given(rate=period_rates, flows=flow_lists)
def test_present_value_is_numpy_financials(rate: Decimal, flows: list[Decimal]) -> None:
    expected = float(npf.npv(float(rate), [float(flow) for flow in flows]))
    size = sum(abs(float(flow)) for flow in flows) * 0.8 ** -len(flows)

    assert close(present_value(rate, flows, first_year=0), expected, size)


@given(rate=peer_rates, count=periods, principal=amounts, timing=timings, final=st.integers(0, 10**6))
def test_level_payment_is_numpy_financials(
    rate: Decimal, count: int, principal: Decimal, timing: Timing, final: int
) -> None:
    expected = -float(npf.pmt(float(rate), count, float(principal), -final, when(timing)))
    size = float(principal) + final

    assert close(level_payment(rate, count, principal, timing=timing, final=final), expected, size)


@given(rate=loan_rates, count=periods, principal=amounts, timing=timings, data=st.data())
def test_interest_and_principal_of_a_period_are_numpy_financials(
    rate: Decimal, count: int, principal: Decimal, timing: Timing, data: st.DataObject
) -> None:
    period = data.draw(st.integers(1, count))
    row = level_payment_schedule(principal, rate, count, timing=timing)[period - 1]
    terms = float(rate), period, count, float(principal)
    interest = -float(npf.ipmt(*terms, when=when(timing)))
    repaid = -float(npf.ppmt(*terms, when=when(timing)))

    assert close(row.interest, interest, float(principal))
    assert close(row.principal, repaid, float(principal))


@given(rate=peer_rates, count=periods, initial=amounts, payment=amounts, timing=timings)
def test_future_value_is_numpy_financials(
    rate: Decimal, count: int, initial: Decimal, payment: Decimal, timing: Timing
) -> None:
    expected = -float(npf.fv(float(rate), count, float(payment), float(initial), when(timing)))

    assert close(
        future_value(rate, count, initial=initial, payment=payment, timing=timing), expected, abs(expected)
    )


@given(outlay=alike, returns=st.lists(alike, min_size=1, max_size=10))
def test_the_internal_rate_of_an_investment_is_numpy_financials(
    outlay: Decimal, returns: list[Decimal]
) -> None:
    flows = [-outlay, *returns]
    rate = internal_rate_of_return(flows)
    expected = float(npf.irr([float(flow) for flow in flows]))

    # The peer returns no number where its polynomial has no root that it trusts.
    assume(not np.isnan(expected))
    assert float(rate) == pytest.approx(expected, rel=1e-6, abs=1e-8)


@given(flows=flow_lists)
def test_every_internal_rate_makes_the_value_zero_and_there_are_no_more_than_changes_of_sign(
    flows: list[Decimal],
) -> None:
    rates = internal_rates(flows)
    signs = [flow > 0 for flow in flows if flow]
    changes = sum(before != after for before, after in pairwise(signs))

    assert len(rates) <= changes
    # Descartes: a rate is missing only together with another one.
    assert changes % 2 == 0 or rates
    for rate in rates:
        assume(Decimal("-0.99") < rate < 10**6)
        terms = [abs(present_value(rate, [flow], first_year=year)) for year, flow in enumerate(flows)]
        assert abs(present_value(rate, flows, first_year=0)) <= Decimal("1e-6") * sum(terms)


@given(
    rates=st.lists(
        st.decimals(min_value=Decimal("-0.5"), max_value=2, places=2), min_size=1, max_size=4, unique=True
    )
)
def test_flows_that_are_built_from_rates_give_them_back(rates: list[Decimal]) -> None:
    flows = [Decimal(-1000)]
    for rate in rates:
        grown = [*(flow for flow in flows), Decimal(0)]
        for place, flow in enumerate(flows):
            grown[place + 1] -= flow * (1 + rate)
        flows = grown

    wanted = [float(rate) for rate in sorted(rates)]
    assert [float(rate) for rate in internal_rates(flows)] == pytest.approx(wanted, abs=1e-6)


@given(flows=flow_lists, finance=positive_rates, reinvestment=positive_rates)
def test_the_modified_rate_is_numpy_financials(
    flows: list[Decimal], finance: Decimal, reinvestment: Decimal
) -> None:
    values = [float(flow) for flow in flows]
    if min(values) >= 0 or max(values) <= 0:
        with pytest.raises(InputError):
            modified_internal_rate(flows, finance, reinvestment)
        return
    expected = float(npf.mirr(values, float(finance), float(reinvestment)))

    assert close(modified_internal_rate(flows, finance, reinvestment), expected)


@given(rate=positive_rates, count=st.integers(1, 60), principal=amounts, timing=timings)
def test_number_and_rate_of_payments_are_those_that_they_were_made_with(
    rate: Decimal, count: int, principal: Decimal, timing: Timing
) -> None:
    payment = level_payment(rate, count, principal, timing=timing)

    assert close(annuity_present_value(rate, count, payment, timing=timing), float(principal))
    assume(count > 1)
    assert float(number_of_payments(rate, payment, principal, timing)) == pytest.approx(count, rel=1e-9)
    assert float(annuity_rate(count, payment, principal, timing=timing)) == pytest.approx(
        float(rate), rel=1e-6
    )


@given(
    below=positive_rates,
    above=positive_rates,
    outlay=amounts,
    returns=st.lists(amounts, min_size=1, max_size=8),
)
def test_an_interpolated_rate_lies_between_its_trials_and_not_below_the_exact_one(
    below: Decimal, above: Decimal, outlay: Decimal, returns: list[Decimal]
) -> None:
    flows = [-outlay, *returns]
    exact = internal_rate_of_return(flows)
    low, high = exact - below * (1 + exact), exact + above * (1 + exact)
    values = [present_value(rate, flows, first_year=0) for rate in (low, high)]
    rate = interpolated_internal_rate(low, values[0], high, values[1])

    assert low <= rate <= high
    # Rates are handed on with fourteen decimals.
    assert rate >= exact - Decimal("1e-9") * (1 + exact) - Decimal("1e-13")


@given(rate=positive_rates, count=st.sampled_from([1, 2, 4, 12, 52, 365]))
def test_compounding_more_often_is_worth_more(rate: Decimal, count: int) -> None:
    effective = effective_annual_rate(rate, count)

    assert effective >= rate
    assert abs(nominal_annual_rate(effective, count) - rate) < Decimal("1e-20")


@given(rate=positive_rates, outlay=amounts, returns=st.lists(amounts, min_size=1, max_size=10))
def test_payback_is_longer_the_more_is_discounted(
    rate: Decimal, outlay: Decimal, returns: list[Decimal]
) -> None:
    flows = [-outlay, *returns]
    static, dynamic = static_payback(flows, first_year=0), discounted_payback(rate, flows, first_year=0)

    assert (static is not None) == (sum(returns) >= outlay)
    if static is None:
        assert dynamic is None
    elif dynamic is not None:
        assert 0 < static <= dynamic + Decimal("1e-9") <= len(returns) + Decimal("1e-9")


@given(principal=amounts, rate=positive_rates, count=st.integers(2, 60), data=st.data())
def test_a_loan_in_cents_is_repaid_to_the_cent(
    principal: Decimal, rate: Decimal, count: int, data: st.DataObject
) -> None:
    grace = data.draw(st.integers(0, count - 1))
    for schedule in (level_payment_schedule, equal_principal_schedule):
        rows = schedule(principal, rate, count, grace=grace, cents=True)
        assert rows[-1].balance == 0
        assert sum(row.principal for row in rows) == principal
        assert all(row.payment == round_half_up(row.payment) for row in rows)
        owed = [principal, *(row.balance for row in rows)]
        exact = [round_half_up(balance * rate) for balance in owed[:-1]]
        assert [row.interest for row in rows] == exact


@given(principal=amounts, rate=positive_rates, count=st.integers(2, 60))
def test_equal_parts_of_the_principal_cost_less_interest(
    principal: Decimal, rate: Decimal, count: int
) -> None:
    level, equal = (
        plan(principal, rate, count) for plan in (level_payment_schedule, equal_principal_schedule)
    )
    assert total_interest(equal) <= total_interest(level)


@given(asset=assets)
def test_depreciation_never_goes_below_salvage(asset: tuple[Decimal, Decimal, int]) -> None:
    cost, salvage, years = asset
    for charges in [straight_line(*asset), sum_of_years_digits(*asset), double_declining(*asset)]:
        assert len(charges) == years
        assert min(charges) >= 0
        assert sum(charges) <= (cost - salvage) * (1 + Decimal("1e-20"))
    try:
        chinese = double_declining_china(*asset)
    except InputError:
        assert cost * (1 - Decimal(2) / years) ** (years - 2) < salvage
    else:
        assert min(chinese) >= 0
        assert abs(sum(chinese) - (cost - salvage)) < Decimal("1e-15") * cost


@given(asset=assets, day=st.dates(), next_month=st.booleans())
def test_calendar_years_share_out_all_that_is_charged(
    asset: tuple[Decimal, Decimal, int], day: date, *, next_month: bool
) -> None:
    charges = sum_of_years_digits(*asset)
    by_year = by_calendar_year(charges, day, from_next_month=next_month)

    assert abs(sum(by_year.values(), Decimal(0)) - sum(charges, Decimal(0))) < Decimal("1e-15") * asset[0]
    assert len(by_year) in {len(charges), len(charges) + 1}


@given(
    rents=st.lists(amounts, min_size=1, max_size=20),
    rate=positive_rates,
    timing=timings,
    final=st.integers(0, 10**6),
)
def test_a_lease_closes(rents: list[Decimal], rate: Decimal, timing: Timing, final: int) -> None:
    lease = Lease(tuple(rents), rate, timing, final)
    start, rows = lease_start(lease), lease_schedule(lease)
    tolerance = Decimal("1e-12") * (sum(rents) + final)

    assert abs(rows[-1].liability) < tolerance
    assert abs(rows[-1].right_of_use_asset) < tolerance
    assert start.paid + start.liability <= sum(rents) + final
    expenses = sum((row.interest + row.depreciation for row in rows), Decimal(0))
    assert abs(expenses - sum(rents) - final) < tolerance


@settings(max_examples=30)
@given(servers=amounts, share=shares)
def test_interconnect_as_a_share_of_the_cluster_is_that_share_of_it(servers: Decimal, share: Decimal) -> None:
    interconnect = interconnect_cost(servers, share, InterconnectBasis.CLUSTER)
    assert abs(interconnect - share * (servers + interconnect)) < Decimal("1e-15") * servers
