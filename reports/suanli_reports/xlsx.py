"""Second pass: writes the workbook, each formula from the ledger's expression, its value cached beside it.

A reader that does not recalculate (a preview, a data frame) sees the right numbers; a spreadsheet program
recalculates when it loads.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from datetime import datetime, time
from typing import TYPE_CHECKING, Any

import xlsxwriter  # type: ignore[import-untyped]
from xlsxwriter.utility import xl_rowcol_to_cell  # type: ignore[import-untyped]

from suanli.costing.expressions import formula, references
from suanli.costing.ledger import Input, Line
from suanli_reports.workbook_grid import arrange
from suanli_reports.workbook_layout import Look, RowStyle
from suanli_reports.workbook_style import cell_format, number_format, shown_width
from suanli_reports.workbook_template import load_layout
from suanli_reports.workbook_text import lines_needed, say, width

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from suanli.costing.ledger import Entry
    from suanli.proposal.contributions import RenderJob
    from suanli.proposal.model import Proposal
    from suanli_reports.workbook_grid import Cell, Grid, Place, Row, SheetGrid

__all__ = ["render_xlsx"]

_MAX_TEXT = 32767
"""Characters that a cell may hold."""
_MAX_ROW_HEIGHT = 400.0
"""Points; spreadsheets allow 409."""
_MAX_FOOTER = 80
"""Characters of client text in the footer, which may hold 255 in all."""

_OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


@dataclass(frozen=True, slots=True)
class _Pen:
    """Everything that writing a cell needs."""

    book: Any
    grid: Grid
    entries: Mapping[str, Entry]
    values: Mapping[str, Decimal]
    names: Mapping[str, str]
    """Defined name by ledger id."""
    language: str
    formats: dict[tuple[Look, RowStyle, str, str], Any] = field(
        default_factory=dict[tuple[Look, RowStyle, str, str], Any]
    )

    def format(self, look: Look, style: RowStyle, align: str, number: str) -> Any:  # noqa: ANN401 - an XlsxWriter format
        """Return the format of a kind of cell, made once."""
        key = (look, style, align, number)
        if key not in self.formats:
            self.formats[key] = self.book.add_format(
                cell_format(look, style, align, number, self.grid.layout)
            )
        return self.formats[key]

    def shown(self, cell: Cell) -> tuple[Decimal, str]:
        """Return the value and the number format of a cell that shows a number."""
        if cell.quantity is not None:
            value, unit, incomplete = cell.quantity.value, cell.quantity.unit, False
        else:
            entry = self.entries[cell.entry]
            value, unit, incomplete = (
                self.values[entry.id],
                entry.unit,
                isinstance(entry, Line) and entry.incomplete,
            )
        number = number_format(
            cell.format or unit, value, self.grid.layout, self.language, incomplete=incomplete
        )
        return value, number


def render_xlsx(job: RenderJob) -> bytes:
    """Return the bytes of the cost sheet; the same proposal gives the same bytes.

    Raises:
        RenderError: the layout template of the shipped templates or of the theme is wrong.
    """
    proposal, ledger = job.proposal, job.proposal.ledger
    layout = load_layout(job)
    grid = arrange(layout, ledger, job.language)
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, _OPTIONS)
    _describe(book, proposal)
    entries = {entry.id: entry for entry in ledger.entries}
    names = {entry_id: name for name, entry_id in layout.names.items()}
    pen = _Pen(book, grid, entries, ledger.values(), names, job.language)
    for number, sheet in enumerate(grid.sheets):
        _write_sheet(pen, number, sheet, proposal)
    for entry_id, name in names.items():
        book.define_name(name, f"={_address(grid, grid.homes[entry_id], None)}")
    book.close()
    return buffer.getvalue()


def _describe(book: Any, proposal: Proposal) -> None:  # noqa: ANN401 - an XlsxWriter workbook
    project = proposal.project
    book.set_properties(
        {
            "title": project.name,
            "subject": "成本测算表 / Cost sheet",
            "company": project.client,
            "category": "成本测算 / Costing",
            "comments": f"suanli {project.version}",
            "created": datetime.combine(project.day, time()),
        }
    )
    book.set_calc_mode("auto")
    book.set_size(24000, 14000)


def _address(grid: Grid, place: Place, sheet: int | None) -> str:
    """Return the address of a cell, with its sheet where it stands on another one than `sheet`."""
    if place.sheet == sheet:
        return str(xl_rowcol_to_cell(place.row, place.column))
    name = grid.sheets[place.sheet].name.replace("'", "''")
    return f"'{name}'!{xl_rowcol_to_cell(place.row, place.column, row_abs=True, col_abs=True)}"


def _write_sheet(pen: _Pen, number: int, sheet: SheetGrid, proposal: Proposal) -> None:
    page = pen.book.add_worksheet(sheet.name)
    widths = [_column_width(pen, sheet, column) for column in range(len(sheet.spec.columns))]
    for column, size in enumerate(widths):
        page.set_column(column, column, size)
    for index, row in enumerate(sheet.rows):
        page.set_row(index, _row_height(pen, row, widths))
        _write_row(pen, page, number, index, row)
    _set_up_page(pen, page, sheet, proposal)


def _write_row(pen: _Pen, page: Any, sheet: int, index: int, row: Row) -> None:  # noqa: ANN401 - an XlsxWriter worksheet
    columns = pen.grid.sheets[sheet].spec.columns
    if row.style is RowStyle.NOTE and len(columns) > 1:
        style = pen.format(Look.TEXT, RowStyle.NOTE, "left", "")
        page.merge_range(index, 0, index, len(columns) - 1, "", style)
        page.write_string(index, 0, row.cells[0].text[:_MAX_TEXT], style)
        return
    filled = {cell.column: cell for cell in row.cells}
    for column, spec in enumerate(columns):
        cell = filled.get(column)
        if cell is None or not (cell.text or cell.entry or cell.quantity):
            if row.style is not RowStyle.TITLE:
                page.write_blank(index, column, None, pen.format(Look.TEXT, row.style, spec.align, ""))
        elif cell.entry:
            _write_entry(pen, page, (sheet, index), row, cell)
        elif cell.quantity is not None:
            value, number = pen.shown(cell)
            style = pen.format(cell.look or Look.FIGURE, row.style, spec.align, number)
            page.write_number(index, column, float(value), style)
        else:
            align = "left" if row.style in {RowStyle.TITLE, RowStyle.HEAD} else spec.align
            page.write_string(
                index, column, cell.text[:_MAX_TEXT], pen.format(cell.look or Look.TEXT, row.style, align, "")
            )


def _write_entry(pen: _Pen, page: Any, place: tuple[int, int], row: Row, cell: Cell) -> None:  # noqa: ANN401
    sheet, index = place
    entry, home = pen.entries[cell.entry], pen.grid.homes[cell.entry]
    exact, number = pen.shown(cell)
    value = float(exact)
    at_home = (home.sheet, home.row, home.column) == (sheet, index, cell.column)

    def address(entry_id: str) -> str:
        return pen.names.get(entry_id) or _address(pen.grid, pen.grid.homes[entry_id], sheet)

    if at_home and isinstance(entry, Input):
        page.write_number(
            index, cell.column, value, pen.format(Look.INPUT, row.style, _align(pen, sheet, cell), number)
        )
        page.data_validation(index, cell.column, index, cell.column, _validation(pen, entry))
        return
    text = (
        formula(entry.expression, address)
        if at_home and isinstance(entry, Line)
        else _address(pen.grid, home, sheet)
    )
    read = references(entry.expression) if at_home and isinstance(entry, Line) else (cell.entry,)
    elsewhere = any(pen.grid.homes[entry_id].sheet != sheet for entry_id in read)
    look = cell.look or (Look.LINK if elsewhere else Look.FORMULA)
    page.write_formula(
        index, cell.column, f"={text}", pen.format(look, row.style, _align(pen, sheet, cell), number), value
    )


def _align(pen: _Pen, sheet: int, cell: Cell) -> str:
    return pen.grid.sheets[sheet].spec.columns[cell.column].align


def _validation(pen: _Pen, entry: Input) -> dict[str, Any]:
    """Return what may be typed: a share of 0 to 1, else at least 0, unless the figure is negative now."""
    messages = pen.grid.layout.messages
    share = entry.unit == "fraction" and 0 <= entry.value <= 1
    rule: dict[str, Any] = {
        "validate": "decimal",
        "error_title": say(entry.label, pen.language, between=" / ")[:32],
    }
    if share:
        rule |= {"criteria": "between", "minimum": 0, "maximum": 1}
    elif entry.value >= 0:
        rule |= {"criteria": ">=", "value": 0}
    else:
        return rule | {"criteria": "between", "minimum": -1e15, "maximum": 1e15}
    rule["error_message"] = say(messages["between" if share else "at_least"], pen.language, between=" / ")[
        :255
    ]
    return rule


def _column_width(pen: _Pen, sheet: SheetGrid, column: int) -> float:
    """Return the width that the layout gives, or more where the widest number needs it, with room to grow."""
    needed = [sheet.spec.columns[column].width]
    for row in sheet.rows:
        for cell in row.cells:
            if cell.column != column:
                continue
            bold = 1.12 if row.style in {RowStyle.SUBTOTAL, RowStyle.TOTAL} else 1.0
            if cell.entry or cell.quantity is not None:
                needed.append(bold * shown_width(*pen.shown(cell)) + 2)
    return max(needed)


def _row_height(pen: _Pen, row: Row, widths: list[float]) -> float:
    """Return points: a line each for what wraps, since spreadsheets do not grow merged rows by themselves."""
    size = pen.grid.layout.size
    if row.style is RowStyle.TITLE:
        return size * 2.6
    if row.style is RowStyle.HEAD:
        return size * 2.0
    whole = row.style is RowStyle.NOTE
    texts = [(cell.text, sum(widths) if whole else widths[cell.column]) for cell in row.cells if cell.text]
    bold = 1.1 if row.style in {RowStyle.HEADER, RowStyle.SUBTOTAL, RowStyle.TOTAL} else 1.0
    lines = max((lines_needed(text, room / bold) for text, room in texts), default=1)
    return min(lines * size * 1.45 + size * 0.45, _MAX_ROW_HEIGHT)


def _set_up_page(pen: _Pen, page: Any, sheet: SheetGrid, proposal: Proposal) -> None:  # noqa: ANN401
    spec = sheet.spec
    page.hide_gridlines(2)
    page.set_landscape()
    page.set_paper(9)  # A4
    page.fit_to_pages(1, 1 if spec.one_page else 0)
    page.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    page.set_footer(_footer(pen, sheet, proposal))
    page.print_area(0, 0, len(sheet.rows) - 1, len(spec.columns) - 1)
    if sheet.header is not None:
        page.freeze_panes(sheet.header + 1, spec.frozen_columns)
        page.repeat_rows(sheet.header)
    if spec.colour:
        page.set_tab_color(spec.colour)
    area = f"A1:{xl_rowcol_to_cell(len(sheet.rows), len(spec.columns))}"
    page.ignore_errors(
        dict.fromkeys(
            ("number_stored_as_text", "two_digit_text_year", "formula_differs", "formula_range"), area
        )
    )
    page.protect("", {"format_columns": True, "format_rows": True, "select_locked_cells": True})


def _footer(pen: _Pen, sheet: SheetGrid, proposal: Proposal) -> str:
    project = proposal.project.name
    shown = project if width(project) <= _MAX_FOOTER else f"{project[: _MAX_FOOTER // 2]}…"
    left = f"{shown} · {sheet.name}".replace("&", "&&").replace("\n", " ")
    middle = say(pen.grid.layout.footer, pen.language, between=" · ")
    return f"&L&8 {left}&C&8 {middle}&R&8 {proposal.project.day.isoformat()}"
