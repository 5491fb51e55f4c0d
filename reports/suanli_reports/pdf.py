"""The document as PDF: A4, bookmarked, with the packaged fonts, a theme's own, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli_reports.engine import write_pdf
from suanli_reports.environment import compose
from suanli_reports.fonts import check_characters, font_css, read_face, respell

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.proposal.contributions import RenderJob

__all__ = ["render"]

_FONTS = "/* fonts */"
"""Place in the print style where the font faces go."""


def render(job: RenderJob) -> bytes:
    """Return the document for print.

    Raises:
        RenderError: a message, template or reference is missing, the fonts lack a character, or the engine
            cannot run.
    """
    document, composer = compose(job, "print")
    files = None if composer.house is None else composer.house.fonts
    own = None if files is None else (files.regular, files.bold)
    # A character that only one of the two faces has would be shown in two fonts.
    both = _characters(own[0]) & _characters(own[1]) if own else frozenset[int]()
    document = respell(document, both)
    check_characters(document, both)
    return write_pdf(document.replace(_FONTS, font_css(own), 1), own or ())


def _characters(path: Path) -> frozenset[int]:
    return frozenset(read_face(path).widths)
