from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from tests.core.calibration.calibration_cases import of_families, sample, selection

from suanli.calibration.parameters import PAIR, Parameter, Scope, parameters
from suanli.domain.hardware import Precision
from suanli.estimation.constants import NEUTRAL, PRECISION_NEUTRAL, SHARED, Constants, SharedConstants


def of_scope(scope: Scope) -> list[Parameter]:
    return [one for one in parameters(sample()) if one.scope is scope]


def test_every_value_survives_its_coordinate() -> None:
    for one in parameters(selection().runs):
        assert one.decode(one.encode(one.start)) == pytest.approx(one.start, rel=1e-12)
        assert one.width > 0


def test_shares_stay_between_0_and_1_and_all_else_stays_positive() -> None:
    shares = {one.name for one in parameters(sample()) if one.share}
    assert shares == {"tp_hidden", "dp_hidden"}
    for one in parameters(sample()):
        low, high = one.decode(-20.0), one.decode(20.0)
        assert 0 < low < high
        assert (high < 1) == one.share


def test_every_parameter_is_a_constant_of_the_estimate() -> None:
    known = {one.name for kind in (Constants, SharedConstants) for one in fields(kind)}
    known |= {"hbm_efficiency", "nic_efficiency", "narrow_factor", PAIR}
    assert {one.name for one in parameters(selection().runs)} <= known


def test_starts_are_those_of_the_plugins_or_else_neutral() -> None:
    runs = sample()
    by_family = {run.family: run.problem.device.calibration.constants for run in runs}
    by_stack = {run.stack: run.problem.device.stack.constants for run in runs}
    for one in of_scope(Scope.DEVICE):
        assert one.start == by_family[one.key][one.name].si
    for one in of_scope(Scope.STACK):
        figure = by_stack[one.key].get(one.name)
        assert one.start == (NEUTRAL[one.name] if figure is None else figure.si)
    assert all(one.start == SHARED[one.name] for one in of_scope(Scope.SHARED) if one.name in SHARED)
    assert {one.start for one in of_scope(Scope.PAIR)} == {1.0}


def test_a_parameter_acts_on_the_runs_of_its_subject_and_no_others() -> None:
    runs = sample()
    family = np.array([run.family for run in runs])
    stack = np.array([run.stack for run in runs])
    narrow = np.array([bool(run.problem.constants.narrow) for run in runs])
    precision = np.array([run.problem.workload.precision.value for run in runs])
    for one in parameters(runs):
        expected = {
            Scope.DEVICE: family == one.key,
            Scope.STACK: (stack == one.key) & (narrow if one.name == "narrow_factor" else True),
            Scope.PAIR: np.char.add(np.char.add(family, "/"), stack) == one.key,
            Scope.PRECISION: precision == one.key,
            Scope.SHARED: np.ones(len(runs), dtype=np.bool_),
        }[one.scope]
        assert np.array_equal(one.rows, expected), (one.name, one.key)
        assert one.rows.any()


def test_only_formats_that_were_run_have_a_parameter() -> None:
    assert {one.key for one in of_scope(Scope.PRECISION)} == {"fp8", "fp4"}
    for one in of_scope(Scope.PRECISION):
        assert one.start == PRECISION_NEUTRAL[Precision(one.key)]
    wide = parameters(of_families("ascend-910b"))
    assert [one for one in wide if one.scope is Scope.PRECISION or one.name == "narrow_factor"] == []


def test_pairs_are_those_that_were_run() -> None:
    keys = {one.key for one in of_scope(Scope.PAIR)}
    assert keys == {f"{run.family}/{run.stack}" for run in sample()}


def test_the_narrow_factor_of_a_stack_comes_after_what_it_multiplies() -> None:
    order = [one.scope for one in parameters(sample())]
    assert max(index for index, one in enumerate(order) if one is Scope.PRECISION) < order.index(Scope.STACK)


def test_one_device_has_its_own_parameters_and_pairs_alone() -> None:
    found = parameters(sample(), "gb200")
    assert {one.scope for one in found} == {Scope.DEVICE, Scope.PAIR}
    assert {one.key.partition("/")[0] for one in found} == {"gb200"}


def test_all_parameters_of_a_name_have_one_width() -> None:
    widths: dict[tuple[str, str, str], set[float]] = {}
    for one in parameters(selection().runs):
        kind = (one.scope.value, one.name, one.key if one.scope is Scope.PRECISION else "")
        widths.setdefault(kind, set()).add(one.width)
    assert all(len(values) == 1 for values in widths.values())
