"""Null models never learn from a run's own group, and use the finest key that others have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suanli.validation.nulls import (
    constant_null,
    efficiency_class,
    median_null,
    null_keys,
    precision_class,
)
from suanli.validation.records import record_from

KEYS = [(("a",), ()), (("a",), ()), (("a",), ()), (("b",), ())]


def test_the_median_is_of_the_other_groups_with_the_same_key() -> None:
    measured = np.array([0.4, 0.5, 0.3, 0.1])
    found = median_null(measured, np.ones(4), ["g1", "g2", "g3", "g4"], KEYS)
    # Run 4 has a key of its own and falls back to everything: median of 0.4, 0.5, 0.3.
    assert found == pytest.approx([0.4, 0.35, 0.45, 0.4])


def test_siblings_of_the_same_group_teach_nothing() -> None:
    measured = np.array([0.4, 0.9, 0.3])
    found = median_null(measured, np.ones(3), ["g1", "g1", "g2"], KEYS[:3])
    assert found == pytest.approx([0.3, 0.3, 0.65])


def test_without_another_group_there_is_no_prediction() -> None:
    assert np.isnan(constant_null(np.array([1.0, 2.0]), np.ones(2), ["g", "g"])).all()


def test_a_run_without_a_basis_neither_gives_nor_takes() -> None:
    found = constant_null(np.array([1.0, 2.0, 3.0]), np.array([1.0, np.nan, 1.0]), ["a", "b", "c"])
    assert found[[0, 2]] == pytest.approx([3.0, 1.0])
    assert np.isnan(found[1])


def test_rates_are_predicted_by_the_utilisation_of_others() -> None:
    # 50 % of 100 TFLOP/s at 1 GFLOP a token teaches 50 %; 300 TFLOP/s at 3 GFLOP then give 50,000 tokens/s.
    rates, flops, peaks = np.array([50e3, 1.0]), np.array([1e9, 3e9]), np.array([100e12, 300e12])
    found = median_null(rates, peaks / flops, ["a", "b"], [((),), ((),)])
    assert found[1] == pytest.approx(50e3)


@given(
    st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 100), st.sampled_from("abc")), min_size=2),
    st.floats(0.01, 100),
)
def test_a_prediction_does_not_depend_on_the_run_itself_and_scales_with_its_basis(
    runs: list[tuple[float, float, str]], factor: float
) -> None:
    measured, basis = (np.array([run[at] for run in runs]) for at in (0, 1))
    groups = [run[2] for run in runs]
    before = constant_null(measured, basis, groups)
    changed, scaled = measured.copy(), basis.copy()
    changed[0] *= 7
    scaled[0] *= factor
    after = constant_null(changed, scaled, groups)
    assert after[0] == pytest.approx(before[0] * factor, nan_ok=True)


@pytest.mark.parametrize(
    ("item", "width", "kind"),
    [
        ({"precision": "bf16", "task": "pretrain", "model": {"family": "dense"}}, "16-bit", "dense"),
        ({"precision": "mxfp8", "task": "pretrain", "model": {"family": "moe"}}, "8-bit", "moe"),
        ({"precision": "nvfp4", "task": "lora", "model": {"family": "moe"}}, "4-bit", "lora"),
        ({"precision": "int4-weights+fp16", "task": "qlora"}, "16-bit", "lora"),
        ({}, "unknown", "dense"),
    ],
)
def test_the_keys_of_a_run_become_coarser(item: dict[str, object], width: str, kind: str) -> None:
    record = record_from({"accelerator": "H100-80GB-SXM", **item})
    assert precision_class(record.precision) == width
    assert efficiency_class(record) == kind
    assert null_keys(record) == (("H100-80GB-SXM", width, kind), ())
