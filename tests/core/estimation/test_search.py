from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.estimation.estimation_cases import (
    LLAMA2_7B,
    ascend,
    device,
    h100,
    model,
    plain_device,
    problem,
    workload,
)

from suanli.domain.workload import LayoutPins, Offload, Recompute, Task
from suanli.estimation.memory import memory, usable_memory
from suanli.estimation.ranking import TIE
from suanli.estimation.search import Limits, Search, search
from suanli.estimation.space import BATCH_TOLERANCE, Depth
from suanli.estimation.step_time import step_arrays

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture
    from suanli.estimation.problem import Problem
    from suanli.estimation.results import Layout

SEVENTY = problem(h100(), model("llama-3-70b"), workload(global_batch_size=1024))


def best(devices: int, pins: LayoutPins | None = None) -> Layout:
    found = search(SEVENTY, devices, Limits(pins or LayoutPins()))
    assert found.layouts is not None
    return found.layouts.layout(0)


def test_the_layout_uses_the_devices_divides_the_model_and_meets_the_batch() -> None:
    layout = best(512)
    assert layout.devices == 512
    assert 64 % layout.tp == 0
    assert layout.tp <= 8
    assert layout.micro_batch_size * layout.micro_batches * layout.dp == pytest.approx(
        1024, rel=BATCH_TOLERANCE
    )
    if layout.virtual_pipeline > 1:
        assert layout.micro_batches % layout.pp == 0


def test_the_layout_fits_in_memory_less_the_reserve() -> None:
    found = search(SEVENTY, 256)
    assert found.layouts is not None
    usable, _ = usable_memory(SEVENTY.device.accelerator)
    assert found.least_bytes <= usable * 0.9


def test_pins_are_followed() -> None:
    layout = best(
        512, LayoutPins(tp=8, pp=8, micro_batch_size=2, recompute=Recompute.FULL, virtual_pipeline=2)
    )
    assert (layout.tp, layout.pp, layout.micro_batch_size, layout.virtual_pipeline) == (8, 8, 2, 2)
    assert layout.recompute is Recompute.FULL


def test_no_pin_makes_a_run_faster() -> None:
    free = search(SEVENTY, 512).tokens_factor
    for pins in (LayoutPins(tp=1), LayoutPins(pp=16), LayoutPins(cp=2), LayoutPins(recompute=Recompute.FULL)):
        assert search(SEVENTY, 512, Limits(pins)).tokens_factor <= free * 1.01


def test_every_candidate_is_accounted_for_by_reason() -> None:
    found = search(SEVENTY, 32)
    assert found.candidates > 100
    assert found.rejected["memory"] > 0
    assert found.rejected["cp-sequence"] > 0
    assert all(count >= 0 for count in found.rejected.values())


def test_where_nothing_fits_the_least_memory_is_known() -> None:
    found = search(SEVENTY, 8)
    assert found.layouts is None
    assert found.tokens_factor == 0
    assert found.least_bytes > usable_memory(SEVENTY.device.accelerator)[0]


def test_a_stack_that_shards_weights_uses_data_parallelism_alone() -> None:
    posed = problem(h100("llm-foundry"), LLAMA2_7B, workload())
    found = search(posed, 64)
    assert found.layouts is not None
    layout = found.layouts.layout(0)
    assert (layout.tp, layout.pp, layout.zero_stage) == (1, 1, 3)


def test_a_pipeline_under_zero_three_needs_a_stack_that_supports_it() -> None:
    pins = Limits(LayoutPins(pp=4, zero_stage=3))
    refused = search(SEVENTY, 256, pins)
    assert refused.layouts is None
    assert refused.rejected["zero-pipeline"] > 0
    allowed = search(problem(h100("torchtitan"), model("llama-3-70b"), workload()), 256, pins)
    assert allowed.layouts is not None


def test_tensor_parallelism_stays_inside_the_scale_up_domain() -> None:
    posed = problem(device("ascend-910b1", "atlas-900-a2-pod", "mindspeed"), model("llama-3-70b"), workload())
    found = search(posed, 256)
    assert found.layouts is not None
    assert found.layouts.layout(0).tp <= 8


