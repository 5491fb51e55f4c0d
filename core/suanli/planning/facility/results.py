"""What the planning of the hall yields: boxes in racks, racks in rows, circuits, cooling, floor, PUE."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

    from suanli.domain.hardware import Cooling
    from suanli.domain.record import Text

__all__ = [
    "Box",
    "BoxKind",
    "Circuits",
    "CoolingConcern",
    "CoolingMethod",
    "CoolingPlan",
    "FacilityPlan",
    "Plant",
    "PueLimit",
    "PuePlan",
    "RackRole",
    "RackType",
    "RowType",
    "Slot",
]


class BoxKind(StrEnum):
    """What stands in a rack, in the order in which it is placed."""

    SERVER = "server"
    SPARE = "spare"
    CORE = "core"
    SPINE = "spine"
    LEAF = "leaf"
    SWITCH = "switch"
    """A switch of another network than the compute network."""
    STORAGE = "storage"
    MANAGEMENT = "management"
    OUT_OF_BAND = "out-of-band"


class RackRole(StrEnum):
    """What a rack is for."""

    COMPUTE = "compute"
    NETWORK = "network"
    STORAGE = "storage"
    MANAGEMENT = "management"
    MIXED = "mixed"


class CoolingMethod(StrEnum):
    """How the heat of a rack is taken away."""

    AIR = "air"
    ASSISTED_AIR = "assisted-air"
    """Closed aisles and coolers in the row or in the rear door."""
    LIQUID = "liquid"
    """Cold plates; what they do not catch goes into the air."""
    LIQUID_NEEDED = "liquid-needed"
    """Servers cooled by air in a rack denser than air can serve: spread them, or buy their liquid variant."""


class CoolingConcern(StrEnum):
    """Where the site and the servers do not fit."""

    LIQUID_SERVERS_AIR_SITE = "liquid-servers-air-site"
    AIR_SERVERS_LIQUID_SITE = "air-servers-liquid-site"
    DENSITY_ABOVE_AIR = "density-above-air"


@dataclass(frozen=True, slots=True)
class Box:
    """One line of the bill that stands in racks."""

    key: str
    """Id of the line."""
    kind: BoxKind
    name: Text
    count: int
    rack_units: int
    peak_w: float | None
    """None where it is unknown and missing from every sum."""
    training_w: float | None
    """Power while the cluster trains."""
    weight_kg: float | None = None
    cooling: Cooling | None = None
    height_assumed: bool = False
    racks_each: int = 1
    """Racks that one box fills; above 1 for a supernode."""
    brings_rack: bool = False
    """True for a system that comes as whole racks."""

    @property
    def part_peak_w(self) -> float:
        """Return the peak power of the part that stands in one rack, 0 where unknown."""
        return (self.peak_w or 0.0) / self.racks_each

    @property
    def part_training_w(self) -> float:
        """Return the training power of the part that stands in one rack, 0 where unknown."""
        return (self.training_w or 0.0) / self.racks_each


@dataclass(frozen=True, slots=True)
class Slot:
    """A box, or its part, in a rack."""

    box: str
    """Key of the box."""
    bottom: int
    """Lowest rack unit, counted from 1 at the floor."""
    units: int


@dataclass(frozen=True, slots=True)
class Circuits:
    """How a rack is fed."""

    sources: int
    """1 without redundancy, else 2: each carries the whole rack alone."""
    per_source: int
    rating_a: int
    """Breaker of one circuit."""
    current_a: float
    """Phase current of one source at the rack's peak, the other one lost."""

    @property
    def count(self) -> int:
        """Return the circuits of the rack, each with a power distribution unit."""
        return self.sources * self.per_source


@dataclass(frozen=True, slots=True)
class RackType:
    """Racks of equal content."""

    key: str
    """R1, R2 ... in the order of the document."""
    role: RackRole
    count: int
    units: int
    reserved_units: int
    """At the top, for patch panels and cables."""
    slots: tuple[Slot, ...]
    peak_w: float
    training_w: float
    circuits: Circuits
    method: CoolingMethod
    weight_kg: float | None
    """With the rack itself; None where the weight of one box is unknown."""
    floor_kg_per_m2: float | None
    """On the floor of the rack and its share of the aisles."""
    over_power: bool = False
    """True where one box alone draws more than the site allows a rack."""
    brought: bool = False
    """True for a rack that comes with its system, power shelves included: it is placed but not bought."""
    power_known: bool = True
    """False where the power of a box is unknown: the peak misses it; the circuits carry the whole limit."""
    reserved_w: float = 0.0
    """What the circuits carry beyond the peak for boxes of unknown power; UPS and transformers carry it too.
    """


