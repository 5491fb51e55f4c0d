"""Which ports, switches and links a network is built of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.hardware import Accelerator, Link, LinkScope, NicRole, Server, Switch
from suanli.planning import defaults

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue

__all__ = [
    "ETHERNET",
    "INFINIBAND",
    "boxes_in",
    "endpoint_ports",
    "is_of",
    "link_for",
    "rails_of",
    "switch_for",
    "technology_of",
]

INFINIBAND = "infiniband"
ETHERNET = "ethernet"
_TECHNOLOGIES = {"nvidia": (INFINIBAND, ETHERNET)}
"""Technologies by server vendor, the usual one first; Ethernet (RoCE) where a vendor is not named."""
_OWN_SWITCHES_ONLY = {"ascend": ("ascend", "huawei")}
"""Server vendors whose network is built with the same maker's switches; elsewhere any maker of the technology
will do.
"""
_LINK_WORDS = {INFINIBAND: ("infiniband",), ETHERNET: ("ethernet", "roce", "gbe")}
_BREAKOUTS = (1, 2, 4, 8)
"""Ways in which one switch port may be split."""
_PLAIN_TREES = frozenset({"ascend"})
"""Vendors that keep all compute ports of a server in one subnet, and so on one leaf (MindCluster Ascend
Deployer, user guide, configuration of the parameter plane: Atlas 800T A2 and Atlas 900 A2 PoD).
"""
_MOST_RAILS = 8
"""Ports of a server up to which each is a rail; racks that are bought as one have many servers inside."""


def endpoint_ports(server: Server) -> tuple[int, float] | None:
    """Return number and line rate (byte/s, one direction) of a server's compute ports, or None where unknown.

    Where a server has ports of several rates, those that together carry most count.
    """
    ports: dict[float, int] = {}
    for nic in server.nics:
        if nic.role is NicRole.COMPUTE:
            # Servers list ports of one rate in several rows, one for each card.
            ports[nic.rate.si] = ports.get(nic.rate.si, 0) + nic.count
    if not ports:
        return None
    rate = max(ports, key=lambda rate: (rate * ports[rate], rate))
    return ports[rate], rate


def rails_of(server: Server, per_server: int) -> int:
    """Return the rails of a server's compute ports; 1 where all go to one leaf."""
    if server.vendor in _PLAIN_TREES or per_server > _MOST_RAILS:
        return 1
    return per_server


def boxes_in(server: Server) -> int:
    """Return how many boxes of the usual eight accelerators are inside what is bought as one server.

    A supernode or a rack holds several, each with storage and management ports of its own.
    """
    return max(1, server.accelerator_count // defaults.TRAY_ACCELERATORS)


def technology_of(vendor: str) -> str:
    """Return the usual network technology of a server vendor."""
    return _TECHNOLOGIES.get(vendor, (ETHERNET,))[0]


def switch_for(
    catalogue: Catalogue, vendor: str, rate_bytes_per_s: float, technologies: tuple[str, ...] = ()
) -> tuple[Switch, int] | None:
    """Return the switch for a server vendor's network and how many endpoints share one of its ports.

    The vendor's usual technology comes first, then its own switches, then those of makers without
    accelerators, then a port of the very rate before a split one, then more ports.

    Args:
        catalogue: all switches.
        vendor: the server vendor.
        rate_bytes_per_s: line rate of an endpoint's port.
        technologies: those that may be used, the first preferred; empty for the vendor's usual ones.
    """
    wanted = technologies or _TECHNOLOGIES.get(vendor, (ETHERNET,))
    makers = _OWN_SWITCHES_ONLY.get(vendor)
    rivals = {accelerator.vendor for accelerator in catalogue.all(Accelerator)} - {vendor}
    found = [
        (
            wanted.index(switch.technology),
            (switch.vendor != vendor) + (switch.vendor in rivals),
            split,
            -switch.ports.si,
            switch.id,
            switch,
        )
        for switch in catalogue.all(Switch)
        if switch.technology in wanted
        and (makers is None or switch.vendor in makers)
        and switch.ports is not None
        and (split := _breakout(switch, rate_bytes_per_s)) is not None
    ]
    if not found:
        return None
    best = min(found)
    return best[-1], best[2]


def _breakout(switch: Switch, rate_bytes_per_s: float) -> int | None:
    if switch.port_rate is None or switch.port_rate.barred or switch.ports is None or switch.ports.barred:
        return None
    return next(
        (split for split in _BREAKOUTS if math.isclose(switch.port_rate.si, split * rate_bytes_per_s)), None
    )


def link_for(catalogue: Catalogue, technology: str, rate_bytes_per_s: float) -> Link | None:
    """Return the network link of a technology and port rate, or None where the catalogue has none."""
    return next(
        (
            link
            for link in catalogue.all(Link)
            if link.scope is LinkScope.INTER_NODE
            and math.isclose(link.per_device.si, rate_bytes_per_s)
            and is_of(link, technology)
        ),
        None,
    )


def is_of(link: Link, technology: str) -> bool:
    """Tell whether a network link is of a technology, by the words of its name."""
    name = f"{link.id} {link.name.en}".lower()
    return any(word in name for word in _LINK_WORDS.get(technology, (technology,)))
