"""The order of the document: chapters and annexes as data, with the chapters of plugins put in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from markupsafe import Markup

from suanli.domain.record import Text
from suanli.domain.workload import Track
from suanli.errors import Fault, RenderError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from suanli.proposal.contributions import Section
    from suanli_reports.voice import Speaker

__all__ = ["Chapter", "Heading", "Outline", "chapters"]


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


@dataclass(frozen=True, slots=True)
class Outline:
    """One kind of document: its file, and what a row of the file may ask for."""

    content: object
    """What the file holds: rows of ``chapters`` and of ``annexes``."""
    where: str
    conditions: Mapping[str, bool]
    """What a chapter may need; one that needs what is not there is left out."""
    track: str
    """Rules of procurement that the document follows."""

    def rows(self, kind: str) -> list[dict[str, Any]]:
        """Return the rows of ``chapters`` or ``annexes`` as they stand in the file.

        Raises:
            RenderError: the file is no outline, or a row has a key that does not exist.
        """
        held = cast("dict[str, Any]", self.content) if isinstance(self.content, dict) else {}
        found = held.get(kind)
        if not isinstance(found, list):
            raise RenderError(Fault(f'no list "{kind}"', where=self.where))
        listed = cast("list[object]", found)
        rows = [cast("dict[str, Any]", row) if isinstance(row, dict) else {} for row in listed]
        faults = [fault for row in rows for fault in self._faults(row)]
        if faults:
            raise RenderError(faults)
        return rows

    @property
    def has_references(self) -> bool:
        """Tell whether figures carry reference keys; a buyer's requirement names no source of a product."""
        held = cast("dict[str, Any]", self.content) if isinstance(self.content, dict) else {}
        return bool(held.get("references", True))

    def _faults(self, row: dict[str, Any]) -> Iterator[Fault]:
        if "id" not in row:
            yield Fault(f"a row without id: {row}", where=self.where, cure="write {id: CHAPTER}")
        for key in sorted(set(row) - _KEYS):
            yield self._unknown(row, "key", key, _KEYS)
        need = str(row.get("needs", ""))
        if need and need not in self.conditions:
            yield self._unknown(row, "condition", need, self.conditions)
        for track in row.get("tracks", ()):
            if track not in _TRACKS:
                yield self._unknown(row, "track", str(track), _TRACKS)

    def _unknown(self, row: dict[str, Any], what: str, name: str, known: Iterable[str]) -> Fault:
        listed = sorted(known)
        return Fault(
            f'chapter "{row.get("id", "")}": unknown {what} "{name}"',
            where=self.where,
            why=f"known: {', '.join(listed)}",
            cure=nearest(name, listed),
        )

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Tell whether a row's chapter stands in this document."""
        need = str(row.get("needs", ""))
        return (not need or self.conditions[need]) and self.track in row.get("tracks", _TRACKS)


_KEYS = frozenset({"id", "needs", "tracks", "title"})
_TRACKS = frozenset(str(track) for track in Track)


def chapters(outline: Outline, sections: Sequence[Section], speaker: Speaker) -> list[Chapter]:
    """Return the chapters in order, numbered.

    Args:
        outline: the kind of document.
        sections: chapters of plugins.
        speaker: the document's languages.

    Raises:
        RenderError: a row of the outline is wrong, or a plugin's chapter follows one that does not exist.
    """
    rows = {kind: outline.rows(kind) for kind in ("chapters", "annexes")}
    # A section that follows a chapter of another kind of document has no place in this one.
    named = speaker.voices[0].messages.namespace("chapter")
    known = list(dict.fromkeys([*(row["id"] for kind in rows.values() for row in kind), *named]))
    faults = [_misplaced(section, known) for section in sections if section.after not in known]
    if faults:
        raise RenderError(faults)
    found: list[Chapter] = []
    for kind, members in rows.items():
        annex = kind == "annexes"
        for row in members:
            if outline.wants(row):
                template = f"document/chapters/{row['id']}.html.j2"
                found.append(Chapter(row["id"], _title(row, speaker), template, speaker, annex=annex))
            found += _following(row["id"], sections, speaker, annex=annex)
    _number(found)
    return found


def _title(row: Mapping[str, Any], speaker: Speaker) -> Text:
    if "title" in row:
        return Text(**row["title"])
    return speaker.voices[0].messages.find(f"chapter.{row['id']}")


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
