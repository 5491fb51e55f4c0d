"""First pass over the workbook: which cell each row, text and ledger entry stands in.

Every ledger entry gets one home cell. Wherever else it is shown the cell reads its home, so that nothing is
stored twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.costing.expressions import references
from suanli.costing.ledger import Input, Line
from suanli.domain.figure import Grade
from suanli.domain.record import Text
from suanli.errors import Fault, RenderError, nearest
from suanli_reports.workbook_layout import (
    Column,
    Issued,
    Layout,
    LedgerBlock,
    Look,
    Meta,
    Quantity,
    RowsBlock,
    RowStyle,
    Sheet,
    WorkingsBlock,
)
from suanli_reports.workbook_text import say, sheet_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from suanli.costing.ledger import Entry, Ledger, TableRow
    from suanli_reports.workbook_layout import Block, InlineRow

__all__ = ["Cell", "Grid", "Place", "Row", "SheetGrid", "arrange"]


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell holds: a text, a ledger entry or a figure of the proposal."""

    column: int
    text: str = ""
    entry: str = ""
    quantity: Quantity | None = None
    look: Look | None = None
    """Look that the layout asks for; None: by content."""
    format: str = ""
    """Key of the number format in place of the unit's."""
    link: bool = False
    """True where the entry never lives in this cell."""
    issued: Issued | None = None
    goto: tuple[str, str] | None = None
    """Id of the sheet that the cell leads to, and the text at the beginning of the row, empty for the top."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a sheet."""

    style: RowStyle
    cells: tuple[Cell, ...]
    homes: bool = False
    """True where the entries of the row may live here."""
    links: bool = False
    """True where they live here only if they stand nowhere else."""
    spans: bool = False
    """True where the text of the last cell runs over the empty columns to its right."""


@dataclass(frozen=True, slots=True)
class SheetGrid:
    """A sheet with its rows in order, the first row first."""

    name: str
    spec: Sheet
    rows: tuple[Row, ...]
    header: int | None
    """Row of the column names; None where the sheet has none."""


@dataclass(frozen=True, slots=True)
class Place:
    """Address of a cell; all three count from 0."""

    sheet: int
    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Grid:
    """The workbook before anything is written."""

    layout: Layout
    sheets: tuple[SheetGrid, ...]
    homes: Mapping[str, Place]
    """Home cell of every ledger entry."""

    def target(self, goto: tuple[str, str]) -> Place | None:
        """Return the cell that a link leads to, or None where the workbook has no such row."""
        wanted, key = goto
        for number, sheet in enumerate(self.sheets):
            if sheet.spec.id != wanted:
                continue
            if not key:
                return Place(number, 0, 0)
            for index, row in enumerate(sheet.rows):
                if row.style is RowStyle.ROW and row.cells and row.cells[0].text == key:
                    return Place(number, index, 0)
        return None


@dataclass(frozen=True, slots=True)
class _Source:
    """What rows are made from."""

    layout: Layout
    ledger: Ledger
    entries: Mapping[str, Entry]
    language: str

    def say(self, text: Text | str, between: str = " / ") -> str:
        return say(text, self.language, between=between)


def arrange(layout: Layout, ledger: Ledger, language: str) -> Grid:
    """Return the grid of a workbook, with a home for every ledger entry.

    Args:
        layout: sheets and words.
        ledger: entries and tables.
        language: ``zh``, ``en`` or ``bilingual``.

    Raises:
        RenderError: the layout names a table or an entry that the ledger does not have.
    """
    _refuse_unknown(layout, ledger)
    source = _Source(layout, ledger, {entry.id: entry for entry in ledger.entries}, language)
    filled = [(spec, rows) for spec in layout.sheets if (rows := tuple(_sheet_rows(spec, source)))]
    names = sheet_names(say(spec.name, language) for spec, _ in filled)
    sheets = tuple(_sheet(spec, name, rows, source) for (spec, rows), name in zip(filled, names, strict=True))
    return Grid(layout, sheets, _homes(sheets))


def _refuse_unknown(layout: Layout, ledger: Ledger) -> None:
    tables = [table.id for table in ledger.tables]
    entries = [entry.id for entry in ledger.entries]
    blocks = [(sheet.id, block) for sheet in layout.sheets for block in sheet.blocks]
    asked_tables = [(place, block.table) for place, block in blocks if isinstance(block, LedgerBlock)]
    asked = [
        (place, entry_id)
        for place, block in blocks
        if isinstance(block, RowsBlock)
        for row in block.rows
        for entry_id in (*row.cells.values(), *(issued.entry for issued in row.issued.values()))
    ]
    asked += [(f"names.{name}", entry_id) for name, entry_id in layout.names.items()]
    faults = [
        Fault(
            f'no {what} "{entry_id}" in the ledger',
            where="layout of the workbook",
            key=place,
            cure=nearest(entry_id, known),
        )
        for what, known, wanted in (("table", tables, asked_tables), ("entry", entries, asked))
        for place, entry_id in wanted
        if entry_id not in known
    ]
    if faults:
        raise RenderError(faults)


