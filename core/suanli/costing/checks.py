"""Checks of the ledger: each is 0 when two routes to one figure agree, and `check.master` is their sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.calendar import month_key, operating_months, year_key
from suanli.costing.capital import blocks, vat_classes
from suanli.costing.expressions import Expression, Round
from suanli.costing.formulas import absolute, at_most, constant
from suanli.costing.lines import Costed, line, ref, sum_of, text
from suanli.costing.operating import operating_kinds
from suanli.costing.tco import comparable, owned, removed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.costing.ledger import Line
    from suanli.domain.record import Text

__all__ = ["check_lines", "master_check"]

_PUE_LABEL = text("PUE 不小于 1", "PUE is at least 1")


def _difference(entry: str, label: Text, left: Expression, right: Expression, currency: str) -> Line:
    """Return the absolute difference of two routes to one amount, to the cent."""
    return line(entry, label, Round(absolute(left - right)), currency)


def check_lines(option: Costed) -> tuple[Line, ...]:
    """Return the checks of one option; none where it has no purchase."""
    if not owned(option):
        return ()
    return (
        *_capital_checks(option),
        *_payment_check(option),
        *_horizon_checks(option),
        *_month_checks(option),
        *_other_checks(option),
    )


def _payment_check(option: Costed) -> tuple[Line, ...]:
    """Return the check of the schedule: what is paid by year is the purchase."""
    label = _name(option, "逐年付款之和等于资本性支出", "payments by year add up to capital expenditure")
    paid = sum_of(option.id("purchase", year_key(year)) for year in (0, *option.years))
    whole = ref(option.id("capex", "net"))
    return (_difference(f"check.{option.key}.payments", label, paid, whole, option.currency),)


def _name(option: Costed, zh: str, en: str) -> Text:
    return text(f"方案 {option.key}：{zh}", f"Option {option.key}: {en}")


def _capital_checks(option: Costed) -> tuple[Line, ...]:
    capex = {key: ref(option.id("capex", key)) for key in ("net", "vat", "gross")}
    by_block = sum_of(option.id("block", block.value, "net") for block in blocks(option))
    kinds = vat_classes(option)
    lines_vat = [Round(sum_of(_of_class(option, kind.value, "vat"))) for kind in kinds]
    lines_gross = [Round(sum_of(_of_class(option, kind.value, "gross"))) for kind in kinds]
    rows = (
        (
            "blocks",
            _name(option, "分块小计之和等于资本性支出", "blocks add up to capital expenditure"),
            by_block,
            capex["net"],
        ),
        (
            "vat",
            _name(option, "逐行税额之和等于税额合计", "VAT of the lines adds up to the total"),
            _add(lines_vat),
            capex["vat"],
        ),
        (
            "gross",
            _name(option, "逐行含税额之和等于含税合计", "gross amounts of the lines add up to the total"),
            _add(lines_gross),
            capex["gross"],
        ),
        (
            "net_and_vat",
            _name(option, "不含税加税额等于含税", "net and VAT make gross"),
            capex["net"] + capex["vat"],
            capex["gross"],
        ),
    )
    return tuple(
        _difference(f"check.{option.key}.{key}", label, left, right, option.currency)
        for key, label, left, right in rows
    )


def _of_class(option: Costed, kind: str, key: str) -> tuple[str, ...]:
    return tuple(option.id("bill", item.id, key) for item in option.bought if item.vat.value == kind)


def _add(parts: Sequence[Expression]) -> Expression:
    total: Expression = constant(0)
    for part in parts:
        total = total + part
    return total


def _horizon_checks(option: Costed) -> tuple[Line, ...]:
    capex, tco = ref(option.id("capex", "net")), ref(option.id("tco", "net"))
    parts: Expression = capex
    if operating_kinds(option):
        parts = parts + ref(option.id("opex", "total"))
    if any(item.vat.value == "goods" for item in option.bought):
        parts = parts + ref(option.id("residual", "total"))
    if removed(option):
        parts = parts + ref(option.id("decommissioning", "total"))
    last = option.years.stop - 1
    # Whatever the horizon, what was not depreciated is still in the books.
    remaining = ref(option.id("depreciation", "total")) + ref(option.id("book", f"year{last}"))
    rows = (
        (
            "cash",
            _name(option, "逐年现金合计等于分项合计", "cash by year adds up to its parts"),
            tco,
            parts,
        ),
        (
            "depreciation",
            _name(option, "折旧加期末净值等于原值", "depreciation and closing book value make the cost"),
            remaining,
            capex,
        ),
        (
            "accounting",
            _name(option, "会计口径与现金口径一致", "accounting view agrees with cash view"),
            ref(option.id("accounting", "total")),
            tco,
        ),
    )
    return tuple(
        _difference(f"check.{option.key}.{key}", label, left, right, option.currency)
        for key, label, left, right in rows
    )


def _month_checks(option: Costed) -> tuple[Line, ...]:
    """Return the check of the months against the years, to the whole unit: only years are rounded."""
    months = (0, *operating_months(option.horizon_years))
    by_month = sum_of(option.id("cash", month_key(month)) for month in months)
    label = _name(
        option,
        "逐月现金之和等于逐年合计（元以下舍入除外）",
        "cash by month adds up to the years, cents apart",
    )
    gap = Round(absolute(by_month - ref(option.id("tco", "net"))), 0)
    return (line(f"check.{option.key}.months", label, gap, option.currency),)


def _other_checks(option: Costed) -> tuple[Line, ...]:
    """Return the checks of the base scenario and of the financing, where there are any."""
    found: list[Line] = []
    if comparable(option):
        label = _name(option, "基准情景等于总拥有成本", "the base scenario is the total cost of ownership")
        base = ref(option.id("scenario", "base", "tco"))
        whole = ref(option.id("tco", "net"))
        found.append(_difference(f"check.{option.key}.scenario", label, base, whole, option.currency))
    terms = option.requirement.commercial.financing
    if terms is not None and comparable(option):
        label = _name(option, "融资本金还清", "the financing is paid back whole")
        closing = ref(option.id("financing", f"closing.{month_key(terms.term_months)}"))
        found.append(
            _difference(f"check.{option.key}.financing", label, closing, constant(0), option.currency)
        )
    return tuple(found)


def master_check(checks: Sequence[Line]) -> tuple[Line, ...]:
    """Return the check of the PUE and the sum of all checks."""
    pue = line("check.pue", _PUE_LABEL, constant(1) - at_most(constant(1), ref("site.pue")), "count")
    ids = [check.id for check in (*checks, pue)]
    master = line(
        "check.master", text("总校验（0 为通过）", "Master check (0 is passed)"), sum_of(ids), "count"
    )
    return pue, master
