"""What `docs/checks.md` says, computed: the values behind the names in `checks.yaml`."""

from __future__ import annotations

import math
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import yaml
from pydantic import TypeAdapter
from tests.core.estimation.estimation_cases import (
    DAY_S,
    LLAMA2_7B,
    catalogue,
    layout,
    model,
    problem,
    requirement,
    shipped,
    workload,
)
from tests.scenarios.builtin import BASE, completed

from suanli.costing.expressions import Constant, evaluate
from suanli.costing.formulas import breakeven_months
from suanli.domain.hardware import Accelerator, Link, Precision
from suanli.domain.money import round_half_up
from suanli.domain.transformer import count_parameters
from suanli.domain.workload import Recompute, SolveFor, Task
from suanli.errors import InputError
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.collectives import all_gather_s, ring_all_reduce_s
from suanli.estimation.crosscheck import implied_mfu, naive_accelerators, naive_days
from suanli.estimation.flops import attention_flops_per_token, model_profile
from suanli.estimation.goodput import checkpoint_bytes, goodput
from suanli.estimation.memory import MemoryArrays, memory, usable_memory
from suanli.estimation.recipes import (
    MEGATRON_BF16_GRADIENTS,
    MEGATRON_FP32_GRADIENTS,
    MemoryRecipe,
    default_recipe,
    static_bytes_per_device,
)
from suanli.estimation.results import Device, Infeasible
from suanli.estimation.sizing import size

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture

__all__ = ["computed_rows"]

GIB = 2**30
TRILLION = 1e12
A100, H100, ASCEND = (312e12, 0.40), (989e12, 0.55), (400e12, 0.45)
"""Peak and utilisation as the claims state them; the catalogue's own peaks differ."""


def percent(share: float, places: int = 0) -> str:
    return f"{100 * share:.{places}f} %"


def days(
    billions: float,
    cards: int,
    device: tuple[float, float] = ASCEND,
    tokens: float = TRILLION,
    places: int = 0,
) -> str:
    return f"{naive_days(billions * 1e9, tokens, cards, *device):,.{places}f} days"


def estimate(device: Device, shape: Architecture, cards: int) -> str:
    """Return the estimate's P50 with its range, in whole days."""
    found = size(device, requirement(shape, workload(tokens=TRILLION), SolveFor.DAYS, cards))
    if isinstance(found, Infeasible):
        return "it does not fit"
    span = found.duration_s.scaled(1 / DAY_S)
    return f"{span.p50:,.0f} days ({span.p10:,.0f}–{span.p90:,.0f})"


def cards_for_a_day(billions: float) -> int:
    return naive_accelerators(billions * 1e9, TRILLION, 1, *ASCEND)


def time_values() -> dict[str, str]:
    llama70, h100_days = model("llama-2-70b"), 8.9 * DAY_S
    ascend = shipped("ascend-910b2", "atlas-800t-a2", "mindspeed")
    h100 = shipped("h100-sxm", "dgx-h100", "megatron-core")
    seven = cards_for_a_day(7)
    named = {f"{size_}b on {cards}": days(size_, cards) for size_, cards in SHEET}
    hours = 32 / 24 / naive_days(7e9, TRILLION, 8, *ASCEND) * TRILLION
    return named | {
        "estimate of 7b on 8": estimate(ascend, LLAMA2_7B, 8),
        "estimate of 70b on 8": estimate(ascend, llama70, 8),
        "estimate of 70b on 32": estimate(ascend, llama70, 32),
        "estimate of 70b on 256 H100": estimate(h100, llama70, 256),
        "tokens in 32 hours": f"{hours / 1e9:.1f}B tokens",
        "cards for 7b": f"{seven:,}",
        "servers for 7b": f"{math.ceil(seven / 8):,}",
        "whole cards for 7b": f"{math.ceil(seven / 8) * 8:,}",
        "cards for 70b": f"{cards_for_a_day(70):,}",
        "7b on 256 A100": days(7, 256, A100, 300e9, 2),
        "70b on 256 A100": days(70, 256, A100),
        "7b on 256 H100": days(7, 256, H100, 300e9, 2),
        "7b on 512 H100": days(7, 512, H100, 300e9, 2),
        "70b on 256 H100": days(70, 256, H100, places=1),
        "70b on 512 H100": days(70, 512, H100, places=1),
        "70b on 256 H100 at 45 %": f"{naive_days(70e9, TRILLION, 256, 989e12, 0.45):.1f}",
        "peak of that claim": percent(implied_mfu(6 * 70e9, TRILLION, h100_days, 256, 989e12)),
        "least hours": f"{24 * naive_days(7e9, TRILLION, 8, 400e12, 1.0):,.0f} hours",
        "true mfu": percent(implied_mfu(6 * 70e9, 16_384_000, 13.5 * 3600, 16, 312e12), 1),
        **{f"attention at {length}": attention(length) for length in (4096, 8192, 32768)},
    }


