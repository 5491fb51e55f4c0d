"""How a sheet looks on paper and on screen around its cells: paper, margins, heads, footer, protection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xlsxwriter.utility import xl_rowcol_to_cell  # type: ignore[import-untyped]

from suanli_reports.workbook_text import say, width

if TYPE_CHECKING:
    from suanli.proposal.model import ProjectView
    from suanli_reports.workbook_grid import SheetGrid
    from suanli_reports.workbook_layout import Layout

__all__ = ["A3", "A4", "paper", "set_up_page"]

A3, A4 = 8, 9
"""Numbers of paper sizes in spreadsheets."""

_PRINTABLE_A4_IN = 11.69 - 0.8
"""Landscape width between the margins."""
_PX_PER_IN = 96
_PX_PER_CHARACTER = 7.5
"""Width of a column's unit on screen, with what the column adds at its sides."""
_MAX_FOOTER = 80
"""Characters of client text in the footer, which may hold 255 in all."""


def paper(widths: list[float], layout: Layout) -> int:
    """Return A4, or A3 where the columns side by side on A4 would print smaller than the layout allows."""
    needed_in = sum(widths) * _PX_PER_CHARACTER / _PX_PER_IN
    scale = min(1.0, _PRINTABLE_A4_IN / needed_in)
    return A4 if layout.size * scale >= layout.smallest else A3


def set_up_page(  # noqa: PLR0913, PLR0917 - what a page is made of
    page: Any,  # noqa: ANN401 - an XlsxWriter worksheet
    sheet: SheetGrid,
    widths: list[float],
    layout: Layout,
    language: str,
    project: ProjectView,
) -> None:
    """Set paper, print area, repeated heads, footer, frozen panes and protection of a sheet."""
    spec = sheet.spec
    page.hide_gridlines(2)
    page.set_landscape()
    page.set_paper(paper(widths, layout))
    page.fit_to_pages(1, 1 if spec.one_page else 0)
    page.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    # The footer keeps its size however far the sheet is scaled down.
    page.set_footer(_footer(layout, language, sheet, project), {"scale_with_doc": False})
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


def _footer(layout: Layout, language: str, sheet: SheetGrid, project: ProjectView) -> str:
    name = project.name
    shown = name if width(name) <= _MAX_FOOTER else f"{name[: _MAX_FOOTER // 2]}…"
    left = f"{shown} · {sheet.name}".replace("&", "&&").replace("\n", " ")
    middle = say(layout.footer, language, between=" · ")
    return f"&L&8 {left}&C&8 {middle}&R&8 {project.day.isoformat()}"
