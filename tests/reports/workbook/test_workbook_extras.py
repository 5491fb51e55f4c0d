"""Charts, notes, ranges and the change log of the workbook."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import openpyxl
import pytest

from suanli_reports.workbook_formulas import with_ranges
from suanli_reports.workbook_page import page_breaks
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from suanli.proposal.contributions import RenderJob

_ALLOWED = {
    "SUM",
    "ROUND",
    "ROUNDUP",
    "IF",
    "MIN",
    "MAX",
    "POWER",
    "AND",
    "OR",
    "ABS",
    "IFERROR",
    "SUMPRODUCT",
    "SUMIFS",
    "INDEX",
    "MATCH",
    "EDATE",
    "EOMONTH",
    "NPV",
    "IRR",
    "XNPV",
    "XIRR",
    "PMT",
    "SLN",
    "CHOOSE",
}


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("SUM(D5,D6,D7)", "SUM(D5:D7)"),
        ("SUM(B4,C4,D4)+SUM(B4,B6)", "SUM(B4:D4)+SUM(B4,B6)"),
        ("SUM('O''Brien, (A)'!$B$3,'O''Brien, (A)'!$B$4)", "SUM('O''Brien, (A)'!$B$3:$B$4)"),
        ("SUM('甲'!$B$3,'乙'!$B$4)", "SUM('甲'!$B$3,'乙'!$B$4)"),
        ("SUM(SUM(A1,A2),SUM(A3,A5))", "SUM(A1:A3,A5)"),
        ("SUM(vat_goods,A1,A2)", "SUM(vat_goods,A1:A2)"),
        ('IF(A1<>0,"SUM(A1,A2)",ROUND(SUM(A1,A2),2))', 'IF(A1<>0,"SUM(A1,A2)",ROUND(SUM(A1:A2),2))'),
        ("MAX(A1,A2)", "MAX(A1,A2)"),
    ],
)
def test_sums_of_neighbours_are_ranges_and_nothing_else_changes(formula: str, expected: str) -> None:
    assert with_ranges(formula) == expected


def test_every_formula_uses_only_functions_that_all_programs_share(job: RenderJob) -> None:
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(job)))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    formulas = [str(cell.value) for cell in cells if cell.data_type == "f"]
    bare = [re.sub(r"'[^']*'|\"[^\"]*\"", "", one) for one in formulas]
    used = {name for one in bare for name in re.findall(r"([A-Z.]+)[(]", one)}
    assert used
    assert used <= _ALLOWED


def test_the_figures_that_readers_ask_about_carry_notes_with_an_author(job: RenderJob) -> None:
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(job)))
    notes = [cell.comment for sheet in book for row in sheet.iter_rows() for cell in row if cell.comment]
    assert len(notes) >= 6
    assert {note.author for note in notes} == {"suanli"}


def test_a_block_that_fits_on_a_page_is_not_cut() -> None:
    assert page_breaks([10, 10, 30, 30], [1, 1, 1, 2], 10, 60) == [3]
    assert page_breaks([10] * 20, [1] * 20, 10, 60) == []
