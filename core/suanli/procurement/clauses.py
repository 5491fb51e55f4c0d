"""Clauses of a technical specification: what is asked for, how it is measured, how strictly it counts.

A clause names no make, model or brand: it is a measure with a comparator, a threshold, a condition and a
verification that the buyer can carry out. Its words are the templates'; here is what they are filled with.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from suanli.domain.figure import Grade

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MANDATORY_SHARE", "Clause", "Mark", "Part", "Proof", "numbered", "settled"]

MANDATORY_SHARE = Decimal("0.15")
"""Largest share of clauses that void a bid; more of them narrow competition without need."""

_WEAK = frozenset({Grade.WEAK, Grade.SIBLING})


class Part(StrEnum):
    """Parts of the specification in their order."""

    PERFORMANCE = "performance"
    COMPUTE = "compute"
    NETWORK = "network"
    STORAGE = "storage"
    PLATFORM = "platform"
    SECURITY = "security"
    SITE = "site"
    SERVICE = "service"


class Mark(StrEnum):
    """How strictly a clause counts."""

    MANDATORY = "mandatory"
    """One miss voids the bid."""
    IMPORTANT = "important"
    """Scored."""
    GENERAL = "general"


class Proof(StrEnum):
    """What shows that a clause is met."""

    ACCEPTANCE = "acceptance"
    """Measured at acceptance; a commitment with the value in the bid."""
    REPORT = "report"
    """A test report of an accredited laboratory, or the maker's published data sheet."""
    DESIGN = "design"
    """The design in the bid, checked on arrival."""
    COMMITMENT = "commitment"


@dataclass(frozen=True, slots=True)
class Clause:
    """One requirement."""

    part: Part
    key: str
    mark: Mark
    proof: Proof
    value: Decimal | None = None
    """The threshold; None for a function that is there or not."""
    unit: str = ""
    at_most: bool = False
    basis: Decimal | None = None
    """The figure of the sizing or of the project that the threshold was put down or up from."""
    numbers: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])
    """Further figures of the condition, by name."""
    grade: Grade | None = None
    """Of the figure behind the threshold; None where it is computed or given by the project."""
    refs: tuple[str, ...] = ()
    number: str = ""
    """``T2.3``: the third clause of the second part."""


def settled(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """Return clauses whose marks are allowed.

    A clause without a threshold is there or not and is never scored. One on a figure that is recalled,
    estimated or borrowed voids no bid. Both stand as general requirements. Then the last of the mandatory
    ones become important until their share is `MANDATORY_SHARE` at most.
    """
    found = [
        replace(clause, mark=Mark.GENERAL) if clause.value is None or clause.grade in _WEAK else clause
        for clause in clauses
    ]
    limit = int(MANDATORY_SHARE * len(found))
    strict = [at for at, clause in enumerate(found) if clause.mark is Mark.MANDATORY]
    for at in strict[limit:]:
        found[at] = replace(found[at], mark=Mark.IMPORTANT)
    return tuple(found)


def numbered(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """Return clauses by part, numbered; parts without a clause take no number."""
    held = [part for part in Part if any(clause.part is part for clause in clauses)]
    return tuple(
        replace(clause, number=f"T{chapter}.{item}")
        for chapter, part in enumerate(held, start=1)
        for item, clause in enumerate((one for one in clauses if one.part is part), start=1)
    )
