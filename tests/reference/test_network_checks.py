"""Claims on networks that circulate, each against what the tool computes or holds as data."""

from __future__ import annotations

import pytest
from tests.core.estimation.estimation_cases import catalogue, layout, model, problem, shipped, workload
from tests.core.planning.network.test_link_options import asked
from tests.core.planning.network.test_subscription import rows

from suanli.domain.hardware import Accelerator, Link, Topology
from suanli.domain.workload import Recompute, Task
from suanli.planning.network.clos import clos
from suanli.planning.network.link_options import plan_options
from suanli.planning.network.results import Dimension
from suanli.planning.network.traffic import bytes_per_step


def gigabytes(link: str) -> float:
    return catalogue().get(Link, link).per_device.si / 1e9


@pytest.mark.parametrize(
    ("link", "per_direction"),
    [
        ("ib-hdr", 25),
        ("ib-ndr", 50),
        ("ib-xdr", 100),
        ("roce-25", 3.125),
        ("roce-100", 12.5),
        ("roce-200", 25),
        ("roce-400", 50),
        ("roce-800", 100),
        ("pcie4-x16", 31),
        ("pcie5-x16", 63),
        # Per direction: 600 and 900 GB/s are sums of both.
        ("nvlink3", 300),
        ("nvlink4", 450),
    ],
)
def test_rates_are_those_of_one_direction(link: str, per_direction: float) -> None:
    assert gigabytes(link) == pytest.approx(per_direction)


def test_latency_is_a_number_of_microseconds() -> None:
    figure = catalogue().get(Link, "ib-ndr").latency

    assert figure is not None
    assert figure.si == pytest.approx(2.8e-6)


@pytest.mark.parametrize(("link", "seconds"), [("roce-25", 134), ("roce-100", 34), ("roce-400", 8.4)])
def test_70b_under_zero3_over_slow_ethernet_waits_minutes_for_one_micro_batch(
    link: str, seconds: float
) -> None:
    # Two gathers of the weights and one reduction, 140 GB each: what a ring takes into every server.
    device = shipped("ascend-910b2", "atlas-800t-a2", "torchtitan")
    one = problem(device, model("llama-2-70b"), workload(Task.PRETRAIN, global_batch_size=32))
    moved = bytes_per_step(one, layout(dp=32, zero_stage=3, recompute=Recompute.FULL))[Dimension.DATA]

    assert moved / (gigabytes(link) * 1e9) == pytest.approx(seconds, rel=0.06)


def test_ethernet_of_the_same_rate_serves_as_well_as_infiniband() -> None:
    options = {one.link: one for one in plan_options(asked(0.2))}

    for ethernet, infiniband in (("roce-200", "ib-hdr"), ("roce-400", "ib-ndr"), ("roce-800", "ib-xdr")):
        assert options[ethernet].exposed_share == pytest.approx(options[infiniband].exposed_share)
        assert options[ethernet].meets == options[infiniband].meets


def test_below_50_gbit_a_fast_device_waits_more_than_it_computes() -> None:
    options = {one.link: one for one in plan_options(asked())}

    assert options["roce-25"].exposed_share > 0.5
    assert options["roce-25"].step_s > 5 * options["roce-400"].step_s


def test_a_non_blocking_fat_tree_has_as_many_uplinks_as_ports_for_hosts() -> None:
    counts = clos(1024, 64)

    assert counts is not None
    assert counts.up == counts.down
    assert counts.leaf_spine_links == 1024


def test_oversubscription_is_an_input_with_an_effect() -> None:
    one, two, four = rows(asked())

    assert one.exposed_share < two.exposed_share < four.exposed_share


def test_devices_without_a_link_of_their_own_cross_the_host() -> None:
    plain = catalogue().get(Accelerator, "l40s").scale_up

    assert plain is not None
    assert plain.topology is Topology.PCIE
