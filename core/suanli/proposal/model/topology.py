"""The compute network as it is drawn: rows of boxes, and the cables between them."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.hardware import Topology
from suanli.domain.record import Part
from suanli.proposal.model.figures import Shown

__all__ = ["ScaleUpView", "ServerGroup", "TopologyLink", "TopologyRow", "TopologyView"]


class TopologyRow(Part):
    """One tier of switches, as groups that share the switches above."""

    tier: str
    """core, spine or leaf."""
    groups: tuple[int, ...]
    """Switches of each pod; one group where the tier is shared by all."""

    @property
    def count(self) -> int:
        """Return all switches of the tier."""
        return sum(self.groups)


class TopologyLink(Part):
    """All cables between two rows."""

    upper: str
    """core, spine or leaf."""
    lower: str
    """spine, leaf or server."""
    cables: int
    each: int | None
    """Cables of each lower box; None where they differ."""
    gbit_s: Decimal
    """Line rate of one, one direction."""


class ServerGroup(Part):
    """Servers whose ports go to the same leaves, a spare among them or not."""

    servers: int
    leaf_switches: int


class ScaleUpView(Part):
    """The link inside a server."""

    per_device: Shown
    """Sum over the links of one device, one direction."""
    topology: Topology


class TopologyView(Part):
    """What the drawing of the network shows."""

    servers: int
    """At work."""
    spare_servers: int
    accelerators: int
    """In one server."""
    domain: int
    """Accelerators in one scale-up domain."""
    scale_up: ScaleUpView | None
    """None where the device has no link of its own, or none is known."""
    ports: int
    """Compute ports of one server."""
    rows: tuple[TopologyRow, ...]
    """From the top; empty for a single server."""
    links: tuple[TopologyLink, ...]
    """From the top."""
    groups: tuple[ServerGroup, ...]
    """From the left; one where all servers share the leaves, none for a single server."""
