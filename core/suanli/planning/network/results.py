"""What the network design yields: shapes, cables by class, traffic, link options, the other networks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.domain.hardware import Switch
    from suanli.domain.money import Money
    from suanli.domain.record import Text
    from suanli.planning.network.clos import ClosCounts
    from suanli.planning.network.wiring import Tier

__all__ = [
    "CableClass",
    "CableCount",
    "Dimension",
    "Level",
    "LinkKind",
    "LinkOption",
    "NetworkPlan",
    "NetworkShape",
    "PortGroup",
    "PortUser",
    "Purpose",
    "ShapeCounts",
    "SideNetwork",
    "SubscriptionRow",
    "Traffic",
]


class NetworkShape(StrEnum):
    """How the compute network is built."""

    NONE = "none"
    """A single server needs none."""
    SINGLE_SWITCH = "single-switch"
    FAT_TREE = "fat-tree"
    """All ports of a server go to one leaf."""
    RAIL_OPTIMISED = "rail-optimised"
    """Port i of every server goes to a leaf of rail i."""


class CableClass(StrEnum):
    """Kind of cable by the distance that it has to bridge."""

    COPPER = "copper"
    """Passive copper, inside a rack; its ends are moulded on."""
    MULTIMODE = "multimode"
    """Multimode fibre or an active optical cable, inside a row or to one near by."""
    SINGLE_MODE = "single-mode"
    OPEN = "open"
    """Optical, but racks and so lengths are unknown."""


@dataclass(frozen=True, slots=True)
class CableCount:
    """Cables of one tier and class, with the modules at their ends."""

    tier: Tier
    kind: CableClass
    cables: int
    host_modules: int
    """Transceivers in servers, one for each optical cable."""
    switch_modules: int
    """Transceivers in switches; cables that share a split port share one."""
    longest_m: float | None
    """None where lengths are unknown."""


class Dimension(StrEnum):
    """The parallel dimensions, in the order in which ranks are placed: innermost first."""

    TENSOR = "tp"
    CONTEXT = "cp"
    EXPERT = "ep"
    DATA = "dp"
    PIPELINE = "pp"


class Level(StrEnum):
    """Levels of the topology, from the inside out; the order of the members is that of distance."""

    PACKAGE = "package"
    """Two dies of one package."""
    NODE = "node"
    DOMAIN = "domain"
    """A scale-up domain beyond one server: supernode or rack."""
    RAIL = "rail"
    """One leaf of a rail: a single switch between equal ports of servers."""
    LEAF = "leaf"
    SPINE = "spine"
    CORE = "core"

    @property
    def distance(self) -> int:
        """Return the place of the level in the order from the inside out."""
        return list(Level).index(self)


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one parallel dimension moves in a step."""

    dimension: Dimension
    ranks: int
    bytes_per_step: float
    """Bytes that one device, as software sees it, sends in a step."""
    level: Level
    """The farthest level that the group crosses."""
    exposed_s: float
    """Time of the step that waits for it."""
    exposed_share: float


class LinkKind(StrEnum):
    """What kind of link an option is."""

    ETHERNET = "ethernet"
    INFINIBAND = "infiniband"
    SCALE_UP = "scale-up"
    """The device's own link, as if the whole job stood in one scale-up domain: a bound, not a purchase."""


@dataclass(frozen=True, slots=True)
class LinkOption:
    """One link between servers, with what it does to the step under the chosen layout."""

    link: str
    """Id of the link in the catalogue; of the accelerator for a scale-up link."""
    name: Text
    kind: LinkKind
    port_bytes_per_s: float
    step_s: float
    exposed_share: float
    meets: bool | None
    """Whether the share is within the user's threshold; None without one."""
    fitted: bool
    """True for the link that the server comes with."""
    cost: Money | None
    """Switches, cabling and adapters in the project's currency; None where a price is unknown."""
    switches: int | None
    cheapest: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class ShapeCounts:
    """What another shape of the same network would take."""

    shape: NetworkShape
    leaf: int
    spine: int
    core: int
    cables: int
    """Between switches."""
    ports_free: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class SubscriptionRow:
    """What an oversubscription saves, and what it costs."""

    asked: float
    """Ratio that the row stands for."""
    ratio: float
    """Ratio as built: whole ports may give a little less."""
    switches: int
    cables: int
    """Between switches."""
    bisection_bytes_per_s: float
    exposed_share: float
    step_s: float
    chosen: bool


