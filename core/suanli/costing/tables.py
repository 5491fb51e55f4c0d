"""Where each entry stands: the tables of the workbook, which hold ids and never values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.capital import SUMS, blocks, hardware, vat_classes
from suanli.costing.inputs import GROUP_TITLES
from suanli.costing.ledger import Entry, Input, Table, TableRow
from suanli.costing.lines import CATEGORY_NAMES, VAT_NAMES, Costed, text, vat_rate_id
from suanli.costing.operating import OPERATING_NAMES, operating_kinds
from suanli.costing.payments import paid_years, payment_table
from suanli.costing.tco import owned
from suanli.planning.lead_times import lead_time_text
from suanli.planning.prices import stale
from suanli.planning.results import BillCategory, BillItem, VatClass
from suanli.planning.rules import quantity_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.domain.record import Text

__all__ = ["BILL_COLUMNS", "INPUT_COLUMNS", "make_tables"]

INPUT_COLUMNS = ("value", "unit", "low", "high", "source", "dated", "valid_to", "grade", "stale", "note")
BILL_COLUMNS = (
    "number",
    "unit",
    "quantity",
    "unit_price",
    "vat_rate",
    "net",
    "vat",
    "gross",
    "source",
    "dated",
    "grade",
    "stale",
    "rule",
    "lead_time",
)
_NOT_PRICED = text("未报价", "not priced")
_NO_RATE = text("无汇率", "no exchange rate")
_STALE = text("已过期", "stale")
_NIL = "general.nil"
"""Entry shown in a year without an amount, so that every row of a table has every column."""


def make_tables(options: Sequence[Costed], entries: Sequence[Entry]) -> tuple[Table, ...]:
    """Return inputs by group, the tables of each option, the totals side by side, and the checks."""
    known = {entry.id: entry for entry in entries}
    per_option = [
        table
        for option in options
        for table in (
            _bill(option),
            _vat(option),
            payment_table(option),
            _tco(option),
            _accounting(option),
            _energy(option, known),
        )
        if table.rows
    ]
    return (*_inputs(entries), *per_option, _totals(options, known), _checks(entries))


def _inputs(entries: Sequence[Entry]) -> tuple[Table, ...]:
    inputs = [entry for entry in entries if isinstance(entry, Input)]
    return tuple(
        Table(f"inputs:{group}", title, INPUT_COLUMNS, rows)
        for group, title in GROUP_TITLES.items()
        if (rows := tuple(_input_row(entry) for entry in inputs if entry.group == group))
    )


def _input_row(entry: Input) -> TableRow:
    texts: dict[str, str | Text] = {"unit": entry.unit, "source": entry.source, "dated": entry.dated}
    texts["grade"] = entry.grade.value
    if entry.low is not None:
        texts["low"] = f"{entry.low.normalize():f}"
    if entry.high is not None:
        texts["high"] = f"{entry.high.normalize():f}"
    if entry.valid_to is not None:
        texts["valid_to"] = entry.valid_to.isoformat()
    if entry.stale:
        texts["stale"] = _STALE
    if entry.note is not None:
        texts["note"] = entry.note
    return TableRow(entry.id, entry.label, {"value": entry.id}, texts)


def _bill(option: Costed) -> Table:
    rows: list[TableRow] = []
    paid = set(blocks(option))
    present = [block for block in BillCategory if any(item.category is block for item in option.plan.bill)]
    for chapter, block in enumerate(present, start=1):
        name = CATEGORY_NAMES[block]
        rows.append(
            TableRow(option.id("head", block.value), name, texts={"number": str(chapter)}, style="head")
        )
        members = [item for item in option.plan.bill if item.category is block]
        rows += [_bill_row(option, item, f"{chapter}.{place}") for place, item in enumerate(members, start=1)]
        if block in paid:
            label = text(f"{name.zh}小计", f"{name.en}, subtotal")
            cells = {key: option.id("block", block.value, key) for key in SUMS}
            rows.append(TableRow(option.id("block", block.value), label, cells, style="subtotal"))
    if owned(option):
        cells = {key: option.id("capex", key) for key in SUMS}
        rows.append(TableRow(option.id("capex"), text("总计", "Total"), cells, style="total"))
    title = text(f"方案 {option.key} 分项报价表", f"Option {option.key}: line items")
    return Table(f"bill:{option.key}", title, BILL_COLUMNS, tuple(rows), option.key)


def _bill_row(option: Costed, item: BillItem, number: str) -> TableRow:
    cells = {"quantity": option.id("bill", item.id, "quantity"), "vat_rate": vat_rate_id(item.vat)}
    texts: dict[str, str | Text] = {"number": number, "unit": item.unit, "rule": quantity_text(item)}
    if item.lead_time is not None:
        texts["lead_time"] = lead_time_text(item.lead_time)
    price = item.price
    if price is not None:
        texts |= {"source": price.source, "dated": price.dated, "grade": price.grade.value}
        if stale(price, option.requirement.project.day, option.requirement.commercial.price_validity_days):
            texts["stale"] = _STALE
    if price is None or not option.payable(item):
        texts["unit_price"] = _NOT_PRICED if price is None else _NO_RATE
    elif item.recurring:
        cells["unit_price"] = option.id("subscription", item.id, "unit_price")
        texts["net"] = text("按年计入运营支出", "yearly, in operating expenditure")
    else:
        cells |= {key: option.id("bill", item.id, key) for key in ("unit_price", *SUMS)}
    return TableRow(option.id("bill", item.id), item.name, cells, texts)


def _vat(option: Costed) -> Table:
    rows = [
        TableRow(
            option.id("vat", kind.value),
            VAT_NAMES[kind],
            {"rate": vat_rate_id(kind)} | {key: option.id("vat", kind.value, key) for key in SUMS},
        )
        for kind in vat_classes(option)
    ]
    rows += [
        TableRow(option.id("vat", kind.value), VAT_NAMES[kind], {"rate": vat_rate_id(kind)}, _unpriced_sums())
        for kind in VatClass
        if kind not in vat_classes(option) and any(item.vat is kind for item in option.capital)
    ]
    if owned(option):
        cells = {key: option.id("capex", key) for key in SUMS}
        rows.append(TableRow(option.id("vat"), text("合计", "Total"), cells, style="total"))
    title = text(f"方案 {option.key} 按税率汇总", f"Option {option.key}: by VAT rate")
    return Table(f"vat:{option.key}", title, ("rate", *SUMS), tuple(rows), option.key)


def _unpriced_sums() -> dict[str, str | Text]:
    return dict.fromkeys(SUMS, _NOT_PRICED)


def _years(option: Costed) -> tuple[str, ...]:
    return ("year0", *(f"year{year}" for year in option.years), "total")


def _tco(option: Costed) -> Table:
    title = text(
        f"方案 {option.key} 总拥有成本（现金口径）",
        f"Option {option.key}: total cost of ownership, cash view",
    )
    columns = _years(option)
    if not owned(option):
        return Table(f"tco:{option.key}", title, columns, (), option.key)
    purchase = option.id("capex", "net")
    paid = {f"year{year}": option.id("purchase", f"year{year}") for year in paid_years(option)}
    rows = [
        TableRow(
            option.id("tco", "capex"),
            text("资本性支出（不含税）", "Capital expenditure, net"),
            dict.fromkeys(columns, _NIL) | (paid or {"year0": purchase}) | {"total": purchase},
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
    return Table(f"tco:{option.key}", title, columns, (*rows, *_cash_rows(option)), option.key)


def _cash_rows(option: Costed) -> tuple[TableRow, ...]:
    columns = _years(option)
    years = columns[:-1]
    cash = {year: option.id("cash", year) for year in years} | {"total": option.id("tco", "net")}
    factors = {year: f"general.discount_factor.{year}" for year in years}
    present = {year: option.id("discounted", year) for year in years} | {
        "total": option.id("tco", "discounted")
    }
    return (
        TableRow(option.id("tco", "cash"), text("现金支出合计", "Cash out"), cash, style="total"),
        TableRow(option.id("tco", "factor"), text("折现系数", "Discount factor"), factors),
        TableRow(option.id("tco", "present"), text("现值", "Present value"), present, style="total"),
    )


def _accounting(option: Costed) -> Table:
    title = text(f"方案 {option.key} 会计口径", f"Option {option.key}: accounting view")
    columns = _years(option)
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


def _energy(option: Costed, known: dict[str, Entry]) -> Table:
    keys = (
        "energy.kw_run",
        "energy.busy_hours",
        "energy.kwh_run",
        "energy.kwh_year",
        "carbon.kg_run",
        "carbon.kg_year",
    )
    rows = tuple(
        TableRow(entry, known[entry].label, {"value": entry}, {"unit": known[entry].unit})
        for entry in (option.id(key) for key in keys)
        if entry in known
    )
    title = text(f"方案 {option.key} 能耗与碳排放", f"Option {option.key}: energy and carbon")
    return Table(f"energy:{option.key}", title, ("value", "unit"), rows, option.key)


_METRICS = (
    "capex.net",
    "capex.vat",
    "capex.gross",
    "opex.year1",
    "opex.total",
    "tco.net",
    "tco.discounted",
    "cost.accelerator_hour",
    "cost.busy_accelerator_hour",
    "cost.billion_tokens",
    "cost.e23_flops",
    "energy.kwh_run",
    "energy.kwh_year",
    "carbon.kg_run",
    "carbon.kg_year",
    "rent.hour",
    "rent.year",
    "rent.total",
    "rent.breakeven_utilisation",
    "rent.breakeven_months",
)


def _totals(options: Sequence[Costed], known: dict[str, Entry]) -> Table:
    rows: list[TableRow] = []
    for metric in _METRICS:
        cells = {option.key: option.id(metric) for option in options if option.id(metric) in known}
        if cells:
            first = known[next(iter(cells.values()))]
            rows.append(TableRow(metric, first.label, cells, {"unit": first.unit}))
    columns = ("unit", *(option.key for option in options))
    return Table("totals", text("方案汇总", "Options side by side"), columns, tuple(rows))


def _checks(entries: Sequence[Entry]) -> Table:
    rows = tuple(
        TableRow(
            entry.id, entry.label, {"value": entry.id}, style="total" if entry.id == "check.master" else "row"
        )
        for entry in entries
        if entry.id.startswith("check.")
    )
    return Table("checks", text("校验", "Checks"), ("value",), rows)
