"""The compute network: one switch, a leaf-spine or a three-tier fat tree, with every port connected once.

Where the servers have several ports it is optimised for rails: port *i* of every server in a group goes to
leaf *i*, so that traffic between equal ranks crosses one switch. Vendors that keep a server's ports in one
subnet get a plain fat tree.

Source: as `suanli.planning.network.clos`; rails: NVIDIA, DGX SuperPOD reference architecture (H100), network
fabrics, table 4.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.planning import defaults, defaults_network
from suanli.planning.network.cabling import count_cables
from suanli.planning.network.clos import clos
from suanli.planning.network.results import CableClass, NetworkShape
from suanli.planning.network.selection import endpoint_ports, link_for, rails_of, switch_for, technology_of
from suanli.planning.network.wiring import Tier, wire
from suanli.planning.results import FabricPlan

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.hardware import Link, Server, Switch
    from suanli.planning.network.cabling import Hall
    from suanli.planning.network.clos import ClosCounts

__all__ = ["plan_fabric", "radix_of", "shape_of", "switches_per_rack"]


def plan_fabric(
    catalogue: Catalogue,
    server: Server,
    servers: int,
    oversubscription: float = 1.0,
    *,
    hall: Hall | None = None,
) -> FabricPlan:
    """Return the compute network of a number of servers, spares included.

    Args:
        catalogue: links and switches.
        server: the server, whose compute ports are joined.
        servers: how many.
        oversubscription: host bandwidth over uplink bandwidth of a leaf that is allowed.
        hall: how racks are filled, from which lengths of cables follow; None where that is unknown.
    """
    ports = endpoint_ports(server)
    if ports is None:
        return _unknown(None, None, None, None, oversubscription)
    per_server, rate = ports
    found = switch_for(catalogue, server.vendor, rate)
    technology = found[0].technology if found else technology_of(server.vendor)
    link = link_for(catalogue, technology, rate)
    endpoints = servers * per_server
    if servers < 2:  # noqa: PLR2004 - one server has nobody to talk to
        return _needless(link, endpoints, rate)
    if found is None:
        return _unknown(link, None, endpoints, rate, oversubscription)
    switch, split = found
    counts = clos(endpoints, radix_of(switch), oversubscription, split, rails_of(server, per_server))
    if counts is None:
        return _unknown(link, switch, endpoints, rate, oversubscription)
    return _counted(link, switch, (per_server, rate), counts, hall)


def _needless(link: Link | None, endpoints: int, rate: float) -> FabricPlan:
    """Return the plan of a single server: every count is a known 0, which is not the same as unknown."""
    return FabricPlan(
        link=link,
        switch=None,
        endpoints=endpoints,
        tiers=0,
        leaf_switches=0,
        spine_switches=0,
        core_switches=0,
        host_cables=0,
        fabric_cables=0,
        transceivers=0,
        oversubscription=1.0,
        bisection_bytes_per_s=0.0,
        endpoint_bytes_per_s=rate,
        host_transceivers=0,
        switch_transceivers=0,
        ports_used=0,
        ports_free=0,
        shape=NetworkShape.NONE,
    )


def radix_of(switch: Switch) -> int:
    """Return the ports of a switch; 0 where they are unknown."""
    return 0 if switch.ports is None else round(switch.ports.si)


def _unknown(
    link: Link | None,
    switch: Switch | None,
    endpoints: int | None,
    rate: float | None,
    oversubscription: float,
) -> FabricPlan:
    return FabricPlan(
        link, switch, endpoints, None, None, None, None, endpoints, None, None, oversubscription, None, rate
    )


def switches_per_rack(switch: Switch) -> int:
    """Return how many switches of a kind a network rack holds, at least one.

    By their height where it is known; a chassis of unknown height, with more ports than any box has, takes a
    rack of its own.
    """
    if switch.rack_units is not None:
        free = defaults.RACK_UNITS - defaults.RACK_UNITS_RESERVED
        return max(1, int(free // switch.rack_units.si))
    return 1 if radix_of(switch) > defaults_network.BOX_PORTS else defaults_network.SWITCHES_PER_RACK


def shape_of(counts: ClosCounts) -> NetworkShape:
    """Return the shape of a network of one or more switches."""
    if counts.tiers == 1:
        return NetworkShape.SINGLE_SWITCH
    return NetworkShape.RAIL_OPTIMISED if counts.rails > 1 else NetworkShape.FAT_TREE


def _counted(
    link: Link | None, switch: Switch, ports: tuple[int, float], counts: ClosCounts, hall: Hall | None
) -> FabricPlan:
    per_server, rate = ports
    # What was built may be less oversubscribed than what was allowed, and that is what is stated.
    ratio = counts.oversubscription
    endpoints = sum(counts.leaf_endpoints)
    wiring = wire(counts, per_server)
    placed = None if hall is None else replace(hall, switches_per_rack=switches_per_rack(switch))
    cables = count_cables(wiring, counts, placed)
    at_hosts = sum(one.host_modules for one in cables)
    at_switches = sum(one.switch_modules for one in cables)
    host_classes = {one.kind for one in cables if one.tier is Tier.HOST_LEAF}
    return FabricPlan(
        link=link,
        switch=switch,
        endpoints=endpoints,
        tiers=counts.tiers,
        leaf_switches=counts.leaf,
        spine_switches=counts.spine,
        core_switches=counts.core,
        host_cables=wiring.count(Tier.HOST_LEAF),
        fabric_cables=wiring.count(Tier.LEAF_SPINE) + wiring.count(Tier.SPINE_CORE),
        transceivers=at_hosts + at_switches,
        oversubscription=ratio,
        bisection_bytes_per_s=endpoints / 2 * rate / ratio,
        endpoint_bytes_per_s=rate,
        host_transceivers=at_hosts,
        switch_transceivers=at_switches,
        copper_hosts=host_classes == {CableClass.COPPER},
        ports_used=counts.ports_used,
        ports_free=counts.ports_free,
        shape=shape_of(counts),
        rails=counts.rails,
        counts=counts,
        cables=cables,
    )
