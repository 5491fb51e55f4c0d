"""A quote sheet written as XLSX or CSV: what is asked, and blank cells for what a supplier answers."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import xlsxwriter  # type: ignore[import-untyped]

from suanli.domain.figure import Source
from suanli.domain.record import Text
from suanli.planning.prices import ORIGIN_NAMES, origin_of
from suanli.prices.columns import COLUMNS, REFERENCE, Column, heading, in_language
from suanli.prices.units import unit_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.prices.asked import Asked

__all__ = ["Heading", "write_csv", "write_xlsx"]

_LIBRARY: Any = xlsxwriter
"""The library, which has no types of its own."""

_TITLE: Final = Text(zh="报价表", en="Quotation sheet")
_LABELS: Final = {
    "project": Text(zh="项目", en="Project"),
    "client": Text(zh="客户", en="Client"),
    "day": Text(zh="日期", en="Date"),
}
_INSTRUCTIONS: Final = (
    Text(
        zh="只填写黄底蓝字的单元格；不报价的行留空，不要填 0。",
        en="Fill in the yellow cells only; leave the rows that you do not offer empty, not zero.",
    ),
    Text(
        zh="单价按“单位”列所列单位填写，不是整行总价。",
        en="The unit price is for one of the unit in its column, not for the whole row.",
    ),
    Text(
        zh="每一行都须写明单价是否含增值税：含税填“是”并填税率，读入时按税率换算为不含税价；不含税填“否”。未写明的行不予采用。",
        en="Every row must say whether its unit price includes VAT: yes (gross), with the rate, by which it "
        "is taken net on reading; or no (net). A row that does not say so is refused.",
    ),
    Text(
        zh="数量为各方案中的最大值，最终只采购其中一个方案。型号仅供参考，可报性能相当的产品，并在备注中写明。",
        en="The quantity is the largest of all options, of which one is bought. Names are examples: an "
        "equivalent product may be offered and is named in the note.",
    ),
    Text(
        zh="请勿改动编码列。日期写作 2026-11-30。",
        en="Do not change the keys. Dates are written 2026-11-30.",
    ),
)
_PRIVATE: Final = Text(
    zh="内部资料：含参考价格，不得发给供应商。",
    en="Internal: with reference prices; not to be sent to suppliers.",
)
_VAT_PROMPT: Final = Text(
    zh="是：含增值税，须填税率。否：不含增值税。",
    en="yes: gross, VAT is in the price; fill in its rate. no: net of VAT.",
)
_YES_NO: Final = {"zh": ("是", "否"), "en": ("yes", "no"), "bilingual": ("是 / yes", "否 / no")}
_CURRENCIES: Final = ("CNY", "USD", "EUR", "HKD", "JPY", "GBP", "SGD", "TWD", "KRW", "AED", "INR", "MYR")
_INPUT, _INPUT_FILL, _HEAD_FILL, _LINE = "#0000FF", "#FFFBE0", "#DDE3EA", "#BFBFBF"
_FORMATS: Final = {
    "unit_price": "#,##0.00",
    "vat_rate": "0%",
    "dated": "yyyy-mm-dd",
    "valid_until": "yyyy-mm-dd",
}
_LINE_POINTS: Final = 17
_A3, _A4 = 8, 9
_FIRST_DAY: Final = date(2000, 1, 1)
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above the table."""

    day: date
    currency: str
    """First of the currencies to choose from."""
    project: str = ""
    client: str = ""


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a sheet, ready to be written."""

    columns: tuple[Column, ...]
    rows: tuple[dict[str, str | Decimal], ...]


def _table(asked: Sequence[Asked], catalogue: Catalogue, language: str, *, references: bool) -> _Table:
    known = sum(not column.filled for column in COLUMNS)
    extra = REFERENCE if references else ()
    columns = (*COLUMNS[:known], *extra, *COLUMNS[known:])
    return _Table(columns, tuple(_row(one, catalogue, language, references=references) for one in asked))


def _row(one: Asked, catalogue: Catalogue, language: str, *, references: bool) -> dict[str, str | Decimal]:
    zh, en = one.specification
    row: dict[str, str | Decimal] = {
        "key": one.key,
        "item_zh": one.name.zh,
        "item_en": one.name.en,
        "specification": in_language(Text(zh=zh, en=en), language) if zh and en else "",
        "unit": unit_name(one.unit, language),
        "options": "; ".join(f"{option} {_plain(count)}" for option, count in one.quantities.items()),
    }
    if one.quantity is not None:
        row["quantity"] = one.quantity
    if references and one.price is not None:
        source = catalogue.find(Source, one.price.source)
        row |= {
            "reference_price": f"{_plain(one.price.amount)} {one.price.currency}/{one.price.per}",
            "reference_dated": one.price.dated,
            "reference_source": f"{source.publisher}: {source.title}" if source else one.price.source,
            "reference_grade": in_language(ORIGIN_NAMES[origin_of(one.price)], language),
        }
    return row


def _plain(value: Decimal) -> str:
    """Return a number without trailing zeros or an exponent."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def write_csv(
    asked: Sequence[Asked], catalogue: Catalogue, language: str, *, references: bool = False
) -> bytes:
    """Return a sheet as CSV: UTF-8 with a mark, as spreadsheet programs need it for Chinese.

    A name that a spreadsheet program would take for a formula gets an apostrophe, which reading drops.
    """
    table = _table(asked, catalogue, language, references=references)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([heading(column, language) for column in table.columns])
    for row in table.rows:
        writer.writerow([_spelled(row.get(column.name, "")) for column in table.columns])
    return text.getvalue().encode("utf-8-sig")


