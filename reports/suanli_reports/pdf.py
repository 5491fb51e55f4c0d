"""The document as PDF/A-3a: bookmarked, tagged, with the two packaged fonts and the files behind it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from suanli_reports.engine import Embedded, write_pdf
from suanli_reports.environment import compose
from suanli_reports.fonts import check_characters, font_css, respell

if TYPE_CHECKING:
    from suanli.proposal.contributions import Attachment, RenderJob
    from suanli.proposal.model import Proposal
    from suanli_reports.voice import Speaker

__all__ = ["embedded", "render", "source"]

_FONTS = "/* fonts */"
"""Place in the print style where the font faces go."""


def source(job: RenderJob) -> tuple[str, Speaker]:
    """Return the HTML that the engine sets into pages, and who speaks in it.

    Raises:
        RenderError: a message, template or reference is missing, or the fonts lack a character.
    """
    document, composer = compose(job, "print")
    document = respell(document)
    check_characters(document)
    return document.replace(_FONTS, font_css(), 1), composer.speaker


def render(job: RenderJob) -> bytes:
    """Return the document for print and for the archive.

    Raises:
        RenderError: a message, template or reference is missing, the fonts lack a character, or the engine
            cannot run.
    """
    document, speaker = source(job)
    return write_pdf(document, [embedded(one, speaker, job.proposal) for one in job.attachments])


def embedded(attachment: Attachment, speaker: Speaker, proposal: Proposal) -> Embedded:
    """Return an attachment as the PDF carries it: described by who speaks, dated with the proposal's day."""
    return Embedded(
        name=attachment.name,
        content=attachment.content,
        description=speaker.plain(lambda voice: voice.text(attachment.about)),
        relationship="Source" if attachment.source else "Data",
        day=datetime.combine(proposal.project.day, datetime.min.time(), UTC),
    )
