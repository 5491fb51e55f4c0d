"""Drawings and pictures of a Word document: vectors as they are, and pixels for programs without vectors.

Pixels are made with Pillow, which is imported when the first of them is needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from suanli.errors import Fault, RenderError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Drawing", "rasterised", "read_drawing", "size_in_pixels"]

_NAMESPACE = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A vector drawing: its source, its size in points, its title."""

    source: str
    root: ET.Element
    width: float
    height: float
    title: str


def read_drawing(source: str) -> Drawing:
    """Return an SVG element as a drawing.

    Raises:
        RenderError: it is not well-formed, or states no size.
    """
    try:
        root = ET.fromstring(source)  # noqa: S314 - composed by our own templates; entities of others are not expanded
    except ET.ParseError as error:
        raise RenderError(Fault(f"a drawing is not well-formed: {error}", where="drawing")) from error
    sizes = [re.fullmatch(r"([\d.]+)(?:pt)?", root.get(name, "")) for name in ("width", "height")]
    if sizes[0] is None or sizes[1] is None:
        raise RenderError(Fault("a drawing has no width and height in points", where="drawing"))
    title = root.findtext(f"{_NAMESPACE}title", "")
    return Drawing(source, root, float(sizes[0][1]), float(sizes[1][1]), title)


def _library() -> ModuleType:
    """Return the module that draws.

    Raises:
        RenderError: Pillow is not installed.
    """
    try:
        from suanli_reports import office_pixels  # noqa: PLC0415 - Pillow may be missing
    except ImportError as error:
        raise RenderError(
            Fault(
                f"the charts of a Word document cannot be drawn: {error}",
                why="they are drawn with Pillow",
                cure="pip install pillow; or leave docx out of --formats",
            )
        ) from error
    return office_pixels


def rasterised(drawing: Drawing) -> bytes:
    """Return a drawing as PNG on white.

    Raises:
        RenderError: Pillow is missing, or the drawing holds elements that it is not drawn with.
    """
    content: bytes = _library().pixels(drawing)
    return content


def size_in_pixels(content: bytes) -> tuple[int, int]:
    """Return width and height of a picture.

    Raises:
        RenderError: Pillow is missing, or it is no picture.
    """
    width, height = _library().measured(content)
    return int(width), int(height)
