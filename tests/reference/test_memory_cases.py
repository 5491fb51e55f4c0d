"""Published memory cases, asked of the estimate: what fits, how many bytes, and which ways out there are."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.core.estimation.estimation_cases import (
    catalogue,
    figure,
    layout,
    plain_device,
    problem,
    requirement,
    workload,
)
from tests.reference.case_files import Answer, Case, assert_met, cases_of, expectations

from suanli.domain.figure import Bytes, FlopsPerSecond
from suanli.domain.hardware import Accelerator, Precision
from suanli.domain.transformer import count_parameters
from suanli.domain.workload import LayoutPins, Offload, Recompute, SolveFor, Task
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.memory import fits, memory, usable_memory
from suanli.estimation.recipes import (
    ADAM_8BIT,
    MEGATRON_BF16_GRADIENTS,
    MEGATRON_FP32_GRADIENTS,
    PURE_BF16,
    MemoryRecipe,
    static_bytes_per_device,
)
from suanli.estimation.results import Infeasible, RemedyKind, Sizing
from suanli.estimation.sizing import size_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.reference.case_files import Unit

    from suanli.estimation.results import Device

GIB = 2**30


def card(case: Case) -> Device:
    """Return a plain device of the case's memory, sharded in the manner of DeepSpeed."""
    usable = case.number("usable_gib") if "usable_gib" in case.inputs else None
    device = plain_device(case.number("card_gb"), usable, sharding="zero")
    if "host_gb" in case.inputs:
        host = {"host_memory": figure(Bytes, case.number("host_gb"), "GB")}
        device = replace(device, server=device.server.model_copy(update=host))
    if case.inputs.get("precision") != Precision.FP16:
        return device
    peak = {Precision.FP16: figure(FlopsPerSecond, 125, "TFLOPS")}
    return replace(device, accelerator=device.accelerator.model_copy(update={"dense_peak": peak}))


def asked(case: Case, task: Task, pins: LayoutPins) -> Sizing | Infeasible:
    """Return the sizing of a case's job on its cards, every layout tried that the pins leave."""
    precision = Precision(case.inputs.get("precision", "bf16"))
    rank = 16 if task is Task.LORA else 0
    job = workload(task, case.count("sequence_length"), 64, 1e9, precision=precision, lora_rank=rank)
    wanted = requirement(case.architecture, job, SolveFor.DAYS, case.count("cards"), pins)
    return size_at(card(case), wanted, case.count("cards"))


def verdict(found: Sizing | Infeasible) -> str:
    return "fits" if isinstance(found, Sizing) else "does-not-fit"


def ways_out(found: Sizing | Infeasible) -> str:
    return " ".join(one.kind for one in found.remedies) if isinstance(found, Infeasible) else ""


def eight_billion_in_24_gb(case: Case) -> Mapping[str, Answer]:
    found = asked(case, Task.FULL_FINETUNE, LayoutPins(zero_stage=3))
    offloaded = LayoutPins(zero_stage=3, offload=Offload.OPTIMIZER)
    total = count_parameters(case.architecture).total
    states = static_bytes_per_device(total, MEGATRON_BF16_GRADIENTS, 3, case.count("cards"))
    job = workload(Task.FULL_FINETUNE, case.count("sequence_length"))
    posed = problem(card(case), case.architecture, job)
    parts = memory(posed, LayoutArrays.of(layout(dp=8, zero_stage=3, recompute=Recompute.FULL)))
    return {
        "verdict": verdict(found),
        "verdict_with_offload": verdict(asked(case, Task.FULL_FINETUNE, offloaded)),
        "states_gb": states / 1e9,
        "states_share_of_card": states / (case.number("card_gb") * 1e9),
        "logits_and_buffers_are_named": bool(min(parts.logits[0], parts.buffers[0]) > 1e9),
        "offload_is_a_way_out": "offload" in ways_out(found),
    }


def seven_billion_with_zero_2(case: Case) -> Mapping[str, Answer]:
    found = asked(case, Task.FULL_FINETUNE, LayoutPins(zero_stage=case.count("zero_stage")))
    states = static_bytes_per_device(
        case.number("parameters"), MEGATRON_BF16_GRADIENTS, 2, case.count("cards")
    )
    return {"verdict": verdict(found), "states_gb": states / 1e9, "ways_out": ways_out(found)}


def unsharded_adapters(case: Case) -> Mapping[str, Answer]:
    found = asked(case, Task.LORA, LayoutPins(zero_stage=case.count("zero_stage")))
    posed = problem(
        card(case), case.architecture, workload(Task.LORA, case.count("sequence_length"), lora_rank=16)
    )
    weights = memory(posed, LayoutArrays.of(layout(dp=8, zero_stage=0))).weights[0]
    return {"verdict": verdict(found), "weights_gb": float(weights) / 1e9, "ways_out": ways_out(found)}


