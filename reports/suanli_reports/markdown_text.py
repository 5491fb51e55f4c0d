"""Texts for Markdown: what templates say as HTML, flattened and escaped, and lines of a sensible width."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from markupsafe import Markup

from suanli.errors import Fault, RenderError
from suanli_reports.office_tree import Element, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["escaped", "said", "wrapped"]

_SPECIAL = re.compile(r"([\\`*<>|\[\]~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
"""What Markdown reads as its own; an underscore inside a word it does not."""
_BLOCKS = frozenset({"div", "h3", "ol", "p", "ul"})
_AT_START = re.compile(r"^(?=[#+=-])")
_NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_SPACES = re.compile(r"[ \t\r\n]+")
_RAISED = str.maketrans("0123456789+-\N{MINUS SIGN}", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_BOLD = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)
_WIDTH = 78
"""Characters of a line of English: what mail programs show without breaking it."""
_MARKER = re.compile(r"^(?:- |\d+\. )?")
_STARTS_BLOCK = re.compile(r"^(?=[#>+=|-])")


def escaped(text: str) -> str:
    r"""Return a text that Markdown shows as it is, on one line.

    >>> escaped("# a|b *c* <d>"), escaped("2026. x_y _z_")
    ('\\# a\\|b \\*c\\* \\<d\\>', '2026\\. x_y \\_z\\_')
    """
    line = _SPECIAL.sub(r"\\\1", _SPACES.sub(" ", text))
    return _NUMBERED.sub(r"\1\\\2", _AT_START.sub(r"\\", line))


def said(value: object) -> Markup:
    """Return what a template puts in, escaped for Markdown: markup flattened, all else as it is written."""
    if not isinstance(value, Markup):
        return Markup(escaped(str(value)))  # noqa: S704 - escaped for Markdown, which is what is written
    children = parse(str(value)).children
    if any(isinstance(child, Element) and child.tag in _BLOCKS for child in children):
        return Markup(_flat(children))  # noqa: S704 - as above
    return Markup(_line(children))  # noqa: S704 - as above


def _flat(children: Sequence[Element | str]) -> str:
    """Return blocks with empty lines between them, inline elements within a line."""
    pending: list[Element | str] = []
    blocks: list[str] = []
    for child in children:
        if isinstance(child, Element) and child.tag in _BLOCKS:
            blocks += [_stripped(pending), _block(child)]
            pending = []
        else:
            pending.append(child)
    return "\n\n".join(block for block in (*blocks, _stripped(pending)) if block.strip())


def _block(element: Element) -> str:
    match element.tag:
        case "ol":
            return "\n".join(f"{number}. {_stripped(item.children)}" for number, item in _items(element))
        case "ul":
            return "\n".join(f"- {_stripped(item.children)}" for _, item in _items(element))
        case "p":
            return _stripped(element.children)
        case _:
            return _flat(element.children)


def _items(element: Element) -> list[tuple[int, Element]]:
    return list(enumerate(element.elements, 1))


def _stripped(children: Sequence[Element | str]) -> str:
    return _line(children).strip(" ")


def _line(children: Sequence[Element | str]) -> str:
    """Return inline text on one line; a mark of blocks at its start is escaped."""
    text = _SPACES.sub(" ", "".join(_inline(child) for child in children))
    return _NUMBERED.sub(r"\1\\\2", _AT_START.sub(r"\\", text))


def _inline(child: Element | str) -> str:
    if isinstance(child, str):
        return _SPECIAL.sub(r"\\\1", child)
    match child.tag:
        case "b" | "strong":
            return _bold("".join(_inline(part) for part in child.children))
        case "sup":
            # Reference keys lead to annexes, which a summary does not have.
            return "" if "ref" in child.classes else child.text.translate(_RAISED)
        case "sub":
            return child.text.translate(_LOWERED)
        case "br" | "wbr":
            return " " if child.tag == "br" else ""
        case "span" | "a" | "em" | "i" | "code":
            return "".join(_inline(part) for part in child.children)
        case _:
            raise RenderError(
                Fault(f"a summary has no form for <{child.tag}>", where=f'text "{child.text.strip()[:40]}"')
            )


def _bold(text: str) -> str:
    """Return a text set off; punctuation at its ends stays outside, or Markdown would not see the marks."""
    found = _BOLD.match(text)
    if found is None or not found[2]:
        return text
    return f"{found[1]}**{found[2]}**{found[3]}"


def wrapped(text: str, language: str) -> str:
    """Return a text with empty lines single, and lines of English no wider than a mail program shows.

    Chinese lines are left whole: a line break between two characters would be shown as a space.
    """
    lines = [line.rstrip(" ") for line in re.sub(r"\n{3,}", "\n\n", text.strip("\n")).split("\n")]
    if language == "en":
        lines = [part for line in lines for part in _broken(line)]
    return "\n".join(lines) + "\n"


def _broken(line: str) -> list[str]:
    if line.startswith(("|", "#")):
        return [line]
    marker = _MARKER.match(line)
    indent = " " * len(marker[0] if marker else "")
    found = textwrap.wrap(
        line, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [*found[:1], *(indent + _continued(part.removeprefix(indent)) for part in found[1:])] or [""]


def _continued(line: str) -> str:
    """Return a line that goes on a paragraph, so that Markdown does not take it for a block of its own."""
    return _NUMBERED.sub(r"\1\\\2", _STARTS_BLOCK.sub(r"\\", line))
