"""The time value of money: discounting, compounding and level payments, with their timing spelt out.

Amounts keep the sign that they are given: nothing is negated on the way, as spreadsheet functions do. Rates
are per period; a rate of zero is allowed everywhere.

Source: R. A. Brealey, S. C. Myers, F. Allen, Principles of Corporate Finance, chapter 2, for all equations.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from suanli.domain.money import round_half_up
from suanli.finance.amounts import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.finance.amounts import Amount

__all__ = [
    "Timing",
    "annuity_factor",
    "annuity_present_value",
    "discount_factor",
    "equivalent_annual_cost",
    "future_value",
    "level_payment",
    "number_of_payments",
    "present_value",
]


class Timing(StrEnum):
    """When in a period its payment falls due."""

    END = "end"
    """In arrears, as loans are repaid: an ordinary annuity."""
    START = "start"
    """In advance, as rent is paid: an annuity due."""


def discount_factor(rate: Amount, periods: int, places: int | None = None) -> Decimal:
    """Return what one unit of money after some periods is worth today, v = (1 + r)^-n.

    Args:
        rate: r per period, above -1.
        periods: n, at least 0.
        places: decimal places that the factor is rounded to, as tables of factors print four; None for none.

    Raises:
        InputError: the rate is -100 % or below.

    >>> discount_factor(Decimal("0.08"), 2, places=4)
    Decimal('0.8573')
    """
    _require_rate(rate)
    factor = (1 + Decimal(rate)) ** -periods
    return factor if places is None else round_half_up(factor, places)


def _require_rate(rate: Amount) -> None:
    require(rate > -1, f"a rate of {rate} cannot be discounted with", "a rate is above -1, that is -100 %")


def present_value(
    rate: Amount, flows: Sequence[Amount], *, first_year: int, factor_places: int | None = None
) -> Decimal:
    """Return the value today of flows at the ends of consecutive years, PV = sum of C_t / (1 + r)^t.

    A net present value is the present value of all flows, the outlay among them. It has two conventions, and
    the difference is a factor 1 + r: with the outlay today (``first_year=0``), as projects are appraised, and
    with the first flow at the end of year 1 (``first_year=1``), as spreadsheets' NPV has it.

    Args:
        rate: r per year, above -1.
        flows: C_t in order of time, receipts positive.
        first_year: t of the first flow: 0 for today, 1 for the end of the first year.
        factor_places: places that each discount factor is rounded to; None for none.

    Raises:
        InputError: the rate is -100 % or below.

    Source: Brealey, Myers, Allen, Principles of Corporate Finance, chapter 2.

    >>> flows = [-10_000, 3_000, 4_200, 6_800]
    >>> round_half_up(present_value(Decimal("0.1"), flows, first_year=1))
    Decimal('1188.44')
    >>> round_half_up(present_value(Decimal("0.1"), flows, first_year=0))
    Decimal('1307.29')
    """
    return sum(
        (
            Decimal(flow) * discount_factor(rate, year, factor_places)
            for year, flow in enumerate(flows, start=first_year)
        ),
        Decimal(0),
    )


def annuity_factor(
    rate: Amount, periods: int, timing: Timing = Timing.END, places: int | None = None
) -> Decimal:
    """Return the present value of one unit in each of n periods, a = (1 - (1 + r)^-n) / r.

    In advance it is a * (1 + r); at a rate of zero it is n. `places` rounds it as tables of factors do.

    Raises:
        InputError: the rate is -100 % or below, or there are less than no periods.

    >>> annuity_factor(Decimal("0.05"), 9, places=4)
    Decimal('7.1078')
    """
    _require_rate(rate)
    require(periods >= 0, f"{periods} periods are less than none", "a number of periods is at least 0")
    factor = (1 - discount_factor(rate, periods)) / rate if rate else Decimal(periods)
    if timing is Timing.START:
        factor *= 1 + Decimal(rate)
    return factor if places is None else round_half_up(factor, places)


def annuity_present_value(
    rate: Amount, periods: int, payment: Amount, *, timing: Timing = Timing.END, final: Amount = 0
) -> Decimal:
    """Return the present value of level payments and of one more at the end, PV = P * a + F * v^n.

    Raises:
        InputError: as `annuity_factor`.

    >>> round_half_up(annuity_present_value(Decimal("0.05"), 9, 50_000), 0)
    Decimal('355391')
    """
    level = payment * annuity_factor(rate, periods, timing)
    return level + final * discount_factor(rate, periods)


def future_value(
    rate: Amount, periods: int, *, initial: Amount = 0, payment: Amount = 0, timing: Timing = Timing.END
) -> Decimal:
    """Return what a sum and level payments grow to, FV = S (1 + r)^n + P ((1 + r)^n - 1) / r.

    Payments in advance grow one period longer. At a rate of zero it is S + n P.

    Raises:
        InputError: as `annuity_factor`.

    >>> round_half_up(future_value(Decimal("0.05") / 12, 120, initial=100, payment=100))
    Decimal('15692.93')
    """
    # The present value compounded: one equation for both timings and for a rate of zero.
    start = initial + payment * annuity_factor(rate, periods, timing)
    return start * (1 + Decimal(rate)) ** periods


def level_payment(
    rate: Amount, periods: int, principal: Amount, *, timing: Timing = Timing.END, final: Amount = 0
) -> Decimal:
    """Return the level payment that pays off a principal (等额本息), P = (L - F v^n) / a.

    In arrears P = L r (1 + r)^n / ((1 + r)^n - 1); in advance it is that divided by 1 + r.

    Args:
        rate: r per period, above -1.
        periods: n, at least 1.
        principal: L, what is borrowed, or what an asset costs.
        timing: whether a payment falls due at the end of its period or at its start.
        final: F, what is left to pay at the end beside the last payment (a balloon).

    Raises:
        InputError: the rate is -100 % or below, or there is no period.

    >>> round_half_up(level_payment(Decimal("0.075") / 12, 180, 200_000))
    Decimal('1854.02')
    """
    require(periods >= 1, f"{periods} periods cannot pay off a loan", "at least one payment is needed")
    return (principal - final * discount_factor(rate, periods)) / annuity_factor(rate, periods, timing)


def number_of_payments(
    rate: Amount, payment: Amount, principal: Amount, timing: Timing = Timing.END
) -> Decimal:
    """Return after how many level payments a principal is paid off, n = -ln(1 - L r / P) / ln(1 + r).

    A fraction says that the last payment is smaller.

    Raises:
        InputError: the payment does not even pay the interest, or the rate is -100 % or below.

    >>> round_half_up(number_of_payments(Decimal("0.01"), 100, 1_000), 3)
    Decimal('10.589')
    """
    _require_rate(rate)
    require(payment > 0, f"a payment of {payment} pays nothing off", "a payment is above 0")
    due = payment if timing is Timing.END else payment * (1 + Decimal(rate))
    if not rate:
        return Decimal(principal) / due
    left = 1 - principal * Decimal(rate) / due
    require(left > 0, f"a payment of {payment} does not cover the interest", "the principal would never fall")
    return -left.ln() / (1 + Decimal(rate)).ln()


def equivalent_annual_cost(
    rate: Amount, years: int, outlay: Amount, *, yearly: Amount = 0, salvage: Amount = 0
) -> Decimal:
    """Return the level yearly cost of owning an asset, EAC = (I - S v^n) / a + O.

    It compares assets of different lives that are replaced by their like.

    Args:
        rate: r per year, above -1.
        years: life n, at least 1.
        outlay: I, paid today.
        yearly: O, running cost at the end of each year.
        salvage: S, received at the end.

    Raises:
        InputError: as `level_payment`.

    Source: Brealey, Myers, Allen, Principles of Corporate Finance, chapter 6.

    >>> round_half_up(equivalent_annual_cost(Decimal("0.06"), 3, 15, yearly=5))
    Decimal('10.61')
    """
    return level_payment(rate, years, outlay, final=salvage) + yearly
