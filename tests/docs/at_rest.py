"""Problems whose constants are at rest, so that an example shows one formula at a time.

At rest a rate is so high that its term vanishes, a factor is 1, and times, latencies and hidden or exposed
shares take the value that leaves their term as it is. An example sets what it states and nothing else, and
so depends on no constant that was fitted.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.domain.hardware import Precision
from suanli.domain.workload import Offload, Recompute, Task, Workload
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.constants import Constants, SharedConstants
from suanli.estimation.numbers import model_numbers
from suanli.estimation.problem import Batch
from suanli.estimation.recipes import MemoryRecipe
from suanli.estimation.results import Layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.architecture import Architecture
    from suanli.estimation.arrays import FloatArray

ENDLESS: Final = 1e30
"""A rate that makes its term vanish, yet finite, so that no difference of infinities arises."""
_RATES = ("peak_flops_per_s", "peak16_flops_per_s")
_ZERO_WHERE = {
    "narrow",
    "shape_k",
    "shape_m",
    "shape_n",
    "mesh",
    "collective_latency_s",
    "kernel_gap_s",
    "host_s_per_kernel",
    "tp_hidden",
    "dp_hidden",
    "fsdp_contention",
    "moe_host_s_per_layer",
    "fully_sharded",
    "unfused",
}
_SHARED_ZERO = {
    "attention_half_length",
    "dense_kernels",
    "narrow_kernels",
    "moe_kernels",
    "adapter_kernels",
    "loss_bytes_per_logit",
    "cast_bytes",
    "dequantise_bytes",
    "attention_cover",
    "head_on_slowest",
    "step_constant_s",
    "straggler",
}
_DOMAIN = {"domain": 8.0, "devices_per_node": 8.0}


def _arrays(values: Mapping[str, float]) -> dict[str, FloatArray]:
    return {name: np.array(value, dtype=np.float64) for name, value in values.items()}


def constants(**stated: float) -> Constants:
    """Return the constants of a device and stack at rest, but for those that are stated."""
    names = [one.name for one in fields(Constants)]
    rest = {name: 0.0 if name in _ZERO_WHERE else 1.0 for name in names}
    endless = {name: ENDLESS for name in names if name in _RATES or name.endswith("_bytes_per_s")}
    return Constants(**_arrays({**rest, **endless, **_DOMAIN, **stated}))


def shared(**stated: float) -> SharedConstants:
    """Return the constants that hold for every device at rest, but for those that are stated."""
    rest = {one.name: 0.0 if one.name in _SHARED_ZERO else 1.0 for one in fields(SharedConstants)}
    return SharedConstants(**_arrays({**rest, **stated}))


PLAIN: Final = MemoryRecipe("plain", 2, 4, 4, 4, 4, logit_bytes=8, constant_bytes=0.5e9)
"""16-bit weights, 32-bit gradients and Adam: the 18 bytes of the examples."""


def posed(  # noqa: PLR0913 - one argument a part of the problem
    architecture: Architecture,
    *,
    sequence_length: int = 4096,
    task: Task = Task.PRETRAIN,
    device: Constants | None = None,
    common: SharedConstants | None = None,
    recipe: MemoryRecipe = PLAIN,
    capacity_factor: float | None = None,
) -> Batch:
    """Return what the formulas read, for one model under constants at rest."""
    adapters = task in {Task.LORA, Task.QLORA}
    rank = 16 if adapters else 0
    job = Workload(
        task, sequence_length, 64, Precision.BF16, 1e12, lora_rank=rank, capacity_factor=capacity_factor
    )
    return Batch(
        model=model_numbers(architecture, job),
        constants=device or constants(),
        shared=common or shared(),
        recipe_numbers=recipe.numbers,
    )


def layouts(  # noqa: PLR0913 - one argument a dimension
    *,
    tp: int = 1,
    pp: int = 1,
    cp: int = 1,
    dp: int = 1,
    ep: int = 1,
    micro_batch_size: int = 1,
    micro_batches: int = 1,
    virtual_pipeline: int = 1,
    recompute: Recompute = Recompute.NONE,
    recompute_layers: int | None = None,
    zero_stage: int = 1,
    shard_group: int | None = None,
    offload: Offload = Offload.NONE,
    loss_chunks: int = 1,
) -> LayoutArrays:
    """Return one layout, with sequence parallelism."""
    one = Layout(
        tp=tp,
        pp=pp,
        cp=cp,
        dp=dp,
        ep=ep,
        micro_batch_size=micro_batch_size,
        micro_batches=micro_batches,
        virtual_pipeline=virtual_pipeline,
        recompute=recompute,
        zero_stage=zero_stage,
        sequence_parallel=tp > 1,
        recompute_layers=recompute_layers,
        shard_group=shard_group,
        offload=offload,
        loss_chunks=loss_chunks,
    )
    return LayoutArrays.of(one)


def first(values: FloatArray) -> float:
    """Return the figure of the only layout."""
    return float(np.ravel(values)[0])