def test_a_limit_on_exposed_communication_is_kept() -> None:
    posed = problem(ascend(), model("llama-2-70b"), workload())
    free = search(posed, 256)
    assert free.step is not None
    share = float(free.step.communication_share[0])
    quiet = search(posed, 256, Limits(exposed_communication_max=share * 0.9))
    assert quiet.step is not None
    assert quiet.step.communication_share[0] <= share * 0.9
    assert quiet.rejected["exposed-communication"] > 0


def test_experts_are_spread_over_ranks_that_divide_them() -> None:
    posed = problem(h100(), model("deepseek-v3"), workload(global_batch_size=15360))
    found = search(posed, 2048)
    assert found.layouts is not None
    layout = found.layouts.layout(0)
    assert 256 % layout.ep == 0
    assert layout.ep > 1
    assert (layout.dp * layout.cp) % layout.ep == 0


SMALL = LLAMA2_7B.model_copy(update={"layers": 12})
CASES: dict[str, tuple[Problem, int, LayoutPins]] = {
    "dense": (problem(h100(), SMALL, workload(global_batch_size=96)), 24, LayoutPins()),
    "dense, tight": (problem(h100(), model("llama-3-70b"), workload(global_batch_size=64)), 64, LayoutPins()),
    "routed": (problem(h100(), model("mixtral-8x7b"), workload(global_batch_size=64)), 64, LayoutPins(pp=4)),
    "fully sharded": (problem(h100("llm-foundry"), LLAMA2_7B, workload()), 32, LayoutPins()),
    "sharded with a pipeline": (
        problem(h100("torchtitan"), LLAMA2_7B, workload(global_batch_size=64)),
        16,
        LayoutPins(tp=2),
    ),
    "adapters": (problem(h100(), LLAMA2_7B, workload(task=Task.LORA, lora_rank=16)), 8, LayoutPins(cp=1)),
    "pinned": (
        problem(h100(), model("llama-3-70b"), workload(global_batch_size=64)),
        64,
        LayoutPins(recompute_layers=3, sequence_parallel=False, shard_group=2, virtual_pipeline=2),
    ),
}


@pytest.mark.parametrize(("posed", "devices", "pins"), CASES.values(), ids=CASES)
def test_bounds_leave_out_nothing_that_an_exhaustive_search_finds(
    posed: Problem, devices: int, pins: LayoutPins
) -> None:
    bounded = search(posed, devices, Limits(pins), Depth.FULL)
    every = search(posed, devices, Limits(pins), Depth.FULL, exhaustive=True)
    assert every.evaluated == every.candidates == bounded.candidates > 0
    assert bounded.tokens_factor == pytest.approx(every.tokens_factor, rel=1e-9)
    assert chosen(bounded) == chosen(every)
    assert [one.layout for one in bounded.pareto] == [one.layout for one in every.pareto]
    assert bounded.least_bytes == pytest.approx(every.least_bytes, rel=1e-9)
    assert bounded.rejected["memory"] <= every.rejected["memory"]


def chosen(found: Search) -> Layout:
    assert found.layouts is not None
    return found.layouts.layout(0)


@pytest.mark.parametrize(("posed", "devices", "pins"), CASES.values(), ids=CASES)
def test_a_greater_depth_is_never_slower_and_holds_the_one_before(
    posed: Problem, devices: int, pins: LayoutPins
) -> None:
    coarse, regular, full = (search(posed, devices, Limits(pins), depth) for depth in Depth)
    assert full.tokens_factor >= regular.tokens_factor * (1 - TIE)
    assert regular.tokens_factor >= coarse.tokens_factor
    assert full.candidates > regular.candidates > coarse.candidates
    assert full.least_bytes <= regular.least_bytes * (1 + 1e-12) <= coarse.least_bytes * (1 + 2e-12)


def test_the_regular_space_has_stages_that_divide_the_layers_or_are_powers_of_two() -> None:
    found = search(SEVENTY, 256, depth=Depth.REGULAR)
    for point in found.pareto:
        assert 80 % point.layout.pp == 0 or point.layout.pp & (point.layout.pp - 1) == 0


