"""The bandwidth script: its formulas, its verdict, and a run on a stand-in for torch."""

from __future__ import annotations

import argparse
import json
import sys
import types
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from suanli.acceptance.scripts import bandwidth_torch as script
from suanli.acceptance.scripts.bandwidth_torch import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


# --- formulas ---


@pytest.mark.parametrize(
    ("ranks", "factor"),
    [(1, 0.0), (2, 1.0), (8, 1.75), (16, 1.875), (1024, 1.998046875)],
)
def test_bus_bandwidth_is_algorithm_bandwidth_times_two_n_less_one_over_n(ranks: int, factor: float) -> None:
    assert script.busbw_gb_per_s(4e9, 0.5, ranks) == pytest.approx(8.0 * factor)


def test_bandwidth_is_in_ten_to_the_ninth_bytes_and_not_in_gibibytes() -> None:
    assert script.algbw_gb_per_s(2**30, 1.0) == pytest.approx(1.073741824)


def test_the_factor_of_the_articles_would_be_four_and_a_half_times_too_high_at_eight_ranks() -> None:
    """Their script multiplied by N; the ratio of N to 2(N − 1)/N at eight ranks is 4.57."""
    assert 8 / (script.busbw_gb_per_s(1e9, 1.0, 8)) == pytest.approx(4.57, abs=0.005)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_an_operation_that_was_not_timed_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="was not timed"):
        script.algbw_gb_per_s(1e9, seconds)


def test_no_ranks_are_refused() -> None:
    with pytest.raises(ValueError, match="0 ranks"):
        script.busbw_gb_per_s(1e9, 1.0, 0)


@pytest.mark.parametrize("ranks", range(1, 40))
def test_the_expected_sum_is_that_of_all_contributions(ranks: int) -> None:
    assert script.expected_sum(ranks) == sum(script.fill_value(rank) for rank in range(ranks))


@pytest.mark.parametrize("ranks", [2, 8, 104, 4096])
def test_a_missing_or_doubled_rank_changes_the_sum(ranks: int) -> None:
    whole = script.expected_sum(ranks)
    assert all(script.fill_value(rank) != 0 for rank in range(ranks))
    # Whole numbers this small are exact in float32, so that any change shows.
    assert np.float32(whole) == whole < 2**24


@pytest.mark.parametrize(
    ("text", "size"), [("8M", 8 << 20), ("1G", 1 << 30), ("1GiB", 1 << 30), ("64kb", 64 << 10), ("512", 512)]
)
def test_sizes_are_binary_as_in_nccl_tests(text: str, size: int) -> None:
    assert script.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "0", "-8M", "8T", "1.5G", "M"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        script.parse_size(text)


def test_the_largest_size_is_always_measured() -> None:
    assert script.sizes(8, 64) == (8, 16, 32, 64)
    assert script.sizes(8, 100) == (8, 16, 32, 64, 100)
    assert script.sizes(8, 8) == (8,)
    with pytest.raises(ValueError, match="above the largest"):
        script.sizes(16, 8)


def measured(size: int, run: int, busbw: float, *, right: bool = True) -> Measurement:
    return Measurement(size, run, 1.0, busbw, busbw, right)


def test_the_worst_run_at_the_largest_message_counts() -> None:
    found = [measured(8, 0, 1.0), measured(64, 0, 400.0), measured(8, 1, 2.0), measured(64, 1, 380.0)]
    assert script.worst(found).busbw_gb_per_s == 380.0


@pytest.mark.parametrize(
    ("minimum", "right", "code"),
    [(None, True, 0), (380.0, True, 0), (380.1, True, 1), (None, False, 3), (1000.0, False, 3)],
)
def test_the_exit_code_tells_passed_below_and_wrong_apart(
    minimum: float | None,
    right: bool,  # noqa: FBT001
    code: int,
) -> None:
    assert script.exit_code([measured(64, 0, 380.0, right=right)], minimum) == code


@pytest.mark.parametrize(
    "words",
    [
        ["--min-bytes", "2G", "--max-bytes", "1G"],
        ["--runs", "0"],
        ["--iterations", "0"],
        ["--warmup", "-1"],
        ["--dtype", "int8"],
    ],
)
def test_a_wrong_command_line_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        script.parse_arguments(words)
    assert capsys.readouterr().err


# --- a run on a stand-in for torch: one process that plays rank 0 of several ---


