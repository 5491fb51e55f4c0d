"""Time of collectives by bandwidth and latency, on the level of the topology that they cross.

Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005,
section 3; bus bandwidth as in the performance notes of nccl-tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray
    from suanli.estimation.constants import Constants

__all__ = [
    "all_gather_s",
    "all_reduce_s",
    "all_to_all_s",
    "group_bytes_per_s",
    "mesh_share",
    "ring_all_reduce_s",
]


def ring_all_reduce_s(size_bytes: float, bytes_per_s: float, ranks: int, latency_s: float = 0.0) -> float:
    """Return the time of a ring all-reduce.

    Equation: t = 2(N − 1)/N · S/B + 2(N − 1) · α.
    S: bytes on each rank; B: bandwidth per rank and direction in bytes/s; N: ranks; α: latency of one step in
    s.

    Raises:
        ValueError: there is no rank, or the bandwidth is not positive.

    >>> round(ring_all_reduce_s(14e9, 100e9, 8), 3), round(ring_all_reduce_s(14e9, 100e9, 256), 4)
    (0.245, 0.2789)
    """
    if ranks < 1 or bytes_per_s <= 0:
        raise ValueError(f"an all-reduce over {ranks} ranks at {bytes_per_s} bytes/s does not exist")
    return 2 * (ranks - 1) / ranks * size_bytes / bytes_per_s + 2 * (ranks - 1) * latency_s


def all_reduce_s(
    size_bytes: FloatArray, bus_bytes_per_s: FloatArray, ranks: FloatArray, latency_s: FloatArray
) -> FloatArray:
    """Return the time of tree-latency all-reduces: 2(N − 1)/N · S/B + 2α·log₂N; 0 for one rank."""
    return 2 * (ranks - 1) / ranks * size_bytes / bus_bytes_per_s + 2 * latency_s * np.log2(ranks)


def all_gather_s(
    size_bytes: FloatArray, bus_bytes_per_s: FloatArray, ranks: FloatArray, latency_s: FloatArray
) -> FloatArray:
    """Return the time of an all-gather or reduce-scatter of S bytes: (N − 1)/N · S/B + α·log₂N."""
    return (ranks - 1) / ranks * size_bytes / bus_bytes_per_s + latency_s * np.log2(ranks)


def all_to_all_s(
    size_bytes: FloatArray,
    link_bytes_per_s: FloatArray,
    nic_bytes_per_s: FloatArray,
    outside_share: FloatArray,
) -> FloatArray:
    """Return the time of an all-to-all of S bytes per rank.

    The share that leaves the domain goes by the NIC, the rest by the link. Both parts move at once, so the
    slower one counts.
    """
    inside = (1 - outside_share) * size_bytes / link_bytes_per_s
    return np.maximum(inside, outside_share * size_bytes / nic_bytes_per_s)


def mesh_share(ranks: FloatArray, domain: FloatArray) -> FloatArray:
    """Return the share of a full mesh's bandwidth that a group of k among n devices gets: (k − 1)/(n − 1).

    Range of validity: one link between each pair, as HCCS of the 910B or xGMI of the MI300X. A group of one
    gets 1.

    >>> import numpy as np
    >>> mesh_share(np.array([2.0, 4.0, 8.0]), np.array(8.0)).round(3).tolist()
    [0.143, 0.429, 1.0]
    """
    others = np.maximum(domain - 1, 1.0)
    return np.where((ranks > 1) & (domain > 1), np.minimum(1.0, (ranks - 1) / others), 1.0)


def group_bytes_per_s(constants: Constants, ranks: FloatArray, inner: FloatArray) -> FloatArray:
    """Return the bandwidth per rank of a collective whose neighbours are `inner` devices apart.

    `inner` is the product of the dimensions placed inside this one (tp for a data-parallel group), so D/inner
    ranks of the group share a domain of D devices. A group inside one domain runs on the link (a mesh gives
    it a part); beyond, a hierarchical ring passes the domain's border on as many NICs as it has ranks there,
    and never faster than the link.
    """
    # Ranks of the group that share a domain, at least the rank itself.
    inside = np.clip(np.floor(constants.domain / inner), 1.0, ranks)
    # In-switch reduction and measured rates are those of a collective over the entire domain.
    whole = (inner == 1) & (ranks == constants.domain)
    link = np.where(whole, constants.domain_bytes_per_s, constants.link_bytes_per_s)
    if np.any(constants.mesh):
        part = mesh_share(np.where(inside > 1, inside, constants.domain), constants.domain)
        link = link * np.where(constants.mesh > 0, part, 1.0)
    # Beyond the domain all its ranks drive their NICs at once.
    crossing = ranks * inner > constants.domain
    return np.where(crossing, np.minimum(link, inside * constants.nic_bytes_per_s), link)
