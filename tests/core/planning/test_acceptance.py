"""The acceptance plan: which tests, in which order, with which pass values."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.core.built_in import host
from tests.core.estimation.estimation_cases import shipped
from tests.factories import catalogue, gbit, requirement, shop, sizing, text

from suanli.domain.vendor import AcceptanceBasis, AcceptancePhase, AcceptanceTest
from suanli.estimation.collectives import group_bytes_per_s
from suanli.estimation.constants import resolve_constants, shared_constants
from suanli.estimation.gemm import gemm_s
from suanli.estimation.results import Infeasible
from suanli.planning.acceptance.bounds import bound_of, node_ladder, rungs
from suanli.planning.acceptance.burn_in import allowance, allowed_failures, detected_mean, poisson_at_most
from suanli.planning.acceptance.plan import plan_acceptance
from suanli.planning.acceptance.results import Bound, BoundKind
from suanli.planning.cluster import plan_cluster

if TYPE_CHECKING:
    from suanli.planning.results import ClusterPlan

ASKED = requirement()


def plan(
    device: str = "h100-sxm", server: str = "dgx-h100", stack: str = "megatron-core", nodes: int = 13
) -> ClusterPlan:
    chip = shipped(device, server, stack)
    return plan_cluster(sizing(nodes, chip=chip), ASKED, host().catalogue)


def bound(basis: AcceptanceBasis, planned: ClusterPlan) -> Bound:
    return bound_of(basis, planned, ASKED)


def check(test_id: str = "probe", vendor: str = "nvidia", **fields: object) -> AcceptanceTest:
    values: dict[str, object] = {
        "id": test_id,
        "vendor": vendor,
        "name": text(test_id),
        "tool": "tool",
        "procedure": text("run"),
        "metric": text("rate"),
    }
    return AcceptanceTest.model_validate(values | fields)


# --- pass values ---


def test_a_matrix_test_passes_at_the_low_end_of_the_calibrated_efficiency() -> None:
    planned = plan()
    device = planned.sizing.device
    constants = resolve_constants(device, planned.sizing.precision)
    assert not isinstance(constants, Infeasible)
    side = np.array(8192.0)
    middle = 2 * 8192**3 / float(gemm_s(constants, side, side, side, sixteen_bit=True)) / 1e12
    efficiency = device.calibration.constants["gemm_efficiency"]
    assert efficiency.low is not None
    found = bound(AcceptanceBasis.GEMM, planned)
    assert found.threshold is not None
    assert found.threshold == pytest.approx(middle * efficiency.low / efficiency.value)
    assert found.share_of_peak == pytest.approx(found.threshold / 989.4, rel=1e-3)
    assert found.high is not None
    assert found.threshold < middle < found.high <= 989.5


def test_a_collective_in_a_node_is_held_to_what_the_estimate_counts_with() -> None:
    planned = plan("ascend-910b2", "atlas-800t-a2", "mindspeed")
    constants = resolve_constants(planned.sizing.device, planned.sizing.precision)
    assert not isinstance(constants, Infeasible)
    found = bound(AcceptanceBasis.INTRA_NODE, planned)
    assert found.threshold == pytest.approx(0.95 * float(constants.domain_bytes_per_s) / 1e9)


def test_the_range_of_an_nvswitch_node_goes_from_a_ring_to_reduction_in_the_switch() -> None:
    """The published case: a ring reaches about 370 GB/s, in-switch reduction about 480."""
    found = bound(AcceptanceBasis.INTRA_NODE, plan())
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 370
    assert found.high == pytest.approx(480, rel=0.05)


def test_every_number_of_nodes_has_a_value_of_its_own_and_none_above_line_rate() -> None:
    planned = plan(nodes=13)
    constants = resolve_constants(planned.sizing.device, planned.sizing.precision)
    assert not isinstance(constants, Infeasible)
    found = rungs(planned)
    assert [rung.nodes for rung in found] == [2, 4, 8, 13]
    straggler = float(shared_constants(planned.sizing.device.shared).straggler)
    for rung in found:
        counted = float(group_bytes_per_s(constants, np.array(float(rung.ranks)), np.array(1.0)))
        assert rung.ranks == 8 * rung.nodes
        assert rung.expected_bytes_per_s == pytest.approx(counted / (1 + straggler * math.log2(rung.nodes)))
        assert rung.threshold_bytes_per_s == pytest.approx(0.95 * rung.expected_bytes_per_s)
        assert rung.unhealthy_bytes_per_s == pytest.approx(0.60 * rung.expected_bytes_per_s)
        assert rung.expected_bytes_per_s <= rung.line_bytes_per_s == pytest.approx(400e9)
    assert [rung.threshold_bytes_per_s for rung in found] == sorted(
        (rung.threshold_bytes_per_s for rung in found), reverse=True
    )


def test_a_measured_fall_to_four_tenths_is_a_fault_and_not_a_slow_fabric() -> None:
    """The published case: 8 ports of 100 Gbit/s, two nodes 100 GB/s, three 70, six 40."""
    chip = shipped("a100-80-sxm", "dgx-a100", "megatron-core")
    nics = (chip.server.nics[0].model_copy(update={"count": 8, "rate": gbit(100)}),)
    slow = replace(chip, server=chip.server.model_copy(update={"nics": nics}))
    planned = plan_cluster(sizing(6, chip=slow), ASKED, host().catalogue)
    by_nodes = {rung.nodes: rung for rung in rungs(planned)}
    assert by_nodes[2].line_bytes_per_s == pytest.approx(100e9)
    assert by_nodes[6].unhealthy_bytes_per_s > 40e9
    assert by_nodes[4].unhealthy_bytes_per_s < 70e9


def test_a_single_server_has_no_ladder() -> None:
    assert rungs(plan(nodes=1)) == ()
    assert bound(AcceptanceBasis.INTER_NODE, plan(nodes=1)).kind is BoundKind.SUPPLIER


@pytest.mark.parametrize(
    ("nodes", "steps"), [(1, ()), (2, (2,)), (3, (2, 3)), (8, (2, 4, 8)), (40, (2, 4, 8, 16, 32, 40))]
)
def test_the_ladder_doubles_and_ends_with_all_nodes(nodes: int, steps: tuple[int, ...]) -> None:
    assert node_ladder(nodes) == steps


@pytest.mark.parametrize(
    ("basis", "unit", "at_most"),
    [
        (AcceptanceBasis.STORAGE_WRITE, "GB/s", False),
        (AcceptanceBasis.STORAGE_READ, "GB/s", False),
        (AcceptanceBasis.CHECKPOINT_SAVE, "s", True),
        (AcceptanceBasis.RESTART, "s", True),
        (AcceptanceBasis.SERVER_POWER, "kW", True),
        (AcceptanceBasis.PUE, "PUE", True),
        (AcceptanceBasis.PILOT, "tokens/s", False),
    ],
)
def test_a_pass_value_is_the_figure_of_the_plan(basis: AcceptanceBasis, unit: str, at_most: bool) -> None:  # noqa: FBT001
    planned = plan()
    assert planned.power is not None
    assert planned.power.server_peak_w is not None
    figures = {
        AcceptanceBasis.STORAGE_WRITE: planned.storage.write_bytes_per_s / 1e9,
        AcceptanceBasis.STORAGE_READ: planned.storage.read_bytes_per_s / 1e9,
        AcceptanceBasis.CHECKPOINT_SAVE: planned.sizing.goodput.checkpoint_write_s,
        AcceptanceBasis.RESTART: planned.sizing.goodput.restart_s,
        AcceptanceBasis.SERVER_POWER: planned.power.server_peak_w / 1e3,
        AcceptanceBasis.PUE: float(ASKED.site.pue),
        AcceptanceBasis.PILOT: planned.sizing.tokens_per_s_per_accelerator.p10,
    }
    found = bound(basis, planned)
    assert (found.kind, found.unit, found.at_most) == (BoundKind.PLAN, unit, at_most)
    assert found.threshold == pytest.approx(figures[basis])


def test_an_unknown_nameplate_leaves_the_power_limit_to_the_supplier() -> None:
    planned = plan()
    assert planned.power is not None
    unknown = replace(planned, power=replace(planned.power, server_peak_w=None))
    assert bound(AcceptanceBasis.SERVER_POWER, unknown) == Bound(BoundKind.SUPPLIER)
    assert bound(AcceptanceBasis.SERVER_POWER, replace(planned, power=None)) == Bound(BoundKind.SUPPLIER)


# --- which tests ---


def test_tests_are_those_of_the_vendor_and_of_all_in_order_of_phase() -> None:
    known = catalogue(
        *shop(),
        check("last", phase=AcceptancePhase.HANDOVER),
        check("second", phase=AcceptancePhase.SINGLE_NODE, order=20),
        check("first", phase=AcceptancePhase.SINGLE_NODE, order=10),
        check("neutral", vendor="any", phase=AcceptancePhase.FACTORY),
        check("other", vendor="ascend"),
        check("device", accelerators=("h100-sxm",)),
        check("else", accelerators=("h200-sxm",)),
        check("wide", least_nodes=14),
    )
    found = [item.test.id for item in plan_acceptance(plan(), ASKED, known)]
    assert found == ["neutral", "first", "second", "device", "last"]


GB = {"unit": "GB/s", "source": "src", "confidence": "official-software", "check": "direct"}


def test_a_published_value_outranks_the_plans_at_its_device_alone() -> None:
    known = catalogue(check(basis=AcceptanceBasis.INTRA_NODE, published={"h100-sxm": {"value": 460, **GB}}))
    (at_home,) = plan_acceptance(plan(), ASKED, known)
    assert (at_home.bound.kind, at_home.bound.threshold) == (BoundKind.PUBLISHED, 460.0)
    (elsewhere,) = plan_acceptance(plan("h200-sxm", "dgx-h200"), ASKED, known)
    assert elsewhere.bound.kind is BoundKind.PLAN


def test_a_published_value_for_faster_ports_is_not_held_against_slower_ones() -> None:
    port = check(
        basis=AcceptanceBasis.PORT_RATE,
        port_rate={"value": 400, **GB, "unit": "Gbit/s"},
        threshold={"value": 375, **GB, "unit": "Gbit/s"},
    )
    (fast,) = plan_acceptance(plan(), ASKED, catalogue(port))
    assert (fast.bound.kind, fast.bound.threshold, fast.bound.unit) == (BoundKind.PUBLISHED, 375.0, "Gbit/s")
    (slow,) = plan_acceptance(plan("a100-80-sxm", "dgx-a100"), ASKED, catalogue(port))
    assert (slow.bound.kind, slow.bound.threshold, slow.bound.high) == (BoundKind.SUPPLIER, None, 200.0)


@pytest.mark.parametrize(
    ("device", "server", "stack"),
    [
        ("h100-sxm", "dgx-h100", "megatron-core"),
        ("ascend-910b2", "atlas-800t-a2", "mindspeed"),
        ("mi300x", "smc-as-8125gs-tnmr2", "primus"),
    ],
)
def test_every_vendor_ships_each_phase_with_procedure_rule_and_sample(
    device: str, server: str, stack: str
) -> None:
    found = plan_acceptance(plan(device, server, stack), ASKED, host().catalogue)
    assert {item.test.phase for item in found} == set(AcceptancePhase)
    assert all(item.test.pass_rule and item.test.sample for item in found)
    ids = [item.test.id for item in found]
    for place, item in enumerate(found):
        assert set(item.test.prerequisites) <= set(ids[:place]), item.test.id
    bases = {item.test.basis for item in found}
    assert {AcceptanceBasis.GEMM, AcceptanceBasis.INTRA_NODE, AcceptanceBasis.INTER_NODE} <= bases
    assert {AcceptanceBasis.PILOT, AcceptanceBasis.BURN_IN, AcceptanceBasis.STORAGE_WRITE} <= bases


# --- burn-in ---


@pytest.mark.parametrize(
    ("count", "mean", "expected"),
    [(0, 1.0, 0.367879), (1, 1.0, 0.735759), (3, 2.0, 0.857123), (6, 3.0, 0.966491), (0, 0.0, 1.0)],
)
def test_the_poisson_sum_is_that_of_the_tables(count: int, mean: float, expected: float) -> None:
    assert poisson_at_most(count, mean) == pytest.approx(expected, abs=1e-6)


def test_a_large_mean_does_not_underflow() -> None:
    assert poisson_at_most(1000, 1000.0) == pytest.approx(0.5084, abs=1e-3)


@pytest.mark.parametrize("mean", [0.01, 0.24, 1.1, 3.0, 25.0, 400.0])
def test_the_allowance_is_the_fewest_that_a_good_cluster_stays_within(mean: float) -> None:
    count = allowed_failures(mean)
    assert poisson_at_most(count, mean) >= 0.95
    assert count == 0 or poisson_at_most(count - 1, mean) < 0.95


@pytest.mark.parametrize("count", [0, 1, 3, 20])
def test_a_bad_cluster_passes_one_time_in_ten(count: int) -> None:
    assert poisson_at_most(count, detected_mean(count)) == pytest.approx(0.10, abs=1e-9)


def test_a_longer_test_tells_more_apart() -> None:
    factors = [allowance(hours, 300.0).detected_factor for hours in (72, 168, 720)]
    assert factors == sorted(factors, reverse=True)


def test_the_shipped_burn_in_counts_with_the_plans_failures() -> None:
    planned = plan()
    planned = replace(
        planned,
        sizing=replace(planned.sizing, goodput=replace(planned.sizing.goodput, mtbf_s=300 * 3600.0)),
    )
    found = {item.test.id: item.allowance for item in plan_acceptance(planned, ASKED, host().catalogue)}
    # Burn-in counts what hardware does, 78 % of all interruptions; the stability run counts all of them.
    assert found["nvidia-burn-in"] == allowance(72.0, 300.0 / 0.78)
    assert found["any-stability"] == allowance(168.0, 300.0)
    assert found["nvidia-health"] is None


@pytest.mark.parametrize(("hours", "mtbf"), [(0.0, 300.0), (72.0, 0.0)])
def test_a_test_without_length_is_refused(hours: float, mtbf: float) -> None:
    with pytest.raises(ValueError, match="no test of"):
        allowance(hours, mtbf)


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="no probability"):
        poisson_at_most(-1, 1.0)
