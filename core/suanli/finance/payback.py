"""Years until an investment has paid itself back, static and discounted, and what it returns per unit."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.finance.amounts import require
from suanli.finance.time_value import discount_factor, present_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.finance.amounts import Amount

__all__ = ["discounted_payback", "profitability_index", "static_payback"]


def static_payback(flows: Sequence[Amount], *, first_year: int) -> Decimal | None:
    """Return the years until cumulative flows are no longer negative (静态投资回收期), or None if never.

    P = (k - 1) + |S_(k-1)| / C_k, with k the first year at whose end the sum S is not negative: flows are
    taken to come evenly within their year. Years are counted from the start of year 1, construction included;
    the period from the start of operation is that less the years of construction.

    Args:
        flows: C_t in order of time, outlays negative.
        first_year: t of the first flow: 1 for the end of the first year, 0 for an outlay today.

    Source: National Development and Reform Commission and Ministry of Construction, Methods and Parameters of
        the Economic Evaluation of Construction Projects (建设项目经济评价方法与参数), 3rd edition, 2006.

    >>> static_payback([-600, -900, 300, 500, 500, 500, 500, 500], first_year=1)
    Decimal('5.4')
    """
    total = Decimal(0)
    for year, flow in enumerate(flows, start=first_year):
        before, total = total, total + flow
        if total >= 0:
            return Decimal(0) if before >= 0 else year - 1 - before / flow
    return None


def discounted_payback(
    rate: Amount, flows: Sequence[Amount], *, first_year: int, factor_places: int | None = None
) -> Decimal | None:
    """Return the payback of flows discounted to today (动态投资回收期), or None if they never pay back.

    Args:
        rate: r per year, above -1.
        flows: C_t in order of time, outlays negative.
        first_year: t of the first flow: 1 for the end of the first year, 0 for an outlay today.
        factor_places: places that each discount factor is rounded to; None for none.

    Raises:
        InputError: the rate is -100 % or below.

    >>> discounted_payback(Decimal("0.1"), [-100, 55, Decimal("60.5"), 1], first_year=0)
    Decimal('2')
    """
    discounted = [
        Decimal(flow) * discount_factor(rate, year, factor_places)
        for year, flow in enumerate(flows, start=first_year)
    ]
    found = static_payback(discounted, first_year=first_year)
    return None if found is None else round(found, 12).normalize() + 0


def profitability_index(rate: Amount, outlay: Amount, returns: Sequence[Amount]) -> Decimal:
    """Return the present value of returns per unit of outlay today; above 1 the project is worth doing.

    Raises:
        InputError: there is no outlay, or the rate is -100 % or below.

    Source: Brealey, Myers, Allen, Principles of Corporate Finance, chapter 5.

    >>> profitability_index(Decimal("0.1"), 100, [Decimal("132")])
    Decimal('1.2')
    """
    require(outlay > 0, f"an outlay of {outlay} has no index", "an outlay is above 0")
    return (present_value(rate, returns, first_year=1) / outlay).normalize()
