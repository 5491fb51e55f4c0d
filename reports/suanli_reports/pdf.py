"""The document as PDF: A4, bookmarked, with the two packaged fonts and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli_reports.engine import write_pdf
from suanli_reports.environment import compose
from suanli_reports.fonts import check_characters, font_css, respell

if TYPE_CHECKING:
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
    document, _ = compose(job, "print")
    document = respell(document)
    check_characters(document)
    return write_pdf(document.replace(_FONTS, font_css(), 1))
