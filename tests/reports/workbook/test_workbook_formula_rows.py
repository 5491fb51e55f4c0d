"""One formula to a row of a series and to a column of a list, with every exception named."""

from __future__ import annotations

import io
import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from openpyxl.utils import column_index_from_string
from tests.full_project import FULL_PROJECT

from suanli.host.loader import load_host
from suanli.pipeline import build_proposal
from suanli.project.load import parse_project
from suanli.proposal.contributions import RenderJob
from suanli_reports.workbook_grid import arrange
from suanli_reports.workbook_template import load_layout
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from suanli_reports.workbook_grid import Grid

FIRST = {"year0", "month0"}
"""Columns before operation: what is paid by then has formulas of its own."""
SUMS = {"total"}
"""Columns that add the others up."""
OPENING = {"number": "month1", "opening": "month1"}
"""Rows of a loan that begin with the loan and go on with what was left the month before."""
COUNTED = {"depreciation": "MIN", "Counts (1 = yes)": "IF"}
"""Rows of the years whose formula has in a function the number of its year, which none of their cells has."""
MONTHS_PER_YEAR = 12
LISTED = {"net", "vat", "gross", "fx", "price", "quantity", "vat_rate"}
"""Columns of the line items with one formula, but for the row of the input that they read."""
PRICED = {
    "=ROUND(price,2)": "priced in the project's currency",
    "=ROUND(price*fx,2)": "priced in another currency",
    "=ROUND(price*Inputs,2)": "several priced units in one that is bought",
    "=ROUND(price*Inputs*fx,2)": "both",
    "=ROUND(price/fx,2)": "by an exchange rate that is given the other way round",
    "=ROUND(price*Inputs/fx,2)": "both, the other way round",
}
"""Ways from the price as quoted to the unit price."""

CELL = re.compile(r"(?:('[^']+')!)?(\$?)([A-Z]{1,3})(\$?)(\d+)(?![\d(])")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A formula taken apart."""

    frame: str
    """The formula with its references taken out."""
    cells: tuple[tuple[str, int, int], ...]
    """Sheet, row and column of each reference; the sheet is empty for the formula's own."""


def parsed(formula: str) -> Parsed:
    found = CELL.findall(formula)
    cells = tuple((sheet, int(row), column_index_from_string(column)) for sheet, _, column, _, row in found)
    return Parsed(CELL.sub("#", formula), cells)


def strides(one: Parsed, other: Parsed) -> list[tuple[str, int, int]]:
    """Return by how many rows and columns each reference moves."""
    return [
        (sheet, row - before, column - place)
        for (_, before, place), (sheet, row, column) in zip(one.cells, other.cells, strict=True)
    ]


def follows(formulas: Sequence[Parsed]) -> bool:
    """Tell whether formulas of neighbouring columns are one formula, filled to the right.

    Each reference stands still, moves on by a column, or, where years read months, by twelve.
    """
    if len({one.frame for one in formulas}) > 1:
        return False
    steps = [strides(one, other) for one, other in itertools.pairwise(formulas)]
    return all(step == steps[0] for step in steps) and all(
        row == 0 and column in {0, 1, MONTHS_PER_YEAR} for step in steps[:1] for _, row, column in step
    )


@pytest.fixture(scope="module")
def made() -> tuple[Grid, Any]:
    proposal = build_proposal(parse_project(FULL_PROJECT), load_host())
    job = RenderJob(proposal, "en")
    grid = arrange(load_layout(job), proposal.ledger, "en")
    return grid, openpyxl.load_workbook(io.BytesIO(render_xlsx(job)))


def series(grid: Grid, book: Any) -> Iterable[tuple[str, str, list[str]]]:  # noqa: ANN401 - a workbook
    """Yield sheet, row and formulas of the ordinary periods of every row over time."""
    for sheet in grid.sheets:
        if sheet.spec.id not in {"tco", "monthly", "financing", "accounting", "decision"}:
            continue
        page = book[sheet.name]
        for index, row in enumerate(sheet.rows):
            name = row.id.rpartition(".")[2]
            skipped = FIRST | SUMS | {OPENING.get(name, "")}
            cells = [
                page.cell(index + 1, cell.column + 1)
                for cell in row.cells
                if cell.entry and sheet.spec.columns[cell.column].key not in skipped
            ]
            formulas = [str(cell.value) for cell in cells if cell.data_type == "f"]
            if len(formulas) > 1:
                yield sheet.spec.id, row.id or row.cells[0].text, formulas


def test_every_row_over_time_has_one_formula(made: tuple[Grid, Any]) -> None:
    seen: dict[str, int] = {}
    for sheet, name, formulas in series(*made):
        counter = COUNTED.get(name.rpartition(".")[2])
        texts = [re.sub(rf"{counter}\(\d+(?=[,<])", "n", text) for text in formulas]
        assert follows([parsed(text) for text in texts]), (sheet, name, formulas[:3])
        seen[sheet] = seen.get(sheet, 0) + 1
    assert seen.keys() >= {"tco", "monthly", "accounting"}
    assert seen["monthly"] > 20


def test_a_series_with_one_other_formula_is_found_out() -> None:
    good = ["=SUM(C3:C7)*$B$1", "=SUM(D3:D7)*$B$1", "=SUM(E3:E7)*$B$1"]
    assert follows([parsed(text) for text in good])
    for bad in ("=SUM(E3:E6)*$B$1", "=SUM(D3:D7)*$B$1", "=SUM(E3:E7)*$B$2", "=SUM(E3:E7)", "=7"):
        assert not follows([parsed(text) for text in (*good[:2], bad)]), bad


def test_every_column_of_the_line_items_has_one_formula(made: tuple[Grid, Any]) -> None:
    grid, book = made
    bills = [sheet for sheet in grid.sheets if sheet.spec.id.startswith("bill:")]
    assert bills
    for sheet in bills:
        page, keys = book[sheet.name], [column.key for column in sheet.spec.columns]
        found: dict[str, set[str]] = {}
        for index, row in enumerate(sheet.rows):
            if row.style.value != "row":
                continue
            for number, key in enumerate(keys):
                cell = page.cell(index + 1, number + 1)
                if cell.data_type == "f":
                    found.setdefault(key, set()).add(_named(str(cell.value), index + 1, keys))
        for key in LISTED & found.keys():
            assert len(found[key]) == 1, (sheet.name, key, found[key])
        assert found["unit_price"] <= PRICED.keys(), found["unit_price"]
        assert found.keys() - LISTED == {"unit_price"}


def _named(formula: str, row: int, keys: list[str]) -> str:
    """Return a formula with the columns of its own row by their keys, and inputs by their sheet."""

    def name(found: re.Match[str]) -> str:
        if found[1]:
            return found[1].strip("'")
        assert int(found[5]) == row, formula
        return keys[column_index_from_string(found[3]) - 1]

    # A rate or a price that has a defined name is an input as well.
    named = CELL.sub(name, formula)
    return re.sub(r"\b(?:vat_\w+|fx_\w+)\b", "Inputs", named)
