from __future__ import annotations

import numpy as np
import pytest
from tests.core.estimation.estimation_cases import ascend, h100, plain_device

from suanli.domain.hardware import Precision, Topology
from suanli.estimation.collectives import (
    all_gather_s,
    all_reduce_s,
    all_to_all_s,
    group_bytes_per_s,
    mesh_share,
    ring_all_reduce_s,
)
from suanli.estimation.constants import Constants, resolve_constants


def constants_of(topology: Topology = Topology.SWITCHED) -> Constants:
    found = resolve_constants(plain_device(topology=topology), Precision.BF16)
    assert isinstance(found, Constants)
    return found


@pytest.mark.parametrize(("ranks", "seconds"), [(8, 0.245), (256, 0.2789)])
def test_a_ring_all_reduce_takes_the_golden_time(ranks: int, seconds: float) -> None:
    assert ring_all_reduce_s(14e9, 100e9, ranks) == pytest.approx(seconds, rel=2e-4)


def test_a_ring_of_one_rank_takes_no_time_and_latency_adds_two_per_further_rank() -> None:
    assert ring_all_reduce_s(14e9, 100e9, 1) == 0
    assert ring_all_reduce_s(0, 1.0, 5, 1e-6) == pytest.approx(8e-6)


@pytest.mark.parametrize(("ranks", "bandwidth"), [(0, 1.0), (4, 0.0), (4, -1.0)])
def test_a_ring_that_cannot_exist_is_refused(ranks: int, bandwidth: float) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        ring_all_reduce_s(1.0, bandwidth, ranks)


def test_an_all_reduce_is_a_reduce_scatter_and_an_all_gather() -> None:
    size, bus, ranks = np.array([1e9]), np.array([1e11]), np.array([8.0])
    latency = np.array(1e-5)
    halves = 2 * all_gather_s(size, bus, ranks, latency)
    assert all_reduce_s(size, bus, ranks, latency) == pytest.approx(halves)


def test_an_all_to_all_waits_for_its_slower_part() -> None:
    size, link = np.array([1e9, 1e9]), np.array([1e11, 1e11])
    time = all_to_all_s(size, link, np.array(1e10), np.array([0.0, 0.5]))
    assert time.tolist() == pytest.approx([0.01, 0.05])


def test_a_pair_in_a_mesh_of_eight_gets_one_seventh() -> None:
    assert mesh_share(np.array([2.0, 8.0]), np.array(8.0)).tolist() == pytest.approx([1 / 7, 1.0])
    assert mesh_share(np.array([1.0, 1.0]), np.array(1.0)).tolist() == [1.0, 1.0]


def test_two_ascend_devices_reach_the_published_eighteen_gigabytes_per_second() -> None:
    found = resolve_constants(ascend(), Precision.BF16)
    assert isinstance(found, Constants)
    pair = group_bytes_per_s(found, np.array([2.0]), np.array([1.0]))
    assert pair[0] == pytest.approx(18e9, rel=0.10)  # 19.6 GB/s by the model


def test_a_group_across_nodes_shares_the_ports_of_its_ranks_in_one_node() -> None:
    found = constants_of()
    ranks, inner = np.array([16.0, 16.0, 16.0]), np.array([1.0, 4.0, 8.0])
    rates = group_bytes_per_s(found, ranks, inner)
    port = float(found.nic_bytes_per_s)
    assert rates.tolist() == pytest.approx([8 * port, 2 * port, port])


def test_a_group_across_nodes_is_never_faster_than_the_link_inside() -> None:
    found = constants_of(Topology.MESH)
    rates = group_bytes_per_s(found, np.array([64.0]), np.array([1.0]))
    assert rates[0] <= found.link_bytes_per_s


def test_a_measured_domain_counts_for_the_whole_domain_only() -> None:
    found = resolve_constants(h100(), Precision.BF16)
    assert isinstance(found, Constants)
    rates = group_bytes_per_s(found, np.array([8.0, 4.0]), np.array([1.0, 1.0]))
    assert rates.tolist() == pytest.approx([445e9, 0.82 * 450e9])