SHEET = (
    (1, 8),
    (7, 8),
    (70, 8),
    (70, 32),
    (13, 32),
    (34, 16),
    (70, 64),
    (70, 128),
    (100, 64),
    (100, 128),
    (175, 256),
)
"""Billions of parameters and cards of a circulating cheat sheet."""


def attention(length: int) -> str:
    profile = model_profile(LLAMA2_7B, workload(sequence_length=length))
    return percent(attention_flops_per_token(LLAMA2_7B, length) / profile.six_n_flops_per_token)


def states_gb(
    billions: float, recipe: MemoryRecipe = MEGATRON_BF16_GRADIENTS, stage: int = 0, shards: int = 1
) -> float:
    return static_bytes_per_device(billions * 1e9, recipe, stage, shards) / 1e9


def saved(stage: int, shards: int) -> str:
    return percent(1 - states_gb(1, stage=stage, shards=shards) / states_gb(1), 1)


def activations(length: int, mode: Recompute = Recompute.NONE) -> str:
    ascend = shipped("ascend-910b2", "atlas-800t-a2", "mindspeed")
    posed = problem(ascend, LLAMA2_7B, workload(sequence_length=length))
    return f"{memory(posed, LayoutArrays.of(layout(recompute=mode))).activations[0] / 1e9:.1f} GB"


def usable_bytes(accelerator: str) -> float:
    return usable_memory(catalogue().get(Accelerator, accelerator))[0]


def cards_for_states(billions: float, accelerator: str, recipe: MemoryRecipe) -> str:
    """Return the fewest cards whose usable memory, filled to 80 %, holds all states."""
    return str(math.ceil(states_gb(billions, recipe) * 1e9 / (0.8 * usable_bytes(accelerator))))


def memory_values() -> dict[str, str]:
    bf16, fp32 = MEGATRON_BF16_GRADIENTS, MEGATRON_FP32_GRADIENTS
    small, large = "ascend-910b4", "ascend-910b3"
    experts = count_parameters(model("deepseek-v3"))
    return {
        "bytes": f"{bf16.total_bytes:.0f}",
        "bytes with 32-bit gradients": f"{fp32.total_bytes:.0f}",
        "7b states": f"{states_gb(7):,.0f} or {states_gb(7, fp32):,.0f} GB",
        "70b states": f"{states_gb(70):,.0f} or {states_gb(70, fp32):,.0f} GB",
        "states of 70b on 8": f"{states_gb(70, stage=3, shards=8):.0f} GB",
        "states of 70b on 32": f"{states_gb(70, stage=3, shards=32):.1f} GB",
        "usable of 32 GB": f"{usable_bytes(small) / 1e9:.1f} GB",
        **{f"zero {stage}": f"{states_gb(7.5, stage=stage, shards=64):.1f} GB" for stage in range(4)},
        **{f"zero {stage} saves of {shards}": saved(stage, shards) for stage in (2, 3) for shards in (8, 64)},
        "activations of 4096": activations(4096),
        "activations of 512": activations(512),
        "activations recomputed": activations(4096, Recompute.FULL),
        "cards for 34b": cards_for_states(34, small, bf16),
        "cards for 34b with 32-bit gradients": cards_for_states(34, small, fp32),
        "cards of 64 GB for 34b": cards_for_states(34, large, bf16),
        "usable GiB of 32 GB": f"{usable_bytes(small) / GIB:.2f}",
        "usable GiB of 64 GB": f"{usable_bytes(large) / GIB:.2f}",
        "parts": ", ".join(part.name for part in fields(MemoryArrays)),
        "four bit": f"{default_recipe(Task.QLORA, 'fsdp').frozen_linear_bytes:.2f}",
        "all experts": f"{experts.total / 1e9:.0f}B",
        "active experts": f"{experts.active / 1e9:.1f}B",
        "weights of all experts": f"{2 * experts.total / 1e9:,.0f} GB",
        "work of all": f"{6 * experts.total / 1e9:,.0f} GFLOPs",
        "work of active": f"{6 * experts.active / 1e9:,.0f} GFLOPs",
        "7b in 32 bit": f"{4 * 7e9 / 1e9:.1f} GB, {4 * 7e9 / GIB:.2f} GiB",
    }


