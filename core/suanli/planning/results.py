"""What the planning yields: a cluster, its bill of quantities, its energy."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from suanli.planning.storage_results import StoragePlan

if TYPE_CHECKING:
    from suanli.domain.hardware import Cooling, Link, Switch
    from suanli.domain.market import Price
    from suanli.domain.record import Text
    from suanli.domain.workload import HandEdit
    from suanli.estimation.results import Range, Sizing
    from suanli.planning.availability_results import AvailabilityPlan
    from suanli.planning.expansion.results import ExpansionPlan
    from suanli.planning.facility.results import FacilityPlan
    from suanli.planning.network.clos import ClosCounts
    from suanli.planning.network.results import CableCount, NetworkPlan, NetworkShape
    from suanli.planning.software.results import SoftwarePlan

__all__ = [
    "BillCategory",
    "BillItem",
    "ClusterPlan",
    "EnergyUse",
    "FabricPlan",
    "LeadTime",
    "PowerPlan",
    "Rule",
    "StoragePlan",
    "VatClass",
]


class BillCategory(StrEnum):
    """Blocks of the bill of quantities, in the order of the document."""

    COMPUTE = "compute"
    NETWORK = "network"
    STORAGE = "storage"
    MANAGEMENT = "management"
    FACILITY = "facility"
    SOFTWARE = "software"
    SERVICES = "services"
    SPARES = "spares"


class VatClass(StrEnum):
    """Which VAT rate of the project applies."""

    GOODS = "goods"
    WORKS = "works"
    SERVICES = "services"


@dataclass(frozen=True, slots=True)
class Rule:
    """The formula that gave a quantity: a key of the message catalogue and its numbers."""

    key: str
    """Such as ``servers = ceil(accelerators / per_server)``, shown in the reader's language by this key."""
    numbers: tuple[tuple[str, str], ...] = ()
    """Name and value of each number in the rule."""


@dataclass(frozen=True, slots=True)
class LeadTime:
    """Time from order to delivery as a source stated it on a date."""

    low_s: float
    high_s: float
    as_of: str
    """When it was seen."""
    source: str
    open_ended: bool = False
    """True where the source says that it takes longer than this."""
    weak: bool = False
    """True where the document itself was not read, or only claims it."""


@dataclass(frozen=True, slots=True)
class BillItem:
    """One line of the bill of quantities."""

    id: str
    category: BillCategory
    name: Text
    quantity: int
    unit: str
    """Unit key of the message catalogue: set, piece, port, rack, TB, item."""
    rule: Rule
    vat: VatClass
    price: Price | None
    """None: not priced; the total is then marked incomplete. A price per year is an operating cost."""
    price_factor: Decimal = Decimal(1)
    """Priced units in one unit of quantity (8 where a device price stands for an 8-way server's boards)."""
    refs: tuple[str, ...] = ()
    """Source ids of the quantity."""
    lead_time: LeadTime | None = None
    """None where no source states one."""
    price_key: str = ""
    """What a quotation must name to price the line (`suanli.planning.price_keys`); empty: the line itself."""
    as_sized: int | None = None
    """Quantity by the rule, where somebody changed it by hand in a cost sheet; None where nobody did."""
    as_listed: Price | None = None
    """Price of the catalogue, where somebody changed it by hand in a cost sheet."""

    @property
    def recurring(self) -> bool:
        """Tell whether the price is paid every year, and so belongs to operating cost."""
        return self.price is not None and self.price.per.endswith("year")


