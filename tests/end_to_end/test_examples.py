"""Every example, whole: documents, workbook and data of one run agree with each other."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import ironcalc
import openpyxl
import pikepdf
import pytest
from tests.core.built_in import EXAMPLES, NAMES, host

from suanli.pipeline import Order, propose
from suanli.project.load import load_project

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.proposal.model import Proposal

HALF_A_CENT = 0.005


@pytest.fixture(scope="module", params=NAMES)
def written(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Proposal, Path]:
    """One proposal in both languages; web page and bilingual documents are tested with the renderers."""
    name: str = request.param
    out = tmp_path_factory.mktemp(name)
    order = Order(out=out, languages=("zh", "en"), formats=("pdf", "xlsx", "json"))
    proposal, _ = propose(load_project(EXAMPLES / f"{name}.yaml"), host(), order)
    return proposal, out


def fonts(document: pikepdf.Pdf) -> set[str]:
    names = set[str]()
    for item in document.objects:
        if isinstance(item, pikepdf.Dictionary) and item.get("/Type") == "/FontDescriptor":
            assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(item.keys()), "a font is not embedded"
            names.add(str(item["/FontName"]).partition("+")[2])
    return names


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_document_has_a_dozen_pages_and_only_the_shipped_fonts(
    written: tuple[Proposal, Path], language: str
) -> None:
    path = written[1] / f"proposal.{language}.pdf"
    with pikepdf.open(path) as document:
        assert len(document.pages) >= 12
        assert fonts(document) <= {
            "Noto-Sans-SC",
            "Noto-Sans-SC-Bold",
            "NotoSansSC-Regular",
            "NotoSansSC-Bold",
        }
    assert path.stat().st_size < 5_000_000


def cells(workbook: openpyxl.Workbook) -> dict[tuple[str, int, int], Any]:
    return {
        (sheet.title, cell.row, cell.column): cell.value
        for sheet in workbook.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    }


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_second_engine_recalculates_every_formula_to_the_shown_value(
    written: tuple[Proposal, Path], language: str
) -> None:
    path = written[1] / f"cost-sheet.{language}.xlsx"
    content = path.read_bytes()
    formulas = cells(openpyxl.load_workbook(io.BytesIO(content)))
    shown = cells(openpyxl.load_workbook(io.BytesIO(content), data_only=True))
    names = openpyxl.load_workbook(io.BytesIO(content)).sheetnames
    engine = ironcalc.load_from_xlsx(str(path))
    engine.evaluate()
    checked = 0
    for (sheet, row, column), value in formulas.items():
        if not (isinstance(value, str) and value.startswith("=")):
            continue
        cached = shown[sheet, row, column]
        found = engine.get_cell_value(names.index(sheet), row, column)
        if isinstance(cached, str):
            assert found == cached, f"{sheet} {row} {column}"
        else:
            assert found == pytest.approx(cached, abs=HALF_A_CENT, rel=1e-9), f"{sheet} {row} {column}"
        checked += 1
    assert checked > 300


def test_the_data_file_holds_the_ledgers_totals(written: tuple[Proposal, Path]) -> None:
    proposal, out = written
    document = json.loads((out / "proposal.json").read_text(encoding="utf-8"))
    values = proposal.ledger.values()
    for option in document["options"]:
        if option["money"] is None:
            continue
        for field, entry in (("capex_gross", "capex.gross"), ("tco_net", "tco.net")):
            expected = values[f"{option['key']}.{entry}"].quantize(Decimal("0.01"))
            assert Decimal(option["money"][field]["value"]) == expected


def test_both_workbooks_hold_the_same_numbers(written: tuple[Proposal, Path]) -> None:
    def numbers(language: str) -> list[float]:
        workbook = openpyxl.load_workbook(written[1] / f"cost-sheet.{language}.xlsx", data_only=True)
        return [value for value in cells(workbook).values() if isinstance(value, int | float)]

    assert numbers("zh") == numbers("en")
