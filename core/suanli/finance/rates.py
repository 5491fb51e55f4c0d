"""Rates that flows imply: internal, modified, dated, interpolated; and rates of another compounding.

Rates are searched for in binary floats and handed on as decimals; every amount stays exact.
"""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from suanli.finance.amounts import require
from suanli.finance.time_value import Timing, present_value

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import date

    from suanli.finance.amounts import Amount

__all__ = [
    "annuity_rate",
    "dated_internal_rate",
    "dated_present_value",
    "effective_annual_rate",
    "internal_rate_of_return",
    "internal_rates",
    "interpolated_internal_rate",
    "modified_internal_rate",
    "nominal_annual_rate",
]

_DAYS_PER_YEAR: Final = 365
"""Days of a year in dated discounting, leap years alike, as spreadsheets' XNPV has it."""
_TOUCHES: Final = 1e-12
"""A value this small beside the sum of its terms' sizes is zero: two rates that coincide."""
_BESIDE: Final = 1e-6
"""How far inside of an interval its sign is asked for, as a share of it."""


def internal_rates(flows: Sequence[Amount], times: Sequence[float] | None = None) -> tuple[Decimal, ...]:
    """Return every rate above -100 % that makes the present value of flows zero, in rising order.

    Solves 0 = sum of C_t v^t for v = 1 / (1 + r) > 0. Between two roots of the sum of (t - k) C_t v^t the sum
    of C_t v^(t - k) is monotone, and with k set where the flows change sign, the former has one change of
    sign less. So the recursion isolates every root and ends with the changes of sign (Descartes' rule).

    Args:
        flows: C_t in order of time, receipts positive.
        times: t of each flow in years, rising; 0, 1, 2, ... where left out.

    Returns:
        No rate where the flows never change sign, one where they do once, up to as many as they do otherwise.

    Source: the argument of E. Laguerre's proof of Descartes' rule of signs (1883), for real exponents.

    >>> internal_rates([-100, 230, -132])
    (Decimal('0.1'), Decimal('0.2'))
    """
    terms = [
        (float(time), float(flow))
        for time, flow in zip(times if times is not None else range(len(flows)), flows, strict=True)
        if flow
    ]
    found = sorted(math.expm1(-root) for root in _roots(terms))
    return tuple(Decimal(repr(round(rate, 14))).normalize() + 0 for rate in found)


def _roots(terms: Sequence[tuple[float, float]]) -> list[float]:
    """Return every x = ln v at which the sum of c * exp(t x) is zero."""
    changes = [
        (before[0] + after[0]) / 2 for before, after in pairwise(terms) if (before[1] < 0) != (after[1] < 0)
    ]
    if not changes:
        return []
    turning = changes[0]
    stops = _roots([(time, (time - turning) * flow) for time, flow in terms])
    ends = [_bound(terms[::-1]), *stops, _bound(terms)]
    touching = {stop for stop in stops if _touches(terms, stop)}
    # Beside a root that only touches zero the sign is that of the interval, not of noise at its end.
    spans = [_inside(low, high, touching) for low, high in pairwise(ends)]
    crossing = {_bisected(terms, low, high) for low, high in spans if _sign(terms, low) != _sign(terms, high)}
    return sorted(touching | crossing)


def _inside(low: float, high: float, touching: Collection[float]) -> tuple[float, float]:
    """Return an interval without those of its ends that are roots already."""
    step = (high - low) * _BESIDE
    return (low + step if low in touching else low), (high - step if high in touching else high)


def _bound(terms: Sequence[tuple[float, float]]) -> float:
    """Return x beyond which the last term outweighs all others, so that no root lies there."""
    last_time, last = terms[-1]
    away = [
        math.log(len(terms) * abs(flow / last)) / (last_time - time)
        for time, flow in terms
        if time != last_time
    ]
    forward = last_time >= terms[0][0]
    return (max(0.0, *away) if forward else min(0.0, *away)) + (1.0 if forward else -1.0)


def _scaled(terms: Sequence[tuple[float, float]], x: float) -> tuple[float, float]:
    """Return the sum at x and the sum of its terms' sizes, both scaled so that neither overflows."""
    top = max(time * x for time, _ in terms)
    parts = [flow * math.exp(time * x - top) for time, flow in terms]
    return math.fsum(parts), math.fsum(map(abs, parts))


def _sign(terms: Sequence[tuple[float, float]], x: float) -> bool:
    return _scaled(terms, x)[0] > 0


