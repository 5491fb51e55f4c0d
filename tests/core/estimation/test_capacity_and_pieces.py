"""Padded experts and a loss in pieces: two options of a recipe that cost time or save memory."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.estimation.estimation_cases import (
    LLAMA2_7B,
    h100,
    layout,
    model,
    plain_device,
    problem,
    requirement,
    shipped,
    workload,
)

from suanli.domain.workload import LayoutPins, SolveFor, Task
from suanli.estimation.activations import layer_activations
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.exposed import expert_parallel_s
from suanli.estimation.gemm import moe_gemms
from suanli.estimation.layer_time import head_s
from suanli.estimation.memory import memory, memory_use, peak_bytes
from suanli.estimation.ranges import memory_ratio
from suanli.estimation.results import Constraint, Infeasible, RemedyKind, Sizing
from suanli.estimation.search import Limits, search
from suanli.estimation.sizing import size
from suanli.estimation.space import Depth
from suanli.estimation.step_time import step_arrays

ROUTED = model("mixtral-8x7b")
SPREAD = LayoutArrays.of(layout(dp=8, ep=8))


def test_a_capacity_of_the_even_share_is_the_balanced_router() -> None:
    plain, even = (
        problem(plain_device(), ROUTED, replace(workload(), capacity_factor=one)) for one in (None, 1.0)
    )
    assert float(step_arrays(plain, SPREAD).total_s[0]) == float(step_arrays(even, SPREAD).total_s[0])
    assert float(peak_bytes(plain, SPREAD)[0]) == float(peak_bytes(even, SPREAD)[0])


@given(factor=st.floats(1.0, 4.0))
def test_padding_is_worked_on_sent_and_kept_in_proportion_and_is_no_work_of_the_model(factor: float) -> None:
    plain = problem(plain_device(), ROUTED, workload())
    full = problem(plain_device(), ROUTED, replace(workload(), capacity_factor=factor))
    rows = [[float(one.m[0]) for one in moe_gemms(posed, SPREAD) if one.grouped] for posed in (plain, full)]
    assert rows[1] == pytest.approx([factor * one for one in rows[0]])
    sent = [float(expert_parallel_s(posed, SPREAD)[0]) for posed in (plain, full)]
    assert sent[1] == pytest.approx(factor * sent[0])
    kept = [float(layer_activations(posed, SPREAD, selective=False)[1][0]) for posed in (plain, full)]
    assert kept[1] >= kept[0]
    assert float(step_arrays(full, SPREAD).total_s[0]) >= float(step_arrays(plain, SPREAD).total_s[0])
    assert full.profile.flops_per_token == plain.profile.flops_per_token


@given(pieces=st.integers(1, 64), tp=st.sampled_from([1, 2, 4, 8]))
def test_a_loss_in_pieces_saves_the_logits_of_the_others_and_is_never_faster(pieces: int, tp: int) -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload())
    whole = LayoutArrays.of(layout(tp=tp))
    split = LayoutArrays.of(replace(layout(tp=tp), loss_chunks=pieces))
    saved = float((memory(posed, whole).logits - memory(posed, split).logits)[0])
    logits = float(posed.recipe_numbers.logit_bytes) * 4096 * 32000 / tp
    assert saved == pytest.approx(logits * (1 - 1 / pieces), abs=1.0)
    assert float(head_s(posed, split)[0]) >= float(head_s(posed, whole)[0]) * (1 - 1e-12)


@pytest.mark.parametrize("depth", Depth)
def test_pieces_are_searched_only_where_they_are_pinned(depth: Depth) -> None:
    posed = problem(h100(), LLAMA2_7B, workload())
    free, pinned = (search(posed, 64, Limits(LayoutPins(loss_chunks=one)), depth) for one in (None, 16))
    assert free.layouts is not None
    assert pinned.layouts is not None
    assert (free.layouts.layout(0).loss_chunks, pinned.layouts.layout(0).loss_chunks) == (1, 16)
    assert pinned.candidates == free.candidates


def test_a_loss_in_pieces_is_a_way_out_where_whole_logits_are_what_does_not_fit() -> None:
    small = model("llama-3-8b")
    pins = LayoutPins(tp=1, pp=1, cp=1, micro_batch_size=8)
    job = workload(task=Task.LORA, sequence_length=8192, global_batch_size=64)
    wanted = requirement(small, job, SolveFor.DAYS, 8, pins)
    verdict = size(h100("huggingface-deepspeed"), wanted)
    assert isinstance(verdict, Infeasible)
    assert verdict.constraint is Constraint.MEMORY
    assert RemedyKind.CHUNKED_LOSS in {one.kind for one in verdict.remedies}
    split = replace(wanted, pins=replace(pins, loss_chunks=8))
    assert isinstance(size(h100("huggingface-deepspeed"), split), Sizing)


def test_a_peak_has_a_range_around_what_is_predicted() -> None:
    posed = problem(shipped("h100-sxm", "dgx-h100", "megatron-core"), LLAMA2_7B, workload())
    use = memory_use(posed, LayoutArrays.of(layout(tp=8)))
    peak, ratio = use.peak_bytes, memory_ratio(posed)
    assert peak is not None
    assert peak.p50 == use.total_bytes
    assert peak.p10 == pytest.approx(use.total_bytes * ratio.p10)
    assert peak.p10 < peak.p50 < peak.p90


def test_a_stack_without_runs_has_a_wider_range_of_memory() -> None:
    known = problem(shipped("h100-sxm", "dgx-h100", "megatron-core"), LLAMA2_7B, workload())
    strange = replace(known, device=replace(known.device, stack_fit=None))
    assert memory_ratio(strange).p90 > memory_ratio(known).p90
    assert memory_ratio(strange).p10 < memory_ratio(known).p10
