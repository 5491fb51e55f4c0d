"""From every total to its inputs and their sources by clicks, and texts that look like formulas."""

from __future__ import annotations

import io
import re
import zipfile
from collections import deque
from typing import TYPE_CHECKING

import openpyxl
import pytest
from tests.full_project import FULL_PROJECT

from suanli.domain.record import Text
from suanli.host.loader import load_host
from suanli.pipeline import build_proposal
from suanli.project.load import parse_project
from suanli.proposal.contributions import RenderJob
from suanli_reports.workbook_grid import arrange
from suanli_reports.workbook_template import load_layout
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal
    from suanli_reports.workbook_grid import Grid

CLICKS = 3
HOSTILE = (
    '=HYPERLINK("http://x","y")',
    "+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "a&b]]><c>" + "x" * 300,
)


@pytest.fixture(scope="module")
def proposal() -> Proposal:
    return build_proposal(parse_project(FULL_PROJECT), load_host())


@pytest.fixture(scope="module")
def known(proposal: Proposal) -> int:
    return formulas(render_xlsx(RenderJob(proposal, "en")))


def sheets_by_clicks(grid: Grid, content: bytes) -> dict[str, set[str]]:
    """Return the sheets that one click on some cell of a sheet leads to."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    found: dict[str, set[str]] = {}
    for sheet in grid.sheets:
        page = book[sheet.name]
        links = [cell.hyperlink.location for row in page.iter_rows() for cell in row if cell.hyperlink]
        found[sheet.name] = {re.sub(r"^'?(.*?)'?!.*$", r"\1", str(link)) for link in links}
    return found


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_total_leads_to_inputs_and_sources_within_three_clicks(
    proposal: Proposal, language: str
) -> None:
    job = RenderJob(proposal, language)
    layout = load_layout(job)
    grid = arrange(layout, proposal.ledger, language)
    names = {sheet.spec.id: sheet.name for sheet in grid.sheets}
    ways = sheets_by_clicks(grid, render_xlsx(job))
    totals = {
        sheet.name
        for sheet in grid.sheets
        for row in sheet.rows
        if row.style.value in {"total", "subtotal"} and any(cell.entry for cell in row.cells)
    }
    assert len(totals) >= 6
    for start in totals:
        away = {start: 0}
        pending = deque([start])
        while pending:
            name = pending.popleft()
            for target in ways[name] - away.keys():
                away[target] = away[name] + 1
                pending.append(target)
        assert away.get(names["inputs"], CLICKS + 1) <= CLICKS, start
        assert away.get(names["sources"], CLICKS + 1) <= CLICKS, start


@pytest.mark.parametrize("text", HOSTILE)
def test_a_name_that_looks_like_a_formula_stays_text_in_every_part_of_the_file(
    proposal: Proposal, known: int, text: str
) -> None:
    project = proposal.project.model_copy(update={"name": Text.same(text), "client": Text.same(text)})
    content = render_xlsx(RenderJob(proposal.model_copy(update={"project": project}), "en"))
    book = openpyxl.load_workbook(io.BytesIO(content))
    shown = [cell for row in book["Cover"].iter_rows() for cell in row if cell.value == text]
    assert shown
    assert {cell.data_type for cell in shown} == {"s"}
    assert formulas(content) == known
    for part in ("docProps/core.xml", "docProps/app.xml", *charts(content)):
        assert zipfile.ZipFile(io.BytesIO(content)).read(part).decode("utf-8").startswith("<?xml")
    assert openpyxl.load_workbook(io.BytesIO(content)).properties.title


def formulas(content: bytes) -> int:
    """Return how many cells hold a formula."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    return sum(cell.data_type == "f" for page in book for row in page.iter_rows() for cell in row)


def charts(content: bytes) -> list[str]:
    """Return the parts of a file that are charts."""
    return [name for name in zipfile.ZipFile(io.BytesIO(content)).namelist() if "charts/chart" in name]
