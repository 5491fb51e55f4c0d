from __future__ import annotations

import math
import time
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from tests.core.estimation.estimation_cases import (
    DAY_S,
    LLAMA2_7B,
    ascend,
    figure,
    h100,
    layout,
    model,
    plain_device,
    problem,
    requirement,
    workload,
)

from suanli.domain.figure import BytesPerSecond, FlopsPerSecond
from suanli.domain.hardware import Precision
from suanli.domain.workload import LayoutPins, Recompute, Requirement, SolveFor, Task, Workload
from suanli.errors import InputError
from suanli.estimation.evaluate import Evaluator, canonical_nodes, quantile_s
from suanli.estimation.results import Constraint, Device, Infeasible, Remedy, RemedyKind, Sizing
from suanli.estimation.search import Limits
from suanli.estimation.sizing import size, size_at
from suanli.estimation.space import Depth

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture

SEVENTY = model("llama-3-70b")
MONTHS = workload(global_batch_size=1024, deadline_days=120)


def sized(  # noqa: PLR0913, PLR0917 - one argument a field
    device: Device,
    shape: Architecture,
    job: Workload,
    solve_for: SolveFor = SolveFor.ACCELERATORS,
    accelerators: int | None = None,
    pins: LayoutPins | None = None,
) -> Sizing:
    found = size(device, requirement(shape, job, solve_for, accelerators, pins))
    assert isinstance(found, Sizing), found
    return found


def refused(wanted: Requirement, device: Device) -> Infeasible:
    found = size(device, wanted)
    assert isinstance(found, Infeasible)
    return found


def test_the_deadline_is_met_with_the_asked_confidence_by_whole_servers() -> None:
    found = sized(h100(), SEVENTY, MONTHS)
    assert found.duration_s.p90 <= 120 * DAY_S
    assert found.nodes == math.ceil(found.accelerators / 8)
    assert found.binding is Constraint.DEADLINE


def test_one_server_less_would_miss_the_deadline() -> None:
    found = sized(h100(), SEVENTY, MONTHS)
    smaller = size_at(h100(), requirement(SEVENTY, MONTHS), (found.nodes - 1) * 8)
    assert isinstance(smaller, Sizing)
    assert smaller.duration_s.p90 > 120 * DAY_S


def test_less_confidence_needs_no_more_devices() -> None:
    even = sized(h100(), SEVENTY, replace(MONTHS, deadline_confidence=0.5))
    assert even.duration_s.p50 <= 120 * DAY_S
    assert even.nodes <= sized(h100(), SEVENTY, MONTHS).nodes


def test_the_figures_of_a_sizing_agree_with_each_other() -> None:
    found = sized(h100(), SEVENTY, MONTHS)
    tokens_per_step = found.layout.micro_batch_size * found.layout.dp * found.layout.micro_batches * 4096
    assert found.steps == math.ceil(1e12 / tokens_per_step)
    assert found.ideal_s == pytest.approx(found.steps * found.step.total_s)
    assert found.duration_s.p50 == pytest.approx(found.ideal_s / found.goodput.share)
    rate = tokens_per_step / found.step.total_s / found.accelerators
    assert found.tokens_per_s_per_accelerator.p50 == pytest.approx(rate)
    assert found.mfu.p50 == pytest.approx(rate * found.profile.flops_per_token / 989.5e12, rel=1e-3)
    assert found.hfu >= found.mfu.p50
    assert found.ideal_s >= found.peak_bound_s
    assert found.memory.total_bytes <= 0.9 * found.memory.usable_bytes
    assert found.duration_s.p10 < found.duration_s.p50 < found.duration_s.p90
    assert found.untuned_duration_s > found.duration_s.p50
    assert found.candidates > 1000


def test_the_scaling_curve_holds_a_dozen_sizes_that_never_get_slower() -> None:
    curve = sized(h100(), SEVENTY, MONTHS).alternatives
    counts, days = zip(*curve, strict=True)
    assert 8 <= len(curve) <= 12
    assert list(counts) == sorted(counts)
    assert list(days) == sorted(days, reverse=True)


def test_memory_binds_where_the_deadline_is_far() -> None:
    found = sized(h100(), SEVENTY, replace(MONTHS, deadline_s=36500 * DAY_S))
    assert found.binding is Constraint.MEMORY
    assert found.nodes > 1


def test_a_single_server_binds_where_everything_fits_in_it() -> None:
    found = sized(h100(), LLAMA2_7B, workload(tokens=1e9, deadline_days=100))
    assert (found.binding, found.nodes) == (Constraint.NODE, 1)


