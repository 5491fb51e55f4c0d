"""What makes a calculation a paper that somebody may sign: basis, service, index, and the money of a bid."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from pydantic import Field

from suanli.domain.record import Part, Text
from suanli.domain.scoring import Criterion
from suanli.procurement.survey import OpenItem, SurveyDuty
from suanli.proposal.model.figures import Shown

__all__ = [
    "AskedView",
    "BackgroundView",
    "BidView",
    "DossierView",
    "LineState",
    "MatrixView",
    "RulebookView",
    "ScoreRow",
    "ServiceView",
]


class BackgroundView(Part):
    """What the purchase rests on, and what is still to be supplied."""

    duty: SurveyDuty
    survey_from: Shown
    """Amount from which the rule asks for a survey."""
    amount: Shown | None
    """Budget, or for a paper inside the house the estimate; None where neither is known in yuan."""
    from_budget: bool
    budget: Shown | None
    open_items: tuple[OpenItem, ...]


class ServiceView(Part):
    """Warranty, maintenance and spares."""

    warranty_years: int
    maintained_years: int
    """Years of the horizon after the warranty."""
    maintenance_share: Decimal
    spare_parts_share: Decimal
    spare_servers: int | None
    """Spare servers of the plan; None where there is no plan."""
    repair: Shown | None
    """From a failure to the return of the server, as the availability was computed; None without a plan."""


class AskedView(Part):
    """A heading that a rule asks for, and the chapters that answer it."""

    key: str
    chapters: tuple[str, ...]


class RulebookView(Part):
    """A rule or outline that the document is held against."""

    key: str
    number: str
    quoted: bool
    """True where it was read in a text that quotes it."""
    headings: tuple[AskedView, ...]


class LineState(StrEnum):
    """Whether a bid may state the price of a line."""

    FIRM = "firm"
    """A quotation or a list price within its validity."""
    EXPIRED = "expired"
    WEAK = "weak"
    """Press, community or an estimate, or a figure that is recalled or borrowed."""
    UNPRICED = "unpriced"


class BidView(Part):
    """The money of a bid: a total stands only where every line may be stated."""

    states: dict[str, LineState] = Field(default_factory=dict[str, LineState])
    """By number of the line."""
    firm_net: Decimal
    firm_vat: Decimal
    firm_gross: Decimal
    """Sums of the lines that may be stated."""
    net: Decimal | None
    vat: Decimal | None
    gross: Decimal | None
    """None where a line may not be stated."""
    in_words: str = ""
    """The gross total in Chinese capitals; empty without a total or such a custom."""
    price_validity_days: int
    delivery_months: Decimal | None
    warranty_years: int

    @property
    def firm(self) -> int:
        """Return how many lines may be stated."""
        return self.count(LineState.FIRM)

    @property
    def open(self) -> int:
        """Return how many lines must be quoted first."""
        return len(self.states) - self.firm

    def count(self, state: LineState) -> int:
        """Return how many lines are in a state."""
        return sum(one == state for one in self.states.values())


class ScoreRow(Part):
    """The scores of an option."""

    option: str
    name: Text
    """Of its accelerator."""
    scores: dict[Criterion, Decimal]
    total: Decimal
    rank: int
    incomplete: bool = False
    """True where the cost misses an unpriced part, so that the score of the cost is too high if anything."""


class MatrixView(Part):
    """Options scored by weighted criteria."""

    weights: dict[Criterion, Decimal]
    rows: tuple[ScoreRow, ...]
    """Best first."""
    unscored: tuple[str, ...] = ()
    """Options that could be chosen but lack a figure."""
    agrees: bool | None
    """Whether the best by score is the recommended one; None where none is recommended."""


class DossierView(Part):
    """Everything that the frame of a document needs beside the calculation."""

    background: BackgroundView
    service: ServiceView
    rulebooks: tuple[RulebookView, ...] = ()
    matrix: MatrixView | None = None
    """None where fewer than two options can be scored."""
    bid: BidView | None = None
    """None where nothing is offered."""
