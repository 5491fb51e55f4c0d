"""The pages of the PDF: no heading at the foot, no row alone, the summary on one page."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, cast

import pytest

from suanli.domain.vendor import Deliverability
from suanli.proposal.contributions import RenderJob
from suanli.proposal.model import Verdict
from suanli_reports import engine
from suanli_reports.environment import compose
from suanli_reports.fonts import font_css, respell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.proposal.model import Proposal

LANGUAGES = ("zh", "en", "bilingual")
Path = tuple[Any, ...]


@pytest.fixture(scope="module", params=LANGUAGES)
def laid_out(request: pytest.FixtureRequest, proposal: Proposal) -> tuple[str, list[Any]]:
    """Return a language and the page boxes of the sample in it, without the cover and the contents."""
    language = str(request.param)
    source, _ = compose(RenderJob(proposal=proposal, language=language), "print")
    source = respell(source).replace("/* fonts */", font_css(), 1)
    library = cast("Any", engine)._library()  # noqa: SLF001 - the layout is not part of the engine's interface
    fetcher = cast("Any", engine)._fetcher(library)  # noqa: SLF001
    pages = library.HTML(string=source, url_fetcher=fetcher).render().pages
    boxes = [page._page_box for page in pages[1:]]  # noqa: SLF001
    # The contents take as many pages as they need.
    return language, [box for box in boxes if not any("nav" in tags(above) for _, above in texts(box))]


def texts(box: Any, above: Path = ()) -> Iterator[tuple[str, Path]]:  # noqa: ANN401 - boxes of an untyped library
    """Yield the texts and drawings of a page's content with the boxes above each, in order."""
    if type(box).__name__ == "MarginBox":
        return
    if type(box).__name__ == "TextBox" and box.text.strip():
        yield box.text, above
    if str(box.element_tag).endswith("svg"):
        yield "drawing", (*above, box)
    for child in getattr(box, "children", ()):
        yield from texts(child, (*above, box))


def tags(above: Path) -> set[str]:
    return {str(box.element_tag) for box in above}


def classes(above: Path) -> set[str]:
    found = (box.element.get("class") or "" for box in above if getattr(box, "element", None) is not None)
    return {name for names in found for name in names.split()}


def test_no_page_ends_with_a_heading_a_caption_or_the_head_of_a_table(
    laid_out: tuple[str, list[Any]],
) -> None:
    for number, page in enumerate(laid_out[1], start=3):
        text, above = list(texts(page))[-1]
        assert not tags(above) & {"h1", "h2", "h3", "thead"}, f"page {number} ends with {text}"
        assert "caption" not in classes(above), f"page {number} ends with {text}"
        assert "head" not in classes(above), f"page {number} ends with {text}"


def rows(page: Any) -> dict[Any, list[Any]]:  # noqa: ANN401
    """Return the body rows of each table of a page, by its element, in order."""
    found: dict[Any, list[Any]] = {}
    for _, above in texts(page):
        table = next((box.element for box in above if box.element_tag == "table"), None)
        row = next((box.element for box in above if box.element_tag == "tr"), None)
        if table is not None and "thead" not in tags(above) and row not in found.setdefault(table, []):
            found[table].append(row)
    return found


def test_no_row_of_a_table_stands_alone_before_or_after_a_page_break(laid_out: tuple[str, list[Any]]) -> None:
    pages = [rows(page) for page in laid_out[1]]
    for before, after in itertools.pairwise(pages):
        for table in before.keys() & after.keys():
            assert len(before[table]) > 1, "".join(before[table][-1].itertext())
            assert len(after[table]) > 1, "".join(after[table][0].itertext())


def test_the_summary_takes_one_page_in_one_language_and_two_in_both(laid_out: tuple[str, list[Any]]) -> None:
    language, pages = laid_out
    chapters = [
        {box.element.get("id") for _, above in texts(page) for box in above if box.element_tag == "section"}
        for page in pages
    ]
    assert sum("summary" in names for names in chapters) == (2 if language == "bilingual" else 1)


def test_no_page_but_the_last_is_left_nearly_empty(laid_out: tuple[str, list[Any]]) -> None:
    for number, page in enumerate(laid_out[1][:-1], start=3):
        foot = max(
            above[-1].position_y + above[-1].height for _, above in texts(page) if above[-1].height != "auto"
        )
        used = (foot - page.margin_top) / page.height
        assert used > 0.25, f"page {number} is used to {used:.0%}"


@pytest.mark.parametrize(
    ("language", "deliverability", "expected"),
    [
        ("zh", Deliverability.LICENCE, "需出口许可"),
        ("en", Deliverability.LICENCE, "licence required"),
        ("zh", Deliverability.BARRED, "不得交付"),
        ("en", Deliverability.BARRED, "not deliverable"),
    ],
)
def test_the_verdict_on_a_device_that_may_not_be_delivered_says_on_what_ground(
    proposal: Proposal, language: str, deliverability: Deliverability, expected: str
) -> None:
    last = proposal.options[-1]
    compliance = last.compliance.model_copy(update={"deliverability": deliverability})
    barred = last.model_copy(update={"verdict": Verdict.BARRED, "compliance": compliance})
    changed = proposal.model_copy(update={"options": (*proposal.options[:-1], barred)})
    document, _ = compose(RenderJob(proposal=changed, language=language), "screen")
    assert document.count(f'<span class="tag barred">{expected}</span>') >= 2
