"""A loan or a lease for the purchase: the schedule month by month, what it costs, and what it is worth today.

The schedule has its own months, which begin with the order, because the lender counts from the day on which
the money is paid out. Financing moves no cost of the cluster: it stands beside the total cost of ownership.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.calendar import MONTHS_PER_YEAR, month_key
from suanli.costing.expressions import Choose, Expression, Maximum, Minimum, Power, Round
from suanli.costing.formulas import constant, level_payment
from suanli.costing.ledger import Input, Line, Table, TableRow
from suanli.costing.lines import Costed, line, ref, sum_of, text
from suanli.costing.tco import comparable, incomplete
from suanli.domain.finance import FinancingMethod

if TYPE_CHECKING:
    from suanli.domain.finance import Financing
    from suanli.domain.record import Text
    from suanli.domain.workload import Requirement

__all__ = ["financing_inputs", "financing_lines", "financing_table", "schedule_months"]

_ONE = constant(1)
_NAMES = {
    FinancingMethod.LEVEL: text("贷款（等额本息）", "loan in level instalments"),
    FinancingMethod.EQUAL_PRINCIPAL: text("贷款（等额本金）", "loan in equal parts of the principal"),
    FinancingMethod.LEASE: text("融资租赁（期初付租）", "lease, rent in advance"),
}
_ROWS = {
    "number": text("期数", "Instalment number"),
    "opening": text("期初余额", "Opening balance"),
    "interest": text("利息", "Interest"),
    "principal": text("本金", "Principal"),
    "instalment": text("当期应付", "Instalment"),
    "closing": text("期末余额", "Closing balance"),
    "present": text("当期应付现值", "Instalment, present value"),
}


def schedule_months(terms: Financing) -> range:
    """Return the months of the schedule, by the term as issued."""
    return range(1, terms.term_months + 1)


def financing_inputs(requirement: Requirement) -> tuple[Input, ...]:
    """Return share, rate, term and grace; none without financing."""
    terms = requirement.commercial.financing
    if terms is None:
        return ()
    shorter = text("在成本测算表中只可缩短", "may only be shortened in the cost sheet")
    name = _NAMES[terms.method]
    rows = [
        Input(
            "general.financing.share",
            text(f"融资比例：{name.zh}", f"Share financed, {name.en}"),
            terms.share,
            "fraction",
            "general",
            note=text("占不含税采购额", "of the purchase net of VAT"),
        ),
        Input(
            "general.financing.rate",
            text("融资名义年利率", "Nominal yearly rate of the financing"),
            terms.rate,
            "fraction",
            "general",
            note=text("月利率为其十二分之一", "the rate of a month is a twelfth of it"),
        ),
        Input(
            "general.financing.term",
            text("融资期限（月）", "Term of the financing, months"),
            Decimal(terms.term_months),
            "month",
            "general",
            note=shorter,
            most=Decimal(terms.term_months),
            least=Decimal(terms.grace_months + 1),
        ),
    ]
    if terms.method is not FinancingMethod.LEASE:
        rows.append(
            Input(
                "general.financing.grace",
                text("只付息宽限期（月）", "Grace, months of interest only"),
                Decimal(terms.grace_months),
                "month",
                "general",
                most=Decimal(terms.term_months - 1),
                note=text("须短于期限", "shorter than the term"),
            )
        )
    return tuple(rows)


def financing_lines(option: Costed) -> tuple[Line, ...]:
    """Return the schedule and what it costs; none without financing or where servers are not priced whole."""
    terms = option.requirement.commercial.financing
    if terms is None or not comparable(option) or not option.bought:
        return ()
    return (
        *_terms(option, terms),
        *(one for month in schedule_months(terms) for one in _month(option, terms, month)),
        *_sums(option, terms),
    )


def _line(option: Costed, key: str, label: Text, expression: Expression, unit: str = "") -> Line:
    return line(
        option.id("financing", key),
        label,
        expression,
        unit or option.currency,
        incomplete=option.capital_incomplete and not unit,
    )


def _repaying() -> Expression:
    """Return the months in which principal is paid; at least the last one, however long the grace."""
    return Maximum((_ONE, ref("general.financing.term") - ref("general.financing.grace")))


def _terms(option: Costed, terms: Financing) -> tuple[Line, ...]:
    """Return the amount, the rate of a month and the instalment that is agreed."""
    amount, rate = (ref(option.id("financing", key)) for key in ("amount", "month_rate"))
    term = ref("general.financing.term")
    rows = [
        _line(
            option,
            "amount",
            text("融资额", "Amount financed"),
            Round(ref(option.id("capex", "net")) * ref("general.financing.share")),
        ),
        _line(
            option,
            "month_rate",
            text("融资月利率", "Rate of a month"),
            ref("general.financing.rate") / constant(MONTHS_PER_YEAR),
            "fraction",
        ),
    ]
    if terms.method is FinancingMethod.EQUAL_PRINCIPAL:
        agreed: Expression = Round(amount / _repaying())
        label = text("每期本金", "Principal of a month")
    elif terms.method is FinancingMethod.LEASE:
        agreed = Round(level_payment(amount, rate, term) / (_ONE + rate))
        label = text("月租金", "Rent of a month")
    else:
        agreed = Round(level_payment(amount, rate, _repaying()))
        label = text("月供", "Level instalment")
    return (*rows, _line(option, "level", label, agreed))


def _month(option: Costed, terms: Financing, month: int) -> tuple[Line, ...]:
    """Return opening balance, interest, principal, instalment and closing balance of a month."""
    key = month_key(month)
    cells = {name: ref(option.id("financing", f"{name}.{key}")) for name in _ROWS}
    before = "amount" if month == 1 else f"closing.{month_key(month - 1)}"
    count = (
        constant(1) if month == 1 else ref(option.id("financing", f"number.{month_key(month - 1)}")) + _ONE
    )
    number, opening, interest, principal, instalment = (
        cells[name] for name in ("number", "opening", "interest", "principal", "instalment")
    )
    rate, level = (ref(option.id("financing", name)) for name in ("month_rate", "level"))
    # The last month pays whatever is left, so that rounding never leaves a balance.
    last = Choose(ref("general.financing.term"), number, _ONE, constant(0))
    if terms.method is FinancingMethod.LEASE:
        # Rent in advance: what is paid on the first day carries no interest.
        paid = Choose(_ONE, last, opening, Minimum((opening, level)))
        rows: tuple[tuple[str, Expression], ...] = (
            ("opening", ref(option.id("financing", before))),
            ("instalment", paid),
            ("interest", Round((opening - instalment) * rate)),
            ("principal", instalment - interest),
            ("closing", opening - instalment + interest),
        )
        # The first instalment of a lease is paid with the order.
        elapsed: Expression = number - _ONE
    else:
        due = level if terms.method is FinancingMethod.EQUAL_PRINCIPAL else level - interest
        regular = Choose(number, ref("general.financing.grace"), constant(0), Minimum((opening, due)))
        rows = (
            ("opening", ref(option.id("financing", before))),
            ("interest", Round(opening * rate)),
            ("principal", Choose(_ONE, last, opening, regular)),
            ("instalment", principal + interest),
            ("closing", opening - principal),
        )
        elapsed = number
    growth = _ONE + ref("general.discount_rate")
    worth = instalment * Power(growth, (constant(0) - elapsed) / constant(MONTHS_PER_YEAR))
    rows = (("number", count), *rows, ("present", worth))
    return tuple(
        _line(
            option,
            f"{name}.{key}",
            text(f"{_ROWS[name].zh}：第 {month} 期", f"{_ROWS[name].en}, instalment {month}"),
            expression,
            "n" if name == "number" else "",
        )
        for name, expression in rows
    )


def _sums(option: Costed, terms: Financing) -> tuple[Line, ...]:
    """Return all interest, its share of the TCO, and the worth today of what is paid back."""
    months = schedule_months(terms)
    interest = sum_of(option.id("financing", f"interest.{month_key(month)}") for month in months)
    return (
        _line(option, "interest_total", text("利息合计", "Interest, total"), interest),
        _line(
            option,
            "paid_total",
            text("还本付息合计", "Paid back, total"),
            sum_of(option.id("financing", f"instalment.{month_key(month)}") for month in months),
        ),
        _line(
            option,
            "present",
            text("还本付息现值", "Paid back, present value"),
            Round(sum_of(option.id("financing", f"present.{month_key(month)}") for month in months)),
        ),
        _line(
            option,
            "gain",
            text("融资对净现值的影响", "Effect of the financing on net present value"),
            ref(option.id("financing", "amount")) - ref(option.id("financing", "present")),
        ),
        line(
            option.id("financing", "tco"),
            text("总拥有成本加利息（未折现）", "Total cost of ownership with interest, nominal"),
            ref(option.id("tco", "net")) + ref(option.id("financing", "interest_total")),
            option.currency,
            incomplete=incomplete(option),
        ),
    )


def financing_table(option: Costed, known: frozenset[str]) -> Table:
    """Return the schedule as a table: a row an item, a column a month; without rows where there is none."""
    terms = option.requirement.commercial.financing
    title = text(f"方案 {option.key} 融资计划", f"Option {option.key}: financing")
    table = f"financing:{option.key}"
    if terms is None or option.id("financing", "amount") not in known:
        return Table(table, title, (), (), option.key)
    name = _NAMES[terms.method]
    title = text(f"{title.zh}：{name.zh}", f"{title.en}, {name.en}")
    months = schedule_months(terms)
    sums = {
        "interest": "interest_total",
        "instalment": "paid_total",
        "principal": "amount",
        "present": "present",
    }
    rows = tuple(
        TableRow(
            option.id("financing", row),
            label,
            {month_key(month): option.id("financing", f"{row}.{month_key(month)}") for month in months}
            | ({"total": option.id("financing", sums[row])} if row in sums else {}),
        )
        for row, label in _ROWS.items()
    )
    return Table(table, title, ("total", *(month_key(month) for month in months)), rows, option.key)