def _touches(terms: Sequence[tuple[float, float]], x: float) -> bool:
    value, size = _scaled(terms, x)
    return abs(value) <= _TOUCHES * size


def _bisected(terms: Sequence[tuple[float, float]], low: float, high: float) -> float:
    positive = _sign(terms, low)
    while True:
        middle = low + (high - low) / 2
        if middle in {low, high}:
            return middle
        if _sign(terms, middle) == positive:
            low = middle
        else:
            high = middle


def internal_rate_of_return(flows: Sequence[Amount], times: Sequence[float] | None = None) -> Decimal:
    """Return the rate that makes the net present value zero (内部收益率); it may be negative.

    Args:
        flows: C_t, the first today, each other a year later than the one before.
        times: t of each flow in years where they are not 0, 1, 2, ...

    Raises:
        InputError: no rate does, because the flows never change sign; or several do, and none of them ranks
            the project. The error names them.

    Source: Brealey, Myers, Allen, Principles of Corporate Finance, chapter 5.

    >>> internal_rate_of_return([-100, 110])
    Decimal('0.1')
    >>> round(internal_rate_of_return([-70_000, 12_000, 15_000, 18_000, 21_000]), 5)
    Decimal('-0.02124')
    """
    rates = internal_rates(flows, times)
    require(
        bool(rates),
        "the flows have no internal rate of return",
        "no rate above -100 % makes their present value zero; they need at least one outlay and one receipt",
        "compare net present values",
    )
    listed = ", ".join(f"{rate:.4%}" for rate in rates)
    require(
        len(rates) == 1,
        f"the flows have {len(rates)} internal rates of return: {listed}",
        "flows that change sign more than once may have several, of which none ranks a project",
        "use the modified internal rate or the net present value",
    )
    return rates[0]


def modified_internal_rate(
    flows: Sequence[Amount], finance_rate: Amount, reinvestment_rate: Amount
) -> Decimal:
    """Return the rate at which outlays grow to receipts, (FV of receipts / PV of outlays)^(1/n) - 1.

    Args:
        flows: C_t, the first today, each other a year later than the one before.
        finance_rate: at which outlays are discounted to today.
        reinvestment_rate: at which receipts grow to the end.

    Raises:
        InputError: there is no outlay or no receipt, or a rate is -100 % or below.

    Source: the spreadsheet function MIRR; Brealey, Myers, Allen, chapter 5.

    >>> flows = [-120_000, 39_000, 30_000, 21_000, 37_000, 46_000]
    >>> round(modified_internal_rate(flows, Decimal("0.1"), Decimal("0.12")), 4)
    Decimal('0.1261')
    """
    outlays = [-Decimal(min(flow, 0)) for flow in flows]
    receipts = [Decimal(max(flow, 0)) for flow in flows]
    require(
        any(outlays) and any(receipts),
        "the flows have no modified internal rate",
        "it needs at least one outlay and one receipt",
    )
    periods = len(flows) - 1
    today = present_value(finance_rate, outlays, first_year=0)
    end = (
        present_value(reinvestment_rate, receipts, first_year=0) * (1 + Decimal(reinvestment_rate)) ** periods
    )
    return (end / today) ** (Decimal(1) / periods) - 1


def dated_present_value(rate: Amount, flows: Sequence[tuple[date, Amount]]) -> Decimal:
    """Return the value on the first date of dated flows, sum of C_i / (1 + r)^((d_i - d_0) / 365).

    Raises:
        InputError: there is no flow, one lies before the first, or the rate is -100 % or below.

    Source: the spreadsheet function XNPV.

    >>> from datetime import date
    >>> flows = [(date(2025, 1, 1), -100), (date(2026, 1, 1), 110)]
    >>> dated_present_value(Decimal("0.1"), flows)
    Decimal('0')
    """
    require(rate > -1, f"a rate of {rate} cannot be discounted with", "a rate is above -1, that is -100 %")
    growth = 1 + Decimal(rate)
    exponents = [-Decimal(days) / _DAYS_PER_YEAR for days in _days(flows)]
    return (
        sum(
            (amount * growth**power for (_, amount), power in zip(flows, exponents, strict=True)), Decimal(0)
        ).normalize()
        + 0
    )


