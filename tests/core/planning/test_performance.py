"""Processing performance and density, against figures that were published or worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import ValidationError
from tests.core.built_in import host
from tests.factories import accelerator

from suanli.domain.export import Criterion
from suanli.domain.hardware import Accelerator
from suanli.planning.performance import meets, performance

CATALOGUE = host().catalogue


@pytest.mark.parametrize(
    ("device", "tpp", "density"),
    [
        ("a100-80-sxm", 4992.0, 6.04),
        ("h100-sxm", 15832.0, 19.45),
        ("h20", 2368.0, 2.91),
        ("mi210", 2896.0, 4.00),
        ("b200", 36000.0, None),
    ],
)
def test_performance_is_peak_times_bits_and_density_is_over_the_dies(
    device: str, tpp: float, density: float | None
) -> None:
    found = performance(CATALOGUE.get(Accelerator, device))
    assert found is not None
    assert found.tpp == pytest.approx(tpp, rel=0.001)
    assert found.tpp == pytest.approx(found.peak.value * found.bits)
    assert found.density == (None if density is None else pytest.approx(density, abs=0.01))


def test_a_device_without_a_known_peak_has_no_performance() -> None:
    assert performance(accelerator().model_copy(update={"dense_peak": {}})) is None


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        (Criterion(tpp_from=4800), True),
        (Criterion(tpp_from=16000), True),
        (Criterion(tpp_below=16000), False),
        (Criterion(tpp_from=16000.1), False),
        (Criterion(tpp_from=4800, density_from=5.92), None),
        (Criterion(tpp_from=20000, density_from=5.92), False),
        (Criterion(tpp_from=4800, dram_gb_per_s_from=6500), None),
    ],
)
def test_a_lower_bound_is_met_at_its_value_and_an_unknown_figure_decides_nothing(
    criterion: Criterion,
    expected: bool | None,  # noqa: FBT001
) -> None:
    found = performance(accelerator())
    assert found is not None
    assert found.tpp == 16000.0
    assert meets(found, criterion) is expected


def test_a_known_density_and_bandwidth_are_compared() -> None:
    found = performance(accelerator())
    assert found is not None
    known = replace(found, density=5.92, dram_gb_per_s=6499.0)
    assert meets(known, Criterion(density_from=5.92)) is True
    assert meets(known, Criterion(density_below=5.92)) is False
    assert meets(known, Criterion(dram_gb_per_s_from=6500)) is False


@pytest.mark.parametrize("bounds", [{}, {"tpp_from": 4800, "tpp_below": 2400}])
def test_a_criterion_without_bounds_or_with_crossed_ones_is_refused(bounds: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        Criterion.model_validate(bounds)