def _spelled(cell: str | Decimal) -> str:
    if isinstance(cell, Decimal):
        return _plain(cell)
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def write_xlsx(
    asked: Sequence[Asked],
    catalogue: Catalogue,
    top: Heading,
    language: str,
    *,
    references: bool = False,
) -> bytes:
    """Return a sheet as XLSX, protected without a password save for the cells to be filled in.

    Args:
        asked: the rows.
        catalogue: where references are cited from.
        top: what stands above the table.
        language: zh, en or bilingual.
        references: show what the catalogue knows of prices, for the buyer's own use.
    """
    table = _table(asked, catalogue, language, references=references)
    stream = io.BytesIO()
    # Whatever a name begins with, it is text: no formula, no link.
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    book = _LIBRARY.Workbook(stream, options)
    made = datetime.combine(top.day, time(), UTC).replace(tzinfo=None)
    book.set_properties({"title": in_language(_TITLE, language), "subject": top.project, "created": made})
    page = book.add_worksheet(in_language(_TITLE, language).replace(" / ", " "))
    styles = _Styles(book)
    head = _write_top(page, styles, top, language, references=references)
    _write_rows(page, styles, table, head, language)
    _validate(page, table, head, top, language)
    _set_page(page, table, head, language)
    book.close()
    return stream.getvalue()


class _Styles:
    """The formats of the sheet."""

    def __init__(self, book: Any) -> None:  # noqa: ANN401 - an XlsxWriter workbook
        cell = {"text_wrap": True, "valign": "top", "border": 1, "border_color": _LINE}
        self._book, self._cell = book, cell
        self.title = book.add_format({"bold": True, "font_size": 16})
        self.label = book.add_format({"bold": True})
        self.plain = book.add_format({})
        self.warning = book.add_format({"bold": True, "font_color": "#C00000"})
        self.head = book.add_format({**cell, "bold": True, "bg_color": _HEAD_FILL})
        self.text = book.add_format(cell)
        self.whole = book.add_format({**cell, "num_format": "#,##0"})
        self.real = book.add_format({**cell, "num_format": "#,##0.0##"})
        filled = {**cell, "font_color": _INPUT, "bg_color": _INPUT_FILL, "locked": False}
        self.input_head = book.add_format(
            {**cell, "bold": True, "bg_color": _HEAD_FILL, "font_color": _INPUT}
        )
        self.inputs = {
            column.name: book.add_format({**filled, "num_format": _FORMATS.get(column.name, "General")})
            for column in COLUMNS
            if column.filled
        }


