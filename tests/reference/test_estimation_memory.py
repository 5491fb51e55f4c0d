"""Measured peaks of memory, runs that ran, and a verdict that follows from states alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.core.estimation.estimation_cases import device, layout, model, problem, workload
from tests.reference.memory_runs import (
    UNKNOWN_RECIPES,
    errors,
    errors_without_group,
    memory_runs,
    throughput_runs,
)

from suanli.domain.hardware import Precision
from suanli.domain.workload import Task
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.memory import UNUSABLE_SHARE, memory, usable_memory
from suanli.estimation.recipes import MEGATRON_BF16_GRADIENTS, static_bytes_per_device
from suanli.validation.run_recipes import SINGLE_DEVICE, recipe_of

if TYPE_CHECKING:
    from suanli.domain.vendor import SoftwareStack

CONTRADICTS = {
    "modellink-mixtral-8x22b-s32k-n64": "no expert parallelism and no recomputation at 32k: 44 GB of states"
}
"""Runs whose stated layout cannot hold what it says, with the reason."""


def test_thirty_two_devices_of_32_gigabytes_cannot_hold_the_states_of_seventy_billion() -> None:
    assert static_bytes_per_device(70e9, MEGATRON_BF16_GRADIENTS, 3, 32) > 29.5 * 2**30


@pytest.mark.parametrize(
    ("layers", "tp", "pp", "dp", "micro_batches", "peak_gb"),
    [
        # SimuMax B200 release v1.2, real Megatron-LM runs: 70B truncated to 12 layers
        (12, 1, 2, 4, 4, 71.458),
        (12, 2, 1, 4, 4, 65.155),
        (12, 8, 1, 1, 4, 30.376),
    ],
)
def test_measured_peaks_of_megatron_are_reproduced(  # noqa: PLR0913, PLR0917 - one argument a field
    layers: int, tp: int, pp: int, dp: int, micro_batches: int, peak_gb: float
) -> None:
    shape = model("llama-3-70b").model_copy(update={"layers": layers})
    posed = problem(device("b200", "dgx-b200", "megatron-core"), shape, workload())
    found = memory(posed, LayoutArrays.of(layout(tp=tp, pp=pp, dp=dp, micro_batches=micro_batches)))
    assert found.total[0] / 1e9 == pytest.approx(peak_gb, rel=0.01)


@pytest.mark.parametrize(
    ("family", "median", "p90"),
    [
        ("simumax_b200", 0.015, 0.03),
        ("torchtitan", 0.06, 0.15),
        ("qwen_finetune", 0.06, 0.09),
        ("torchtune", 0.075, 0.08),
        ("amd_primus", 0.05, 0.06),
        ("huawei_ci_baselines", 0.065, 0.16),
        ("tprimat", 0.08, 0.085),
        ("litgpt", 0.08, 0.25),
    ],
)
def test_the_error_of_each_source_stays_within_its_bound(family: str, median: float, p90: float) -> None:
    found = errors([run for run in memory_runs() if run.known and run.record.source.family == family])
    assert np.median(found) <= median
    assert np.quantile(found, 0.9) <= p90


def test_known_recipes_are_predicted_within_the_target() -> None:
    found = errors([run for run in memory_runs() if run.known])
    assert len(found) >= 85
    assert np.median(found) <= 0.045
    assert np.quantile(found, 0.9) <= 0.16


def test_fine_tuning_is_predicted_within_the_target() -> None:
    tuned = {"lora", "qlora", "full_finetune"}
    found = errors([run for run in memory_runs() if run.known and run.record.task in tuned])
    assert np.median(found) <= 0.06


def test_every_reason_to_leave_a_record_out_still_holds_for_one() -> None:
    ids = [run.record.id for run in memory_runs()]
    assert all(any(part in name for name in ids) for part in UNKNOWN_RECIPES)


def test_constants_refitted_without_a_group_predict_it_as_well() -> None:
    """Leave one group out: bytes per logit and the constant of each recipe learn from its other groups."""
    found = errors_without_group([run for run in memory_runs() if run.known])
    left_out = np.abs(list(found.values()))
    assert np.median(left_out) <= 0.045
    assert np.quantile(left_out, 0.9) <= 0.16


def test_no_run_that_ran_is_called_impossible() -> None:
    impossible = {
        run.record.id: run.peak_bytes
        for run in throughput_runs()
        # Where the driver's total was not read, a run may fill what the label says.
        if run.peak_bytes
        > run.usable_bytes / (1 if usable_memory(run.problem.device.accelerator)[1] else 1 - UNUSABLE_SHARE)
    }
    assert set(impossible) == set(CONTRADICTS)


def stack(stack_id: str, sharding: str) -> SoftwareStack:
    return device("h100-sxm", "dgx-h100", "megatron-core").stack.model_copy(
        update={"id": stack_id, "sharding": sharding}
    )


@pytest.mark.parametrize(
    ("stack_id", "sharding", "task", "family", "devices", "expected"),
    [
        ("nemo-24.07", "distributed-optimizer", Task.PRETRAIN, None, 8, {"gradient_bytes": 2}),
        ("megatron-core", "distributed-optimizer", Task.PRETRAIN, None, 8, {"gradient_bytes": 4}),
        ("megatron-core", "distributed-optimizer", Task.PRETRAIN, "tprimat", 8, {"gradient_bytes": 2}),
        ("mindformers", "distributed-optimizer", Task.PRETRAIN, None, 8, {"gradients_sharded_from": 1}),
        ("mindspeed", "distributed-optimizer", Task.PRETRAIN, None, 8, {"packed_projections": 0}),
        ("llm-foundry", "fsdp", Task.PRETRAIN, None, 8, {"logit_bytes": 8}),
        ("torchtitan", "fsdp", Task.PRETRAIN, None, 8, {"logit_bytes": 14}),
        ("huggingface-deepspeed", "zero", Task.LORA, None, 1, {"logit_bytes": 12}),
        ("huggingface-deepspeed", "zero", Task.LORA, None, 4, {"logit_bytes": 8}),
        ("huggingface-deepspeed", "zero", Task.QLORA, None, 1, {"logit_bytes": 8}),
        ("huggingface-deepspeed", "zero", Task.LORA, "litgpt", 1, {"adapted_blocks": 0}),
        ("huggingface-deepspeed", "zero", Task.LORA, "torchtune", 1, {"total_bytes": 8, "logit_bytes": 1}),
        ("mlperf", "distributed-optimizer", Task.LORA, None, 8, {"adapted_blocks": 0}),
    ],
)
def test_stack_and_task_choose_the_recipe(  # noqa: PLR0913, PLR0917 - one argument a field
    stack_id: str, sharding: str, task: Task, family: str | None, devices: int, expected: dict[str, float]
) -> None:
    found = recipe_of(stack(stack_id, sharding), task, family, devices)
    assert {name: getattr(found, name) for name in expected} == expected


def test_a_single_device_fuses_the_optimizer_into_the_backward_pass() -> None:
    zero = stack("huggingface-deepspeed", "zero")
    assert recipe_of(zero, Task.FULL_FINETUNE, "torchtune", 1) is SINGLE_DEVICE
    assert recipe_of(zero, Task.FULL_FINETUNE, "torchtune", 8) is not SINGLE_DEVICE


@pytest.mark.parametrize(("precision", "frozen"), [(Precision.FP8, 1.0), (Precision.BF16, 2.0)])
def test_the_frozen_base_of_the_benchmark_is_kept_as_it_is_multiplied(
    precision: Precision, frozen: float
) -> None:
    found = recipe_of(stack("mlperf", "distributed-optimizer"), Task.LORA, None, 8, precision)
    assert found.frozen_linear_bytes == frozen
