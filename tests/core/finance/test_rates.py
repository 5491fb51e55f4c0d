"""Internal rates: all of them, one of them, or a reason why there is none."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from suanli.errors import InputError
from suanli.finance.rates import (
    annuity_rate,
    dated_internal_rate,
    dated_present_value,
    effective_annual_rate,
    internal_rate_of_return,
    internal_rates,
    interpolated_internal_rate,
    modified_internal_rate,
    nominal_annual_rate,
)
from suanli.finance.time_value import Timing, level_payment, present_value


def test_flows_that_never_change_sign_have_no_rate() -> None:
    for flows in ([100, 100], [-100, -1], [0, 0], [-100, 0]):
        assert internal_rates(flows) == ()
        with pytest.raises(InputError, match="no internal rate of return") as error:
            internal_rate_of_return(flows)
        assert "net present values" in str(error.value)


def test_flows_that_change_sign_often_may_have_several_rates_and_the_error_names_them() -> None:
    """Minus 100 (1 - 1.1 v)(1 - 1.2 v): zero at 10 and 20 %."""
    flows = [-100, 230, -132]
    assert internal_rates(flows) == (Decimal("0.1"), Decimal("0.2"))
    with pytest.raises(InputError, match=r"10\.0000%, 20\.0000%") as error:
        internal_rate_of_return(flows)
    assert "modified internal rate" in str(error.value)


def test_three_rates_are_found() -> None:
    """Minus (1 - v)(1 - 2 v)(1 - 3 v), so 0, 100 and 200 %."""
    assert internal_rates([-1, 6, -11, 6]) == (Decimal(0), Decimal(1), Decimal(2))


def test_two_rates_that_coincide_are_one() -> None:
    """Minus 100 (1 - 1.1 v)^2: the value touches zero and does not cross it."""
    assert internal_rate_of_return([-100, 220, -121]) == pytest.approx(Decimal("0.1"), abs=Decimal("1e-6"))


def test_flows_may_change_sign_twice_and_have_no_rate() -> None:
    assert internal_rates([100, -100, 100]) == ()


def test_flows_may_change_sign_often_and_have_one_rate() -> None:
    """A refit in the second year that costs little."""
    flows = [-1000, 500, -10, 700]
    assert len(internal_rates(flows)) == 1
    rate = internal_rate_of_return(flows)
    assert present_value(rate, flows, first_year=0) == pytest.approx(0, abs=Decimal("1e-9"))


def test_a_rate_may_be_negative_or_zero() -> None:
    assert internal_rate_of_return([-100, 50]) == Decimal("-0.5")
    assert internal_rate_of_return([-100, 40, 60]) == 0
    assert internal_rate_of_return([100, -110]) == Decimal("0.1")


def test_a_long_and_steep_project_is_solved_as_well() -> None:
    months = [-1_000_000, *[30_000] * 360]
    rate = internal_rate_of_return(months)
    assert rate == pytest.approx(Decimal("0.03"), abs=Decimal("1e-6"))
    assert internal_rate_of_return([-1, 10**9]) == pytest.approx(10**9 - 1)
    assert internal_rate_of_return([-(10**9), 1]) == pytest.approx(-1 + Decimal("1e-9"))


def test_the_modified_rate_is_between_reinvestment_and_internal_rate() -> None:
    flows = [-1000, 500, 500, 500]
    internal = internal_rate_of_return(flows)
    modified = modified_internal_rate(flows, Decimal("0.08"), Decimal("0.08"))

    assert Decimal("0.08") < modified < internal
    assert modified_internal_rate(flows, internal, internal) == pytest.approx(internal)
    with pytest.raises(InputError, match="no modified"):
        modified_internal_rate([1, 2], 0, 0)


def test_dated_flows_count_days_over_365() -> None:
    """The example of the spreadsheet functions XNPV (9 %) and XIRR."""
    flows = [
        (date(2008, 1, 1), -10_000),
        (date(2008, 3, 1), 2_750),
        (date(2008, 10, 30), 4_250),
        (date(2009, 2, 15), 3_250),
        (date(2009, 4, 1), 2_750),
    ]
    assert dated_present_value(Decimal("0.09"), flows) == pytest.approx(
        Decimal("2086.6476"), abs=Decimal("1e-4")
    )
    assert dated_internal_rate(flows) == pytest.approx(Decimal("0.373362535"), abs=Decimal("1e-8"))
    assert dated_present_value(dated_internal_rate(flows), flows) == pytest.approx(0, abs=Decimal("1e-6"))


def test_dated_flows_start_with_the_earliest_but_need_no_other_order() -> None:
    first, last, middle = (date(2025, 1, 1), -100), (date(2027, 1, 1), 60), (date(2026, 1, 1), 60)
    assert dated_internal_rate([first, last, middle]) == dated_internal_rate([first, middle, last])
    with pytest.raises(InputError, match="lie before the first"):
        dated_present_value(Decimal("0.1"), [middle, first])
    with pytest.raises(InputError, match="no flows"):
        dated_internal_rate([])
    with pytest.raises(InputError, match="-100 %"):
        dated_present_value(-1, [first])


def test_interpolation_lies_above_the_exact_rate_and_meets_it_between_close_trials() -> None:
    flows = [-1000, 300, 400, 500]
    exact = internal_rate_of_return(flows)

    def between(low: str, high: str) -> Decimal:
        trials = [(Decimal(rate), present_value(Decimal(rate), flows, first_year=0)) for rate in (low, high)]
        return interpolated_internal_rate(*trials[0], *trials[1])

    assert exact < between("0.085", "0.09") < between("0.05", "0.12")
    assert between("0.0889", "0.0890") == pytest.approx(exact, abs=Decimal("1e-7"))


@pytest.mark.parametrize(("low", "high"), [(-1, -2), (1, 2), (-1, 1), (0, 0)])
def test_trial_values_enclose_zero(low: int, high: int) -> None:
    with pytest.raises(InputError, match="enclose zero"):
        interpolated_internal_rate(Decimal("0.1"), low, Decimal("0.2"), high)


def test_nominal_and_effective_rates_are_each_other_s_inverse() -> None:
    for periods in (1, 2, 4, 12, 365):
        effective = effective_annual_rate(Decimal("0.06"), periods)
        assert nominal_annual_rate(effective, periods) == pytest.approx(Decimal("0.06"), abs=Decimal("1e-20"))
    for refused in (effective_annual_rate, nominal_annual_rate):
        with pytest.raises(InputError, match="no year"):
            refused(Decimal("0.06"), 0)
    with pytest.raises(InputError, match="no root"):
        nominal_annual_rate(-1, 12)


@pytest.mark.parametrize("timing", Timing)
@pytest.mark.parametrize("final", [0, 20_000])
def test_the_rate_of_a_lease_is_that_of_its_payments(timing: Timing, final: int) -> None:
    payment = level_payment(Decimal("0.01"), 24, 100_000, timing=timing, final=final)
    rate = annuity_rate(24, payment, 100_000, timing=timing, final=final)

    assert rate == pytest.approx(Decimal("0.01"), abs=Decimal("1e-12"))
