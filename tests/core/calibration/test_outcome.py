from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.core.built_in import host
from tests.core.calibration.calibration_cases import of_families, selection

from suanli.calibration.outcome import Calibrated, calibrate, fit_records
from suanli.calibration.parameters import Scope
from suanli.calibration.runs import resettled
from suanli.domain.vendor import Fit, FitScope
from suanli.estimation.ranges import DEFAULT_SCALES

if TYPE_CHECKING:
    from suanli.domain.figure import Number, Seconds
    from suanli.estimation.arrays import BoolArray, FloatArray


def errors(logs: FloatArray, rows: BoolArray) -> tuple[float, float]:
    """Return median and P90 of the absolute error of some runs."""
    size = np.abs(np.expm1(logs[rows]))
    return float(np.median(size)), float(np.quantile(size, 0.9))


def vendors(found: Calibrated) -> np.ndarray:
    return np.array([run.problem.device.accelerator.vendor for run in found.runs])


def test_the_fit_describes_the_runs_that_it_was_made_from(calibrated: Calibrated) -> None:
    median, p90 = errors(calibrated.in_sample, calibrated.fitting.clean)
    assert median <= 0.04
    assert p90 <= 0.15


def test_runs_whose_group_was_left_out_are_predicted_within_the_targets(calibrated: Calibrated) -> None:
    median, p90 = errors(calibrated.by_group, calibrated.fitting.clean)
    assert median <= 0.060
    assert p90 <= 0.205


@pytest.mark.parametrize(("vendor", "limit"), [("nvidia", 0.055), ("ascend", 0.085), ("amd", 0.16)])
def test_no_vendor_pays_for_another(calibrated: Calibrated, vendor: str, limit: float) -> None:
    rows = calibrated.fitting.clean & (vendors(calibrated) == vendor)
    assert rows.sum() > 10
    assert errors(calibrated.by_group, rows)[0] <= limit


def test_ranges_cover_what_they_promise(calibrated: Calibrated) -> None:
    clean = calibrated.fitting.clean
    assert 0.75 <= np.mean(calibrated.covered[clean]) <= 0.88
    assert not calibrated.covered[~clean].any()


def test_leaving_more_out_errs_more(calibrated: Calibrated) -> None:
    clean = calibrated.fitting.clean
    inside, group, stack, family = (
        errors(logs, clean)[0]
        for logs in (calibrated.in_sample, calibrated.by_group, calibrated.by_stack, calibrated.by_family)
    )
    assert inside < group < min(stack, family)


def test_the_calibration_has_converged(calibrated: Calibrated) -> None:
    fitting, solution = calibrated.fitting, calibrated.solution
    jacobian = fitting.jacobian(solution.coordinates)
    again = fitting.step(solution.coordinates, calibrated.in_sample, jacobian, fitting.clean)
    assert np.max(np.abs(again - solution.coordinates) / solution.deviations) < 0.02


def test_another_round_of_settling_layouts_changes_no_layout(calibrated: Calibrated) -> None:
    problems = calibrated.fitting.problems(calibrated.solution.coordinates)
    changed = [
        run.posed.record.id
        for run, again in zip(calibrated.runs, resettled(calibrated.runs, problems), strict=True)
        if any(
            not np.array_equal(getattr(run.layouts, name), getattr(again.layouts, name))
            for name in ("tp", "pp", "cp", "dp", "ep", "micro_batch_size", "virtual_pipeline")
        )
    ]
    assert len(changed) <= 0.02 * len(calibrated.runs)


def differing(fresh: dict[str, Number | Seconds], held: dict[str, Number | Seconds]) -> list[str]:
    """Return the figures that differ in unit or in three digits."""
    names = sorted(set(fresh) ^ set(held))
    for name in set(fresh) & set(held):
        one, other = fresh[name], held[name]
        pairs = zip((one.si, one.low, one.high), (other.si, other.low, other.high), strict=True)
        if one.unit != other.unit or any(a != pytest.approx(b, rel=1e-3) for a, b in pairs if a is not None):
            names.append(name)
    return names


def test_the_plugins_hold_what_the_runs_of_the_repository_give(calibrated: Calibrated) -> None:
    held = {fit.id: fit for fit in host().catalogue.all(Fit)}
    fresh = {fit.id: fit for fit in fit_records(calibrated)}
    assert set(held) == set(fresh)
    stale: dict[str, list[str]] = {}
    for name, fit in fresh.items():
        other = held[name]
        found = [
            *differing(dict(fit.constants), dict(other.constants)),
            *differing(dict(fit.stack_factors), dict(other.stack_factors)),
            *differing(dict(fit.scales), dict(other.scales)),
        ]
        if (fit.groups, fit.run_ids) != (other.groups, other.run_ids):
            found.append("run_ids")
        stale |= {name: found} if found else {}
    assert stale == {}


