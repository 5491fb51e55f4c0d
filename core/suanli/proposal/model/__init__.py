"""The proposal: frozen, text-free, rounded and ordered; what every renderer shows, with nothing to compute.

Prose lives in templates; names that come from the catalogue are paired texts. Every figure carries its
reference keys: S source, F formula, R calibration on measured runs, C compliance, A assumption. The JSON
output is this model, and its JSON Schema is published with it.
"""

from __future__ import annotations

from suanli.proposal.model.acceptance import AllowanceView, RungView, TestView
from suanli.proposal.model.audit import ClaimVerdict, ClaimView, RiskLevel, RiskView
from suanli.proposal.model.availability import AvailabilityView, LossView, RateView, SizeView, SpareView
from suanli.proposal.model.cluster import EnergyView, FabricView, PowerView
from suanli.proposal.model.compliance import (
    ComplianceView,
    EventView,
    GroupView,
    NoteView,
    PerformanceView,
    SupplyView,
)
from suanli.proposal.model.decision import FinancingView, FinancingYear, RentView, ScenarioRow, UnitCost
from suanli.proposal.model.delivery import DayWindow, DeliveryView, TaskView
from suanli.proposal.model.dossier import (
    AskedView,
    BackgroundView,
    BidView,
    DossierView,
    LineState,
    MatrixView,
    RulebookView,
    ScoreRow,
    ServiceView,
)
from suanli.proposal.model.edits import EditView
from suanli.proposal.model.expansion import (
    ChangeView,
    ExpansionView,
    PathStageView,
    PathView,
    ServerFormView,
    StageView,
)
from suanli.proposal.model.facility import (
    BoxView,
    CoolingView,
    FacilityView,
    FloorView,
    LimitView,
    PlantView,
    PueView,
    RackView,
    RowView,
    SlotView,
)
from suanli.proposal.model.figures import Share, Shown
from suanli.proposal.model.job import ProfileView, ProjectView, WorkloadView
from suanli.proposal.model.money import (
    BillRow,
    CategoryTotal,
    LeadTimeView,
    MoneyView,
    PaymentView,
    SensitivityView,
    TcoRow,
    WaterfallStep,
    YearView,
)
from suanli.proposal.model.network import (
    CableView,
    LinkOptionView,
    NetworkView,
    ShapeView,
    SideNetworkView,
    SubscriptionView,
    TrafficView,
)
from suanli.proposal.model.option import Option, RemedyView, Verdict
from suanli.proposal.model.procurement import (
    BlockView,
    ClauseView,
    EvaluationView,
    MarketView,
    SpecificationView,
)
from suanli.proposal.model.proposal import Proposal, SummaryView
from suanli.proposal.model.references import AssumptionView, FormulaView, NoticeView, SourceView
from suanli.proposal.model.sizing import GoodputView, LayoutView, ParetoView
from suanli.proposal.model.storage import (
    CheckpointModeView,
    DemandView,
    StorageView,
    TierView,
    VolumeView,
)
from suanli.proposal.model.terms import GoodView, TermView
from suanli.proposal.model.topology import ScaleUpView, ServerGroup, TopologyLink, TopologyRow, TopologyView
from suanli.proposal.model.uncertainty import DriverView, UncertaintyView
from suanli.proposal.model.worked import WORKED_GROUPS, WorkedLine

__all__ = [
    "WORKED_GROUPS",
    "AllowanceView",
    "AskedView",
    "AssumptionView",
    "AvailabilityView",
    "BackgroundView",
    "BidView",
    "BillRow",
    "BlockView",
    "BoxView",
    "CableView",
    "CategoryTotal",
    "ChangeView",
    "CheckpointModeView",
    "ClaimVerdict",
    "ClaimView",
    "ClauseView",
    "ComplianceView",
    "CoolingView",
    "DayWindow",
    "DeliveryView",
    "DemandView",
    "DossierView",
    "DriverView",
    "EditView",
    "EnergyView",
    "EvaluationView",
    "EventView",
    "ExpansionView",
    "FabricView",
    "FacilityView",
    "FinancingView",
    "FinancingYear",
    "FloorView",
    "FormulaView",
    "GoodView",
    "GoodputView",
    "GroupView",
    "LayoutView",
    "LeadTimeView",
    "LimitView",
    "LineState",
    "LinkOptionView",
    "LossView",
    "MarketView",
    "MatrixView",
    "MoneyView",
    "NetworkView",
    "NoteView",
    "NoticeView",
    "Option",
    "ParetoView",
    "PathStageView",
    "PathView",
    "PaymentView",
    "PerformanceView",
    "PlantView",
    "PowerView",
    "ProfileView",
    "ProjectView",
    "Proposal",
    "PueView",
    "RackView",
    "RateView",
    "RemedyView",
    "RentView",
    "RiskLevel",
    "RiskView",
    "RowView",
    "RulebookView",
    "RungView",
    "ScaleUpView",
    "ScenarioRow",
    "ScoreRow",
    "SensitivityView",
    "ServerFormView",
    "ServerGroup",
    "ServiceView",
    "ShapeView",
    "Share",
    "Shown",
    "SideNetworkView",
    "SizeView",
    "SlotView",
    "SourceView",
    "SpareView",
    "SpecificationView",
    "StageView",
    "StorageView",
    "SubscriptionView",
    "SummaryView",
    "SupplyView",
    "TaskView",
    "TcoRow",
    "TermView",
    "TestView",
    "TierView",
    "TopologyLink",
    "TopologyRow",
    "TopologyView",
    "TrafficView",
    "UncertaintyView",
    "UnitCost",
    "Verdict",
    "VolumeView",
    "WaterfallStep",
    "WorkedLine",
    "WorkloadView",
    "YearView",
]
