"""The summary for e-mail: one page of Markdown that reads as plain text too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jinja2 import TemplateError
from jinja2.exceptions import TemplateNotFound

from suanli.errors import Fault, RenderError
from suanli_reports.environment import composer_of
from suanli_reports.markdown_text import said, wrapped
from suanli_reports.texts import LANGUAGES

if TYPE_CHECKING:
    from suanli.proposal.contributions import RenderJob

__all__ = ["TEMPLATE", "render"]

TEMPLATE = "mail/summary.md.j2"
"""Path of the template, in the shipped templates and in a theme's folder."""
_BETWEEN = "\n---\n\n"
"""A rule between the two languages."""


def render(job: RenderJob) -> bytes:
    """Return the summary; in both languages one after the other.

    Raises:
        RenderError: a message or a template is missing.
    """
    languages = LANGUAGES if job.language == "bilingual" else (job.language,)
    return _BETWEEN.join(_summary(replace(job, language=language)) for language in languages).encode()


def _summary(job: RenderJob) -> str:
    composer = composer_of(job)
    environment = composer.structure.overlay(autoescape=False, finalize=said)
    try:
        text = environment.get_template(TEMPLATE).render()
    except TemplateNotFound as error:
        raise RenderError(Fault(f'no template "{error.name}"', where=str(job.theme or TEMPLATE))) from error
    except TemplateError as error:
        raise RenderError(Fault(f"template failed: {error}", where=TEMPLATE)) from error
    return wrapped(text, job.language)