def test_days_follow_from_given_accelerators() -> None:
    found = sized(ascend(), LLAMA2_7B, workload(), SolveFor.DAYS, 64)
    assert found.binding is Constraint.PINNED
    assert found.accelerators == 64
    assert found.duration_s.p50 == pytest.approx(1e12 / 64 / found.tokens_per_s_per_accelerator.p50, rel=0.05)


def test_tokens_follow_from_accelerators_and_a_deadline() -> None:
    job = workload(tokens=None, deadline_days=30)
    found = sized(ascend(), LLAMA2_7B, job, SolveFor.TOKENS, 64)
    assert found.tokens > 1e10
    assert found.duration_s.p90 <= 30 * DAY_S
    more = sized(ascend(), LLAMA2_7B, replace(job, tokens=found.tokens * 1.01), SolveFor.DAYS, 64)
    assert more.duration_s.p90 > 30 * DAY_S


@pytest.mark.parametrize("accelerators", [1, 2, 4, 8])
def test_adapters_of_thirteen_billion_parameters_train_on_one_to_eight_devices(accelerators: int) -> None:
    job = workload(task=Task.LORA, sequence_length=2048, global_batch_size=64, tokens=5e8)
    found = sized(ascend(), model("llama-2-13b"), job, SolveFor.DAYS, accelerators)
    assert found.nodes == 1
    assert found.accelerators == accelerators
    assert found.goodput.share > 0.99


@pytest.mark.parametrize(
    ("model_id", "batch", "accelerators"),
    [("llama-3.1-405b", 2048, 16384), ("deepseek-v3", 15360, 2048), ("deepseek-v3", 15360, 4096)],
)
def test_the_largest_models_are_sized_on_thousands_of_devices(
    model_id: str, batch: int, accelerators: int
) -> None:
    found = sized(h100(), model(model_id), workload(global_batch_size=batch), SolveFor.DAYS, accelerators)
    assert 0.2 < found.mfu.p50 < 0.5
    assert found.layout.pp > 1


def test_a_model_that_cannot_fit_says_by_how_much_and_where_it_would() -> None:
    wanted = requirement(SEVENTY, workload(), SolveFor.DAYS, 8)
    verdict = refused(wanted, h100())
    assert verdict.constraint is Constraint.MEMORY
    assert verdict.need > verdict.have > 60e9
    more = next(one for one in verdict.remedies if one.kind is RemedyKind.MORE_ACCELERATORS)
    assert more.value is not None
    assert isinstance(size_at(h100(), wanted, int(more.value)), Sizing)
    assert isinstance(size_at(h100(), wanted, int(more.value) - 8), Infeasible)


def test_full_fine_tuning_that_does_not_fit_offers_adapters() -> None:
    job = workload(task=Task.FULL_FINETUNE, global_batch_size=64, tokens=1e9)
    verdict = refused(requirement(SEVENTY, job, SolveFor.DAYS, 8), h100())
    assert RemedyKind.LORA in {one.kind for one in verdict.remedies}


def test_a_recompute_pin_that_prevents_the_fit_is_named() -> None:
    pins = LayoutPins(recompute=Recompute.NONE, micro_batch_size=8, pp=4, tp=4, cp=1)
    verdict = refused(requirement(SEVENTY, workload(), SolveFor.DAYS, 128, pins), h100())
    kinds = {one.kind: one for one in verdict.remedies}
    assert kinds[RemedyKind.RECOMPUTE].detail == "full"
    assert kinds[RemedyKind.UNPIN].detail == "tp=4 pp=4 cp=1 micro_batch_size=8 recompute=none"


def test_a_deadline_out_of_reach_names_the_time_and_tokens_that_would_do() -> None:
    job = workload(global_batch_size=64, deadline_days=1)
    verdict = refused(requirement(SEVENTY, job), h100())
    assert verdict.constraint is Constraint.DEADLINE
    assert verdict.need > verdict.have == DAY_S
    kinds = {one.kind: one.value for one in verdict.remedies}
    fewer = kinds[RemedyKind.FEWER_TOKENS]
    assert fewer is not None
    assert fewer < 1e12
    assert kinds[RemedyKind.MORE_TIME] == verdict.need
    assert RemedyKind.LARGER_BATCH not in kinds


