"""Total cost of ownership in cash: what is paid in every month, by year, and what that is worth today.

Capital expenditure and depreciation are never in one sum: the cash view has the purchase, the accounting view
(`suanli.costing.accounting`) its depreciation, and a check reconciles the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.calendar import month_key, months_of_year, operating_months, year_key
from suanli.costing.capital import hardware
from suanli.costing.expressions import Expression, Round, Sum
from suanli.costing.formulas import constant
from suanli.costing.lines import Costed, line, ref, sum_of, text
from suanli.costing.operating import operating_kinds
from suanli.planning.results import BillCategory

if TYPE_CHECKING:
    from suanli.costing.ledger import Line
    from suanli.domain.record import Text

__all__ = ["cash_lines", "comparable", "incomplete", "owned", "removed"]


def owned(option: Costed) -> bool:
    """Tell whether there is a purchase to sum up."""
    return bool(option.bought)


def comparable(option: Costed) -> bool:
    """Tell whether the servers, which make most of the cost, are priced whole in a currency that converts."""
    compute = [item for item in option.plan.bill if item.category is BillCategory.COMPUTE]
    return all(option.payable(item) for item in compute)


def incomplete(option: Costed) -> bool:
    """Tell whether a total misses an unpriced part."""
    return option.capital_incomplete or option.operation_incomplete


def removed(option: Costed) -> bool:
    """Tell whether the removal at the end is paid for."""
    return hardware(option) and option.requirement.commercial.decommissioning_share > 0


def cash_lines(option: Costed) -> tuple[Line, ...]:
    """Return residual, removal, cash, present value and the TCO; none without a purchase."""
    if not owned(option):
        return ()
    return (*_end_lines(option), *_cash(option), *_present(option), *_totals(option))


def _end_lines(option: Costed) -> tuple[Line, ...]:
    """Return what the last month brings: residual value in, as a negative cost, and removal out."""
    if not hardware(option):
        return ()
    worth = text("期末残值", "Residual value")
    received = text("残值回收", "Residual value received")
    lines = _at_the_end(option, ("residual", "residual_share"), worth, received, returned=True)
    if removed(option):
        names = text("拆除处置费", "Cost of removal"), text("拆除处置", "Removal")
        lines += _at_the_end(option, ("decommissioning", "decommissioning_share"), *names, returned=False)
    return lines


def _at_the_end(
    option: Costed, keys: tuple[str, str], worth: Text, flow: Text, *, returned: bool
) -> tuple[Line, ...]:
    """Return a share of the goods that moves in the last month that counts.

    Args:
        option: the option.
        keys: row of the ledger, and the input that is the share.
        worth: name of the amount.
        flow: name of its movement.
        returned: True for money that comes in, which is a negative cost.
    """
    row, share = keys
    value = option.id(row, "value")
    amount = Round(ref(option.id("vat", "goods", "net")) * ref(f"general.{share}"))
    moved: Expression = constant(0) - ref(value) if returned else ref(value)
    months = tuple(
        line(
            option.id(row, month_key(month)),
            text(f"{flow.zh}：第 {month} 月", f"{flow.en}, month {month}"),
            moved * ref(f"general.final.{month_key(month)}"),
            option.currency,
        )
        for month in operating_months(option.horizon_years)
    )
    years = tuple(
        line(
            option.id(row, year_key(year)),
            text(f"{flow.zh}：第 {year} 年", f"{flow.en}, year {year}"),
            sum_of(option.id(row, month_key(month)) for month in months_of_year(year)),
            option.currency,
        )
        for year in option.years
    )
    label = text(f"{flow.zh}合计", f"{flow.en}, total")
    total = line(option.id(row, "total"), label, sum_of(entry.id for entry in years), option.currency)
    return (line(value, worth, amount, option.currency), *months, *years, total)


def _running(option: Costed, key: str) -> tuple[Expression, ...]:
    """Return what a month or a year of operation costs beside the purchase."""
    rows = (
        ("opex", bool(operating_kinds(option))),
        ("residual", hardware(option)),
        ("decommissioning", removed(option)),
    )
    return tuple(ref(option.id(row, key)) for row, known in rows if known)


def _cash(option: Costed) -> tuple[Line, ...]:
    """Return what is paid in every month and in every year."""
    name = text("现金支出", "Cash out")
    months = (0, *operating_months(option.horizon_years))
    spans = [(month_key(month), bool(month), f"第 {month} 月", f"month {month}") for month in months]
    spans += [(year_key(year), bool(year), f"第 {year} 年", f"year {year}") for year in (0, *option.years)]
    entries: list[Line] = []
    for key, running, zh, en in spans:
        purchase = ref(option.id("purchase", key))
        parts = (purchase, *(_running(option, key) if running else ()))
        flow = parts[0] if len(parts) == 1 else Sum(parts)
        label = text(f"{name.zh}：{zh}", f"{name.en}, {en}")
        unknown = incomplete(option) if running else option.capital_incomplete
        entries.append(line(option.id("cash", key), label, flow, option.currency, incomplete=unknown))
    return tuple(entries)


def _present(option: Costed) -> tuple[Line, ...]:
    """Return the worth today of every month, the purchase by its own dates, and of every year to the cent."""
    name = text("现金支出现值", "Present value of cash out")
    entries: list[Line] = []
    for month in (0, *operating_months(option.horizon_years)):
        key = month_key(month)
        worth: Expression = ref(option.id("purchase_present", key))
        running = _running(option, key) if month else ()
        if running:
            worth = worth + Sum(running) * ref(option.id("factor", key))
        label = text(f"{name.zh}：第 {month} 月", f"{name.en}, month {month}")
        unknown = incomplete(option) if month else option.capital_incomplete
        entries.append(line(option.id("discounted", key), label, worth, option.currency, incomplete=unknown))
    for year in (0, *option.years):
        months = months_of_year(year) if year else (0,)
        total = Round(sum_of(option.id("discounted", month_key(month)) for month in months))
        label = text(f"{name.zh}：第 {year} 年", f"{name.en}, year {year}")
        unknown = incomplete(option) if year else option.capital_incomplete
        entries.append(
            line(option.id("discounted", year_key(year)), label, total, option.currency, incomplete=unknown)
        )
    return tuple(entries)


def _totals(option: Costed) -> tuple[Line, ...]:
    rows = (
        ("net", text("总拥有成本（不含税，未折现）", "Total cost of ownership, net, nominal"), "cash"),
        (
            "discounted",
            text("总拥有成本（不含税，现值）", "Total cost of ownership, net, present value"),
            "discounted",
        ),
    )
    return tuple(
        line(
            option.id("tco", key),
            label,
            sum_of(option.id(row, year_key(year)) for year in (0, *option.years)),
            option.currency,
            incomplete=incomplete(option),
        )
        for key, label, row in rows
    )
