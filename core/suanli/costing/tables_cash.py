"""The tables of money over time: cash and accounting view by year, cash by month, decision figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.costing.calendar import month_key, operating_months
from suanli.costing.capital import hardware
from suanli.costing.ledger import Table, TableRow
from suanli.costing.lines import Costed, text
from suanli.costing.operating import OPERATING_NAMES, operating_kinds
from suanli.costing.tco import owned, removed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.costing.ledger import Entry
    from suanli.domain.record import Text

__all__ = ["METRICS", "accounting_table", "cash_table", "decision_table", "monthly_table"]

_NIL: Final = "general.nil"
"""Entry shown in a year without an amount, so that every row of a table has every column."""


def _year_columns(option: Costed) -> tuple[str, ...]:
    return ("year0", *(f"year{year}" for year in option.years), "total")


def cash_table(option: Costed) -> Table:
    """Return the cash view by year."""
    title = text(
        f"方案 {option.key} 总拥有成本（现金口径）",
        f"Option {option.key}: total cost of ownership, cash view",
    )
    columns = _year_columns(option)
    if not owned(option):
        return Table(f"tco:{option.key}", title, columns, (), option.key)
    purchase = option.id("capex", "net")
    years = columns[:-1]
    rows = [
        TableRow(
            option.id("tco", "capex"),
            text("资本性支出（不含税）", "Capital expenditure, net"),
            {year: option.id("purchase", year) for year in years} | {"total": purchase},
        )
    ]
    running = tuple(column for column in columns if column != "year0")
    for kind in operating_kinds(option):
        cells = {"year0": _NIL} | {column: option.id(kind, column) for column in running}
        rows.append(TableRow(option.id("tco", kind), OPERATING_NAMES[kind], cells))
    if operating_kinds(option):
        cells = {"year0": _NIL} | {column: option.id("opex", column) for column in running}
        rows.append(
            TableRow(
                option.id("tco", "opex"),
                text("运营支出小计", "Operating expenditure"),
                cells,
                style="subtotal",
            )
        )
    if hardware(option):
        cells = {"year0": _NIL} | {column: option.id("residual", column) for column in running}
        rows.append(
            TableRow(option.id("tco", "residual"), text("残值回收", "Residual value received"), cells)
        )
    if removed(option):
        cells = {"year0": _NIL} | {column: option.id("decommissioning", column) for column in running}
        rows.append(TableRow(option.id("tco", "decommissioning"), text("拆除处置", "Removal"), cells))
    return Table(f"tco:{option.key}", title, columns, (*rows, *_cash_rows(option)), option.key)


def _cash_rows(option: Costed) -> tuple[TableRow, ...]:
    columns = _year_columns(option)
    years = columns[:-1]
    cash = {year: option.id("cash", year) for year in years} | {"total": option.id("tco", "net")}
    present = {year: option.id("discounted", year) for year in years} | {
        "total": option.id("tco", "discounted")
    }
    return (
        TableRow(option.id("tco", "cash"), text("现金支出合计", "Cash out"), cash, style="total"),
        TableRow(option.id("tco", "present"), text("现值", "Present value"), present, style="total"),
    )


def accounting_table(option: Costed) -> Table:
    """Return depreciation, book value, disposal and running costs by year."""
    title = text(f"方案 {option.key} 会计口径", f"Option {option.key}: accounting view")
    columns = _year_columns(option)
    if not owned(option):
        return Table(f"accounting:{option.key}", title, columns, (), option.key)
    years = columns[1:-1]
    last = years[-1]
    charge = {year: option.id("depreciation", year) for year in years} | {
        "total": option.id("depreciation", "total")
    }
    book = {year: option.id("book", year) for year in ("year0", *years)}
    loss = option.id("disposal", "loss")
    rows = [
        TableRow(option.id("accounting", "depreciation"), text("折旧", "Depreciation"), charge),
        TableRow(option.id("accounting", "book"), text("账面净值", "Book value"), book),
        TableRow(
            option.id("accounting", "disposal"),
            text("期末处置损失", "Loss on disposal"),
            {last: loss, "total": loss},
        ),
    ]
    if operating_kinds(option):
        cells = {column: option.id("opex", column) for column in (*years, "total")}
        rows.append(
            TableRow(option.id("accounting", "opex"), text("运营支出", "Operating expenditure"), cells)
        )
    rows.append(
        TableRow(
            option.id("accounting", "total"),
            text("会计口径成本合计", "Total cost, accounting view"),
            {"total": option.id("accounting", "total")},
            style="total",
        )
    )
    return Table(f"accounting:{option.key}", title, columns, tuple(rows), option.key)


_MONTH_ROWS: Final[tuple[tuple[str, Text], ...]] = (
    ("purchase", text("采购付款（不含税）", "Payments for the purchase, net")),
    *OPERATING_NAMES.items(),
    ("opex", text("运营支出小计", "Operating expenditure")),
    ("residual", text("残值回收", "Residual value received")),
    ("decommissioning", text("拆除处置", "Removal")),
    ("cash", text("现金支出合计", "Cash out")),
    ("factor", text("折现系数", "Discount factor")),
    ("discounted", text("现值", "Present value")),
    ("saved", text("较租用累计节省", "Saved against renting so far")),
)
_MONTH_STYLES: Final = {"opex": "subtotal", "cash": "total", "discounted": "total"}


def monthly_table(option: Costed) -> Table:
    """Return the cash view by month: 0 for all that is paid before operation."""
    title = text(f"方案 {option.key} 逐月现金流", f"Option {option.key}: cash flow by month")
    months = operating_months(option.horizon_years)
    columns = tuple(month_key(month) for month in (0, *months))
    table = f"monthly:{option.key}"
    if not owned(option):
        return Table(table, title, columns, (), option.key)
    number = TableRow(
        option.id("monthly", "number"),
        text("月序", "Month"),
        {column: f"general.number.{column}" for column in columns},
    )
    rows = [number]
    for key, label in _shown_rows(option):
        cells = {column: option.id(key, column) for column in columns[1:]}
        first = option.id(key, columns[0]) if key in {"purchase", "cash", "discounted", "saved"} else _NIL
        style = _MONTH_STYLES.get(key, "row")
        rows.append(TableRow(option.id("monthly", key), label, {columns[0]: first} | cells, style=style))
    return Table(table, title, columns, tuple(rows), option.key)


def _shown_rows(option: Costed) -> tuple[tuple[str, Text], ...]:
    kinds = operating_kinds(option)
    known = {
        "purchase": True,
        **{kind: kind in kinds for kind in OPERATING_NAMES},
        "opex": bool(kinds),
        "residual": hardware(option),
        "decommissioning": removed(option),
        "cash": True,
        "factor": True,
        "discounted": True,
        "saved": option.rented,
    }
    return tuple((key, label) for key, label in _MONTH_ROWS if known[key])


METRICS: Final = (
    "capex.net",
    "capex.vat",
    "capex.gross",
    "opex.year1",
    "opex.total",
    "tco.net",
    "tco.discounted",
    "tco.annuity",
    "cost.accelerator_hour",
    "cost.busy_accelerator_hour",
    "cost.run",
    "cost.billion_tokens",
    "cost.e23_flops",
    "cost.pflop_day",
    "cost.million_served_tokens",
    "energy.kwh_run",
    "energy.kwh_year",
    "carbon.kg_run",
    "carbon.kg_year",
    "carbon.embodied_kg",
    "rent.hour",
    "rent.year",
    "rent.total",
    "rent.saving",
    "rent.discounted",
    "rent.npv",
    "rent.irr",
    "rent.breakeven_utilisation",
    "rent.breakeven_months",
    "rent.payback_months",
    "financing.amount",
    "financing.level",
    "financing.interest_total",
    "financing.present",
    "financing.gain",
    "financing.tco",
)
"""Figures by which options are compared, in the order of the sheet."""


def decision_table(option: Costed, known: Mapping[str, Entry]) -> Table:
    """Return the yearly flows of buying in place of renting, which the return is taken from."""
    title = text(f"方案 {option.key} 购租现金流", f"Option {option.key}: buying in place of renting")
    table = f"decision:{option.key}"
    columns = _year_columns(option)[:-1]
    if option.id("rent", "irr") not in known:
        return Table(table, title, columns, (), option.key)
    cells = {column: option.id("net_flow", column) for column in columns}
    label = text("购买较租用的净现金流", "Net flow of buying in place of renting")
    return Table(table, title, columns, (TableRow(option.id("decision", "flow"), label, cells),), option.key)