@dataclass(frozen=True, slots=True)
class RowType:
    """Rows of equal racks."""

    racks: tuple[tuple[str, int], ...]
    """Rack types and how many of each stand in one row."""
    count: int
    peak_w: float
    training_w: float
    """Of one row."""


@dataclass(frozen=True, slots=True)
class Plant:
    """Equal machines that together carry a load: UPS or transformers."""

    load_va: float
    unit_va: float
    needed: int
    """Units that carry the load, each at the planned share of its rating."""
    installed: int
    """With redundancy."""

    @property
    def installed_va(self) -> float:
        """Return the rating of all units."""
        return self.installed * self.unit_va


@dataclass(frozen=True, slots=True)
class CoolingPlan:
    """Heat and the loops that take it away."""

    site: Cooling
    servers: Cooling
    """How the servers are cooled: as their document says, else as the site."""
    heat_w: float
    """All of the peak power becomes heat."""
    liquid_w: float
    """Capacity of the liquid loop, at the high end of what cold plates catch; 0 where there are none."""
    air_w: float
    """Capacity of the air loop, at the low end of what cold plates catch."""
    concerns: tuple[CoolingConcern, ...] = ()


@dataclass(frozen=True, slots=True)
class PueLimit:
    """A legal limit on the site's PUE."""

    name: Text
    limit: float
    met: bool
    source: str


@dataclass(frozen=True, slots=True)
class PuePlan:
    """The PUE of the plan beside planning values and limits."""

    pue: Decimal
    given: bool
    """True where the project states it."""
    planning: tuple[float, float] | None
    """Lowest and highest planning value for the servers' cooling; None where the catalogue has none."""
    limits: tuple[PueLimit, ...]
    refs: tuple[str, ...]

    @property
    def optimistic(self) -> bool:
        """Tell whether the PUE is below every planning value for this cooling."""
        return self.planning is not None and float(self.pue) < self.planning[0]


@dataclass(frozen=True, slots=True)
class FacilityPlan:
    """The hall."""

    boxes: tuple[Box, ...]
    racks: tuple[RackType, ...]
    rows: tuple[RowType, ...]
    redundancy: str
    line_voltage_v: float
    ups: Plant
    transformers: Plant | None
    """None where the building's low-voltage board feeds so small a load."""
    cooling: CoolingPlan
    pue: PuePlan
    facility_peak_w: float
    rack_limit_w: float
    """What a rack of servers may draw: the site's limit, cooled by air no more than air serves."""
    hosted: bool = False
    """True where rack space is rented: its price pays for UPS and transformers, which are then not bought."""

    @property
    def reserved_w(self) -> float:
        """Return what all circuits carry beyond the peak for boxes of unknown power."""
        return sum(rack.count * rack.reserved_w for rack in self.racks)

    @property
    def rack_count(self) -> int:
        """Return all racks."""
        return sum(rack.count for rack in self.racks)

    @property
    def racks_brought(self) -> int:
        """Return the racks that come with their systems."""
        return sum(rack.count for rack in self.racks if rack.brought)

    @property
    def pdu_count(self) -> int:
        """Return all rack power distribution units: one for each circuit of a rack that is bought empty."""
        return sum(rack.count * rack.circuits.count for rack in self.racks if not rack.brought)

    @property
    def it_peak_w(self) -> float:
        """Return the peak power of the IT equipment: the sum of the rows."""
        return sum(row.count * row.peak_w for row in self.rows)

    @property
    def it_training_w(self) -> float:
        """Return the power of the IT equipment while the cluster trains: the sum of the rows."""
        return sum(row.count * row.training_w for row in self.rows)

    @property
    def unknown_power(self) -> tuple[Box, ...]:
        """Return the boxes that are missing from every sum."""
        return tuple(box for box in self.boxes if box.peak_w is None)

    def racks_of(self, role: RackRole) -> int:
        """Return the racks of a role."""
        return sum(rack.count for rack in self.racks if rack.role is role)
