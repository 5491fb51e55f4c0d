from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.estimation.estimation_cases import ascend, h100, number, plain_device

from suanli.domain.hardware import Precision
from suanli.estimation.constants import NEUTRAL, Constants, resolve_constants
from suanli.estimation.results import Constraint, Infeasible


def test_what_a_plugin_leaves_out_takes_the_neutral_value() -> None:
    found = resolve_constants(plain_device(), Precision.BF16)
    assert isinstance(found, Constants)
    assert found.gemm_efficiency == NEUTRAL["gemm_efficiency"]
    assert found.tp_hidden == NEUTRAL["tp_hidden"]
    assert found.link_bytes_per_s == pytest.approx(300e9 * NEUTRAL["allreduce_efficiency"])


def test_what_a_plugin_gives_replaces_the_neutral_value() -> None:
    found = resolve_constants(plain_device(constants={"gemm_efficiency": number(0.5)}), Precision.BF16)
    assert isinstance(found, Constants)
    assert found.gemm_efficiency == 0.5


def test_eight_bit_work_uses_its_own_peak_and_efficiency() -> None:
    wide, narrow = (resolve_constants(h100(), precision) for precision in (Precision.BF16, Precision.FP8))
    assert isinstance(wide, Constants)
    assert isinstance(narrow, Constants)
    assert narrow.narrow
    assert not wide.narrow
    assert narrow.peak_flops_per_s == pytest.approx(2 * wide.peak_flops_per_s, rel=0.01)
    assert narrow.gemm_efficiency == pytest.approx(1.01 * wide.gemm_efficiency)


def test_each_die_that_software_sees_has_its_share_of_the_package() -> None:
    whole = plain_device()
    package = replace(whole, accelerator=whole.accelerator.model_copy(update={"dies": 2}))
    one, die = (resolve_constants(chip, Precision.BF16) for chip in (whole, package))
    assert isinstance(one, Constants)
    assert isinstance(die, Constants)
    for name in (
        "peak_flops_per_s",
        "peak16_flops_per_s",
        "hbm_bytes_per_s",
        "link_bytes_per_s",
        "domain_bytes_per_s",
        "nic_bytes_per_s",
    ):
        assert getattr(die, name) == pytest.approx(getattr(one, name) / 2), name
    assert die.domain == 2 * one.domain


def test_a_precision_without_a_peak_is_infeasible_not_guessed() -> None:
    found = resolve_constants(ascend(), Precision.FP8)
    assert isinstance(found, Infeasible)
    assert found.constraint is Constraint.PRECISION


def test_an_unknown_memory_bandwidth_is_infeasible_not_guessed() -> None:
    device = plain_device()
    blind = replace(device, accelerator=device.accelerator.model_copy(update={"memory_bandwidth": None}))
    found = resolve_constants(blind, Precision.BF16)
    assert isinstance(found, Infeasible)
    assert found.constraint is Constraint.CALIBRATION


def test_the_network_share_of_a_device_is_that_of_its_server() -> None:
    found = resolve_constants(plain_device(), Precision.BF16)
    assert isinstance(found, Constants)
    assert found.nic_bytes_per_s == pytest.approx(25e9 * NEUTRAL["nic_efficiency"])
