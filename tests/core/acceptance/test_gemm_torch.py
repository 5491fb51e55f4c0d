"""The matrix script: its rate, its verdict, and a run on a stand-in for torch."""

from __future__ import annotations

import json
import sys
import types
from typing import TYPE_CHECKING

import pytest

from suanli.acceptance.scripts import gemm_torch as script

if TYPE_CHECKING:
    from pathlib import Path


def test_a_product_counts_two_operations_for_each_multiply_and_add() -> None:
    assert script.tflops(8192, 2 * 8192**3 / 700e12) == pytest.approx(700.0)


def test_a_product_that_was_not_timed_is_refused() -> None:
    with pytest.raises(ValueError, match="was not timed"):
        script.tflops(8192, 0.0)


@pytest.mark.parametrize(
    ("rates", "minimum", "code"),
    [
        ({0: 600.0, 1: 598.0}, 590.0, 0),
        ({0: 600.0, 1: 570.0}, None, 0),
        ({0: 600.0, 1: 569.9}, None, 1),
        ({0: 600.0, 1: 598.0}, 599.0, 1),
        ({}, None, 1),
    ],
)
def test_every_device_passes_and_none_lags(rates: dict[int, float], minimum: float | None, code: int) -> None:
    assert script.exit_code(rates, minimum) == code


@pytest.mark.parametrize("words", [["--size", "0"], ["--seconds", "0"], ["--warmup", "-1"]])
def test_a_wrong_command_line_is_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        script.parse_arguments(words)


class Matrix:
    def to(self, _: object) -> Matrix:
        return self


def test_a_run_measures_every_device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log: list[str] = []
    torch = types.ModuleType("torch")
    vars(torch).update(
        cuda=types.SimpleNamespace(
            is_available=lambda: True,
            device_count=lambda: 2,
            set_device=lambda index: log.append(f"set:{index}"),
            synchronize=lambda: None,
        ),
        bfloat16=None,
        randn=lambda *sides, device: Matrix(),  # noqa: ARG005
        empty_like=lambda matrix: matrix,
        matmul=lambda left, right, out: log.append("matmul"),  # noqa: ARG005
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    clock = iter(range(100_000))
    monkeypatch.setattr("time.perf_counter", lambda: next(clock) / 10)
    place = tmp_path / "gemm.json"
    assert script.main(["--size", "1000", "--warmup", "1", "--seconds", "3", "--json", str(place)]) == 0
    document = json.loads(place.read_text())
    assert set(document["tflops"]) == {"0", "1"}
    # Ten products in a tenth of a second by this clock.
    assert document["tflops"]["0"] == pytest.approx(script.tflops(1000, 0.01))
    assert [entry for entry in log if entry != "matmul"] == ["set:0", "set:1"]
