"""The design of all networks of a cluster: traffic, link options, oversubscription, storage, management."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.estimation.problem import pose
from suanli.estimation.results import Infeasible
from suanli.planning.network.link_options import Asked, plan_options
from suanli.planning.network.results import NetworkPlan, PortUser
from suanli.planning.network.selection import boxes_in
from suanli.planning.network.side_networks import Joined, Stores, management_network, storage_network
from suanli.planning.network.subscription import plan_shapes, plan_subscription
from suanli.planning.network.traffic import plan_traffic
from suanli.planning.storage_results import TierKind
from suanli.planning.tiers import SERVER_MODELS

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Sizing
    from suanli.planning.network.results import SideNetwork
    from suanli.planning.results import FabricPlan
    from suanli.planning.storage_results import StoragePlan

__all__ = ["Beside", "plan_network"]


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside the training servers and needs ports."""

    servers: int
    """Training servers, spares included."""
    managers: int
    storage: StoragePlan


def plan_network(  # noqa: PLR0913 - what a network follows from
    sizing: Sizing,
    fabric: FabricPlan,
    beside: Beside,
    requirement: Requirement,
    catalogue: Catalogue,
    *,
    studied: bool = True,
) -> NetworkPlan:
    """Return the design of all networks of a cluster.

    Args:
        sizing: the feasible cluster, whose layout is kept.
        fabric: the compute network.
        beside: servers of other kinds.
        requirement: the threshold and the oversubscription that the user sets, region and currency.
        catalogue: links, switches and prices.
        studied: False where only what is bought counts, as in the search for a size within a budget: traffic,
            options and comparisons are then left out.
    """
    sides = _sides(sizing, fabric, beside, catalogue)
    threshold = requirement.cluster.exposed_communication_max
    problem = pose(sizing.device, requirement.model.architecture, requirement.workload) if studied else None
    if problem is None or isinstance(problem, Infeasible):
        return NetworkPlan((), (), threshold, (), (), sides, requirement.cluster.oversubscription)
    asked = Asked(problem, sizing.layout, sizing.step, requirement, catalogue, fabric)
    per_server = asked.ports[0] if asked.ports else 1
    traffic = plan_traffic(problem, sizing.layout, sizing.step, fabric, per_server)
    return NetworkPlan(
        traffic=traffic,
        options=plan_options(asked),
        threshold=threshold,
        shapes=plan_shapes(asked),
        subscription=plan_subscription(asked, traffic),
        sides=sides,
        asked_oversubscription=requirement.cluster.oversubscription,
    )


def _sides(
    sizing: Sizing, fabric: FabricPlan, beside: Beside, catalogue: Catalogue
) -> tuple[SideNetwork, ...]:
    """Return the networks beside the compute network, storage first.

    The out-of-band network joins the storage network's switches, and its own switches take ports of it: both
    are counted in turn until neither grows.
    """
    server, plan = sizing.device.server, beside.storage
    machines = beside.servers * boxes_in(server) + beside.managers + plan.servers
    access = 0
    while True:
        storage = storage_network(
            catalogue, server, beside.servers, _stores(plan), Joined(beside.managers, access)
        )
        switches = (fabric.switches or 0) + ((storage.switches or 0) if storage else 0)
        management = management_network(
            catalogue, server.vendor, machines, switches, uplinked=storage is not None
        )
        count = (management.switches or 0) if management else 0
        if storage is None or count <= access:
            return tuple(one for one in (storage, management) if one is not None)
        access = count


_USERS = {TierKind.PERFORMANCE: PortUser.PERFORMANCE, TierKind.CAPACITY: PortUser.CAPACITY}


def _stores(plan: StoragePlan) -> tuple[Stores, ...]:
    """Return the storage servers by tier; none where the servers' own drives hold everything."""
    return tuple(
        Stores(
            _USERS[tier.kind],
            tier.servers,
            SERVER_MODELS[tier.kind].bytes_per_s,
            max(tier.read_bytes_per_s, tier.write_bytes_per_s),
        )
        for tier in plan.tiers
    )
