from __future__ import annotations

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, model, workload

from suanli.estimation.crosscheck import (
    audit_claim,
    implied_mfu,
    naive_accelerators,
    naive_days,
    naive_flops,
    peak_bound_s,
)
from suanli.estimation.flops import model_profile


def test_a_claim_of_seventy_billion_parameters_in_five_days_is_impossible() -> None:
    profile = model_profile(model("llama-2-70b"), workload())
    audit = audit_claim(profile, 1e12, 353.9e12, 32, 5)
    assert not audit.possible
    assert audit.implied_mfu > 80
    assert audit.implied_mfu_six_n == pytest.approx(
        6 * 68.98e9 * 1e12 / (5 * 86400 * 32 * 353.9e12), rel=0.01
    )
    assert audit.state_bytes_per_accelerator == pytest.approx(34.5e9, rel=0.01)
    assert audit.peak_bound_days > 300


def test_a_routed_model_is_audited_on_its_active_parameters() -> None:
    profile = model_profile(model("deepseek-v3"), workload())
    days = 2.664e6 / 2048 / 24
    audit = audit_claim(profile, 14.8e12, 989e12, 2048, days)
    assert audit.possible
    assert audit.implied_mfu == pytest.approx(0.39, abs=0.03)
    assert audit.tokens_per_s_per_accelerator == pytest.approx(1543, rel=0.01)


@pytest.mark.parametrize(("accelerators", "days"), [(0, 1.0), (1, 0.0)])
def test_a_claim_without_devices_or_time_is_refused(accelerators: int, days: float) -> None:
    with pytest.raises(ValueError, match="at least one device"):
        audit_claim(model_profile(LLAMA2_7B, workload()), 1e12, 1e15, accelerators, days)


def test_the_peak_bound_halves_with_twice_the_devices() -> None:
    profile = model_profile(LLAMA2_7B, workload())
    assert peak_bound_s(profile, 1e12, 16, 1e15) == pytest.approx(peak_bound_s(profile, 1e12, 8, 1e15) / 2)


@pytest.mark.parametrize("bad", [(0, 1e15, 0.4), (8, 0, 0.4), (8, 1e15, 0)])
def test_divisors_that_are_not_positive_are_refused(bad: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="positive"):
        naive_days(7e9, 1e12, *bad)
    with pytest.raises(ValueError, match="positive"):
        naive_accelerators(7e9, 1e12, 0, 1e15, 0.4)


def test_work_and_utilisation_invert_each_other() -> None:
    seconds = naive_days(7e9, 1e12, 8, 400e12, 0.45) * 86400
    assert implied_mfu(6 * 7e9, 1e12, seconds, 8, 400e12) == pytest.approx(0.45)
    assert naive_flops(7e9, 300e9) == 1.26e22
