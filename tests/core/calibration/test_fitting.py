from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.core.calibration.calibration_cases import (
    fitted,
    measured_at,
    of_families,
    remeasured,
    sample,
    selection,
)

from suanli.calibration.fitting import Fitting
from suanli.calibration.parameters import Scope
from suanli.calibration.runs import joined
from suanli.estimation.constants import Constants, SharedConstants
from suanli.estimation.step_time import step_arrays

if TYPE_CHECKING:
    from suanli.calibration.runs import Run
    from suanli.estimation.arrays import FloatArray

FAMILIES = ("ascend-910b", "a100", "gb200")


def index_of(fitting: Fitting, name: str, scope: Scope, key: str = "") -> int:
    rows = enumerate(fitting.parameters)
    return next(i for i, one in rows if (one.name, one.scope, one.key) == (name, scope, key))


def moved(fitting: Fitting, index: int, by: float) -> Constants:
    coordinates = fitting.start.copy()
    coordinates[index] += by
    return fitting.constants(coordinates)[0]


def test_where_it_starts_the_fit_predicts_what_the_estimate_does() -> None:
    fitting = Fitting(selection().runs)
    own, shared = fitting.constants(fitting.start)
    for one in fields(Constants):
        expected = getattr(fitting.batch.constants, one.name)
        assert getattr(own, one.name) == pytest.approx(expected, rel=1e-12), one.name
    for one in fields(SharedConstants):
        assert getattr(shared, one.name) == pytest.approx(getattr(fitting.batch.shared, one.name)), one.name


def test_residuals_are_logarithms_of_predicted_over_measured_rates() -> None:
    runs = sample()
    residuals = Fitting(runs).residuals(Fitting(runs).start)
    for run, residual in zip(runs[:10], residuals.tolist(), strict=False):
        step_s = float(step_arrays(run.problem, run.layouts).total_s.ravel()[0])
        tokens = float(run.layouts.batch_size[0]) * run.problem.workload.sequence_length
        rate = tokens / step_s / float(run.layouts.devices[0])
        assert residual == pytest.approx(np.log(rate / run.measured), abs=1e-9)


def test_pair_factors_multiply_the_factor_of_their_stack() -> None:
    fitting = Fitting(sample())
    pair = index_of(fitting, "stack_factors", Scope.PAIR, "gb200/megatron-bridge")
    stack = index_of(fitting, "compute_factor", Scope.STACK, "megatron-bridge")
    coordinates = fitting.start.copy()
    coordinates[pair] += np.log(1.1)
    coordinates[stack] += np.log(1.2)
    ratio = fitting.constants(coordinates)[0].compute_factor / fitting.batch.constants.compute_factor
    on_pair = fitting.parameters[pair].rows
    on_stack = fitting.parameters[stack].rows & ~on_pair
    assert ratio[on_pair] == pytest.approx(1.1 * 1.2)
    assert ratio[on_stack] == pytest.approx(1.2)
    assert ratio[~on_pair & ~on_stack] == pytest.approx(1.0)


def test_the_efficiency_of_a_device_moves_its_narrow_formats_along() -> None:
    fitting = Fitting(sample())
    index = index_of(fitting, "gemm_efficiency", Scope.DEVICE, "gb300")
    found, base = moved(fitting, index, np.log(1.05)), fitting.batch.constants
    rows = fitting.parameters[index].rows
    for name in ("gemm_efficiency", "gemm16_efficiency"):
        ratio = getattr(found, name) / getattr(base, name)
        assert ratio == pytest.approx(np.where(rows, 1.05, 1.0)), name


def test_a_format_and_a_stack_scale_narrow_products_and_leave_16_bit_alone() -> None:
    fitting = Fitting(sample())
    base = fitting.batch.constants
    for name, scope, key in (
        ("gemm_efficiency", Scope.PRECISION, "fp8"),
        ("narrow_factor", Scope.STACK, "megatron-bridge"),
    ):
        index = index_of(fitting, name, scope, key)
        found = moved(fitting, index, np.log(0.9))
        expected = np.where(fitting.parameters[index].rows, 0.9, 1.0)
        assert found.gemm_efficiency / base.gemm_efficiency == pytest.approx(expected), name
        assert np.array_equal(found.gemm16_efficiency, base.gemm16_efficiency)


@pytest.mark.parametrize(
    ("name", "field"), [("hbm_efficiency", "hbm_bytes_per_s"), ("nic_efficiency", "nic_bytes_per_s")]
)
def test_shares_of_a_line_rate_scale_the_bandwidth_of_every_run(name: str, field: str) -> None:
    fitting = Fitting(sample())
    found = moved(fitting, index_of(fitting, name, Scope.SHARED), np.log(0.8))
    assert getattr(found, field) / getattr(fitting.batch.constants, field) == pytest.approx(0.8)


