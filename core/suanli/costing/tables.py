"""Where each entry stands: the tables of the workbook, which hold ids and never values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.capital import SUMS, blocks, vat_classes
from suanli.costing.financing import financing_table
from suanli.costing.inputs import GROUP_TITLES
from suanli.costing.ledger import Entry, Input, Table, TableRow
from suanli.costing.lines import CATEGORY_NAMES, VAT_NAMES, Costed, text, vat_rate_id
from suanli.costing.operating import PHASES
from suanli.costing.payments import payment_table
from suanli.costing.scenarios import scenario_table
from suanli.costing.tables_cash import METRICS, accounting_table, cash_table, decision_table, monthly_table
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


def make_tables(options: Sequence[Costed], entries: Sequence[Entry]) -> tuple[Table, ...]:
    """Return inputs by group, the tables of each option, the totals side by side, and the checks."""
    known = {entry.id: entry for entry in entries}
    ids = frozenset(known)
    per_option = [
        table
        for option in options
        for table in (
            _bill(option),
            _vat(option),
            payment_table(option),
            cash_table(option),
            accounting_table(option),
            monthly_table(option),
            financing_table(option, ids),
            _energy(option, known),
            scenario_table(option, ids),
            decision_table(option, known),
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


def _energy(option: Costed, known: dict[str, Entry]) -> Table:
    keys = (
        "energy.kw_run",
        "energy.busy_hours",
        "energy.kwh_run",
        *(f"energy.kwh_{phase}" for phase in PHASES),
        "energy.kwh_year",
        "carbon.kg_run",
        "carbon.kg_year",
        "carbon.embodied_kg",
        "carbon.embodied_run",
    )
    rows = tuple(
        TableRow(entry, known[entry].label, {"value": entry}, {"unit": known[entry].unit})
        for entry in (option.id(key) for key in keys)
        if entry in known
    )
    title = text(f"方案 {option.key} 能耗与碳排放", f"Option {option.key}: energy and carbon")
    return Table(f"energy:{option.key}", title, ("value", "unit"), rows, option.key)


def _totals(options: Sequence[Costed], known: dict[str, Entry]) -> Table:
    rows: list[TableRow] = []
    for metric in METRICS:
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
