"""The order of the document: chapters and annexes as data, with the chapters of plugins put in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from markupsafe import Markup

from suanli.domain.record import Text
from suanli.errors import Fault, RenderError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.proposal.contributions import Section
    from suanli_reports.voice import Speaker

__all__ = ["Chapter", "Heading", "chapters"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A section inside a chapter, for the table of contents."""

    id: str
    number: str
    title: Markup


@dataclass(slots=True)
class Chapter:
    """One chapter: its place in the document, and the counters that its template moves."""

    id: str
    title: Text
    template: str
    speaker: Speaker
    annex: bool = False
    number: str = ""
    headings: list[Heading] = field(default_factory=list[Heading])
    html: Markup = field(default_factory=Markup)
    _tables: int = 0
    _figures: int = 0

    @property
    def name(self) -> Markup:
        """Return the title in the document's language or languages."""
        return self.speaker.join(lambda voice: voice.text(self.title))

    @property
    def running(self) -> str:
        """Return number and title as the running head and the bookmark show them."""
        return f"{self.number}\N{EM SPACE}{self.speaker.plain(lambda voice: voice.text(self.title))}"

    def section(self, title: Markup | str) -> Markup:
        """Return a numbered section heading and note it for the table of contents."""
        heading = Heading(
            f"{self.id}-{len(self.headings) + 1}",
            f"{self.number}.{len(self.headings) + 1}",
            Markup("{}").format(title),
        )
        self.headings.append(heading)
        return Markup('<h2 id="{}"><span class="no">{}</span>{}</h2>').format(
            heading.id, heading.number, heading.title
        )

    def table(self, title: Markup | str, unit: Markup | str = "") -> Markup:
        """Return the line above a table: number, title, unit."""
        self._tables += 1
        return self._caption("label.table", self._tables, title, unit)

    def figure(self, title: Markup | str, unit: Markup | str = "") -> Markup:
        """Return the line above a chart: number, title, unit."""
        self._figures += 1
        return self._caption("label.figure", self._figures, title, unit)

    def coming(self, ahead: int = 1) -> str:
        """Return the number of a chart that follows, for the sentence that says what it shows."""
        return f"{self.number}-{self._figures + ahead}"

    def _caption(self, key: str, count: int, title: Markup | str, unit: Markup | str) -> Markup:
        label = Markup("{} {}-{}").format(
            self.speaker.join(lambda voice: voice.word(key)), self.number, count
        )
        tail = Markup('<span class="of">{}</span>').format(unit) if unit else ""
        return Markup('<p class="caption"><span class="no">{}</span><b>{}</b>{}</p>').format(
            label, title, tail
        )


def chapters(
    content: object, conditions: Mapping[str, bool], sections: Sequence[Section], speaker: Speaker
) -> list[Chapter]:
    """Return the chapters in order, numbered.

    Args:
        content: what ``document/outline.yaml`` holds.
        conditions: what a chapter may need; one that needs what is not there is left out.
        sections: chapters of plugins.
        speaker: the document's languages.

    Raises:
        RenderError: a plugin's chapter follows one that does not exist, or a condition is unknown.
    """
    rows = cast("dict[str, list[dict[str, Any]]]", content)
    known = [row["id"] for kind in ("chapters", "annexes") for row in rows[kind]]
    found: list[Chapter] = []
    for kind in ("chapters", "annexes"):
        for row in rows[kind]:
            if _wanted(row, conditions):
                title = Text(**row["title"])
                found.append(
                    Chapter(
                        row["id"],
                        title,
                        f"document/chapters/{row['id']}.html.j2",
                        speaker,
                        annex=kind == "annexes",
                    )
                )
            found += _following(row["id"], sections, speaker, annex=kind == "annexes")
    faults = [_misplaced(section, known) for section in sections if section.after not in known]
    if faults:
        raise RenderError(faults)
    _number(found)
    return found


def _wanted(row: Mapping[str, Any], conditions: Mapping[str, bool]) -> bool:
    need = str(row.get("needs", ""))
    if need and need not in conditions:
        raise RenderError(
            Fault(
                f'chapter "{row["id"]}" needs "{need}"',
                where="document/outline.yaml",
                cure=nearest(need, conditions),
            )
        )
    return not need or conditions[need]


def _following(chapter: str, sections: Sequence[Section], speaker: Speaker, *, annex: bool) -> list[Chapter]:
    return [
        Chapter(section.id, section.title, f"{section.package}/{section.template}", speaker, annex=annex)
        for section in sections
        if section.after == chapter
    ]


def _misplaced(section: Section, known: Sequence[str]) -> Fault:
    return Fault(
        f'chapter "{section.id}" is to follow "{section.after}", which does not exist',
        where=section.package,
        why=f"chapters: {', '.join(known)}",
        cure=nearest(section.after, known),
    )


def _number(found: Sequence[Chapter]) -> None:
    chapter = annex = 0
    for item in found:
        if item.annex:
            item.number, annex = chr(ord("A") + annex), annex + 1
        else:
            chapter += 1
            item.number = str(chapter)
