from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from tests.core.estimation.estimation_cases import (
    ascend,
    figure,
    h100,
    number,
    plain_device,
    shipped,
)

from suanli.domain.figure import Number, Seconds
from suanli.domain.hardware import Precision
from suanli.domain.vendor import Fit, FitScope
from suanli.estimation.constants import (
    NEUTRAL,
    PRECISION_NEUTRAL,
    SHARED,
    Constants,
    SharedConstants,
    resolve_constants,
    shared_constants,
)
from suanli.estimation.results import Constraint, Device, Infeasible


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
    assert narrow.gemm_efficiency == pytest.approx(PRECISION_NEUTRAL[Precision.FP8] * wide.gemm_efficiency)


def test_a_fitted_device_has_the_fitted_factors_of_format_and_stack() -> None:
    chip = shipped("h100-sxm", "dgx-h100", "mlperf")
    wide, narrow = (resolve_constants(chip, precision) for precision in (Precision.BF16, Precision.FP8))
    assert isinstance(wide, Constants)
    assert isinstance(narrow, Constants)
    assert chip.shared is not None
    factor = chip.shared.constants["fp8_efficiency"].si * chip.stack.constants["narrow_factor"].si
    assert narrow.gemm_efficiency == pytest.approx(factor * wide.gemm_efficiency)


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


def slotted(generation: int | None) -> Device:
    """Return a device without links of its own, in a slot of a PCIe generation."""
    chosen = plain_device()
    pcie = None if generation is None else figure(Number, generation, "generation")
    chip = chosen.accelerator.model_copy(update={"scale_up": None, "pcie_generation": pcie})
    return replace(chosen, accelerator=chip)


@pytest.mark.parametrize(
    ("generation", "bytes_per_s"),
    # PCI-SIG base specifications: x16, one direction, after line coding.
    [(3, 15.75e9), (4, 31.5e9), (5, 63e9), (6, 121e9), (None, 31.5e9), (9, 31.5e9)],
)
def test_a_card_without_links_of_its_own_talks_through_its_slot(
    generation: int | None, bytes_per_s: float
) -> None:
    found = resolve_constants(slotted(generation), Precision.BF16)
    assert isinstance(found, Constants)
    assert found.link_bytes_per_s == pytest.approx(bytes_per_s * NEUTRAL["allreduce_efficiency"])
    assert not found.mesh


def test_a_server_whose_ports_are_unknown_has_one_neutral_port_a_device() -> None:
    chosen = plain_device()
    found = resolve_constants(
        replace(chosen, server=chosen.server.model_copy(update={"nics": ()})), Precision.BF16
    )
    assert isinstance(found, Constants)
    assert found.nic_bytes_per_s == pytest.approx(25e9 * NEUTRAL["nic_efficiency"])


def narrowed(own: float | None = None, fitted: float | None = None, factor: float | None = None) -> Constants:
    """Return the constants of an H100 in FP8 with the multipliers that are given."""
    chip = h100()
    calibration = chip.calibration.model_copy(
        update={"precision_efficiency": {} if own is None else {Precision.FP8: number(own)}}
    )
    constants: dict[str, Number | Seconds] = {} if fitted is None else {"fp8_efficiency": number(fitted)}
    shared = Fit(id="fit", scope=FitScope.SHARED, subject="all", constants=constants, groups=1)
    kept = {name: one for name, one in chip.stack.constants.items() if name != "narrow_factor"}
    given = {} if factor is None else {"narrow_factor": number(factor)}
    stack = chip.stack.model_copy(update={"constants": {**kept, **given}})
    found = resolve_constants(
        replace(chip, calibration=calibration, shared=shared, stack=stack), Precision.FP8
    )
    assert isinstance(found, Constants)
    return found


@pytest.mark.parametrize(
    ("own", "fitted", "factor", "expected"),
    [
        (None, None, None, PRECISION_NEUTRAL[Precision.FP8]),
        (None, 1.05, None, 1.05),
        (0.7, 1.05, None, 0.7),
        (0.7, None, 1.2, 0.7 * 1.2),
        (None, 1.05, 0.9, 1.05 * 0.9),
    ],
)
def test_the_device_s_own_factor_of_a_format_comes_before_the_fitted_one_and_a_stack_multiplies_both(
    own: float | None, fitted: float | None, factor: float | None, expected: float
) -> None:
    found = narrowed(own, fitted, factor)
    assert float(found.gemm_efficiency / found.gemm16_efficiency) == pytest.approx(expected)


def test_the_factor_of_a_stack_on_narrow_formats_leaves_16_bit_alone() -> None:
    chip = h100()
    stack = chip.stack.model_copy(
        update={"constants": {**chip.stack.constants, "narrow_factor": number(0.5)}}
    )
    plain = resolve_constants(chip, Precision.BF16)
    assert resolve_constants(replace(chip, stack=stack), Precision.BF16) == plain


def test_shared_constants_are_those_of_the_code_but_for_the_fitted_ones() -> None:
    fit = Fit(
        id="fit",
        scope=FitScope.SHARED,
        subject="all",
        constants={"optimizer_cost": number(1.7), "shape_k": number(250)},
        groups=1,
    )
    found = shared_constants(fit)
    assert {one.name for one in fields(SharedConstants)} == set(SHARED)
    assert float(found.optimizer_cost) == 1.7
    rest = set(SHARED) - {"optimizer_cost"}
    assert {name: float(getattr(found, name)) for name in rest} == {name: SHARED[name] for name in rest}


@pytest.mark.parametrize("name", [*(one.name for one in fields(Constants))])
def test_every_constant_is_a_finite_number_of_double_precision(name: str) -> None:
    for chip in (h100(), ascend(), plain_device()):
        found = resolve_constants(chip, Precision.BF16)
        assert isinstance(found, Constants)
        value = getattr(found, name)
        assert value.dtype == np.float64
        assert np.isfinite(value)
        assert value >= 0
