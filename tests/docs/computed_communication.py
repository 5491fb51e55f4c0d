"""What the code computes for the worked examples on communication and the pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from tests.architectures import DEEPSEEK_V3, LLAMA_2_7B, LLAMA_3_70B
from tests.docs.at_rest import constants, first, layouts, posed, shared

from suanli.estimation.collectives import (
    all_gather_s,
    all_reduce_s,
    all_to_all_s,
    group_bytes_per_s,
    ring_all_reduce_s,
)
from suanli.estimation.exposed import (
    context_parallel_s,
    data_parallel_s,
    expert_parallel_s,
    fully_sharded_gather_s,
    pipeline_transfer_s,
    tensor_parallel_s,
)
from suanli.estimation.layer_time import attention_s
from suanli.estimation.memory import local_parameters
from suanli.estimation.numbers import stage_layers, tokens
from suanli.estimation.space import balanced
from suanli.estimation.step_time import bubble_share, step_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def all_reduce() -> dict[str, float]:
    size, bus, latency = np.array(14e9), np.array(100e9), np.array(20e-6)
    return {
        "over_8": float(all_reduce_s(size, bus, np.array(8.0), latency)),
        "over_256": float(all_reduce_s(size, bus, np.array(256.0), latency)),
        "gather_over_8": float(all_gather_s(size, bus, np.array(8.0), latency)),
        "ring_over_256": ring_all_reduce_s(14e9, 100e9, 256, 20e-6),
    }


def group_bandwidth() -> dict[str, float]:
    device = constants(link_bytes_per_s=150e9, domain_bytes_per_s=150e9, nic_bytes_per_s=25e9)
    return {
        f"with_tp_{tp}": float(group_bytes_per_s(device, np.array(16.0), np.array(float(tp))))
        for tp in (2, 8)
    }


def mesh() -> dict[str, float]:
    device = constants(link_bytes_per_s=140e9, domain_bytes_per_s=140e9, mesh=1.0)
    return {
        name: float(group_bytes_per_s(device, np.array(ranks), np.array(1.0)))
        for name, ranks in (("two", 2.0), ("four", 4.0), ("eight", 8.0))
    }


def tensor_parallel() -> dict[str, float]:
    rates = {"link_bytes_per_s": 200e9, "domain_bytes_per_s": 200e9, "collective_latency_s": 15e-6}

    def forward(hidden: float) -> float:
        device = constants(**rates, tp_hidden=hidden)
        problem = posed(LLAMA_3_70B, sequence_length=8192, device=device)
        return first(tensor_parallel_s(problem, layouts(tp=8), routed=False))

    return {"one": forward(0.0) / 2, "forward": forward(0.40)}


def context_ring() -> dict[str, float]:
    spread, common = layouts(tp=8, cp=16), shared(attention_cover=0.6)

    def ring(port: float, *, covered: bool) -> float:
        device = constants(peak16_flops_per_s=400e12, nic_bytes_per_s=port)
        problem = posed(LLAMA_3_70B, sequence_length=131072, device=device, common=common)
        attention = attention_s(problem, spread) if covered else np.array(0.0)
        return first(context_parallel_s(problem, spread, attention))

    whole = posed(LLAMA_3_70B, sequence_length=131072, device=constants(peak16_flops_per_s=400e12))
    return {
        "tokens": first(tokens(whole, spread)),
        "attention": first(attention_s(whole, spread)),
        "ring": ring(25e9, covered=False),
        "exposed": ring(25e9, covered=True),
        "slow_ring": ring(1e9, covered=False),
        "slow_exposed": ring(1e9, covered=True),
    }


def expert_all_to_all() -> dict[str, float]:
    rates = constants(link_bytes_per_s=200e9, nic_bytes_per_s=50e9)
    spread = layouts(dp=64, ep=64)
    problem = posed(DEEPSEEK_V3, device=rates, common=shared(expert_exposed=0.10))
    link_only = posed(DEEPSEEK_V3, device=constants(link_bytes_per_s=200e9))
    port_only = posed(DEEPSEEK_V3, device=constants(nic_bytes_per_s=50e9))
    size = np.array(4.0 * 4096 * 8 * 7168)
    both = all_to_all_s(size, rates.link_bytes_per_s, rates.nic_bytes_per_s, np.array(0.875))
    assert float(both) == first(expert_parallel_s(problem, spread)) / 0.10
    return {
        "by_link": first(expert_parallel_s(link_only, spread)),
        "by_port": first(expert_parallel_s(port_only, spread)),
        "exposed": first(expert_parallel_s(problem, spread)),
    }


def pipeline_transfers() -> dict[str, float]:
    problem = posed(
        LLAMA_3_70B,
        sequence_length=8192,
        device=constants(nic_bytes_per_s=25e9),
        common=shared(pipeline_exposed=0.3),
    )
    spread = layouts(tp=8, pp=4, virtual_pipeline=2, micro_batches=8)
    return {"exposed": first(pipeline_transfer_s(problem, spread))}


def data_parallel() -> dict[str, float]:
    spread = layouts(tp=8, pp=4, dp=32, micro_batches=16)
    rates = {"peak_flops_per_s": 500e12, "nic_bytes_per_s": 25e9}

    def exposed(cover: float, hidden: float) -> float:
        problem = posed(
            LLAMA_3_70B,
            sequence_length=8192,
            device=constants(**rates, dp_hidden=hidden),
            common=shared(dp_cover=cover, pipeline_exposed=0.0),
        )
        return first(step_arrays(problem, spread).dp_exposed_s)

    problem = posed(LLAMA_3_70B, sequence_length=8192, device=constants(**rates))
    once = first(data_parallel_s(problem, spread))
    return {
        "local": first(local_parameters(problem, spread, last=False).dense),
        "once": once,
        "one_pass": (once - exposed(0.9, 1.0)) / 0.9,
        "hidden": once - exposed(0.9, 0.7),
        "exposed": exposed(0.9, 0.7),
    }


def zero_3_gathers() -> dict[str, float]:
    spread = layouts(dp=64, zero_stage=3)
    rates = {"link_bytes_per_s": 200e9, "domain_bytes_per_s": 200e9, "nic_bytes_per_s": 20e9}
    flat = {"peak_flops_per_s": 500e12, "peak16_flops_per_s": 500e12, "attention_efficiency": 1e15}
    problem = posed(LLAMA_2_7B, device=constants(**rates, **flat, fsdp_contention=0.2))
    step = step_arrays(problem, spread)
    communication = first(fully_sharded_gather_s(problem, spread))
    return {
        "one": communication / 3,
        "communication": communication,
        "compute": first(step.compute_s),
        "exposed": first(step.dp_exposed_s),
    }


def hybrid_gathers() -> dict[str, float]:
    rates = constants(link_bytes_per_s=200e9, domain_bytes_per_s=200e9, nic_bytes_per_s=20e9)
    spread = layouts(dp=64, zero_stage=3, shard_group=8)
    return {"communication": first(fully_sharded_gather_s(posed(LLAMA_2_7B, device=rates), spread))}


def bubble() -> dict[str, float]:
    return {"plain": bubble_share(8, 56), "interleaved": bubble_share(8, 56, 4)}


def fullest_stage() -> dict[str, float]:
    deepseek = posed(DEEPSEEK_V3)

    def excess(layers: int, stages: int) -> float:
        assert balanced(layers, np.array(float(stages)))
        shape = LLAMA_2_7B.model_copy(update={"layers": layers})
        return stages * first(stage_layers(posed(shape), layouts(pp=stages))) / layers - 1

    return {
        "plain": first(stage_layers(deepseek, layouts(pp=8))),
        "interleaved": first(stage_layers(deepseek, layouts(pp=4, virtual_pipeline=2))),
        "excess_61": excess(61, 8),
        "excess_126": excess(126, 16),
    }


def uneven_stages() -> dict[str, float]:
    shape = LLAMA_2_7B.model_copy(update={"layers": 30})
    device = constants(peak_flops_per_s=500e12, peak16_flops_per_s=500e12, attention_efficiency=1e15)
    problem = posed(shape, device=device)
    eight, none = (step_arrays(problem, layouts(pp=4, micro_batches=count)) for count in (8, 0))
    return {
        "excess": first(eight.bubble_s - none.bubble_s) / 8,
        "stage": first(none.bubble_s) / 3,
        "bubble": first(eight.bubble_s),
    }


def head_on_last_stage() -> dict[str, float]:
    device = constants(peak_flops_per_s=500e12, peak16_flops_per_s=500e12, attention_efficiency=1e15)
    problem = posed(LLAMA_3_70B, sequence_length=8192, device=device, common=shared(head_on_slowest=0.7))
    sixteen, none = (step_arrays(problem, layouts(tp=8, pp=4, micro_batches=count)) for count in (16, 0))
    return {
        "excess": first(sixteen.bubble_s - none.bubble_s) / 16,
        "stage": first(none.bubble_s) / 3,
        "bubble": first(sixteen.bubble_s),
    }


COMPUTED: Final[Mapping[str, Callable[[], dict[str, float]]]] = {
    "all-reduce": all_reduce,
    "group-bandwidth": group_bandwidth,
    "mesh-share": mesh,
    "tensor-parallel": tensor_parallel,
    "context-ring": context_ring,
    "expert-all-to-all": expert_all_to_all,
    "pipeline-transfers": pipeline_transfers,
    "data-parallel": data_parallel,
    "zero-3-gathers": zero_3_gathers,
    "hybrid-gathers": hybrid_gathers,
    "bubble": bubble,
    "fullest-stage": fullest_stage,
    "uneven-stages": uneven_stages,
    "head-on-last-stage": head_on_last_stage,
}
