"""Pages are filled and headings stand with their text; and the rules find what breaks them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pikepdf
import pytest
from tests.reports.page_rules import PAGE_RULES, empty, lone_keys, outside, sheets, stranded

from suanli.domain.workload import Paper
from suanli.proposal.contributions import RenderJob
from suanli_reports import pdf
from suanli_reports.engine import write_pdf
from suanli_reports.fonts import font_css

if TYPE_CHECKING:
    from tests.reports.page_rules import Sheet

    from suanli.proposal.model import Proposal


def pages(content: bytes) -> list[Sheet]:
    with pikepdf.open(io.BytesIO(content)) as document:
        return sheets(document)


def page(body: str) -> bytes:
    rules = (
        "@page { size: A4; margin: 25mm 20mm 22mm } body { font: 8pt 'Noto Sans SC' } sup { font-size: 5pt }"
    )
    style = font_css() + rules
    return write_pdf(f"<html lang=en><title>t</title><style>{style}</style><body>{body}</body></html>")


def on_letter(proposal: Proposal) -> Proposal:
    project = proposal.project.model_copy(update={"paper": Paper.LETTER})
    return proposal.model_copy(update={"project": project})


@pytest.mark.parametrize("language", ["zh", "bilingual"])
def test_the_pages_of_the_sample_keep_the_rules_of_layout(language: str, proposal: Proposal) -> None:
    found = pages(pdf.render(RenderJob(proposal=proposal, language=language)))
    assert [fault for rule in PAGE_RULES for fault in rule(found)] == []
    assert sum(sheet.filled for sheet in found[1:]) / len(found[1:]) > 0.7


def test_letter_pages_hold_the_document_and_its_cover(infeasible_proposal: Proposal) -> None:
    content = pdf.render(RenderJob(proposal=on_letter(infeasible_proposal), language="en"))
    found = pages(content)
    assert {(sheet.width, sheet.height) for sheet in found} == {(612.0, 792.0)}
    assert list(outside(found)) == []
    assert len(found) < 20


def test_text_outside_its_page_is_found() -> None:
    assert list(outside(pages(page("<p style='white-space: nowrap'>" + "word " * 60)))) != []
    assert list(outside(pages(page("<p>" + "word " * 60)))) == []


def test_a_page_nearly_empty_is_found_unless_a_part_ends_on_it() -> None:
    parts = "<p>cover</p><p style='break-before: page'>little</p>{}<p>more</p>"
    after = "<h{0} style='break-before: page'>Head</h{0}>"
    assert len(list(empty(pages(page(parts.format(after.format(2))))))) == 1
    assert list(empty(pages(page(parts.format(after.format(1)))))) == []


def test_a_heading_at_the_end_of_a_page_is_found() -> None:
    body = "<h1>A</h1><p>text</p><h2>B</h2>{}<p style='break-before: page'>text</p>"
    assert len(list(stranded(pages(page(body.format("")))))) == 1
    assert list(stranded(pages(page(body.format("<p>text</p>"))))) == []


def test_a_reference_key_alone_on_a_line_is_found() -> None:
    body = "<p id=x>value{}<sup><a href='#x'>S12</a></sup></p>"
    assert len(list(lone_keys(pages(page(body.format("<br>")))))) == 1
    assert list(lone_keys(pages(page(body.format(""))))) == []