def test_each_way_out_of_a_deadline_that_the_batch_forbids_is_one() -> None:
    job = workload(global_batch_size=64, deadline_days=9)
    verdict = refused(requirement(SEVENTY, job), h100())
    assert verdict.constraint is Constraint.BATCH
    kinds = {one.kind: one.value for one in verdict.remedies}
    time_s, tokens, batch = (
        kinds[kind] for kind in (RemedyKind.MORE_TIME, RemedyKind.FEWER_TOKENS, RemedyKind.LARGER_BATCH)
    )
    assert batch is not None
    assert (verdict.need, verdict.have) == (batch, 64)
    for changed in (
        replace(job, deadline_s=(time_s or 0) * 1.0001),
        replace(job, tokens=tokens),
        replace(job, global_batch_size=int(batch)),
    ):
        assert isinstance(size(h100(), requirement(SEVENTY, changed)), Sizing)


def test_a_pinned_cluster_that_misses_the_deadline_names_the_cluster_that_meets_it() -> None:
    verdict = refused(requirement(SEVENTY, MONTHS, accelerators=64), h100())
    assert verdict.constraint is Constraint.DEADLINE
    more = next(one.value for one in verdict.remedies if one.kind is RemedyKind.MORE_ACCELERATORS)
    assert more is not None
    assert more > 64


def test_a_precision_that_the_device_lacks_is_refused() -> None:
    job = workload(precision=Precision.FP8, deadline_days=100)
    assert refused(requirement(SEVENTY, job), ascend()).constraint is Constraint.PRECISION


def test_pins_that_only_the_device_forbids_are_infeasible() -> None:
    wide = requirement(SEVENTY, MONTHS, pins=LayoutPins(tp=16))
    release = Remedy(RemedyKind.UNPIN, detail="tp=16")
    assert refused(wide, h100()) == Infeasible(Constraint.PINNED, 16, 8, (release,))
    sharded = requirement(SEVENTY, MONTHS, pins=LayoutPins(pp=4, zero_stage=3))
    assert refused(sharded, h100()).constraint is Constraint.PINNED


@pytest.mark.parametrize(
    ("solve_for", "job", "accelerators", "key"),
    [
        (SolveFor.ACCELERATORS, workload(), None, "cluster.accelerators"),
        (SolveFor.DAYS, workload(deadline_days=9), None, "cluster.accelerators"),
        (SolveFor.TOKENS, workload(tokens=None), 8, "workload.deadline"),
        (SolveFor.TOKENS, workload(tokens=None, deadline_days=9), None, "cluster.accelerators"),
        (SolveFor.DAYS, workload(tokens=None), 8, "workload.tokens"),
        (SolveFor.DAYS, workload(), 0, "cluster.accelerators"),
    ],
)
def test_an_unknown_too_many_is_an_input_error(
    solve_for: SolveFor, job: Workload, accelerators: int | None, key: str
) -> None:
    with pytest.raises(InputError) as raised:
        size(h100(), requirement(LLAMA2_7B, job, solve_for, accelerators))
    assert raised.value.faults[0].key == key


def test_whole_servers_are_bought_for_an_odd_number_of_devices() -> None:
    found = sized(h100(), LLAMA2_7B, workload(), SolveFor.DAYS, 12)
    assert found.nodes == 2
    assert found.accelerators <= 12


def test_fewer_devices_than_the_pins_take_are_said_in_devices() -> None:
    pins = LayoutPins(tp=8, pp=4)
    verdict = refused(requirement(SEVENTY, workload(), SolveFor.DAYS, 8, pins), h100())
    assert verdict.constraint is Constraint.PINNED
    assert (verdict.need, verdict.have) == (32, 8)


def test_a_limit_on_exposed_communication_that_nothing_meets_is_what_binds() -> None:
    quiet = requirement(SEVENTY, MONTHS)
    quiet = replace(quiet, cluster=replace(quiet.cluster, exposed_communication_max=1e-6))
    verdict = refused(quiet, ascend())
    assert verdict.constraint is Constraint.NETWORK
    assert verdict.need > verdict.have == 1e-6
    assert verdict.remedies[-1] == Remedy(RemedyKind.UNPIN, detail="exposed_communication_max=1e-06")


def test_a_package_of_two_dies_is_two_devices_to_the_layout_and_one_to_the_buyer() -> None:
    package = plain_device(memory_gb=128)
    package = replace(package, accelerator=package.accelerator.model_copy(update={"dies": 2}))
    found = sized(package, SEVENTY, workload(), SolveFor.DAYS, 64)
    same = sized(_half_device(), SEVENTY, workload(), SolveFor.DAYS, 128)
    # 64 packages are what 128 devices of half the peak, memory, bandwidth, link and port would be.
    assert (found.layout, found.step, found.nodes) == (same.layout, same.step, same.nodes)
    assert found.layout.devices == 2 * found.accelerators == same.accelerators
    assert found.memory == same.memory
    assert found.mfu.p50 == pytest.approx(same.mfu.p50)
    rate = found.tokens_per_s_per_accelerator.p50
    assert rate == pytest.approx(2 * same.tokens_per_s_per_accelerator.p50)
    assert found.peak_bound_s == pytest.approx(same.peak_bound_s)
    # What fails and is repaired is the package.
    assert found.goodput.mtbf_s == pytest.approx(2 * same.goodput.mtbf_s)


