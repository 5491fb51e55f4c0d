"""The document for Word, WPS and LibreOffice: to be edited, with styles, fields and tables of its own.

It is written from the same composed document as the PDF, so that chapters of plugins and themes come along
and no figure can differ. An element that has no form in Word is an error that names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import TemplateError
from jinja2.exceptions import TemplateNotFound

from suanli.errors import Fault, RenderError
from suanli_reports.environment import compose
from suanli_reports.office_blocks import Blocks
from suanli_reports.office_book import Book
from suanli_reports.office_front import contents, cover
from suanli_reports.office_ink import Ink, Layout, paragraph
from suanli_reports.office_parts import NAMESPACES, archive, relationship
from suanli_reports.office_tables import Place
from suanli_reports.office_tree import Element, parse

if TYPE_CHECKING:
    from suanli.proposal.contributions import RenderJob
    from suanli_reports.environment import Composer

__all__ = ["FONTS", "render"]

FONTS = {"latin": "Arial", "chinese": "Microsoft YaHei"}
"""Fonts that office machines have; the font table names what may stand in for the Chinese one."""
_WIDTH = 9638
"""Width of the text: A4 less margins of 20 mm, in twentieths of a point."""
_PAGE = '<w:pgSz w:w="11906" w:h="16838"/>'
_MARGINS = (
    '<w:pgMar w:top="1417" w:right="1134" w:bottom="1247" w:left="1134" w:header="680" w:footer="624" '
    'w:gutter="0"/>'
)
_COVER = f'<w:sectPr><w:type w:val="nextPage"/>{_PAGE}{_MARGINS}</w:sectPr>'
_TEMPLATES = ("styles", "numbering", "settings", "fontTable", "header", "footer")


def render(job: RenderJob) -> bytes:
    """Return the document for word processors.

    Raises:
        RenderError: a message, template or reference is missing, or the document holds what Word cannot show.
    """
    document, composer = compose(job, "print")
    tree = parse(document)
    body = tree.first("body")
    if body is None:
        raise RenderError(Fault("the document has no body", where="document/document.html.j2"))
    book = Book(composer.palette, job.language)
    parts = {"word/document.xml": _document(body, book, composer)}
    book.check()
    parts |= _parts(body, book, composer)
    return archive(parts, book.media, composer.proposal.project.version)


def _document(body: Element, book: Book, composer: Composer) -> str:
    blocks = Blocks(book)
    place = Place(_WIDTH, ink=Ink(language="zh") if book.language == "zh" else Ink())
    hint = composer.speaker.plain(lambda voice: voice.word("office.contents-hint").striptags())
    found: list[str] = []
    for element in body.elements:
        if "cover" in element.classes:
            found += [cover(element, blocks, place), paragraph("", Layout("Spacer", section=_COVER))]
        elif element.tag == "nav":
            found.append(contents(element, blocks, place, hint))
        else:
            found += blocks.flow([element], place)
    head, foot = relationship("header.xml"), relationship("footer.xml")
    section = (
        f'<w:sectPr><w:headerReference w:type="default" r:id="{head}"/>'
        f'<w:footerReference w:type="default" r:id="{foot}"/>{_PAGE}{_MARGINS}</w:sectPr>'
    )
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        f"<w:document {NAMESPACES}><w:body>{''.join(found)}{section}</w:body></w:document>"
    )


def _parts(body: Element, book: Book, composer: Composer) -> dict[str, str]:
    """Return the parts that templates write."""
    foot = next((one for one in body.walk() if "foot" in one.classes), Element("div"))
    values = {
        "fonts": FONTS,
        "width": _WIDTH,
        "lists": book.lists,
        "running": foot.attributes.get("data-project", ""),
        "version": foot.attributes.get("data-run", ""),
    }
    places = {f"word/{name}.xml": f"office/{name}.xml.j2" for name in _TEMPLATES}
    places["docProps/core.xml"] = "office/core.xml.j2"
    try:
        return {path: str(composer.render(template, **values)) for path, template in places.items()}
    except TemplateNotFound as error:
        raise RenderError(Fault(f'no template "{error.name}"', where="suanli_templates")) from error
    except TemplateError as error:
        raise RenderError(Fault(f"template failed: {error}", where="office")) from error
