"""What of a network serves its larger successor: switches that stay, links that stay, links that move.

Leaves have equally many links to every spine of their pod, at any size. A network that grows by spines must
therefore spread the links of its old leaves anew; one whose spines stand from the start only adds leaves.

Source: the wiring is the folded Clos network of `suanli.planning.network` (Leiserson, 1985; Al-Fares et al.,
2008, section 3). That spines are best built out for the final size is the practice of vendors' reference
designs; what it saves is counted here.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from suanli.planning.expansion.results import Change, Kind, Pod, Wiring

if TYPE_CHECKING:
    from suanli.planning.network.clos import ClosCounts
    from suanli.planning.results import FabricPlan

__all__ = ["built_out", "changes", "filled", "kept_links", "wiring_of"]


def filled(total: int, groups: int) -> tuple[int, ...]:
    """Return a total in at most so many groups, each full before the next is begun.

    >>> filled(10, 4)
    (3, 3, 3, 1)
    """
    size = -(-total // groups)
    return tuple(min(size, total - start) for start in range(0, total, size)) if size else ()


def wiring_of(fabric: FabricPlan) -> Wiring | None:
    """Return the wiring of a planned network, or None where its counts are unknown.

    Leaves fill the pods of a three-tier network in order, and every pod has equally many spines.
    """
    if fabric.tiers == 0:
        return Wiring(0, (), 0, 0, 0, 0, 0)
    counts = fabric.counts
    if counts is None:
        return None
    spines = counts.spine // counts.pods
    return Wiring(
        tiers=counts.tiers,
        pods=tuple(Pod(leaves, spines) for leaves in filled(counts.leaf, counts.pods)),
        core=counts.core,
        radix=counts.radix,
        down=counts.down,
        up=counts.up,
        host_cables=fabric.host_cables or 0,
        split=counts.breakout,
        copper=fabric.copper_hosts,
        rails=_rails(counts),
    )


def _rails(counts: ClosCounts) -> tuple[int, ...]:
    """Return the rails on each leaf of a group: one on each, or several whole ones where servers are few."""
    if counts.rails == 1 or counts.tiers == 1:
        return (counts.rails,)
    if counts.leaf % counts.rails == 0:
        return (1,) * counts.rails
    servers = sum(counts.leaf_endpoints) // counts.rails
    return tuple(endpoints // servers for endpoints in counts.leaf_endpoints)


def built_out(target: Wiring, host_cables: int, *, copper: bool = False) -> Wiring:
    """Return the network of fewer hosts whose pods have the spines, and whose core has the size, of a larger.

    Pods are filled in their order; those without a leaf are not begun, so that their spines come later.

    Args:
        target: the larger network.
        host_cables: cables to the hosts of the smaller.
        copper: True where those cables are of copper.
    """
    if not target.tiers:
        return target
    left = min(target.leaf, _leaves_for(target, host_cables))
    pods: list[Pod] = []
    for pod in target.pods:
        leaf = min(pod.leaf, left)
        left -= leaf
        pods += [Pod(leaf, pod.spine)] if leaf else []
    return Wiring(
        target.tiers,
        tuple(pods),
        target.core,
        target.radix,
        target.down,
        target.up,
        host_cables,
        target.split,
        copper=copper,
        rails=target.rails,
    )


def _leaves_for(target: Wiring, host_cables: int) -> int:
    """Return the leaves that fewer hosts need: whole groups where each leaf has rails of its own."""
    group = len(target.rails)
    if group == 1:
        return max(1, math.ceil(Fraction(host_cables, target.split * target.down)))
    servers = Fraction(host_cables, target.rail_count)
    most = target.split * target.down // max(target.rails)
    return group * max(1, math.ceil(servers / most))


def kept_links(pairs: int, before: Fraction, after: Fraction) -> int:
    """Return the links that stay between pairs of switches which stay together, floor(p * min(m1, m2)).

    Args:
        pairs: p, pairs of an old lower and an old upper switch that are still joined.
        before: m1, links of a pair before, on average.
        after: m2, links of a pair after.

    Range of validity: links that are spread evenly, before and after.

    >>> kept_links(32 * 16, Fraction(32, 16), Fraction(32, 32))
    512
    """
    return math.floor(pairs * min(before, after))


def _matched(before: Wiring, after: Wiring) -> tuple[tuple[Pod, Pod, Pod], ...]:
    """Return each pod of before, its successor, and the old leaves and spines that stand in that.

    A network of one pod fills as many pods as its switches need; of several, each grows on its own.
    """
    first, *others = before.pods
    if others:
        return tuple(
            (old, new, Pod(min(old.leaf, new.leaf), min(old.spine, new.spine)))
            for old, new in zip(before.pods, after.pods, strict=False)
        )
    found: list[tuple[Pod, Pod, Pod]] = []
    leaf, spine = first.leaf, first.spine
    for new in after.pods:
        stay = Pod(min(leaf, new.leaf), min(spine, new.spine))
        leaf, spine = leaf - stay.leaf, spine - stay.spine
        found.append((first, new, stay))
    return tuple(found)


def _kept_to_spines(before: Wiring, after: Wiring) -> int:
    return sum(
        kept_links(
            stay.leaf * stay.spine, Fraction(before.up, old.spine or 1), Fraction(after.up, new.spine or 1)
        )
        for old, new, stay in _matched(before, after)
    )


def _kept_to_core(before: Wiring, after: Wiring) -> int:
    if not before.core or not after.core:
        return 0
    return sum(
        kept_links(
            stay.spine * min(before.core, after.core),
            Fraction(old.leaf * before.up, old.spine * before.core),
            Fraction(new.leaf * after.up, new.spine * after.core),
        )
        for old, new, stay in _matched(before, after)
        if stay.spine
    )


def changes(before: Wiring, after: Wiring, servers: tuple[int, int]) -> tuple[Change, ...]:
    """Return what is kept, moved, added and thrown away between two networks of the same switches.

    A switch that was the whole network becomes a leaf and gives up the host ports that its links need. Copper
    cables that must move are thrown away, because they reach one rack only.

    Args:
        before: the smaller network.
        after: the larger network.
        servers: servers before and after, spares included.
    """
    return (
        _counted(Kind.SERVERS, *servers),
        _counted(Kind.LEAF, before.leaf, after.leaf),
        _counted(Kind.SPINE, before.spine, after.spine),
        _counted(Kind.CORE, before.core, after.core),
        _host_cables(before, after),
        _cables(
            Kind.LEAF_SPINE_LINKS,
            before.leaf_spine_links,
            after.leaf_spine_links,
            _kept_to_spines(before, after) if before.pods and after.pods else 0,
        ),
        _cables(
            Kind.SPINE_CORE_LINKS,
            before.spine_core_links,
            after.spine_core_links,
            _kept_to_core(before, after),
        ),
    )


def _counted(kind: Kind, before: int, after: int) -> Change:
    kept = min(before, after)
    return Change(kind, kept, 0, after - kept, before - kept)


def _cables(kind: Kind, before: int, after: int, kept: int, *, scrap: bool = False) -> Change:
    """Return the change of cables of which some stay; the others move, or are thrown away where `scrap`."""
    kept = min(kept, before, after)
    moved = 0 if scrap else min(before, after) - kept
    return Change(kind, kept, moved, after - kept - moved, before - kept - moved)


def _host_cables(before: Wiring, after: Wiring) -> Change:
    stay = min(before.leaf, after.leaf) * after.down * after.split
    if after.rail_count > 1 and before.host_cables:
        # An old leaf keeps as many of its rails as it has afterwards; the others go to leaves of their own.
        common = sum(min(one, other) for one, other in zip(before.rails, after.rails, strict=False))
        stay = before.host_cables * common // after.rail_count
    return _cables(
        Kind.HOST_CABLES,
        before.host_cables,
        after.host_cables,
        min(before.host_cables, stay),
        scrap=before.copper,
    )
