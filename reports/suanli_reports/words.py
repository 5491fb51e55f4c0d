"""The functions that templates call to say texts: messages, names, dates, risks, ways out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from suanli.domain.workload import ProposalType
from suanli.proposal.model import Verdict
from suanli_reports.typography import breakable
from suanli_reports.voice import MARKS, STALE, Speaker, Term, Voice, references

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from suanli.domain.figure import Grade
    from suanli.domain.record import Text
    from suanli.planning.results import BillCategory
    from suanli.proposal.model import BillRow, Option, Proposal, RemedyView, RiskView, SourceView
    from suanli_reports.outline import Chapter

__all__ = ["WordTools"]

_DATED = (
    ("dated.in-force", "in force ", ""),
    ("dated.amended", "amended ", ""),
    ("dated.commit", "commit ", ""),
    ("dated.data", "data of ", ""),
    ("dated.updated", "updated later", ""),
    ("dated.onward", "", " onward"),
)
"""What a date of publication says beside the date, as data files write it."""
_HAN = re.compile(r"[\u4e00-\u9fff]")


def _named(key: str) -> Term:
    return Term(lambda voice: voice.word(key))


class WordTools:
    """What templates call to say texts in the document's language or languages; one method, one name."""

    def __init__(self, speaker: Speaker, proposal: Proposal) -> None:
        """Speak of a proposal."""
        self._speaker = speaker
        self._first = speaker.voices[0]
        self._proposal = proposal
        track = proposal.project.track
        self._parties = {role: _named(f"party.{role}-{track}") for role in ("buyer", "supplier", "file")}
        self.marks = {**{str(grade): mark for grade, mark in MARKS.items()}, "stale": STALE}

    def t(self, key: str, **values: object) -> Markup:
        """Return the message of a key; ``{buyer}`` and other parties are called by the rules."""
        said = {**self._parties, **values}
        return self._speaker.join(lambda voice: voice.word(key, said))

    def plain(self, key: str, **values: object) -> str:
        """Return the message of a key without markup, for attributes."""
        return self._speaker.plain(lambda voice: voice.word(key, values).striptags())

    def first(self, key: str) -> str:
        """Return the message of a key in the first language alone, where there is no room for both."""
        return self._first.word(key).striptags()

    def sep(self, key: str) -> Markup:
        """Return a punctuation mark, which two languages share."""
        return self._first.word(f"label.{key}")

    @staticmethod
    def term(key: str) -> Term:
        """Return a message that is put into another one, in the language of that one."""
        return Term(lambda voice: voice.word(key))

    def has(self, key: str) -> bool:
        """Tell whether a key has a message."""
        return self._first.messages.has(key)

    def text(self, value: Text | str, refs: Iterable[str] = ()) -> Markup:
        """Return a paired text with reference keys."""
        return self._speaker.sentence(self._speaker.join(lambda voice: voice.text(value)), refs)

    def party(self, role: str) -> Markup:
        """Return what the rules of procurement call a party or an act: ``buyer``, ``supplier``, ``award``."""
        return self.t(f"party.{role}-{self._proposal.project.track}")

    def say_chapter(self, chapter: Chapter) -> Markup:
        """Return a link to a chapter by number and name."""
        return Markup('<a href="#{}">{}</a>\N{NO-BREAK SPACE}{}').format(
            chapter.id, chapter.number, chapter.name
        )

    def foreign(self, value: str) -> Markup:
        """Return the attribute that marks a title in another language than the document's, else nothing."""
        han = bool(_HAN.search(value))
        if han == (self._first.language == "zh"):
            return Markup()
        return Markup(' lang="{}"').format("zh-Hans" if han else "en")

    @staticmethod
    def address(value: str) -> Markup:
        """Return an address or document number with the places where it may break."""
        return breakable(value)

    def dated(self, published: str) -> Markup:
        """Return the date of a publication, with what it says of its validity in the reader's language."""
        return self._speaker.join(lambda voice: _dated(voice, published))

    def verdict_of(self, option: Option) -> Markup:
        """Return the verdict on an option; one that may not be delivered says on what ground."""
        if option.verdict is Verdict.BARRED:
            return self.t(f"deliverability.{option.compliance.deliverability}")
        return self.t(f"verdict.{option.verdict}")

    def cite(self, value: Markup | str, refs: Iterable[str], grade: Grade | None = None) -> Markup:
        """Return a text with reference keys."""
        return self._speaker.sentence(value, refs, grade)

    @staticmethod
    def refs(keys: Iterable[str]) -> Markup:
        """Return reference keys alone."""
        return references(keys)

    def day(self, value: date | None) -> Markup:
        """Return a date."""
        return self._speaker.join(lambda voice: voice.show(value))

    def title(self) -> str:
        """Return the project's name without markup, for running heads and metadata."""
        return self._plainly(self._proposal.project.name)

    def title_key(self) -> str:
        """Return the message that says what kind of document this is."""
        kind = self._proposal.project.type
        return "document.title" if kind is ProposalType.INTERNAL_APPROVAL else f"document-title.{kind}"

    def running_title(self) -> str:
        """Return the project's name in the first language, for heads where two have no room."""
        return self._first.text(self._proposal.project.name)

    def client(self) -> str:
        """Return the client's name without markup."""
        return self._plainly(self._proposal.project.client)

    def _plainly(self, text: Text) -> str:
        return self._speaker.plain(lambda voice: voice.text(text))

    def region(self) -> Markup:
        """Return the name of the site's region, its code where it has none."""
        project = self._proposal.project
        return self._speaker.join(lambda voice: voice.region(project.region, project.region_name))

    def law_day(self) -> date | None:
        """Return the day as of which the law set of the document stands; None where it cites no rule."""
        supply = self._proposal.supply
        return supply.law_day if supply else None

    def place(self) -> Term:
        """Return the name of the site's region, to be put into a message in its language."""
        project = self._proposal.project
        return Term(lambda voice: escape(voice.region(project.region, project.region_name)))

    def risk_text(self, risk: RiskView) -> Markup:
        """Return a risk in words with its numbers."""
        return self.t(f"risk.{risk.key}", **risk.numbers, **risk.texts)

    def remedy_text(self, remedy: RemedyView) -> Markup:
        """Return a way out in words, with the figure that would do where it is known."""
        bare = f"remedy-bare.{remedy.kind}"
        if remedy.value is None and self.has(bare):
            return self.t(bare)
        return self.t(f"remedy.{remedy.kind}", value=remedy.value, detail=remedy.detail)

    @staticmethod
    def groups(items: Sequence[object], size: int) -> list[Sequence[object]]:
        """Return items in groups of at most a size, so that a table fits the page."""
        return [items[start : start + size] for start in range(0, len(items), size)]

    @staticmethod
    def by_category(rows: Iterable[BillRow]) -> list[tuple[BillCategory, list[BillRow]]]:
        """Return the rows of a bill by block, in their order."""
        found: dict[BillCategory, list[BillRow]] = {}
        for row in rows:
            found.setdefault(row.category, []).append(row)
        return list(found.items())

    @staticmethod
    def columns(items: Sequence[object]) -> list[tuple[object, object | None]]:
        """Return items in two columns, read down the left one first."""
        half = -(-len(items) // 2)
        return [
            (items[index], items[half + index] if half + index < len(items) else None)
            for index in range(half)
        ]

    def read_on(self) -> date | None:
        """Return the day on which all sources were read, None where they were read on several."""
        days = {source.retrieved for source in self.unique_sources()}
        return days.pop() if len(days) == 1 else None

    def unique_sources(self) -> list[SourceView]:
        """Return sources and rules, each once."""
        return list(
            {source.key: source for source in (*self._proposal.sources, *self._proposal.rules)}.values()
        )


def _dated(voice: Voice, published: str) -> Markup:
    """Return a date with its "in force" or "onward" as the voice says it."""
    parts = published.split(", ")
    comma = Markup(", ") if voice.language == "en" else Markup("，")
    return comma.join(_dated_part(voice, part) for part in parts)


def _dated_part(voice: Voice, part: str) -> Markup:
    for key, lead, tail in _DATED:
        if part.startswith(lead) and part.endswith(tail):
            return voice.word(key, {"date": part.removeprefix(lead).removesuffix(tail)})
    return Markup("{}").format(part)
