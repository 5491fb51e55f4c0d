"""What a reader finds in the workbook without recalculating it."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.utils import get_column_letter

from suanli.costing.ledger import Input, Line
from suanli.domain.record import Text
from suanli.proposal.contributions import RenderJob
from suanli_reports.workbook_grid import Grid, arrange
from suanli_reports.workbook_template import load_layout
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from openpyxl.cell import Cell
    from openpyxl.workbook import Workbook

    from suanli.proposal.model import Proposal

HOSTILE = '=HYPERLINK("http://example.invalid","x")'


def _open(data: bytes, *, cached: bool = False) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(data), data_only=cached)


def _grid(job: RenderJob) -> Grid:
    return arrange(load_layout(job), job.proposal.ledger, job.language)


def _style(cell: Any) -> Any:  # noqa: ANN401 - the stubs do not know the formats of a cell
    return cell


def _cells(book: Workbook) -> list[Cell]:
    return [
        cell
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    ]


def _heads(sheet: Any) -> list[str]:  # noqa: ANN401 - a worksheet as openpyxl reads it
    """Return the names of the columns, which stand in the last row of those that every page repeats."""
    last = int(str(sheet.print_title_rows).rsplit("$", 1)[1])
    return [str(cell.value) for cell in sheet[last]]


def test_every_ledger_entry_has_one_home_that_holds_it(job: RenderJob) -> None:
    grid, ledger = _grid(job), job.proposal.ledger
    book = _open(render_xlsx(job))
    assert set(grid.homes) == {entry.id for entry in ledger.entries}
    assert len(set(grid.homes.values())) == len(ledger.entries)
    for entry in ledger.entries:
        place = grid.homes[entry.id]
        cell = book.worksheets[place.sheet].cell(place.row + 1, place.column + 1)
        assert (cell.data_type == "f") is isinstance(entry, Line), entry.id


def test_a_reader_that_does_not_recalculate_sees_the_values_of_the_ledger(job: RenderJob) -> None:
    grid, values = _grid(job), job.proposal.ledger.values()
    book = _open(render_xlsx(job), cached=True)
    shown = 0
    for number, sheet in enumerate(grid.sheets):
        for index, row in enumerate(sheet.rows):
            for cell in row.cells:
                if cell.entry:
                    value = book.worksheets[number].cell(index + 1, cell.column + 1).value
                    assert isinstance(value, int | float), (sheet.name, index, cell.entry)
                    assert value == pytest.approx(float(values[cell.entry]), abs=0.005)
                    shown += 1
    assert shown > len(values)


def test_a_missing_price_is_a_text_and_never_a_zero(costed: Proposal) -> None:
    book = _open(render_xlsx(RenderJob(costed, "zh")), cached=True)
    sheet = book["A 分项报价"]
    heads = _heads(sheet)
    row = next(row for row in sheet.iter_rows(min_row=3) if row[1].value == "存储扩容")
    shown = {head: cell.value for head, cell in zip(heads, row, strict=True)}
    assert [shown[head] for head in ("不含税单价", "不含税金额", "增值税额", "含税金额")] == ["未报价"] * 4
    total = next(row for row in sheet.iter_rows(min_row=3) if str(row[1].value).startswith("总计"))
    assert total[1].value == "总计（不含未报价项）"
    assert "＊" in total[heads.index("含税金额")].number_format


def test_a_yearly_charge_of_a_planned_bill_is_not_called_unpriced(planned: Proposal) -> None:
    book = _open(render_xlsx(RenderJob(planned, "en")), cached=True)
    priced = [
        row for row in book["A Line items"].iter_rows(min_row=3) if isinstance(row[7].value, int | float)
    ]
    assert len(priced) > 5
    assert all("not priced" not in [cell.value for cell in row] for row in priced)


def test_a_line_shows_the_price_as_quoted_with_currency_rate_source_and_grade(costed: Proposal) -> None:
    book = _open(render_xlsx(RenderJob(costed, "en")), cached=True)
    sheet = book["A Line items"]
    heads = _heads(sheet)
    shown = dict(zip(heads, [cell.value for cell in sheet[4]], strict=True))
    assert shown["Price in its currency"] == pytest.approx(281250.55)
    assert shown["Currency"] == "USD"
    assert shown["Exchange rate"] == pytest.approx(7.1)
    assert (shown["Source"], shown["Dated"], shown["Confidence"]) == ("S3", "2025-H2", "weak · stale")


@pytest.mark.parametrize(
    "text", [HOSTILE, "+cmd|' /C notepad'!A0", "@SUM(1,1)", "-1+1", "http://example.invalid/x", "1e5", "0042"]
)
def test_client_text_stays_text(text: str, costed: Proposal) -> None:
    project = costed.project.model_copy(update={"client": Text.same(text), "name": Text.same(text)})
    book = _open(render_xlsx(RenderJob(costed.model_copy(update={"project": project}), "zh")))
    found = [cell for cell in _cells(book) if cell.value == text]
    assert len(found) == 2
    assert all(cell.data_type == "s" and cell.hyperlink is None for cell in found)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_any_client_name_gives_a_readable_file(text: str) -> None:
    job = RenderJob(
        _COSTED[0].model_copy(
            update={
                "project": _COSTED[0].project.model_copy(
                    update={"client": Text.same(text), "name": Text.same(text)}
                )
            }
        ),
        "zh",
    )
    book = _open(render_xlsx(job))
    cell = next(row[1] for row in book.worksheets[0].iter_rows() if row[0].value == "客户")
    assert cell.data_type == "s" or cell.value is None


_COSTED: list[Proposal] = []


@pytest.fixture(autouse=True, scope="module")
def _keep(costed: Proposal) -> None:
    _COSTED[:] = [costed]


def test_inputs_are_the_only_open_cells_and_every_input_is_validated(job: RenderJob) -> None:
    book, grid = _open(render_xlsx(job)), _grid(job)
    homes = {
        (grid.sheets[place.sheet].name, place.row + 1, place.column + 1)
        for entry in job.proposal.ledger.inputs
        for place in [grid.homes[entry.id]]
    }
    opened = {
        (sheet.title, cell.row, cell.column)
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if not _style(cell).protection.locked
    }
    open_cells = {
        (sheet.name, index + 1, cell.column + 1)
        for sheet in grid.sheets
        for index, row in enumerate(sheet.rows)
        for cell in row.cells
        if cell.open
    }
    assert open_cells
    assert opened == homes | open_cells
    assert all(sheet.protection.sheet and not sheet.protection.password for sheet in book)
    assert all(sheet.protection.sheet and not sheet.protection.password for sheet in book.worksheets)
    for name, row, column in homes:
        sheet = book[name]
        assert any(
            sheet.cell(row, column).coordinate in rule.sqref for rule in sheet.data_validations.dataValidation
        )
        style = _style(sheet.cell(row, column))
        assert (style.font.color.rgb, style.fill.fgColor.rgb) == ("FF0000FF", "FFFFFBE0")


def test_money_is_a_number_with_a_currency_format(job: RenderJob) -> None:
    book, grid = _open(render_xlsx(job)), _grid(job)
    sign = "CN¥" if job.language == "en" else "¥"
    for entry in job.proposal.ledger.entries:
        if entry.unit == "CNY" and not entry.id.startswith("check."):
            place = grid.homes[entry.id]
            cell = book.worksheets[place.sheet].cell(place.row + 1, place.column + 1)
            # Months, a year to a page, have the sign in their title.
            bare = grid.sheets[place.sheet].spec.bare
            assert bare is (sign not in cell.number_format), entry.id
            assert ("" if bare else f'"{sign}"') + "#,##0.00" in cell.number_format, entry.id


def test_formulas_point_at_cells_quote_other_sheets_and_use_names_for_global_inputs(
    bilingual: RenderJob,
) -> None:
    book, grid = _open(render_xlsx(bilingual)), _grid(bilingual)
    place = grid.homes["A.bill.h100.net"]
    text = str(book.worksheets[place.sheet].cell(place.row + 1, place.column + 1).value)
    assert re.fullmatch(r"=ROUND\(C\d+\*H\d+,2\)", text)
    quantity = book.worksheets[place.sheet].cell(place.row + 1, 3).value
    assert re.fullmatch(r"='参数 Inputs'!\$B\$\d+", str(quantity))
    place = grid.homes["A.bill.h100.vat"]
    text = str(book.worksheets[place.sheet].cell(place.row + 1, place.column + 1).value)
    assert text == f"=ROUND(I{place.row + 1}*J{place.row + 1},2)"
    names = load_layout(bilingual).names
    rates = {entry.id for entry in bilingual.proposal.ledger.inputs if entry.group == "rates"}
    assert rates <= set(names.values())
    assert len(names) <= 12
    assert set(book.defined_names) == set(names)


def test_the_file_has_no_links_out_no_macros_and_asks_for_recalculation(job: RenderJob) -> None:
    with zipfile.ZipFile(io.BytesIO(render_xlsx(job))) as archive:
        names = archive.namelist()
        workbook = archive.read("xl/workbook.xml").decode()
        relations = "".join(archive.read(name).decode() for name in names if name.endswith(".rels"))
    assert not [name for name in names if "external" in name.lower() or "vba" in name.lower()]
    assert "TargetMode" not in relations
    assert 'fullCalcOnLoad="1"' in workbook


def test_the_same_proposal_gives_the_same_bytes(job: RenderJob) -> None:
    assert render_xlsx(job) == render_xlsx(job)
    book = _open(render_xlsx(job))
    assert book.properties.created == datetime(2026, 11, 30)  # noqa: DTZ001 - a day without a zone
    assert book.properties.title == job.proposal.project.name.in_language(job.language)


def test_every_sheet_prints_large_enough_to_read_with_page_numbers_and_repeated_heads(
    job: RenderJob,
) -> None:
    book, layout = _open(render_xlsx(job)), load_layout(job)
    widths = _widths(book)
    printable_in = {9: 11.69 - 0.8, 8: 16.54 - 0.8}
    across = [sheet.spec.pages_across for sheet in arrange(layout, job.proposal.ledger, job.language).sheets]
    for number, sheet in enumerate(book.worksheets):
        assert sheet.page_setup.orientation == "landscape"
        footer: Any = sheet.oddFooter
        assert ("Page &P of &N" if job.language == "en" else "第 &P 页 / 共 &N 页") in footer.center.text
        if across[number]:
            # Many months run over several pages, with their labels on each.
            assert layout.size * int(str(sheet.page_setup.scale)) / 100 >= 7, sheet.title
            assert sheet.print_title_cols
            continue
        total = sum(size for (place, _), size in widths.items() if place == number)
        scale = printable_in[int(str(sheet.page_setup.paperSize))] * 96 / (total * 7.5)
        assert layout.size * min(scale, 1.0) > 7, sheet.title
        assert sheet.sheet_properties.pageSetUpPr is not None
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        # One page wide is what a file says by leaving the width out.
        assert sheet.page_setup.fitToWidth in {None, 1}
        assert sheet.page_setup.fitToHeight == 0
    for sheet in book.worksheets[1:]:
        assert sheet.freeze_panes
        assert sheet.print_title_rows


def _widths(book: Workbook) -> dict[tuple[int, int], float]:
    """Return the width by sheet and column; columns of one width share an entry of the file."""
    return {
        (number, column - 1): shared.width
        for number, sheet in enumerate(book.worksheets)
        for shared in sheet.column_dimensions.values()
        for column in range(shared.min or 1, (shared.max or 0) + 1)
    }


def test_columns_are_wide_enough_for_their_numbers(job: RenderJob) -> None:
    grid, ledger = _grid(job), job.proposal.ledger
    widths, values = _widths(_open(render_xlsx(job))), ledger.values()
    for entry in ledger.entries:
        place, value = grid.homes[entry.id], values[entry.id]
        shown = f"{value:,.2f}" if entry.unit == "CNY" else f"{value:,.0f}"
        assert widths[place.sheet, place.column] >= len(shown) + 1, entry.id


def test_each_language_says_the_same_numbers(costed: Proposal) -> None:
    numbers: list[list[object]] = []
    for language in ("zh", "en", "bilingual"):
        book = _open(render_xlsx(RenderJob(costed, language)), cached=True)
        numbers.append([cell.value for cell in _cells(book) if isinstance(cell.value, int | float)])
    assert numbers[0] == numbers[1] == numbers[2]


@pytest.mark.parametrize(
    ("language", "sheet"), [("zh", "封面与说明"), ("en", "Cover"), ("bilingual", "封面与说明 Cover")]
)
def test_the_cover_shows_project_totals_and_the_master_check(
    language: str, sheet: str, costed: Proposal
) -> None:
    book = _open(render_xlsx(RenderJob(costed, language)))
    cover = book[sheet]
    texts = [str(cell.value) for row in cover.iter_rows() for cell in row if cell.value is not None]
    assert book.worksheets[0] is cover
    assert HOSTILE in texts
    assert "2026-11-30" in texts
    grid = _grid(RenderJob(costed, language))
    for entry_id in ("A.capex.gross", "A.tco.net", "B.capex.gross", "B.tco.net", "check.master"):
        place = grid.homes[entry_id]
        name = grid.sheets[place.sheet].name
        cell = get_column_letter(place.column + 1)
        assert f"='{name}'!${cell}${place.row + 1}" in texts, id


def test_the_master_check_reads_as_a_tick_and_a_failed_one_as_a_cross(costed: Proposal) -> None:
    job = RenderJob(costed, "en")
    book, place = _open(render_xlsx(job)), _grid(job).homes["check.master"]
    assert (
        book.worksheets[place.sheet].cell(place.row + 1, place.column + 1).number_format.startswith('[=0]"✓"')
    )


def test_a_proposal_with_nothing_to_cost_still_gives_a_workbook(costed: Proposal) -> None:
    ledger = replace(
        costed.ledger,
        entries=tuple(entry for entry in costed.ledger.entries if isinstance(entry, Input)),
        tables=(),
    )
    bare = costed.model_copy(
        update={"ledger": ledger, "options": (), "sources": (), "assumptions": (), "notices": ()}
    )
    book = _open(render_xlsx(RenderJob(bare, "en")))
    assert "Cover" in book.sheetnames
    assert "Workings" in book.sheetnames
    assert "Sources" not in book.sheetnames
