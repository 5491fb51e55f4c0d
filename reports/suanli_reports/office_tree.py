"""The composed document as a tree, for renderers that are no browsers.

The templates write well-formed HTML of a small vocabulary; whatever is not closed in order is an error, so
that no text can end up in the wrong place. Drawings stay whole: an ``svg`` element has its source as its only
child.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from suanli.errors import Fault, RenderError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Element", "parse"]

_DRAWING = re.compile(r"(<svg\b.*?</svg>)", re.DOTALL)
_VOID = frozenset({"br", "hr", "img", "link", "meta", "wbr"})


@dataclass(slots=True)
class Element:
    """One element with what is in it, in order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    children: list[Element | str] = field(default_factory=list["Element | str"])

    @property
    def classes(self) -> frozenset[str]:
        """Return the names of its classes."""
        return frozenset(self.attributes.get("class", "").split())

    @property
    def elements(self) -> list[Element]:
        """Return the elements directly in it."""
        return [child for child in self.children if isinstance(child, Element)]

    @property
    def text(self) -> str:
        """Return all text in it; a drawing has none, a line break is a new line."""
        if self.tag == "svg":
            return ""
        if self.tag == "br":
            return "\n"
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def walk(self) -> Iterator[Element]:
        """Yield it and every element in it, in order of the text."""
        yield self
        for child in self.elements:
            yield from child.walk()

    def first(self, tag: str, name: str = "") -> Element | None:
        """Return the first element of a tag, and of a class where one is given."""
        return next(
            (one for one in self.walk() if one.tag == tag and (not name or name in one.classes)), None
        )


class _Builder(HTMLParser):
    """Builds the tree and refuses what is not closed in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("document")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].tag != tag:
            raise RenderError(
                Fault(f"</{tag}> where <{self.open[-1].tag}> is open", where="composed document")
            )
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(document: str) -> Element:
    """Return a document, or a part of one, as the children of one element.

    Raises:
        RenderError: an element is not closed, or not in order.
    """
    builder = _Builder()
    for index, part in enumerate(_DRAWING.split(document)):
        if index % 2:
            builder.open[-1].children.append(Element("svg", {}, [part]))
        else:
            builder.feed(part)
    builder.close()
    if len(builder.open) > 1:
        raise RenderError(Fault(f"<{builder.open[-1].tag}> is never closed", where="composed document"))
    return builder.open[0]
