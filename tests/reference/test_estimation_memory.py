"""Memory verdicts against published reports; a report of failure forbids a clean fit, it does not set a
constant.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.estimation.estimation_cases import (
    ascend,
    catalogue,
    device,
    layout,
    model,
    plain_device,
    problem,
    workload,
)

from suanli.domain.architecture import Architecture
from suanli.domain.hardware import Accelerator
from suanli.domain.workload import Recompute, Task
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.memory import fits, memory, usable_memory
from suanli.estimation.recipes import (
    MEGATRON_BF16_GRADIENTS,
    MEGATRON_FP32_GRADIENTS,
    PURE_BF16,
    ZERO_FP16,
    MemoryRecipe,
    static_bytes_per_device,
)

if TYPE_CHECKING:
    from suanli.estimation.results import Device

BAICHUAN_7B = Architecture(
    layers=32,
    hidden_size=4096,
    ffn_hidden_size=11008,
    attention_heads=32,
    kv_heads=32,
    head_dim=128,
    vocab_size=64000,
)
QWEN15_72B = Architecture(
    layers=80,
    hidden_size=8192,
    ffn_hidden_size=24576,
    attention_heads=64,
    kv_heads=64,
    head_dim=128,
    vocab_size=152064,
    qkv_bias=True,
)


@pytest.mark.parametrize(
    ("parameters", "low_gb", "high_gb", "recipe"),
    [
        (7e9, 112, 130, MEGATRON_FP32_GRADIENTS),
        (7e9, 112, 130, MEGATRON_BF16_GRADIENTS),
        (70e9, 1120, 1300, MEGATRON_FP32_GRADIENTS),
        (70e9, 1120, 1300, MEGATRON_BF16_GRADIENTS),
        (7e9, 54, 62, PURE_BF16),
    ],
)
def test_rule_of_thumb_totals_hold(
    parameters: float, low_gb: float, high_gb: float, recipe: MemoryRecipe
) -> None:
    assert low_gb <= static_bytes_per_device(parameters, recipe, 0, 1) / 1e9 <= high_gb


def test_zero_two_of_seven_billion_on_eight_devices_leaves_26_gigabytes_each() -> None:
    assert static_bytes_per_device(7e9, MEGATRON_BF16_GRADIENTS, 2, 8) / 1e9 == pytest.approx(26.25, rel=1e-6)


def test_zero_three_of_eight_billion_on_eight_devices_leaves_16_gigabytes_each() -> None:
    assert static_bytes_per_device(8.03e9, MEGATRON_BF16_GRADIENTS, 3, 8) / 1e9 == pytest.approx(
        16.06, rel=1e-3
    )


def small(memory_gb: float, usable_gib: float | None = None) -> Device:
    return plain_device(memory_gb=memory_gb, usable_gib=usable_gib, sharding="zero")


@pytest.mark.parametrize("recompute", list(Recompute))
def test_eight_billion_with_zero_three_does_not_fit_in_eight_devices_of_24_gigabytes(
    recompute: Recompute,
) -> None:
    job = workload(task=Task.FULL_FINETUNE, sequence_length=1024)
    posed = problem(small(24), model("llama-3-8b"), job)
    assert not fits(posed, LayoutArrays.of(layout(dp=8, zero_stage=3, recompute=recompute)))[0]


def test_seven_billion_with_zero_two_does_not_fit_in_eight_devices_of_32_gigabytes() -> None:
    posed = problem(small(32, 31.75), BAICHUAN_7B, workload(task=Task.FULL_FINETUNE, sequence_length=1024))
    assert not fits(posed, LayoutArrays.of(layout(dp=8, zero_stage=2, recompute=Recompute.FULL)))[0]
    assert fits(posed, LayoutArrays.of(layout(dp=8, zero_stage=3, recompute=Recompute.FULL)))[0]


def test_an_unsharded_72b_base_needs_145_gigabytes_on_every_device() -> None:
    posed = problem(small(64, 60.97), QWEN15_72B, workload(task=Task.LORA, sequence_length=1024))
    arrays = LayoutArrays.of(layout(dp=8, zero_stage=0))
    assert memory(posed, arrays).weights[0] / 1e9 == pytest.approx(144.6, rel=0.03)
    assert not fits(posed, arrays)[0]
    assert fits(posed, LayoutArrays.of(layout(dp=8, zero_stage=3)))[0]


def test_three_billion_fit_with_sharded_states_and_not_with_plain_copies() -> None:
    posed = problem(
        small(64, 60.97), model("qwen2.5-3b"), workload(task=Task.FULL_FINETUNE, sequence_length=2048)
    )
    copies, sharded = fits(posed, LayoutArrays.of(layout(dp=8, zero_stage=0), layout(dp=8, zero_stage=2)))
    assert (bool(copies), bool(sharded)) == (False, True)
    assert static_bytes_per_device(3.086e9, MEGATRON_BF16_GRADIENTS, 0, 8) / 1e9 == pytest.approx(
        49.4, rel=0.01
    )


def test_usable_memory_of_the_two_ascend_variants_is_what_logs_show() -> None:
    narrow = catalogue().get(Accelerator, "ascend-910b4")
    assert usable_memory(narrow)[0] / 2**30 == pytest.approx(29.5, rel=0.02)
    assert usable_memory(ascend().accelerator)[0] / 2**30 == pytest.approx(60.97, rel=0.02)


def test_thirty_two_devices_of_32_gigabytes_cannot_hold_the_states_of_seventy_billion() -> None:
    assert static_bytes_per_device(70e9, MEGATRON_BF16_GRADIENTS, 3, 32) > 29.5 * 2**30


@pytest.mark.parametrize(
    ("layers", "tp", "pp", "dp", "micro_batches", "peak_gb"),
    [
        # SimuMax B200 release v1.2, real Megatron-LM runs: 70B truncated to 12 layers
        (12, 1, 2, 4, 4, 71.458),
    ],
)
def test_measured_peaks_of_megatron_are_reproduced(  # noqa: PLR0913, PLR0917 - one argument a field
    layers: int, tp: int, pp: int, dp: int, micro_batches: int, peak_gb: float
) -> None:
    shape = model("llama-3-70b").model_copy(update={"layers": layers})
    posed = problem(device("b200", "dgx-b200", "megatron-core"), shape, workload())
    found = memory(posed, LayoutArrays.of(layout(tp=tp, pp=pp, dp=dp, micro_batches=micro_batches)))
    assert found.total[0] / 1e9 == pytest.approx(peak_gb, rel=0.05)


def test_recomputation_saves_most_of_a_packed_three_billion_run() -> None:
    # torchtune optimisation table: pure 16-bit training, 4,096 tokens x 2 on one 80 GB device, loss computed
    # in chunks
    recipe = replace(PURE_BF16, logit_bytes=1)
    posed = problem(plain_device(), model("llama-3.2-3b"), workload(task=Task.FULL_FINETUNE), recipe)
    kept, again = (
        float(
            memory(posed, LayoutArrays.of(layout(micro_batch_size=2, zero_stage=0, recompute=mode))).total[0]
        )
        for mode in (Recompute.NONE, Recompute.FULL)
    )
    assert again / 2**30 == pytest.approx(24.9, rel=0.3)
    assert kept - again > 10e9


def test_the_zero_recipe_keeps_a_larger_context() -> None:
    assert ZERO_FP16.constant_bytes == 2e9
