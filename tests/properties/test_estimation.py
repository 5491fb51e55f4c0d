"""Properties that hold for any layout, job and device."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.estimation.estimation_cases import (
    LLAMA2_7B,
    catalogue,
    h100,
    layout,
    model,
    plain_device,
    problem,
    requirement,
    workload,
)

from suanli.domain.scaling import architecture_from_parameters
from suanli.domain.transformer import count_parameters, lora_parameters
from suanli.domain.workload import LayoutPins, Offload, Recompute, SolveFor, Task, VendorChoice
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.collectives import ring_all_reduce_s
from suanli.estimation.devices import candidate_devices
from suanli.estimation.flops import model_profile
from suanli.estimation.goodput import goodput
from suanli.estimation.grid import frames, grid_of
from suanli.estimation.memory import local_parameters, memory
from suanli.estimation.memory import peak_bytes as grid_peaks
from suanli.estimation.ranking import TIE, Pool, choose
from suanli.estimation.recipes import RECIPES, static_bytes_per_device
from suanli.estimation.results import Device, Layout, Sizing
from suanli.estimation.search import search
from suanli.estimation.sizing import size_at
from suanli.estimation.space import COARSE, FULL, Depth, levels, state_options
from suanli.estimation.step_time import step_arrays

if TYPE_CHECKING:
    from random import Random

    from suanli.domain.architecture import Architecture

powers = st.sampled_from([1, 2, 4, 8])


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    pp = draw(powers)
    return layout(
        tp=draw(powers),
        pp=pp,
        cp=draw(st.sampled_from([1, 2])),
        dp=draw(st.integers(1, 64)),
        micro_batch_size=draw(powers),
        micro_batches=pp * draw(st.integers(1, 16)),
        virtual_pipeline=draw(st.sampled_from([1, 2])) if pp > 1 else 1,
        recompute=draw(st.sampled_from(list(Recompute))),
        zero_stage=draw(st.integers(0, 2)),
    )


PROBLEMS = {
    "dense": problem(h100(), model("llama-3-8b"), workload(global_batch_size=128)),
    "routed": problem(h100(), model("mixtral-8x7b"), workload(global_batch_size=128)),
    "latent": problem(h100(), model("deepseek-v2-lite"), workload(global_batch_size=128)),
    "fully sharded": problem(h100("torchtitan"), model("llama-3-8b"), workload(global_batch_size=128)),
    "four bit": problem(h100(), LLAMA2_7B, workload(task=Task.QLORA, lora_rank=16, global_batch_size=64)),
}
names = st.sampled_from(list(PROBLEMS))


def peak_bytes(
    one: Layout, shape: Architecture = LLAMA2_7B, task: Task = Task.PRETRAIN, sequence: int = 4096
) -> float:
    posed = problem(plain_device(), shape, workload(task=task, sequence_length=sequence))
    return float(memory(posed, LayoutArrays.of(one)).total[0])


@given(layouts(), st.sampled_from([1024, 4096, 16384]))
def test_memory_rises_with_the_sequence(one: Layout, sequence: int) -> None:
    assert peak_bytes(one, sequence=2 * sequence) > peak_bytes(one, sequence=sequence)


@given(layouts())
def test_memory_rises_with_the_micro_batch(one: Layout) -> None:
    assert peak_bytes(replace(one, micro_batch_size=2 * one.micro_batch_size)) > peak_bytes(one)


@given(layouts())
def test_memory_falls_with_tensor_parallelism(one: Layout) -> None:
    assert peak_bytes(replace(one, tp=2 * one.tp)) < peak_bytes(one)


@given(layouts())
def test_states_fall_with_pipeline_stages(one: Layout) -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload())
    more = replace(one, pp=2 * one.pp, micro_batches=2 * one.micro_batches)
    few, many = memory(posed, LayoutArrays.of(one, more)).weights
    assert many < few


@given(layouts())
def test_each_level_of_recomputation_needs_less_memory_and_more_time(one: Layout) -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload())
    levels = LayoutArrays.of(*(replace(one, recompute=mode) for mode in Recompute))
    kept, selective, full = memory(posed, levels).total
    assert selective < kept
    assert full < kept * 1.001
    times = [float(t) for t in step_arrays(posed, levels).total_s]
    assert times == sorted(times)


@given(layouts(), st.sampled_from([Task.PRETRAIN, Task.LORA]))
def test_no_step_is_faster_than_the_peak_allows(one: Layout, task: Task) -> None:
    job = workload(task=task)
    posed = problem(plain_device(), LLAMA2_7B, job)
    tokens = one.micro_batch_size * one.micro_batches * one.dp * job.sequence_length
    bound = model_profile(LLAMA2_7B, job).flops_per_token * tokens / (one.devices * 400e12)
    assert step_arrays(posed, LayoutArrays.of(one)).total_s[0] > bound


@given(layouts())
def test_four_bit_needs_less_than_lora_and_lora_less_than_full_training(one: Layout) -> None:
    qlora, lora, full = (peak_bytes(one, task=task) for task in (Task.QLORA, Task.LORA, Task.FULL_FINETUNE))
    assert qlora < lora < full


@given(st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4, 8, 16]))
def test_sharded_parameters_add_up_to_the_whole(tp: int, pp: int) -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload())
    arrays = LayoutArrays.of(layout(tp=tp, pp=pp))
    counts = posed.counts
    if pp == 1:
        total = tp * local_parameters(posed, arrays, last=False).dense[0]
        assert total == counts.total
        return
    first, last = (tp * local_parameters(posed, arrays, last=end).dense[0] for end in (False, True))
    middle = counts.layers // pp * counts.dense_layer * (pp - 2)
    assert first + last + middle == counts.total - counts.final_norm


@given(st.floats(1e8, 1e12), st.sampled_from(list(RECIPES)), st.integers(1, 4096))
def test_static_memory_falls_with_every_zero_stage_and_shard(
    parameters: float, name: str, shards: int
) -> None:
    recipe = RECIPES[name]
    stages = [static_bytes_per_device(parameters, recipe, stage, shards) for stage in range(4)]
    assert stages == sorted(stages, reverse=True)
    assert stages[3] * shards <= stages[0] * (1 + 1e-9)
    assert static_bytes_per_device(parameters, recipe, 3, 2 * shards) < stages[3] * (1 + 1e-9)


@given(st.floats(1e6, 1e12), st.floats(1e9, 1e12), st.integers(2, 4096))
def test_a_ring_never_moves_more_than_twice_the_message(size_bytes: float, rate: float, ranks: int) -> None:
    time = ring_all_reduce_s(size_bytes, rate, ranks)
    assert size_bytes / rate <= time * (1 + 1e-12)
    assert time < 2 * size_bytes / rate


@given(st.integers(1, 10**6), st.floats(60, 1e8))
def test_goodput_is_a_share_that_falls_with_the_cluster(accelerators: int, seconds: float) -> None:
    small, large = (goodput(n, seconds, 7e9).share for n in (accelerators, 2 * accelerators))
    assert 0 < large < small < 1


@given(st.integers(1, 512))
def test_adapters_grow_with_their_rank_and_stay_below_the_model(rank: int) -> None:
    assert lora_parameters(LLAMA2_7B, rank) == rank * lora_parameters(LLAMA2_7B, 1)
    assert lora_parameters(LLAMA2_7B, rank) < count_parameters(LLAMA2_7B).total


@settings(deadline=None, max_examples=30)
@given(st.floats(0.5e9, 1e12))
def test_any_stated_count_gets_a_shape_that_reproduces_it(count: float) -> None:
    shape = architecture_from_parameters(count)
    assert abs(count_parameters(shape).total / count - 1) <= 0.01
    assert shape.attention_heads % shape.kv_heads == 0


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 40), st.integers(1, 40))
def test_more_accelerators_never_lengthen_a_feasible_run(nodes: int, more: int) -> None:
    wanted = requirement(model("llama-3-8b"), workload(), SolveFor.DAYS)
    few, many = (size_at(h100(), wanted, 8 * n) for n in (nodes, nodes + more))
    assert isinstance(few, Sizing)
    assert isinstance(many, Sizing)
    assert many.duration_s.p50 <= few.duration_s.p50 * 1.001


@settings(deadline=None, max_examples=20)
@given(layouts(), layouts(), layouts())
def test_the_order_of_candidates_changes_nothing(one: Layout, two: Layout, three: Layout) -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload())
    forward = step_arrays(posed, LayoutArrays.of(one, two, three)).total_s.tolist()
    backward = step_arrays(posed, LayoutArrays.of(three, two, one)).total_s.tolist()
    assert forward == backward[::-1]


@settings(deadline=None, max_examples=10)
@given(st.permutations(["h100-sxm", "ascend-910b2", "mi300x", "h200-sxm"]))
def test_the_order_in_which_devices_are_named_changes_nothing(names: list[str]) -> None:
    wanted = requirement(LLAMA2_7B, workload(), vendors=VendorChoice(("nvidia",), tuple(names)))
    found = [one.key for one in candidate_devices(wanted, catalogue()) if isinstance(one, Device)]
    assert found == sorted(found)
    assert len(found) == 4


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 512), st.integers(8, 2048))
def test_the_search_never_uses_more_devices_than_there_are(devices: int, batch: int) -> None:
    posed = problem(h100(), LLAMA2_7B, workload(global_batch_size=batch))
    found = search(posed, devices)
    if found.layouts is not None:
        assert found.layouts.devices[0] <= devices
        assert abs(found.layouts.batch_size[0] / batch - 1) <= 0.05


@settings(deadline=None, max_examples=30)
@given(names, st.sampled_from([8, 16, 24, 64]), st.sampled_from(list(Offload)), st.data())
def test_a_grid_and_a_single_layout_agree(
    name: str, devices: int, offload: Offload, data: st.DataObject
) -> None:
    posed = PROBLEMS[name]
    weights = offload is Offload.WEIGHTS
    pins = LayoutPins(offload=offload, zero_stage=3 if weights else None, pp=1 if weights else None)
    found = frames(posed, devices, pins, FULL, {})
    at = data.draw(st.lists(st.integers(0, len(found) - 1), min_size=1, max_size=6))
    part = found.take(np.array(at))
    options = state_options(posed, FULL, pins, offload=False)
    grid = grid_of(
        posed, part, options, levels(None, pins, part.stage_layers), without_sequence_parallel=True
    )
    peaks = np.broadcast_to(grid_peaks(posed, grid.layouts), grid.shape).ravel()
    times = np.broadcast_to(step_arrays(posed, grid.layouts).total_s, grid.shape).ravel()
    valid = np.flatnonzero(grid.valid)
    assert len(valid) > 0
    for pick in data.draw(st.lists(st.integers(0, len(valid) - 1), min_size=1, max_size=8)):
        index = int(valid[pick])
        alone = grid.layouts.at(index)
        again = LayoutArrays.of(alone.layout(0))
        for one in (alone, again):
            assert np.isclose(memory(posed, one).total[0], peaks[index], rtol=1e-9, atol=0)
            assert np.isclose(step_arrays(posed, one).total_s[0], times[index], rtol=1e-9, atol=0)


@settings(deadline=None, max_examples=20)
@given(names, st.sampled_from([8, 32]), st.randoms(use_true_random=False))
def test_the_order_of_blocks_and_frames_changes_no_choice(name: str, devices: int, random: Random) -> None:
    posed = PROBLEMS[name]
    found = frames(posed, devices, LayoutPins(cp=1), COARSE, {})
    order = np.array(random.sample(range(len(found)), len(found)))
    options = state_options(posed, COARSE, LayoutPins(), offload=False)
    picked = []
    for rows in (np.arange(len(found)), order):
        part = found.take(rows)
        grid = grid_of(posed, part, options, levels((), LayoutPins(), part.stage_layers))
        peak = np.broadcast_to(grid_peaks(posed, grid.layouts), grid.shape)
        rate = np.broadcast_to(grid.layouts.batch_size / step_arrays(posed, grid.layouts).total_s, grid.shape)
        pool = Pool.of(grid.layouts, np.flatnonzero(grid.valid), rate, peak)
        picked.append(pool.layouts.layout(choose(pool, devices, 128, 1e12)))
    assert picked[0] == picked[1]


@given(layouts(), st.integers(1, 31))
def test_partial_recomputation_lies_between_none_and_all(one: Layout, layers: int) -> None:
    posed = problem(plain_device(), LLAMA2_7B, workload())
    stage = -(-32 // (one.pp * one.virtual_pipeline)) * one.virtual_pipeline
    some = replace(one, recompute=Recompute.FULL, recompute_layers=min(layers, stage))
    arrays = LayoutArrays.of(
        replace(one, recompute=Recompute.NONE), some, replace(one, recompute=Recompute.FULL)
    )
    none_s, some_s, all_s = step_arrays(posed, arrays).total_s
    assert none_s < some_s <= all_s * (1 + 1e-12)
    none, part, full = memory(posed, arrays).total
    # One layer is computed again at a time and exists in full beside what is kept.
    working = memory(posed, LayoutArrays.of(replace(one, recompute=Recompute.FULL))).activations[0]
    assert full <= part * (1 + 1e-12)
    assert part <= none + working


@settings(deadline=None, max_examples=25)
@given(names, st.sampled_from([8, 64, 96]), st.integers(1, 64))
def test_more_devices_never_make_the_search_slower(name: str, devices: int, more: int) -> None:
    posed = PROBLEMS[name]
    few, many = (search(posed, n).tokens_factor for n in (devices, devices + more))
    assert many >= few * (1 - TIE)


@settings(deadline=None, max_examples=6)
@given(names, st.sampled_from([8, 16]), st.integers(1, 16))
def test_more_devices_never_make_the_full_search_slower(name: str, devices: int, more: int) -> None:
    posed = PROBLEMS[name]
    few, many = (search(posed, n, depth=Depth.FULL).tokens_factor for n in (devices, devices + more))
    assert many >= few * (1 - TIE)


@settings(deadline=None, max_examples=40)
@given(names, layouts())
def test_no_part_of_a_step_beats_its_roofline(name: str, one: Layout) -> None:
    posed = PROBLEMS[name]
    alone = LayoutArrays.of(replace(one, zero_stage=1))
    step = step_arrays(posed, alone)
    c, profile = posed.constants, posed.profile
    tokens = float(alone.batch_size[0]) * posed.workload.sequence_length
    compute_s = profile.flops_per_token * tokens / (float(c.peak_flops_per_s) * one.devices)
    assert step.compute_s[0] > compute_s
    # The optimizer reads and writes at least the trained parameters of the device once.
    local = local_parameters(posed, alone, last=False)
    trained = float(posed.model.adapter_share) * (local.dense + local.experts)[0]
    assert step.optimizer_s[0] > 8 * trained / float(c.hbm_bytes_per_s) * (one.zero_stage < 3)
    for part in fields(step):
        assert getattr(step, part.name).min() >= 0