def _days(flows: Sequence[tuple[date, Amount]]) -> list[int]:
    require(bool(flows), "there are no flows to discount", "at least one dated flow is needed")
    start = flows[0][0]
    early = [day.isoformat() for day, _ in flows if day < start]
    require(
        not early,
        f"flows of {', '.join(early)} lie before the first, of {start.isoformat()}",
        "the first flow is the date that all others are discounted to",
        "put the earliest flow first",
    )
    return [(day - start).days for day, _ in flows]


def dated_internal_rate(flows: Sequence[tuple[date, Amount]]) -> Decimal:
    """Return the yearly rate that makes the present value of dated flows zero.

    Raises:
        InputError: as `internal_rate_of_return` and `dated_present_value`.

    Source: the spreadsheet function XIRR.

    >>> from datetime import date
    >>> dated_internal_rate([(date(2025, 1, 1), -100), (date(2026, 1, 1), 110)])
    Decimal('0.1')
    """
    years = [days / _DAYS_PER_YEAR for days in _days(flows)]
    order = sorted(range(len(flows)), key=years.__getitem__)
    return internal_rate_of_return([flows[one][1] for one in order], [years[one] for one in order])


def interpolated_internal_rate(
    low_rate: Amount, value_at_low: Amount, high_rate: Amount, value_at_high: Amount
) -> Decimal:
    """Return the rate between two trial rates (试算内插), i1 + (i2 - i1) V1 / (V1 + |V2|).

    The line between two points of a curve lies above it, so that the result is a little higher than the exact
    rate; with rates at most two to five points apart the second decimal of the percentage may differ.

    Args:
        low_rate: i1, at which the net present value is still positive.
        value_at_low: V1, above or at 0.
        high_rate: i2.
        value_at_high: V2, below or at 0.

    Raises:
        InputError: the two values do not enclose zero, or both are zero.

    Source: National Development and Reform Commission and Ministry of Construction, Methods and Parameters of
        the Economic Evaluation of Construction Projects (建设项目经济评价方法与参数), 3rd edition, 2006.

    >>> at_10, at_11 = Decimal("501.84"), Decimal("-25.75")
    >>> round(interpolated_internal_rate(Decimal("0.10"), at_10, Decimal("0.11"), at_11), 4)
    Decimal('0.1095')
    """
    require(
        value_at_low >= 0 >= value_at_high and value_at_low != value_at_high,
        f"values {value_at_low} and {value_at_high} do not enclose zero",
        "the net present value is positive at the first trial rate and negative at the second",
    )
    return low_rate + (high_rate - Decimal(low_rate)) * value_at_low / (value_at_low - Decimal(value_at_high))


def effective_annual_rate(nominal: Amount, periods_per_year: int) -> Decimal:
    """Return the yearly rate that a nominal rate compounds to, (1 + i/m)^m - 1.

    Raises:
        InputError: there is no compounding period in a year.

    >>> round(effective_annual_rate(Decimal("0.0525"), 4), 7)
    Decimal('0.0535427')
    """
    require(
        periods_per_year >= 1, f"{periods_per_year} periods are no year", "a year has at least one period"
    )
    return (1 + Decimal(nominal) / periods_per_year) ** periods_per_year - 1


def nominal_annual_rate(effective: Amount, periods_per_year: int) -> Decimal:
    """Return the nominal rate that compounds to an effective one, m ((1 + e)^(1/m) - 1).

    Raises:
        InputError: there is no compounding period in a year, or the rate is -100 % or below.

    >>> round(nominal_annual_rate(Decimal("0.0535427"), 4), 5)
    Decimal('0.05250')
    """
    require(
        periods_per_year >= 1, f"{periods_per_year} periods are no year", "a year has at least one period"
    )
    require(effective > -1, f"an effective rate of {effective} has no root", "a rate is above -1")
    return periods_per_year * ((1 + Decimal(effective)) ** (Decimal(1) / periods_per_year) - 1)


def annuity_rate(
    periods: int, payment: Amount, principal: Amount, *, timing: Timing = Timing.END, final: Amount = 0
) -> Decimal:
    """Return the rate per period that level payments charge on a principal, such as a lease's implicit rate.

    It is the internal rate of the principal received and the payments made.

    Raises:
        InputError: as `internal_rate_of_return`.

    >>> round(annuity_rate(180, Decimal("1854.0247"), 200_000), 5)
    Decimal('0.00625')
    """
    payments = [-Decimal(payment)] * periods
    received = Decimal(principal)
    due = [Decimal(0), *payments] if timing is Timing.END else [*payments, Decimal(0)]
    return internal_rate_of_return([received + due[0], *due[1:-1], due[-1] - final])