def test_a_fit_recovers_the_constants_that_made_the_runs() -> None:
    start = Fitting(of_families(*FAMILIES))
    truth = start.start + 0.8 * start.widths * np.random.default_rng(7).uniform(-1, 1, len(start.start))
    fitting = Fitting(measured_at(start, truth))
    found = fitting.solve()
    off = np.abs(found.coordinates - truth) / found.deviations
    assert np.max(off) < 2
    assert np.mean(off < 1) > 0.9
    assert np.quantile(np.abs(fitting.residuals(found.coordinates)[fitting.clean]), 0.9) < 0.01
    # What runs tell of well is found and not merely allowed by a wide posterior.
    known = found.deviations < 0.5 * fitting.widths
    assert known.sum() > 10
    before = np.abs(start.start - truth)[known]
    after = np.abs(found.coordinates - truth)[known]
    assert np.median(after) < 0.5 * np.median(before)


def test_runs_narrow_what_is_known_and_never_widen_it() -> None:
    fitting, solution = fitted()
    assert np.all(solution.deviations <= fitting.widths * (1 + 1e-9))
    unused = index_of(fitting, "fsdp_contention", Scope.STACK, "dgxc-recipes")
    assert solution.coordinates[unused] == pytest.approx(fitting.start[unused])
    assert solution.deviations[unused] == pytest.approx(fitting.widths[unused])


def test_the_fit_lowers_the_errors_of_where_it_starts() -> None:
    fitting, solution = fitted()
    before, after = fitting.residuals(fitting.start), fitting.residuals(solution.coordinates)
    assert np.median(np.abs(after[fitting.clean])) < 0.7 * np.median(np.abs(before[fitting.clean]))


def objective(fitting: Fitting, coordinates: FloatArray) -> float:
    """Return what the fit minimises: Huber's loss beyond 0.75 scales of 4 %, and the priors."""
    scaled = np.abs(fitting.residuals(coordinates)) / 0.04
    loss = np.where(scaled <= 0.75, scaled**2 / 2, 0.75 * (scaled - 0.75 / 2))
    prior = ((coordinates - fitting.start) / fitting.widths) ** 2 / 2
    return float((fitting.weights * loss)[fitting.clean].sum() + prior.sum())


def test_no_constant_can_be_moved_for_the_better() -> None:
    fitting, solution = fitted()
    least = objective(fitting, solution.coordinates)
    assert least < objective(fitting, fitting.start)
    for index, deviation in enumerate(solution.deviations):
        for sign in (-0.5, 0.5):
            coordinates = solution.coordinates.copy()
            coordinates[index] += sign * deviation
            assert objective(fitting, coordinates) > least, fitting.parameters[index]


def test_the_same_runs_give_the_same_fit_to_the_last_digit() -> None:
    _, first = fitted()
    second = Fitting(sample()).solve()
    assert np.array_equal(first.coordinates, second.coordinates)
    assert np.array_equal(first.deviations, second.deviations)


def test_the_order_of_runs_changes_nothing() -> None:
    fitting, solution = fitted()
    order = np.random.default_rng(3).permutation(len(sample()))
    shuffled = Fitting(tuple(sample()[index] for index in order))
    other = shuffled.solve()
    assert [(one.name, one.key) for one in shuffled.parameters] == [
        (one.name, one.key) for one in fitting.parameters
    ]
    assert other.coordinates == pytest.approx(solution.coordinates, abs=1e-6)
    by_group = fitting.left_out(solution, fitting.groups)
    assert shuffled.left_out(other, shuffled.groups) == pytest.approx(by_group[order], abs=1e-6)


def test_a_trap_does_not_move_constants() -> None:
    wild = tuple(replace(run, measured=run.measured * 10) if run.trap else run for run in sample())
    assert sum(run.trap is not None for run in wild) >= 3
    assert np.array_equal(Fitting(wild).solve().coordinates, fitted()[1].coordinates)


def test_one_wild_run_pulls_no_more_the_wilder_it_is() -> None:
    _, solution = fitted()
    factors = np.ones(len(sample()))
    one = next(index for index, run in enumerate(sample()) if run.trap is None)
    shifts: list[float] = []
    for wild in (3.0, 30.0):
        factors[one] = wild
        other = Fitting(remeasured(sample(), factors)).solve()
        shifts.append(float(np.max(np.abs(other.coordinates - solution.coordinates) / solution.deviations)))
    assert 0 < shifts[0] < 1
    assert shifts[1] < 1.3 * shifts[0]


