"""The proposal: frozen, text-free, rounded and ordered; what every renderer shows, with nothing to compute.

Prose lives in templates; names that come from the catalogue are paired texts. Every figure carries its
reference keys: S source, F formula, R calibration on measured runs, C compliance, A assumption. The JSON
output is this model, and its JSON Schema is published with it.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum

from pydantic import Field, InstanceOf

from suanli.costing.ledger import Ledger
from suanli.domain.figure import Grade
from suanli.domain.record import Part, Text
from suanli.domain.vendor import Deliverability
from suanli.domain.workload import Objective, ProposalType, Recompute, Requirement, SolveFor, Task, Track
from suanli.estimation.results import Constraint, RemedyKind
from suanli.planning.results import BillCategory, VatClass

__all__ = [
    "AssumptionView",
    "BillRow",
    "CategoryTotal",
    "ClaimVerdict",
    "ClaimView",
    "ComplianceView",
    "EnergyView",
    "FabricView",
    "FormulaView",
    "GoodputView",
    "LayoutView",
    "MoneyView",
    "NoticeView",
    "Option",
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
    "Verdict",
    "WorkedStep",
    "WorkloadView",
    "YearView",
]

SCHEMA_VERSION = 1


class Shown(Part):
    """A figure as it is shown: rounded, with its unit, its 80 % range and where it comes from."""

    value: Decimal
    unit: str
    """Unit key of the message catalogue: device, day, h, kWh, MWh, GWh, t, GB, TB, kW, MW, share, flops,
    tokens/s, CNY, ...
    """
    low: Decimal | None = None
    high: Decimal | None = None
    refs: tuple[str, ...] = ()
    grade: Grade | None = None
    incomplete: bool = False
    """True for a sum that misses an unpriced part."""


class Share(Part):
    """One named part of a stack or a breakdown, in the unit of the whole."""

    key: str
    value: Decimal


class Verdict(StrEnum):
    """What the document says of an option."""

    RECOMMENDED = "recommended"
    ALTERNATE = "alternate"
    INFEASIBLE = "infeasible"
    BARRED = "barred"
    """May not be delivered to the region."""
    OVER_BUDGET = "over-budget"
    NOT_COMPUTABLE = "not-computable"


class LayoutView(Part):
    """The parallel layout."""

    tp: int
    pp: int
    cp: int
    dp: int
    ep: int
    micro_batch_size: int
    micro_batches: int
    virtual_pipeline: int
    recompute: Recompute
    zero_stage: int
    sequence_parallel: bool
    devices_per_accelerator: int = 1
    """Devices that software sees in one accelerator.

    tp, pp, cp and dp multiply to so many times the accelerators, and memory is that of one such device.
    """


class WorkedStep(Part):
    """One step of the worked calculation: formula key, the numbers put in, the result."""

    key: str
    numbers: dict[str, Decimal]
    result: Shown
    refs: tuple[str, ...] = ()


class GoodputView(Part):
    """Failures and checkpoints."""

    share: Shown
    mtbf_h: Shown
    interruptions: Shown
    checkpoint: Shown
    interval_min: Shown
    write_s: Shown
    restart_min: Shown
    checkpoint_share: Decimal
    lost_work_share: Decimal
    restart_share: Decimal


class FabricView(Part):
    """The compute network; a count that could not be computed is None, and 0 says that none is needed."""

    link: Text | None
    switch: Text | None
    per_port_gbit_s: Decimal | None
    endpoints: int | None
    tiers: int | None
    leaf_switches: int | None
    spine_switches: int | None
    core_switches: int | None
    host_cables: int | None
    fabric_cables: int | None
    transceivers: int | None
    ports_free: int | None = None
    oversubscription: Decimal
    bisection: Shown | None
    refs: tuple[str, ...] = ()


class StorageView(Part):
    """Data set and checkpoints."""

    dataset: Shown
    checkpoint: Shown
    checkpoints_kept: int
    capacity: Shown
    write: Shown
    read: Shown


class PowerView(Part):
    """Racks and electric power."""

    server_peak: Shown | None
    server_training: Shown
    it_peak: Shown
    it_training: Shown
    facility_peak: Shown
    racks: int
    servers_per_rack: int
    rack_power: Shown
    cooling: str
    estimated: bool
    over_rack_limit: bool = False
    """True where one server alone draws more than the site allows a rack."""


class EnergyView(Part):
    """Energy and carbon."""

    per_run: Shown
    per_year: Shown
    carbon_per_run: Shown | None
    carbon_per_year: Shown | None
    busy_share: Decimal


class BillRow(Part):
    """One line of the bill of quantities with its money."""

    number: str
    id: str
    category: BillCategory
    name: Text
    quantity: int
    unit: str
    rule: str
    """Key of the rule that gave the quantity."""
    rule_text: Text
    """The rule with its numbers, as a reader checks it."""
    rule_numbers: dict[str, str] = Field(default_factory=dict[str, str])
    vat_class: VatClass
    price: Shown | None
    """Unit price as the source gives it, in its currency; None: not priced."""
    unit_price: Decimal | None
    """Net unit price in the project's currency."""
    net: Decimal | None
    vat_rate: Decimal
    vat: Decimal | None
    gross: Decimal | None
    recurring: bool = False
    """True for a yearly price: it is an operating cost and has no purchase amount."""
    stale: bool = False
    refs: tuple[str, ...] = ()


