"""Published complaints about documents, held against the files that one run of the command writes."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import openpyxl
import pikepdf
import pytest
from tests.reference.case_files import Answer, Case, assert_met, cases_of, expectations

from suanli.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from openpyxl.cell import Cell
    from openpyxl.workbook import Workbook
    from tests.reference.case_files import Unit

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "lora-13b.yaml"
HOSTILE = '=HYPERLINK("http://example.invalid","x")'


def propose(folder: str, client: str, *words: str) -> tuple[int, str]:
    """Write the documents of an example for a client; return the exit code and what was said."""
    said = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        code = run(
            [
                "propose",
                str(EXAMPLE),
                "-o",
                folder,
                "--set",
                f"project.client={json.dumps(client, ensure_ascii=False)}",
                *words,
            ]
        )
    return code, said.getvalue()


@cache
def written() -> dict[str, bytes]:
    """Return the files of a proposal by name, for a client with a hostile name."""
    with TemporaryDirectory() as folder:
        code, said = propose(f"{folder}/out", HOSTILE)
        assert code == 0, said
        return {path.name: path.read_bytes() for path in Path(folder, "out").iterdir()}


def workbook(*, cached: bool) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(written()["cost-sheet.zh.xlsx"]), data_only=cached)


def cells(book: Workbook) -> Iterator[tuple[str, Cell]]:
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value is not None:
                    yield f"{sheet.title}!{cell.coordinate}", cell


def cached_values(case: Case) -> Mapping[str, Answer]:
    del case
    formulas, shown = workbook(cached=False), dict(cells(workbook(cached=True)))
    places = [place for place, cell in cells(formulas) if cell.data_type == "f"]
    calculation: Any = formulas.calculation
    return {
        "formulas": float(len(places)),
        "formulas_without_a_cached_value": float(sum(place not in shown for place in places)),
        "recalculation_is_asked_for": calculation.fullCalcOnLoad is True,
    }


def ledger() -> dict[str, Decimal]:
    document = json.loads(written()["proposal.json"])
    return {name: Decimal(entry["value"]) for name, entry in document["ledger_values"].items()}


def sums(case: Case) -> Mapping[str, Answer]:
    del case
    values = ledger()
    lines = [
        value for name, value in values.items() if name.startswith("A.bill.") and name.endswith(".gross")
    ]
    numbers = {
        round(Decimal(str(cell.value)), 2)
        for _, cell in cells(workbook(cached=True))
        if cell.data_type == "n"
    }
    total = sum(lines, Decimal(0))
    return {"the_total_is_the_sum_of_its_lines": total == values["A.capex.gross"] and total in numbers}


def hostile_name(case: Case) -> Mapping[str, Answer]:
    del case
    book = workbook(cached=False)
    found = [cell for _, cell in cells(book) if HOSTILE in str(cell.value) or "HYPERLINK" in str(cell.value)]
    negative = [
        cell
        for _, cell in cells(workbook(cached=True))
        if cell.data_type == "n" and float(str(cell.value)) < 0
    ]
    return {
        "cells_with_the_name": float(len(found)),
        "cells_that_run_it": float(
            sum(cell.data_type == "f" or cell.hyperlink is not None for cell in found)
        ),
        "negative_amounts_are_numbers": len(negative) > 0,
    }


def descriptors(document: pikepdf.Pdf) -> list[pikepdf.Dictionary]:
    return [
        thing
        for thing in document.objects
        if isinstance(thing, pikepdf.Dictionary) and thing.get("/Type") == "/FontDescriptor"
    ]


def document_facts(case: Case) -> Mapping[str, Answer]:
    del case
    content = written()["proposal.zh.pdf"]
    with pikepdf.open(io.BytesIO(content)) as opened:
        fonts = descriptors(opened)
        names = {str(font.FontName).partition("+")[2] for font in fonts}
        files = ("/FontFile", "/FontFile2", "/FontFile3")
        return {
            "fonts": " and ".join(sorted(names)),
            "fonts_that_are_not_embedded": float(
                sum(not any(key in font for key in files) for font in fonts)
            ),
            "pages": float(len(opened.pages)),
            "megabytes": len(content) / 1e6,
            "bold_face_is_embedded": "Noto-Sans-SC-Bold" in names,
        }


def rare_character(case: Case) -> Mapping[str, Answer]:
    with TemporaryDirectory() as folder:
        code, said = propose(f"{folder}/out", case.text("client"))
    return {"exit_code": float(code), "message": said}


ANSWERS = {
    "ren-001": cached_values,
    "ren-002": sums,
    "ren-004": hostile_name,
    "ren-005": document_facts,
    "ren-007": document_facts,
    "ren-010": document_facts,
    "ren-011": rare_character,
}


@expectations("rendering")
def test_a_published_complaint_does_not_apply(unit: Unit) -> None:
    assert_met(unit, ANSWERS)


def test_every_rendering_case_is_asked_here_or_by_a_named_test() -> None:
    elsewhere = {case.id for case in cases_of("rendering").values() if case.tested_by}
    assert set(ANSWERS) | elsewhere == set(cases_of("rendering"))


NAMED = [name for case in cases_of("rendering").values() for name in case.tested_by]


@pytest.mark.parametrize("name", NAMED)
def test_a_test_that_a_case_names_exists(name: str) -> None:
    path, _, function = name.partition("::")
    assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8")
