"""How the cluster grows, as it is shown: sizes, growth paths, reuse, and forms of server side by side."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Part, Text
from suanli.planning.expansion.results import Kind
from suanli.proposal.model.figures import Shown

__all__ = ["ChangeView", "ExpansionView", "PathStageView", "PathView", "ServerFormView", "StageView"]


class StageView(Part):
    """The cluster at a multiple of today's size, as if it were bought whole."""

    factor: Decimal
    """1 is today."""
    servers: int
    """At work, spares apart."""
    spare_servers: int
    accelerators: int
    """In all servers at work."""
    idle_accelerators: int | None
    """Of these, those that the best layout leaves idle; None without a layout."""
    tiers: int | None
    leaf_switches: int | None
    spine_switches: int | None
    core_switches: int | None
    host_cables: int | None
    fabric_cables: int | None
    ports_free: int | None
    """Free switch ports."""
    new_tier: bool
    """True where the network has more tiers than at the size before, which had one."""
    racks: int | None
    """All racks; None where the servers' power is unknown."""
    rack_power_left: Shown | None
    """What racks with servers may draw beyond what stands in them, or what they lack."""
    rack_power_short: bool = False
    """True where racks exceed their limit: the power above is what they lack."""
    facility_peak: Shown | None
    storage_capacity: Shown
    storage_write: Shown
    storage_read: Shown
    days: Shown | None
    """The same run; None where no layout was found."""
    efficiency: Decimal | None
    """Speed-up over the growth of the servers; None today and without a layout."""
    network: Shown | None
    """Price of the compute network, net; None where no part of it has a price."""


class ChangeView(Part):
    """One kind of thing between two stages; kept + moved + discarded were there before."""

    kind: Kind
    before: int
    kept: int
    moved: int
    added: int
    discarded: int
    after: int


class PathStageView(Part):
    """One stage of a growth path."""

    factor: Decimal
    tiers: int
    leaf_switches: int
    spine_switches: int
    core_switches: int
    switches: int
    ports_free: int
    moved: int
    """Cables that are plugged in elsewhere for this stage."""
    changes: tuple[ChangeView, ...]
    """Empty today."""


class PathView(Part):
    """A way to grow: the spines and cores of one stage stand from today."""

    target: Decimal
    """Stage whose spines and cores are bought today; 1 is growth in place."""
    recommended: bool
    extra_switches: int
    """Bought today beyond those that today needs."""
    extra_price: Shown | None
    """Price of these, net; None where there are none or a switch has no price."""
    moved: int
    """Cables that are plugged in elsewhere on the whole path."""
    discarded: int
    """Parts that find no use any more on the whole path."""
    stages: tuple[PathStageView, ...]


class ServerFormView(Part):
    """The same job on another form of server."""

    server: Text
    accelerator: Text
    chosen: bool
    other_device: bool
    per_server: int
    """Accelerators in a server."""
    domain: int
    """Accelerators in a scale-up domain."""
    servers: int
    spare_servers: int
    bought: int
    """Accelerators of all servers, spares included."""
    endpoints: int | None
    """Compute ports to cable."""
    switches: int | None
    cables: int | None
    racks: int | None
    facility_peak: Shown | None
    days: Shown | None
    communication_share: Decimal | None
    """Exposed communication over the step."""
    repair: int
    """Accelerators that leave with the part that is swapped in a repair."""
    repair_share: Decimal
    """Of all that are bought."""
    domain_share: Decimal
    """A scale-up domain, whose devices stop with its switches, of all that are bought."""


class ExpansionView(Part):
    """How the cluster grows."""

    stages: tuple[StageView, ...]
    """Today first."""
    paths: tuple[PathView, ...]
    """Growth in place first; empty where the network's counts are unknown."""
    forms: tuple[ServerFormView, ...]
    """The chosen form first; alone where there is no other to compare with."""
    recommended: Decimal | None
    """Target of the path to choose; 1 is growth in place, None without paths."""
    early_port_share: Decimal
    """Share of a switch's ports whose cables buying it early must keep from being moved."""
    spared: int = 0
    """Cables that the recommended path keeps from being moved, against growth in place."""

    @property
    def path(self) -> PathView | None:
        """Return the recommended path."""
        return next((path for path in self.paths if path.recommended), None)

    @property
    def in_place(self) -> PathView | None:
        """Return the path that buys nothing early."""
        return next((path for path in self.paths if path.target == 1), None)
