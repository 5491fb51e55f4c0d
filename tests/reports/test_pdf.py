"""The document as PDF: fonts, pages, metadata, same bytes; and nothing runs out of its box."""

from __future__ import annotations

import io
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import pikepdf
import pytest

from suanli.domain.record import Text
from suanli.errors import RenderError
from suanli.proposal.contributions import RenderJob
from suanli_reports import engine, pdf
from suanli_reports.environment import compose
from suanli_reports.fonts import font_css, respell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.proposal.model import Proposal

LANGUAGES = ("zh", "en", "bilingual")
LONG = "本行用于检查没有空格的长中文说明是否会在单元格内自动换行而不是溢出" * 3
LONG_LATIN = "https://example.com/" + "a-very-long-address-without-any-space-in-it/" * 4


@pytest.fixture(scope="module", params=LANGUAGES)
def document(request: pytest.FixtureRequest, proposal: Proposal) -> tuple[str, bytes]:
    language = str(request.param)
    return language, pdf.render(RenderJob(proposal=proposal, language=language))


def fonts(document: pikepdf.Pdf) -> Iterator[pikepdf.Dictionary]:
    for thing in document.objects:
        if isinstance(thing, pikepdf.Dictionary) and thing.get("/Type") == "/FontDescriptor":
            yield thing


def test_only_the_two_packaged_fonts_are_embedded_as_subsets(document: tuple[str, bytes]) -> None:
    with pikepdf.open(io.BytesIO(document[1])) as opened:
        names = {str(font.FontName).partition("+")[2] for font in fonts(opened)}
        assert names == {"Noto-Sans-SC", "Noto-Sans-SC-Bold"}
        assert all(
            any(key in font for key in ("/FontFile", "/FontFile2", "/FontFile3")) for font in fonts(opened)
        )


def test_the_document_has_twelve_pages_or_more_and_stays_small(document: tuple[str, bytes]) -> None:
    with pikepdf.open(io.BytesIO(document[1])) as opened:
        assert len(opened.pages) >= 12
        sizes = {tuple(round(float(edge)) for edge in page.mediabox) for page in opened.pages}
        # Two languages need the width of a page on its side for the table of line prices.
        assert sizes == {(0, 0, 595, 842)} | ({(0, 0, 842, 595)} if document[0] == "bilingual" else set())
    assert len(document[1]) < 5_000_000


def test_title_language_and_bookmarks_are_set(document: tuple[str, bytes]) -> None:
    language, content = document
    with pikepdf.open(io.BytesIO(content)) as opened:
        assert str(opened.docinfo["/Title"]).startswith("某行业大模型预训练集群")
        assert str(opened.Root.Lang) == ("en" if language == "en" else "zh-Hans")
        with opened.open_outline() as outline:
            titles = [item.title for item in outline.root]
    assert len(titles) == 32
    assert titles[1].startswith("1\N{EM SPACE}")


def test_nothing_runs_and_nothing_is_loaded(document: tuple[str, bytes]) -> None:
    with pikepdf.open(io.BytesIO(document[1])) as opened:
        actions = {
            str(thing.get("/S"))
            for thing in opened.objects
            if isinstance(thing, pikepdf.Dictionary) and "/S" in thing
        }
        assert not actions & {"/JavaScript", "/Launch", "/URI", "/GoToR"}
        assert "/AA" not in opened.Root


def test_the_same_proposal_gives_the_same_bytes(infeasible_proposal: Proposal) -> None:
    job = RenderJob(proposal=infeasible_proposal, language="zh")
    assert pdf.render(job) == pdf.render(job)


def test_a_character_that_the_fonts_lack_stops_the_build_and_is_named(infeasible_proposal: Proposal) -> None:
    project = infeasible_proposal.project.model_copy(update={"client": Text.same("𡃁氏集团")})
    job = RenderJob(proposal=infeasible_proposal.model_copy(update={"project": project}), language="zh")
    with pytest.raises(RenderError, match=r"U\+210C1") as caught:
        pdf.render(job)
    assert "𡃁氏集团" in str(caught.value)


