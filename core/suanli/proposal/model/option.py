"""One option: an accelerator in a server, with its verdict and everything that is shown of it."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from pydantic import Field

from suanli.domain.record import Part, Text
from suanli.estimation.results import Constraint, RemedyKind
from suanli.proposal.model.acceptance import TestView
from suanli.proposal.model.availability import AvailabilityView
from suanli.proposal.model.cluster import EnergyView, FabricView, PowerView
from suanli.proposal.model.compliance import ComplianceView
from suanli.proposal.model.expansion import ExpansionView
from suanli.proposal.model.facility import FacilityView
from suanli.proposal.model.figures import Share, Shown
from suanli.proposal.model.money import BillRow, MoneyView
from suanli.proposal.model.network import NetworkView
from suanli.proposal.model.sizing import GoodputView, LayoutView, ParetoView
from suanli.proposal.model.software import SoftwareView
from suanli.proposal.model.storage import StorageView
from suanli.proposal.model.topology import TopologyView
from suanli.proposal.model.uncertainty import UncertaintyView
from suanli.proposal.model.worked import WorkedLine

__all__ = ["Option", "RemedyView", "Verdict"]


class Verdict(StrEnum):
    """What the document says of an option."""

    RECOMMENDED = "recommended"
    ALTERNATE = "alternate"
    INFEASIBLE = "infeasible"
    BARRED = "barred"
    """May not be delivered to the region."""
    OVER_BUDGET = "over-budget"
    NOT_COMPUTABLE = "not-computable"


class RemedyView(Part):
    """One way out of an infeasible option."""

    kind: RemedyKind
    value: Shown | None
    detail: str = ""


class Option(Part):
    """One accelerator in one server, sized, planned and costed."""

    key: str
    """A, B, C ... in the order of the document."""
    accelerator: str
    accelerator_name: Text
    maker: Text
    vendor: str
    server: str
    server_name: Text
    server_maker: Text | None = None
    stack_name: Text | None
    verdict: Verdict
    binding: Constraint
    deadline_met: bool | None = None
    """None where there is no deadline."""
    peak: Shown | None = None
    memory_nominal: Shown | None = None
    accelerators: int | None = None
    servers: int | None = None
    spare_servers: int | None = None
    layout: LayoutView | None = None
    days: Shown | None = None
    ideal_days: Shown | None = None
    untuned_days: Shown | None = None
    bound_days: Shown | None = None
    """Lower bound: everything at the dense peak."""
    mfu: Shown | None = None
    hfu: Decimal | None = None
    tokens_per_s_per_accelerator: Shown | None = None
    memory: tuple[Share, ...] = ()
    """GB on the fullest device."""
    memory_usable: Shown | None = None
    memory_total: Shown | None = None
    memory_headroom: Decimal | None = None
    step: tuple[Share, ...] = ()
    """Seconds of one step."""
    step_total: Shown | None = None
    communication_share: Decimal | None = None
    goodput: GoodputView | None = None
    calculation: tuple[WorkedLine, ...] = ()
    """The whole chain from the model to the money; of an option that was not sized, as far as it goes."""
    fails_at: str = ""
    """One of `WORKED_GROUPS`, where an option that was not sized fails; empty for one that was."""
    step_losses: tuple[Share, ...] = ()
    """Seconds that checkpoints, lost work and restarts add to each step."""
    scaling: tuple[tuple[int, Decimal], ...] = ()
    """(accelerators, days P50) of other sizes."""
    throughput: tuple[tuple[int, Decimal], ...] = ()
    """(accelerators, tokens/s over the whole run, interruptions counted) of the same sizes."""
    pareto: tuple[ParetoView, ...] = ()
    """Layouts that none beats in rate, memory and accelerators together, the fastest first."""
    candidates: int = 0
    rejected: dict[str, int] = Field(default_factory=dict[str, int])
    fabric: FabricView | None = None
    storage: StorageView | None = None
    power: PowerView | None = None
    energy: EnergyView | None = None
    bill: tuple[BillRow, ...] = ()
    money: MoneyView | None = None
    """None where the servers, most of the cost, have no price: a total without them would mislead."""
    uncertainty: UncertaintyView | None = None
    """Distribution of the costs; None where there is no total."""
    compliance: ComplianceView
    acceptance: tuple[TestView, ...] = ()
    topology: TopologyView | None = None
    """What the drawing of the network shows; None where its counts are unknown."""
    expansion: ExpansionView | None = None
    """How the cluster grows; planned for the option that the document describes."""
    remedies: tuple[RemedyView, ...] = ()
    shortfall: tuple[Shown, Shown] | None = None
    """Need and have of the binding constraint of an infeasible option."""
    dominated_by: str = ""
    """Key of an option open to choice that is no slower and no dearer; empty where none is."""
    borrowed: tuple[str, ...] = ()
    """What was taken from a sibling device."""
    software: SoftwareView | None = None
    """Versions, needed features, rules and launch arguments."""
    availability: AvailabilityView | None = None
    """Failures, lost time and spares."""
    network: NetworkView | None = None
    """Traffic, link options, cabling and the networks beside the compute network."""
    facility: FacilityView | None = None
    """Racks, rows, circuits and cooling; None where the power of the servers is unknown."""
    refs: tuple[str, ...] = ()
