"""The design of all networks of a cluster: traffic, link options, oversubscription, storage, management."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.estimation.problem import pose
from suanli.estimation.results import Infeasible
from suanli.planning.network.link_options import Asked, plan_options
from suanli.planning.network.results import NetworkPlan
from suanli.planning.network.selection import boxes_in
from suanli.planning.network.side_networks import management_network, storage_network
from suanli.planning.network.subscription import plan_shapes, plan_subscription
from suanli.planning.network.traffic import plan_traffic

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
        return NetworkPlan((), (), threshold, (), (), sides)
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
    )


def _sides(
    sizing: Sizing, fabric: FabricPlan, beside: Beside, catalogue: Catalogue
) -> tuple[SideNetwork, ...]:
    """Return the networks beside the compute network, storage first."""
    server, plan = sizing.device.server, beside.storage
    stores = 0 if plan.local else plan.servers
    needed = max(plan.read_bytes_per_s, plan.write_bytes_per_s)
    storage = storage_network(catalogue, server, beside.servers, stores, needed)
    switches = (fabric.switches or 0) + ((storage.switches or 0) if storage else 0)
    machines = beside.servers * boxes_in(server) + beside.managers + stores
    management = management_network(
        catalogue, server.vendor, machines, switches, uplinked=storage is not None
    )
    return tuple(one for one in (storage, management) if one is not None)