def one_way(accelerator: str) -> str:
    scale_up = catalogue().get(Accelerator, accelerator).scale_up
    return "unknown" if scale_up is None else f"{scale_up.per_device.si / 1e9:.0f} GB/s"


def line_rate(link: str) -> str:
    return f"{catalogue().get(Link, link).per_device.si * 8 / 1e9:.0f} Gbit/s"


def traffic(gbit_per_s: float) -> str:
    """Return the time of two gathers and one reduction of 70B in 16 bit over four nodes, at a node's rate."""
    one = all_gather_s(np.array([2 * 70e9]), np.array([gbit_per_s / 8 * 1e9]), np.array([4.0]), np.array(0.0))
    return f"{3 * float(one[0]):.0f} s"


def network_values() -> dict[str, str]:
    checkpoint = checkpoint_bytes(70e9)
    return {
        "ring of 8": f"{ring_all_reduce_s(14e9, 100e9, 8):.3f} s",
        "ring of 256": f"{ring_all_reduce_s(14e9, 100e9, 256):.4f} s",
        "nvlink of a100": one_way("a100-80-sxm"),
        "nvlink of h100": one_way("h100-sxm"),
        "ndr": line_rate("ib-ndr"),
        "hdr": line_rate("ib-hdr"),
        **{f"traffic at {rate}": traffic(rate) for rate in (25, 100, 400)},
        "checkpoint": f"{checkpoint / 1e9:.0f} GB",
        "checkpoint hours": f"{checkpoint / 0.125e9 / 3600:.1f} hours",
    }


def refusal(setting: str) -> str:
    """Return what a project file with a setting is told."""
    try:
        completed(BASE, setting)
    except InputError as error:
        fault = error.faults[0]
        return f"{fault.what}; {fault.why}"
    return "taken"


def advice(tokens: str) -> str:
    """Return the law that a project with far too few tokens is reminded of, and its tokens for 72B."""
    notices = completed(BASE, f"workload.tokens={tokens}").notices
    (told,) = [notice.en for notice in notices if "optimal" in notice.en]
    return told.partition("optimal ")[2].removesuffix(".")


def eight_bit(accelerator: str) -> str:
    peak = catalogue().get(Accelerator, accelerator).peak_flops_per_s(Precision.FP8)
    return "has no peak and is refused" if peak is None else f"has {peak / 1e12:,.0f} TFLOPS"


def other_values() -> dict[str, str]:
    mixtral = count_parameters(model("mixtral-8x7b"))
    money = [Constant(Decimal(amount)) for amount in ("392000", "14400", "3376.32")]
    return {
        "fp8 of a100": eight_bit("a100-80-sxm"),
        "fp8 of 910b2": eight_bit("ascend-910b2"),
        "fp8 of h100": eight_bit("h100-sxm"),
        "mixtral total": f"{mixtral.total / 1e9:.1f}B",
        "mixtral active": f"{mixtral.active / 1e9:.1f}B",
        "zero 3 with stages": refusal("layout={zero_stage: 3, pp: 2}"),
        "tensor parallel of 6": refusal("layout={tp: 6}"),
        "tokens a parameter": advice("1G"),
        "break even": f"{evaluate(breakeven_months(*money), {}):.1f} months",
        "half a cent": str(round_half_up(Decimal("2.675"))),
        "goodput of 256": percent(goodput(256, 30 * DAY_S, 70e9).share, 1),
        "goodput of 16384": percent(goodput(16384, 30 * DAY_S, 70e9).share, 1),
    }


def computed_rows() -> dict[str, list[tuple[str, str]]]:
    """Return the rows of each section of the page: claim and answer, every value computed now."""
    values = time_values() | memory_values() | network_values() | other_values()
    text = Path(__file__).with_name("checks.yaml").read_text(encoding="utf-8")
    sections = TypeAdapter(dict[str, list[dict[str, str]]]).validate_python(yaml.safe_load(text))
    return {
        title: [(row["claim"], row["answer"].format_map(values)) for row in rows]
        for title, rows in sections.items()
    }
