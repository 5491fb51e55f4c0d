"""A theme's logo: a small picture that shows the same everywhere and reaches for nothing."""

from __future__ import annotations

import base64
import re
import struct
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from suanli.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["LOGOS", "MOST_BYTES", "cleaned_svg", "logo_faults", "logo_url"]

LOGOS: Final = ("logo.svg", "logo.png", "logo.jpg", "logo.jpeg")
"""Names that a logo is found by where the theme names none."""
MOST_BYTES: Final = 1_000_000
MOST_PIXELS: Final = 4000
"""Along one side of a picture: more than a page can print."""

_TYPES: Final = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_HEAD_BYTES: Final = 24
_JPEG: Final = b"\xff\xd8\xff"
_SVG: Final = "http://www.w3.org/2000/svg"
_DRAWN: Final = frozenset(
    (
        *("svg", "g", "defs", "title", "desc", "path", "rect", "circle", "ellipse", "line", "polyline"),
        *("polygon", "use", "symbol", "clipPath", "mask", "pattern", "linearGradient", "radialGradient"),
        "stop",
    )
)
"""Elements that are kept; scripts, style sheets, pictures and foreign content are not among them."""
_REACHES: Final = re.compile(r"url\(\s*['\"]?(?!#)|@import|javascript:|expression\(", re.IGNORECASE)


def logo_url(path: Path) -> str:
    """Return a checked logo as a data URL; an SVG is cleaned."""
    content = path.read_bytes()
    if path.suffix.lower() == ".svg":
        content = cleaned_svg(content)
    return f"data:{_TYPES[path.suffix.lower()]};base64,{base64.b64encode(content).decode('ascii')}"


def logo_faults(path: Path, where: str) -> Iterator[Fault]:
    """Yield what is wrong with a logo.

    Args:
        path: the file.
        where: how a fault names it.
    """
    kind = path.suffix.lower()
    if kind not in _TYPES:
        yield Fault(f'a logo of the kind "{kind}"', where=where, why=f"read are {', '.join(_TYPES)}")
        return
    size = path.stat().st_size
    if size > MOST_BYTES:
        yield Fault(f"logo of {size} bytes", where=where, why=f"at most {MOST_BYTES} bytes")
        return
    content = path.read_bytes()
    if kind == ".svg":
        yield from _svg_faults(content, where)
    else:
        yield from _picture_faults(content, kind, where)


def _picture_faults(content: bytes, kind: str, where: str) -> Iterator[Fault]:
    if not content.startswith(_PNG if kind == ".png" else _JPEG):
        yield Fault(
            f"is no {kind[1:].upper()} picture", where=where, why="its first bytes are of another kind"
        )
        return
    size = _pixels(content)
    if size is None:
        yield Fault("the picture states no size", where=where, cure="save it again")
    elif not 0 < min(size) <= max(size) <= MOST_PIXELS:
        what = f"logo of {size[0]} × {size[1]} pixels"
        yield Fault(what, where=where, why=f"from 1 to {MOST_PIXELS} pixels a side")


def _pixels(content: bytes) -> tuple[int, int] | None:
    """Return width and height that a PNG or JPEG states."""
    if content.startswith(_PNG):
        if len(content) < _PNG_HEAD_BYTES:
            return None
        width, height = struct.unpack(">II", content[16:24])
        return int(width), int(height)
    frame = re.search(rb"\xff[\xc0-\xc3\xc5-\xc7\xc9-\xcb\xcd-\xcf]..\x08(..)(..)", content, re.DOTALL)
    return None if frame is None else (int.from_bytes(frame[2]), int.from_bytes(frame[1]))


def _svg_faults(content: bytes, where: str) -> Iterator[Fault]:
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        yield Fault(
            "the SVG has a document type",
            where=where,
            why="entities are not read",
            cure="delete the line <!DOCTYPE …>",
        )
        return
    try:
        root = ET.fromstring(content)  # noqa: S314 - no document type, hence no entities
    except ET.ParseError as error:
        yield Fault(f"is no SVG: {error}", where=where)
        return
    if _local(root.tag) != "svg":
        yield Fault(f'is no SVG: the outermost element is "{_local(root.tag)}"', where=where)
    if any(_local(element.tag) in {"text", "tspan"} for element in root.iter()):
        yield Fault(
            "the SVG holds text",
            where=where,
            why="it would be drawn in whatever font a machine has",
            cure="convert the text to paths",
        )


def cleaned_svg(content: bytes) -> bytes:
    """Return an SVG with drawing only: no script, style sheet, picture, event, or reference to outside."""
    root = ET.fromstring(content)  # noqa: S314 - checked to be without a document type
    _clean(root)
    ET.register_namespace("", _SVG)
    return ET.tostring(root, encoding="unicode").encode()


def _clean(element: ET.Element) -> None:
    for name, value in list(element.attrib.items()):
        local = _local(name).lower()
        linked = local == "href" and not value.startswith("#")
        if local.startswith("on") or linked or _REACHES.search(value):
            del element.attrib[name]
    for child in list(element):
        if _local(child.tag) in _DRAWN:
            _clean(child)
        else:
            element.remove(child)


def _local(tag: object) -> str:
    """Return a name without its namespace; a comment has none."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
