"""Runs and paragraphs of WordprocessingML as text, their properties in the order that the schema asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

__all__ = ["PLAIN", "Ink", "Layout", "attribute", "field", "paragraph", "run", "tab", "written"]

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold; none of them can be seen."""
_HINTS = {"zh": '<w:rFonts w:hint="eastAsia"/>'}
"""Quotation marks and dashes of Chinese text are set in the Chinese font."""
_LANGUAGES = '<w:lang w:val="en-GB" w:eastAsia="zh-CN"/>'


@dataclass(frozen=True, slots=True)
class Ink:
    """How characters look where it differs from their paragraph's style."""

    bold: bool | None = None
    italic: bool = False
    colour: str = ""
    """Six hexadecimal digits."""
    half_points: int = 0
    """Size; 0 is the style's."""
    style: str = ""
    """Id of a character style."""
    underlined: bool = False
    raised: str = ""
    """``superscript``, ``subscript`` or empty."""
    language: str = ""
    """``zh`` or ``en``; latin words in Chinese text are English ones, and digits are never broken."""
    glued: bool = False
    """True where spaces must not break the line."""

    @property
    def xml(self) -> str:
        """Return the run properties, empty where there are none."""
        parts = (
            f'<w:rStyle w:val="{self.style}"/>' if self.style else "",
            _HINTS.get(self.language, ""),
            "" if self.bold is None else _switch("b", on=self.bold) + _switch("bCs", on=self.bold),
            "<w:i/><w:iCs/>" if self.italic else "",
            f'<w:color w:val="{self.colour}"/>' if self.colour else "",
            f'<w:sz w:val="{self.half_points}"/><w:szCs w:val="{self.half_points}"/>'
            if self.half_points
            else "",
            '<w:u w:val="single"/>' if self.underlined else "",
            f'<w:vertAlign w:val="{self.raised}"/>' if self.raised else "",
            _LANGUAGES if self.language else "",
        )
        found = "".join(parts)
        return f"<w:rPr>{found}</w:rPr>" if found else ""


def _switch(name: str, *, on: bool) -> str:
    return f"<w:{name}/>" if on else f'<w:{name} w:val="0"/>'


PLAIN = Ink()
"""Characters that look as their paragraph's style has them."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a paragraph stands where it differs from its style."""

    style: str = ""
    keep: bool = False
    """True if it stays on the page of what follows."""
    fresh: bool = False
    """True if it starts a page."""
    list: tuple[int, int] | None = None
    """Number of the list and level in it; list 0 takes the number of the style away."""
    fill: str = ""
    indent: int = 0
    """Distance from the left in twentieths of a point."""
    section: str = ""
    """Properties of the section that ends with it."""

    @property
    def xml(self) -> str:
        """Return the paragraph properties, empty where there are none."""
        parts = (
            f'<w:pStyle w:val="{self.style}"/>' if self.style else "",
            "<w:keepNext/>" if self.keep else "",
            "<w:pageBreakBefore/>" if self.fresh else "",
            f'<w:numPr><w:ilvl w:val="{self.list[1]}"/><w:numId w:val="{self.list[0]}"/></w:numPr>'
            if self.list
            else "",
            f'<w:shd w:val="clear" w:color="auto" w:fill="{self.fill}"/>' if self.fill else "",
            f'<w:ind w:left="{self.indent}"/>' if self.indent else "",
            self.section,
        )
        found = "".join(parts)
        return f"<w:pPr>{found}</w:pPr>" if found else ""


def written(text: str) -> str:
    """Return a text as XML, without characters that XML cannot hold."""
    return escape(_FORBIDDEN.sub("", text))


def attribute(text: str) -> str:
    """Return a text as a quoted XML attribute."""
    return quoteattr(_FORBIDDEN.sub("", text))


def run(text: str, ink: Ink = PLAIN) -> str:
    """Return a run of characters; a line feed breaks the line."""
    lines = f'</w:t>{"<w:br/>"}<w:t xml:space="preserve">'.join(written(line) for line in text.split("\n"))
    return f'<w:r>{ink.xml}<w:t xml:space="preserve">{lines}</w:t></w:r>'


def tab(ink: Ink = PLAIN) -> str:
    """Return a tab."""
    return f"<w:r>{ink.xml}<w:tab/></w:r>"


def field(code: str, shown: str, ink: Ink = PLAIN) -> str:
    """Return a field with what it shows until it is computed anew."""
    look = ink.xml
    return (
        f'<w:r>{look}<w:fldChar w:fldCharType="begin"/></w:r>'
        f'<w:r>{look}<w:instrText xml:space="preserve"> {written(code)} </w:instrText></w:r>'
        f'<w:r>{look}<w:fldChar w:fldCharType="separate"/></w:r>'
        f"{run(shown, ink) if shown else ''}"
        f'<w:r>{look}<w:fldChar w:fldCharType="end"/></w:r>'
    )


def paragraph(content: str, layout: Layout) -> str:
    """Return a paragraph of runs."""
    return f"<w:p>{layout.xml}{content}</w:p>"
