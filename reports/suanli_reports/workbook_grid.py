"""First pass over the workbook: which cell each row, text and ledger entry stands in.

Every ledger entry gets one home cell. Wherever else it is shown the cell reads its home, so that nothing is
stored twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from suanli.errors import Fault, RenderError, nearest
from suanli_reports.workbook_blocks import ContentsBlock, LedgerBlock, RowsBlock, RowStyle
from suanli_reports.workbook_rows import Row, Source, block_rows, head_rows
from suanli_reports.workbook_text import say, sheet_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.costing.ledger import Ledger
    from suanli_reports.workbook_layout import Layout, Sheet

__all__ = ["Grid", "Place", "SheetGrid", "arrange"]


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

    def row(self, table: str, row: str) -> tuple[int, int] | None:
        """Return the sheet and the row of a row of a table, where it is shown first; None where it is not."""
        for number, sheet in enumerate(self.sheets):
            for index, one in enumerate(sheet.rows):
                if one.table == table and one.id == row:
                    return number, index
        return None

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
    source = Source(layout, ledger, {entry.id: entry for entry in ledger.entries}, language)
    filled = [(spec, body) for spec in layout.sheets if (body := _body(spec, source))]
    names = sheet_names(say(spec.name, language) for spec, _ in filled)
    listed = tuple((spec, name) for (spec, _), name in zip(filled, names, strict=True))
    source = replace(source, contents=listed)
    sheets = tuple(
        _sheet(spec, name, _listing(spec, body, source), source)
        for (spec, body), name in zip(filled, names, strict=True)
    )
    return Grid(layout, sheets, _homes(sheets))


def _body(spec: Sheet, source: Source) -> tuple[Row, ...]:
    """Return the rows of a sheet's blocks."""
    return tuple(
        replace(row, block=number)
        for number, block in enumerate(spec.blocks, start=1)
        for row in block_rows(block, spec.columns, source)
    )


def _listing(spec: Sheet, body: tuple[Row, ...], source: Source) -> tuple[Row, ...]:
    """Return the rows of a sheet again where it lists all other sheets, now that their names are known."""
    if not any(isinstance(block, ContentsBlock) for block in spec.blocks):
        return body
    others = tuple((other, name) for other, name in source.contents if other.id != spec.id)
    return _body(spec, replace(source, contents=others))


def _sheet(spec: Sheet, name: str, body: tuple[Row, ...], source: Source) -> SheetGrid:
    head, header = head_rows(spec, source)
    return SheetGrid(name, spec, (*head, *body), header)


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
    asked += [("comments", entry_id) for entry_id in layout.comments]
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
