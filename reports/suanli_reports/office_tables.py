"""Tables of a Word document: of data, of facts, and those that only set things side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from suanli_reports.office_ink import PLAIN, Ink, Layout, paragraph

if TYPE_CHECKING:
    from suanli_reports.office_book import Book
    from suanli_reports.office_tree import Element

__all__ = ["Cell", "Place", "data_table", "side_by_side"]

_PICK = "E4F1F2"
_PADDING = 124
"""Left and right padding of a cell of data together."""
_GAP = 226
"""The same of a cell that only sets things side by side."""
_TIGHT_HALF_POINTS = 15
_TABLE_HALF_POINTS = 16
_FACT_HEAD_SHARE = {False: 36.0, True: 45.0}
"""Width of the heads of a table of facts in percent, in one language and in both."""
_WIDTH = re.compile(r"width:\s*([\d.]+)%")
_SECTIONS = ("thead", "tbody", "tfoot")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: how much room it has and what it inherits."""

    width: int
    """In twentieths of a point."""
    style: str = ""
    """Style of paragraphs of text."""
    ink: Ink = PLAIN
    keep: bool = False
    fill: str = ""
    stacked: bool = False
    """True where the second language has lines of its own."""
    size: int = 0
    """Half-points of text whose second language is smaller."""
    item: tuple[int, int] | None = None
    """List and level of the paragraph, for the first one of a list item."""
    indent: int = 0
    level: int = 0
    """How deep lists are nested."""


Flow = Callable[["Sequence[Element | str]", Place], "list[str]"]
"""Writes what stands in an element, as paragraphs and tables."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as it is written."""

    content: str
    width: int
    span: int = 1
    fill: str = ""
    borders: str = ""
    bottom: bool = False
    """True if its text stands at its lower end."""

    @property
    def xml(self) -> str:
        """Return the cell."""
        parts = (
            f'<w:tcW w:w="{self.width}" w:type="dxa"/>',
            f'<w:gridSpan w:val="{self.span}"/>' if self.span > 1 else "",
            f"<w:tcBorders>{self.borders}</w:tcBorders>" if self.borders else "",
            f'<w:shd w:val="clear" w:color="auto" w:fill="{self.fill}"/>' if self.fill else "",
            '<w:vAlign w:val="bottom"/>' if self.bottom else "",
        )
        return f"<w:tc><w:tcPr>{''.join(parts)}</w:tcPr>{self.content}</w:tc>"


def border(side: str, eighths: int, colour: str) -> str:
    """Return an edge of a table or cell; its width is in eighths of a point."""
    return f'<w:{side} w:val="single" w:sz="{eighths}" w:space="0" w:color="{colour}"/>'


def _table(
    style: str, widths: Sequence[int], rows: Sequence[str], *, head: bool = False, borders: str = ""
) -> str:
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    edges = f"<w:tblBorders>{borders}</w:tblBorders>" if borders else ""
    return (
        f'<w:tbl><w:tblPr><w:tblStyle w:val="{style}"/><w:tblW w:w="{sum(widths)}" w:type="dxa"/>{edges}'
        f'<w:tblLayout w:type="fixed"/><w:tblLook w:val="0{"4" if head else "0"}{"2" if head else "0"}0" '
        f'w:firstRow="{int(head)}" w:lastRow="0" w:firstColumn="0" w:lastColumn="0" w:noHBand="1" '
        f'w:noVBand="1"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{"".join(rows)}</w:tbl>'
    )


def _spacer(*, keep: bool = False) -> str:
    """Return the small paragraph after a table, without which two tables would become one."""
    return paragraph("", Layout("Spacer", keep=keep))


def _row(cells: Sequence[Cell], *, head: bool = False) -> str:
    properties = "<w:cantSplit/>" + ("<w:tblHeader/>" if head else "")
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cell.xml for cell in cells)}</w:tr>"


def side_by_side(cells: Sequence[Cell], *, borders: str = "", keep: bool = False) -> str:
    """Return cells in one row without lines, save those given; the row stays on one page."""
    widths = [cell.width for cell in cells]
    return _table("LayoutTable", widths, [_row(cells)], borders=borders) + _spacer(keep=keep)


def room(width: int) -> int:
    """Return the room inside a cell that only sets things side by side."""
    return width - _GAP