def test_there_is_one_record_a_family_a_stack_and_one_for_all(calibrated: Calibrated) -> None:
    fits = fit_records(calibrated)
    subjects = [(fit.scope, fit.subject) for fit in fits]
    assert len(set(subjects)) == len(subjects)
    runs = calibrated.runs
    expected = {(FitScope.DEVICE, run.family) for run in runs} | {(FitScope.STACK, run.stack) for run in runs}
    assert set(subjects) == expected | {(FitScope.SHARED, "all")}


def test_every_parameter_stands_in_exactly_one_record(calibrated: Calibrated) -> None:
    fits = fit_records(calibrated)
    count = sum(len(fit.constants) + len(fit.stack_factors) for fit in fits)
    assert count == len(calibrated.fitting.parameters)


def test_records_hold_the_solution_with_its_68_percent_interval(calibrated: Calibrated) -> None:
    fits = {fit.id: fit for fit in fit_records(calibrated)}
    rows = zip(
        calibrated.fitting.parameters,
        calibrated.solution.coordinates.tolist(),
        calibrated.solution.deviations.tolist(),
        strict=True,
    )
    for one, coordinate, deviation in rows:
        if one.scope not in {Scope.DEVICE, Scope.STACK}:
            continue
        figure = fits[f"fit-{one.scope.value}-{one.key}"].constants[one.name]
        assert figure.si == pytest.approx(one.decode(coordinate), rel=1e-3)
        assert figure.low == pytest.approx(one.decode(coordinate - deviation), rel=1e-3)
        assert figure.high == pytest.approx(one.decode(coordinate + deviation), rel=1e-3)


def test_a_record_names_its_clean_runs_and_tells_their_errors(calibrated: Calibrated) -> None:
    fit = next(one for one in fit_records(calibrated) if one.subject == "h100")
    rows = calibrated.fitting.clean & np.array([run.family == "h100" for run in calibrated.runs])
    runs = [run for run, keep in zip(calibrated.runs, rows, strict=True) if keep]
    assert fit.run_ids == tuple(sorted(run.posed.record.id for run in runs))
    assert fit.groups == len({run.group for run in runs})
    median, p90 = errors(calibrated.by_group, rows)
    assert fit.median_error is not None
    assert fit.p90_error is not None
    assert (fit.median_error.si, fit.p90_error.si) == pytest.approx((median, p90), rel=1e-3)
    traps = {run.posed.record.id for run in calibrated.runs if run.trap}
    assert traps
    assert not traps & {name for one in fit_records(calibrated) for name in one.run_ids}


def test_the_shared_record_holds_every_scale_of_the_ranges(calibrated: Calibrated) -> None:
    shared = next(one for one in fit_records(calibrated) if one.scope is FitScope.SHARED)
    assert set(shared.scales) == set(DEFAULT_SCALES)
    scales = {name: figure.si for name, figure in shared.scales.items()}
    assert scales["p10"] < scales["p50"] < scales["p90"]
    assert scales["memory-p10"] < scales["memory-p50"] < scales["memory-p90"]
    assert min(scales["stack-not-calibrated"], scales["device-not-calibrated"]) > 1
    assert calibrated.memory == pytest.approx(np.quantile(selection().memory, [0.1, 0.5, 0.9]))


def test_a_calibration_without_memory_has_no_memory_scales() -> None:
    found = calibrate(of_families("mi300", "mi350"))
    shared = next(one for one in fit_records(found) if one.scope is FitScope.SHARED)
    assert found.memory is None
    assert [name for name in shared.scales if name.startswith("memory")] == []


def test_one_device_gives_one_record() -> None:
    found = calibrate(of_families("gb200"), only="gb200")
    (fit,) = fit_records(found)
    assert (fit.scope, fit.subject) == (FitScope.DEVICE, "gb200")
    assert fit.scales == {}


def test_a_family_of_traps_alone_stays_where_it_starts() -> None:
    runs = tuple(
        replace(run, trap="known to mislead" if run.family == "mi350" else None)
        for run in of_families("mi300", "mi350")
    )
    fit = next(one for one in fit_records(calibrate(runs)) if one.subject == "mi350")
    start = next(run for run in runs if run.family == "mi350").problem.device.calibration.constants
    assert fit.constants["gemm_efficiency"].si == pytest.approx(start["gemm_efficiency"].si, rel=1e-3)
    assert (fit.groups, fit.run_ids, fit.median_error) == (0, (), None)