def _write_top(
    page: Any,  # noqa: ANN401 - an XlsxWriter worksheet
    styles: _Styles,
    top: Heading,
    language: str,
    *,
    references: bool,
) -> int:
    """Write title, project and instructions; return the row of the headings."""
    page.write_string(0, 0, in_language(_TITLE, language), styles.title)
    row = 1
    facts = (("project", top.project), ("client", top.client), ("day", top.day.isoformat()))
    for key, value in facts:
        if value:
            page.write_string(row, 0, in_language(_LABELS[key], language), styles.label)
            page.write_string(row, 1, value, styles.plain)
            row += 1
    if references:
        page.write_string(row, 0, in_language(_PRIVATE, language), styles.warning)
        row += 1
    for number, text in enumerate(_INSTRUCTIONS, start=1):
        # Both languages in one line would run off the page.
        for line in (text.zh, text.en) if language == "bilingual" else (in_language(text, language),):
            page.write_string(row, 0, f"{number}. {line}", styles.plain)
            row += 1
    return row + 1


def _write_rows(
    page: Any,  # noqa: ANN401 - an XlsxWriter worksheet
    styles: _Styles,
    table: _Table,
    head: int,
    language: str,
) -> None:
    for at, column in enumerate(table.columns):
        page.set_column(at, at, column.width)
        mark = " *" if column.needed else ""
        style = styles.input_head if column.filled else styles.head
        page.write_string(head, at, heading(column, language) + mark, style)
    page.set_row(head, _LINE_POINTS * 3)
    for down, row in enumerate(table.rows, start=head + 1):
        page.set_row(down, _LINE_POINTS * _lines(table.columns, row))
        for at, column in enumerate(table.columns):
            value = row.get(column.name)
            if column.filled:
                page.write_blank(down, at, None, styles.inputs[column.name])
            elif isinstance(value, Decimal):
                whole = value == value.to_integral_value()
                page.write_number(down, at, float(value), styles.whole if whole else styles.real)
            else:
                page.write_string(down, at, value or "", styles.text)


def _lines(columns: Sequence[Column], row: dict[str, str | Decimal]) -> int:
    """Return the lines that the longest wrapped cell of a row takes; Chinese characters are two wide."""
    texts = ((str(row.get(column.name, "")), column.width) for column in columns)
    return max(max(1, math.ceil(_width(text) / (width - 1))) for text, width in texts)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WFA" else 1 for char in text)


def _validate(
    page: Any,  # noqa: ANN401 - an XlsxWriter worksheet
    table: _Table,
    head: int,
    top: Heading,
    language: str,
) -> None:
    """Let a spreadsheet program refuse what reading would refuse."""
    currencies = list(dict.fromkeys((top.currency, *_CURRENCIES)))
    day: dict[str, object] = {"validate": "date", "criteria": ">=", "value": _FIRST_DAY}
    rules: dict[str, dict[str, object]] = {
        "unit_price": {"validate": "decimal", "criteria": ">", "value": 0},
        "currency": {"validate": "list", "source": currencies},
        "vat_included": {
            "validate": "list",
            "source": list(_YES_NO[language]),
            "input_message": in_language(_VAT_PROMPT, language),
        },
        "vat_rate": {"validate": "decimal", "criteria": "between", "minimum": 0, "maximum": 0.99},
        "dated": day,
        "valid_until": day,
    }
    for at, column in enumerate(table.columns):
        rule = rules.get(column.name)
        if rule is not None and table.rows:
            page.data_validation(head + 1, at, head + len(table.rows), at, dict(rule))


def _set_page(
    page: Any,  # noqa: ANN401 - an XlsxWriter worksheet
    table: _Table,
    head: int,
    language: str,
) -> None:
    """Set paper, repeated heads, footer, frozen panes and protection."""
    page.set_landscape()
    page.set_paper(_A3)
    page.fit_to_pages(1, 0)
    page.repeat_rows(head)
    page.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    page.set_footer(f"&L{in_language(_TITLE, language)}&R&P / &N")
    page.print_area(0, 0, head + len(table.rows), len(table.columns) - 1)
    page.freeze_panes(head + 1, 2)
    page.hide_gridlines(2)
    allowed = {
        "select_locked_cells": True,
        "select_unlocked_cells": True,
        "format_columns": True,
        "format_rows": True,
    }
    page.protect("", allowed)
