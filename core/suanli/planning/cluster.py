"""From a sizing to a cluster that can be bought."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.estimation.slowing import slowed
from suanli.planning.availability import plan_availability
from suanli.planning.bill import Planned, equipment_lines, plan_bill
from suanli.planning.bill_support import support_servers
from suanli.planning.energy import plan_energy
from suanli.planning.facility.plan import plan_facility, server_rack_w, support_load
from suanli.planning.network.cabling import Hall
from suanli.planning.network.fabric import plan_fabric
from suanli.planning.network.plan import Beside, plan_network
from suanli.planning.power import plan_power, rack_fit, server_power
from suanli.planning.results import ClusterPlan
from suanli.planning.shop import Shop
from suanli.planning.software.plan import plan_software
from suanli.planning.spares import plan_spares
from suanli.planning.storage import plan_storage

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Device, Sizing
    from suanli.planning.availability_results import SparePlan

__all__ = ["plan_cluster"]


def plan_cluster(
    sizing: Sizing, requirement: Requirement, catalogue: Catalogue, *, studied: bool = True
) -> ClusterPlan:
    """Return spares, network, storage, racks, power, energy and bill of quantities of a sizing.

    Args:
        sizing: the feasible cluster.
        requirement: the client's wishes and the site.
        catalogue: links, switches and prices.
        studied: False where only what is bought counts, so that the network is not compared with others.
    """
    spares = _spares(sizing, requirement)
    planned = _connected(sizing, spares, requirement, catalogue, studied=studied)
    planned = _housed(_as_built(planned), requirement, catalogue)
    sizing, power = planned.sizing, planned.power
    return ClusterPlan(
        sizing,
        planned.spares,
        planned.fabric,
        planned.storage,
        power,
        None if power is None else plan_energy(sizing, planned.spares, power, requirement),
        plan_bill(planned, requirement, catalogue),
        software=plan_software(sizing, requirement, catalogue),
        availability=plan_availability(sizing, spares, requirement, catalogue),
        network=planned.network,
        facility=planned.facility,
    )


def _as_built(planned: Planned) -> Planned:
    """Return the same with the step of the network that is bought, where oversubscription lengthens it."""
    rows = () if planned.network is None else planned.network.subscription
    built = next((row.step_s for row in rows if row.chosen), 0.0)
    return replace(planned, sizing=slowed(planned.sizing, built))


def _spares(sizing: Sizing, requirement: Requirement) -> SparePlan:
    return plan_spares(
        sizing.goodput,
        requirement.cluster,
        sizing.device.server.accelerator_count,
        sizing.nodes,
        requirement.reliability.repair_s,
    )


def _connected(
    sizing: Sizing, spares: SparePlan, requirement: Requirement, catalogue: Catalogue, *, studied: bool
) -> Planned:
    """Return servers with their compute network, storage and the networks beside."""
    servers = sizing.nodes + spares.servers
    fabric = plan_fabric(
        catalogue,
        sizing.device.server,
        # A spare beside a single server takes its place and needs no network to it.
        servers if sizing.nodes > 1 else 1,
        requirement.cluster.oversubscription,
        hall=_hall(sizing.device, server_rack_w(sizing.device, requirement.site, catalogue)),
    )
    storage = plan_storage(sizing, requirement, spares.servers)
    planned = Planned(sizing, spares.servers, spares.rule, fabric, storage, None, spares.trays)
    beside = Beside(servers, support_servers(planned), storage)
    network = plan_network(sizing, fabric, beside, requirement, catalogue, studied=studied)
    return replace(planned, network=network)


def _housed(planned: Planned, requirement: Requirement, catalogue: Catalogue) -> Planned:
    """Return the same with racks and power."""
    sizing, site = planned.sizing, requirement.site
    # What stands in the racks is read from the bill, so that both hold the same boxes.
    lines = equipment_lines(planned, Shop(catalogue, site.region))
    facility = plan_facility(lines, planned, requirement, catalogue)
    power = plan_power(
        sizing.device,
        sizing.nodes,
        planned.spares,
        planned.fabric,
        site,
        support=support_load(facility),
        rack_w=server_rack_w(sizing.device, site, catalogue),
    )
    if power is not None and facility is not None:
        power = replace(power, racks=facility.rack_count)
    return replace(planned, power=power, facility=facility)


def _hall(device: Device, rack_w: float) -> Hall | None:
    """Return how servers and switches fill racks; None where the servers' power is unknown."""
    power = server_power(device)
    if power is None:
        return None
    per_rack, racks_each = rack_fit(device, power.peak_w, rack_w)
    # A server that alone draws too much for a rack still takes one.
    return Hall(max(1, per_rack), racks_each)
