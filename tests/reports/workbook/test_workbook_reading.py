"""An edited cost sheet read back: what is an edit, what is refused by name, what is passed over."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from tests.workbook_press import PRESS

from suanli.domain.record import Text
from suanli.errors import InputError, WrittenForAnother
from suanli.proposal.contributions import RenderJob
from suanli_reports import workbook_reading
from suanli_reports.workbook_alignment import align
from suanli_reports.workbook_cells import Formula
from suanli_reports.workbook_grid import arrange
from suanli_reports.workbook_reading import read_xlsx

if TYPE_CHECKING:
    from collections.abc import Callable

    from suanli.proposal.contributions import ReadBack
    from suanli.proposal.model import Proposal
    from suanli_reports.workbook_grid import Grid

LANGUAGES = ("zh", "en", "bilingual")


@pytest.fixture(autouse=True)
def _press(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_reading, "load_layout", PRESS.layout)
    monkeypatch.setattr(workbook_reading, "render_xlsx", PRESS.sheet)
    monkeypatch.setattr(workbook_reading, "open_book", PRESS.opened)


class Desk:
    """A cost sheet on a reviewer's desk: open, edit, save, read back."""

    def __init__(self, proposal: Proposal, language: str = "en") -> None:
        self.job = RenderJob(proposal, language)
        self.content = PRESS.sheet(self.job)
        self.grid: Grid = arrange(PRESS.layout(self.job), proposal.ledger, language)
        self.book: Any = openpyxl.load_workbook(io.BytesIO(self.content))

    def sheet(self, key: str) -> Any:  # noqa: ANN401 - a worksheet
        return self.book[next(sheet.name for sheet in self.grid.sheets if sheet.spec.id == key)]

    def cell(self, entry: str) -> Any:  # noqa: ANN401 - a cell
        home = self.grid.homes[entry]
        return self.book[self.grid.sheets[home.sheet].name].cell(home.row + 1, home.column + 1)

    def read(self) -> ReadBack:
        buffer = io.BytesIO()
        self.book.save(buffer)
        # The job's own language says nothing of the file's.
        return read_xlsx(RenderJob(self.job.proposal, "zh"), buffer.getvalue(), "edited.xlsx")

    def faults(self) -> list[str]:
        with pytest.raises(InputError) as refused:
            self.read()
        return [str(fault) for fault in refused.value.faults]


@pytest.fixture
def desk(planned: Proposal) -> Desk:
    return Desk(planned)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sheet_that_nobody_edited_changes_nothing_whatever_its_language(
    language: str, costed: Proposal
) -> None:
    desk = Desk(costed, language)
    for found in (desk.read(), read_xlsx(RenderJob(costed, "en"), desk.content, "own.xlsx")):
        assert (found.language, found.edits, found.ignored) == (language, (), ())


@pytest.mark.parametrize("language", LANGUAGES)
def test_changed_inputs_are_edits_with_their_place_in_the_order_of_the_ledger(
    language: str, planned: Proposal
) -> None:
    desk = Desk(planned, language)
    desk.cell("A.quantity.servers").value = 41
    desk.cell("general.vat_goods").value = 0.1 + 0.2 - 0.2
    desk.cell("site.pue").value = 1.4
    found = desk.read()
    assert [(edit.entry, edit.value) for edit in found.edits] == [
        ("general.vat_goods", Decimal("0.1")),
        ("site.pue", Decimal("1.4")),
        ("A.quantity.servers", Decimal(41)),
    ]
    sheet = desk.sheet("inputs").title
    assert found.edits[1].place == f"{sheet}!{desk.cell('site.pue').coordinate}"


def test_the_day_on_which_the_sheet_was_saved_is_read(desk: Desk) -> None:
    desk.cell("site.pue").value = 1.4
    found = desk.read()
    assert found.saved == desk.book.properties.modified.date()


def _insert_row(desk: Desk) -> None:
    desk.sheet("inputs").insert_rows(8)


def _delete_row(desk: Desk) -> None:
    desk.sheet("inputs").delete_rows(8)


def _insert_column(desk: Desk) -> None:
    desk.sheet("inputs").insert_cols(2)


def _rename_sheet(desk: Desk) -> None:
    desk.sheet("inputs").title = "My inputs"


def _remove_sheet(desk: Desk) -> None:
    desk.book.remove(desk.sheet("checks"))


def _set(entry: str, value: object) -> Callable[[Desk], None]:
    def change(desk: Desk) -> None:
        desk.cell(entry).value = value

    return change


def _note(desk: Desk, key: str, column: str, entry: str, value: object) -> None:
    row = desk.cell(entry).row
    letters = {item.key: place for place, item in enumerate(_spec(desk, key).columns, start=1)}
    desk.sheet(key).cell(row, letters[column]).value = value


