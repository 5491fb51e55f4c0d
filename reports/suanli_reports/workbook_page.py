"""How a sheet looks on paper and on screen around its cells: paper, breaks, heads, footer, protection."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from xlsxwriter.utility import xl_rowcol_to_cell  # type: ignore[import-untyped]

from suanli_reports.workbook_text import plain, say, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.proposal.model import ProjectView
    from suanli_reports.workbook_grid import SheetGrid
    from suanli_reports.workbook_layout import Layout, Sheet

__all__ = ["A3", "A4", "note_columns", "page_breaks", "page_starts", "paper", "set_up_page"]

A3, A4 = 8, 9
"""Numbers of paper sizes in spreadsheets."""

_LANDSCAPE_IN = {A4: (11.69, 8.27), A3: (16.54, 11.69)}
"""Width and height of the paper."""
_MARGINS_IN = (0.8, 1.1)
_PX_PER_IN = 96
_PT_PER_IN = 72
_PX_PER_CHARACTER = 7.5
"""Width of a column's unit on screen, with what the column adds at its sides."""
_FULL = 0.94
"""Share of a page that is filled before a block moves on: programs differ by some points."""
_MAX_FOOTER = 80
"""Characters of client text in the footer, which may hold 255 in all."""
_PERCENT = 100
_SAFE = 0.97
"""Share of a page's width that is filled where the scale is fixed: programs differ by pixels a column."""
_ACROSS_PERCENT = 75
"""Scale of a sheet that runs over several pages across and does not say where they end."""

_ALLOWED = (
    "format_columns",
    "format_rows",
    "sort",
    "autofilter",
    "select_locked_cells",
    "select_unlocked_cells",
)


def paper(widths: list[float], layout: Layout) -> int:
    """Return A4, or A3 where the columns side by side on A4 would print smaller than the layout allows."""
    return A4 if layout.size * _scale(widths, A4) >= layout.smallest else A3


def _scale(widths: list[float], size: int) -> float:
    """Return the scale at which the columns fit the width of a paper, at most 1."""
    printable_in = _LANDSCAPE_IN[size][0] - _MARGINS_IN[0]
    return min(1.0, printable_in / (sum(widths) * _PX_PER_CHARACTER / _PX_PER_IN))


def page_starts(sheet: Sheet) -> list[int]:
    """Return the columns that begin a printed page of a sheet, from left to right, beside its first."""
    return [n for n, column in enumerate(sheet.columns) if column.new_page] if sheet.pages_across else []


def note_columns(sheet: Sheet) -> tuple[int, int]:
    """Return the first and the last column that a note runs over.

    Where several pages stand side by side it is read on the first of them, and leaves the repeated columns
    free, which would show its beginning on all others.
    """
    starts = page_starts(sheet)
    return (sheet.frozen_columns, starts[0] - 1) if starts else (0, len(sheet.columns) - 1)


def _widest(sheet: Sheet, widths: list[float]) -> list[float]:
    """Return the widths of the columns on the widest page, those that are repeated on every page included."""
    starts = [*page_starts(sheet), len(sheet.columns)]
    repeated = widths[: max(sheet.frozen_columns, 1)]
    pages = [widths[: starts[0]]]
    pages += [repeated + widths[start:end] for start, end in pairwise(starts)]
    return max(pages, key=sum)


def page_breaks(heights: Sequence[float], blocks: Sequence[int], repeated: float, page: float) -> list[int]:
    """Return the rows before which a page ends, so that no block is cut that fits on a page.

    Blocks that are longer than a page run on; the program that prints breaks them where the page is full.

    Args:
        heights: height of every row, in points of the sheet.
        blocks: number of the block of every row; rows of one block stand together.
        repeated: height of the rows repeated on every page, in points.
        page: height of a page, in points of the sheet.

    >>> page_breaks([10, 10, 30, 30], [0, 0, 1, 2], 10, 60)
    [3]
    """
    breaks: list[int] = []
    used, at = 0.0, 0
    for _, group in groupby(zip(heights, blocks, strict=True), key=lambda item: item[1]):
        rows = [height for height, _ in group]
        needed = sum(rows)
        if at and used + needed > page and needed + repeated <= page:
            breaks.append(at)
            used = repeated
        used += needed
        while used > page:
            used -= page - repeated
        at += len(rows)
    return breaks


