"""Commercial terms: which clauses a purchase has under its rules, with the figures that the project states.

Limits that a statute sets are printed with the statute; what neither statute nor project settles is left to
be agreed and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from suanli.domain.workload import Track

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from suanli.domain.record import Text
    from suanli.domain.workload import Commercial, Requirement

__all__ = ["Term", "commercial_terms"]

_CHINA = "CN"
_STATUTORY = frozenset({Track.GOVERNMENT, Track.BIDDING_LAW})


@dataclass(frozen=True, slots=True)
class Term:
    """A clause of the commercial terms; its words are the templates'."""

    key: str
    numbers: Mapping[str, Decimal | int] = field(default_factory=dict[str, "Decimal | int"])
    name: Text | None = None
    """Of a payment."""
    agreed: bool = True
    """False where the figure is still to be agreed."""


def commercial_terms(requirement: Requirement) -> tuple[Term, ...]:
    """Return the clauses in the order of a contract."""
    return tuple(_terms(requirement))


def _terms(requirement: Requirement) -> Iterator[Term]:
    rules, track = requirement.commercial, requirement.project.track
    home = requirement.delivery_region.split("-")[0] == _CHINA
    yield Term("place")
    if rules.delivery_months is None:
        yield Term("time-open", agreed=False)
    else:
        yield Term("time", {"months": rules.delivery_months})
    yield Term("price-basis")
    yield from _payments(rules)
    if home and track is not Track.INTERNATIONAL:
        yield Term("small-suppliers", {"days": 30, "most": 60})
    yield from _securities(track)
    yield Term("validity", {"days": rules.price_validity_days})
    yield Term("risk")
    yield Term("delay", agreed=False)
    if rules.warranty_years > 0:
        yield Term("warranty", {"years": rules.warranty_years})
    else:
        yield Term("warranty-open", agreed=False)
    if track is Track.GOVERNMENT:
        yield Term("addition", {"percent": 10})
    if len(requirement.project.languages) > 1:
        yield Term("language-chinese" if home else "language-open", agreed=home)


def _payments(rules: Commercial) -> Iterator[Term]:
    if not rules.milestones:
        yield Term("payment-open", agreed=False)
    for one in rules.milestones:
        percent = one.share * 100
        if one.after_days is None:
            yield Term("payment", {"percent": percent}, one.name)
        else:
            yield Term("payment-after", {"percent": percent, "days": one.after_days}, one.name)


def _securities(track: Track) -> Iterator[Term]:
    """Return securities with the limits of the statutes.

    Source: Implementing Regulations of the Government Procurement Law (2015), articles 33 and 48;
    Implementing Regulations of the Tendering and Bidding Law (2019), articles 26 and 58.
    """
    if track in _STATUTORY:
        yield Term(f"bid-security-{track}", {"percent": 2})
        yield Term(f"performance-security-{track}", {"percent": 10})
    else:
        yield Term("performance-security-open", agreed=False)