def _spec(desk: Desk, key: str) -> Any:  # noqa: ANN401 - a sheet of the layout
    return next(sheet.spec for sheet in desk.grid.sheets if sheet.spec.id == key)


def _redirect_name(desk: Desk) -> None:
    desk.book.defined_names["site_pue"].attr_text = "Inputs!$A$1"


def _change_mark(desk: Desk) -> None:
    cover = desk.sheet("cover")
    cell = next(cell for row in cover.iter_rows() for cell in row if str(cell.value).count("-") == 3)
    cell.value = "none"


def _type_over_total(desk: Desk) -> None:
    cover = desk.sheet("cover")
    cell = next(cell for row in cover.iter_rows() for cell in row if cell.data_type == "f")
    cell.value = 1


REFUSED: list[tuple[str, Callable[[Desk], None], tuple[str, ...]]] = [
    (
        "a formula typed over",
        _set("A.capex.net", 5),
        ("holds 5 where the formula", "total", "A Line items!I"),
    ),
    ("a formula cleared", _set("A.capex.net", None), ("is blank where the formula =",)),
    ("a formula changed", _set("A.capex.net", "=1+1"), ("the formula was changed to =1+1", "it was =")),
    ("a repetition typed over", _type_over_total, ("Cover!", "where the formula")),
    ("text in an input", _set("site.pue", "1,4"), ('holds the text "1,4"', "PUE", "Inputs!B")),
    ("a blank input", _set("site.pue", None), ("is blank where a number is meant", "PUE")),
    ("a formula in an input", _set("site.pue", "=1.2*1.1"), ("holds a formula, =1.2*1.1",)),
    ("a truth value", _set("site.pue", value=True), ("holds True where",)),
    ("a date", _set("site.pue", datetime(2026, 1, 2)), ("holds 2026-01-02",)),  # noqa: DTZ001
    ("an error", _set("site.pue", "#DIV/0!"), ('an error "#DIV/0!"',)),
    ("a PUE below 1", _set("site.pue", 0.9), ("0.9 cannot be used", "at least 1")),
    ("a share above 1", _set("general.vat_goods", 13), ("13 cannot be used", "between 0 % and 100 %")),
    ("half a server", _set("A.quantity.servers", 40.5), ("40.5 cannot be used", "whole number")),
    ("a longer horizon", _set("general.horizon", 30), ("30 cannot be used", "from 1 to")),
    ("a row put in", _insert_row, ("Inputs: row 8 was added",)),
    ("a row taken out", _delete_row, ("row 8 was removed",)),
    ("a column put in", _insert_column, ("Inputs: column B was added",)),
    (
        "a sheet renamed",
        _rename_sheet,
        ('the sheet "Inputs" is missing', 'rename the sheet "My inputs" back'),
    ),
    ("a sheet removed", _remove_sheet, ('the sheet "Checks" is missing',)),
    (
        "another unit",
        lambda desk: _note(desk, "inputs", "unit", "site.electricity", "USD/kWh"),
        ('the unit "CNY/kWh" was changed to "USD/kWh"',),
    ),
    (
        "a number over a text",
        lambda desk: _note(desk, "inputs", "label", "site.pue", 7),
        ('7 stands in place of "PUE"', "only the blue cells are read"),
    ),
    (
        "a printed figure",
        lambda desk: _note(desk, "inputs", "low", "A.energy.hours_run", 1),
        ("was changed to 1", "nothing is computed from it"),
    ),
    ("a name that stands for another cell", _redirect_name, ('the defined name "site_pue" stands for',)),
    ("the fingerprint removed", _change_mark, ("Cover!B", "the fingerprint was changed or removed")),
]


@pytest.mark.parametrize(
    ("change", "told"), [row[1:] for row in REFUSED], ids=[row[0].replace(" ", "-") for row in REFUSED]
)
def test_what_is_no_edit_of_an_input_is_refused_by_name(
    change: Callable[[Desk], None], told: tuple[str, ...], desk: Desk
) -> None:
    change(desk)
    faults = desk.faults()
    assert len(faults) == 1, faults
    for part in told:
        assert part.casefold() in faults[0].casefold()


def test_all_faults_are_told_at_once_beside_good_edits(desk: Desk) -> None:
    desk.cell("site.pue").value = 0.5
    desk.cell("general.vat_goods").value = "13 percent"
    desk.cell("A.capex.gross").value = 1
    desk.cell("general.discount_rate").value = 0.07
    assert len(desk.faults()) == 3