class Purpose(StrEnum):
    """What a network beside the compute network is for."""

    STORAGE = "storage"
    """Storage and in-band management, on the same switches."""
    MANAGEMENT = "management"
    """Out-of-band: controllers of servers and switches."""


class PortUser(StrEnum):
    """What takes ports of the storage network, in the order of the document."""

    TRAINING = "training"
    PERFORMANCE = "performance"
    """Storage servers of the performance tier."""
    CAPACITY = "capacity"
    """Storage servers of the capacity tier."""
    SUPPORT = "support"
    """Management, login and monitoring servers."""
    OUT_OF_BAND = "out-of-band"
    """Access switches of the out-of-band network, which are reached in band."""


@dataclass(frozen=True, slots=True)
class PortGroup:
    """Machines of one kind on the storage network."""

    user: PortUser
    machines: int
    each: int
    """Ports of one."""

    @property
    def ports(self) -> int:
        """Return the ports of all of them."""
        return self.machines * self.each


@dataclass(frozen=True, slots=True)
class SideNetwork:
    """A network beside the compute network."""

    purpose: Purpose
    ports: int
    """Ports that it joins, over all planes."""
    port_bytes_per_s: float
    ports_per_server: int
    assumed_ports: bool
    """True where the server's document names no port for it and a stated default stands in."""
    switch: Switch | None
    """None where the catalogue has no switch of the rate."""
    counts: ClosCounts | None
    """Of one plane; None where no switch is known."""
    planes: int = 1
    """Separate networks of equal size; two where one switch would be a single point of failure."""
    uplinks: int = 0
    """Cables from its switches into the storage network, among whose ports and cables they count."""
    adapters: int = 0
    """Network adapters that servers need for it and do not bring."""
    needed_bytes_per_s: float | None = None
    """Bandwidth that the storage plan asks for; None for management."""
    given_bytes_per_s: float | None = None
    """Bandwidth that the ports of the performance tier give, over its oversubscription."""
    groups: tuple[PortGroup, ...] = ()
    """Whose ports the storage network joins; empty for management."""

    @property
    def switches(self) -> int | None:
        """Return all its switches, or None where unknown."""
        return None if self.counts is None else self.planes * self.counts.switches

    @property
    def cables(self) -> int | None:
        """Return all its cables, or None where unknown."""
        return None if self.counts is None else self.ports + self.planes * self.counts.links

    @property
    def oversubscription(self) -> float | None:
        """Return the oversubscription as built, or None where unknown."""
        return None if self.counts is None else self.counts.oversubscription


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """The design of all networks of a cluster, beside the counts of the compute network."""

    traffic: tuple[Traffic, ...]
    options: tuple[LinkOption, ...]
    threshold: float | None
    """Largest exposed share that the user allows; None where no threshold is set."""
    shapes: tuple[ShapeCounts, ...]
    subscription: tuple[SubscriptionRow, ...]
    """Empty where no traffic crosses a spine."""
    sides: tuple[SideNetwork, ...]
    asked_oversubscription: float = 1.0
    """Largest oversubscription of the compute network that the project allows."""

    @property
    def cheapest(self) -> LinkOption | None:
        """Return the cheapest option that meets the threshold; None without one."""
        return next((option for option in self.options if option.cheapest), None)

    @property
    def compared_by_rate(self) -> bool:
        """Tell whether a price is unknown among the options within the limit, so that the rate decides."""
        return any(
            one.meets and one.cost is None and one.kind is not LinkKind.SCALE_UP for one in self.options
        )

    def side(self, purpose: Purpose) -> SideNetwork | None:
        """Return a network by its purpose; None where the cluster has none."""
        return next((one for one in self.sides if one.purpose is purpose), None)
