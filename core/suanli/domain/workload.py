"""What the client wants to run, complete: every choice is made, and the tool's own choices are listed."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from suanli.domain.finance import Escalation, Financing, ScenarioFactors, Serving
from suanli.domain.scoring import ScoringWeights
from suanli.domain.units import S_PER_DAY

if TYPE_CHECKING:
    from datetime import date

    from suanli.domain.architecture import Architecture
    from suanli.domain.hardware import Cooling, Precision
    from suanli.domain.money import Money
    from suanli.domain.record import Text

__all__ = [
    "TARIFF_PLACES",
    "Assumption",
    "Claim",
    "ClaimQuantity",
    "ClusterWish",
    "Commercial",
    "ExchangeRate",
    "Hall",
    "HandEdit",
    "LayoutPins",
    "Measured",
    "Milestone",
    "ModelChoice",
    "Objective",
    "Offload",
    "ProjectInfo",
    "ProposalType",
    "Recompute",
    "ReliabilityWish",
    "RentOffer",
    "Requirement",
    "Rounding",
    "Site",
    "SolveFor",
    "StorageWish",
    "TariffBand",
    "Task",
    "Track",
    "VendorChoice",
    "Workload",
]


class Task(StrEnum):
    """Kind of training."""

    PRETRAIN = "pretrain"
    FULL_FINETUNE = "full-finetune"
    LORA = "lora"
    QLORA = "qlora"


class SolveFor(StrEnum):
    """The one unknown."""

    ACCELERATORS = "accelerators"
    DAYS = "days"
    TOKENS = "tokens"
    BEST_WITHIN_BUDGET = "best-within-budget"


class Objective(StrEnum):
    """What the recommendation makes smallest."""

    COST = "cost"
    TIME = "time"
    ENERGY = "energy"


class Recompute(StrEnum):
    """Which activations are computed again in the backward pass."""

    NONE = "none"
    SELECTIVE = "selective"
    FULL = "full"


class Offload(StrEnum):
    """Which states live in host memory between the steps."""

    NONE = "none"
    OPTIMIZER = "optimizer"
    """Optimizer states and gradients; the optimizer runs on the host (DeepSpeed ZeRO-Offload)."""
    WEIGHTS = "weights"
    """Optimizer states, gradients and weights; needs ZeRO-3."""


class ProposalType(StrEnum):
    """Who the document speaks for."""

    INTERNAL_APPROVAL = "internal-approval"
    TENDER_REQUIREMENT = "tender-requirement"
    VENDOR_BID = "vendor-bid"


class Track(StrEnum):
    """Legal track of the purchase."""

    GOVERNMENT = "government"
    BIDDING_LAW = "bidding-law"
    ENTERPRISE = "enterprise"
    INTERNATIONAL = "international"


class Paper(StrEnum):
    """Size of the pages of a document."""

    A4 = "A4"
    LETTER = "letter"


class Rounding(StrEnum):
    """Where money is rounded to the cent."""

    LINE = "line"
    UNIT = "unit"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Assumption:
    """A value that the tool chose because the project file left it out."""

    key: str
    """Key path in the project file, such as ``workload.precision``."""
    value: str
    """The value as a project file would spell it."""
    reason: Text
    source: str = ""
    """Source id where the value comes from a document."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model to train."""

    name: Text
    architecture: Architecture
    origin: str
    """``catalogue``, ``config`` or ``parameters``: how the shape is known."""
    reference: str = ""
    """Catalogue id or file name."""
    source: str = ""
    """Source id of a catalogue model."""
    stated_parameters: float | None = None
    """The bare count that the user gave, where the shape was assumed from it."""


@dataclass(frozen=True, slots=True)
class Workload:
    """One training job."""

    task: Task
    sequence_length: int
    global_batch_size: int
    """Sequences per optimizer step, whole."""
    precision: Precision
    tokens: float | None
    """Tokens of one run, all epochs together; None where it is the unknown."""
    epochs: float = 1.0
    deadline_s: float | None = None
    deadline_confidence: float = 0.9
    """Probability with which the deadline must be met."""
    runs_per_year: float = 1.0
    stack: str = ""
    """Stack id, or empty for the vendor's default."""
    tuned: bool = True
    lora_rank: int = 0
    """Rank of the adapters; 0 where there are none."""
    capacity_factor: float | None = None
    """Tokens that a routed expert is padded to over its even share; None: no padding, no token dropped."""

    @property
    def global_batch_tokens(self) -> int:
        """Return tokens per optimizer step."""
        return self.global_batch_size * self.sequence_length


