"""The worked path is the estimate: by cause, by part, to the day, and from its printed numbers alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import EXAMPLES, host

from suanli.cli.explain_texts import line_label
from suanli.cli.texts import Voice
from suanli.domain.units import S_PER_DAY
from suanli.domain.workload import LayoutPins, Offload, Recompute
from suanli.estimation.devices import candidate_devices
from suanli.estimation.results import Device, Sizing
from suanli.estimation.sizing import size_at
from suanli.explaining.formula import Function, evaluate
from suanli.explaining.lines import GROUPS, rounded_number
from suanli.explaining.memory import PARTS
from suanli.explaining.path import Path, explain
from suanli.explaining.step import CAUSES
from suanli.pipeline import complete, decide
from suanli.project.load import load_project
from suanli.stages import failures_of

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement

SEARCHED = [
    ("pretrain-70b", "h100-sxm"),
    ("pretrain-70b", "ascend-910b2"),
    ("pretrain-70b", "ascend-910c"),
    ("pretrain-70b", "mi300x"),
    ("base-moe-671b", "h200-sxm"),
    ("base-moe-671b", "ascend-910c"),
    ("lora-13b", "h100-sxm"),
    ("lora-13b", "ascend-910b3"),
]
"""Examples and devices whose layouts are those that the search chooses."""

PINNED = {
    "sharded": (("workload.stack=pytorch-fsdp",), "h100-sxm", 64, LayoutPins()),
    "sharded, selective": (
        ("workload.stack=pytorch-fsdp",),
        "h100-sxm",
        512,
        LayoutPins(recompute=Recompute.SELECTIVE),
    ),
    "8 bit": (("workload.precision=fp8",), "h100-sxm", 256, LayoutPins(tp=8)),
    "ring": (("workload.sequence_length=32768",), "h100-sxm", 256, LayoutPins(tp=8, cp=4)),
    "ring across servers": (("workload.sequence_length=32768",), "ascend-910b2", 512, LayoutPins(tp=8, cp=4)),
    "some layers": ((), "h100-sxm", 128, LayoutPins(tp=8, recompute_layers=3)),
    "all layers": ((), "h100-sxm", 128, LayoutPins(tp=8, pp=4, recompute=Recompute.FULL)),
    "uneven stages": ((), "h100-sxm", 192, LayoutPins(tp=8, pp=12)),
    "zero 2": ((), "h100-sxm", 128, LayoutPins(tp=8, pp=1, zero_stage=2)),
    "copies": ((), "h100-sxm", 256, LayoutPins(tp=8, pp=2, shard_group=4)),
    "offload": (
        ("workload.stack=huggingface-deepspeed",),
        "h100-sxm",
        128,
        LayoutPins(zero_stage=3, offload=Offload.OPTIMIZER),
    ),
    "weights offloaded": (
        ("workload.stack=huggingface-deepspeed",),
        "h100-sxm",
        128,
        LayoutPins(zero_stage=3, offload=Offload.WEIGHTS),
    ),
    "unfused": (
        ("workload.stack=megatron-2021", "workload.precision=fp16"),
        "a100-80-sxm",
        512,
        LayoutPins(),
    ),
    "4-bit base": (("workload.task=qlora",), "h100-sxm", 8, LayoutPins()),
    "sharded adapters": (
        ("workload.stack=huggingface-deepspeed", "workload.task=lora"),
        "h100-sxm",
        8,
        LayoutPins(zero_stage=3),
    ),
}
"""What the search rarely chooses: settings, device, accelerators, pins."""


def path_of(sizing: Sizing, requirement: Requirement) -> Path:
    catalogue = host().catalogue
    return explain(sizing, requirement, catalogue, failures_of(catalogue))


@cache
def searched(example: str, device: str) -> tuple[Sizing, Path]:
    project = load_project(EXAMPLES / f"{example}.yaml", [f"vendors.accelerators=[{device}]"])
    decided = decide(project, host())
    sizing = decided.plans["A"].sizing
    return sizing, path_of(sizing, decided.requirement)


@cache
def pinned(name: str) -> tuple[Sizing, Path]:
    settings, accelerator, accelerators, pins = PINNED[name]
    example = "lora-13b" if any("lora" in one for one in settings) else "pretrain-70b"
    project = load_project(
        EXAMPLES / f"{example}.yaml", [f"vendors.accelerators=[{accelerator}]", "claims=[]", *settings]
    )
    requirement = replace(complete(project, host()), pins=pins)
    (device,) = candidate_devices(requirement, host().catalogue)
    assert isinstance(device, Device), device
    found = size_at(device, requirement, accelerators, failures_of(host().catalogue))
    assert isinstance(found, Sizing), found
    return found, path_of(found, requirement)


def assert_is_the_estimate(sizing: Sizing, path: Path) -> None:
    """Check a path against the sizing: step by cause, memory by part, rate, days."""
    values = path.values
    for cause in CAUSES:
        expected = getattr(sizing.step, cause)
        got = values[cause] / values["r_p50"]
        assert got == pytest.approx(expected, rel=1e-9, abs=1e-9 * sizing.step.total_s), cause
    for part in PARTS:
        got, expected = values[f"mem_{part}"], getattr(sizing.memory, f"{part}_bytes")
        assert got == pytest.approx(expected, rel=1e-9, abs=1e-9 * sizing.memory.total_bytes), part
    assert values["N"] == sizing.profile.total_parameters
    assert values["N_act"] == sizing.profile.active_parameters
    assert values["F"] == sizing.profile.flops_per_token
    assert values["rate_1"] == pytest.approx(sizing.tokens_per_s_per_accelerator.p50, rel=1e-9)
    assert values["MFU"] == pytest.approx(sizing.mfu.p50, rel=1e-9)
    assert values["good"] == pytest.approx(sizing.goodput.share, rel=1e-9)
    assert values["days"] * S_PER_DAY == pytest.approx(sizing.duration_s.p50, rel=1e-9)
    assert values["days_p10"] * S_PER_DAY == pytest.approx(sizing.duration_s.p10, rel=1e-9)
    assert values["days_p90"] * S_PER_DAY == pytest.approx(sizing.duration_s.p90, rel=1e-9)
    assert values["days_untuned"] * S_PER_DAY == pytest.approx(sizing.untuned_duration_s, rel=1e-9)
    assert values["days_bound"] * S_PER_DAY == pytest.approx(sizing.peak_bound_s, rel=1e-9)
    assert values["free"] == pytest.approx(sizing.memory.headroom_share, abs=1e-9)


@pytest.mark.parametrize(("example", "device"), SEARCHED)
def test_a_path_is_the_estimate(example: str, device: str) -> None:
    assert_is_the_estimate(*searched(example, device))


@pytest.mark.parametrize("name", PINNED)
def test_a_path_is_the_estimate_for_layouts_that_the_search_rarely_chooses(name: str) -> None:
    assert_is_the_estimate(*pinned(name))


def assert_reproducible(path: Path) -> None:
    """Work every line out again from what is printed of it, as a reader with a calculator does."""
    functions: dict[str, Function] = {}
    checked = 0
    for line in path.lines:
        numbers = {name: rounded_number(value) for name, value in line.numbers.items()}
        if line.result is None:
            functions[line.symbol] = Function(line.parameters, line.formula, numbers)
            continue
        # Seven digits are printed; a difference of two large numbers keeps fewer.
        largest = max((abs(value) for value in numbers.values()), default=0.0) if "−" in line.formula else 0.0
        got = evaluate(line.formula, numbers, functions)
        assert got == pytest.approx(rounded_number(line.result), rel=1e-5, abs=1e-6 * min(largest, 1e3)), line
        checked += 1
    assert checked > 60


@pytest.mark.parametrize(("example", "device"), SEARCHED)
def test_every_line_is_reproduced_from_its_printed_numbers(example: str, device: str) -> None:
    assert_reproducible(searched(example, device)[1])


@pytest.mark.parametrize("name", PINNED)
def test_every_line_of_a_rare_layout_is_reproduced_from_its_printed_numbers(name: str) -> None:
    assert_reproducible(pinned(name)[1])


def test_three_lines_by_hand() -> None:
    sizing, path = searched("pretrain-70b", "h100-sxm")
    lines = {line.key: line for line in path.lines}
    # Qwen2.5 72B: 80 layers of 8192, 64 heads of 128, sequences of 4096.
    assert lines["work.attention-flops"].result == 6 * 80 * 4096 * 8192
    work = lines["work.flops"].result
    assert work is not None
    days = sizing.tokens * work / (sizing.accelerators * 989e12) / 86400
    assert lines["run.bound"].result == pytest.approx(days, rel=1e-3)
    steps = lines["run.steps"].numbers
    assert lines["run.steps"].result == -(-int(steps["tokens"]) // int(steps["batch"] * steps["s"]))


def test_constants_lead_to_fits_with_groups_and_errors_and_peaks_to_data_sheets() -> None:
    _, path = searched("pretrain-70b", "h100-sxm")
    lines = {line.key: line for line in path.lines}
    (peak,) = lines["rates.peak"].origins
    assert peak.kind == "data-sheet"
    fits = [one for one in lines["rates.matrix"].origins if one.kind == "fit"]
    assert fits
    assert fits[0].groups is not None
    assert fits[0].groups > 0
    assert fits[0].median_error is not None
    assert not fits[0].sibling


def test_what_is_taken_from_a_relative_is_said() -> None:
    sizing, path = searched("pretrain-70b", "ascend-910c")
    assert sizing.device.calibration.sibling
    lines = {line.key: line for line in path.lines}
    assert {one.sibling for one in lines["rates.matrix"].origins} >= {sizing.device.calibration.sibling}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", PINNED)
def test_every_line_has_words_in_both_languages(name: str, language: str) -> None:
    _, path = pinned(name)
    assert [line.group for line in path.lines if line.group not in GROUPS] == []
    for line in path.lines:
        assert line_label(Voice(language), line.key)


def test_a_later_line_puts_in_what_an_earlier_one_found() -> None:
    _, path = searched("pretrain-70b", "h100-sxm")
    known: dict[str, float] = {}
    used = 0
    for line in path.lines:
        for name, value in line.numbers.items():
            if name in known:
                assert known[name] == value, (line.key, name)
                used += 1
        if line.result is not None:
            known[line.symbol] = line.result
    assert used > 40
