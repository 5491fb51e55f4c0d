"""What an archive document must keep, as rules that name what breaks them; after ISO 19005-3 and ISO 14289-1.

They are no validator: they hold what can be read off a file of ours with a PDF library.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, cast

import pikepdf
from tests.reports.pdf_text import structure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_AID = "{http://www.aiim.org/pdfa/ns/id/}"
_DUBLIN = "{http://purl.org/dc/elements/1.1/}"
_XMP = "{http://ns.adobe.com/xap/1.0/}"
_PRINT = 4
_HEADINGS = tuple(f"H{level}" for level in range(1, 7))
_RELATIONS = {"/Source", "/Data"}


def _dictionaries(document: pikepdf.Pdf, kind: str) -> Iterator[pikepdf.Dictionary]:
    for thing in document.objects:
        if isinstance(thing, pikepdf.Dictionary) and thing.get("/Type") == kind:
            yield thing


def metadata(document: pikepdf.Pdf) -> Iterator[str]:
    """Part and conformance are stated; title and dates are the same in both places."""
    info = document.docinfo
    with document.open_metadata() as xmp:
        if (xmp.get(f"{_AID}part"), xmp.get(f"{_AID}conformance")) != ("3", "A"):
            yield "XMP does not say PDF/A-3A"
        if not xmp.get(f"{_DUBLIN}title") or str(info["/Title"]) != xmp[f"{_DUBLIN}title"]:
            yield "title differs between Info and XMP"
        if str(info["/Creator"]) != xmp.get(f"{_XMP}CreatorTool"):
            yield "creator differs between Info and XMP"
        for mine, theirs in (("/CreationDate", "CreateDate"), ("/ModDate", "ModifyDate")):
            if str(info[mine]).removeprefix("D:") != str(xmp.get(_XMP + theirs)).replace("-", ""):
                yield f"{mine} differs between Info and XMP"


def colours(document: pikepdf.Pdf) -> Iterator[str]:
    """An output intent for archives has its ICC profile."""
    intents = cast("Any", document.Root.get("/OutputIntents", []))
    if [str(one.S) for one in intents] != ["/GTS_PDFA1"]:
        yield "no output intent for PDF/A"
    for one in intents:
        if one.DestOutputProfile.read_bytes()[36:40] != b"acsp":
            yield "output intent without an ICC profile"


def openness(document: pikepdf.Pdf) -> Iterator[str]:
    """The file is identified, not encrypted, and nothing in it runs."""
    if "/ID" not in document.trailer:
        yield "no identifier in the trailer"
    if document.is_encrypted:
        yield "encrypted"
    actions = {
        str(one.get("/S")) for one in document.objects if isinstance(one, pikepdf.Dictionary) and "/S" in one
    }
    yield from (f"action {name}" for name in sorted(actions & {"/JavaScript", "/Launch", "/Movie", "/Sound"}))
    yield from (f"catalog has {key}" for key in ("/AA", "/OpenAction") if key in document.Root)


def fonts(document: pikepdf.Pdf) -> Iterator[str]:
    """Every font is embedded and says which characters its glyphs are."""
    for font in _dictionaries(document, "/FontDescriptor"):
        if not any(key in font for key in ("/FontFile", "/FontFile2", "/FontFile3")):
            yield f"font {font.FontName} is not embedded"
    for font in _dictionaries(document, "/Font"):
        if font.Subtype == "/Type0" and "/ToUnicode" not in font:
            yield f"font {font.BaseFont} has no ToUnicode"


def files(document: pikepdf.Pdf) -> Iterator[str]:
    """Every embedded file has two names, a relation, a date and a kind, and is associated once."""
    found = list(_dictionaries(document, "/Filespec"))
    for one in found:
        name = str(one.get("/UF", ""))
        if not name or str(one.get("/F")) != name or not name.isascii():
            yield f"file {name!r} without an ASCII name in F and UF"
        if str(one.get("/AFRelationship")) not in _RELATIONS:
            yield f"{name} has the relation {one.get('/AFRelationship')}"
        if not str(one.get("/Desc", "")):
            yield f"{name} has no description"
        content = cast("Any", one).EF.F
        if "/Subtype" not in content or "/ModDate" not in content.Params:
            yield f"{name} has no kind or no date"
    associated = [one.objgen for one in cast("Any", document.Root.get("/AF", []))]
    if sorted(associated) != sorted(one.objgen for one in found):
        yield f"{len(found)} files, {len(associated)} associated"


def links(document: pikepdf.Pdf) -> Iterator[str]:
    """Every annotation is printed, and stands in the structure tree."""
    for one in _dictionaries(document, "/Annot"):
        if not int(one.get("/F", 0)) & _PRINT:
            yield "an annotation without the print flag"
        if "/StructParent" not in one:
            yield "an annotation outside the structure tree"


def tags(document: pikepdf.Pdf) -> Iterator[str]:
    """The document is tagged, drawings have a text, tables have heads, headings leave no level out."""
    root = document.Root
    if not str(root.get("/Lang", "")):
        yield "no language"
    if not cast("Any", root).MarkInfo.get("/Marked"):
        yield "not marked as tagged"
    levels = [0]
    for above, tag in structure(document).walk():
        if tag.role == "Figure" and not tag.alternative:
            yield f"page {tag.page}: a figure without a text"
        if tag.role == "Table" and all(below.role != "TH" for _, below in tag.walk()):
            yield f"page {tag.page}: a table without heads"
        if tag.role in _HEADINGS:
            levels.append(int(tag.role[1]))
            if tag.role in above:
                yield f"page {tag.page}: a heading inside a heading"
    for last, level in itertools.pairwise(levels):
        if level > last + 1:
            yield f"a heading of level {level} after one of level {last}"


def syntax(document: pikepdf.Pdf) -> Iterator[str]:
    """What qpdf says of the file, by its library."""
    yield from document.check_pdf_syntax()


RULES: tuple[Callable[[pikepdf.Pdf], Iterator[str]], ...] = (
    metadata,
    colours,
    openness,
    fonts,
    files,
    links,
    tags,
    syntax,
)
