"""The payment schedule of a purchase: what falls due at each milestone, and in which year it is cash.

Every milestone takes its share of net and gross, rounded to the cent; the last takes what is left, so that
the schedule adds up to the purchase whatever the shares. A milestone counts in the year whose end is nearest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.costing.expressions import Expression, Round
from suanli.costing.ledger import Input, Line, Table, TableRow
from suanli.costing.lines import Costed, line, ref, sum_of, text

if TYPE_CHECKING:
    from decimal import Decimal

    from suanli.domain.record import Text
    from suanli.domain.workload import Milestone, Requirement

__all__ = [
    "PAYMENT_COLUMNS",
    "milestone_year",
    "paid_years",
    "payment_inputs",
    "payment_lines",
    "payment_table",
    "purchase_lines",
    "purchase_of_year",
]

PAYMENT_COLUMNS: Final = ("share", "due", "net", "vat", "gross")
_DAYS_PER_YEAR: Final = 365


def milestone_year(after_days: int | None, horizon_years: int) -> int:
    """Return the year in whose cash a payment counts: that whose end is nearest, 0 for the order itself.

    >>> [milestone_year(days, 5) for days in (None, 90, 183, 365, 900, 9000)]
    [0, 0, 1, 1, 2, 5]
    """
    return min(horizon_years, (2 * (after_days or 0) + _DAYS_PER_YEAR) // (2 * _DAYS_PER_YEAR))


def _share_id(number: int) -> str:
    return f"general.milestone.{number}"


def payment_inputs(requirement: Requirement) -> tuple[Input, ...]:
    """Return the share of every milestone but the last, which takes the rest."""
    found: list[Input] = []
    for number, one in enumerate(requirement.commercial.milestones[:-1], start=1):
        label = text(f"付款比例：{one.name}", f"Payment share: {one.name}")
        found.append(Input(_share_id(number), label, one.share, "fraction", "general"))
    return tuple(found)


def payment_lines(option: Costed) -> tuple[Line, ...]:
    """Return net, VAT and gross of every payment; none without milestones or without a purchase."""
    milestones = option.requirement.commercial.milestones
    if not milestones or not option.bought:
        return ()
    return tuple(
        entry
        for number, one in enumerate(milestones, start=1)
        for entry in _payment(option, number, one, last=number == len(milestones))
    )


def _payment(option: Costed, number: int, one: Milestone, *, last: bool) -> tuple[Line, ...]:
    def due(key: str) -> Expression:
        whole = ref(option.id("capex", key))
        if not last:
            return Round(whole * ref(_share_id(number)))
        earlier = [option.id("payment", str(before), key) for before in range(1, number)]
        return whole - sum_of(earlier) if earlier else whole

    name = f"{number}. {one.name}"
    net, gross = (option.id("payment", str(number), key) for key in ("net", "gross"))
    tax = ref(gross) - ref(net)
    return (
        _line(option, net, text(f"付款（不含税）：{name}", f"Payment, net: {name}"), due("net")),
        _line(option, gross, text(f"付款（含税）：{name}", f"Payment, gross: {name}"), due("gross")),
        _line(
            option,
            option.id("payment", str(number), "vat"),
            text(f"付款（税额）：{name}", f"Payment, VAT: {name}"),
            tax,
        ),
    )


def _line(option: Costed, entry: str, label: Text, expression: Expression) -> Line:
    return line(entry, label, expression, option.currency, incomplete=option.capital_incomplete)


def paid_years(option: Costed) -> dict[int, tuple[str, ...]]:
    """Return the payments of every year that has any; empty without milestones."""
    horizon = option.requirement.commercial.horizon_years
    found: dict[int, tuple[str, ...]] = {}
    for number, one in enumerate(option.requirement.commercial.milestones, start=1):
        year = milestone_year(one.after_days, horizon)
        found[year] = (*found.get(year, ()), option.id("payment", str(number), "net"))
    return dict(sorted(found.items()))


def purchase_lines(option: Costed) -> tuple[Line, ...]:
    """Return what of the purchase is cash in each year that has payments."""
    if not option.bought:
        return ()
    return tuple(
        _line(
            option,
            option.id("purchase", f"year{year}"),
            text(f"采购付款（不含税）：第 {year} 年", f"Payments for the purchase, net, year {year}"),
            sum_of(due),
        )
        for year, due in paid_years(option).items()
    )


def purchase_of_year(option: Costed, year: int) -> Expression | None:
    """Return what of the purchase is paid in a year, net; None for nothing."""
    years = paid_years(option)
    if not years:
        return ref(option.id("capex", "net")) if year == 0 else None
    return ref(option.id("purchase", f"year{year}")) if year in years else None


def payment_table(option: Costed) -> Table:
    """Return the schedule; without rows where there is none."""
    milestones = option.requirement.commercial.milestones if option.bought else ()
    rows = [
        TableRow(
            option.id("payment", str(number)),
            text(one.name, one.name),
            {key: option.id("payment", str(number), key) for key in ("net", "vat", "gross")}
            | ({"share": _share_id(number)} if number < len(milestones) else {}),
            {"due": _due(one)} | ({"share": _rest(one.share)} if number == len(milestones) else {}),
        )
        for number, one in enumerate(milestones, start=1)
    ]
    if rows:
        cells = {key: option.id("capex", key) for key in ("net", "vat", "gross")}
        rows.append(TableRow(option.id("payment"), text("合计", "Total"), cells, style="total"))
    title = text(f"方案 {option.key} 付款计划", f"Option {option.key}: payment schedule")
    return Table(f"payments:{option.key}", title, PAYMENT_COLUMNS, tuple(rows), option.key)


def _due(one: Milestone) -> Text:
    if one.after_days is None:
        return text("节点达成时", "when reached")
    return text(f"订单后 {one.after_days} 天", f"{one.after_days} days after the order")


def _rest(share: Decimal) -> Text:
    percent = f"{(share * 100).normalize():f}"
    return text(f"其余（{percent}%）", f"the rest ({percent} %)")
