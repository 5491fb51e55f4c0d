"""What the planning of an expansion yields: stages, growth paths, and server forms side by side."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

    from suanli.planning.results import ClusterPlan

__all__ = [
    "Change",
    "ExpansionPlan",
    "ExpansionStage",
    "GrowthPath",
    "Kind",
    "PathStage",
    "Pod",
    "ServerForm",
    "Wiring",
]


class Kind(StrEnum):
    """What is reused, moved, added or thrown away between two stages."""

    SERVERS = "servers"
    LEAF = "leaf"
    SPINE = "spine"
    CORE = "core"
    HOST_CABLES = "host-cables"
    LEAF_SPINE_LINKS = "leaf-spine-links"
    SPINE_CORE_LINKS = "spine-core-links"


@dataclass(frozen=True, slots=True)
class Pod:
    """Leaves and the spines that each of them has links to; a two-tier network is one pod."""

    leaf: int
    spine: int


@dataclass(frozen=True, slots=True)
class Wiring:
    """Switches and cables of a compute network of equal switches."""

    tiers: int
    """0 for a single server, which has no network."""
    pods: tuple[Pod, ...]
    core: int
    radix: int
    """Ports of one switch."""
    down: int
    """Ports of a leaf that serve hosts; all of them where one switch is the network."""
    up: int
    """Links of one leaf to the spines of its pod, as many go on from these to the core."""
    host_cables: int
    split: int = 1
    """Host cables on one switch port."""
    copper: bool = False
    """True where the host cables are of copper, which does not reach beyond the rack."""
    rails: tuple[int, ...] = (1,)
    """Rails on each leaf of a group of leaves that serve the same servers; one of 1 for a plain fat tree."""

    @property
    def leaf(self) -> int:
        """Return all leaves."""
        return sum(pod.leaf for pod in self.pods)

    @property
    def spine(self) -> int:
        """Return all spines."""
        return sum(pod.spine for pod in self.pods)

    @property
    def switches(self) -> int:
        """Return all switches."""
        return self.leaf + self.spine + self.core

    @property
    def rail_count(self) -> int:
        """Return the ports of a server that go to rails of their own; 1 for a plain fat tree."""
        return sum(self.rails)

    @property
    def leaf_spine_links(self) -> int:
        """Return the cables between leaves and spines."""
        return self.leaf * self.up

    @property
    def spine_core_links(self) -> int:
        """Return the cables between spines and cores: as many, for nothing is oversubscribed above a leaf."""
        return self.leaf * self.up if self.core else 0

    @property
    def ports_free(self) -> int:
        """Return the switch ports without a cable; a cable between switches takes two."""
        used = -(-self.host_cables // self.split) + 2 * (self.leaf_spine_links + self.spine_core_links)
        return self.switches * self.radix - used


@dataclass(frozen=True, slots=True)
class Change:
    """One kind of thing between two stages.

    kept + moved + discarded are those of before; kept + moved + added are those of after.
    """

    kind: Kind
    kept: int
    """Stay as they are."""
    moved: int
    """Cables that are plugged in elsewhere; 0 for what is no cable."""
    added: int
    discarded: int
    """Find no use any more."""

    @property
    def before(self) -> int:
        """Return how many there were."""
        return self.kept + self.moved + self.discarded

    @property
    def after(self) -> int:
        """Return how many there are."""
        return self.kept + self.moved + self.added


@dataclass(frozen=True, slots=True)
class ExpansionStage:
    """The cluster at a multiple of today's size, planned as if it were bought whole."""

    factor: Fraction
    plan: ClusterPlan
    duration_s: float | None
    """P50 of the same run; None where no layout was found for this size."""
    efficiency: float | None
    """Speed-up over today's size by the growth of the servers; 1 today."""
    accelerators: int | None
    """At work, as sold; None without a layout."""
    network_net: Decimal | None = None
    """Price of the compute network without VAT in the project's currency; None where nothing is priced."""
    network_incomplete: bool = False
    """True where a part of the network has no price."""


@dataclass(frozen=True, slots=True)
class PathStage:
    """One stage of a path, and what changes from the stage before; nothing does today."""

    factor: Fraction
    wiring: Wiring
    changes: tuple[Change, ...] = ()

    @property
    def moved(self) -> int:
        """Return the cables that are plugged in elsewhere for this stage."""
        return sum(change.moved for change in self.changes)

    @property
    def discarded(self) -> int:
        """Return the parts that find no use any more."""
        return sum(change.discarded for change in self.changes)


@dataclass(frozen=True, slots=True)
class GrowthPath:
    """A way to grow: the spines and cores of one stage stand from today, leaves come with the servers."""

    target: Fraction
    """Factor of the stage whose spines and cores are bought today; 1: today's only."""
    stages: tuple[PathStage, ...]
    extra_today: int
    """Switches bought today beyond those that today needs."""
    extra_net: Decimal | None = None
    """Price of these without VAT in the project's currency; None where a switch has none."""

    @property
    def moved(self) -> int:
        """Return the cables that are plugged in elsewhere on the whole path."""
        return sum(stage.moved for stage in self.stages)

    @property
    def discarded(self) -> int:
        """Return the parts that find no use any more on the whole path."""
        return sum(stage.discarded for stage in self.stages)


@dataclass(frozen=True, slots=True)
class ServerForm:
    """The same job on another form of server: few large ones, or many small ones."""

    plan: ClusterPlan
    sized: bool
    """False where no layout was found, so that there are no days and no share of communication."""
    other_device: bool
    """True where the device differs, too: an option of the same vendor, sized for the same job."""
    repair_accelerators: int
    """Accelerators that leave with the part that is swapped in a repair."""
    domain_accelerators: int
    """Accelerators that share one scale-up domain, and stop with its switches."""

    @property
    def bought(self) -> int:
        """Return the accelerators of all servers, spares included."""
        return self.plan.nodes * self.plan.sizing.device.server.accelerator_count


@dataclass(frozen=True, slots=True)
class ExpansionPlan:
    """How the cluster grows."""

    stages: tuple[ExpansionStage, ...]
    """Today first, then by size."""
    paths: tuple[GrowthPath, ...]
    """In place first; empty where the network's counts are unknown."""
    recommended: Fraction | None
    """Target of the path to choose; None without paths."""
    forms: tuple[ServerForm, ...] = ()
    """The chosen form first; alone where the catalogue has no other."""