def test_moved_rows_are_told_once_and_not_through_every_formula_that_they_move(desk: Desk) -> None:
    desk.sheet("inputs").insert_rows(8, amount=2)
    desk.cell("A.capex.net").value = 3
    assert len(desk.faults()) == 2


def test_texts_and_side_calculations_are_passed_over_and_named(desk: Desk) -> None:
    _note(desk, "inputs", "label", "site.pue", "PUE of the new hall")
    desk.sheet("inputs")["Z3"] = "=B3*2"
    found = desk.read()
    assert found.edits == ()
    said = " ".join(text.en for text in found.ignored)
    assert "“PUE” → “PUE of the new hall”" in said
    assert "Inputs!Z3" in said


def test_sheets_that_the_reviewer_added_or_moved_do_not_matter(desk: Desk) -> None:
    desk.book.create_sheet("My notes", 0)["A1"] = "remember"
    desk.book.move_sheet(desk.sheet("inputs"), offset=-3)
    desk.cell("site.pue").value = 1.4
    assert [edit.entry for edit in desk.read().edits] == ["site.pue"]


def test_a_cost_sheet_of_another_state_is_refused_as_such(costed: Proposal, planned: Proposal) -> None:
    with pytest.raises(WrittenForAnother, match="was written for another state of the project"):
        read_xlsx(RenderJob(costed, "zh"), Desk(planned).content, "other.xlsx")


def test_a_cost_sheet_of_another_client_says_whose_it_is(planned: Proposal) -> None:
    project = planned.project.model_copy(update={"client": Text.same("Another Bank")})
    other = planned.model_copy(update={"project": project})
    with pytest.raises(WrittenForAnother, match="Client: Another Bank there"):
        read_xlsx(RenderJob(planned, "zh"), Desk(other).content, "other.xlsx")


def _zipped(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, "content")
    return buffer.getvalue()


def _strange_book() -> bytes:
    buffer = io.BytesIO()
    book = openpyxl.Workbook()
    book.save(buffer)
    return buffer.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is no .xlsx workbook"),
        (b"a,b\n1,2\n", "is no .xlsx workbook"),
        (_zipped("word/document.xml"), "another kind of file"),
        (_zipped("mimetype"), "an OpenDocument file"),
        (_zipped("xl/workbook.xml"), "is damaged"),
        (OLE, "old format .xls"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "protected by a password"),
        (_strange_book(), "is no cost sheet of suanli"),
    ],
    ids=["empty", "csv", "docx", "ods", "damaged", "xls", "encrypted", "foreign"],
)
def test_a_file_of_another_kind_is_refused_for_what_it_is(
    content: bytes, told: str, costed: Proposal
) -> None:
    with pytest.raises(InputError, match=told):
        read_xlsx(RenderJob(costed, "zh"), content, "file.xlsx")


def test_a_truncated_file_is_refused(desk: Desk) -> None:
    half = desk.content[: len(desk.content) // 2]
    with pytest.raises(InputError, match=r"is no \.xlsx workbook"):
        read_xlsx(desk.job, half, "half.xlsx")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("=ROUND('Inputs'!$B$5*2.50,2)", "= round(Inputs!B5 * 2.5, 2)"),
        ("='A''s'!$C$1", "='A''s'!C1"),
        ("=SUM(A1,B1)", "=SUM( A1 ,B1 )"),
        ("=_xlfn.CEILING.MATH(A1)", "=CEILING.MATH(A1)"),
        ("=A1*0.00010", "=A1*1E-4"),
    ],
)
def test_a_formula_is_known_however_a_program_spells_it(one: str, other: str) -> None:
    assert Formula(one).plain == Formula(other).plain


@pytest.mark.parametrize(
    ("one", "other"), [("=A1-B1", "=B1-A1"), ("=Inputs!B5", "=Inputs!B6"), ("=A1*1.13", "=A1*1.1")]
)
def test_another_formula_is_not_taken_for_the_same(one: str, other: str) -> None:
    assert Formula(one).plain != Formula(other).plain


def test_an_alignment_finds_what_was_put_in_and_what_was_changed_only() -> None:
    written = {(row, 0): text for row, text in enumerate("abcdef")}
    edited = {(0, 0): "a", (1, 0): "B", (2, 0): "c", (3, 0): "new", (4, 0): "d", (5, 0): "e", (6, 0): "f"}
    found = align(written, edited)
    assert found.added_rows == (3,)
    assert (found.rows[1], found.rows[5]) == (1, 6)
    assert found.lost_rows == ()


def test_what_is_written_below_the_last_row_moves_nothing() -> None:
    written = {(row, 0): text for row, text in enumerate("abc")}
    assert not align(written, {**written, (7, 0): "remark"}).shifted
