"""Communication that the step has to wait for: tensor, context, expert, pipeline and data parallel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from suanli.estimation.collectives import all_gather_s, all_reduce_s, all_to_all_s, group_bytes_per_s
from suanli.estimation.memory import local_parameters
from suanli.estimation.numbers import tokens

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray, LayoutArrays
    from suanli.estimation.numbers import Posed

__all__ = [
    "context_parallel_s",
    "data_parallel_s",
    "expert_parallel_s",
    "fully_sharded_gather_s",
    "pipeline_transfer_s",
    "tensor_parallel_s",
]

_ZERO3, _ZERO2 = 3, 2
_WEIGHT_BYTES = 2.0
_WEIGHTS_OFFLOADED = 2


def tensor_parallel_s(posed: Posed, layouts: LayoutArrays, *, routed: bool) -> FloatArray:
    """Return the exposed time of tensor parallelism of one layer's forward pass.

    Equation: n · [2(tp − 1)/tp · 2Th/busbw + 2α·log₂tp] · (1 − hidden), n = 2 all-reduces, one after
    attention and one after the feed-forward block. Experts spread by ep > 1 work on the local shard of the
    sequence and need none.

    Source: Shoeybi et al., "Megatron-LM", 2019, section 3; with sequence parallelism the volume is the same
    (Korthikanti et al., 2022).
    """
    c, x, tp = posed.constants, posed.model, layouts.tp
    size = 2 * tokens(posed, layouts) * x.hidden
    bus = group_bytes_per_s(c, tp, np.ones_like(tp))
    one = all_reduce_s(size, bus, tp, c.collective_latency_s) * (1 - c.tp_hidden)
    if not routed:
        return 2 * one
    return np.where((layouts.ep > 1) & (x.shared_ffn == 0), one, 2 * one)


def context_parallel_s(posed: Posed, layouts: LayoutArrays, attention: FloatArray) -> FloatArray:
    """Return the exposed time of a context-parallel ring for one layer's forward pass.

    Equation: max(0, (cp − 1) · 2T(d_q + d_v)n_kv/tp / B − cover · attention). Source: Liu et al., "Ring
    Attention", 2023, section 3.
    """
    x = posed.model
    # Fewer key heads than tp ranks are replicated, so at least one travels.
    kv_heads = np.maximum(x.kv_heads / layouts.tp, 1.0)
    size = 2 * tokens(posed, layouts) * (x.query_width + x.value_width) * kv_heads
    bus = group_bytes_per_s(posed.constants, layouts.cp, layouts.tp)
    return np.maximum(0.0, (layouts.cp - 1) * size / bus - posed.shared.attention_cover * attention)


def expert_parallel_s(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the exposed time of dispatch and combine of one routed layer's forward pass.

    Equation: exposed share · all-to-all of 2 · 2T_l·k·h bytes, of which 1 − min(D, ep)/ep leaves the domain
    of D devices.
    """
    c, x = posed.constants, posed.model
    # Dispatch and combine, 16 bit each.
    size = 4 * tokens(posed, layouts) / layouts.tp * x.copies * x.hidden
    # Experts are placed on neighbouring ranks first, which keeps part of the traffic in the domain.
    outside = 1 - np.minimum(c.domain, layouts.ep) / layouts.ep
    time = all_to_all_s(size, c.link_bytes_per_s, c.nic_bytes_per_s, outside)
    return np.where(layouts.ep > 1, posed.shared.expert_exposed * time, 0.0)


