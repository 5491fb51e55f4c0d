"""What a tender asks for and how it scores, as it is shown."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from suanli.domain.record import Part
from suanli.procurement.clauses import Mark, Proof
from suanli.procurement.clauses import Part as Section
from suanli.procurement.scoring import BlockKey
from suanli.proposal.model.figures import Shown

__all__ = [
    "BidScore",
    "BlockView",
    "ClauseView",
    "EvaluationView",
    "MarketView",
    "SpecificationView",
]


class ClauseView(Part):
    """A requirement of the technical specification."""

    number: str
    key: str
    """Key of its words in the message catalogue."""
    section: Section
    mark: Mark
    proof: Proof
    threshold: Shown | None = None
    """None for a function that is there or not."""
    at_most: bool = False
    basis: Shown | None = None
    """Figure of the sizing or of the project from which the threshold was put down or up."""
    numbers: dict[str, Decimal] = Field(default_factory=dict[str, Decimal])
    offered: Shown | None = None
    """What the offered configuration has, for a bid; None where it is confirmed at acceptance or in words."""


class MarketView(Part):
    """Who can meet the thresholds of the accelerators."""

    makers: int
    """Makers of which one device meets all of them together."""
    known: int
    deliverable: int = 0
    """Of `makers`, those whose device may be delivered to the site without a licence, as far as is known."""
    exclusive: bool
    given_up: tuple[str, ...] = ()
    """Measures that were lowered by more than a class to let enough makers in."""


class BlockView(Part):
    """A block of the scoring table."""

    key: BlockKey
    points: int
    numbers: dict[str, Decimal] = Field(default_factory=dict[str, Decimal])
    """Figures of its rule, by name."""


class BidScore(Part):
    """The score of a bid price in the worked example."""

    price: Decimal
    score: Decimal


class EvaluationView(Part):
    """How offers are scored."""

    blocks: tuple[BlockView, ...]
    rated: str = ""
    """Number of the clause of the delivered rate; empty where none is asked for."""
    example: tuple[BidScore, ...]
    """Three prices that are invented to show the formula, in units of 10,000."""
    lowest: Decimal
    example_points: int

    @property
    def total(self) -> int:
        """Return the points of all blocks."""
        return sum(block.points for block in self.blocks)


class SpecificationView(Part):
    """The technical specification of the cluster that the document describes, without make or model."""

    clauses: tuple[ClauseView, ...]
    market: MarketView
    evaluation: EvaluationView

    @property
    def sections(self) -> tuple[Section, ...]:
        """Return the parts that hold a clause, in order."""
        return tuple(dict.fromkeys(clause.section for clause in self.clauses))

    def of(self, section: Section) -> tuple[ClauseView, ...]:
        """Return the clauses of a part."""
        return tuple(clause for clause in self.clauses if clause.section == section)

    def count(self, mark: Mark) -> int:
        """Return how many clauses have a mark."""
        return sum(clause.mark == mark for clause in self.clauses)
