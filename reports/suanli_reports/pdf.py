"""The document as PDF/A-3a: bookmarked, tagged, with the files behind it and no fonts but known ones."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from suanli_reports.engine import Embedded, write_pdf
from suanli_reports.environment import compose
from suanli_reports.fonts import check_characters, font_css, read_face, respell

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.proposal.contributions import Attachment, RenderJob
    from suanli.proposal.model import Proposal
    from suanli_reports.environment import Composer
    from suanli_reports.voice import Speaker

__all__ = ["embedded", "render", "source"]

_FONTS = "/* fonts */"
"""Place in the print style where the font faces go."""


def source(job: RenderJob) -> tuple[str, Speaker, tuple[Path, ...]]:
    """Return the HTML that the engine sets into pages, who speaks in it, and the font files of its theme.

    Raises:
        RenderError: a message, template or reference is missing, or the fonts lack a character.
    """
    document, composer = compose(job, "print")
    own = _own_fonts(composer)
    # A character that only one of the two faces has would be shown in two fonts.
    both = _characters(own[0]) & _characters(own[1]) if own else frozenset[int]()
    document = respell(document, both)
    check_characters(document, both)
    return document.replace(_FONTS, font_css(own), 1), composer.speaker, own or ()


def _own_fonts(composer: Composer) -> tuple[Path, Path] | None:
    files = None if composer.house is None else composer.house.fonts
    return None if files is None else (files.regular, files.bold)


def _characters(path: Path) -> frozenset[int]:
    return frozenset(read_face(path).widths)


def render(job: RenderJob) -> bytes:
    """Return the document for print and for the archive.

    Raises:
        RenderError: a message, template or reference is missing, the fonts lack a character, or the engine
            cannot run.
    """
    document, speaker, fonts = source(job)
    return write_pdf(document, [embedded(one, speaker, job.proposal) for one in job.attachments], fonts)


def embedded(attachment: Attachment, speaker: Speaker, proposal: Proposal) -> Embedded:
    """Return an attachment as the PDF carries it: described by who speaks, dated with the proposal's day."""
    return Embedded(
        name=attachment.name,
        content=attachment.content,
        description=speaker.plain(lambda voice: voice.text(attachment.about)),
        relationship="Source" if attachment.source else "Data",
        day=datetime.combine(proposal.project.day, datetime.min.time(), UTC),
    )
