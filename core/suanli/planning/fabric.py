"""The compute network: one switch, a leaf-spine or a three-tier fat tree, with every port connected once.

Leaves are shared by rails where the servers have several ports: port *i* of every server in a group goes to
leaf *i*, so that traffic between equal ranks crosses one switch. The counts are the same as for a plain
leaf-spine network of equal size.

Source: C. E. Leiserson, Fat-Trees, IEEE Transactions on Computers C-34 (1985); M. Al-Fares et al., A
Scalable, Commodity Data Center Network Architecture, SIGCOMM 2008, section 3. The counts agree with the
published reference designs of 31, 63, 95 and 127 eight-way nodes and with the topology table of DeepSeek-AI,
Insights into DeepSeek-V3, 2025, table 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from suanli.domain.hardware import Accelerator, Link, LinkScope, NicRole, Server, Switch
from suanli.planning.results import FabricPlan

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue

__all__ = ["ClosCounts", "clos", "endpoint_ports", "plan_fabric", "switch_for"]

_INFINIBAND = "infiniband"
_ETHERNET = "ethernet"
_TECHNOLOGIES = {"nvidia": (_INFINIBAND, _ETHERNET)}
"""Technologies by server vendor, the usual one first; Ethernet (RoCE) where a vendor is not named."""
_OWN_SWITCHES_ONLY = {"ascend": ("ascend", "huawei")}
"""Server vendors whose network is built with the same maker's switches; elsewhere any maker of the technology
will do.
"""
_LINK_WORDS = {_INFINIBAND: ("infiniband",), _ETHERNET: ("ethernet", "roce", "gbe")}
_BREAKOUTS = (1, 2, 4)
"""Ways in which one switch port may be split."""


@dataclass(frozen=True, slots=True)
class ClosCounts:
    """Switches and cables of a folded Clos network."""

    tiers: int
    leaf: int
    spine: int
    core: int
    down: int
    """Switch ports of a leaf that serve hosts."""
    up: int
    """Switch ports of a leaf that go to spines."""
    host_ports: int
    """Switch ports that hosts take, splits counted once."""
    leaf_spine_links: int
    spine_core_links: int

    @property
    def links(self) -> int:
        """Return all cables between switches."""
        return self.leaf_spine_links + self.spine_core_links

    @property
    def switches(self) -> int:
        """Return all switches."""
        return self.leaf + self.spine + self.core

    @property
    def ports_used(self) -> int:
        """Return all switch ports in use; a cable between switches takes two."""
        return self.host_ports + 2 * self.links


def clos(endpoints: int, radix: int, oversubscription: float = 1.0, breakout: int = 1) -> ClosCounts | None:
    """Return the smallest network of equal switches that joins all endpoints.

    With R ports a switch and oversubscription s, a leaf gives u = ceil(R / (1 + s)) ports up and d = R - u
    down, so that d / u <= s. One tier holds R * b endpoints (b endpoints share a split port), two tiers R * d
    * b, three tiers R * (R // 2) * d * b.

    Args:
        endpoints: ports to join, at least 1.
        radix: ports of one switch, at least 2.
        oversubscription: host bandwidth over uplink bandwidth of a leaf, at least 1.
        breakout: endpoints on one switch port.

    Returns:
        The counts, or None where three tiers are not enough.

    Raises:
        ValueError: an argument is out of range.

    >>> counts = clos(1016, 64)
    >>> counts.leaf, counts.spine, counts.links
    (32, 16, 1024)
    """
    if endpoints < 1 or radix < 2 or oversubscription < 1 or breakout < 1:  # noqa: PLR2004 - the ranges stated above
        raise ValueError(
            f"no network of {endpoints} endpoints, radix {radix}, oversubscription {oversubscription}"
        )
    ports = -(-endpoints // breakout)
    if ports <= radix:
        return ClosCounts(1, 1, 0, 0, radix, 0, ports, 0, 0)
    # In fractions: 64 / (1 + 1.0) in floats may round up to a port too many for some ratios.
    up = math.ceil(Fraction(radix) / (1 + Fraction(oversubscription).limit_denominator(1000)))
    down = radix - up
    leaf = -(-ports // down)
    if leaf <= radix:
        return ClosCounts(2, leaf, _spread(leaf * up, radix, up), 0, down, up, ports, leaf * up, 0)
    return _three_tiers(ports, radix, down, up)


def _three_tiers(ports: int, radix: int, down: int, up: int) -> ClosCounts | None:
    """Return pods of leaves and spines under a core; above the leaves nothing is oversubscribed."""
    # A spine of a pod splits its ports evenly: nothing above the leaves is oversubscribed.
    half = radix // 2
    leaf = -(-ports // down)
    pods = -(-leaf // half)
    if pods > radix:
        return None
    spine = pods * _spread(-(-leaf // pods) * up, half, up)
    links = leaf * up
    core = -(-links // radix)
    return ClosCounts(3, leaf, spine, core, down, up, ports, links, links)


def _spread(links: int, ports: int, up: int) -> int:
    """Return how many spines carry the links.

    The next divisor of a leaf's `up` links, so that each leaf has equally many links to each spine, is taken
    as long as it does not double the count; else links differ by one.
    """
    need = -(-links // ports)
    return next((count for count in range(need, 2 * need) if up % count == 0), need)


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


def switch_for(catalogue: Catalogue, vendor: str, rate_bytes_per_s: float) -> tuple[Switch, int] | None:
    """Return the switch for a server vendor's network and how many endpoints share one of its ports.

    The vendor's usual technology comes first, then its own switches, then those of makers without
    accelerators, then a port of the very rate before a split one, then more ports.
    """
    technologies = _TECHNOLOGIES.get(vendor, (_ETHERNET,))
    makers = _OWN_SWITCHES_ONLY.get(vendor)
    rivals = {accelerator.vendor for accelerator in catalogue.all(Accelerator)} - {vendor}
    found = [
        (
            technologies.index(switch.technology),
            (switch.vendor != vendor) + (switch.vendor in rivals),
            split,
            -switch.ports.si,
            switch.id,
            switch,
        )
        for switch in catalogue.all(Switch)
        if switch.technology in technologies
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


def _link_for(catalogue: Catalogue, technology: str, rate_bytes_per_s: float) -> Link | None:
    words = _LINK_WORDS.get(technology, (technology,))
    for link in catalogue.all(Link):
        name = f"{link.id} {link.name.en}".lower()
        if (
            link.scope is LinkScope.INTER_NODE
            and math.isclose(link.per_device.si, rate_bytes_per_s)
            and any(word in name for word in words)
        ):
            return link
    return None


def plan_fabric(
    catalogue: Catalogue,
    server: Server,
    servers: int,
    oversubscription: float = 1.0,
    *,
    one_rack: bool = False,
) -> FabricPlan:
    """Return the compute network of a number of servers, spares included.

    Args:
        catalogue: links and switches.
        server: the server, whose compute ports are joined.
        servers: how many.
        oversubscription: host bandwidth over uplink bandwidth of a leaf that is allowed.
        one_rack: True where all servers stand in one rack, so that copper cables reach.
    """
    ports = endpoint_ports(server)
    if ports is None:
        return _unknown(None, None, None, None, oversubscription)
    per_server, rate = ports
    found = switch_for(catalogue, server.vendor, rate)
    technology = found[0].technology if found else _TECHNOLOGIES.get(server.vendor, (_ETHERNET,))[0]
    link = _link_for(catalogue, technology, rate)
    endpoints = servers * per_server
    if servers < 2:  # noqa: PLR2004 - one server has nobody to talk to
        return _needless(link, endpoints, rate)
    if found is None:
        return _unknown(link, None, endpoints, rate, oversubscription)
    switch, split = found
    counts = clos(endpoints, _radix(switch), oversubscription, split)
    if counts is None:
        return _unknown(link, switch, endpoints, rate, oversubscription)
    return _counted(link, switch, endpoints, rate, counts, copper=one_rack and counts.tiers == 1)


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
    )


def _radix(switch: Switch) -> int:
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


def _counted(  # noqa: PLR0913 - the parts of one record
    link: Link | None, switch: Switch, endpoints: int, rate: float, counts: ClosCounts, *, copper: bool
) -> FabricPlan:
    # What was built may be less oversubscribed than what was allowed, and that is what is stated.
    ratio = counts.down / counts.up if counts.up else 1.0
    at_hosts = 0 if copper else endpoints
    # A cable between switches has a module at each end; copper carries its own.
    at_switches = (0 if copper else counts.host_ports) + 2 * counts.links
    return FabricPlan(
        link=link,
        switch=switch,
        endpoints=endpoints,
        tiers=counts.tiers,
        leaf_switches=counts.leaf,
        spine_switches=counts.spine,
        core_switches=counts.core,
        host_cables=endpoints,
        fabric_cables=counts.links,
        transceivers=at_hosts + at_switches,
        oversubscription=max(1.0, ratio),
        bisection_bytes_per_s=endpoints / 2 * rate / max(1.0, ratio),
        endpoint_bytes_per_s=rate,
        host_transceivers=at_hosts,
        switch_transceivers=at_switches,
        copper_hosts=copper,
        ports_used=counts.ports_used,
        ports_free=counts.switches * _radix(switch) - counts.ports_used,
    )