@pytest.mark.parametrize(("posed", "devices", "pins"), CASES.values(), ids=CASES)
def test_what_is_chosen_has_the_memory_and_time_of_the_estimate(
    posed: Problem, devices: int, pins: LayoutPins
) -> None:
    found = search(posed, devices, Limits(pins), Depth.FULL)
    assert found.layouts is not None
    peak, step = (
        float(memory(posed, found.layouts).total[0]),
        float(step_arrays(posed, found.layouts).total_s[0]),
    )
    assert peak <= found.allowed_bytes
    assert found.tokens_factor == pytest.approx(float(found.layouts.batch_size[0]) / step, rel=1e-9)


def test_no_layout_beside_the_chosen_one_is_beaten_by_another() -> None:
    points = search(SEVENTY, 256, depth=Depth.FULL).pareto
    assert len(points) > 3
    rates, peaks = [one.tokens_per_s for one in points], [one.memory_bytes for one in points]
    assert rates == sorted(rates, reverse=True)
    assert peaks == sorted(peaks, reverse=True)


@pytest.mark.parametrize(
    ("pins", "name", "value"),
    [
        (LayoutPins(recompute_layers=5), "recompute_layers", 5),
        (LayoutPins(shard_group=4), "shard_group", 4),
        (LayoutPins(offload=Offload.OPTIMIZER), "offload", Offload.OPTIMIZER),
        (LayoutPins(tp=4, sequence_parallel=False), "sequence_parallel", False),
        (LayoutPins(zero_stage=0), "zero_stage", 0),
        (LayoutPins(virtual_pipeline=4), "virtual_pipeline", 4),
    ],
)
@pytest.mark.parametrize("depth", Depth)
def test_every_dimension_can_be_pinned(pins: LayoutPins, name: str, value: object, depth: Depth) -> None:
    found = search(SEVENTY, 512, Limits(pins), depth)
    assert getattr(chosen(found), name) == value


def test_a_group_of_shards_that_divides_no_ranks_is_counted() -> None:
    found = search(SEVENTY, 64, Limits(LayoutPins(tp=8, pp=8, cp=1, shard_group=3)))
    assert found.layouts is None
    assert found.rejected["shard-group"] > 0


def test_host_memory_is_used_only_where_it_may_and_nothing_fits_without() -> None:
    crowded = problem(h100(), model("llama-2-70b"), workload(global_batch_size=64))
    assert search(crowded, 8).layouts is None
    allowed = Limits(offload=True)
    found = search(crowded, 8, allowed)
    assert chosen(found).offload is Offload.OPTIMIZER
    assert found.candidates > search(crowded, 8).candidates
    assert chosen(search(SEVENTY, 512, allowed)).offload is Offload.NONE


def test_host_memory_that_is_not_known_holds_nothing() -> None:
    known = problem(plain_device(), model("llama-2-70b"), workload(global_batch_size=64))
    assert known.device.server.host_memory is None
    assert search(known, 8, Limits(offload=True)).layouts is None


def test_what_is_missing_is_the_leanest_peak_beyond_the_allowed() -> None:
    found = search(SEVENTY, 8)
    assert found.missing_bytes == found.least_bytes - found.allowed_bytes > 0
    assert search(SEVENTY, 512).missing_bytes == 0


def test_a_tight_fit_recomputes_some_layers_rather_than_all() -> None:
    pins = LayoutPins(tp=8, pp=4, cp=1, micro_batch_size=6, virtual_pipeline=1)
    some = search(SEVENTY, 64, Limits(pins), Depth.FULL)
    every = search(SEVENTY, 64, Limits(replace(pins, recompute=Recompute.FULL)), Depth.FULL)
    assert chosen(some).recompute is not Recompute.NONE
    assert chosen(every).recompute_layers is None
    assert some.tokens_factor > every.tokens_factor


@pytest.mark.parametrize("shape", [model("llama-3.1-405b"), model("deepseek-v3")], ids=["405B", "671B"])
def test_blocks_keep_a_search_of_thousands_of_devices_small(shape: Architecture) -> None:
    posed = problem(h100(), shape, workload(global_batch_size=2048))
    tracemalloc.start()
    found = search(posed, 4096, depth=Depth.FULL)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.candidates > 1_000_000
    assert peak < 200e6