class Tensor:
    """An array that knows the few operations the script asks of a tensor."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = values

    def item(self) -> float:
        return float(self.values.reshape(-1)[0])

    def min(self) -> Tensor:
        return Tensor(self.values.min(keepdims=True))

    def max(self) -> Tensor:
        return Tensor(self.values.max(keepdims=True))


class Fake:
    """Plays torch and torch.distributed for a world in which only rank 0 is real."""

    def __init__(self, ranks: int, fault: Callable[[Tensor], None] | None = None) -> None:
        self.ranks, self.fault, self.log = ranks, fault, list[str]()
        self.seconds = iter(range(10_000))

    def all_reduce(self, tensor: Tensor, op: str = "sum") -> None:
        self.log.append(f"all_reduce:{op}")
        if op == "sum" and tensor.values.any():
            others = sum(script.fill_value(rank) for rank in range(1, self.ranks))
            tensor.values = tensor.values + others
            if self.fault is not None:
                self.fault(tensor)

    def modules(self) -> dict[str, types.ModuleType]:
        distributed = types.ModuleType("torch.distributed")
        vars(distributed).update(
            all_reduce=self.all_reduce,
            barrier=lambda: self.log.append("barrier"),
            init_process_group=lambda backend, init_method: self.log.append(f"init:{backend}:{init_method}"),
            destroy_process_group=lambda: self.log.append("destroy"),
            get_rank=lambda: 0,
            get_world_size=lambda: self.ranks,
            ReduceOp=types.SimpleNamespace(MAX="max"),
        )
        cuda = types.SimpleNamespace(
            is_available=lambda: False,
            set_device=lambda index: self.log.append(f"set_device:{index}"),
            synchronize=lambda: self.log.append("synchronize"),
        )
        torch = types.ModuleType("torch")
        vars(torch).update(
            cuda=cuda,
            device=lambda *place: place,
            float32=np.float32,
            bfloat16=np.float32,
            float16=np.float16,
            full=lambda shape, value, dtype, device: Tensor(np.full(shape, value, dtype)),  # noqa: ARG005
            zeros=lambda count, dtype, device: Tensor(np.zeros(count, dtype)),  # noqa: ARG005
            tensor=lambda values, dtype, device: Tensor(np.array(values, dtype)),  # noqa: ARG005
            distributed=distributed,
        )
        return {"torch": torch, "torch.distributed": distributed}


def run(fake: Fake, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    for name, module in fake.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setenv("LOCAL_RANK", "3")
    small = ("--min-bytes", "1K", "--max-bytes", "4K", "--warmup", "2", "--iterations", "4", "--runs", "2")
    return script.main([*small, *words])


def test_a_run_measures_every_size_in_every_run_and_writes_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = Fake(ranks=8)
    assert run(fake, monkeypatch, "--json", str(tmp_path / "out.json")) == 0
    document = json.loads((tmp_path / "out.json").read_text())
    assert (document["backend"], document["ranks"], document["verdict"]) == ("gloo", 8, "passed")
    sizes = [(row["run"], row["size_bytes"]) for row in document["measurements"]]
    assert sizes == [(run, size) for run in (0, 1) for size in (1024, 2048, 4096)]
    for row in document["measurements"]:
        assert row["busbw_gb_per_s"] == pytest.approx(1.75 * row["algbw_gb_per_s"])
    assert "right" in capsys.readouterr().out
    assert (fake.log[0], fake.log[-1]) == ("init:gloo:env://", "destroy")


def test_the_device_of_the_local_rank_is_bound_before_the_group_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = Fake(ranks=8)
    assert run(fake, monkeypatch, "--backend", "nccl") == 0
    assert fake.log[:2] == ["set_device:3", "init:nccl:env://"]


def test_the_timed_part_is_warmed_up_synchronised_and_begun_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = Fake(ranks=8)
    run(fake, monkeypatch, "--backend", "nccl")
    start = fake.log.index("barrier")
    # Two rounds of warm-up are done before the barrier, the four timed ones are waited for after it.
    assert fake.log[start - 3 : start] == ["all_reduce:sum", "all_reduce:sum", "synchronize"]
    assert fake.log[start + 1 : start + 8] == [
        "synchronize",
        *["all_reduce:sum"] * 4,
        "synchronize",
        "all_reduce:max",
    ]


def test_a_pass_value_out_of_reach_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(Fake(ranks=8), monkeypatch, "--min-busbw", "1e9") == 1


def corrupt(tensor: Tensor) -> None:
    tensor.values[-1] += 1


def not_a_number(tensor: Tensor) -> None:
    tensor.values[0] = np.nan


@pytest.mark.parametrize("fault", [corrupt, not_a_number])
def test_one_wrong_element_is_a_wrong_result(
    fault: Callable[[Tensor], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(Fake(ranks=8, fault=fault), monkeypatch) == 3
    assert "WRONG" in capsys.readouterr().out


def test_the_group_is_left_when_the_measurement_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Tensor) -> None:
        raise RuntimeError("link down")

    fake = Fake(ranks=8, fault=fail)
    with pytest.raises(RuntimeError, match="link down"):
        run(fake, monkeypatch)
    assert fake.log[-1] == "destroy"


def test_an_ascend_device_uses_hccl(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(ranks=16)
    npu = types.SimpleNamespace(
        is_available=lambda: True,
        set_device=lambda index: fake.log.append(f"npu:{index}"),
        synchronize=lambda: None,
    )
    torch_npu = types.ModuleType("torch_npu")
    vars(torch_npu)["npu"] = npu
    modules = fake.modules()
    vars(modules["torch"])["npu"] = npu
    monkeypatch.setattr(fake, "modules", lambda: {**modules, "torch_npu": torch_npu})
    assert run(fake, monkeypatch) == 0
    assert fake.log[:2] == ["npu:3", "init:hccl:env://"]