def test_rare_name_characters_and_respelt_ones_are_shown(infeasible_proposal: Proposal) -> None:
    project = infeasible_proposal.project.model_copy(update={"client": Text.same("喆玥堃珺翀焜赟 10⁹ CO₂")})
    job = RenderJob(proposal=infeasible_proposal.model_copy(update={"project": project}), language="zh")
    assert pdf.render(job).startswith(b"%PDF")


def test_without_the_engine_the_error_says_what_to_install(
    infeasible_proposal: Proposal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(RenderError, match="apt-get install") as caught:
        pdf.render(RenderJob(proposal=infeasible_proposal, language="zh"))
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("address", ["http://example.invalid/x.png", "file:///etc/passwd", "relative.png"])
def test_the_engine_loads_nothing_but_the_fonts(address: str) -> None:
    with pytest.raises(RenderError, match=r"Failed to load|Relative URI"):
        engine.write_pdf(f"<p>x</p><img src='{address}'>")


def test_a_glyph_that_slips_through_the_check_is_caught_by_the_engine() -> None:
    with pytest.raises(RenderError, match="notdef"):
        engine.write_pdf(f"<style>{font_css()} p {{ font-family: 'Noto Sans SC' }}</style><p>\U000f1234</p>")


def long_texts(proposal: Proposal) -> Proposal:
    """Return the sample with long texts and large amounts in every narrow place."""
    option = proposal.options[0]
    name = Text(zh=LONG, en=LONG_LATIN)
    assert option.money is not None
    price, big = Decimal("98765432.10"), Decimal("9876543210.98")
    rows = tuple(
        row.model_copy(update={"name": name, "unit_price": price, "net": big, "vat": big, "gross": big})
        if row.net
        else row
        for row in option.bill
    )
    long_option = option.model_copy(update={"server_name": name, "bill": rows})
    assumptions = tuple(
        item.model_copy(update={"reason": name, "value": "1" * 40}) for item in proposal.assumptions
    )
    sources = tuple(item.model_copy(update={"title": LONG, "ref": LONG_LATIN}) for item in proposal.sources)
    project = proposal.project.model_copy(
        update={"name": Text.same(LONG[:40]), "client": Text.same(LONG[:50])}
    )
    update = {
        "options": (long_option, *proposal.options[1:]),
        "assumptions": assumptions,
        "sources": sources,
        "project": project,
    }
    return proposal.model_copy(update=update)


def overflowing(language: str, proposal: Proposal) -> list[str]:
    """Return the texts that leave the page's content area or their table cell."""
    source, _ = compose(RenderJob(proposal=proposal, language=language), "print")
    source = respell(source).replace("/* fonts */", font_css(), 1)
    library = cast("Any", engine)._library()  # noqa: SLF001 - the layout is not part of the engine's interface
    pages = library.HTML(string=source, url_fetcher=cast("Any", engine)._fetcher(library)).render().pages  # noqa: SLF001
    found: list[str] = []
    for number, page in enumerate(pages[1:], start=2):
        box = page._page_box  # noqa: SLF001
        edge = box.position_x + box.margin_left + box.width
        found += [f"page {number}: {text}" for text in _beyond(box, edge + 1.0)]
    return found


def _beyond(box: Any, edge: float) -> Iterator[str]:  # noqa: ANN401 - boxes of an untyped library
    kind = type(box).__name__
    if kind == "TableCellBox":
        edge = min(edge, box.position_x + box.border_width() + 1.0)
    if kind == "TextBox" and box.text.strip() and box.position_x + box.width > edge:
        yield f"{box.text} ends at {box.position_x + box.width:.0f}, room until {edge:.0f}"
    if kind != "MarginBox":
        for child in getattr(box, "children", ()):
            yield from _beyond(child, edge)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_the_sample_leaves_its_page_or_its_cell(language: str, proposal: Proposal) -> None:
    assert overflowing(language, proposal) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_long_texts_and_large_amounts_stay_in_their_cells(language: str, proposal: Proposal) -> None:
    assert overflowing(language, long_texts(proposal)) == []