def copies_and_shards(case: Case) -> Mapping[str, Answer]:
    states = static_bytes_per_device(
        count_parameters(case.architecture).total, MEGATRON_BF16_GRADIENTS, 0, case.count("cards")
    )
    return {
        "verdict_copies": verdict(asked(case, Task.FULL_FINETUNE, LayoutPins(zero_stage=0))),
        "verdict_zero_2": verdict(asked(case, Task.FULL_FINETUNE, LayoutPins(zero_stage=2))),
        "states_of_a_copy_gb": states / 1e9,
    }


def zero_stages(case: Case) -> Mapping[str, Answer]:
    parameters, cards = case.number("parameters"), case.count("cards")
    return {
        f"stage_{stage}_gb": static_bytes_per_device(parameters, MEGATRON_BF16_GRADIENTS, stage, cards) / 1e9
        for stage in range(4)
    }


def usable(case: Case) -> Mapping[str, Answer]:
    return {
        f"{name}_gib": usable_memory(catalogue().get(Accelerator, case.text(name)))[0] / GIB
        for name in ("small", "large")
    }


def rules_of_thumb(case: Case) -> Mapping[str, Answer]:
    seven, fourteen, seventy = case.numbers("parameters")

    def total_gb(parameters: float, recipe: MemoryRecipe) -> float:
        return static_bytes_per_device(parameters, recipe, 0, 1) / 1e9

    mixed = total_gb(seven, MEGATRON_FP32_GRADIENTS)
    return {
        "mixed_7b_gb": mixed,
        "mixed_70b_gb": total_gb(seventy, MEGATRON_FP32_GRADIENTS),
        "pure_16_bit_7b_gb": total_gb(seven, PURE_BF16),
        "mixed_14b_is_twice_7b": total_gb(fourteen, MEGATRON_FP32_GRADIENTS) == 2 * mixed,
    }


def techniques(case: Case) -> Mapping[str, Answer]:
    job = workload(Task.FULL_FINETUNE, case.count("sequence_length"))

    def peak_gib(recipe: MemoryRecipe, mode: Recompute) -> float:
        one = layout(micro_batch_size=case.count("micro_batch_size"), zero_stage=0, recompute=mode)
        posed = problem(card(case), case.architecture, job, recipe)
        return float(memory(posed, LayoutArrays.of(one)).total[0]) / GIB

    chunked = replace(PURE_BF16, logit_bytes=1)
    steps = [
        peak_gib(PURE_BF16, Recompute.NONE),
        peak_gib(chunked, Recompute.NONE),
        peak_gib(chunked, Recompute.FULL),
        peak_gib(replace(chunked, gradient_bytes=0), Recompute.FULL),
        peak_gib(replace(ADAM_8BIT, logit_bytes=1, gradient_bytes=0), Recompute.FULL),
    ]
    saved = [before - after for before, after in pairwise(steps)]
    return {
        "packed_gib": steps[0],
        "recomputed_gib": steps[2],
        "eight_bit_gib": steps[4],
        "recomputation_saves_most": min(saved) > 0 and max(saved) == saved[1],
    }


ANSWERS = {
    "mem-001": eight_billion_in_24_gb,
    "mem-003": seven_billion_with_zero_2,
    "mem-004": unsharded_adapters,
    "mem-007": copies_and_shards,
    "mem-008": zero_stages,
    "mem-009": usable,
    "mem-010": rules_of_thumb,
    "mem-011": techniques,
}


@expectations("memory")
def test_a_published_memory_case_is_met(unit: Unit) -> None:
    assert_met(unit, ANSWERS)


def test_every_memory_case_is_asked() -> None:
    assert set(ANSWERS) == set(cases_of("memory"))


def test_the_ways_out_of_a_card_that_is_too_small_would_fit() -> None:
    case = cases_of("memory")["mem-003"]
    found = asked(case, Task.FULL_FINETUNE, LayoutPins(zero_stage=2))
    assert isinstance(found, Infeasible)
    assert any(one.kind is RemedyKind.SHARD_MORE for one in found.remedies)
    assert isinstance(asked(case, Task.FULL_FINETUNE, LayoutPins(zero_stage=3)), Sizing)


def test_fitting_keeps_the_reserve_that_a_report_of_failure_asks_for() -> None:
    case = cases_of("memory")["mem-001"]
    posed = problem(
        card(case), case.architecture, workload(Task.FULL_FINETUNE, case.count("sequence_length"))
    )
    for mode in Recompute:
        assert not fits(posed, LayoutArrays.of(layout(dp=8, zero_stage=3, recompute=mode)))[0]