def set_up_page(  # noqa: PLR0913, PLR0917 - what a page is made of
    page: Any,  # noqa: ANN401 - an XlsxWriter worksheet
    sheet: SheetGrid,
    widths: list[float],
    heights: list[float],
    layout: Layout,
    language: str,
    project: ProjectView,
) -> None:
    """Set paper, print area, breaks, repeated heads, footer, panes, filters and protection of a sheet."""
    spec = sheet.spec
    page.hide_gridlines(2)
    page.set_landscape()
    _fit(page, sheet, widths, heights, layout)
    page.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    # The footer keeps its size however far the sheet is scaled down.
    page.set_footer(_footer(layout, language, sheet, project), {"scale_with_doc": False})
    page.print_area(0, 0, len(sheet.rows) - 1, len(spec.columns) - 1)
    if sheet.header is not None:
        page.freeze_panes(sheet.header + 1, spec.frozen_columns)
        page.repeat_rows(sheet.header)
        if spec.filtered:
            page.autofilter(sheet.header, 0, len(sheet.rows) - 1, len(spec.columns) - 1)
    if spec.colour:
        page.set_tab_color(spec.colour)
    area = f"A1:{xl_rowcol_to_cell(len(sheet.rows), len(spec.columns))}"
    page.ignore_errors(
        dict.fromkeys(
            ("number_stored_as_text", "two_digit_text_year", "formula_differs", "formula_range"), area
        )
    )
    page.protect("", dict.fromkeys(_ALLOWED, True))


def _fit(
    page: Any,  # noqa: ANN401 - an XlsxWriter worksheet
    sheet: SheetGrid,
    widths: list[float],
    heights: list[float],
    layout: Layout,
) -> None:
    """Fit the columns to one page, or let them run over several; keep blocks and charts in one piece."""
    if sheet.spec.pages_across:
        size, percent = _across(page, sheet.spec, widths, layout)
        scale = percent / 100
    else:
        size = paper(widths, layout)
        scale = _scale(widths, size)
        page.set_paper(size)
        page.fit_to_pages(1, 1 if sheet.spec.one_page else 0)
    if sheet.spec.one_page:
        return
    repeated = 0.0 if sheet.header is None else heights[sheet.header]
    room = (_LANDSCAPE_IN[size][1] - _MARGINS_IN[1]) * _PT_PER_IN / scale * _FULL
    # The head of a sheet never stands alone on a page.
    breaks = page_breaks(heights, [max(row.block, 1) for row in sheet.rows], repeated, room)
    if breaks:
        page.set_h_pagebreaks(breaks)


def _across(
    page: Any,  # noqa: ANN401 - an XlsxWriter worksheet
    sheet: Sheet,
    widths: list[float],
    layout: Layout,
) -> tuple[int, int]:
    """Let a sheet run over several pages across, one row of pages after the other; return paper and scale."""
    starts = page_starts(sheet)
    widest = _widest(sheet, widths)
    size = paper(widest, layout) if starts else A4
    percent = int(_scale(widest, size) * _SAFE * _PERCENT) if starts else _ACROSS_PERCENT
    page.set_paper(size)
    page.set_print_scale(percent)
    page.repeat_columns(0, max(sheet.frozen_columns, 1) - 1)
    page.print_across()
    if starts:
        page.set_v_pagebreaks(starts)
    return size, percent


def _footer(layout: Layout, language: str, sheet: SheetGrid, project: ProjectView) -> str:
    name = plain(project.name.in_language(language))
    shown = name if width(name) <= _MAX_FOOTER else f"{name[: _MAX_FOOTER // 2]}…"
    left = f"{shown} · {sheet.name}".replace("&", "&&")
    middle = say(layout.footer, language, between=" · ")
    return f"&L&8 {left}&C&8 {middle}&R&8 {project.day.isoformat()}"
