"""Native charts of the workbook: each reads the cells of neighbouring rows and columns of a block.

The layout asks for a chart by table, rows and columns; a chart stands in rows kept free for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xlsxwriter.utility import xl_rowcol_to_cell  # type: ignore[import-untyped]

from suanli.errors import Fault, RenderError, nearest
from suanli_reports.workbook_blocks import RowStyle
from suanli_reports.workbook_text import plain, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli_reports.workbook_blocks import Chart
    from suanli_reports.workbook_grid import Grid

__all__ = ["CHART_ROW_PT", "Data", "Series", "chart_data", "draw_charts"]

CHART_ROW_PT = 15.0
"""Height of a row that charts stand in."""

_PX_PER_PT = 96 / 72
_PX_PER_CHARACTER = 7
_PX_PER_COLUMN = 5
_GAP_PX = 12
_MOST_TITLE = 120
_Area = tuple[int, int, int, int]
"""First row and column, last row and column."""


@dataclass(frozen=True, slots=True)
class Series:
    """One colour of a chart."""

    name: tuple[int, int]
    values: _Area


@dataclass(frozen=True, slots=True)
class Data:
    """Cells of a chart; all stand on one sheet."""

    sheet: int
    categories: _Area
    series: tuple[Series, ...]


def chart_data(chart: Chart, grid: Grid) -> Data:
    """Return the cells that a chart reads.

    Raises:
        RenderError: a row or column does not exist, or the categories are no neighbours.
    """
    sheet, rows = _rows(chart, grid)
    columns = _columns(chart, grid, sheet)
    label = _known(["label"], [column.key for column in grid.sheets[sheet].spec.columns], chart)[0]
    heads = [n for n, row in enumerate(grid.sheets[sheet].rows) if row.style is RowStyle.HEADER]
    above = [number for number in heads if number < rows[0]]
    if not above:
        raise _fault(chart, f'table "{chart.table}" has no names of columns above it')
    if chart.series == "rows":
        first, last = _ends(columns, chart, "columns")
        series = tuple(Series((row, label), (row, first, row, last)) for row in rows)
        return Data(sheet, (above[-1], first, above[-1], last), series)
    first, last = _ends(rows, chart, "rows")
    return Data(
        sheet,
        (first, label, last, label),
        tuple(Series((above[-1], column), (first, column, last, column)) for column in columns),
    )


def _rows(chart: Chart, grid: Grid) -> tuple[int, list[int]]:
    places = [grid.row(chart.table, row) for row in chart.rows]
    missing = [row for row, place in zip(chart.rows, places, strict=True) if place is None]
    if missing:
        known = [row.id for sheet in grid.sheets for row in sheet.rows if row.table == chart.table]
        raise _fault(chart, f'no row "{missing[0]}" in "{chart.table}"', nearest(missing[0], known))
    found = [place for place in places if place is not None]
    return found[0][0], [row for _, row in found]


def _columns(chart: Chart, grid: Grid, sheet: int) -> list[int]:
    return _known(chart.columns, [column.key for column in grid.sheets[sheet].spec.columns], chart)


def _known(wanted: Sequence[str], keys: list[str], chart: Chart) -> list[int]:
    missing = [key for key in wanted if key not in keys]
    if missing:
        raise _fault(chart, f'no column "{missing[0]}" beside "{chart.table}"', nearest(missing[0], keys))
    return [keys.index(key) for key in wanted]


def _ends(places: list[int], chart: Chart, what: str) -> tuple[int, int]:
    if places != list(range(places[0], places[0] + len(places))):
        raise _fault(chart, f"the {what} of a chart must be neighbours, in their order")
    return places[0], places[-1]


def _fault(chart: Chart, what: str, cure: str = "") -> RenderError:
    return RenderError(Fault(what, where="layout of the workbook", key=f"chart {chart.title.en}", cure=cure))


def draw_charts(  # noqa: PLR0913, PLR0917 - a band of charts and where it stands
    book: Any,  # noqa: ANN401 - an XlsxWriter workbook
    page: Any,  # noqa: ANN401 - an XlsxWriter worksheet
    row: int,
    charts: Sequence[Chart],
    grid: Grid,
    language: str,
    widths: Sequence[float],
    lines: int,
    symbol: str,
) -> None:
    """Put charts side by side into the free rows that begin with `row`.

    Args:
        book: the workbook.
        page: the sheet.
        row: first of the free rows.
        charts: what to draw.
        grid: where everything stands.
        language: ``zh``, ``en`` or ``bilingual``.
        widths: widths of the sheet's columns.
        lines: how many rows are free.
        symbol: sign of the currency, for the formats of axes.
    """
    room = sum(int(width * _PX_PER_CHARACTER + _PX_PER_COLUMN) for width in widths)
    share = room // len(charts)
    for number, chart in enumerate(charts):
        drawn = _chart(book, chart, grid, language, symbol)
        drawn.set_size({"width": share - _GAP_PX, "height": int(lines * CHART_ROW_PT * _PX_PER_PT) - _GAP_PX})
        place = {
            "x_offset": number * share + _GAP_PX // 2,
            "y_offset": _GAP_PX // 2,
            "object_position": 2,
            "description": plain(say(chart.title, language, between=" / ")),
        }
        page.insert_chart(row, 0, drawn, place)


def _chart(book: Any, chart: Chart, grid: Grid, language: str, symbol: str) -> Any:  # noqa: ANN401
    data = chart_data(chart, grid)
    drawn = book.add_chart({"type": chart.shape} | ({"subtype": "stacked"} if chart.stacked else {}))
    name = grid.sheets[data.sheet].name
    colours = grid.layout.palette.series
    for number, series in enumerate(data.series):
        colour = colours[number % len(colours)]
        drawn.add_series(_series(chart, series, data, name, colour) | _labels(chart, grid, symbol))
    _dress(drawn, chart, grid, language, symbol, alone=len(data.series) == 1)
    return drawn


def _series(chart: Chart, series: Series, data: Data, sheet: str, colour: str) -> dict[str, Any]:
    drawn: dict[str, Any] = {
        "name": f"={_quoted(sheet)}!{xl_rowcol_to_cell(*series.name, row_abs=True, col_abs=True)}",
        "categories": [sheet, *data.categories],
        "values": [sheet, *series.values],
    }
    if chart.shape == "line":
        return drawn | {
            "line": {"color": colour, "width": 2},
            "marker": {"type": "circle", "size": 5, "fill": {"color": colour}, "border": {"color": colour}},
        }
    return drawn | {
        "fill": {"color": colour},
        "border": {"color": "#ffffff", "width": 0.5},
        "gap": 60,
        "overlap": 100 if chart.stacked or chart.shape == "bar" else 0,
    }


def _quoted(sheet: str) -> str:
    return "'" + sheet.replace("'", "''") + "'"


def _labels(chart: Chart, grid: Grid, symbol: str) -> dict[str, Any]:
    if not chart.labelled:
        return {}
    return {
        "data_labels": {
            "value": True,
            "num_format": _format(chart, grid, symbol),
            "font": {"name": grid.layout.font, "size": 8},
        }
    }


def _format(chart: Chart, grid: Grid, symbol: str) -> str:
    formats = grid.layout.formats
    if chart.format not in formats:
        raise _fault(chart, f'no number format "{chart.format}"', nearest(chart.format, formats))
    return formats[chart.format].replace("{symbol}", symbol)


def _dress(  # noqa: PLR0913 - a chart and what it is labelled by
    drawn: Any,  # noqa: ANN401 - an XlsxWriter chart
    chart: Chart,
    grid: Grid,
    language: str,
    symbol: str,
    *,
    alone: bool,
) -> None:
    """Set title, axes, legend and grid lines."""
    layout, palette = grid.layout, grid.layout.palette

    def words(text: Any) -> str:  # noqa: ANN401 - a text in two languages
        return plain(say(text, language, between=" / "))[:_MOST_TITLE]

    font = {"name": layout.font, "size": 9, "bold": False, "color": palette.ink}
    drawn.set_title(
        {"name": words(chart.title), "overlay": False, "name_font": {**font, "size": 11, "bold": True}}
    )
    values: dict[str, Any] = {
        "name": words(chart.values),
        "name_font": font,
        "num_font": font,
        "num_format": _format(chart, grid, symbol),
        "major_gridlines": {"visible": True, "line": {"color": palette.hair, "width": 0.5}},
        "line": {"color": palette.soft},
    }
    categories: dict[str, Any] = {
        "num_font": font,
        "name_font": font,
        "label_position": "low",
        "line": {"color": palette.soft},
    }
    if chart.categories is not None:
        categories["name"] = words(chart.categories)
    if chart.shape == "bar":
        # The first row on top, and the axis of values below the last one; lying bars swap the two axes.
        categories |= {"reverse": True, "crossing": "max"}
        drawn.set_y_axis(categories)
        drawn.set_x_axis(values)
    else:
        drawn.set_x_axis(categories)
        drawn.set_y_axis(values)
    drawn.set_legend({"none": True} if alone else {"position": "bottom", "font": font})
    drawn.set_chartarea({"border": {"color": palette.hair}, "fill": {"color": "#ffffff"}})
    drawn.show_blanks_as("gap")
