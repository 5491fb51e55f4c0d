"""What a buyer owes before a purchase: the demand survey, and facts that only the buyer can supply.

Nothing of what is missing is invented: a document lists it as open.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from suanli.domain.workload import ProposalType, Track

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["SURVEY_FROM", "OpenItem", "SurveyDuty", "open_items", "survey_duty"]

SURVEY_FROM: Final = Decimal(10_000_000)
"""Amount in yuan from which a demand survey is due for goods and services.

Source: Ministry of Finance, 财库〔2021〕22号, article 11.
"""


class SurveyDuty(StrEnum):
    """Whether a demand survey is due before the requirement is settled."""

    DUE = "due"
    BELOW = "below"
    """Not by the amount; other grounds of the rule are the buyer's to judge."""
    UNKNOWN = "unknown"
    """No amount in yuan is known."""
    ELSEWHERE = "elsewhere"
    """The rule does not govern this purchase."""


def survey_duty(track: Track, amount: Decimal | None) -> SurveyDuty:
    """Return whether a demand survey is due by the amount of the purchase.

    Args:
        track: rules of procurement.
        amount: of the purchase in yuan, tax included; None where none is known in yuan.

    Source: Ministry of Finance, 财库〔2021〕22号, article 11.

    >>> survey_duty(Track.GOVERNMENT, Decimal("10000000")).value
    'due'
    """
    if track is not Track.GOVERNMENT:
        return SurveyDuty.ELSEWHERE
    if amount is None:
        return SurveyDuty.UNKNOWN
    return SurveyDuty.DUE if amount >= SURVEY_FROM else SurveyDuty.BELOW


class OpenItem(StrEnum):
    """A fact that a project file does not hold and only a person can supply, in the order of a document."""

    MANDATE = "mandate"
    """Plan or resolution that the project follows from."""
    APPROVAL = "approval"
    """Approval of project or budget, with number and date."""
    BUDGET = "budget"
    FUNDS = "funds"
    """Source of the money and its part of each year."""
    DEPARTMENT = "department"
    METHOD = "method"
    PACKAGES = "packages"
    PLACE = "place"
    SURVEY = "survey"
    INTENT = "intent"
    IMPORT = "import"
    SMALL_FIRMS = "small-firms"
    FILE_NUMBER = "file-number"
    BIDDER = "bidder"
    AUTHORITY = "authority"
    QUALIFICATION = "qualification"
    RECORDS = "records"
    PRODUCT_ORIGIN = "product-origin"


@dataclass(frozen=True, slots=True)
class _Asked:
    types: Collection[ProposalType]
    tracks: Collection[Track] = frozenset(Track)


_PAPER: Final = frozenset({ProposalType.INTERNAL_APPROVAL})
_TENDER: Final = frozenset({ProposalType.TENDER_REQUIREMENT})
_BID: Final = frozenset({ProposalType.VENDOR_BID})
_FISCAL: Final = frozenset({Track.GOVERNMENT})

_ASKED: Final = {
    OpenItem.MANDATE: _Asked(_PAPER),
    OpenItem.APPROVAL: _Asked(_TENDER),
    OpenItem.BUDGET: _Asked(_PAPER | _TENDER),
    OpenItem.FUNDS: _Asked(_PAPER | _TENDER),
    OpenItem.DEPARTMENT: _Asked(_PAPER | _TENDER),
    OpenItem.METHOD: _Asked(_PAPER | _TENDER),
    OpenItem.PACKAGES: _Asked(_TENDER),
    OpenItem.PLACE: _Asked(_PAPER | _TENDER),
    OpenItem.SURVEY: _Asked(_PAPER | _TENDER, _FISCAL),
    OpenItem.INTENT: _Asked(_PAPER | _TENDER, _FISCAL),
    OpenItem.IMPORT: _Asked(_TENDER, _FISCAL),
    OpenItem.SMALL_FIRMS: _Asked(_TENDER, _FISCAL),
    OpenItem.FILE_NUMBER: _Asked(_BID),
    OpenItem.BIDDER: _Asked(_BID),
    OpenItem.AUTHORITY: _Asked(_BID),
    OpenItem.QUALIFICATION: _Asked(_BID),
    OpenItem.RECORDS: _Asked(_BID),
    OpenItem.PRODUCT_ORIGIN: _Asked(_BID, _FISCAL),
}


def open_items(kind: ProposalType, track: Track, *, budget: bool, duty: SurveyDuty) -> tuple[OpenItem, ...]:
    """Return what must still be supplied before a document can be used.

    Args:
        kind: type of the document.
        track: rules of procurement.
        budget: True where the project states one.
        duty: of a demand survey; one that is not due by the amount leaves no record to be supplied.
    """
    settled = {OpenItem.BUDGET} if budget else set[OpenItem]()
    if duty is SurveyDuty.BELOW:
        settled.add(OpenItem.SURVEY)
    return tuple(
        item
        for item, asked in _ASKED.items()
        if kind in asked.types and track in asked.tracks and item not in settled
    )