def _sheet(spec: Sheet, name: str, body: tuple[Row, ...], source: _Source) -> SheetGrid:
    rows = [Row(RowStyle.TITLE, (Cell(0, source.say(spec.title)),))]
    rows += [Row(RowStyle.NOTE, (Cell(0, source.say(note, "\n")),)) for note in spec.notes]
    header = None
    if spec.header:
        header = len(rows)
        rows.append(
            Row(
                RowStyle.HEADER, tuple(Cell(n, source.say(c.label, "\n")) for n, c in enumerate(spec.columns))
            )
        )
    return SheetGrid(name, spec, (*rows, *body), header)


def _sheet_rows(spec: Sheet, source: _Source) -> Iterator[Row]:
    for block in spec.blocks:
        yield from _block_rows(block, spec.columns, source)


def _block_rows(block: Block, columns: tuple[Column, ...], source: _Source) -> Iterator[Row]:
    match block:
        case LedgerBlock():
            table = next(table for table in source.ledger.tables if table.id == block.table)
            if block.titled and table.rows:
                yield _head(table.title, source)
            for row in table.rows:
                cells = tuple(_ledger_cells(row, columns, source, marked=not block.links))
                yield Row(RowStyle(row.style), cells, homes=True, links=block.links)
        case RowsBlock():
            if block.title is not None and block.rows:
                yield _head(block.title, source)
            for inline in block.rows:
                yield Row(inline.style, tuple(_inline_cells(inline, columns, source)), spans=inline.spans)
        case WorkingsBlock():
            for entry in _unshown(source):
                yield Row(RowStyle.ROW, tuple(_working_cells(entry, columns, source)), homes=True)


def _head(title: Text, source: _Source) -> Row:
    return Row(RowStyle.HEAD, (Cell(0, source.say(title)),))


def _ledger_cells(
    row: TableRow, columns: tuple[Column, ...], source: _Source, *, marked: bool
) -> Iterator[Cell]:
    """Yield the cells of a row; where `marked`, the label says that a sum is incomplete."""
    incomplete = marked and any(_misses(entry_id, source) for entry_id in row.cells.values())
    for number, column in enumerate(columns):
        meta = _meta_cell(number, column, row.cells, source)
        if column.incomplete is not None and _misses(row.cells.get(column.key, ""), source):
            yield Cell(number, source.say(column.incomplete), look=Look.WARNING)
        elif column.key in row.cells:
            yield Cell(number, entry=row.cells[column.key], format=column.format)
        elif meta is not None:
            yield meta
        elif column.key in row.texts:
            gap = row.texts[column.key] == column.empty
            text = _word(row.texts[column.key], column, source)
            yield Cell(number, text, look=Look.WARNING if gap else None)
        elif column.key == "label":
            label = _marked(row.label, source.layout.messages["incomplete"]) if incomplete else row.label
            yield Cell(number, source.say(label), look=Look.WARNING if incomplete else None)
        elif column.empty is not None and row.style == RowStyle.ROW and column.empty_unless not in row.cells:
            yield Cell(number, source.say(column.empty), look=Look.WARNING)


def _misses(entry_id: str, source: _Source) -> bool:
    """Tell whether an entry is a sum that misses an unpriced part."""
    entry = source.entries.get(entry_id)
    return isinstance(entry, Line) and entry.incomplete


def _marked(label: Text, mark: Text) -> Text:
    """Return a label with the mark of incomplete sums, one bracket in place of two that touch."""
    return Text(
        zh=f"{label.zh}{mark.zh}".replace("）（", "，"), en=f"{label.en}{mark.en}".replace(") (", ", ")
    )


def _inline_cells(row: InlineRow, columns: tuple[Column, ...], source: _Source) -> Iterator[Cell]:
    for number, column in enumerate(columns):
        look = row.looks.get(column.key)
        if column.key in row.cells:
            yield Cell(
                number,
                entry=row.cells[column.key],
                look=look,
                format=row.formats.get(column.key, column.format),
            )
        elif column.key in row.issued:
            issued = row.issued[column.key]
            yield Cell(number, source.say(issued.text), look=look, issued=issued)
        elif column.key in row.numbers:
            yield Cell(number, quantity=row.numbers[column.key], look=look)
        elif column.key in row.texts:
            text = _word(row.texts[column.key], column, source)
            leads = row.links.get(column.key)
            goto = (leads, "") if leads else _goto(text, column)
            yield Cell(number, text, look=look, goto=goto)
        elif column.key == "label":
            yield Cell(number, source.say(row.label), look=look)
        elif row.style is RowStyle.HEADER:
            yield Cell(number, source.say(column.label, "\n"))