class CategoryTotal(Part):
    """A block's total."""

    category: BillCategory
    net: Decimal
    vat: Decimal
    gross: Decimal
    incomplete: bool


class TcoRow(Part):
    """One row of the cash view: year 0 first."""

    key: str
    label: Text
    years: tuple[Decimal, ...]
    total: Decimal
    style: str = "row"


class YearView(Part):
    """A year of the accounting view."""

    year: int
    depreciation: Decimal
    book_value: Decimal


class MoneyView(Part):
    """The money of one option, equal to the ledger's values."""

    capex_net: Shown
    capex_vat: Shown
    capex_gross: Shown
    capex_in_words: str
    """The gross total in Chinese capitals; empty for a currency without such a custom."""
    opex_first_year: Shown
    tco_net: Shown
    tco_discounted: Shown
    per_accelerator_hour: Shown | None
    per_billion_tokens: Shown | None
    blocks: tuple[CategoryTotal, ...]
    cash: tuple[TcoRow, ...]
    accounting: tuple[YearView, ...]
    unpriced: tuple[Text, ...]
    stale_prices: int
    weak_prices: int
    electricity_share: Decimal | None = None
    """Share of electricity in the TCO."""


class RemedyView(Part):
    """One way out of an infeasible option."""

    kind: RemedyKind
    value: Shown | None
    detail: str = ""


class ComplianceView(Part):
    """Whether the device may be delivered, and on what ground."""

    region: str
    deliverability: Deliverability
    summary: Text | None
    as_of: date | None
    refs: tuple[str, ...] = ()


class TestView(Part):
    """An acceptance test."""

    __test__ = False  # pytest collects classes by this name otherwise

    name: Text
    tool: str
    procedure: Text
    metric: Text
    threshold: Shown | None
    refs: tuple[str, ...] = ()


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
    worked: tuple[WorkedStep, ...] = ()
    scaling: tuple[tuple[int, Decimal], ...] = ()
    """(accelerators, days P50) of other sizes."""
    candidates: int = 0
    rejected: dict[str, int] = Field(default_factory=dict[str, int])
    fabric: FabricView | None = None
    storage: StorageView | None = None
    power: PowerView | None = None
    energy: EnergyView | None = None
    bill: tuple[BillRow, ...] = ()
    money: MoneyView | None = None
    """None where the servers, most of the cost, have no price: a total without them would mislead."""
    compliance: ComplianceView
    acceptance: tuple[TestView, ...] = ()
    remedies: tuple[RemedyView, ...] = ()
    shortfall: tuple[Shown, Shown] | None = None
    """Need and have of the binding constraint of an infeasible option."""
    borrowed: tuple[str, ...] = ()
    """What was taken from a sibling device."""
    refs: tuple[str, ...] = ()


class ProjectView(Part):
    """Title page facts."""

    name: str
    client: str
    type: ProposalType
    track: Track
    day: date
    languages: tuple[str, ...]
    version: str
    """Version of suanli."""
    region: str
    region_name: Text | None = None
    currency: str
    horizon_years: int
    price_validity_days: int