@dataclass(frozen=True, slots=True)
class LayoutPins:
    """Dimensions of the layout that the user fixed; None is searched."""

    tp: int | None = None
    pp: int | None = None
    cp: int | None = None
    ep: int | None = None
    micro_batch_size: int | None = None
    virtual_pipeline: int | None = None
    recompute: Recompute | None = None
    recompute_layers: int | None = None
    zero_stage: int | None = None
    shard_group: int | None = None
    offload: Offload | None = None
    sequence_parallel: bool | None = None
    loss_chunks: int | None = None


@dataclass(frozen=True, slots=True)
class ClusterWish:
    """What the user fixed about the cluster."""

    accelerators: int | None = None
    spare_nodes: int | None = None
    oversubscription: float = 1.0
    exposed_communication_max: float | None = None
    expansion: tuple[float, ...] = ()


TARIFF_PLACES: Final = 4
"""Decimals of the mean price of a time-of-use tariff."""


@dataclass(frozen=True, slots=True)
class TariffBand:
    """Hours of a day at one price of electricity."""

    name: str
    hours: Decimal
    price: Money
    """Price of one kWh."""


@dataclass(frozen=True, slots=True)
class StorageWish:
    """What the user fixed about storage and checkpoints; None leaves a planning default."""

    checkpoint_stall_s: float | None = None
    """Longest time that training may stand still for one checkpoint."""
    asynchronous: bool = False
    """Training goes on while a checkpoint is written from host memory."""
    checkpoint_write_s: float | None = None
    """Time until an asynchronous checkpoint is safe."""
    checkpoints_kept: int | None = None
    """For recovery."""
    milestones: int | None = None
    """Checkpoints of a run that are kept for good."""
    source_data_bytes: float | None = None
    scratch_bytes: float | None = None


@dataclass(frozen=True, slots=True)
class ReliabilityWish:
    """What the user knows about failures; None leaves the published rate or a planning default."""

    interruptions_per_1000_device_days: float | None = None
    restart_s: float | None = None
    """From an interruption to the first new step."""
    repair_s: float | None = None
    """From the failure of a server to its return."""


class Hall(StrEnum):
    """Whose hall the cluster stands in."""

    COLOCATION = "colocation"
    """Rented by the kW and month, power plant and cooling included."""
    BUILD = "build"
    """Built for the project, which pays for it with the cluster."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where the cluster stands."""

    region: str
    """ISO 3166-2 or 3166-1."""
    pue: Decimal
    electricity: Money
    """Price of one kWh; of a time-of-use tariff the mean over the day."""
    grid_carbon_kg_per_kwh: Decimal | None
    rack_power_w: float
    cooling: Cooling
    redundancy: str = "N+1"
    pue_source: str = ""
    electricity_source: str = ""
    grid_carbon_source: str = ""
    hall: Hall = Hall.COLOCATION
    planned_downtime_h: Decimal = Decimal(0)
    """Planned downtime of a year, at idle power; 0 where the project plans none."""
    tariff: tuple[TariffBand, ...] = ()
    """Bands of a time-of-use tariff, 24 hours in all; empty for one price around the clock."""


@dataclass(frozen=True, slots=True)
class VendorChoice:
    """Which vendors and devices are considered."""

    consider: tuple[str, ...]
    accelerators: tuple[str, ...] = ()
    """Empty: each vendor's eligible devices."""
    prefer: str = ""
    """``domestic``, a vendor id or empty."""
    delivery_region: str = ""


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """Price of one unit of `base` in `quote` currency, on a day."""

    base: str
    quote: str
    rate: Decimal
    day: date
    source: str = ""


@dataclass(frozen=True, slots=True)
class Milestone:
    """A payment of the purchase."""

    name: Text
    share: Decimal
    """Of the contract, 0-1."""
    after_days: int | None = None
    """Days after the order; None: with the order or as the event falls, within the first months."""


@dataclass(frozen=True, slots=True)
class RentOffer:
    """An offer to rent what the project would buy."""

    price: Money
    """Of one accelerator-hour, net of VAT."""
    commitment_s: float | None = None
    accelerator: str = ""
    """Device that the offer is about; empty: every option."""


_CONSTANT_PRICES = Escalation()
_BASE = ScenarioFactors()
_USUAL_WEIGHTS = ScoringWeights()


