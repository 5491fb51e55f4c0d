"""The proposal as a whole, and its summary."""

from __future__ import annotations

from pydantic import Field, InstanceOf

from suanli.costing.ledger import Ledger
from suanli.domain.record import Part
from suanli.domain.workload import Requirement
from suanli.proposal.model.audit import ClaimView, RiskView
from suanli.proposal.model.compliance import SupplyView
from suanli.proposal.model.delivery import DeliveryView
from suanli.proposal.model.dossier import DossierView
from suanli.proposal.model.edits import EditView
from suanli.proposal.model.figures import Shown
from suanli.proposal.model.job import ProfileView, ProjectView, WorkloadView
from suanli.proposal.model.money import SensitivityView
from suanli.proposal.model.option import Option, Verdict
from suanli.proposal.model.procurement import SpecificationView
from suanli.proposal.model.references import AssumptionView, FormulaView, NoticeView, SourceView
from suanli.proposal.model.terms import GoodView, TermView

__all__ = ["Proposal", "SummaryView"]

SCHEMA_VERSION = 1


class SummaryView(Part):
    """The first page."""

    recommended: str
    """Key of the recommended option; empty where none can be recommended."""
    feasible: int
    barred: int
    stale_prices: int
    weak_figures: int
    """Figures of weak grade behind the recommended option's money and sizing."""
    sensitivities: tuple[SensitivityView, ...] = ()
    """How the recommended option's TCO moves with one input, biggest first."""


class Proposal(Part):
    """Everything a document shows."""

    schema_version: int = SCHEMA_VERSION
    project: ProjectView
    profile: ProfileView
    workload: WorkloadView
    summary: SummaryView
    options: tuple[Option, ...]
    claims: tuple[ClaimView, ...] = ()
    risks: tuple[RiskView, ...] = ()
    assumptions: tuple[AssumptionView, ...] = ()
    formulas: tuple[FormulaView, ...] = ()
    sources: tuple[SourceView, ...] = ()
    rules: tuple[SourceView, ...] = ()
    """Procurement and data rules that the document names."""
    supply: SupplyView | None = None
    """Events of export control and the rules around the purchase."""
    notices: tuple[NoticeView, ...] = ()
    ledger: InstanceOf[Ledger] = Field(exclude=True)
    """The ledger whose values the money views repeat; the workbook writes its formulas."""
    requirement: InstanceOf[Requirement] = Field(exclude=True)
    site_pue: Shown
    site_electricity: Shown
    site_carbon: Shown | None
    exchange_rates: tuple[Shown, ...] = ()
    """Unit is the pair, such as ``USD/CNY``."""
    edits: tuple[EditView, ...] = ()
    """Figures that were changed by hand in a cost sheet."""
    specification: SpecificationView | None = None
    """What a tender for the described option asks for; None where no option is described."""
    dossier: DossierView | None = None
    """Basis, service, index and the money of a bid; filled last, from everything above."""
    delivery: DeliveryView | None = None
    """The delivery plan of the described option."""
    terms: tuple[TermView, ...] = ()
    """Commercial terms, by the rules of procurement."""
    goods: tuple[GoodView, ...] = ()
    """What the described option buys, in functional names."""
    source_keys: dict[str, str] = Field(default_factory=dict[str, str], exclude=True)
    """Reference key of each source id, for the workbook."""

    def option(self, key: str) -> Option:
        """Return the option of a key.

        Raises:
            KeyError: no option has the key.
        """
        for option in self.options:
            if option.key == key:
                return option
        raise KeyError(key)

    @property
    def subject(self) -> Option | None:
        """Return the option that a document describes in detail.

        The recommended one; where nothing can be recommended, the first that was sized and may be delivered;
        else none.
        """
        if self.recommended is not None:
            return self.recommended
        sized = (Verdict.OVER_BUDGET, Verdict.ALTERNATE)
        found = (one for one in self.options if one.layout is not None and one.verdict in sized)
        return next(found, None)

    @property
    def recommended(self) -> Option | None:
        """Return the recommended option, or None where there is none."""
        return self.option(self.summary.recommended) if self.summary.recommended else None
