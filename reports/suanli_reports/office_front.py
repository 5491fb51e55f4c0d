"""The first pages of a Word document: the cover and the contents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from suanli_reports.office_ink import Ink, Layout, field, paragraph, run, tab
from suanli_reports.office_line import Line
from suanli_reports.office_tables import Cell, Place, room, side_by_side

if TYPE_CHECKING:
    from suanli_reports.office_blocks import Blocks
    from suanli_reports.office_tree import Element

__all__ = ["contents", "cover"]

_BAND = 2900
"""Width of the band of the cover in twentieths of a point."""
_HEIGHT = 13200
"""Height of the cover in twentieths of a point: a page less its margins and the last paragraph."""
_FALL = 2600
"""Distance of the title from the top."""


def _by_class(element: Element, name: str) -> Element | None:
    return next((one for one in element.walk() if name in one.classes), None)


def cover(element: Element, blocks: Blocks, place: Place) -> str:
    """Return the cover: a coloured band with the result, and beside it what the document is."""
    band, main, foot = (_by_class(element, name) for name in ("band", "main", "foot"))
    title = blocks.book.colour("accent")
    left = replace(
        place,
        width=room(_BAND),
        style="CoverBand",
        ink=replace(place.ink, colour="FFFFFF"),
        stacked=blocks.book.bilingual,
    )
    right = replace(place, width=room(place.width - _BAND))
    cells = [
        Cell("".join(blocks.flow(band.children, left)) if band else "", _BAND, fill=title, bottom=True),
        Cell("".join(_main(main, foot, blocks, right)), place.width - _BAND),
    ]
    table = side_by_side([cell if cell.content else replace(cell, content="<w:p/>") for cell in cells])
    return table.replace(
        "<w:cantSplit/>", f'<w:cantSplit/><w:trHeight w:val="{_HEIGHT}" w:hRule="atLeast"/>', 1
    )


def _main(main: Element | None, foot: Element | None, blocks: Blocks, place: Place) -> list[str]:
    if main is None:
        return []
    found = [f'<w:p><w:pPr><w:spacing w:before="{_FALL}"/></w:pPr></w:p>']
    for child in main.elements:
        if child.tag == "h1":
            half = 36 if "long" in child.classes else 0
            ink = replace(place.ink, half_points=half)
            found.append(paragraph(Line(blocks.book).add(child.children, ink).xml, Layout("Title")))
        else:
            found += blocks.flow([child], place)
    if foot is not None:
        found += blocks.flow(foot.children, replace(place, style="Note"))
    return found


def contents(element: Element, blocks: Blocks, place: Place, hint: str) -> str:
    """Return the contents as a field that any word processor can compute anew, with its entries in place.

    Page numbers are those of the program that shows the document, so they appear when the field is computed;
    a line below says how.
    """
    heading = element.first("h1")
    found: list[str] = []
    if heading is not None:
        words = Line(blocks.book, size=22).add(heading.children, place.ink).xml
        found.append(paragraph(words, Layout("TOCHeading")))
    start = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        r'<w:r><w:instrText xml:space="preserve"> TOC \o "1-2" \h \z \u </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    )
    for entry in (one for one in element.walk() if one.tag == "li"):
        style = "TOC1" if "c1" in entry.classes else "TOC2"
        found.append(paragraph(start + _entry(entry, blocks, place.ink), Layout(style)))
        start = ""
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    found.append(paragraph(end + run(hint, place.ink), Layout("Note")))
    gallery = '<w:docPartGallery w:val="Table of Contents"/><w:docPartUnique/>'
    return (
        f"<w:sdt><w:sdtPr><w:docPartObj>{gallery}</w:docPartObj></w:sdtPr>"
        f"<w:sdtContent>{''.join(found)}</w:sdtContent></w:sdt>"
    )


def _entry(entry: Element, blocks: Blocks, ink: Ink) -> str:
    link = entry.first("a")
    if link is None:
        return Line(blocks.book).add(entry.children, ink).xml
    name = blocks.book.bookmark(link.attributes["href"].removeprefix("#"))
    number = link.first("span", "no")
    words = [child for child in link.children if child is not number]
    line = Line(blocks.book).add(words, ink).xml
    lead = run(number.text, ink) + tab() if number else ""
    page = tab() + field(rf"PAGEREF {name} \h", "")
    return f'<w:hyperlink w:anchor="{name}" w:history="1">{lead}{line}{page}</w:hyperlink>'
