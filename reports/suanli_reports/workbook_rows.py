"""The rows of a sheet from the blocks of the layout: what each cell holds, before anything has an address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.costing.expressions import references
from suanli.costing.ledger import Input, Line
from suanli.domain.figure import Grade
from suanli.domain.record import Text
from suanli_reports.workbook_blocks import (
    ChartBlock,
    Column,
    ContentsBlock,
    Issued,
    LedgerBlock,
    Look,
    Meta,
    Quantity,
    RowsBlock,
    RowStyle,
    SeriesBlock,
    WorkingsBlock,
)
from suanli_reports.workbook_text import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from suanli.costing.ledger import Entry, Ledger, TableRow
    from suanli_reports.workbook_blocks import Block, Chart, InlineRow
    from suanli_reports.workbook_layout import Layout, Sheet

__all__ = ["Cell", "Row", "Source", "block_rows", "head_rows"]


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
    open: bool = False
    """True for a cell that the reader fills in."""
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
    table: str = ""
    """Ledger table or block of rows that the row is of."""
    id: str = ""
    charts: tuple[Chart, ...] = ()
    """Charts that begin in this row."""
    block: int = 0
    """Number of the block on its sheet, from 1; 0 for the head of the sheet."""


@dataclass(frozen=True, slots=True)
class Source:
    """What rows are made from."""

    layout: Layout
    ledger: Ledger
    entries: Mapping[str, Entry]
    language: str
    contents: tuple[tuple[Sheet, str], ...] = ()
    """Sheets of the workbook with their names."""

    def say(self, text: Text | str, between: str = " / ") -> str:
        """Return a text in the language of the workbook."""
        return say(text, self.language, between=between)


def head_rows(spec: Sheet, source: Source) -> tuple[tuple[Row, ...], int | None]:
    """Return the rows above the first block, and the number of that with the column names, if any."""
    rows = [Row(RowStyle.TITLE, (Cell(0, source.say(spec.title)),))]
    rows += [Row(RowStyle.NOTE, (Cell(0, source.say(note, "\n")),)) for note in spec.notes]
    if not spec.header:
        return tuple(rows), None
    names = tuple(Cell(n, source.say(column.label, "\n")) for n, column in enumerate(spec.columns))
    return (*rows, Row(RowStyle.HEADER, names)), len(rows)


def block_rows(  # noqa: C901, PLR0912 - a branch a kind of block
    block: Block, columns: tuple[Column, ...], source: Source
) -> Iterator[Row]:
    """Yield the rows of a block."""
    match block:
        case LedgerBlock():
            table = next(table for table in source.ledger.tables if table.id == block.table)
            if block.titled and table.rows:
                yield _head(table.title, source)
            for row in table.rows:
                cells = tuple(_ledger_cells(row, columns, source, marked=not block.links))
                style = RowStyle(row.style)
                yield Row(style, cells, homes=True, links=block.links, table=block.table, id=row.id)
        case RowsBlock():
            if block.title is not None and block.rows:
                yield _head(block.title, source)
            for inline in block.rows:
                cells = tuple(_inline_cells(inline, columns, source))
                yield Row(inline.style, cells, spans=inline.spans, table=block.id, id=inline.id)
        case SeriesBlock():
            found = _series(block, columns, source)
            if block.title is not None and found:
                yield _head(block.title, source)
            for name, entries in found.items():
                yield Row(
                    RowStyle.ROW, tuple(_series_cells(name, entries, block, columns, source)), homes=True
                )
        case ContentsBlock():
            yield from _contents_rows(block, columns, source)
        case ChartBlock():
            yield Row(RowStyle.CHART, (), charts=block.charts)
            yield from (Row(RowStyle.CHART, ()) for _ in range(block.lines - 1))
        case WorkingsBlock():
            for entry in _alone(source):
                yield Row(RowStyle.ROW, tuple(_working_cells(entry, columns, source)), homes=True)


def _contents_rows(block: ContentsBlock, columns: tuple[Column, ...], source: Source) -> Iterator[Row]:
    if block.title is not None:
        yield _head(block.title, source)
    places = {column.key: number for number, column in enumerate(columns)}
    for sheet, name in source.contents:
        cells = (
            Cell(places[block.name], name, goto=(sheet.id, "")),
            Cell(places[block.about], source.say(sheet.about or "")),
        )
        yield Row(RowStyle.ROW, cells, spans=True)


def _series(block: SeriesBlock, columns: tuple[Column, ...], source: Source) -> dict[str, dict[str, Entry]]:
    """Return the entries of a block by name and column."""
    keys = {column.key for column in columns}
    found: dict[str, dict[str, Entry]] = {}
    for entry in _unshown(source):
        name, _, key = entry.id.rpartition(".")
        if key in keys and entry.id.startswith(block.prefix):
            found.setdefault(name, {})[key] = entry
    return found


def _series_cells(
    name: str,
    entries: Mapping[str, Entry],
    block: SeriesBlock,
    columns: tuple[Column, ...],
    source: Source,
) -> Iterator[Cell]:
    for number, column in enumerate(columns):
        if column.key == "label":
            yield Cell(number, source.say(block.labels.get(name, next(iter(entries.values())).label)))
        elif column.key in entries:
            yield Cell(number, entry=entries[column.key].id)


def _head(title: Text, source: Source) -> Row:
    return Row(RowStyle.HEAD, (Cell(0, source.say(title)),))


def _ledger_cells(
    row: TableRow, columns: tuple[Column, ...], source: Source, *, marked: bool
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


def _misses(entry_id: str, source: Source) -> bool:
    """Tell whether an entry is a sum that misses an unpriced part."""
    entry = source.entries.get(entry_id)
    return isinstance(entry, Line) and entry.incomplete


def _marked(label: Text, mark: Text) -> Text:
    """Return a label with the mark of incomplete sums, one bracket in place of two that touch."""
    return Text(
        zh=f"{label.zh}{mark.zh}".replace("）（", "，"), en=f"{label.en}{mark.en}".replace(") (", ", ")
    )


def _inline_cells(row: InlineRow, columns: tuple[Column, ...], source: Source) -> Iterator[Cell]:
    for number, column in enumerate(columns):
        look = row.looks.get(column.key)
        if column.key in row.open:
            yield Cell(number, look=Look.OPEN, open=True)
        elif column.key in row.cells:
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


def _working_cells(entry: Entry, columns: tuple[Column, ...], source: Source) -> Iterator[Cell]:
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


def _word(text: Text | str, column: Column, source: Source) -> str:
    if isinstance(text, str) and column.words:
        text = source.layout.words.get(column.words, {}).get(text, text)
    return source.say(text)


def _meta_cell(number: int, column: Column, cells: Mapping[str, str], source: Source) -> Cell | None:
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


def _behind(entry: Entry, beginning: str, source: Source) -> Entry | None:
    read = references(entry.expression) if isinstance(entry, Line) else (entry.id,)
    return next((source.entries[entry_id] for entry_id in read if entry_id.startswith(beginning)), None)


def _input_cell(number: int, column: Column, entry: Input, source: Source) -> Cell | None:
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


def _grade_cell(number: int, column: Column, entry: Input, source: Source) -> Cell:
    words = [_word(entry.grade.value, column, source)] if entry.source else []
    if entry.stale:
        words.append(source.say(source.layout.messages["stale"]))
    weak = entry.stale or entry.grade is Grade.WEAK
    return Cell(number, " · ".join(words), look=Look.WARNING if weak else None)


def _unshown(source: Source) -> tuple[Entry, ...]:
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


def _alone(source: Source) -> tuple[Entry, ...]:
    """Return the entries that neither a table nor a series shows."""
    shown = {
        entry.id
        for sheet in source.layout.sheets
        for block in sheet.blocks
        if isinstance(block, SeriesBlock)
        for entries in _series(block, sheet.columns, source).values()
        for entry in entries.values()
    }
    return tuple(entry for entry in _unshown(source) if entry.id not in shown)
