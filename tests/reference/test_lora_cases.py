"""Published cases of adapters over a frozen base, asked of the memory and step-time model."""

from __future__ import annotations

from dataclasses import replace
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

from suanli.domain.figure import Bytes
from suanli.domain.hardware import Accelerator
from suanli.domain.vendor import Calibration, SoftwareStack
from suanli.domain.workload import LayoutPins, Offload, Recompute, SolveFor, Task
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.memory import fits, memory
from suanli.estimation.ranges import rate_ratio
from suanli.estimation.recipes import MemoryRecipe, default_recipe
from suanli.estimation.results import Device, Infeasible, Sizing
from suanli.estimation.sizing import size_at
from suanli.estimation.step_time import step_arrays

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.reference.case_files import Unit

    from suanli.estimation.problem import Problem
    from suanli.estimation.results import Layout, Range

GIB = 2**30


def chunked(task: Task) -> MemoryRecipe:
    """Return the recipe of a stack that computes the loss in chunks and needs a small context."""
    return replace(default_recipe(task, "fsdp"), logit_bytes=1)


def posed(case: Case, task: Task, recipe: MemoryRecipe | None = None) -> Problem:
    length = int(case.inputs.get("sequence_length", 2048))
    job = workload(task, length, lora_rank=8 if task in {Task.LORA, Task.QLORA} else 0)
    return problem(plain_device(case.number("card_gb"), sharding="fsdp"), case.architecture, job, recipe)


def peak_bytes(problem_: Problem, one: Layout) -> float:
    return float(memory(problem_, LayoutArrays.of(one)).total[0])


def verdict(problem_: Problem, one: Layout) -> str:
    return "fits" if fits(problem_, LayoutArrays.of(one))[0] else "does-not-fit"


def consumer_rate(case: Case, task: Task) -> Range:
    """Return the tokens per second of one consumer card of the catalogue, alone in its host."""
    known, name = catalogue(), case.text("catalogue_card")
    alone = {"accelerator": name, "accelerator_count": 1, "scale_up_domain": 1}
    device = Device(
        known.get(Accelerator, name),
        plain_device().server.model_copy(update=alone),
        next(one for one in known.all(Calibration) if one.accelerator == name),
        known.get(SoftwareStack, "huggingface-deepspeed"),
        None,
    )
    size, length = case.count("micro_batch_size"), case.count("sequence_length")
    one = problem(device, case.architecture, workload(task, length, size, lora_rank=8))
    step = step_arrays(
        one, LayoutArrays.of(layout(micro_batch_size=size, recompute=Recompute.FULL, zero_stage=0))
    )
    return rate_ratio(one, evidence="layout-known").scaled(size * length / float(step.total_s[0]))


def one_card(case: Case) -> Mapping[str, Answer]:
    task = Task(case.text("task"))
    question = posed(case, task, chunked(task))
    one = layout(micro_batch_size=case.count("micro_batch_size"), recompute=Recompute.FULL, zero_stage=0)
    answers: dict[str, Answer] = {
        "verdict": verdict(question, one),
        "peak_gib": peak_bytes(question, one) / GIB,
    }
    if "catalogue_card" in case.inputs:
        answers["tokens_per_s"] = consumer_rate(case, task)
    return answers


def eight_cards(case: Case) -> Mapping[str, Answer]:
    task = Task(case.text("task"))
    question, size = posed(case, task, chunked(task)), case.count("micro_batch_size")
    one = layout(dp=case.count("cards"), micro_batch_size=size, recompute=Recompute.FULL, zero_stage=3)
    return {"verdict": verdict(question, one), "peak_gb": peak_bytes(question, one) / 1e9}


def routed_base(case: Case) -> Mapping[str, Answer]:
    task = Task(case.text("task"))
    question = posed(case, task, chunked(task))
    one = layout(micro_batch_size=4, recompute=Recompute.FULL, zero_stage=3)
    two = layout(dp=2, micro_batch_size=2, recompute=Recompute.FULL, zero_stage=3)
    return {
        "verdict_one": verdict(question, one),
        "verdict_two": verdict(question, two),
        "weights_gb": 2 * question.counts.total / 1e9,
        "peak_of_two_gb": peak_bytes(question, two) / 1e9,
    }


def after_loading(case: Case) -> Mapping[str, Answer]:
    def loaded_gb(task: Task) -> float:
        one = LayoutArrays.of(layout(zero_stage=0))
        return float(memory(posed(case, task), one).weights[0]) / 1e9

    return {"lora_gb": loaded_gb(Task.LORA), "qlora_gb": loaded_gb(Task.QLORA)}


def host_memory(case: Case) -> Mapping[str, Answer]:
    cards = case.count("cards")
    job = workload(Task(case.text("task")), case.count("sequence_length"), 16, 1e7, lora_rank=16)
    offloaded = LayoutPins(offload=Offload.WEIGHTS)
    wanted = requirement(case.architecture, job, SolveFor.DAYS, cards, offloaded)

    def on_host(host_gb: float) -> Sizing | Infeasible:
        plain = plain_device(case.number("card_gb"), sharding="fsdp", nodes_of=cards)
        server = plain.server.model_copy(update={"host_memory": figure(Bytes, host_gb, "GB")})
        return size_at(replace(plain, server=server), wanted, cards)

    small, large = (on_host(host) for host in case.numbers("host_gb"))
    host = large.memory.host_bytes * cards if isinstance(large, Sizing) else float("nan")
    return {
        "verdict_small_host": "fits" if isinstance(small, Sizing) else "does-not-fit",
        "verdict_large_host": "fits" if isinstance(large, Sizing) else "does-not-fit",
        "host_memory_is_sized": isinstance(small, Infeasible) and isinstance(large, Sizing),
        "host_memory_gb": host / 1e9,
    }


def order_of_methods(case: Case) -> Mapping[str, Answer]:
    one = layout(zero_stage=0, recompute=Recompute.FULL)
    four_bit, lora, full = (
        peak_bytes(posed(case, task), one) / 1e9 for task in (Task.QLORA, Task.LORA, Task.FULL_FINETUNE)
    )
    return {"lora_gb": lora, "four_bit_below_lora_below_full": four_bit < lora < full}


ANSWERS = {
    "lor-001": one_card,
    "lor-002": one_card,
    "lor-004": eight_cards,
    "lor-005": routed_base,
    "lor-006": after_loading,
    "lor-008": host_memory,
    "lor-010": order_of_methods,
}


@expectations("lora")
def test_a_published_adapter_case_is_met(unit: Unit) -> None:
    assert_met(unit, ANSWERS)


def test_every_adapter_case_is_asked() -> None:
    assert set(ANSWERS) == set(cases_of("lora"))
