"""The formulas of money, as expression trees: one function a formula, used by every line of the ledger.

They return expressions, not numbers, so that the same tree gives the exact value and the spreadsheet formula.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.expressions import Choose, Constant, Expression, Maximum, Minimum, Power, Round, Sum
from suanli.domain.workload import Rounding

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "absolute",
    "at_most",
    "breakeven_months",
    "constant",
    "converted",
    "discount_factor",
    "level_payment",
    "months_of",
    "net_amount",
    "net_of_vat",
    "per_million_tokens",
    "present_value",
    "straight_line_up_to",
    "vat_amount",
]

_MONTHS_PER_YEAR = Decimal(12)
_S_PER_HOUR = Decimal(3600)
_TOKENS_PER_MILLION = Decimal(1_000_000)


def constant(value: int | str) -> Constant:
    """Return a number of the formula itself."""
    return Constant(Decimal(value))


ONE = constant(1)


def absolute(of: Expression) -> Expression:
    """Return the absolute value, as the larger of a value and its negative."""
    return Maximum((of, constant(0) - of))


def at_most(left: Expression, right: Expression) -> Expression:
    """Return 1 where `left` is at most `right`, else 0."""
    return Choose(left, right, ONE, constant(0))


def converted(
    price: Expression, factor: Expression | None, rate: Expression | None, *, inverse: bool
) -> Expression:
    """Return a price in the project's currency, unrounded.

    Args:
        price: amount in its own currency.
        factor: priced units in one unit bought; None for one.
        rate: exchange rate; None where the currency is the project's.
        inverse: True where the rate is the price of one unit of the project's currency.
    """
    amount = price if factor is None else price * factor
    if rate is None:
        return amount
    return amount / rate if inverse else amount * rate


def net_of_vat(gross: Expression, vat_rate: Expression) -> Expression:
    """Return the net part of a price that includes VAT, net = gross / (1 + r), rounded to the cent.

    Source: Value-Added Tax Law of China (2026), article 17: the taxable amount excludes the tax.
    """
    return Round(gross / (ONE + vat_rate))


def net_amount(quantity: Expression, unit_price: Expression) -> Expression:
    """Return a line's net amount, ROUND(q * p, 2)."""
    return Round(quantity * unit_price)


def vat_amount(
    quantity: Expression, unit_price: Expression, net: Expression, vat_rate: Expression, policy: Rounding
) -> Expression:
    """Return a line's VAT under a rounding policy.

    ``line``: ROUND(net * r, 2). ``unit``: q * ROUND(p * r, 2), so that every unit carries the same tax.
    ``document``: net * r without rounding, because only the document's total by rate is rounded.
    """
    if policy is Rounding.UNIT:
        return quantity * Round(unit_price * vat_rate)
    return Round(net * vat_rate) if policy is Rounding.LINE else net * vat_rate


def discount_factor(rate: Expression, year: int) -> Expression:
    """Return the factor that takes the end of a year to today, 1 / (1 + r)^n."""
    return ONE / Power(ONE + rate, constant(year))


def present_value(flows: Sequence[Expression], rate: Expression) -> Expression:
    """Return the present value of flows of which the first is paid today and each other at the end of a year.

    PV = sum of flow_n / (1 + r)^n for n = 0, 1, ...

    Source: R. A. Brealey, S. C. Myers, F. Allen, Principles of Corporate Finance, chapter 2.
    """
    return Sum(tuple(flow * discount_factor(rate, year) for year, flow in enumerate(flows)))


def straight_line_up_to(base: Expression, life_years: Expression, year: int) -> Expression:
    """Return the depreciation accumulated by the end of a year, ROUND(B * min(n, L) / L, 2).

    The accumulated sum is rounded rather than each year, so that the years always add up to the base.

    Source: Implementation Regulations of the Enterprise Income Tax Law of China (2019), article 59: straight
        line.
    """
    return Round(base * Minimum((constant(year), life_years)) / life_years)


def breakeven_months(capex: Expression, rent_month: Expression, running_month: Expression) -> Expression:
    """Return the months after which buying has cost as much cash as renting, capex / (rent - running cost).

    The running cost is cash only: with depreciation in it the purchase would be counted twice.
    """
    return capex / (rent_month - running_month)


def level_payment(principal: Expression, rate: Expression, periods: Expression) -> Expression:
    """Return the level payment at the end of each period, P · i / (1 - (1 + i)^-n), unrounded.

    The rate must not be zero.

    Source: R. A. Brealey, S. C. Myers, F. Allen, Principles of Corporate Finance, chapter 2 (annuities).
    """
    return principal * rate / (ONE - Power(ONE + rate, constant(0) - periods))


def per_million_tokens(
    cost_per_hour: Expression, tokens_per_s: Expression, utilisation: Expression
) -> Expression:
    """Return the cost of a million tokens, c * 1e6 / (3600 * v * u)."""
    tokens_per_hour = Constant(_S_PER_HOUR) * tokens_per_s * utilisation
    return cost_per_hour * Constant(_TOKENS_PER_MILLION) / tokens_per_hour


def months_of(yearly: Expression) -> Expression:
    """Return a twelfth of a yearly amount."""
    return yearly / Constant(_MONTHS_PER_YEAR)