@dataclass(frozen=True, slots=True)
class FabricPlan:
    """The compute network. Counts are None where they cannot be computed; 0 says that none is needed."""

    link: Link | None
    """None where the catalogue has no link of the servers' port rate."""
    switch: Switch | None
    """None where no switch of the speed is in the catalogue: counts are then unknown."""
    endpoints: int | None
    """Compute ports of all servers, spares included; None where the server's ports are unknown."""
    tiers: int | None
    """0 for a single server, which needs no compute network."""
    leaf_switches: int | None
    spine_switches: int | None
    core_switches: int | None
    host_cables: int | None
    fabric_cables: int | None
    """Cables between switches."""
    transceivers: int | None
    oversubscription: float
    """Host ports in use over up ports of the fullest leaf, by rate; 1 is non-blocking."""
    bisection_bytes_per_s: float | None
    endpoint_bytes_per_s: float | None = None
    """Line rate of one compute port, one direction."""
    host_transceivers: int | None = None
    """Of the transceivers, those in servers, which run at the endpoint's rate."""
    switch_transceivers: int | None = None
    """Of the transceivers, those in switches, which run at the switch port's rate."""
    copper_hosts: bool = False
    """True where servers and switch share one rack, so that copper reaches and needs no transceivers."""
    ports_used: int | None = None
    """Switch ports in use, over all switches."""
    ports_free: int | None = None
    shape: NetworkShape | None = None
    """None where the counts are unknown."""
    rails: int = 1
    """Ports of a server that go to leaves of their own; 1 for a plain fat tree."""
    counts: ClosCounts | None = None
    """The network in detail; None where it is unknown or not needed."""
    cables: tuple[CableCount, ...] = ()
    """Every cable by tier and class; empty where the counts are unknown."""

    @property
    def known(self) -> bool:
        """Tell whether the counts could be computed."""
        return self.leaf_switches is not None

    @property
    def switches(self) -> int | None:
        """Return all switches, or None where unknown."""
        if self.leaf_switches is None:
            return None
        return self.leaf_switches + (self.spine_switches or 0) + (self.core_switches or 0)


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """Electric power and racks."""

    server_peak_w: float | None
    """Nameplate of one server; None where unknown and only estimated."""
    server_training_w: Range
    server_idle_w: float | None
    it_peak_w: float
    it_training_w: Range
    facility_peak_w: float
    racks: int
    servers_per_rack: int
    rack_power_w: float
    cooling: Cooling
    estimated: bool
    """True where the server's power was derived from device TDP."""
    refs: tuple[str, ...] = ()
    network_w: float | None = None
    """Switches of the compute network, in the IT figures; None where unknown and therefore missing from them.
    """
    auxiliary_w: float = 0.0
    """Storage, management and their networks while the cluster trains, in the IT figures."""
    over_rack_limit: bool = False
    """True where one server alone draws more than the site allows a rack: the rack must be strengthened."""
    rack_part_w: float | None = None
    """Peak of a server, or of its part in one rack, estimated where its nameplate is unknown."""
    rack_limit_w: float | None = None
    """What a rack of servers may draw: the site's limit, cooled by air no more than air serves."""
    lower_bound: bool = False
    """True where the power of some switch is unknown, so that every IT and site figure misses it."""


@dataclass(frozen=True, slots=True)
class EnergyUse:
    """Energy and carbon of one run and of a year; PUE is applied once, here."""

    it_kwh_per_run: Range
    facility_kwh_per_run: Range
    facility_kwh_per_year: Range
    carbon_kg_per_run: Range | None
    """None where the grid factor is unknown."""
    carbon_kg_per_year: Range | None
    busy_share: float
    """Share of the year that the cluster trains."""


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """Everything one option consists of."""

    sizing: Sizing
    spare_nodes: int
    fabric: FabricPlan
    storage: StoragePlan
    power: PowerPlan | None
    """None where neither the server's nameplate nor the device's TDP is known."""
    energy: EnergyUse | None
    """None where the power is unknown."""
    bill: tuple[BillItem, ...]
    software: SoftwarePlan | None = None
    """Features, rules and launch arguments; None where they were not planned."""
    expansion: ExpansionPlan | None = None
    """How the cluster grows; planned for the option that the document describes, None for the others."""
    availability: AvailabilityPlan | None = None
    """Failures, lost time and spares; None where they were not planned."""
    facility: FacilityPlan | None = None
    """Racks, rows, circuits and cooling; None where the power of the servers is unknown."""
    network: NetworkPlan | None = None
    """Traffic, link options and the networks beside the compute network; None where they were not planned."""
    edits: tuple[HandEdit, ...] = ()
    """Figures of this option that were changed by hand; they act on bill, energy and cost, never on the plan.
    """

    @property
    def nodes(self) -> int:
        """Return all servers, spares included."""
        return self.sizing.nodes + self.spare_nodes
