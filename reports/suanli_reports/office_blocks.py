"""The body of a Word document: headings, paragraphs, lists, captions, figures and the boxes of the pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from suanli_reports.office_ink import Ink, Layout, field, run
from suanli_reports.office_line import INLINE, Line, unknown
from suanli_reports.office_parts import picture
from suanli_reports.office_picture import rasterised, read_drawing, size_in_pixels
from suanli_reports.office_tables import Cell, Place, border, data_table, room, side_by_side
from suanli_reports.office_tree import Element

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from suanli_reports.office_book import Book

__all__ = ["Blocks"]

_BOX = "F3F5F7"
_POINT = 20
"""Twentieths of a point."""
_INDENT = 340
_CHAPTERS, _ANNEXES, _BULLETS = 1, 2, 4
"""Lists of the numbering part."""
_LABEL = re.compile(r"^\s*(.+)-(\d+)\s*$")
_HEADINGS = {"h1": 0, "h2": 1, "h3": 2}
_STYLES = {
    "label": "Label",
    "big": "KeyFigure",
    "sum": "CoverSum",
    "foot": "Note",
    "status": "CoverStatus",
    "sub": "Subtitle",
    "note": "Note",
    "code": "Code",
}
"""Paragraph style of a block by its class."""
_THIRD_KEY_FIGURE = 0.31
"""Share of the width of the third key figure, the longest: an amount of money."""


@dataclass(slots=True)
class Blocks:
    """Writes elements as paragraphs and tables."""

    book: Book

    def flow(self, children: Sequence[Element | str], place: Place) -> list[str]:
        """Return what stands in an element; text beside blocks has a paragraph of its own."""
        found: list[str] = []
        before = ""
        for loose, group in groupby(children, key=_inline):
            if not loose:
                for child in _elements(group):
                    # The first passage under a heading stays with what follows, as the heading does.
                    lead = before in ("h1", "h2") and (child.tag == "p" or "pair" in child.classes)
                    found += self._block(child, replace(place, keep=place.keep or lead))
                    place = replace(place, item=None)
                    before = child.tag
                continue
            line = Line(self.book, place.stacked, place.size).add(list(group), place.ink)
            if line.xml:
                found.append(self._paragraph(line.xml, place))
                place, before = replace(place, item=None), ""
        return found

    def _paragraph(self, content: str, place: Place, style: str = "") -> str:
        layout = Layout(
            style or place.style,
            keep=place.keep,
            list=place.item,
            fill=place.fill,
            indent=0 if place.item else place.indent,
        )
        return self.book.paragraph(content, layout)

    def _block(self, element: Element, place: Place) -> list[str]:
        self.book.mark(element.attributes.get("id", ""))
        write = {
            "section": self._section,
            "div": self._box,
            "p": self._text,
            "h1": self._heading,
            "h2": self._heading,
            "h3": self._heading,
            "ul": self._list,
            "ol": self._list,
            "table": self._table,
            "pre": self._code,
            "svg": self._drawing,
            "img": self._picture,
        }.get(element.tag)
        if write is None:
            raise unknown(element)
        return write(element, place)

    def _table(self, element: Element, place: Place) -> list[str]:
        return [data_table(element, place, self.book, self.flow)]

    def _code(self, element: Element, place: Place) -> list[str]:
        return [self._paragraph(run(element.text.strip("\n"), place.ink), place, "Code")]

    def _section(self, element: Element, place: Place) -> list[str]:
        found = self.flow(element.children, place)
        if "fresh" in element.classes:
            found[0] = found[0].replace("<w:numPr>", "<w:pageBreakBefore/><w:numPr>", 1)
        return found

    def _heading(self, element: Element, place: Place) -> list[str]:
        """Return a heading; its number is that of the list, A, B, … for annexes, none where it has none."""
        minor = element.tag == "h3" or "minor" in element.classes
        level = _HEADINGS["h3" if minor else element.tag]
        number = element.first("span", "no")
        words = [child for child in element.children if child is not number]
        ink = replace(place.ink, bold=None, colour="", half_points=0)
        line = Line(self.book, size=19 if level else 22).add(words, ink)
        if number is None:
            numbering = None if minor else (0, 0)
        else:
            numbering = (_CHAPTERS if number.text[:1].isdigit() else _ANNEXES, level)
        layout = Layout(f"Heading{level + 1}", list=numbering, fill=place.fill)
        return [self.book.paragraph(line.xml, layout)]

    def _text(self, element: Element, place: Place) -> list[str]:
        if "caption" in element.classes:
            return [self._caption(element, place)]
        style = next((_STYLES[name] for name in _STYLES if name in element.classes), "")
        if "warn" in element.classes:
            place = replace(place, ink=replace(place.ink, colour=self.book.colour("warn")))
        return self.flow(element.children, replace(place, style=style or place.style))

    def _caption(self, element: Element, place: Place) -> str:
        """Return a caption whose numbers are fields: of the chapter, and of the sequence in it."""
        number = element.first("span", "no")
        words = [child for child in element.children if child is not number]
        content = self._label(number, place) if number else ""
        line = Line(self.book).add(words, place.ink)
        return self.book.paragraph(content + line.xml, Layout("Caption", keep=True))

    def _label(self, number: Element, place: Place) -> str:
        ink = replace(place.ink, colour=self.book.colour("soft"))
        last = number.children[-1]
        found = _LABEL.match(last) if isinstance(last, str) else None
        if found is None:
            return Line(self.book).add([number, "\N{EM SPACE}"], ink).xml
        head, _, chapter = found[1].rpartition(" ")
        names = [*number.children[:-1], head] if head else list(number.children[:-1])
        label = Element("span", {}, names).text.split()[0]
        # The switch \s starts anew in each chapter; programs that do not know it do so by \r.
        first = r" \r 1" if found[2] == "1" else ""
        return (
            Line(self.book).add(names, ink).xml
            + run("\N{NO-BREAK SPACE}", ink)
            + field(r"STYLEREF 1 \s", chapter, ink)
            + run("-", ink)
            + field(rf"SEQ {label} \* ARABIC \s 1{first}", found[2], ink)
            + run("\N{EM SPACE}", ink)
        )

    def _list(self, element: Element, place: Place) -> list[str]:
        numbered = element.tag == "ol"
        number = self.book.new_list() if numbered else _BULLETS
        found: list[str] = []
        for item in element.elements:
            if item.tag != "li":
                raise unknown(item)
            inside = replace(
                place,
                style="ListNumber" if numbered else "ListBullet",
                item=(number, place.level),
                indent=_INDENT * (place.level + 1),
                level=place.level + 1,
            )
            found += self.flow(item.children, inside)
        return found

    def _drawing(self, element: Element, place: Place) -> list[str]:
        drawing = read_drawing(str(element.children[0]))
        raster = self.book.keep(rasterised(drawing), "png")
        vector = self.book.keep(f'<?xml version="1.0" encoding="UTF-8"?>\n{drawing.source}'.encode(), "svg")
        scale = min(1.0, place.width / (drawing.width * _POINT))
        self.book.drawings += 1
        shape = picture(
            self.book.drawings,
            (drawing.width * scale, drawing.height * scale),
            drawing.title,
            (raster, vector),
        )
        return [self._paragraph(shape, place, "Figure")]

    def _picture(self, element: Element, place: Place) -> list[str]:
        name, content = self.book.keep_picture(element.attributes.get("src", ""))
        width, height = size_in_pixels(content)
        most = place.width / _POINT
        scale = min(51.0 / height, 170.0 / width, most / width)
        self.book.drawings += 1
        title = element.attributes.get("alt", "")
        shape = picture(self.book.drawings, (width * scale, height * scale), title, (name, ""))
        return [self._paragraph(shape, place, "Figure")]

    def _box(self, element: Element, place: Place) -> list[str]:
        """Return a division: side by side, framed, or just what stands in it."""
        classes = element.classes
        if "pair" in classes:
            return self._pair(element, place)
        if "kpis" in classes:
            return self._key_figures(element, place)
        if "duo" in classes and not ("text" in classes and self.book.bilingual):
            return self._halves(element, place)
        if classes & {"box", "bar"}:
            return self._framed(element, place)
        style = next((_STYLES[name] for name in _STYLES if name in classes), place.style)
        inside = replace(place, style=style, keep=place.keep or "keep" in classes)
        if "label" in classes:
            inside = replace(inside, stacked=self.book.bilingual and place.stacked)
        found = self.flow(element.children, inside)
        if inside.keep and not place.keep and found:
            # What is kept together ends here; the last paragraph does not hold on to the next block.
            found[-1] = found[-1].replace("<w:keepNext/>", "")
        return found

    def _pair(self, element: Element, place: Place) -> list[str]:
        """Return the same passage in both languages, each in its column."""
        half = place.width // 2
        cells = [
            Cell(
                "".join(
                    self.flow(
                        side.children,
                        replace(
                            place,
                            width=room(half),
                            ink=replace(place.ink, language=side.attributes.get("lang", "")),
                        ),
                    )
                ),
                half,
            )
            for side in element.elements
        ]
        line = "" if place.fill else border("top", 4, self.book.colour("hair"))
        return [side_by_side(cells, borders=line, keep=place.keep)]

    def _halves(self, element: Element, place: Place) -> list[str]:
        half = place.width // len(element.elements)
        inside = replace(place, width=room(half))
        cells = [Cell("".join(self.flow(side.children, inside)), half) for side in element.elements]
        return [side_by_side(cells)]

    def _framed(self, element: Element, place: Place) -> list[str]:
        """Return a shaded box, or a passage with a bar at its left."""
        shaded = "box" in element.classes
        inside = replace(place, width=room(place.width), fill=_BOX if shaded else "", style="")
        content = "".join(self.flow(element.children, inside))
        edge = "" if shaded else border("left", 16, self.book.colour("warn"))
        cell = Cell(content, place.width, fill=_BOX if shaded else "", borders=edge)
        return [side_by_side([cell])]

    def _key_figures(self, element: Element, place: Place) -> list[str]:
        figures = element.elements
        third = int(place.width * _THIRD_KEY_FIGURE) if len(figures) > 3 else 0  # noqa: PLR2004 - the third of four
        other = (place.width - third) // (len(figures) - bool(third))
        cells: list[Cell] = []
        for number, figure in enumerate(figures, 1):
            width = third if third and number == 3 else other  # noqa: PLR2004 - the third of four
            inside = Place(room(width), "Label", Ink(language=place.ink.language))
            edge = border("left", 4, self.book.colour("hair")) if number > 1 else ""
            cells.append(Cell("".join(self.flow(figure.children, inside)), width, borders=edge))
        colour = self.book.colour
        return [
            side_by_side(
                cells, borders=border("top", 10, colour("ink")) + border("bottom", 4, colour("hair"))
            )
        ]


def _elements(children: Iterable[Element | str]) -> list[Element]:
    return [child for child in children if isinstance(child, Element)]


def _inline(child: Element | str) -> bool:
    return isinstance(child, str) or child.tag in INLINE
