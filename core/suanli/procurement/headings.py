"""What rules and published outlines ask a document for, and which chapters answer it.

Only headings that were read, in the rule itself or in a text that quotes it, stand here; a heading that no
chapter answers stays in the table with no chapter, so that a reader sees what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from suanli.domain.workload import ProposalType, Track

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["HEADINGS", "Asked", "Rulebook", "rulebooks"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A heading, and the chapters that answer it, by id."""

    key: str
    chapters: tuple[str, ...]
    """Empty: no document of ours answers it."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A rule or outline with its headings."""

    key: str
    number: str
    """Number of the document as it is cited."""
    quoted: bool
    """True where a third party's text was read and not the document itself."""
    kind: ProposalType
    tracks: Collection[Track]
    headings: tuple[Asked, ...]


def _asked(rows: str) -> tuple[Asked, ...]:
    """Return headings from lines of the form ``key: chapter chapter``."""
    found: list[Asked] = []
    for row in rows.strip().splitlines():
        key, _, chapters = row.partition(":")
        found.append(Asked(key.strip(), tuple(chapters.split())))
    return tuple(found)


HEADINGS: Final = (
    Rulebook(
        "study-government",
        "发改投资规〔2023〕304号",
        quoted=True,
        kind=ProposalType.INTERNAL_APPROVAL,
        tracks=frozenset({Track.GOVERNMENT}),
        headings=_asked(
            """
            overview: summary
            need: background
            demand: requirement sizing
            site: facility
            construction: architecture network storage software bill delivery
            operation: availability warranty
            finance: budget tco
            effects: tco
            risk: risks compliance
            conclusion: options signoff
            annexes: assumptions formulas sources
            """
        ),
    ),
    Rulebook(
        "study-enterprise",
        "发改投资规〔2023〕304号",
        quoted=True,
        kind=ProposalType.INTERNAL_APPROVAL,
        tracks=frozenset({Track.BIDDING_LAW, Track.ENTERPRISE}),
        headings=_asked(
            """
            overview: summary
            need-demand: background requirement sizing
            site: facility
            construction: architecture network storage software bill delivery
            operation: availability warranty
            finance: budget tco
            effects: tco
            risk: risks compliance
            conclusion: options signoff
            annexes: assumptions formulas sources
            """
        ),
    ),
    Rulebook(
        "business-case",
        "ISBN 978-1-5286-0460-4",
        quoted=False,
        kind=ProposalType.INTERNAL_APPROVAL,
        tracks=frozenset({Track.INTERNATIONAL}),
        headings=_asked(
            """
            strategic: background requirement sizing
            economic: options tco
            commercial: terms compliance
            financial: budget tco
            management: delivery acceptance risks signoff
            """
        ),
    ),
    Rulebook(
        "demand-rules",
        "财库〔2021〕22号",
        quoted=False,
        kind=ProposalType.TENDER_REQUIREMENT,
        tracks=frozenset({Track.GOVERNMENT}),
        headings=_asked(
            """
            subject: notice background
            technical: specification
            commercial: terms delivery warranty
            survey: background
            budget: notice
            packages:
            qualification:
            method: evaluation
            contract-type:
            contract-terms: terms
            acceptance: acceptance specification
            risk: risks
            """
        ),
    ),
    Rulebook(
        "tender-file",
        "发改法规〔2017〕1606号",
        quoted=True,
        kind=ProposalType.TENDER_REQUIREMENT,
        tracks=frozenset({Track.BIDDING_LAW}),
        headings=_asked(
            """
            invitation:
            instructions: notice
            evaluation: evaluation
            contract: terms
            supply: specification goods delivery acceptance warranty
            forms: deviation-technical deviation-commercial
            """
        ),
    ),
    Rulebook(
        "bid-forms",
        "发改法规〔2017〕1606号",
        quoted=True,
        kind=ProposalType.VENDOR_BID,
        tracks=frozenset({Track.GOVERNMENT, Track.BIDDING_LAW}),
        headings=_asked(
            """
            letter: bid-letter
            opening: opening-sheet
            prices: bid-prices
            authority:
            qualification:
            deviation-technical: deviation-technical
            deviation-commercial: deviation-commercial
            technical: sizing architecture network storage software
            service: warranty
            records:
            """
        ),
    ),
)
"""Rules and outlines in the order in which they are shown.

Sources: Ministry of Finance, 财库〔2021〕22号, articles 6, 10, 11, 13 and 23 to 25 (read); NDRC,
发改投资规〔2023〕304号, and the standard tender file for equipment, 发改法规〔2017〕1606号 (both as
quoted by third parties); Guide to developing the project business case, 2018 (contents read).
"""


def rulebooks(kind: ProposalType, track: Track) -> tuple[Rulebook, ...]:
    """Return the rules and outlines that a document of a type is held against."""
    return tuple(book for book in HEADINGS if book.kind is kind and track in book.tracks)
