"""The payment schedule of a purchase: what falls due at each milestone, and in which month it is cash.

Every milestone takes its share of net and gross, rounded to the cent; the last takes what is left, so that
the schedule adds up to the purchase whatever the shares. A payment before operation is cash of month 0; it is
discounted by its own time after the order.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from suanli.costing.calendar import MONTHS_PER_YEAR, month_key, months_of_year, operating_months, year_key
from suanli.costing.expressions import Expression, Maximum, Minimum, Power, Round, RoundUp, Sum
from suanli.costing.formulas import at_most, constant
from suanli.costing.ledger import Input, Line, Table, TableRow
from suanli.costing.lines import Costed, line, ref, sum_of, text

if TYPE_CHECKING:
    from suanli.domain.record import Text
    from suanli.domain.workload import Milestone, Requirement

__all__ = [
    "PAYMENT_COLUMNS",
    "milestone_month",
    "payment_inputs",
    "payment_lines",
    "payment_table",
    "purchase_lines",
]

PAYMENT_COLUMNS: Final = ("share", "after", "due", "net", "vat", "gross", "present")
_DAYS_PER_MONTH: Final = 365.25 / 12


def milestone_month(after_days: int | None) -> int:
    """Return the month after the order in which a payment falls due: that whose end is nearest.

    >>> [milestone_month(days) for days in (None, 10, 90, 183, 365)]
    [0, 0, 3, 6, 12]
    """
    return round((after_days or 0) / _DAYS_PER_MONTH)


def _share_id(number: int) -> str:
    return f"general.milestone.{number}"


def _month_id(number: int) -> str:
    return f"general.milestone_month.{number}"


def payment_inputs(requirement: Requirement) -> tuple[Input, ...]:
    """Return the month of every milestone, and the share of every one but the last, which takes the rest."""
    found: list[Input] = []
    milestones = requirement.commercial.milestones
    for number, one in enumerate(milestones, start=1):
        if number < len(milestones):
            label = text(f"付款比例：{one.name.zh}", f"Payment share: {one.name.en}")
            found.append(Input(_share_id(number), label, one.share, "fraction", "general"))
        label = text(
            f"付款时间（下单后月数）：{one.name.zh}", f"Payment, months after the order: {one.name.en}"
        )
        month = Decimal(milestone_month(one.after_days))
        found.append(Input(_month_id(number), label, month, "month", "general"))
    return tuple(found)


def payment_lines(option: Costed) -> tuple[Line, ...]:
    """Return net, VAT, gross, month and present value of every payment; none without milestones."""
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

    zh, en = (f"{number}. {name}" for name in (one.name.zh, one.name.en))
    net, gross = (option.id("payment", str(number), key) for key in ("net", "gross"))
    rows = (
        ("net", text(f"付款（不含税）：{zh}", f"Payment, net: {en}"), due("net")),
        ("gross", text(f"付款（含税）：{zh}", f"Payment, gross: {en}"), due("gross")),
        ("vat", text(f"付款（税额）：{zh}", f"Payment, VAT: {en}"), ref(gross) - ref(net)),
        ("present", text(f"付款现值：{zh}", f"Payment, present value: {en}"), _worth(number, net)),
    )
    month = line(
        option.id("payment", str(number), "month"),
        text(f"付款计入月份：{zh}", f"Payment, month of operation: {en}"),
        _month_of(option, number),
        "month",
    )
    money = (_line(option, option.id("payment", str(number), key), label, of) for key, label, of in rows)
    return (*money, month)


def _worth(number: int, net: str) -> Expression:
    """Return net · (1 + r)^(-p / 12), with the months p from the order to the payment."""
    rate = constant(1) + ref("general.discount_rate")
    exponent = (constant(0) - ref(_month_id(number))) / constant(MONTHS_PER_YEAR)
    return Round(ref(net) * Power(rate, exponent))


def _month_of(option: Costed, number: int) -> Expression:
    """Return the month of operation in which a payment counts: 0 before operation, at most the last."""
    after = RoundUp(ref(_month_id(number)) - ref(option.id("schedule", "delivery_months")))
    last = constant(MONTHS_PER_YEAR) * ref("general.horizon")
    return Minimum((last, Maximum((constant(0), after))))


def _line(option: Costed, entry: str, label: Text, expression: Expression) -> Line:
    return line(entry, label, expression, option.currency, incomplete=option.capital_incomplete)


def purchase_lines(option: Costed) -> tuple[Line, ...]:
    """Return what of the purchase is cash in each month and year, and the present value of that."""
    if not option.bought:
        return ()
    months = (0, *operating_months(option.horizon_years))
    return (
        *(_month(option, month, "purchase", "net") for month in months),
        *(_month(option, month, "purchase_present", "present") for month in months),
        _year(option, 0),
        *(_year(option, year) for year in option.years),
    )


_NAMES: Final = {
    "purchase": text("采购付款（不含税）", "Payments for the purchase, net"),
    "purchase_present": text("采购付款现值", "Payments for the purchase, present value"),
}


def _month(option: Costed, month: int, row: str, key: str) -> Line:
    """Return the payments of a month, each counted where its month is this one."""
    label, column = _NAMES[row], month_key(month)
    name = text(f"{label.zh}：第 {month} 月", f"{label.en}, month {month}")
    number = ref(f"general.number.{column}")
    milestones = option.requirement.commercial.milestones
    if not milestones:
        # Without a schedule all is paid with the order, which is worth today what it is.
        here = at_most(number, constant(0))
        return _line(option, option.id(row, column), name, ref(option.id("capex", "net")) * here)
    counted: list[Expression] = []
    for place in range(1, len(milestones) + 1):
        due = ref(option.id("payment", str(place), "month"))
        here = at_most(due, number) * at_most(number, due)
        counted.append(ref(option.id("payment", str(place), key)) * here)
    return _line(option, option.id(row, column), name, Sum(tuple(counted)))


def _year(option: Costed, year: int) -> Line:
    label = _NAMES["purchase"]
    name = text(f"{label.zh}：第 {year} 年", f"{label.en}, year {year}")
    months = (0,) if year == 0 else months_of_year(year)
    total = sum_of(option.id("purchase", month_key(month)) for month in months)
    return _line(option, option.id("purchase", year_key(year)), name, total)


def payment_table(option: Costed) -> Table:
    """Return the schedule; without rows where there is none."""
    milestones = option.requirement.commercial.milestones if option.bought else ()
    rows = [
        TableRow(
            option.id("payment", str(number)),
            one.name,
            {key: option.id("payment", str(number), key) for key in ("net", "vat", "gross", "present")}
            | {"after": _month_id(number)}
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