def data_table(table: Element, place: Place, book: Book, flow: Flow) -> str:
    """Return a table of data or of facts; its head is repeated on each page and no row is split."""
    rows = [(section.tag, row) for section in _grouped(table) for row in section.elements]
    if not rows:
        return ""
    heads = [row for section, row in rows if section == "thead"]
    facts = bool(table.classes & {"kv", "facts"})
    widths = _widths(rows[0][1], place.width, _FACT_HEAD_SHARE[book.bilingual] if facts else 0)
    writer = _Rows(table, place, book, flow, widths)
    body = [row for section, row in rows if section != "thead"]
    keep_all = place.keep or "keep" in table.classes
    written = [writer.row(row, head=True, keep=True) for row in heads]
    for number, row in enumerate(body, 1):
        last = number == len(body)
        # No row stands alone before a page break or after it, and a block's name stays with its rows.
        near = number == 1 or number == len(body) - 1 or "head" in row.classes
        written.append(writer.row(row, head=False, keep=not last and (keep_all or near)))
    return _table("FactTable" if facts else "DataTable", widths, written, head=bool(heads)) + _spacer()


def _grouped(table: Element) -> list[Element]:
    """Return the parts of a table; rows directly in it are a part."""
    return [child for child in table.elements if child.tag in _SECTIONS] or [table]


def _span(cell: Element) -> int:
    return int(cell.attributes.get("colspan", "1"))


def _widths(row: Element, width: int, first_share: float) -> list[int]:
    """Return the widths of columns as a browser sets them: from the first row, the rest shared."""
    shares: list[float] = []
    for cell in row.elements:
        found = _WIDTH.search(cell.attributes.get("style", ""))
        shares += [float(found[1]) / _span(cell) if found else 0.0] * _span(cell)
    if first_share and not shares[0]:
        shares[0] = first_share
    free = shares.count(0.0)
    rest = max(100.0 - sum(shares), 0.0) / free if free else 0.0
    parts = [share or rest for share in shares]
    scale = width / sum(parts)
    columns = [int(part * scale) for part in parts]
    return [*columns[:-1], width - sum(columns[:-1])]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Writes the rows of one table."""

    table: Element
    place: Place
    book: Book
    flow: Flow
    widths: list[int]

    def row(self, row: Element, *, head: bool, keep: bool) -> str:
        """Return one row."""
        self.book.mark(row.attributes.get("id", ""))
        cells: list[Cell] = []
        column = 0
        for cell in row.elements:
            width = sum(self.widths[column : column + _span(cell)])
            column += _span(cell)
            cells.append(self._cell(row, cell, width, head=head, keep=keep))
        missing = sum(self.widths[column:])
        if missing:
            empty = paragraph("", Layout("TableText", keep=keep))
            cells.append(Cell(empty, missing, len(self.widths) - column))
        return _row(cells, head=head)

    def _cell(self, row: Element, cell: Element, width: int, *, head: bool, keep: bool) -> Cell:
        classes = row.classes | cell.classes
        number = "n" in cell.classes
        style = ("TableHead" if head else "Table") + ("Number" if number else "" if head else "Text")
        place = Place(
            width - _PADDING,
            style,
            self._ink(row, cell, classes),
            keep=keep,
            stacked=self._stacked(cell, head=head),
            size=_TIGHT_HALF_POINTS if "tight" in self.table.classes else _TABLE_HALF_POINTS,
        )
        written = self.flow(cell.children, place) or [self.book.paragraph("", Layout(style, keep=keep))]
        return Cell(
            "".join(written),
            width,
            _span(cell),
            _PICK if "pick" in classes else "",
            self._borders(classes, head=head),
            bottom=head,
        )

    def _ink(self, row: Element, cell: Element, classes: frozenset[str]) -> Ink:
        colour = self.book.colour
        tight = "tight" in self.table.classes
        ink = replace(self.place.ink, half_points=_TIGHT_HALF_POINTS if tight else 0)
        if cell.tag == "th" or classes & {"off", "rule"}:
            ink = replace(ink, colour=colour("soft"))
        if classes & {"pick", "subtotal", "total"}:
            ink = replace(ink, bold=True, colour="" if "pick" in cell.classes else ink.colour)
        if "head" in row.classes:
            ink = replace(ink, bold=True, colour=colour("accent"))
        return ink

    def _stacked(self, cell: Element, *, head: bool) -> bool:
        """Tell whether the second language has lines of its own in a cell, as the style sheet has it."""
        if "inline" in cell.classes or "facts" in self.table.classes:
            return False
        beside = cell.tag == "th" and not head and bool(self.table.classes & {"kv", "side-heads"})
        return not beside

    def _borders(self, classes: frozenset[str], *, head: bool) -> str:
        if head:
            return border("bottom", 5, self.book.colour("ink"))
        return border("top", 6, self.book.colour("ink")) if "total" in classes else ""