def _half_device() -> Device:
    """Return half of `plain_device(memory_gb=128)` with twice as many in a server."""
    whole = plain_device(memory_gb=64, nodes_of=16)
    assert whole.accelerator.scale_up is not None
    link = whole.accelerator.scale_up.model_copy(update={"per_device": figure(BytesPerSecond, 150, "GB/s")})
    accelerator = whole.accelerator.model_copy(
        update={
            "dense_peak": {Precision.BF16: figure(FlopsPerSecond, 200, "TFLOPS")},
            "memory_bandwidth": figure(BytesPerSecond, 1, "TB/s"),
            "scale_up": link,
        }
    )
    ports = (whole.server.nics[0].model_copy(update={"rate": figure(BytesPerSecond, 100, "Gbit/s")}),)
    return replace(whole, accelerator=accelerator, server=whole.server.model_copy(update={"nics": ports}))


def test_sizing_seventy_billion_parameters_takes_less_than_a_second() -> None:
    begin = time.process_time()
    sized(h100(), SEVENTY, MONTHS)
    assert time.process_time() - begin < 1.0


def test_the_tried_counts_are_dense_and_rising() -> None:
    counts = sorted({canonical_nodes(n) for n in range(1, 5000)})
    assert counts[:32] == list(range(1, 33))
    assert all(b / a <= 1 + 1 / 32 + 1e-9 for a, b in pairwise(counts[31:]))
    assert all(canonical_nodes(n) == n for n in counts)


def test_a_sizing_of_an_outcome_without_a_layout_is_refused() -> None:
    evaluator = Evaluator(problem(plain_device(memory_gb=8), SEVENTY, workload()), Limits(), 1e12)
    with pytest.raises(ValueError, match="without a layout"):
        evaluator.sizing(evaluator.devices(8), 1, Constraint.NODE)


def test_the_same_question_gives_the_same_answer() -> None:
    assert sized(h100(), SEVENTY, MONTHS) == sized(h100(), SEVENTY, MONTHS)


def test_the_median_is_between_the_ends_for_any_confidence() -> None:
    found = sized(h100(), SEVENTY, MONTHS)
    assert quantile_s(found.duration_s, 0.5) == pytest.approx(found.duration_s.p50)
    assert layout(tp=2, dp=3).devices == 6


def test_a_sizing_shows_what_no_layout_and_no_size_beats() -> None:
    found = sized(h100(), SEVENTY, workload(global_batch_size=1024, deadline_days=120))
    points = found.pareto
    assert len({one.accelerators for one in points}) > 1
    keys = [(-one.tokens_per_s, one.memory_bytes, one.accelerators) for one in points]
    assert keys == sorted(keys)
    for one in keys:
        assert not any(all(a <= b for a, b in zip(other, one, strict=True)) for other in keys if other != one)


def test_the_curve_passes_through_the_sizing_and_never_rises() -> None:
    found = sized(h100(), SEVENTY, workload(global_batch_size=1024, deadline_days=120))
    curve = dict(found.alternatives)
    assert curve[found.nodes * 8] == found.duration_s.p50
    assert list(curve.values()) == sorted(curve.values(), reverse=True)


def test_host_memory_is_a_way_out_where_it_is_known_to_suffice() -> None:
    verdict = refused(requirement(model("llama-2-70b"), workload(), SolveFor.DAYS, 8), h100())
    assert Remedy(RemedyKind.OFFLOAD, detail="optimizer") in verdict.remedies


def test_the_coarse_depth_looks_at_less_and_draws_no_curve() -> None:
    wanted = requirement(SEVENTY, workload(global_batch_size=1024), SolveFor.DAYS)
    full, coarse = (size_at(h100(), wanted, 128, depth=depth) for depth in (Depth.FULL, Depth.COARSE))
    assert isinstance(full, Sizing)
    assert isinstance(coarse, Sizing)
    assert full.duration_s.p50 <= coarse.duration_s.p50
    assert full.candidates > coarse.candidates
    assert coarse.alternatives == ()