def _working_cells(entry: Entry, columns: tuple[Column, ...], source: _Source) -> Iterator[Cell]:
    for number, column in enumerate(columns):
        match column.key:
            case "label":
                yield Cell(number, source.say(entry.label))
            case "value":
                yield Cell(number, entry=entry.id)
            case "unit":
                yield Cell(number, _word(entry.unit, column, source))
            case "id":
                yield Cell(number, entry.id)
            case _:
                pass


def _word(text: Text | str, column: Column, source: _Source) -> str:
    if isinstance(text, str) and column.words:
        text = source.layout.words.get(column.words, {}).get(text, text)
    return source.say(text)


def _meta_cell(number: int, column: Column, cells: Mapping[str, str], source: _Source) -> Cell | None:
    """Return what a column says of the entry that a row shows, or None where there is nothing to say."""
    shown = next((source.entries[cells[key]] for key in column.of if key in cells), None)
    entry = _behind(shown, column.behind, source) if shown is not None and column.behind else shown
    match column.meta:
        case Meta.ENTRY if entry is not None:
            return Cell(number, entry=entry.id, link=True)
        case Meta.UNIT if entry is not None:
            return Cell(number, _word(entry.unit, column, source))
        case _:
            return _input_cell(number, column, entry, source) if isinstance(entry, Input) else None


def _behind(entry: Entry, beginning: str, source: _Source) -> Entry | None:
    read = references(entry.expression) if isinstance(entry, Line) else (entry.id,)
    return next((source.entries[entry_id] for entry_id in read if entry_id.startswith(beginning)), None)


def _input_cell(number: int, column: Column, entry: Input, source: _Source) -> Cell | None:
    if column.meta in {Meta.LOW, Meta.HIGH}:
        return _bound(number, entry.low if column.meta is Meta.LOW else entry.high, entry)
    if column.meta is Meta.GRADE:
        return _grade_cell(number, column, entry, source)
    match column.meta:
        case Meta.SOURCE:
            origin = source.layout.words.get("origin", {}).get(entry.group, "")
            text = _word(entry.source, column, source) if entry.source else source.say(origin)
        case Meta.DATED:
            text = entry.dated
        case Meta.VALID_TO:
            text = entry.valid_to.isoformat() if entry.valid_to else ""
        case Meta.NOTE:
            text = source.say(entry.note or "")
        case _:
            text = ""
    return Cell(number, text, goto=_goto(text, column)) if text else None


def _goto(text: str, column: Column) -> tuple[str, str] | None:
    """Return where the first key of a text leads, or None where its column leads nowhere."""
    return (column.finds, text.partition(",")[0].strip()) if column.finds and text else None


def _bound(number: int, bound: Decimal | None, entry: Input) -> Cell | None:
    return None if bound is None else Cell(number, quantity=Quantity(value=bound, unit=entry.unit))


def _grade_cell(number: int, column: Column, entry: Input, source: _Source) -> Cell:
    words = [_word(entry.grade.value, column, source)] if entry.source else []
    if entry.stale:
        words.append(source.say(source.layout.messages["stale"]))
    weak = entry.stale or entry.grade is Grade.WEAK
    return Cell(number, " · ".join(words), look=Look.WARNING if weak else None)


def _unshown(source: _Source) -> tuple[Entry, ...]:
    blocks = [
        (spec, block)
        for spec in source.layout.sheets
        for block in spec.blocks
        if isinstance(block, LedgerBlock)
    ]
    tables = {table.id: table for table in source.ledger.tables}
    shown = {
        entry_id
        for spec, block in blocks
        for row in tables[block.table].rows
        for key, entry_id in row.cells.items()
        if key in {column.key for column in spec.columns}
    }
    return tuple(entry for entry in source.ledger.entries if entry.id not in shown)


def _homes(sheets: tuple[SheetGrid, ...]) -> dict[str, Place]:
    homes: dict[str, Place] = {}
    for links in (False, True):
        for number, sheet in sorted(enumerate(sheets), key=lambda item: not item[1].spec.first):
            for index, row in enumerate(sheet.rows):
                if row.homes and row.links is links:
                    for cell in row.cells:
                        if cell.entry and not cell.link:
                            homes.setdefault(cell.entry, Place(number, index, cell.column))
    return homes
