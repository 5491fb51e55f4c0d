"""What the code computes for the worked examples on the time of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from tests.architectures import DEEPSEEK_V3, LLAMA_2_7B, LLAMA_3_70B
from tests.docs.at_rest import constants, first, layouts, posed, shared
from tests.docs.computed_work import profile

from suanli.domain.workload import Offload, Recompute, Task
from suanli.estimation.crosscheck import implied_mfu
from suanli.estimation.gemm import attention_gemms, gemm_s, gemm_times, mlp_gemms, moe_gemms
from suanli.estimation.layer_time import attention_s, head_s, layer_time, vector_bytes
from suanli.estimation.step_time import step_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from suanli.estimation.constants import Constants

FLAT: Final = constants(peak_flops_per_s=500e12, peak16_flops_per_s=500e12)
"""500 TFLOP/s for products of every shape."""
FLAT_PRODUCTS: Final = constants(peak_flops_per_s=500e12)
"""The same, without attention."""


def product(device: Constants, m: float, k: float, n: float) -> float:
    """Return the time of one product."""
    return float(gemm_s(device, np.array(m), np.array(k), np.array(n)))


def gemm_shape() -> dict[str, float]:
    sides = (4096, 8192, 7168)
    plain = {"peak_flops_per_s": 989e12, "gemm_efficiency": 0.70}
    shaped = constants(**plain, shape_k=200, shape_m=370, shape_n=100)
    ideal, time = product(constants(**plain), *sides), product(shaped, *sides)
    return {"ideal": ideal, "shape": time / ideal, "time": time}


def gemm_roof() -> dict[str, float]:
    sides = (16, 8192, 8192)
    return {
        "compute": product(constants(peak_flops_per_s=692.3e12), *sides),
        "memory": product(constants(hbm_bytes_per_s=2.5e12), *sides),
        "time": product(constants(peak_flops_per_s=692.3e12, hbm_bytes_per_s=2.5e12), *sides),
    }


def layer_products() -> dict[str, float]:
    spread = layouts(tp=8)
    whole = posed(LLAMA_3_70B, sequence_length=8192, device=FLAT)
    frozen = posed(LLAMA_3_70B, sequence_length=8192, device=FLAT, task=Task.LORA)
    attention, block = attention_gemms(whole, spread), mlp_gemms(whole, spread)
    gemms = [*attention, *block]
    times, without = gemm_times(whole, gemms), gemm_times(frozen, gemms)
    return {
        "qkv": first(attention[1].k * attention[1].n),
        "output": first(attention[0].k * attention[0].n),
        "block": sum(first(one.k * one.n) for one in block),
        "forward": first(times.forward),
        "backward": first(times.backward),
        "frozen_backward": first(without.backward),
    }


def latent_products() -> dict[str, float]:
    problem, spread = posed(DEEPSEEK_V3, device=FLAT), layouts(tp=4)
    return {"forward": first(gemm_times(problem, attention_gemms(problem, spread)).forward)}


def expert_products() -> dict[str, float]:
    common = shared(grouped_overhead=1.5)
    problem = posed(DEEPSEEK_V3, device=FLAT, common=common)
    routed = [one for one in moe_gemms(problem, layouts(dp=64, ep=64)) if one.grouped]
    full = posed(DEEPSEEK_V3, device=FLAT, common=common, capacity_factor=1.25)
    padded = [one for one in moe_gemms(full, layouts(dp=64, ep=64)) if one.grouped]
    return {
        "rows": first(routed[0].m),
        "work": sum(first(2 * one.count * one.m * one.k * one.n) for one in routed),
        "forward": first(gemm_times(problem, routed).forward),
        "padded_rows": first(padded[0].m),
        "padded": first(gemm_times(full, padded).forward),
    }


def fused_attention() -> dict[str, float]:
    device = constants(peak16_flops_per_s=989e12, attention_efficiency=0.5)
    problem = posed(
        LLAMA_3_70B, sequence_length=8192, device=device, common=shared(attention_half_length=600)
    )
    return {
        "forward": first(attention_s(problem, layouts(tp=8))),
        "ring": first(attention_s(problem, layouts(tp=8, cp=4))),
        "backward": first(layer_time(problem, layouts(tp=8), routed=False).backward),
    }


def unfused_attention() -> dict[str, float]:
    slow = {"peak16_flops_per_s": 312e12, "gemm16_efficiency": 0.8, "unfused": 1.0}
    common = shared(unfused_efficiency=0.75)
    # Vector work uses the same bandwidth, so a model without any keeps it out.
    device = constants(**slow, hbm_bytes_per_s=1.5e12, vector_factor=0.0)
    problem = posed(LLAMA_2_7B, sequence_length=2048, device=device, common=common)
    one = layer_time(problem, layouts(), routed=False)
    products = first(
        gemm_times(problem, [*attention_gemms(problem, layouts()), *mlp_gemms(problem, layouts())]).forward
    )
    return {"products": first(one.attention), "forward": first(one.forward) - products}


def vector_traffic() -> dict[str, float]:
    problem = posed(LLAMA_3_70B, sequence_length=8192)
    moved = first(vector_bytes(problem, layouts(tp=8), routed=False))
    device = constants(hbm_bytes_per_s=2.5e12, vector_factor=1.25)
    timed = posed(LLAMA_3_70B, sequence_length=8192, device=device)
    return {
        "width": moved / 2 / 8192,
        "bytes": moved,
        "forward": first(layer_time(timed, layouts(tp=8), routed=False).cheap),
    }


def routed_vector_traffic() -> dict[str, float]:
    problem, spread = posed(DEEPSEEK_V3), layouts(dp=64, ep=64)
    dense = first(vector_bytes(problem, spread, routed=False))
    return {
        "common": dense - 2 * 4096 * 3 * 18432,
        "bytes": first(vector_bytes(problem, spread, routed=True)),
    }


def narrow_casts() -> dict[str, float]:
    def forward(narrow: float) -> float:
        device = constants(hbm_bytes_per_s=2.5e12, vector_factor=0.0, narrow=narrow)
        problem = posed(LLAMA_3_70B, sequence_length=8192, device=device, common=shared(cast_bytes=3))
        return first(layer_time(problem, layouts(tp=8), routed=False).forward)

    return {"forward": forward(1.0) - forward(0.0)}


def adapter_traffic() -> dict[str, float]:
    def forward(task: Task) -> float:
        device = constants(hbm_bytes_per_s=2e12, vector_factor=0.0)
        common = shared(dequantise_bytes=10)
        problem = posed(LLAMA_2_7B, sequence_length=1024, device=device, common=common, task=task)
        return first(layer_time(problem, layouts(), routed=False).forward)

    plain, lora, qlora = (forward(task) for task in (Task.PRETRAIN, Task.LORA, Task.QLORA))
    return {
        "adapters": (lora - plain) * 2e12,
        "unpacking": (qlora - lora) * 2e12,
        "added": qlora - plain,
    }


def launch_floor() -> dict[str, float]:
    common = shared(dense_kernels=12, adapter_kernels=4)
    device = {"peak_flops_per_s": 200e12}

    def forward(**stated: float) -> float:
        problem = posed(
            LLAMA_2_7B, sequence_length=1024, device=constants(**stated), common=common, task=Task.LORA
        )
        return first(layer_time(problem, layouts(), routed=False).forward)

    return {
        "device": forward(**device),
        "host": forward(host_s_per_kernel=40e-6),
        "layer": forward(**device, host_s_per_kernel=40e-6),
    }


def head_and_loss() -> dict[str, float]:
    def head(**stated: float) -> float:
        common = shared(loss_bytes_per_logit=50)
        problem = posed(LLAMA_3_70B, sequence_length=8192, device=constants(**stated), common=common)
        return first(head_s(problem, layouts(tp=8)))

    return {
        "products": head(peak16_flops_per_s=500e12),
        "head": head(peak16_flops_per_s=500e12, hbm_bytes_per_s=2.5e12),
    }


def recompute_time() -> dict[str, float]:
    device = constants(peak_flops_per_s=200e12, peak16_flops_per_s=200e12, attention_efficiency=0.5)
    problem = posed(LLAMA_2_7B, device=device)
    full = layouts(recompute=Recompute.FULL)
    return {
        "forward": first(layer_time(problem, full, routed=False).forward),
        "full": first(step_arrays(problem, full).recompute_s),
        "eight": first(
            step_arrays(problem, layouts(recompute=Recompute.FULL, recompute_layers=8)).recompute_s
        ),
    }


def optimizer_pass() -> dict[str, float]:
    problem = posed(LLAMA_2_7B, device=constants(hbm_bytes_per_s=2e12), common=shared(optimizer_cost=1.5))
    time = first(step_arrays(problem, layouts(dp=8)).optimizer_s)
    return {"bytes": time * 2e12 / 1.5, "time": time}


def offloaded_optimizer() -> dict[str, float]:
    spread = layouts(dp=8, zero_stage=3, offload=Offload.OPTIMIZER)
    slow, fast = (
        first(step_arrays(posed(LLAMA_2_7B, device=device), spread).optimizer_s)
        for device in (constants(host_bytes_per_s=30e9), constants())
    )
    return {"crossing": slow - fast, "adam": fast, "time": slow}


def straggler_stretch() -> dict[str, float]:
    spread = layouts(dp=1024)
    late, even = (
        first(step_arrays(posed(LLAMA_2_7B, device=FLAT, common=common), spread).compute_s)
        for common in (shared(straggler=0.004), shared())
    )
    return {"stretch": late / even}


def whole_step() -> dict[str, float]:
    device = constants(
        peak_flops_per_s=1000e12,
        peak16_flops_per_s=1000e12,
        gemm_efficiency=0.6,
        gemm16_efficiency=0.6,
        attention_efficiency=0.4,
        link_bytes_per_s=200e9,
        domain_bytes_per_s=200e9,
    )
    common = shared(optimizer_cost=1.5, step_constant_s=0.030)
    problem, spread = posed(LLAMA_2_7B, device=device, common=common), layouts(dp=8, micro_batches=8)
    step = step_arrays(problem, spread)
    # Vector work and the optimizer share a bandwidth; here only the optimizer is timed.
    slow = posed(LLAMA_2_7B, device=constants(hbm_bytes_per_s=2e12), common=common)
    optimizer = first(step_arrays(slow, spread).optimizer_s)
    total = first(step.total_s) + optimizer
    rate = first(spread.batch_size) * 4096 / total / 8
    work = profile(LLAMA_2_7B, 4096)
    return {
        "compute": first(step.compute_s),
        "gradients": first(step.dp_exposed_s),
        "optimizer": optimizer,
        "step": total,
        "rate": rate,
        "mfu": implied_mfu(work.flops_per_token, rate, 1.0, 1, 1000e12),
    }


COMPUTED: Final[Mapping[str, Callable[[], dict[str, float]]]] = {
    "gemm-shape": gemm_shape,
    "gemm-roof": gemm_roof,
    "layer-products": layer_products,
    "latent-products": latent_products,
    "expert-products": expert_products,
    "fused-attention": fused_attention,
    "unfused-attention": unfused_attention,
    "vector-traffic": vector_traffic,
    "routed-vector-traffic": routed_vector_traffic,
    "narrow-casts": narrow_casts,
    "adapter-traffic": adapter_traffic,
    "launch-floor": launch_floor,
    "head-and-loss": head_and_loss,
    "recompute-time": recompute_time,
    "optimizer-pass": optimizer_pass,
    "offloaded-optimizer": offloaded_optimizer,
    "straggler-stretch": straggler_stretch,
    "whole-step": whole_step,
}
