"""Golden values of the arithmetic that sizing claims are audited with: 6·N·T and what follows from it."""

from __future__ import annotations

import math

import pytest

from suanli.estimation.crosscheck import implied_mfu, naive_accelerators, naive_days, naive_flops

A100, H100, ASCEND = (312e12, 0.40), (989e12, 0.55), (400e12, 0.45)


@pytest.mark.parametrize(
    ("parameters", "tokens", "flops"), [(7e9, 300e9, 1.26e22), (70e9, 1e12, 4.2e23), (7e9, 1e12, 4.2e22)]
)
def test_training_flops_have_their_golden_value(parameters: float, tokens: float, flops: float) -> None:
    assert naive_flops(parameters, tokens) == pytest.approx(flops, rel=1e-12)


@pytest.mark.parametrize(
    ("parameters", "tokens", "devices", "device", "days"),
    [
        (7e9, 300e9, 256, A100, 4.56),
        (70e9, 1e12, 256, A100, 151.9),
        (7e9, 300e9, 1024, A100, 1.14),
        (70e9, 1e12, 1024, A100, 38.0),
        (7e9, 300e9, 256, H100, 1.047),
        (70e9, 1e12, 256, H100, 34.9),
        (70e9, 1e12, 256, (989e12, 0.45), 42.7),
        (7e9, 300e9, 512, H100, 0.5236),
        (70e9, 1e12, 512, H100, 17.5),
        (7e9, 1e12, 8, ASCEND, 337.6),
        (7e9, 1e12, 8, (313e12, 0.45), 431),
        (70e9, 1e12, 8, ASCEND, 3376),
        (70e9, 1e12, 32, ASCEND, 844),
        (1e9, 1e12, 8, ASCEND, 48),
        (13e9, 1e12, 16, ASCEND, 313),
        (13e9, 1e12, 32, ASCEND, 157),
        (34e9, 1e12, 16, ASCEND, 820),
        (34e9, 1e12, 32, ASCEND, 410),
        (70e9, 1e12, 64, ASCEND, 422),
        (70e9, 1e12, 128, ASCEND, 211),
        (175e9, 1e12, 256, ASCEND, 264),
        (100e9, 1e12, 64, ASCEND, 603),
        (100e9, 1e12, 128, ASCEND, 301),
    ],
)
def test_days_have_their_golden_value(
    parameters: float, tokens: float, devices: int, device: tuple[float, float], days: float
) -> None:
    assert naive_days(parameters, tokens, devices, *device) == pytest.approx(days, rel=0.005)


@pytest.mark.parametrize(
    ("parameters", "devices"), [(1e9, 386), (7e9, 2701), (13e9, 5016), (34e9, 13118), (70e9, 27007)]
)
def test_devices_for_one_day_are_rounded_up(parameters: float, devices: int) -> None:
    assert naive_accelerators(parameters, 1e12, 1, *ASCEND) == devices


def test_seven_billion_parameters_in_a_day_need_338_servers_of_eight() -> None:
    assert math.ceil(naive_accelerators(7e9, 1e12, 1, *ASCEND) / 8) == 338


def test_the_ratio_of_times_is_the_ratio_of_effective_rates() -> None:
    a100, h100 = (naive_days(70e9, 1e12, 256, *device) for device in (A100, H100))
    assert a100 / h100 == pytest.approx(989 * 0.55 / (312 * 0.40), rel=1e-9)
    assert a100 / h100 == pytest.approx(4.35, abs=0.02)


def test_the_lower_bound_of_the_sample_is_3646_hours() -> None:
    assert naive_days(7e9, 1e12, 8, 400e12, 1.0) * 24 == pytest.approx(3646, rel=1e-3)


def test_seventy_billion_parameters_on_sixteen_devices_used_under_three_percent_of_the_peak() -> None:
    # a published fine-tuning report: 500 steps of 16 x 2,048 tokens in 13.5 hours
    mfu = implied_mfu(6 * 70e9, 16_384_000, 13.5 * 3600, 16, 312e12)
    assert 100 * mfu == pytest.approx(2.84, abs=0.05)


def test_the_mfu_of_a_published_7b_run_counts_attention_unmasked() -> None:
    # MosaicML llm-foundry benchmark table: 10,643 tokens/s on one H100, MFU 46.44 % with 12·L·d·s
    mfu = implied_mfu(6 * 6_658_859_008 + 12 * 32 * 4096 * 2048, 10643, 1.0, 1, 989.5e12)
    assert 100 * mfu == pytest.approx(46.44, abs=0.3)


def test_counting_all_experts_would_need_six_times_the_peak() -> None:
    rate = 14.8e12 / (2.664e6 * 3600)
    assert 6 * 37e9 * rate == pytest.approx(343e12, rel=0.01)
    assert 6 * 671e9 * rate > 6 * 989e12