@dataclass(frozen=True, slots=True)
class Commercial:
    """Money rules of the project."""

    currency: str
    budget: Money | None
    horizon_years: int
    discount_rate: Decimal
    vat_goods: Decimal
    vat_works: Decimal
    vat_services: Decimal
    exchange_rates: tuple[ExchangeRate, ...]
    rounding: Rounding
    price_validity_days: int
    depreciation_years: int
    residual_share: Decimal
    maintenance_share: Decimal
    """Yearly maintenance after the warranty, share of hardware price."""
    warranty_years: int
    spare_parts_share: Decimal
    staff_fte: Decimal | None = None
    staff_cost: Money | None = None
    """Cost of one full-time post for a year."""
    milestones: tuple[Milestone, ...] = ()
    """Payments of the purchase, whose shares add up to 1; empty: all with the order."""
    rent: RentOffer | None = None
    delivery_months: int | None = None
    """From the order to operation, as the project states it; None: by the lead time of the servers."""
    insurance_share: Decimal = Decimal(0)
    """Yearly insurance, share of the goods."""
    decommissioning_share: Decimal = Decimal(0)
    """Removal at the end of the horizon, share of the goods."""
    escalation: Escalation = _CONSTANT_PRICES
    financing: Financing | None = None
    serving: Serving | None = None
    optimistic: ScenarioFactors = _BASE
    pessimistic: ScenarioFactors = _BASE
    scoring: ScoringWeights = _USUAL_WEIGHTS
    """Weights with which options are compared."""
    quotes: tuple[str, ...] = ()
    """Files of quotations, as the project file names them."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A pilot run of the client's."""

    accelerator: str
    stack: str
    tokens_per_s_per_accelerator: float
    tp: int | None = None
    pp: int | None = None
    accelerators: int | None = None


class ClaimQuantity(StrEnum):
    """What a claim states a value of, named as its key in the project file."""

    DAYS = "days"
    """Wall-clock time of the run, in s."""
    TOKENS_PER_S = "tokens_per_s"
    """Rate of the whole cluster while stepping."""
    TOKENS_PER_S_PER_ACCELERATOR = "tokens_per_s_per_accelerator"
    MFU = "mfu"
    FITS = "fits"
    """That the devices are enough; without a value."""
    MEMORY = "memory"
    """Peak memory of one device as sold, in bytes."""
    STATES = "states"
    """Weights, gradients and optimizer of the whole model, in bytes."""
    OPTIMIZER = "optimizer"
    """Optimizer states of the whole model, in bytes."""
    WEIGHTS = "weights"
    """Weights that must be resident to run the model, in bytes."""
    KV_CACHE = "kv_cache"
    """Keys and values of one sequence, in bytes."""
    TIME_PER_OUTPUT_TOKEN = "time_per_output_token"  # noqa: S105 - the token of a language model
    """Decoding of one sequence, in s."""
    NETWORK = "network"
    """That a server can do with this bandwidth, one direction, in bytes/s."""
    PEAK = "peak"
    """Dense peak of the device, in FLOP/s."""
    DEVICE_MEMORY = "device_memory"
    """Nominal memory of the device, in bytes."""
    NONE = "none"
    """Words alone, which no computation can settle."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that somebody made and the document audits: one quantity with its value in SI units."""

    by: Text
    says: Text
    accelerator: str | None
    """None where the claim is about a model alone."""
    accelerators: int | None
    quantity: ClaimQuantity
    value: float | None = None
    """None for a quantity without a value."""

    @property
    def days(self) -> float | None:
        """Return the claimed days, or None where the claim states something else."""
        return self.value / S_PER_DAY if self.quantity is ClaimQuantity.DAYS and self.value else None


@dataclass(frozen=True, slots=True)
class ProjectInfo:
    """Title page facts."""

    name: Text
    client: Text
    type: ProposalType
    track: Track
    languages: tuple[str, ...]
    day: date
    theme: str = "default"
    paper: Paper = Paper.A4


@dataclass(frozen=True, slots=True)
class HandEdit:
    """A figure of the ledger that somebody changed in a cost sheet, in place of catalogue or sizing."""

    input: str
    """Id of the ledger's input, without the letter of an option: ``price.switch``, ``quantity.servers``."""
    value: Decimal
    day: date
    """When the cost sheet was saved."""
    accelerator: str = ""
    """Device whose option the figure belongs to; empty for one that all options share."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A completed project: what the pipeline starts from."""

    project: ProjectInfo
    scenario: str
    model: ModelChoice
    workload: Workload
    solve_for: SolveFor
    objective: Objective
    pins: LayoutPins
    cluster: ClusterWish
    site: Site
    vendors: VendorChoice
    commercial: Commercial
    measured: tuple[Measured, ...] = ()
    claims: tuple[Claim, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    """Every default that the tool chose, in order of key."""
    notices: tuple[Text, ...] = ()
    """What the reader should know about the input: advice of the scenario, roundings, what is left out."""
    storage: StorageWish = field(default_factory=StorageWish)
    reliability: ReliabilityWish = field(default_factory=ReliabilityWish)
    edits: tuple[HandEdit, ...] = ()
    """Figures changed by hand in a cost sheet."""

    @property
    def delivery_region(self) -> str:
        """Return the place that the devices are delivered to: the stated one, else the site's."""
        return self.vendors.delivery_region or self.site.region
