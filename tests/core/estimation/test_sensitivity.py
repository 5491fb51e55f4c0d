"""What the duration depends on, and how a run scales: each effect recomputed from a changed device."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from tests.core.built_in import EXAMPLES, host

from suanli.domain.vendor import FitScope
from suanli.domain.workload import Measured, Requirement
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.problem import pose
from suanli.estimation.results import Device, Infeasible, Sizing
from suanli.estimation.sensitivity import STACK_FACTOR, ConstantEffect, constant_effects, scaling_curve
from suanli.estimation.sizing import size
from suanli.estimation.step_time import step_arrays
from suanli.pipeline import decide
from suanli.project.load import load_project


@cache
def sized() -> tuple[Sizing, Requirement]:
    project = load_project(EXAMPLES / "pretrain-70b.yaml", ["vendors.accelerators=[h100-sxm]"])
    decided = decide(project, host())
    return decided.plans["A"].sizing, decided.requirement


@cache
def effects() -> dict[tuple[FitScope, str], ConstantEffect]:
    return {(one.scope, one.name): one for one in constant_effects(*sized())}


def step_s(device: Device) -> float:
    sizing, requirement = sized()
    posed = pose(device, requirement.model.architecture, requirement.workload)
    assert not isinstance(posed, Infeasible)
    return float(step_arrays(posed, LayoutArrays.of(sizing.layout)).total_s[0])


def test_the_effects_come_with_the_largest_first_and_without_those_that_do_nothing() -> None:
    sizes = [one.largest_s for one in constant_effects(*sized())]
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) > 0
    # A dense model in 16 bit has neither experts nor casts.
    assert (FitScope.SHARED, "grouped_overhead") not in effects()
    assert (FitScope.SHARED, "cast_bytes") not in effects()


def test_an_effect_is_the_days_of_a_device_whose_constant_is_at_an_end_of_its_interval() -> None:
    sizing, _ = sized()
    device, one = sizing.device, effects()[FitScope.DEVICE, "gemm_efficiency"]
    figure = device.calibration.constants["gemm_efficiency"].model_copy(update={"value": one.low})
    constants = {**device.calibration.constants, "gemm_efficiency": figure}
    changed = replace(device, calibration=device.calibration.model_copy(update={"constants": constants}))
    slower = step_s(changed) / step_s(device)
    assert slower > 1
    assert one.low_s == pytest.approx(sizing.duration_s.p50 * slower, rel=1e-9)


@pytest.mark.parametrize(
    ("scope", "name", "rises"),
    [
        (FitScope.DEVICE, "gemm_efficiency", False),
        (FitScope.STACK, "compute_factor", True),
        (FitScope.SHARED, "hbm_efficiency", False),
        (FitScope.SHARED, "shape_k", True),
    ],
)
def test_days_move_the_way_that_a_constant_says(scope: FitScope, name: str, *, rises: bool) -> None:
    low, high = effects()[scope, name].change_s
    assert (low < 0 < high) if rises else (high < 0 < low)


def test_every_effect_names_its_fit_and_an_interval_around_its_value() -> None:
    sizing, _ = sized()
    fits = {
        one.id for one in (sizing.device.shared, sizing.device.device_fit, sizing.device.stack_fit) if one
    }
    assert fits
    for one in constant_effects(*sized()):
        assert one.low <= one.value <= one.high
        assert one.fit in {*fits, ""}
    assert {one.fit for one in constant_effects(*sized())} & fits


def test_the_factor_of_a_device_under_a_stack_is_one_of_the_constants() -> None:
    sizing, _ = sized()
    has = sizing.device.stack.id in sizing.device.calibration.stack_factors
    assert ((FitScope.DEVICE, STACK_FACTOR) in effects()) is has


def test_a_pilot_run_takes_the_effect_of_what_it_measured() -> None:
    sizing, requirement = sized()
    device = sizing.device
    run = Measured(device.accelerator.id, "", 500.0, accelerators=sizing.accelerators)
    wanted = replace(requirement, measured=(run,))
    found = size(device, wanted)
    assert isinstance(found, Sizing)
    assert found.pilot_ratio is not None
    before = effects()[FitScope.STACK, "compute_factor"]
    after = {(one.scope, one.name): one for one in constant_effects(found, wanted)}.get(
        (FitScope.STACK, "compute_factor")
    )
    # The prediction of the pilot moves along, so that little of the constant is left.
    left = 0.0 if after is None else after.largest_s / found.duration_s.p50
    assert left < 0.2 * before.largest_s / before.duration_s


def test_efficiency_is_the_rate_of_one_accelerator_over_that_on_the_smallest_cluster() -> None:
    sizing, _ = sized()
    points = scaling_curve(sizing)
    assert len(points) > 4
    assert points[0].efficiency == 1.0
    assert [one.accelerators for one in points] == sorted(one.accelerators for one in points)
    first = points[0]
    for one in points:
        rate, base = 1 / (one.accelerators * one.duration_s), 1 / (first.accelerators * first.duration_s)
        assert one.efficiency == pytest.approx(rate / base)


def test_a_sizing_without_other_sizes_has_no_curve() -> None:
    sizing, _ = sized()
    assert scaling_curve(replace(sizing, alternatives=())) == ()
