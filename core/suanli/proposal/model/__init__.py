"""The proposal: frozen, text-free, rounded and ordered; what every renderer shows, with nothing to compute.

Prose lives in templates; names that come from the catalogue are paired texts. Every figure carries its
reference keys: S source, F formula, R calibration on measured runs, C compliance, A assumption. The JSON
output is this model, and its JSON Schema is published with it.
"""

from __future__ import annotations

from suanli.proposal.model.audit import ClaimVerdict, ClaimView, RiskLevel, RiskView
from suanli.proposal.model.cluster import EnergyView, FabricView, PowerView, StorageView, TestView
from suanli.proposal.model.figures import Share, Shown
from suanli.proposal.model.job import ProfileView, ProjectView, WorkloadView
from suanli.proposal.model.money import (
    BillRow,
    CategoryTotal,
    MoneyView,
    PaymentView,
    SensitivityView,
    TcoRow,
    YearView,
)
from suanli.proposal.model.option import ComplianceView, Option, RemedyView, Verdict
from suanli.proposal.model.proposal import Proposal, SummaryView
from suanli.proposal.model.references import AssumptionView, FormulaView, NoticeView, SourceView
from suanli.proposal.model.sizing import GoodputView, LayoutView, ParetoView, WorkedStep
from suanli.proposal.model.uncertainty import DriverView, UncertaintyView

__all__ = [
    "AssumptionView",
    "BillRow",
    "CategoryTotal",
    "ClaimVerdict",
    "ClaimView",
    "ComplianceView",
    "DriverView",
    "EnergyView",
    "FabricView",
    "FormulaView",
    "GoodputView",
    "LayoutView",
    "MoneyView",
    "NoticeView",
    "Option",
    "ParetoView",
    "PaymentView",
    "PowerView",
    "ProfileView",
    "ProjectView",
    "Proposal",
    "RemedyView",
    "RiskLevel",
    "RiskView",
    "SensitivityView",
    "Share",
    "Shown",
    "SourceView",
    "StorageView",
    "SummaryView",
    "TcoRow",
    "TestView",
    "UncertaintyView",
    "Verdict",
    "WorkedStep",
    "WorkloadView",
    "YearView",
]
