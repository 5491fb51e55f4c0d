"""Second pass: writes the workbook, each formula from the ledger's expression, its value cached beside it.

A reader that does not recalculate (a preview, a data frame) sees the right numbers; a spreadsheet program
recalculates when it loads.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from datetime import datetime, time
from typing import TYPE_CHECKING, Any

import xlsxwriter  # type: ignore[import-untyped]
from xlsxwriter.utility import xl_rowcol_to_cell  # type: ignore[import-untyped]

from suanli.costing.expressions import formula, references
from suanli.costing.ledger import Input, Line
from suanli_reports.workbook_blocks import Look, RowStyle
from suanli_reports.workbook_charts import CHART_ROW_PT, draw_charts
from suanli_reports.workbook_formulas import with_ranges
from suanli_reports.workbook_grid import Place, arrange
from suanli_reports.workbook_notes import AUTHOR, note_of, note_options, shade_cells
from suanli_reports.workbook_page import note_columns, set_up_page
from suanli_reports.workbook_rules import input_rule, never_zero
from suanli_reports.workbook_style import cell_format, currency_symbol, number_format, shown_width
from suanli_reports.workbook_template import load_layout
from suanli_reports.workbook_text import lines_needed, plain, say

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from suanli.costing.ledger import Entry
    from suanli.proposal.contributions import RenderJob
    from suanli.proposal.model import Proposal
    from suanli_reports.workbook_blocks import Issued
    from suanli_reports.workbook_grid import Grid, SheetGrid
    from suanli_reports.workbook_layout import Message, Sheet
    from suanli_reports.workbook_rows import Cell, Row

__all__ = ["render_xlsx"]

_MAX_TEXT = 32767
"""Characters that a cell may hold."""
_MAX_ROW_HEIGHT = 400.0
"""Points; spreadsheets allow 409."""
_BOLD = 1.12
"""Width of bold text over plain text."""
_MAX_LITERAL = 255
"""Characters of a text inside a formula."""

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
    positive: frozenset[str]
    """Inputs that must not be zero."""
    currency: str
    formats: dict[tuple[Look, RowStyle, str, str, bool], Any] = field(
        default_factory=dict[tuple[Look, RowStyle, str, str, bool], Any]
    )

    def format(self, look: Look, style: RowStyle, align: str, number: str, *, linked: bool = False) -> Any:  # noqa: ANN401 - an XlsxWriter format
        """Return the format of a kind of cell, made once; a text that leads somewhere is underlined."""
        key = (look, style, align, number, linked)
        if key not in self.formats:
            properties = cell_format(look, style, align, number, self.grid.layout)
            self.formats[key] = self.book.add_format(properties | ({"underline": 1} if linked else {}))
        return self.formats[key]

    @property
    def symbol(self) -> str:
        """Return the sign of the currency of the workbook."""
        return currency_symbol(self.currency, self.language)

    def say(self, message: Message) -> str:
        """Return a message of the layout."""
        return say(self.grid.layout.messages[message], self.language, between=" / ")

    def shown(self, cell: Cell, sheet: Sheet) -> tuple[Decimal, str]:
        """Return the value and the number format of a cell of a sheet that shows a number."""
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
            cell.format or unit,
            value,
            self.grid.layout,
            self.language,
            incomplete=incomplete,
            bare=sheet.bare,
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
    _describe(book, proposal, job.language)
    entries = {entry.id: entry for entry in ledger.entries}
    names = {entry_id: name for name, entry_id in layout.names.items()}
    pen = _Pen(book, grid, entries, ledger.values(), names, job.language, never_zero(ledger), ledger.currency)
    for number, sheet in enumerate(grid.sheets):
        _write_sheet(pen, number, sheet, proposal)
    for entry_id, name in names.items():
        book.define_name(name, f"={_address(grid, grid.homes[entry_id], None)}")
    book.close()
    return buffer.getvalue()


def _describe(book: Any, proposal: Proposal, language: str) -> None:  # noqa: ANN401 - an XlsxWriter workbook
    project = proposal.project
    book.set_properties(
        {
            "title": plain(project.name.in_language(language)),
            "subject": "成本测算表 / Cost sheet",
            "company": plain(project.client.in_language(language)),
            "author": AUTHOR,
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
    first, last = note_columns(sheet.spec)
    front = widths[first : last + 1]
    heights = [_row_height(pen, row, front if row.style is RowStyle.NOTE else widths) for row in sheet.rows]
    for index, row in enumerate(sheet.rows):
        page.set_row(index, heights[index])
        if row.style is RowStyle.CHART:
            _write_charts(pen, page, sheet, index, widths)
        else:
            _write_row(pen, page, number, index, row)
    inputs = {entry.id: entry for entry in proposal.ledger.inputs}
    shade_cells(
        pen.book,
        page,
        sheet,
        pen.grid.layout,
        inputs,
        pen.language,
        lambda cell, index: pen.grid.homes[cell.entry] == Place(number, index, cell.column),
    )
    set_up_page(page, sheet, widths, heights, pen.grid.layout, pen.language, proposal.project)


def _write_charts(pen: _Pen, page: Any, sheet: SheetGrid, index: int, widths: list[float]) -> None:  # noqa: ANN401
    row = sheet.rows[index]
    if row.charts:
        lines = sum(other.block == row.block for other in sheet.rows)
        draw_charts(pen.book, page, index, row.charts, pen.grid, pen.language, widths, lines, pen.symbol)


def _write_row(pen: _Pen, page: Any, sheet: int, index: int, row: Row) -> None:  # noqa: ANN401 - an XlsxWriter worksheet
    columns = pen.grid.sheets[sheet].spec.columns
    first, last = note_columns(pen.grid.sheets[sheet].spec)
    if row.style is RowStyle.NOTE and last > first:
        style = pen.format(row.cells[0].look or Look.TEXT, RowStyle.NOTE, "left", "")
        page.merge_range(index, first, index, last, "", style)
        page.write_string(index, first, row.cells[0].text[:_MAX_TEXT], style)
        return
    filled = {cell.column: cell for cell in row.cells}
    for column, spec in enumerate(columns):
        cell = filled.get(column)
        if cell is not None and (cell.text or cell.entry or cell.quantity):
            _write_cell(pen, page, (sheet, index), row, cell)
            if row.spans and cell is row.cells[-1] and column < len(columns) - 1:
                style = pen.format(cell.look or Look.TEXT, row.style, spec.align, "")
                page.merge_range(index, column, index, len(columns) - 1, "", style)
                page.write_string(index, column, cell.text[:_MAX_TEXT], style)
                return
        elif row.style is not RowStyle.TITLE:
            look = cell.look if cell is not None and cell.open and cell.look else Look.TEXT
            page.write_blank(index, column, None, pen.format(look, row.style, spec.align, ""))


def _write_cell(pen: _Pen, page: Any, place: tuple[int, int], row: Row, cell: Cell) -> None:  # noqa: ANN401
    sheet, index = place
    if cell.entry:
        _write_entry(pen, page, place, row, cell)
        _write_note(pen, page, place, cell)
    elif cell.issued is not None:
        _write_issued(pen, page, place, row, cell.issued)
    elif cell.quantity is not None:
        value, number = pen.shown(cell, pen.grid.sheets[sheet].spec)
        style = pen.format(cell.look or Look.FIGURE, row.style, _align(pen, sheet, cell), number)
        page.write_number(index, cell.column, float(value), style)
    else:
        _write_text(pen, page, place, row, cell)


def _write_note(pen: _Pen, page: Any, place: tuple[int, int], cell: Cell) -> None:  # noqa: ANN401
    """Add the note of a figure where it lives and on the sheets that carry notes."""
    sheet, index = place
    home = pen.grid.homes[cell.entry] == Place(sheet, index, cell.column)
    if not home and not pen.grid.sheets[sheet].spec.annotated:
        return
    text = note_of(pen.entries[cell.entry], pen.grid, pen.entries, pen.language)
    if text:
        page.write_comment(index, cell.column, text, note_options(text, pen.grid.layout))


def _write_text(pen: _Pen, page: Any, place: tuple[int, int], row: Row, cell: Cell) -> None:  # noqa: ANN401
    """Write a text; the title of a sheet leads back to the first sheet, a key to its row."""
    sheet, index = place
    title = row.style is RowStyle.TITLE
    align = "left" if title or row.style is RowStyle.HEAD else _align(pen, sheet, cell)
    target = pen.grid.target(cell.goto) if cell.goto is not None else None
    look = cell.look or (Look.TEXT if target is None else Look.LINK)
    style = pen.format(look, row.style, align, "", linked=target is not None)
    if target is not None:
        _lead(pen, page, (index, cell.column), target)
    elif title and sheet:
        _lead(pen, page, (index, cell.column), Place(0, 0, 0), tip=pen.say("home"))
    page.write_string(index, cell.column, cell.text[:_MAX_TEXT], style)


def _lead(pen: _Pen, page: Any, cell: tuple[int, int], target: Place, tip: str = "") -> None:  # noqa: ANN401
    """Make a cell lead to another one of the workbook; what the cell shows is written over it afterwards."""
    page.write_url(*cell, f"internal:{_address(pen.grid, target, None)}", None, "›", tip or None)


def _write_issued(pen: _Pen, page: Any, place: tuple[int, int], row: Row, issued: Issued) -> None:  # noqa: ANN401
    """Write a text that gives way to a warning when its amount is no longer the issued one."""
    sheet, index = place
    columns = [column.key for column in pen.grid.sheets[sheet].spec.columns]
    cell = next(cell for cell in row.cells if cell.issued is issued)
    amount = xl_rowcol_to_cell(index, columns.index(issued.number), col_abs=True)
    live = _address(pen.grid, pen.grid.homes[issued.entry], sheet)
    changed = f"ROUND({live}-{amount},2)<>0"
    text, warning = cell.text[:_MAX_LITERAL], pen.say("changed")[:_MAX_LITERAL]
    style = pen.format(cell.look or Look.TEXT, row.style, "left", "")
    page.write_formula(
        index, cell.column, f"=IF({changed},{_literal(warning)},{_literal(text)})", style, text
    )
    alarm = pen.book.add_format({"font_color": pen.grid.layout.palette.warning, "bold": True})
    page.conditional_format(
        index,
        cell.column,
        index,
        cell.column,
        {"type": "formula", "criteria": f"={changed}", "format": alarm},
    )


def _literal(text: str) -> str:
    """Return a text as spreadsheets write it in a formula.

    >>> _literal('the "same" sum')
    '"the ""same"" sum"'
    """
    return '"' + text.replace('"', '""') + '"'


def _write_entry(pen: _Pen, page: Any, place: tuple[int, int], row: Row, cell: Cell) -> None:  # noqa: ANN401
    sheet, index = place
    entry, home = pen.entries[cell.entry], pen.grid.homes[cell.entry]
    exact, number = pen.shown(cell, pen.grid.sheets[sheet].spec)
    value = float(exact)
    at_home = home == Place(sheet, index, cell.column)
    beside = {other.entry: other.column for other in row.cells if other.entry and other.column != cell.column}

    def address(entry_id: str) -> str:
        # A figure that stands in the same row is read there, so that a column has one formula.
        if entry_id in beside:
            return str(xl_rowcol_to_cell(index, beside[entry_id]))
        return pen.names.get(entry_id) or _address(pen.grid, pen.grid.homes[entry_id], sheet)

    if at_home and isinstance(entry, Input):
        page.write_number(
            index, cell.column, value, pen.format(Look.INPUT, row.style, _align(pen, sheet, cell), number)
        )
        rule = input_rule(entry, pen.grid.layout, pen.language, positive=entry.id in pen.positive)
        page.data_validation(index, cell.column, index, cell.column, rule)
        return
    text = (
        with_ranges(formula(entry.expression, address))
        if at_home and isinstance(entry, Line)
        else _address(pen.grid, home, sheet)
    )
    read = references(entry.expression) if at_home and isinstance(entry, Line) else (cell.entry,)
    away = [(entry_id, home) for entry_id in read if (home := pen.grid.homes[entry_id]).sheet != sheet]
    if away:
        _lead(pen, page, (index, cell.column), away[0][1])
    # What stands in the same row is read there, though the link leads on to where it lives.
    elsewhere = any(not at_home or entry_id not in beside for entry_id, _ in away)
    look = cell.look or (Look.LINK if elsewhere else Look.FORMULA)
    page.write_formula(
        index, cell.column, f"={text}", pen.format(look, row.style, _align(pen, sheet, cell), number), value
    )


def _align(pen: _Pen, sheet: int, cell: Cell) -> str:
    return pen.grid.sheets[sheet].spec.columns[cell.column].align


def _column_width(pen: _Pen, sheet: SheetGrid, column: int) -> float:
    """Return the width of the layout, or more: no number is cut, no word of the column's name broken."""
    spec = sheet.spec.columns[column]
    words = re.findall(r"[A-Za-z]+", say(spec.label, pen.language)) if sheet.spec.header else []
    needed = [spec.width, *(len(word) * _BOLD + 1.5 for word in words)]
    for row in sheet.rows:
        for cell in row.cells:
            if cell.column != column:
                continue
            bold = _BOLD if row.style in {RowStyle.SUBTOTAL, RowStyle.TOTAL} else 1.0
            if cell.entry or cell.quantity is not None:
                needed.append(bold * shown_width(*pen.shown(cell, sheet.spec)) + 2)
    return max(needed)


def _room(row: Row, cell: Cell, widths: list[float]) -> float:
    """Return the width that a text has before it wraps."""
    if row.style is RowStyle.NOTE:
        return sum(widths)
    return sum(widths[cell.column :]) if row.spans and cell is row.cells[-1] else widths[cell.column]


def _row_height(pen: _Pen, row: Row, widths: list[float]) -> float:
    """Return points: a line each for what wraps, since spreadsheets do not grow merged rows by themselves."""
    size = pen.grid.layout.size
    if row.style is RowStyle.CHART:
        return CHART_ROW_PT
    if row.style is RowStyle.TITLE:
        return size * 2.6
    if row.style is RowStyle.HEAD:
        return size * 2.0
    texts = [(cell.text, _room(row, cell, widths)) for cell in row.cells if cell.text]
    bold = 1.1 if row.style in {RowStyle.HEADER, RowStyle.SUBTOTAL, RowStyle.TOTAL} else 1.0
    lines = max((lines_needed(text, room / bold) for text, room in texts), default=1)
    return min(lines * size * 1.45 + size * 0.45, _MAX_ROW_HEIGHT)