def test_a_table_of_many_runs_weighs_as_the_root_of_their_number() -> None:
    fitting, _ = fitted()
    for group in set(fitting.groups):
        rows = np.array(fitting.groups) == group
        assert fitting.weights[rows].sum() == pytest.approx(rows.sum() ** 0.5)


def mindformers() -> tuple[Run, ...]:
    """Return 30 runs of 20 groups, half of them small models that launches decide."""
    return tuple(run for run in of_families("ascend-910b") if run.stack == "mindformers")


def test_what_is_left_out_does_not_decide_its_own_prediction() -> None:
    fitting = Fitting(mindformers())
    solution, labels = fitting.solve(), np.array(fitting.groups)
    left = fitting.left_out(solution, fitting.groups)
    for group in sorted(set(fitting.groups)):
        rows = labels == group
        other = Fitting(remeasured(fitting.runs, np.where(rows, 1.3, 1.0)))
        # The measured rate stands in the residual; the prediction is what must not move.
        predicted = other.left_out(solution, other.groups)[rows] + np.log(1.3)
        assert predicted == pytest.approx(left[rows], abs=1e-12), group


def test_what_is_left_out_decides_the_predictions_of_others() -> None:
    fitting = Fitting(mindformers())
    solution = fitting.solve()
    rows = np.array(fitting.groups) == fitting.groups[0]
    other = Fitting(remeasured(fitting.runs, np.where(rows, 1.3, 1.0)))
    left, again = (one.left_out(solution, one.groups) for one in (fitting, other))
    assert np.max(np.abs(again - left)[~rows]) > 1e-3


def test_left_out_predictions_are_those_of_a_fit_without_the_group() -> None:
    runs = mindformers()
    fitting = Fitting(runs)
    left = fitting.left_out(fitting.solve(), fitting.groups)
    labels = np.array(fitting.groups)
    off: list[float] = []
    for group in sorted(set(fitting.groups))[::2]:
        rows = labels == group
        without = Fitting(
            tuple(replace(run, trap="left out") if out else run for run, out in zip(runs, rows, strict=True))
        )
        refitted = without.residuals(without.solve().coordinates)
        off += np.abs(refitted[rows] - left[rows]).tolist()
    assert len(off) >= 8
    assert max(off) < 0.02
    assert np.median(off) < 0.002


def test_left_out_runs_are_predicted_worse_than_those_of_the_fit() -> None:
    fitting, solution = fitted()
    inside = np.abs(fitting.residuals(solution.coordinates)[fitting.clean])
    outside = np.abs(fitting.left_out(solution, fitting.groups)[fitting.clean])
    assert np.median(outside) > np.median(inside)


def test_a_family_moves_no_family_under_another_stack() -> None:
    chips = of_families("gb200")
    runs = (*mindformers(), *chips)
    factors = np.concatenate([np.ones(len(mindformers())), np.full(len(chips), 1.2)])
    one, other = Fitting(runs), Fitting(remeasured(runs, factors))
    first, second = one.solve(), other.solve()
    ratio = np.exp(second.coordinates - first.coordinates)
    assert ratio[index_of(one, "gemm_efficiency", Scope.DEVICE, "gb200")] > 1.02
    # Only what all share can carry anything across, and that is spread over everything.
    assert ratio[index_of(one, "gemm_efficiency", Scope.DEVICE, "ascend-910b")] == pytest.approx(1, abs=0.02)


def test_fitting_one_device_moves_that_device_alone() -> None:
    fitting = Fitting(sample(), "gb300")
    solution = fitting.solve()
    own = np.array([run.family == "gb300" for run in sample()])
    before, after = fitting.residuals(fitting.start), fitting.residuals(solution.coordinates)
    assert np.array_equal(before[~own], after[~own])
    assert np.median(np.abs(after[own])) < np.median(np.abs(before[own]))


def test_problems_carry_the_fitted_constants_of_their_own_run() -> None:
    fitting, solution = fitted()
    residuals = fitting.residuals(solution.coordinates)
    for index, problem in enumerate(fitting.problems(solution.coordinates)):
        run = fitting.runs[index]
        total_s = float(step_arrays(problem, run.layouts).total_s.ravel()[0])
        tokens = float(run.layouts.batch_size[0]) * problem.workload.sequence_length
        rate = tokens / total_s / float(run.layouts.devices[0])
        assert np.log(rate / run.measured) == pytest.approx(residuals[index], abs=1e-9)


def test_joined_layouts_keep_their_order() -> None:
    layouts = joined(sample())
    assert layouts.tp.tolist() == [float(run.layouts.tp[0]) for run in sample()]
    assert len(layouts.devices) == len(sample())
