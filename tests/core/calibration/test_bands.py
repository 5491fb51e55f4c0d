from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.core.calibration.calibration_cases import sample, selection

from suanli.calibration.bands import bands, class_flags, coverage, widening
from suanli.estimation.ranges import CLASSES, classes_of

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray

RUNS_PER_GROUP = 10
AMD, MOE = CLASSES.index("vendor-amd"), CLASSES.index("mixture-of-experts")


def laplace(count: int, scales: dict[int, float], base: float = 0.06) -> tuple[FloatArray, FloatArray]:
    """Return residuals of a Laplace distribution and their classes; every other run is of the first class."""
    generator = np.random.default_rng(11)
    flags = np.zeros((count, len(CLASSES)))
    for turn, column in enumerate(scales, start=1):
        flags[:: 2**turn, column] = 1
    spread = base * np.prod([np.where(flags[:, c] > 0, s, 1.0) for c, s in scales.items()], axis=0)
    return generator.laplace(0.0, spread, count), flags


def names(count: int, runs_per_group: int = RUNS_PER_GROUP) -> list[str]:
    return [f"group-{index // runs_per_group:04}" for index in range(count)]


def test_multipliers_are_those_that_made_the_residuals() -> None:
    logs, flags = laplace(4000, {AMD: 2.0, MOE: 0.5})
    found = bands(logs, flags, np.ones(4000), names(4000))
    assert found.base == pytest.approx(0.06, rel=0.1)
    assert found.multipliers["vendor-amd"] == pytest.approx(2.0, rel=0.1)
    assert found.multipliers["mixture-of-experts"] == pytest.approx(0.5, rel=0.1)


def test_a_wider_class_gets_a_multiplier_above_1_and_the_others_stay_at_1() -> None:
    logs, flags = laplace(2000, {AMD: 2.0})
    found = bands(logs, flags, np.ones(2000), names(2000))
    assert found.multipliers["vendor-amd"] > 1.5
    assert all(found.multipliers[name] == pytest.approx(1.0) for name in CLASSES if name != "vendor-amd")


def test_the_prior_holds_a_class_of_one_run_near_1() -> None:
    logs, flags = laplace(400, {})
    flags[0, AMD] = 1
    logs[0] = 0.06 * 50
    found = bands(logs, flags, np.ones(400), [f"group-{index}" for index in range(400)])
    # One run fifty times as far out as others; 1.4 of it is for the few groups.
    assert 1.4 < found.multipliers["vendor-amd"] < 1.4 * 8


@pytest.mark.parametrize(("groups_of_class", "factor"), [(1, 1.4), (14, 1.4), (15, 1.0), (100, 1.0)])
def test_classes_of_few_groups_are_widened(groups_of_class: int, factor: float) -> None:
    logs, flags = laplace(2000, {AMD: 1.5})
    plain = bands(logs, flags, np.ones(2000), [f"group-{index}" for index in range(2000)])
    inside = flags[:, AMD] > 0
    labels = [f"in-{i % groups_of_class}" if amd else f"out-{i}" for i, amd in enumerate(inside)]
    found = bands(logs, flags, np.ones(2000), labels)
    ratio = found.multipliers["vendor-amd"] / plain.multipliers["vendor-amd"]
    assert ratio == pytest.approx(factor)
    assert found.multipliers["adapters"] == 1.0  # no group at all is not few


def test_quantiles_are_those_of_residuals_over_their_spread() -> None:
    logs, flags = laplace(4000, {AMD: 2.0})
    found = bands(logs, flags, np.ones(4000), names(4000))
    # A Laplace distribution has its P90 at ln 5 mean absolute deviations.
    assert found.quantiles == pytest.approx((-np.log(5), 0.0, np.log(5)), abs=0.1)


def test_ranges_are_as_skewed_as_the_residuals() -> None:
    generator = np.random.default_rng(5)
    logs = 0.05 - generator.exponential(0.1, 3000)
    low, middle, high = bands(logs, np.zeros((3000, len(CLASSES))), np.ones(3000), names(3000)).quantiles
    assert low < middle < high
    assert middle - low > 2 * (high - middle)


def test_spread_is_the_product_of_the_classes() -> None:
    logs, flags = laplace(2000, {AMD: 2.0, MOE: 1.5})
    found = bands(logs, flags, np.ones(2000), names(2000))
    both = np.zeros((1, len(CLASSES)))
    both[0, [AMD, MOE]] = 1
    expected = found.base * found.multipliers["vendor-amd"] * found.multipliers["mixture-of-experts"]
    assert found.spread(both) == pytest.approx([expected])
    assert found.spread(np.zeros((1, len(CLASSES)))) == pytest.approx([found.base])


def test_the_range_covers_80_percent_of_runs_that_it_was_not_made_from() -> None:
    logs, flags = laplace(1500, {AMD: 2.0, MOE: 1.5})
    groups = names(1500, runs_per_group=30)
    inside = coverage(logs, flags, np.ones(1500), groups)
    assert np.mean(inside) == pytest.approx(0.8, abs=0.03)
    # Classes of 50 groups, so that each of them is covered as well as the whole.
    for column in (AMD, MOE):
        assert np.mean(inside[flags[:, column] > 0]) == pytest.approx(0.8, abs=0.05)


def test_coverage_of_a_group_does_not_know_the_group() -> None:
    logs, flags = laplace(300, {})
    groups = names(300, runs_per_group=20)
    wild = logs.copy()
    wild[:20] = 3.0
    inside = coverage(wild, flags, np.ones(300), groups)
    assert not inside[:20].any()
    alone = bands(logs[20:], flags[20:], np.ones(280), groups[20:])
    low, _, high = (quantile * alone.base for quantile in alone.quantiles)
    third = (logs[:20] >= low) & (logs[:20] <= high)
    assert np.array_equal(coverage(logs, flags, np.ones(300), groups)[:20], third)


def test_a_group_without_others_is_not_covered() -> None:
    logs, flags = laplace(20, {})
    assert not coverage(logs, flags, np.ones(20), ["alone"] * 20).any()


def test_weights_count_as_repetition_does() -> None:
    logs, flags = laplace(200, {AMD: 2.0})
    twice = bands(np.tile(logs, 2), np.tile(flags, (2, 1)), np.ones(400), [*names(200), *names(200)])
    heavy = bands(logs, flags, np.full(200, 2.0), names(200))
    assert heavy.base == pytest.approx(twice.base)
    assert heavy.multipliers == pytest.approx(twice.multipliers)


def test_classes_of_runs_are_the_columns() -> None:
    runs = sample()
    for run, row in zip(runs, class_flags(runs), strict=True):
        found = {name for name, flag in zip(CLASSES, row, strict=True) if flag}
        assert found == classes_of(run.problem, run.posed.evidence.value)
    everything = class_flags(selection().runs)
    assert np.all(everything.sum(axis=0) > 0)
    assert np.all(everything.sum(axis=0) < len(selection().runs))


@pytest.mark.parametrize(("factor", "expected"), [(1.7, 1.7), (1.0, 1.0), (0.5, 1.0)])
def test_leaving_more_out_widens_and_never_narrows(factor: float, expected: float) -> None:
    logs, _ = laplace(500, {})
    assert widening(logs * factor, logs, np.ones(500)) == pytest.approx(expected)
