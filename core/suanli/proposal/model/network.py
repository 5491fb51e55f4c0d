"""The network design of an option as it is shown."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Part, Text
from suanli.proposal.model.figures import Shown

__all__ = [
    "CableView",
    "LinkOptionView",
    "NetworkView",
    "PortGroupView",
    "ShapeView",
    "SideNetworkView",
    "SubscriptionView",
    "TrafficView",
]


class TrafficView(Part):
    """What one parallel dimension moves in a step."""

    dimension: str
    """tp, cp, ep, dp or pp."""
    ranks: int
    moved: Shown
    """Bytes that one device sends in a step."""
    level: str
    """package, node, domain, rail, leaf, spine or core: the farthest level that the group crosses."""
    exposed: Shown
    """Time of a step that waits for it."""
    share: Decimal


class LinkOptionView(Part):
    """One link between servers under the chosen layout."""

    name: Text
    kind: str
    """ethernet, infiniband or scale-up."""
    rate: Shown
    """Line rate of one port, one direction; of one device for a scale-up link."""
    share: Decimal
    """Exposed communication over the step."""
    step: Shown
    switches: int | None
    cost: Shown | None
    """Switches, cabling and adapters before tax; None where a price is unknown."""
    verdict: str
    """meets, exceeds, or open where no threshold is set; bound for a scale-up link."""
    fitted: bool
    """True for the link that the server comes with."""
    cheapest: bool
    """True for the cheapest that meets the threshold."""
    refs: tuple[str, ...] = ()


class ShapeView(Part):
    """Counts of a shape of the compute network."""

    shape: str
    """fat-tree or rail-optimised."""
    leaf: int
    spine: int
    core: int
    cables: int
    ports_free: int
    chosen: bool


class CableView(Part):
    """Cables of one tier and length class."""

    tier: str
    """host-leaf, leaf-spine or spine-core."""
    kind: str
    """copper, multimode, single-mode or open."""
    cables: int
    host_modules: int
    switch_modules: int
    longest_m: Decimal | None


class SubscriptionView(Part):
    """What an oversubscription saves and costs."""

    asked: Decimal
    ratio: Decimal
    """As built."""
    switches: int
    cables: int
    bisection: Shown
    share: Decimal
    step: Shown
    chosen: bool


class PortGroupView(Part):
    """Machines of one kind on the storage network."""

    user: str
    """training, performance, capacity, support or out-of-band."""
    machines: int
    each: int
    """Ports of one."""


class SideNetworkView(Part):
    """A network beside the compute network."""

    purpose: str
    """storage or management."""
    switch: Text | None
    ports: int
    ports_per_server: int
    rate: Shown
    switches: int | None
    planes: int
    cables: int | None
    oversubscription: Decimal | None
    needed: Shown | None
    given: Shown | None
    assumed_ports: bool
    adapters: int
    groups: tuple[PortGroupView, ...] = ()
    """Whose ports the storage network joins; empty for management."""


class NetworkView(Part):
    """Traffic, link options, shape, cabling, oversubscription and the other networks."""

    shape: str | None
    """none, single-switch, fat-tree or rail-optimised; None where the counts are unknown."""
    rails: int
    ports_used: int | None
    threshold: Decimal | None
    """Largest exposed share that the project allows; None where it sets none."""
    compared_by_rate: bool = False
    """True where a price is unknown among the options within the limit, so that the rate decides."""
    asked_oversubscription: Decimal | None = None
    """Largest oversubscription that the project allows; None where it allows none."""
    traffic: tuple[TrafficView, ...] = ()
    options: tuple[LinkOptionView, ...] = ()
    shapes: tuple[ShapeView, ...] = ()
    cables: tuple[CableView, ...] = ()
    subscription: tuple[SubscriptionView, ...] = ()
    sides: tuple[SideNetworkView, ...] = ()
