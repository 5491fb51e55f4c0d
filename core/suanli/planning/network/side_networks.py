"""Storage and management networks: what the servers' other ports are joined by."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from suanli.domain.hardware import NicRole
from suanli.domain.units import BYTES_PER_S_PER_GBIT
from suanli.planning import defaults, defaults_network
from suanli.planning.network.clos import ClosCounts, clos
from suanli.planning.network.fabric import radix_of
from suanli.planning.network.results import PortGroup, PortUser, Purpose, SideNetwork
from suanli.planning.network.selection import ETHERNET, boxes_in, switch_for

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.hardware import Server

__all__ = ["Joined", "Stores", "management_network", "ports_of_store", "storage_network", "storage_ports"]


@dataclass(frozen=True, slots=True)
class Stores:
    """Storage servers of one tier."""

    user: PortUser
    servers: int
    bytes_per_s: float
    """What one of them reads or writes, whichever is more."""
    needed_bytes_per_s: float
    """What is asked of the tier, reading or writing, whichever is more."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What else the storage network joins: servers that run the cluster, and other networks' switches."""

    support: int = 0
    """Management, login and monitoring servers."""
    switches: int = 0
    """Access switches of the out-of-band network."""


def storage_ports(server: Server) -> tuple[int, float, bool]:
    """Return number and rate of the ports that join a server to storage, and whether a default stands in.

    The server's own storage ports, or one adapter of two for each box in it where its document names none.
    """
    ports = [nic for nic in server.nics if nic.role is NicRole.STORAGE]
    if not ports:
        rate = defaults_network.STORAGE_PORT_GBIT * BYTES_PER_S_PER_GBIT
        return boxes_in(server) * defaults_network.STORAGE_PORTS_PER_SERVER, rate, True
    rate = max(nic.rate.si for nic in ports)
    return sum(nic.count for nic in ports if nic.rate.si == rate), rate, False


def ports_of_store(bytes_per_s: float, rate_bytes_per_s: float) -> int:
    """Return the ports of a storage server that carry its own bandwidth, two at least.

    Equation: q = max(2, ⌈w/c⌉). w: bandwidth of the server; c: line rate of a port.

    >>> ports_of_store(40e9, 12.5e9), ports_of_store(40e9, 25e9), ports_of_store(6e9, 12.5e9)
    (4, 2, 2)
    """
    return max(defaults_network.FRONT_END_PORTS, math.ceil(bytes_per_s / rate_bytes_per_s))


def storage_network(
    catalogue: Catalogue, server: Server, servers: int, stores: tuple[Stores, ...], beside: Joined
) -> SideNetwork | None:
    """Return the network between servers and storage, which also carries in-band management.

    It joins every storage port of the servers, as many ports of the storage servers as carry what they read
    and write, two ports of each server that runs the cluster and two of each out-of-band switch. It is
    oversubscribed up to a stated ratio, but never so far that the uplinks of a tier's leaves fall below the
    bandwidth that is asked of it.

    Args:
        catalogue: switches.
        server: the training server.
        servers: training servers, spares included.
        stores: storage servers by tier, the fastest first; none means that the servers' own drives hold
            everything.
        beside: what else it joins.
    """
    if not stores:
        return None
    per_server, rate, assumed = storage_ports(server)
    groups = _groups(servers, per_server, rate, stores, beside)
    ports = sum(group.ports for group in groups)
    offered = {group.user: group.ports * rate for group in groups}
    spare = (offered[one.user] / one.needed_bytes_per_s for one in stores if one.needed_bytes_per_s)
    ratio = max(1.0, min(defaults_network.FRONT_END_OVERSUBSCRIPTION, *spare))
    found = switch_for(catalogue, server.vendor, rate, (ETHERNET,))
    counts, planes = (None, 1) if found is None else _planes(ports, radix_of(found[0]), ratio, found[1])
    network = SideNetwork(
        purpose=Purpose.STORAGE,
        ports=ports,
        port_bytes_per_s=rate,
        ports_per_server=per_server,
        assumed_ports=assumed,
        switch=found[0] if found and counts else None,
        counts=counts,
        planes=planes,
        # One adapter has two ports.
        adapters=servers * -(-per_server // defaults_network.FRONT_END_PORTS) if assumed else 0,
        needed_bytes_per_s=stores[0].needed_bytes_per_s,
        groups=groups,
    )
    return replace(network, given_bytes_per_s=offered[stores[0].user] / (network.oversubscription or 1.0))


def _groups(
    servers: int, per_server: int, rate: float, stores: tuple[Stores, ...], beside: Joined
) -> tuple[PortGroup, ...]:
    """Return whose ports the storage network joins, those of which there are any."""
    groups = (
        PortGroup(PortUser.TRAINING, servers, per_server),
        *(PortGroup(one.user, one.servers, ports_of_store(one.bytes_per_s, rate)) for one in stores),
        PortGroup(PortUser.SUPPORT, beside.support, defaults_network.FRONT_END_PORTS),
        PortGroup(PortUser.OUT_OF_BAND, beside.switches, defaults_network.FRONT_END_PORTS),
    )
    return tuple(group for group in groups if group.machines)


def _planes(ports: int, radix: int, ratio: float, breakout: int) -> tuple[ClosCounts | None, int]:
    """Return the network of all ports, or of two halves where one switch would hold them all."""
    whole = clos(ports, radix, ratio, breakout)
    if whole is None or whole.tiers > 1:
        return whole, 1
    return clos(-(-ports // 2), radix, ratio, breakout), 2


def management_network(
    catalogue: Catalogue, vendor: str, machines: int, switches: int, *, uplinked: bool
) -> SideNetwork | None:
    """Return the out-of-band network: the controllers of all servers and one port of each switch.

    Access switches of a stated number of ports are filled one after the other. Where there is a storage
    network each has two cables into it, by which it is reached in band; they count as that network's.

    Args:
        catalogue: switches.
        vendor: the server vendor, whose switches are preferred.
        machines: servers of every kind.
        switches: switches of the other networks.
        uplinked: True where there is a storage network.
    """
    if machines < 2:  # noqa: PLR2004 - the port of one server goes to the building's network
        return None
    per_server = defaults.OUT_OF_BAND_PORTS_PER_SERVER
    ports, radix = machines * per_server + switches, defaults.OUT_OF_BAND_PORTS
    leaf, full = -(-ports // radix), ports // radix
    filled = (radix,) * full + ((ports % radix,) if ports % radix else ())
    found = switch_for(catalogue, vendor, _CONTROLLER_BYTES_PER_S, (ETHERNET,))
    same = found is not None and found[1] == 1 and radix_of(found[0]) == radix
    return SideNetwork(
        purpose=Purpose.MANAGEMENT,
        ports=ports,
        port_bytes_per_s=_CONTROLLER_BYTES_PER_S,
        ports_per_server=per_server,
        assumed_ports=True,
        switch=found[0] if found and same else None,
        counts=ClosCounts(1, leaf, 0, 0, radix, 0, ports, 0, 0, radix, leaf_endpoints=filled),
        uplinks=defaults_network.FRONT_END_PORTS * leaf if uplinked else 0,
    )


_CONTROLLER_BYTES_PER_S = 0.125e9
"""Port of a server's controller: 1 Gbit/s Ethernet over copper."""
