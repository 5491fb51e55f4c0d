"""Communication that the step has to wait for: tensor, context, expert, pipeline and data parallel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from suanli.estimation.collectives import all_gather_s, all_reduce_s, all_to_all_s, group_bytes_per_s
from suanli.estimation.flops import head_widths
from suanli.estimation.memory import local_parameters

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray, LayoutArrays
    from suanli.estimation.problem import Problem

__all__ = [
    "context_parallel_s",
    "data_parallel_s",
    "expert_parallel_s",
    "fully_sharded_gather_s",
    "pipeline_transfer_s",
    "tensor_parallel_s",
]

_ATTENTION_COVER = 0.6
"""Share of attention behind which the exchange of a context-parallel ring hides."""
_EXPERT_EXPOSED = 0.11
"""Share of the expert all-to-all that stays exposed (fitted; poorly told apart from permutation and host
time)."""
_PIPELINE_EXPOSED = 0.28
_ZERO3, _ZERO2 = 3, 2
_WEIGHT_BYTES = 2


def tensor_parallel_s(problem: Problem, layouts: LayoutArrays, *, routed: bool) -> FloatArray:
    """Return the exposed time of tensor parallelism of one layer's forward pass.

    Equation: n · [2(tp − 1)/tp · 2Th/busbw + 2α·log₂tp] · (1 − hidden), n = 2 all-reduces, one after
    attention and one after the feed-forward block. Experts spread by ep > 1 work on the local shard of the
    sequence and need none.

    Source: Shoeybi et al., "Megatron-LM", 2019, section 3; with sequence parallelism the volume is the same
    (Korthikanti et al., 2022).
    """
    c, moe, tp = problem.constants, problem.architecture.moe, layouts.tp
    size = 2 * problem.tokens(layouts) * problem.architecture.hidden_size
    bus = group_bytes_per_s(c, tp, np.ones_like(tp))
    # tp ranks are neighbours, so the group never leaves the domain (`_base` drops larger tp).
    one = all_reduce_s(size, bus, tp, c.collective_latency_s) * (1 - c.tp_hidden)
    if routed and moe is not None and not moe.shared_expert_ffn_hidden_size:
        return np.where(layouts.ep > 1, one, 2 * one)
    return 2 * one


def context_parallel_s(problem: Problem, layouts: LayoutArrays, attention: FloatArray) -> FloatArray:
    """Return the exposed time of a context-parallel ring for one layer's forward pass.

    Equation: max(0, (cp − 1) · 2T(d_q + d_v)n_kv/tp / B − 0.6 · attention). Source: Liu et al., "Ring
    Attention", 2023, section 3.
    """
    a = problem.architecture
    # Fewer key heads than tp ranks are replicated, so at least one travels.
    kv_heads = np.maximum((a.attention_heads if a.mla else a.kv_heads) / layouts.tp, 1.0)
    size = 2 * problem.tokens(layouts) * sum(head_widths(a)) * kv_heads
    bus = group_bytes_per_s(problem.constants, layouts.cp, layouts.tp)
    return np.maximum(0.0, (layouts.cp - 1) * size / bus - _ATTENTION_COVER * attention)


def expert_parallel_s(problem: Problem, layouts: LayoutArrays) -> FloatArray:
    """Return the exposed time of dispatch and combine of one routed layer's forward pass.

    Equation: 0.11 · all-to-all of 2 · 2T_l·k·h bytes, of which the share 1 − max(1, D/tp)/ep leaves the
    domain of D devices.
    """
    moe, c = problem.architecture.moe, problem.constants
    if moe is None:
        return np.zeros(len(layouts))
    # Dispatch and combine, 16 bit each.
    size = 4 * problem.tokens(layouts) / layouts.tp * moe.top_k * problem.architecture.hidden_size
    # Experts are placed on neighbouring ranks first, which keeps part of the traffic in the domain.
    outside = np.clip(1 - np.maximum(1.0, c.domain / layouts.tp) / layouts.ep, 0.0, 1.0)
    link = np.full(len(layouts), c.link_bytes_per_s)
    time = all_to_all_s(size, link, c.nic_bytes_per_s, outside)
    return np.where(layouts.ep > 1, _EXPERT_EXPOSED * time, 0.0)


def pipeline_transfer_s(problem: Problem, layouts: LayoutArrays) -> FloatArray:
    """Return the exposed transfer between stages for one micro-batch: 0.28 · 2v · 2Th/sp / B."""
    c = problem.constants
    size = 2 * problem.tokens(layouts) * problem.architecture.hidden_size / layouts.norm_split
    # Pipeline is the outermost dimension: as soon as the job spans domains, stages are in different ones.
    crossing = layouts.devices > c.domain
    bus = np.where(crossing, c.nic_bytes_per_s, c.link_bytes_per_s)
    time = 2 * layouts.virtual_pipeline * size / bus
    return np.where(layouts.pp > 1, _PIPELINE_EXPOSED * time, 0.0)


def _group_times(
    problem: Problem, layouts: LayoutArrays, dense_bytes: FloatArray, expert_bytes: FloatArray
) -> FloatArray:
    """Return the time of one all-gather of dense and expert parameters, each over its own group."""
    c = problem.constants
    ranks = layouts.shards
    dense = all_gather_s(dense_bytes, group_bytes_per_s(c, ranks, layouts.tp), ranks, c.collective_latency_s)
    if not problem.moe_layers:
        return dense
    expert_ranks = np.maximum(layouts.expert_shards, 1.0)
    inner = layouts.ep * layouts.expert_tp
    bus = group_bytes_per_s(c, expert_ranks, inner)
    return dense + all_gather_s(expert_bytes, bus, expert_ranks, c.collective_latency_s)


def data_parallel_s(problem: Problem, layouts: LayoutArrays) -> FloatArray:
    """Return the time of reducing gradients and gathering weights once per step, before overlap.

    Gradients move in the recipe's format, weights in 16 bit, over all ranks of the data- and context-parallel
    group. ZeRO-2 reduces at every micro-batch; ZeRO-3 does everything in `fully_sharded_gather_s`; adapters
    move alone.

    Source: Rajbhandari et al., "ZeRO", 2020, section 7.
    """
    local = local_parameters(problem, layouts, last=False)
    share = problem.adapter_share if problem.adapter else 1.0
    # A recipe with a 16-bit copy beside the 32-bit sum holds 6 bytes, of which only the sum is reduced.
    gradient = min(problem.recipe.gradient_bytes, 4.0)
    reduce = _group_times(problem, layouts, share * gradient * local.dense, share * gradient * local.experts)
    gather = _group_times(
        problem, layouts, share * _WEIGHT_BYTES * local.dense, share * _WEIGHT_BYTES * local.experts
    )
    times = np.where(layouts.zero_stage == _ZERO2, layouts.micro_batches, 1.0)
    moved = times * reduce + gather
    return np.where((layouts.zero_stage >= _ZERO3) & (not problem.adapter), 0.0, moved)


def fully_sharded_gather_s(problem: Problem, layouts: LayoutArrays) -> FloatArray:
    """Return the communication of one micro-batch under ZeRO-3.

    Trained weights need two gathers and one reduction in 16 bit. A frozen base needs the two gathers only, in
    its own format.

    Source: Rajbhandari et al., "ZeRO", 2020, section 7.2.2.
    """
    local = local_parameters(problem, layouts, last=False)
    size = problem.recipe.frozen_linear_bytes if problem.adapter else float(_WEIGHT_BYTES)
    passes = 2 if problem.adapter else 3
    once = _group_times(problem, layouts, size * local.dense, size * local.experts)
    return np.where((layouts.zero_stage >= _ZERO3) & (layouts.shards > 1), passes * once, 0.0)