def pipeline_transfer_s(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the exposed transfer between stages for one micro-batch: exposed share · 2v · 2Th/sp / B."""
    c = posed.constants
    size = 2 * tokens(posed, layouts) * posed.model.hidden / layouts.norm_split
    # Pipeline is the outermost dimension: as soon as the job spans domains, stages are in different ones.
    crossing = layouts.devices > c.domain
    bus = np.where(crossing, c.nic_bytes_per_s, c.link_bytes_per_s)
    time = np.where(layouts.pp > 1, posed.shared.pipeline_exposed * 2 * size / bus, 0.0)
    return time * layouts.virtual_pipeline


def _gather_s(
    posed: Posed, layouts: LayoutArrays, bytes_per_parameter: FloatArray, *, sharded: bool
) -> FloatArray:
    """Return the time of one all-gather of dense and expert parameters, each over its own group.

    The group is all ranks that hold the same parameters, or those that share one copy of the states.
    """
    c, local = posed.constants, local_parameters(posed, layouts, last=False)
    ranks = layouts.shards if sharded else layouts.replicas
    bus = group_bytes_per_s(c, ranks, layouts.tp)
    dense = all_gather_s(bytes_per_parameter * local.dense, bus, ranks, c.collective_latency_s)
    if not np.any(posed.model.moe_layers):
        return dense
    ranks = layouts.expert_shards if sharded else layouts.expert_replicas
    bus = group_bytes_per_s(c, ranks, layouts.ep * layouts.expert_tp)
    experts = all_gather_s(bytes_per_parameter * local.experts, bus, ranks, c.collective_latency_s)
    return dense + np.where(posed.model.moe_layers > 0, experts, 0.0)


def data_parallel_s(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the time of reducing gradients and gathering weights once per step, before overlap.

    Gradients move in the recipe's format, weights in 16 bit, over all ranks of the data- and context-parallel
    group. Without ZeRO gradients are all-reduced, which moves them twice, and no weights follow; stacks from
    before fused attention reduce them in 16 bit. ZeRO-2 reduces at every micro-batch; ZeRO-3 does everything
    in `fully_sharded_gather_s`; adapters move alone.

    Source: Rajbhandari et al., "ZeRO", 2020, section 7.
    """
    x = posed.model
    # A recipe with a 16-bit copy beside the 32-bit sum holds 6 bytes, of which only the sum is reduced.
    widest = np.where(posed.constants.unfused > 0, 2.0, 4.0)
    gradient = np.minimum(posed.recipe_numbers.gradient_bytes, widest)
    times = np.where(layouts.zero_stage == _ZERO2, layouts.micro_batches, 1.0)
    reduce = _gather_s(posed, layouts, x.adapter_share * gradient, sharded=False)
    gather = _gather_s(posed, layouts, x.adapter_share * _WEIGHT_BYTES, sharded=False)
    moved = np.where(layouts.zero_stage > 0, times * reduce + gather, 2 * reduce)
    return np.where((layouts.zero_stage >= _ZERO3) & (x.adapter == 0), 0.0, moved)


def fully_sharded_gather_s(posed: Posed, layouts: LayoutArrays) -> FloatArray:
    """Return the communication of one micro-batch under ZeRO-3.

    Trained weights need two gathers and one reduction in 16 bit. A frozen base needs the two gathers only, in
    its own format. Ranks that share a copy of the states gather among themselves; gradients are reduced over
    all.

    Source: Rajbhandari et al., "ZeRO", 2020, section 7.2.2; Zhao et al., "PyTorch FSDP", 2023, section 3.2.2.
    """
    if not np.any(layouts.zero_stage >= _ZERO3):
        return np.zeros(np.shape(layouts.zero_stage))
    trained = posed.model.passes_of_weights
    size = np.where(trained > 0, _WEIGHT_BYTES, posed.recipe_numbers.frozen_linear_bytes)
    gather = _gather_s(posed, layouts, size, sharded=True)
    reduce = _gather_s(posed, layouts, size, sharded=False) if np.any(trained) else gather
    active = (layouts.zero_stage >= _ZERO3) & (layouts.replicas > 1)
    moved = np.where(active, 2 * gather + trained * reduce, 0.0)
    if not np.any(layouts.offload >= _WEIGHTS_OFFLOADED):
        return moved
    # Each rank fetches its own shard from host memory for both passes before the others can gather it.
    local = local_parameters(posed, layouts, last=False)
    own = size * (local.dense / layouts.shards + local.experts / layouts.expert_shards)
    fetched = 2 * own / posed.constants.host_bytes_per_s
    return moved + np.where(layouts.offload >= _WEIGHTS_OFFLOADED, fetched, 0.0)
