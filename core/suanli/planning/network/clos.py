"""Switches and cables of a folded Clos network, as a plain fat tree or optimised for rails.

Source: C. E. Leiserson, Fat-Trees, IEEE Transactions on Computers C-34 (1985); M. Al-Fares et al., A
Scalable, Commodity Data Center Network Architecture, SIGCOMM 2008, section 3. `docs/planning/network.md`
compares the counts with published reference designs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["ClosCounts", "clos", "plane_counts"]


@dataclass(frozen=True, slots=True)
class ClosCounts:
    """Switches and cables of a folded Clos network."""

    tiers: int
    leaf: int
    spine: int
    core: int
    down: int
    """Switch ports of a leaf that may serve hosts."""
    up: int
    """Switch ports of a leaf that go to spines."""
    host_ports: int
    """Switch ports that hosts take, splits counted once."""
    leaf_spine_links: int
    spine_core_links: int
    radix: int = 0
    breakout: int = 1
    """Endpoints on one switch port."""
    rails: int = 1
    """Ports of a server that are kept apart on different leaves; 1 for a plain fat tree."""
    leaf_endpoints: tuple[int, ...] = ()
    """Endpoints on each leaf."""
    pods: int = 1
    """Groups of leaves with spines of their own; 1 below three tiers."""

    @property
    def links(self) -> int:
        """Return all cables between switches."""
        return self.leaf_spine_links + self.spine_core_links

    @property
    def switches(self) -> int:
        """Return all switches."""
        return self.leaf + self.spine + self.core

    @property
    def oversubscription(self) -> float:
        """Return what the fullest leaf's hosts can send over what its uplinks carry, at least 1.

        Equation: s = max(1, max(e)/(b·u)). e: endpoints on a leaf; b: endpoints on one switch port; u:
        uplinks of a leaf. Ports of a leaf that no host takes send nothing.

        >>> round(clos(28 * 8, 64, 2.0, rails=8).oversubscription, 2)
        1.27
        """
        return max(1.0, max(self.leaf_endpoints) / (self.breakout * self.up)) if self.up else 1.0

    @property
    def ports_used(self) -> int:
        """Return all switch ports in use; a cable between switches takes two."""
        return self.host_ports + 2 * self.links

    @property
    def ports_free(self) -> int:
        """Return the switch ports that are left."""
        return self.switches * self.radix - self.ports_used


def clos(
    endpoints: int, radix: int, oversubscription: float = 1.0, breakout: int = 1, rails: int = 1
) -> ClosCounts | None:
    """Return the smallest network of equal switches that joins all endpoints.

    With R ports a switch and oversubscription s, a leaf gives u = ceil(R / (1 + s)) ports up and d = R - u
    down, so that d / u <= s. One tier holds R * b endpoints (b endpoints share a split port), two tiers R * d
    * b, three tiers R * (R // 2) * d * b. With r rails, port i of every server in a group of d * b servers
    goes to leaf i of the group; where a leaf holds k servers' ports of several rails, these share it whole.

    Args:
        endpoints: ports to join, at least 1.
        radix: ports of one switch, at least 2.
        oversubscription: host bandwidth over uplink bandwidth of a leaf, above 0; below 1 the uplinks have
            capacity to spare.
        breakout: endpoints on one switch port.
        rails: ports of a server that go to different leaves; 1 for a plain fat tree.

    Returns:
        The counts, or None where three tiers are not enough.

    Raises:
        ValueError: an argument is out of range.

    >>> counts = clos(1016, 64)
    >>> counts.leaf, counts.spine, counts.links
    (32, 16, 1024)
    >>> clos(160, 64).leaf, clos(160, 64, rails=8).leaf
    (5, 8)
    """
    if endpoints < 1 or radix < 2 or oversubscription <= 0 or min(breakout, rails) < 1:  # noqa: PLR2004 - the ranges stated above
        raise ValueError(
            f"no network of {endpoints} endpoints, radix {radix}, oversubscription {oversubscription}"
        )
    ports = -(-endpoints // breakout)
    if ports <= radix:
        return ClosCounts(1, 1, 0, 0, radix, 0, ports, 0, 0, radix, breakout, rails, (endpoints,))
    # In fractions: 64 / (1 + 1.0) in floats may round up to a port too many for some ratios.
    up = math.ceil(Fraction(radix) / (1 + Fraction(oversubscription).limit_denominator(1000)))
    down = radix - up
    if down < 1:
        return None
    placed = _placed(endpoints, down * breakout, rails)
    leaf = len(placed)
    hosts = sum(-(-count // breakout) for count in placed)
    if leaf <= radix:
        spine = _spread(leaf * up, radix, up)
        return ClosCounts(2, leaf, spine, 0, down, up, hosts, leaf * up, 0, radix, breakout, rails, placed)
    return _three_tiers(placed, radix, (down, up), breakout, rails)


def _placed(endpoints: int, capacity: int, rails: int) -> tuple[int, ...]:
    """Return the endpoints on each leaf, group of servers by group."""
    if rails == 1:
        full, rest = divmod(endpoints, capacity)
        return (capacity,) * full + ((rest,) if rest else ())
    servers = -(-endpoints // rails)
    together = capacity // servers
    if together >= 1:
        leaves = -(-rails // together)
        # Rails that share a leaf stay whole, as evenly as they divide.
        return tuple(servers * (rails // leaves + (index < rails % leaves)) for index in range(leaves))
    full, rest = divmod(servers, capacity)
    sizes = (capacity,) * full + ((rest,) if rest else ())
    return tuple(size for size in sizes for _ in range(rails))


def _three_tiers(
    placed: tuple[int, ...], radix: int, ports: tuple[int, int], breakout: int, rails: int
) -> ClosCounts | None:
    """Return pods of leaves and spines under a core; above the leaves nothing is oversubscribed."""
    # A spine of a pod splits its ports evenly between leaves and core.
    half, (down, up) = radix // 2, ports
    leaf = len(placed)
    pods = -(-leaf // half)
    if pods > radix:
        return None
    spine = pods * _spread(-(-leaf // pods) * up, half, up)
    links = leaf * up
    core = -(-links // radix)
    hosts = sum(-(-count // breakout) for count in placed)
    return ClosCounts(
        3, leaf, spine, core, down, up, hosts, links, links, radix, breakout, rails, placed, pods
    )


def _spread(links: int, ports: int, up: int) -> int:
    """Return how many spines carry the links.

    The next divisor of a leaf's `up` links, so that each leaf has equally many links to each spine, is taken
    as long as it adds no more than half; else links differ by one.
    """
    need = -(-links // ports)
    return next((count for count in range(need, need + need // 2 + 1) if up % count == 0), need)


def plane_counts(servers: int, ports: int, radix: int) -> tuple[int, int]:
    """Return switches and cables of a one-tier network of planes, one plane for each port of a server.

    This is how a supernode joins its servers: port i of every server goes to the switch of plane i.

    Args:
        servers: servers of the supernode, no more than a switch has ports.
        ports: ports of each server that lead out of it.
        radix: ports of one switch.

    Raises:
        ValueError: more servers than one switch has ports.

    >>> plane_counts(48, 56, 48)
    (56, 2688)
    """
    if servers > radix:
        raise ValueError(f"{servers} servers do not fit a switch of {radix} ports")
    return ports, servers * ports
