"""The document as one HTML file: no picture, font or script is loaded from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli_reports.environment import compose
from suanli_reports.web import page, script

if TYPE_CHECKING:
    from suanli.proposal.contributions import RenderJob

__all__ = ["render"]


def render(job: RenderJob) -> bytes:
    """Return the document for a browser.

    Raises:
        RenderError: a message, a template or a reference is missing.
    """
    document, composer = compose(job, "screen")
    return page(document, script(composer.source)).encode()
