"""The terms of the field in both languages, and which of them a document uses.

Run as a program it writes all of them as a page: ``python -m suanli_reports.glossary > docs/glossary.md``.
"""

from __future__ import annotations

import re
import sys
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from suanli.domain.record import Identifier, Part, Text
from suanli.errors import Fault, RenderError
from suanli_reports.texts import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Glossary", "Standing", "Subject", "Term", "occurring", "page", "read", "shipped_glossary"]

_ASIDE = re.compile(r"\s*[（(][^）)]*[）)]")


class Standing(StrEnum):
    """How a pair is known."""

    USAGE = "usage"
    """Professional usage."""
    VERIFIED = "verified"
    """Read in an official or a vendor's text of both languages."""


class Term(Part):
    """One term in both languages."""

    id: Identifier
    zh: str = Field(min_length=1)
    """Several terms that belong together are parted by a full-width slash."""
    en: tuple[str, ...] = Field(min_length=1)
    """The one that documents use, then others."""
    standing: Standing = Standing.USAGE
    avoid: tuple[str, ...] = ()
    """English renderings that mislead."""
    note: Text | None = None

    @property
    def english(self) -> str:
        """Return all English terms, the default first."""
        return "; ".join(self.en)

    def said_in_chinese(self, text: str) -> bool:
        """Tell whether a Chinese text uses the term or one of those that belong together."""
        return any(part in text for part in _ASIDE.sub("", self.zh).split("／"))

    def said_in_english(self, text: str) -> bool:
        """Tell whether an English text, in small letters, uses the first term as whole words."""
        return any(_whole(part, text) for part in _parts(self.en[0]))


class Subject(Part):
    """The terms of one subject."""

    id: Identifier
    title: Text
    terms: tuple[Term, ...]


class Glossary(Part):
    """All terms by subject."""

    subjects: tuple[Subject, ...]

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return all terms in order."""
        return tuple(term for subject in self.subjects for term in subject.terms)


def _parts(term: str) -> Iterable[str]:
    return (part.strip().lower() for part in _ASIDE.sub("", term).split(" / "))


def _whole(part: str, text: str) -> bool:
    if part not in text:
        return False
    return re.search(rf"(?<![a-z]){re.escape(part)}s?(?![a-z])", text) is not None


def read(content: object, where: str) -> Glossary:
    """Return a glossary from what its file holds.

    Raises:
        RenderError: the content is no glossary; one fault for each thing that is wrong.
    """
    try:
        return Glossary.model_validate(content)
    except ValidationError as error:
        raise RenderError(
            [
                Fault(one["msg"], where=where, key=".".join(str(part) for part in one["loc"]))
                for one in error.errors()
            ]
        ) from error


@cache
def shipped_glossary() -> Glossary:
    """Return the glossary that comes with the package."""
    entry = files("suanli_templates").joinpath("document").joinpath("glossary.yaml")
    return read(read_yaml(entry, "document/glossary.yaml"), "document/glossary.yaml")


def occurring(terms: Iterable[Term], text: str, languages: Sequence[str]) -> tuple[Term, ...]:
    """Return the terms that a document uses, in the order of the glossary.

    Args:
        terms: the terms to look for.
        text: what a reader of the document sees.
        languages: languages of the document, ``zh``, ``en`` or both.
    """
    small = text.lower()
    return tuple(
        term
        for term in terms
        if ("zh" in languages and term.said_in_chinese(text))
        or ("en" in languages and term.said_in_english(small))
    )


def page(glossary: Glossary) -> str:
    """Return all terms as a page of the documentation."""
    lines = [
        "# Glossary",
        "",
        "The terms of the field in both languages. Where several English terms are given, documents use the",
        "first. A tick marks a pair that was read in an official or a vendor's text of both languages; all",
        "others are professional usage. A document's annex prints the terms that occur in it. This page is",
        "written by `python -m suanli_reports.glossary` from `document/glossary.yaml`.",
    ]
    for subject in glossary.subjects:
        lines += ["", f"## {subject.title.en} {subject.title.zh}", ""]
        lines += ["| 中文 | English | not | note | |", "|---|---|---|---|---|"]
        lines += [_row(term) for term in subject.terms]
    return "\n".join(lines) + "\n"


def _row(term: Term) -> str:
    note = f"{term.note.zh}; {term.note.en}" if term.note else ""
    tick = "✓" if term.standing is Standing.VERIFIED else ""
    return f"| {term.zh} | {term.english} | {'; '.join(term.avoid)} | {note} | {tick} |"


if __name__ == "__main__":
    sys.stdout.write(page(shipped_glossary()))
