"""Notes on the figures that readers ask about, and formats that tell by colour what needs a look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xlsxwriter.utility import xl_rowcol_to_cell  # type: ignore[import-untyped]

from suanli.costing.expressions import references
from suanli.costing.ledger import Input, Line
from suanli_reports.workbook_style import look_format
from suanli_reports.workbook_text import lines_needed, plain, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from suanli.costing.ledger import Entry
    from suanli_reports.workbook_blocks import Shade
    from suanli_reports.workbook_grid import Grid, SheetGrid
    from suanli_reports.workbook_layout import Layout
    from suanli_reports.workbook_rows import Cell

__all__ = ["AUTHOR", "note_of", "note_options", "shade_cells"]

AUTHOR = "suanli"
_MOST_NAMED = 6
"""Cells that a note names; the formula itself shows the rest."""
_MOST_TEXT = 1500
_WIDTH_PX = 320
_LINE_PX = 17
_CHARACTERS = 46
"""Characters of a line of a note."""


def note_of(entry: Entry, grid: Grid, entries: Mapping[str, Entry], language: str) -> str:
    """Return the note of a figure: what the layout says, then the cells that its formula reads.

    Empty where the layout has nothing to say of the figure.
    """
    said = grid.layout.comments.get(entry.id)
    if said is None:
        return ""
    lines = say(said, language, between="\n").split("\n")
    if isinstance(entry, Line):
        read = references(entry.expression)
        if read:
            lines.append(say(grid.layout.messages["reads"], language, between=" / "))
            lines += [_place(name, grid, entries, language) for name in read[:_MOST_NAMED]]
        if len(read) > _MOST_NAMED:
            lines.append("…")
    return "\n".join(plain(line) for line in lines)[:_MOST_TEXT]


def _place(name: str, grid: Grid, entries: Mapping[str, Entry], language: str) -> str:
    home = grid.homes[name]
    cell = xl_rowcol_to_cell(home.row, home.column)
    return f"· {grid.sheets[home.sheet].name}!{cell}  {say(entries[name].label, language, between=' / ')}"


def note_options(text: str, layout: Layout) -> dict[str, Any]:
    """Return author, font and size of the box of a note, in the words of XlsxWriter."""
    return {
        "author": AUTHOR,
        "font_name": layout.font,
        "font_size": layout.size - 1,
        "width": _WIDTH_PX,
        "height": min(lines_needed(text, _CHARACTERS), 30) * _LINE_PX + 10,
        "color": layout.palette.band,
    }


def shade_cells(  # noqa: PLR0913, PLR0917 - a sheet and what its formats depend on
    book: Any,  # noqa: ANN401 - an XlsxWriter workbook
    page: Any,  # noqa: ANN401 - an XlsxWriter worksheet
    sheet: SheetGrid,
    layout: Layout,
    inputs: Mapping[str, Input],
    language: str,
    home: Callable[[Cell, int], bool],
) -> None:
    """Add the conditional formats of a sheet.

    Args:
        book: the workbook.
        page: the sheet.
        sheet: its cells.
        layout: colours.
        inputs: inputs by id.
        language: ``zh``, ``en`` or ``bilingual``.
        home: tells whether a cell of a row is where its entry lives.
    """
    keys = [column.key for column in sheet.spec.columns]
    first = 0 if sheet.header is None else sheet.header + 1
    for shade in sheet.spec.shades:
        column, look = keys.index(shade.column), book.add_format(look_format(shade.look, layout))
        for words in _looked_for(shade, language):
            rule = {"type": "text", "criteria": "containing", "value": words, "format": look}
            page.conditional_format(first, column, len(sheet.rows) - 1, column, rule)
        if shade.when == "contains":
            continue
        for index, row in enumerate(sheet.rows):
            for cell in row.cells:
                if cell.column != column or not cell.entry:
                    continue
                if shade.when == "nonzero":
                    page.conditional_format(index, column, index, column, _differs(0, look))
                elif cell.entry in inputs and home(cell, index):
                    issued = float(inputs[cell.entry].value)
                    page.conditional_format(index, column, index, column, _differs(issued, look))


def _differs(value: float, look: Any) -> dict[str, Any]:  # noqa: ANN401 - an XlsxWriter format
    return {"type": "cell", "criteria": "!=", "value": value, "format": look}


def _looked_for(shade: Shade, language: str) -> Iterator[str]:
    """Yield the words that a shade looks for, either language of a bilingual text alone."""
    if shade.text is not None:
        yield shade.text.en if language == "en" else shade.text.zh
