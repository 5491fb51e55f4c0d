"""The words of one paragraph: inline elements become runs, links and line breaks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from suanli.errors import Fault, RenderError
from suanli_reports.office_ink import Ink, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli_reports.office_book import Book
    from suanli_reports.office_tree import Element

__all__ = ["INLINE", "Line", "unknown"]

INLINE = frozenset({"a", "b", "br", "code", "em", "i", "span", "strong", "sub", "sup", "var", "wbr"})
_SPACES = re.compile(r"[ \t\r\n]+")
_GOOD = frozenset({"recommended", "plausible", "low"})
_BAD = frozenset({"barred", "infeasible", "over-budget", "impossible", "does-not-fit", "high"})
_SMALLER = 1
"""Half-points by which the second language of a table cell is smaller."""
_UNIT_HALF_POINTS = 17
"""Size of the unit beside a large figure."""
_RAISED = {"sup": "superscript", "sub": "subscript"}


def unknown(element: Element) -> RenderError:
    """Return the error about an element that a Word document has no form for."""
    name = element.tag + "".join(f".{one}" for one in sorted(element.classes))
    return RenderError(
        Fault(
            f"a Word document has no form for <{name}>",
            where=f'text "{element.text.strip()[:40]}"',
            cure="use the elements that docs/document.md lists, or leave docx out of --formats",
        )
    )


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    ink: Ink
    anchor: str


@dataclass(slots=True)
class Line:
    """The content of a paragraph in the making."""

    book: Book
    stacked: bool = False
    """True where the second language stands on a line of its own."""
    size: int = 0
    """Half-points of the paragraph's text where its second language is to be smaller; else 0."""
    tokens: list[_Token] = field(default_factory=list[_Token])

    def add(self, children: Sequence[Element | str], ink: Ink, anchor: str = "") -> Line:
        """Add what stands in an element."""
        for child in children:
            if isinstance(child, str):
                text = _SPACES.sub(" ", child)
                self._put(text.replace(" ", "\N{NO-BREAK SPACE}") if ink.glued else text, ink, anchor)
            else:
                self._element(child, ink, anchor)
        return self

    def _put(self, text: str, ink: Ink, anchor: str) -> None:
        self.tokens.append(_Token(text, replace(ink, glued=False), anchor))

    def _element(self, element: Element, ink: Ink, anchor: str) -> None:
        match element.tag:
            case "br":
                self._put("\n", ink, anchor)
            case "wbr":
                pass  # a word processor breaks long addresses by itself
            case "b" | "strong":
                self.add(element.children, replace(ink, bold=True), anchor)
            case "i" | "em":
                self.add(element.children, replace(ink, italic=True), anchor)
            case "code" | "var":
                self.add(element.children, ink, anchor)
            case "sup" | "sub":
                self.add(element.children, self._raised(element, ink), anchor)
            case "a":
                self.add(element.children, ink, self._anchor(element))
            case "span":
                self._span(element, ink, anchor)
            case _:
                raise unknown(element)

    def _raised(self, element: Element, ink: Ink) -> Ink:
        if "ref" in element.classes:
            # Its own colour and place, whatever stands around it.
            according = "according" in element.classes
            colour = self.book.colour("accent")
            return replace(ink, style="ReferenceKey", colour=colour, bold=False, underlined=according)
        return replace(ink, raised=_RAISED[element.tag])

    def _anchor(self, element: Element) -> str:
        target = element.attributes.get("href", "")
        if not target.startswith("#"):
            raise RenderError(
                Fault(
                    f'link to "{target}" leads out of the document',
                    where=f'text "{element.text.strip()[:40]}"',
                    why="a document loads nothing and leads nowhere else",
                    cure="write the address as text",
                )
            )
        return self.book.bookmark(target[1:])

    def _span(self, element: Element, ink: Ink, anchor: str) -> None:
        classes = element.classes
        if "tag" in classes:
            style = "TagGood" if classes & _GOOD else "TagBad" if classes & _BAD else "Tag"
            stacked, self.stacked = self.stacked, False
            self.add(element.children, replace(ink, style=style, colour="", bold=False), anchor)
            self.stacked = stacked
            return
        if "en" in classes and self.book.bilingual and ink.style not in ("TagGood", "TagBad", "Tag"):
            self._second(element, ink, anchor)
            return
        if "of" in classes:
            self._put(" ", ink, anchor)  # the style sheet sets it off by a margin
        if "u" in classes:
            self._put("\n" if self.book.bilingual else " ", ink, anchor)
            ink = replace(ink, half_points=_UNIT_HALF_POINTS, bold=False)
        if classes & {"soft", "of"}:
            ink = replace(ink, colour=self.book.colour("soft"))
        if "warn" in classes:
            ink = replace(ink, colour=self.book.colour("warn"))
        if "nw" in classes:
            ink = replace(ink, glued=True)
        language = element.attributes.get("lang", "")
        self.add(element.children, replace(ink, language=language or ink.language), anchor)

    def _second(self, element: Element, ink: Ink, anchor: str) -> None:
        """Add the second language: softer, and under the first where there is little width."""
        if self.stacked and not ink.glued:
            self._put("\n", ink, anchor)
        colour = ink.colour or self.book.colour("soft")
        half = self.size - _SMALLER if self.size and not ink.half_points else ink.half_points
        bold = False if ink.bold is None and self.size else ink.bold
        self.add(
            element.children,
            replace(ink, colour=colour, half_points=half, bold=bold, language="en"),
            anchor,
        )

    @property
    def xml(self) -> str:
        """Return the runs, with single spaces and none at the ends of lines."""
        parts: list[str] = []
        for anchor, tokens in groupby(_spaced(self.tokens), key=lambda token: token.anchor):
            runs = "".join(
                run("".join(token.text for token in same), ink)
                for ink, same in groupby(tokens, key=lambda token: token.ink)
            )
            parts.append(
                f'<w:hyperlink w:anchor="{anchor}" w:history="1">{runs}</w:hyperlink>' if anchor else runs
            )
        return "".join(parts)


def _spaced(tokens: Sequence[_Token]) -> list[_Token]:
    """Return tokens without spaces that a reader would not see: doubled ones, and those at line ends."""
    found: list[_Token] = []
    for token in tokens:
        text = token.text
        before = found[-1].text if found else "\n"
        if before.endswith((" ", "\n")):
            text = text.lstrip(" ")
        if text == "\n":
            _trim(found)
        if text:
            found.append(replace(token, text=text))
    _trim(found)
    return found


def _trim(found: list[_Token]) -> None:
    while found and found[-1].text != (bare := found[-1].text.rstrip(" ")):
        last = found.pop()
        if bare:
            found.append(replace(last, text=bare))
