"""From a sizing to a cluster that can be bought."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.planning.bill import Planned, plan_bill
from suanli.planning.energy import plan_energy
from suanli.planning.fabric import plan_fabric
from suanli.planning.power import plan_power, rack_fit, server_power
from suanli.planning.results import ClusterPlan
from suanli.planning.spares import plan_spares
from suanli.planning.storage import plan_storage

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Device, Sizing

__all__ = ["plan_cluster"]


def plan_cluster(sizing: Sizing, requirement: Requirement, catalogue: Catalogue) -> ClusterPlan:
    """Return spares, network, storage, power, energy and bill of quantities of a sizing.

    Args:
        sizing: the feasible cluster.
        requirement: the client's wishes and the site.
        catalogue: links, switches and prices.
    """
    spares, spare_rule = plan_spares(
        sizing.goodput, requirement.cluster, sizing.device.server.accelerator_count
    )
    servers = sizing.nodes + spares
    fabric = plan_fabric(
        catalogue,
        sizing.device.server,
        # A spare beside a single server takes its place and needs no network to it.
        servers if sizing.nodes > 1 else 1,
        requirement.cluster.oversubscription,
        one_rack=_one_rack(sizing.device, servers, requirement),
    )
    storage = plan_storage(sizing, requirement.workload, spares)
    power = plan_power(
        sizing.device, sizing.nodes, spares, fabric, requirement.site, supported=not storage.local
    )
    energy = None if power is None else plan_energy(sizing, spares, power, requirement)
    planned = Planned(sizing, spares, spare_rule, fabric, storage, power)
    bill = plan_bill(planned, requirement, catalogue)
    return ClusterPlan(sizing, spares, fabric, storage, power, energy, bill)


def _one_rack(device: Device, servers: int, requirement: Requirement) -> bool:
    """Tell whether all servers stand in one rack; not where their power is unknown."""
    power = server_power(device)
    if power is None:
        return False
    per_rack, racks_each = rack_fit(device, power.peak_w, requirement.site.rack_power_w)
    return servers <= per_rack and racks_each == 1
