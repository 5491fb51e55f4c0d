"""Pictures in a paragraph, and the files that a Word document consists of."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from suanli_reports.office_ink import attribute

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NAMESPACES", "archive", "picture", "relationship"]

_EMU = 12_700
"""English metric units a point."""
_DAY = (1980, 1, 1, 0, 0, 0)
"""Date of every file in the archive, so that the same document gives the same bytes."""
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_SVG = "http://schemas.microsoft.com/office/drawing/2016/SVG/main"
_SVG_EXTENSION = "{96DAC541-7B7A-43D3-8B79-37D633B846F1}"
NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{_OFFICE}" '
    f'xmlns:wp="{_DRAWING}/wordprocessingDrawing" '
    f'xmlns:a="{_DRAWING}/main" '
    f'xmlns:pic="{_DRAWING}/picture" '
    f'xmlns:asvg="{_SVG}"'
)
"""Namespaces of the document part."""
_TYPES = {
    "xml": "application/xml",
    "rels": "application/vnd.openxmlformats-package.relationships+xml",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
}
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_PARTS = {
    "word/document.xml": f"{_WORD}.document.main+xml",
    "word/styles.xml": f"{_WORD}.styles+xml",
    "word/numbering.xml": f"{_WORD}.numbering+xml",
    "word/settings.xml": f"{_WORD}.settings+xml",
    "word/fontTable.xml": f"{_WORD}.fontTable+xml",
    "word/header.xml": f"{_WORD}.header+xml",
    "word/footer.xml": f"{_WORD}.footer+xml",
    "docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
    "docProps/app.xml": "application/vnd.openxmlformats-officedocument.extended-properties+xml",
}
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def relationship(name: str) -> str:
    """Return the id by which the document names another part.

    >>> relationship("image1.png")
    'rId_image1_png'
    """
    return f"rId_{name.replace('.', '_')}"


def picture(number: int, size: tuple[float, float], title: str, files: tuple[str, str]) -> str:
    """Return a run with a picture.

    Args:
        number: unique in the document.
        size: width and height in points.
        title: what it shows, for readers who do not see it.
        files: names of the file in pixels, and of the one in vectors or an empty name.
    """
    raster, vector = files
    wide, high = (round(side * _EMU) for side in size)
    shown = f"<asvg:svgBlip r:embed={attribute(relationship(vector))}/>"
    extension = (
        f"<a:extLst><a:ext uri={attribute(_SVG_EXTENSION)}>{shown}</a:ext></a:extLst>" if vector else ""
    )
    named = f'id="{number}" name="Picture {number}" descr={attribute(title)}'
    return (
        '<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0">'
        f'<wp:extent cx="{wide}" cy="{high}"/><wp:docPr {named}/>'
        '<wp:cNvGraphicFramePr><a:graphicFrameLocks noChangeAspect="1"/></wp:cNvGraphicFramePr>'
        f'<a:graphic><a:graphicData uri="{_DRAWING}/picture"><pic:pic>'
        f"<pic:nvPicPr><pic:cNvPr {named}/><pic:cNvPicPr/></pic:nvPicPr>"
        f"<pic:blipFill><a:blip r:embed={attribute(relationship(raster))}>{extension}</a:blip>"
        "<a:stretch><a:fillRect/></a:stretch></pic:blipFill>"
        f'<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="{wide}" cy="{high}"/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>'
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def archive(parts: Mapping[str, str], media: Mapping[str, bytes], version: str) -> bytes:
    """Return the document as one file; the same content gives the same bytes.

    Args:
        parts: the parts that are written, by their paths.
        media: pictures by file name.
        version: of the program, for the properties of the document.
    """
    files: dict[str, bytes] = {
        "[Content_Types].xml": _content_types().encode(),
        "_rels/.rels": _package_links().encode(),
        "docProps/app.xml": _application(version).encode(),
        **{name: content.encode() for name, content in parts.items()},
        "word/_rels/document.xml.rels": _document_links(media).encode(),
        **{f"word/media/{name}": content for name, content in media.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            # The same attributes on every system.
            entry.create_system = 0
            packed.writestr(entry, content)
    return buffer.getvalue()


def _content_types() -> str:
    defaults = "".join(
        f'<Default Extension="{suffix}" ContentType="{kind}"/>' for suffix, kind in _TYPES.items()
    )
    parts = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in _PARTS.items())
    return f'{_DECLARATION}<Types xmlns="{_PACKAGE}/content-types">{defaults}{parts}</Types>'


def _links(rows: list[tuple[str, str, str]]) -> str:
    links = "".join(
        f'<Relationship Id="{name}" Type="{kind}" Target="{target}"/>' for name, kind, target in rows
    )
    return f'{_DECLARATION}<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>'


def _package_links() -> str:
    return _links(
        [
            ("rId1", f"{_OFFICE}/officeDocument", "word/document.xml"),
            ("rId2", f"{_PACKAGE}/relationships/metadata/core-properties", "docProps/core.xml"),
            ("rId3", f"{_OFFICE}/extended-properties", "docProps/app.xml"),
        ]
    )


def _document_links(media: Mapping[str, bytes]) -> str:
    own = ["styles", "numbering", "settings", "fontTable", "header", "footer"]
    rows = [(relationship(f"{name}.xml"), f"{_OFFICE}/{name}", f"{name}.xml") for name in own]
    return _links([*rows, *((relationship(name), f"{_OFFICE}/image", f"media/{name}") for name in media)])


def _application(version: str) -> str:
    space = "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"
    return (
        f'{_DECLARATION}<Properties xmlns="{space}"><Application>suanli {version}</Application></Properties>'
    )
