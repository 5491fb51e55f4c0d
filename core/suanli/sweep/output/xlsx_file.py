"""The table as a workbook: one sheet of rows, and for one or two varied keys one of native charts."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import xlsxwriter  # type: ignore[import-untyped]

from suanli.domain.record import Text
from suanli.sweep.charts import Pivot, pivots
from suanli.sweep.columns import COLUMNS, Cell, Kind, in_language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.sweep.table import Table

__all__ = ["SHEET_ROWS", "write_xlsx"]

_LIBRARY: Any = xlsxwriter
"""The library, which has no types of its own."""

SHEET_ROWS: Final = 1_048_576
"""Rows of a sheet, its heading included, that spreadsheet programs read."""

_ROWS: Final = Text(zh="明细", en="rows")
_CHARTS: Final = Text(zh="图表", en="charts")
_FORMATS: Final = {Kind.MONEY: "#,##0.00", Kind.WHOLE: "#,##0", Kind.REAL: "General"}
_DRAWN: Final = {"tco_net": "#,##0", "accelerators": "#,##0", "days_p50": "0.0"}
"""Number formats of the figures that are drawn."""
_HEADINGS: Final = {column.name: column.heading for column in COLUMNS}
_WIDTH: Final = 17
_CHART_HEIGHT: Final = 20
"""Rows of the sheet that one chart covers."""
_CHART_COLUMNS: Final = 2
"""Columns left empty between the figures and their chart."""


def write_xlsx(table: Table, stream: BinaryIO, language: str) -> None:
    """Write the workbook; rows go to the disk one by one.

    Args:
        table: the finished sweep.
        stream: where to.
        language: of headings and sheet names.
    """
    # Sheets are streamed, so that memory does not grow with the rows; text starting with "=" stays text.
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    book = _LIBRARY.Workbook(stream, options)
    made = datetime.combine(table.day, time(), UTC).replace(tzinfo=None)
    book.set_properties({"title": table.name, "created": made})
    charts = pivots(table)
    if charts:
        _write_charts(book, charts, language)
    _write_rows(book, table, language)
    book.close()


def _write_rows(book: Any, table: Table, language: str) -> None:  # noqa: ANN401 - an XlsxWriter workbook
    """Write the rows, on further sheets where one is full."""
    styles = {kind: book.add_format({"num_format": form}) for kind, form in _FORMATS.items()}
    sheet, place, number = _rows_sheet(book, table, 1, language), 0, 1
    for row in table.rows():
        place += 1
        if place == SHEET_ROWS:
            number, place = number + 1, 1
            sheet = _rows_sheet(book, table, number, language)
        for at, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
            _write_cell(sheet, (place, at), cell, column.kind, styles.get(column.kind))


def _rows_sheet(book: Any, table: Table, number: int, language: str) -> Any:  # noqa: ANN401 - an XlsxWriter object
    name = in_language(_ROWS, language)
    sheet = book.add_worksheet(name if number == 1 else f"{name} {number}")
    sheet.set_column(0, len(table.columns) - 1, _WIDTH)
    sheet.set_landscape()
    sheet.freeze_panes(1, 1 + len(table.grid.axes))
    head = book.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
    for at, column in enumerate(table.columns):
        sheet.write_string(0, at, in_language(column.heading, language), head)
    return sheet


def _write_cell(sheet: Any, place: tuple[int, int], cell: Cell, kind: Kind, style: Any) -> None:  # noqa: ANN401
    if cell is None:
        return
    if isinstance(cell, bool):
        sheet.write_boolean(*place, cell)
    elif kind in {Kind.TEXT, Kind.FLAG}:
        sheet.write_string(*place, str(cell))
    else:
        sheet.write_number(*place, float(cell), style)


def _write_charts(book: Any, charts: Sequence[Pivot], language: str) -> None:  # noqa: ANN401
    """Write the figures of each chart, and the chart beside them."""
    name = in_language(_CHARTS, language)
    sheet: Any = book.add_worksheet(name)
    sheet.set_column(0, max(len(pivot.series) for pivot in charts), _WIDTH)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    head = book.add_format({"bold": True, "bottom": 1})
    numbers = {metric: book.add_format({"num_format": form}) for metric, form in _DRAWN.items()}
    top = 0
    for pivot in charts:
        title = f"{in_language(_HEADINGS[pivot.metric], language)} · {in_language(pivot.by, language)}"
        sheet.write_string(top, 0, title, head)
        sheet.write_string(top + 1, 0, pivot.key, head)
        for at, series in enumerate(pivot.series, start=1):
            sheet.write_string(top + 1, at, series, head)
        for down, (category, values) in enumerate(zip(pivot.categories, pivot.values, strict=True), start=2):
            sheet.write_string(top + down, 0, category)
            for at, value in enumerate(values, start=1):
                if value is not None:
                    sheet.write_number(top + down, at, value, numbers[pivot.metric])
        place = (top, 1 + len(pivot.series) + _CHART_COLUMNS)
        sheet.insert_chart(*place, _chart(book, pivot, name, top, title))
        top += max(_CHART_HEIGHT, len(pivot.categories) + 3)


def _chart(book: Any, pivot: Pivot, sheet: str, top: int, title: str) -> Any:  # noqa: ANN401 - an XlsxWriter object
    """Return a line chart over the figures that stand from a row on; a missing one is a gap."""
    chart: Any = book.add_chart({"type": "line"})
    first, last = top + 2, top + 1 + len(pivot.categories)
    for at in range(1, 1 + len(pivot.series)):
        chart.add_series(
            {
                "name": [sheet, top + 1, at],
                "categories": [sheet, first, 0, last, 0],
                "values": [sheet, first, at, last, at],
                "marker": {"type": "circle", "size": 5},
            }
        )
    chart.set_title({"name": title, "overlay": False, "name_font": {"size": 11}})
    chart.set_x_axis({"name": pivot.key})
    chart.set_y_axis({"num_format": "#,##0", "major_gridlines": {"visible": True}})
    chart.set_legend({"position": "bottom"})
    chart.show_blanks_as("gap")
    return chart
