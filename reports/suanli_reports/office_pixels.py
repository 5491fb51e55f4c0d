"""A drawing as pixels, for word processors that show no vectors.

The document's charts consist of five SVG elements, all written by one template, so that they can be drawn
with Pillow and the packaged fonts; a drawing with other elements is refused by name rather than shown without
them.
"""

from __future__ import annotations

import io
from functools import cache
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

from suanli.errors import Fault, RenderError
from suanli_reports.fonts import face

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree import ElementTree as ET

    from suanli_reports.office_picture import Drawing

__all__ = ["measured", "pixels"]

_SCALE = 3.0
"""Pixels a point: 216 dots per inch, enough for print."""
_SMOOTH = 2
"""How many times larger it is drawn before it is made smaller."""
_COLOURS = 96
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
_NAMESPACE = "{http://www.w3.org/2000/svg}"


def measured(content: bytes) -> tuple[int, int]:
    """Return width and height of a picture in pixels.

    Raises:
        RenderError: it is no picture.
    """
    try:
        with Image.open(io.BytesIO(content)) as image:
            return image.size
    except OSError as error:
        raise RenderError(
            Fault("a picture that cannot be read", where="theme", cure="save it as PNG")
        ) from error


@cache
def _font(size: float, *, bold: bool) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(face(bold=bold).path), size * _SCALE * _SMOOTH)


def pixels(drawing: Drawing) -> bytes:
    """Return a drawing as PNG on white.

    Raises:
        RenderError: it holds elements that are not drawn here.
    """
    factor = _SCALE * _SMOOTH
    size = (round(drawing.width * factor), round(drawing.height * factor))
    image = Image.new("RGB", size, "#ffffff")
    pen = ImageDraw.Draw(image)
    for element in drawing.root:
        _draw(pen, element, factor)
    small = image.resize((size[0] // _SMOOTH, size[1] // _SMOOTH), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    small.quantize(_COLOURS, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _draw(pen: ImageDraw.ImageDraw, element: ET.Element, factor: float) -> None:
    match element.tag.removeprefix(_NAMESPACE):
        case "polyline":
            _line(pen, element, factor)
        case "rect":
            x, y, width, height = (_number(element, name) * factor for name in ("x", "y", "width", "height"))
            edge = element.get("stroke")
            pen.rectangle(
                (x, y, x + max(width, 1), y + max(height, 1)),
                fill=element.get("fill"),
                outline=edge,
                width=round(_number(element, "stroke-width") * factor) if edge else 0,
            )
        case "circle":
            x, y, radius = (_number(element, name) * factor for name in ("cx", "cy", "r"))
            pen.ellipse(
                (x - radius, y - radius, x + radius, y + radius),
                fill=element.get("fill"),
                outline=element.get("stroke"),
                width=round(_number(element, "stroke-width") * factor),
            )
        case "text":
            font = _font(_number(element, "font-size"), bold=element.get("font-weight") == "700")
            place = (_number(element, "x") * factor, _number(element, "y") * factor)
            anchor = _ANCHORS[element.get("text-anchor", "start")]
            pen.text(place, element.text or "", fill=element.get("fill"), font=font, anchor=anchor)
        case "title" | "desc":
            pass
        case other:
            raise RenderError(
                Fault(
                    f"a drawing holds <{other}>, which a Word document cannot show as pixels",
                    where="drawing",
                    why="drawings consist of polyline, rect, circle, text and title",
                    cure="leave docx out of --formats, or draw with charts/chart.svg.j2",
                )
            )


def _number(element: ET.Element, name: str) -> float:
    return float(element.get(name, "0"))


def _line(pen: ImageDraw.ImageDraw, element: ET.Element, factor: float) -> None:
    points = [
        (float(x) * factor, float(y) * factor)
        for x, y in (point.split(",") for point in element.get("points", "").split())
    ]
    colour, width = element.get("stroke"), max(1, round(_number(element, "stroke-width") * factor))
    pattern = [float(part) * factor for part in element.get("stroke-dasharray", "").split()]
    if not pattern:
        pen.line(points, fill=colour, width=width)
        return
    for start, end in pairwise(points):
        for dash in _dashes(start, end, pattern[0], pattern[-1]):
            pen.line(dash, fill=colour, width=width)


def _dashes(
    start: tuple[float, float], end: tuple[float, float], on: float, off: float
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Yield the dashes of a straight line."""
    length = hypot(end[0] - start[0], end[1] - start[1])

    def at(distance: float) -> tuple[float, float]:
        share = min(distance, length) / length
        return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share

    done = 0.0
    while done < length:
        yield at(done), at(done + on)
        done += on + off
