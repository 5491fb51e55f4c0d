from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, number, plain_device, problem, workload

from suanli.domain.catalogue import Catalogue, Provenance
from suanli.domain.hardware import Precision
from suanli.domain.vendor import Fit, FitScope
from suanli.estimation.constants import SHARED, Constants, resolve_constants
from suanli.estimation.fitted import find_fit, with_fits
from suanli.estimation.ranges import rate_ratio

if TYPE_CHECKING:
    from suanli.domain.figure import Number
    from suanli.estimation.results import Device


def fit(
    scope: FitScope,
    subject: str,
    groups: int = 5,
    factors: dict[str, Number] | None = None,
    **constants: float,
) -> Fit:
    return Fit(
        id=f"fit-{scope.value}-{subject}-{groups}",
        scope=scope,
        subject=subject,
        constants={name: number(value) for name, value in constants.items()},
        stack_factors=factors or {},
        groups=groups,
    )


def loaded(*fits: Fit) -> Catalogue:
    return Catalogue.of((one, Provenance("test", "test", "0")) for one in fits)


def resolved(device: Device) -> Constants:
    found = resolve_constants(device, Precision.BF16)
    assert isinstance(found, Constants)
    return found


def test_a_fit_is_found_by_scope_and_subject() -> None:
    catalogue = loaded(fit(FitScope.DEVICE, "x1"), fit(FitScope.STACK, "x1"), fit(FitScope.DEVICE, "x2"))
    found = find_fit(catalogue, FitScope.STACK, "x1")
    assert found is not None
    assert (found.scope, found.subject) == (FitScope.STACK, "x1")
    assert find_fit(catalogue, FitScope.SHARED, "x1") is None


@pytest.mark.parametrize("order", [(3, 9), (9, 3)])
def test_of_several_fits_the_one_of_most_groups_counts(order: tuple[int, int]) -> None:
    found = find_fit(loaded(*(fit(FitScope.DEVICE, "x1", one) for one in order)), FitScope.DEVICE, "x1")
    assert found is not None
    assert found.groups == 9


def test_without_a_fit_a_device_stays_as_its_plugin_gives_it() -> None:
    device = plain_device()
    assert with_fits(device, loaded()) == device


def test_fitted_constants_replace_those_of_device_and_stack_and_no_others() -> None:
    device = plain_device(constants={"gemm_efficiency": number(0.5), "attention_efficiency": number(0.3)})
    found = with_fits(
        device,
        loaded(
            fit(FitScope.DEVICE, "acme-x1", gemm_efficiency=0.66),
            fit(FitScope.STACK, "plain", compute_factor=1.25),
        ),
    )
    before, after = resolved(device), resolved(found)
    assert [float(one.gemm_efficiency) for one in (before, after)] == [0.5, 0.66]
    assert [float(one.compute_factor) for one in (before, after)] == [1.0, 1.25]
    assert after.attention_efficiency == before.attention_efficiency == 0.3
    assert found.device_fit is not None
    assert found.stack_fit is not None
    assert found.shared is None


def test_a_fit_of_another_device_or_stack_changes_nothing() -> None:
    device = plain_device()
    others = loaded(
        fit(FitScope.DEVICE, "acme-x2", gemm_efficiency=0.9), fit(FitScope.STACK, "other", compute_factor=2.0)
    )
    assert with_fits(device, others) == device


def test_the_factor_of_a_pair_multiplies_that_of_the_stack() -> None:
    fits = loaded(
        fit(FitScope.DEVICE, "acme-x1", factors={"plain": number(1.1), "other": number(3.0)}),
        fit(FitScope.STACK, "plain", compute_factor=1.2),
    )
    assert float(resolved(with_fits(plain_device(), fits)).compute_factor) == pytest.approx(1.1 * 1.2)


def test_what_all_share_replaces_the_constants_of_the_code_and_the_common_ones_of_calibrations() -> None:
    device = plain_device(constants={"shape_k": number(100.0), "hbm_efficiency": number(0.5)})
    fits = loaded(
        fit(
            FitScope.SHARED,
            "all",
            shape_k=250.0,
            hbm_efficiency=0.8,
            optimizer_cost=1.7,
        )
    )
    found = with_fits(device, fits)
    posed = problem(found, LLAMA2_7B, workload())
    assert float(posed.constants.shape_k) == 250.0
    assert float(posed.constants.hbm_bytes_per_s) == pytest.approx(0.8 * 2e12)
    assert float(posed.shared.optimizer_cost) == 1.7
    assert float(posed.shared.dp_cover) == SHARED["dp_cover"]


def test_a_relative_takes_the_fit_of_its_family_and_says_so() -> None:
    device = plain_device()
    calibration = device.calibration.model_copy(update={"family": "acme", "sibling": "acme-x0"})
    relative = replace(device, calibration=calibration)
    fits = loaded(
        fit(FitScope.DEVICE, "acme", gemm_efficiency=0.66),
        fit(FitScope.DEVICE, "acme-x1", gemm_efficiency=0.1),
    )
    found = with_fits(relative, fits)
    assert resolved(found).gemm_efficiency == 0.66
    assert found.calibration.sibling == "acme-x0"


def test_a_relative_has_a_wider_range_than_the_device_that_was_measured() -> None:
    fits = loaded(fit(FitScope.DEVICE, "acme-x1"), fit(FitScope.STACK, "plain"))
    own = with_fits(plain_device(), fits)
    calibration = own.calibration.model_copy(update={"sibling": "acme-x0"})
    relative = replace(own, calibration=calibration)
    narrow, wide = (rate_ratio(problem(one, LLAMA2_7B, workload())) for one in (own, relative))
    assert wide.p10 < narrow.p10 < 1 < narrow.p90 < wide.p90
