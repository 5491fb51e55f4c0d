"""Repayment of loans: level payments (等额本息) and equal principal (等额本金), with grace and rounding.

Source: the spreadsheet functions IPMT, PPMT, CUMIPMT and CUMPRINC for level payments; equal principal is
plain arithmetic on the balance.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.money import CENT, round_half_up
from suanli.finance.amounts import require
from suanli.finance.time_value import Timing, level_payment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.finance.amounts import Amount

__all__ = [
    "Instalment",
    "construction_interest",
    "equal_principal_schedule",
    "interest_between",
    "level_payment_schedule",
    "principal_between",
    "total_interest",
]


@dataclass(frozen=True, slots=True)
class Instalment:
    """One period of a loan."""

    period: int
    """Counted from 1, grace included."""
    payment: Decimal
    interest: Decimal
    principal: Decimal
    """What the balance falls by; negative where interest is added to it."""
    balance: Decimal
    """What is owed after the payment."""


def level_payment_schedule(  # noqa: PLR0913 - the terms of a loan
    principal: Amount,
    rate: Amount,
    periods: int,
    *,
    timing: Timing = Timing.END,
    grace: int = 0,
    cents: bool = False,
) -> tuple[Instalment, ...]:
    """Return the instalments of a loan with level payments (等额本息).

    Interest I_k = B_(k-1) r, principal P - I_k. In grace periods interest alone is paid; the level payment is
    that of the periods left. In advance, the first payment holds no interest.

    Args:
        principal: what is borrowed.
        rate: r per period.
        periods: all periods, grace included.
        timing: whether payments fall due at the end of a period or at its start.
        grace: first periods in which interest alone is paid; only with payments at the end.
        cents: round interest and payment half up to the cent; the last instalment then takes the difference.

    Raises:
        InputError: the grace leaves no period to repay in, or is asked for with payments in advance.

    >>> rows = level_payment_schedule(1_000_000, Decimal("0.049") / 12, 360)
    >>> round_half_up(rows[0].payment), round_half_up(total_interest(rows))
    (Decimal('5307.27'), Decimal('910616.19'))
    """
    _require_terms(periods, grace, timing)
    level = level_payment(rate, periods - grace, principal, timing=timing)
    level = round_half_up(level) if cents else level
    rows: list[Instalment] = []
    balance = Decimal(principal)
    for period in range(1, periods + 1):
        interest = _interest(balance, rate, free=timing is Timing.START and period == 1, cents=cents)
        repaid = Decimal(0) if period <= grace else level - interest
        # The last instalment pays what is owed: the rounding of all others, and no noise of division.
        repaid = balance if period == periods else repaid
        balance -= repaid
        rows.append(Instalment(period, interest + repaid, interest, repaid, balance))
    return tuple(rows)


def equal_principal_schedule(
    principal: Amount, rate: Amount, periods: int, *, grace: int = 0, cents: bool = False
) -> tuple[Instalment, ...]:
    """Return the instalments of a loan that is repaid by equal parts of the principal (等额本金).

    Principal L / n in each period, interest I_k = B_(k-1) r, so that payments fall by L r / n each period.
    Parameters as `level_payment_schedule`, payments at the end of a period.

    Raises:
        InputError: the grace leaves no period to repay in.

    >>> rows = equal_principal_schedule(1_000_000, Decimal("0.049") / 12, 360)
    >>> round_half_up(rows[0].payment), round_half_up(total_interest(rows))
    (Decimal('6861.11'), Decimal('737041.67'))
    """
    _require_terms(periods, grace, Timing.END)
    part = Decimal(principal) / (periods - grace)
    part = round_half_up(part) if cents else part
    rows: list[Instalment] = []
    balance = Decimal(principal)
    for period in range(1, periods + 1):
        interest = _interest(balance, rate, free=False, cents=cents)
        repaid = Decimal(0) if period <= grace else part
        repaid = balance if period == periods else repaid
        balance -= repaid
        rows.append(Instalment(period, interest + repaid, interest, repaid, balance))
    return tuple(rows)


def _require_terms(periods: int, grace: int, timing: Timing) -> None:
    require(
        0 <= grace < periods,
        f"{grace} grace periods leave nothing of {periods} to repay in",
        "a loan has more periods than grace periods",
    )
    require(
        not grace or timing is Timing.END,
        "a loan with grace is not paid in advance",
        "the interest of a period is known at its end",
        "leave out the grace or pay at the end of periods",
    )


def _interest(balance: Decimal, rate: Amount, *, free: bool, cents: bool) -> Decimal:
    interest = Decimal(0) if free else balance * rate
    return round_half_up(interest, CENT) if cents else interest


def total_interest(schedule: Sequence[Instalment]) -> Decimal:
    """Return the interest of all periods.

    >>> total_interest(equal_principal_schedule(1_200, Decimal("0.01"), 2))
    Decimal('18.00')
    """
    return sum((one.interest for one in schedule), Decimal(0))


def interest_between(schedule: Sequence[Instalment], first: int, last: int) -> Decimal:
    """Return the interest of the periods from one to another, both included.

    Raises:
        InputError: the periods are not of the schedule or in the wrong order.

    >>> rows = level_payment_schedule(125_000, Decimal("0.0075"), 360)
    >>> round_half_up(interest_between(rows, 13, 24))
    Decimal('11135.23')
    """
    return sum((one.interest for one in _between(schedule, first, last)), Decimal(0))


def principal_between(schedule: Sequence[Instalment], first: int, last: int) -> Decimal:
    """Return the principal repaid in the periods from one to another, both included.

    Raises:
        InputError: the periods are not of the schedule or in the wrong order.

    >>> rows = level_payment_schedule(125_000, Decimal("0.0075"), 360)
    >>> round_half_up(principal_between(rows, 13, 24))
    Decimal('934.11')
    """
    return sum((one.principal for one in _between(schedule, first, last)), Decimal(0))


def _between(schedule: Sequence[Instalment], first: int, last: int) -> Sequence[Instalment]:
    require(
        1 <= first <= last <= len(schedule),
        f"periods {first} to {last} are not of a loan of {len(schedule)}",
        "periods count from 1 to the last of the loan",
    )
    return schedule[first - 1 : last]


def construction_interest(draws: Sequence[Amount], rate: Amount) -> tuple[Decimal, ...]:
    """Return the interest of each year of construction (建设期利息), q_j = (P_(j-1) + A_j / 2) r.

    Loans are drawn evenly within a year and nothing is repaid, so that a year's draw A_j bears half a year's
    interest and P_(j-1) is what was owed before, interest included.

    Source: National Development and Reform Commission and Ministry of Construction, Methods and Parameters of
        the Economic Evaluation of Construction Projects (建设项目经济评价方法与参数), 3rd edition, 2006.

    >>> [round_half_up(one) for one in construction_interest([300, 600, 400], Decimal("0.12"))]
    [Decimal('18.00'), Decimal('74.16'), Decimal('143.06')]
    """
    owed, years = Decimal(0), list[Decimal]()
    for draw in draws:
        interest = (owed + Decimal(draw) / 2) * rate
        owed += draw + interest
        years.append(interest)
    return tuple(years)
