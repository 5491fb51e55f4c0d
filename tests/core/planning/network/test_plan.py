"""The whole design of a cluster of catalogued servers: its parts agree with each other and the sizing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.estimation.estimation_cases import catalogue, h100, problem
from tests.factories import catalogue as catalogue_of
from tests.factories import device, requirement, sizing

from suanli.domain.workload import ClusterWish
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.step_time import step_arrays
from suanli.planning.cluster import plan_cluster
from suanli.planning.network.results import Dimension, LinkKind, NetworkPlan, Purpose

if TYPE_CHECKING:
    from suanli.planning.results import ClusterPlan

SERVERS = 64


def cluster(wish: ClusterWish) -> ClusterPlan:
    wanted = requirement(wish=wish)
    base = sizing(SERVERS, chip=h100())
    posed = problem(base.device, wanted.model.architecture, wanted.workload)
    layout = replace(base.layout, micro_batches=1)
    step = step_arrays(posed, LayoutArrays.of(layout)).step(0)
    return plan_cluster(replace(base, layout=layout, step=step), wanted, catalogue())


def design(wish: ClusterWish) -> NetworkPlan:
    network = cluster(wish).network
    assert network is not None
    return network


def test_a_plan_that_is_only_priced_buys_the_same() -> None:
    wanted = requirement(wish=ClusterWish(spare_nodes=0))
    base = sizing(SERVERS, chip=h100())
    whole = plan_cluster(base, wanted, catalogue())
    priced = plan_cluster(base, wanted, catalogue(), studied=False)

    assert priced.bill == whole.bill
    assert priced.network is not None
    assert priced.network.options == ()


def test_the_traffic_of_the_dimensions_adds_up_to_the_exposed_communication() -> None:
    plan = cluster(ClusterWish(spare_nodes=0))
    assert plan.network is not None
    traffic = plan.network.traffic

    assert [one.dimension for one in traffic] == [Dimension.TENSOR, Dimension.DATA]
    assert sum(one.exposed_share for one in traffic) == pytest.approx(plan.sizing.step.communication_share)


def test_the_users_threshold_reaches_the_options() -> None:
    network = design(ClusterWish(spare_nodes=0, exposed_communication_max=0.6))

    assert network.threshold == pytest.approx(0.6)
    assert network.cheapest is not None
    assert network.cheapest.exposed_share <= 0.6
    slower = [
        one
        for one in network.options
        if one.kind is not LinkKind.SCALE_UP and one.port_bytes_per_s < network.cheapest.port_bytes_per_s
    ]
    assert slower
    assert all(one.exposed_share > 0.6 for one in slower)
    assert design(ClusterWish(spare_nodes=0)).cheapest is None


def test_the_users_oversubscription_is_built_and_shown() -> None:
    plan = cluster(ClusterWish(spare_nodes=0, oversubscription=3.0))
    assert plan.network is not None
    (chosen,) = (row for row in plan.network.subscription if row.chosen)

    assert plan.fabric.oversubscription == pytest.approx(3.0)
    assert (chosen.switches, chosen.cables) == (plan.fabric.switches, plan.fabric.fabric_cables)
    assert chosen.bisection_bytes_per_s == plan.fabric.bisection_bytes_per_s


def test_the_chosen_shape_is_the_network_that_is_bought() -> None:
    plan = cluster(ClusterWish(spare_nodes=0))
    assert plan.network is not None
    (chosen,) = (one for one in plan.network.shapes if one.chosen)

    assert chosen.shape is plan.fabric.shape
    assert chosen.leaf + chosen.spine + chosen.core == plan.fabric.switches


def test_storage_and_management_are_networks_of_their_own() -> None:
    network = design(ClusterWish(spare_nodes=0))

    assert [one.purpose for one in network.sides] == [Purpose.STORAGE, Purpose.MANAGEMENT]
    storage = network.side(Purpose.STORAGE)
    assert storage is not None
    # A DGX H100 brings four storage ports of 400 Gbit/s.
    assert (storage.ports_per_server, storage.assumed_ports, storage.adapters) == (4, False, 0)


def test_a_device_that_cannot_be_timed_has_its_other_networks_all_the_same() -> None:
    # The hand-made device has no memory bandwidth, without which no step can be computed.
    plan = plan_cluster(sizing(8, chip=device()), requirement(), catalogue_of())

    assert plan.network is not None
    assert (plan.network.traffic, plan.network.options, plan.network.subscription) == ((), (), ())
    assert plan.network.side(Purpose.MANAGEMENT) is not None