class ProfileView(Part):
    """The model's profile."""

    name: Text
    origin: str
    reference: str
    total_parameters: int
    active_parameters: int
    matmul_parameters: int
    trainable_parameters: int
    layers: int
    hidden_size: int
    ffn_hidden_size: int
    attention_heads: int
    kv_heads: int
    head_dim: int
    vocab_size: int
    experts: int = 0
    top_k: int = 0
    flops_per_token: Shown
    matmul_flops_per_token: Shown
    attention_flops_per_token: Shown
    six_n_flops_per_token: Shown
    refs: tuple[str, ...] = ()


class WorkloadView(Part):
    """The job."""

    task: Task
    tokens: Shown | None
    sequence_length: int
    global_batch_size: int
    global_batch_tokens: int
    precision: str
    deadline: Shown | None
    deadline_confidence: Decimal
    runs_per_year: Decimal
    epochs: Decimal
    solve_for: SolveFor
    objective: Objective
    total_flops: Shown | None
    steps: int | None
    optimal_tokens: Shown | None = None
    """20 tokens per parameter (Hoffmann et al., 2022), for comparison."""


class ClaimVerdict(StrEnum):
    """What the audit says of a claim."""

    PLAUSIBLE = "plausible"
    OPTIMISTIC = "optimistic"
    """Above what was ever measured on the device, below its peak."""
    IMPOSSIBLE = "impossible"
    """Above the dense peak: no software can do it."""
    DOES_NOT_FIT = "does-not-fit"
    PESSIMISTIC = "pessimistic"
    NOT_COMPUTABLE = "not-computable"


class ClaimView(Part):
    """A claim and its audit."""

    by: str
    says: str
    accelerator_name: Text
    accelerators: int
    days: Shown
    implied_mfu: Shown | None
    """Over the dense peak; above 1 is impossible."""
    implied_rate: Shown | None
    """FLOP/s that each device would have to sustain."""
    peak: Shown | None
    fits: bool | None
    static_memory: Shown | None
    """Model states per device when sharded over all of them."""
    right_days: Shown | None
    """How long that many devices really need."""
    right_accelerators: int | None
    """How many devices the claimed time really needs."""
    factor: Shown | None
    """Right days over claimed days."""
    verdict: ClaimVerdict
    refs: tuple[str, ...] = ()


class RiskLevel(StrEnum):
    """How grave a risk is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class RiskView(Part):
    """A risk that the figures show; the text is found by key."""

    key: str
    level: RiskLevel
    option: str = ""
    numbers: dict[str, Shown] = Field(default_factory=dict[str, Shown])
    texts: dict[str, Text] = Field(default_factory=dict[str, Text])
    refs: tuple[str, ...] = ()


class AssumptionView(Part):
    """A default that the tool chose."""

    key: str
    """A1, A2 ..."""
    setting: str
    """Key path in the project file or name of the planning rule."""
    value: str
    reason: Text
    refs: tuple[str, ...] = ()


class SourceView(Part):
    """A source that some figure refers to."""

    key: str
    """S1, R1, C1 ..."""
    id: str
    title: str
    publisher: str
    published: str
    ref: str
    retrieved: date
    weak: bool = False
    """True where figures of it were not read in the named document."""


class FormulaView(Part):
    """A formula that some figure refers to; name and equation are found by id in the message catalogue."""

    key: str
    """F1, F2 ..."""
    id: str
    source: str = ""
    """Key of the source, or a citation."""


class NoticeView(Part):
    """Something the reader must know: a plugin that failed, a setting without effect, an unusual input."""

    text: Text


class SensitivityView(Part):
    """How the recommended option's TCO moves when one input moves."""

    label: Text
    change: Decimal
    """Relative change of the input, up and down."""
    low: Decimal
    """TCO with the input lowered, in the project's currency."""
    high: Decimal
    spread: Decimal
    """Absolute difference of the two over the base TCO."""


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
    notices: tuple[NoticeView, ...] = ()
    ledger: InstanceOf[Ledger] = Field(exclude=True)
    """The ledger whose values the money views repeat; the workbook writes its formulas."""
    requirement: InstanceOf[Requirement] = Field(exclude=True)
    site_pue: Shown
    site_electricity: Shown
    site_carbon: Shown | None
    exchange_rates: tuple[Shown, ...] = ()
    """Unit is the pair, such as ``USD/CNY``."""
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
    def recommended(self) -> Option | None:
        """Return the recommended option, or None where there is none."""
        return self.option(self.summary.recommended) if self.summary.recommended else None
