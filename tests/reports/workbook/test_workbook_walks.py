"""From every total to its inputs and their sources by clicks, and texts that look like formulas."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections import deque
from typing import TYPE_CHECKING

import openpyxl
import pytest
from tests.full_project import FULL_PROJECT

from suanli.costing.expressions import references
from suanli.costing.ledger import Input, Line
from suanli.domain.record import Text
from suanli.host.loader import load_host
from suanli.pipeline import build_proposal
from suanli.project.load import parse_project
from suanli.proposal.contributions import RenderJob
from suanli_reports.workbook_grid import arrange
from suanli_reports.workbook_template import load_layout
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.costing.ledger import Entry
    from suanli.proposal.model import Proposal
    from suanli_reports.workbook_grid import Grid

CLICKS = 3
HOSTILE = (
    '=HYPERLINK("http://x","y")',
    "+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "-2+3",
    "\t=1+1",
    "\n+1",
    "&A &P &&D",
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
    sources = tuple(
        source.model_copy(update={"title": text, "publisher": text, "ref": text})
        for source in proposal.sources
    )
    content = render_xlsx(
        RenderJob(proposal.model_copy(update={"project": project, "sources": sources}), "en")
    )
    book = openpyxl.load_workbook(io.BytesIO(content))
    shown = [cell for page in book for row in page.iter_rows() for cell in row if cell.value == text]
    assert {"Cover", "Sources"} <= {cell.parent.title for cell in shown}
    assert {cell.data_type for cell in shown} == {"s"}
    assert formulas(content) == known
    for part in ("docProps/core.xml", "docProps/app.xml", *charts(content)):
        assert zipfile.ZipFile(io.BytesIO(content)).read(part).decode("utf-8").startswith("<?xml")
    assert openpyxl.load_workbook(io.BytesIO(content)).properties.title
    assert not book.defined_names.keys() & {text}
    archive = zipfile.ZipFile(io.BytesIO(content))
    for part in charts(content):
        titles = re.findall(r"<c:title>.*?</c:title>", archive.read(part).decode("utf-8"), re.DOTALL)
        assert titles
        assert not [title for title in titles if "<c:f>" in title]
    for page in book:
        _footer_is_text(str(page.title), footer_of(archive, page.title, book.sheetnames))


def footer_of(archive: zipfile.ZipFile, title: str, names: list[str]) -> str:
    """Return the footer of a sheet as the file writes it."""
    part = archive.read(f"xl/worksheets/sheet{names.index(title) + 1}.xml").decode("utf-8")
    found = re.search(r"<oddFooter>(.*?)</oddFooter>", part, re.DOTALL)
    assert found is not None, title
    return html.unescape(found[1])


def _footer_is_text(title: str, footer: str) -> None:
    """Refuse a code of a footer, such as a page number, in what the project wrote."""
    assert len(footer) <= 255
    left = footer.split("&C&8", 1)[0].removeprefix("&L&8 ")
    assert left.endswith(title)
    assert "&" not in left.replace("&&", "")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_total_itself_leads_on_to_an_input_and_its_source(proposal: Proposal, language: str) -> None:
    """Follow each total cell by what it reads, a sheet a click, as *Trace precedents* does."""
    job = RenderJob(proposal, language)
    grid = arrange(load_layout(job), proposal.ledger, language)
    entries = {entry.id: entry for entry in proposal.ledger.entries}
    wanted = {"cover", "tco", "accounting", "totals", "vat", "payments"}
    totals = {
        cell.entry
        for sheet in grid.sheets
        if sheet.spec.id in wanted or sheet.spec.id.startswith("bill:")
        for row in sheet.rows
        if sheet.spec.id in {"cover", "totals"} or row.style.value in {"total", "subtotal"}
        for cell in row.cells
        if cell.entry
    }
    keys = {option.key for option in proposal.options if option.money}
    assert keys
    assert keys <= {entry_id.partition(".")[0] for entry_id in totals}
    sourced = {entry.source for entry in proposal.ledger.inputs if entry.source}
    assert sourced
    for total in totals:
        inputs = _inputs_of(total, entries)
        assert inputs or _constant(entries[total], entries), total
        # Inputs are all on one sheet, where each source key leads to its row.
        assert {grid.sheets[grid.homes[name].sheet].spec.id for name in inputs} <= {"inputs"}


def _inputs_of(name: str, entries: Mapping[str, Entry]) -> set[str]:
    seen, pending = {name}, [name]
    while pending:
        entry = entries[pending.pop()]
        if isinstance(entry, Line):
            fresh = set(references(entry.expression)) - seen
            seen |= fresh
            pending += fresh
    return {one for one in seen if isinstance(entries[one], Input)}


def _constant(entry: Entry, entries: Mapping[str, Entry]) -> bool:
    """Tell whether a line is a plain number, such as the nothing that operation costs before it begins."""
    if not isinstance(entry, Line):
        return False
    read = references(entry.expression)
    return all(_constant(entries[one], entries) for one in read)


def formulas(content: bytes) -> int:
    """Return how many cells hold a formula."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    return sum(cell.data_type == "f" for page in book for row in page.iter_rows() for cell in row)


def charts(content: bytes) -> list[str]:
    """Return the parts of a file that are charts."""
    return [name for name in zipfile.ZipFile(io.BytesIO(content)).namelist() if "charts/chart" in name]
