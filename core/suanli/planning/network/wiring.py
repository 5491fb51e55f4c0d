"""Every cable of a network, from port to port, as arrays: what counts, bills and drawings are taken from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.estimation.arrays import IndexArray
    from suanli.planning.network.clos import ClosCounts

__all__ = ["Cable", "CableRun", "Tier", "Wiring", "wire"]


class Tier(StrEnum):
    """The two kinds of device that a cable joins."""

    HOST_LEAF = "host-leaf"
    LEAF_SPINE = "leaf-spine"
    SPINE_CORE = "spine-core"


@dataclass(frozen=True, slots=True)
class Cable:
    """One cable. Ports are numbered from 0 on their device; lanes share a port that is split."""

    tier: Tier
    lower: int
    """Server of a host cable, else the lower switch."""
    lower_port: int
    upper: int
    upper_port: int
    lane: int
    rail: int
    """Rail of a host cable; 0 for others."""


@dataclass(frozen=True, slots=True)
class CableRun:
    """All cables of a tier, one array entry each."""

    tier: Tier
    lower: IndexArray
    lower_port: IndexArray
    upper: IndexArray
    upper_port: IndexArray
    lane: IndexArray
    rail: IndexArray

    def __len__(self) -> int:
        """Return the number of cables."""
        return len(self.lower)


@dataclass(frozen=True, slots=True)
class Wiring:
    """The cables of a network by tier, from the hosts up."""

    runs: tuple[CableRun, ...]

    def cables(self) -> Iterator[Cable]:
        """Yield every cable, from the hosts up."""
        for run in self.runs:
            columns = (run.lower, run.lower_port, run.upper, run.upper_port, run.lane, run.rail)
            for row in zip(*(column.tolist() for column in columns), strict=True):
                yield Cable(run.tier, *row)

    def count(self, tier: Tier) -> int:
        """Return the cables of a tier."""
        return sum(len(run) for run in self.runs if run.tier is tier)


def wire(counts: ClosCounts, per_server: int) -> Wiring:
    """Return the cables of a network of servers with so many compute ports each.

    Hosts fill the lower ports of a leaf, uplinks the next. Uplink i of a leaf goes to spine i modulo the
    spines of its pod, so that every leaf reaches every spine; spines reach the cores in the same way.
    """
    runs = [_hosts(counts, per_server)]
    if counts.tiers > 1:
        runs.append(_leaves(counts))
    if counts.tiers > 2:  # noqa: PLR2004 - a core is the third tier
        runs.append(_spines(counts, runs[-1]))
    return Wiring(tuple(runs))


def _hosts(counts: ClosCounts, per_server: int) -> CableRun:
    """Return the cables from servers to leaves."""
    sizes = np.array(counts.leaf_endpoints, dtype=np.int64)
    leaf = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(leaf)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    server, rail = _endpoints(counts, per_server, leaf, place)
    return CableRun(
        Tier.HOST_LEAF, server, rail, leaf, place // counts.breakout, place % counts.breakout, rail
    )


def _endpoints(
    counts: ClosCounts, per_server: int, leaf: IndexArray, place: IndexArray
) -> tuple[IndexArray, IndexArray]:
    """Return server and port of each place on a leaf."""
    if counts.rails == 1 or counts.tiers == 1:
        number = np.arange(len(leaf))
        return number // per_server, number % per_server
    rails, sizes = counts.rails, np.array(counts.leaf_endpoints, dtype=np.int64)
    if counts.leaf >= rails and counts.leaf % rails == 0:
        # One rail a leaf; groups of servers stand one after the other.
        group_sizes = sizes[::rails]
        first = np.cumsum(group_sizes) - group_sizes
        return first[leaf // rails] + place, leaf % rails
    # Several whole rails share a leaf; rails are dealt to the leaves in order.
    servers = int(sizes.sum()) // rails
    first_rail = np.cumsum(sizes // servers) - sizes // servers
    return place % servers, first_rail[leaf] + place // servers


def _leaves(counts: ClosCounts) -> CableRun:
    """Return the cables from leaves to spines, pod by pod."""
    up, spines = counts.up, counts.spine // counts.pods
    leaf = np.repeat(np.arange(counts.leaf), up)
    number = np.arange(len(leaf)) % up
    in_pod = -(-counts.leaf // counts.pods)
    pod = leaf // in_pod
    order = (leaf % in_pod) * up + number
    used = -(-np.array(counts.leaf_endpoints, dtype=np.int64) // counts.breakout)
    zeros = np.zeros(len(leaf), dtype=np.int64)
    return CableRun(
        Tier.LEAF_SPINE,
        leaf,
        used[leaf] + number,
        pod * spines + order % spines,
        order // spines,
        zeros,
        zeros,
    )


def _spines(counts: ClosCounts, below: CableRun) -> CableRun:
    """Return the cables from spines to cores: as many from each spine as come up to it."""
    half = counts.radix // 2
    spine = np.sort(below.upper)
    number = np.arange(len(spine)) - np.searchsorted(spine, spine)
    order = np.arange(len(spine))
    zeros = np.zeros(len(spine), dtype=np.int64)
    return CableRun(
        Tier.SPINE_CORE, spine, half + number, order % counts.core, order // counts.core, zeros, zeros
    )
