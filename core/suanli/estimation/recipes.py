"""Named memory recipes: bytes per parameter and per logit, by what a stack keeps.

Memory needs the recipe (gradient format, loss kernel, optimizer) more than the formula, so a recipe is always
a named choice.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.domain.workload import Task

if TYPE_CHECKING:
    from suanli.estimation.arrays import FloatArray

__all__ = [
    "ADAM_8BIT",
    "FSDP_FP32",
    "MEGATRON_BF16_GRADIENTS",
    "MEGATRON_FP32_GRADIENTS",
    "MINDSPORE_OPTIMIZER_PARALLEL",
    "PURE_BF16",
    "RECIPES",
    "ZERO_FP16",
    "MemoryRecipe",
    "RecipeNumbers",
    "default_recipe",
    "static_bytes_per_device",
]


@dataclass(frozen=True, slots=True)
class MemoryRecipe:
    """What a stack keeps for each trained parameter, each frozen parameter and each logit."""

    name: str
    weight_bytes: float
    gradient_bytes: float
    master_bytes: float
    """32-bit copy of the weights; 0 where the weights themselves are the copy."""
    moment1_bytes: float
    moment2_bytes: float
    logit_bytes: float
    """Bytes per logit at the peak of the loss."""
    constant_bytes: float
    """Context, communication buffers and workspace."""
    frozen_bytes: float = 2.0
    frozen_linear_bytes: float = 2.0
    """Per frozen matrix weight of the layers: 0.56 in 4 bit with its scales."""
    head_gradient_bytes: float = 2.0
    """Per trained parameter of the LM head: its gradient of one micro-batch, before it is added up."""
    update_bytes: float = 0.0
    """Temporaries of the optimizer's update per parameter that it holds."""
    gradients_sharded_from: float = 2.0
    """ZeRO stage from which gradients are sharded."""
    packed_projections: float = 0.0
    """1 where the joint projection of queries, keys and values stays beside the rotated copies."""
    narrow_inputs: float = 0.0
    """1 where inputs of matrices multiplied below 16 bit are kept in that format."""
    adapted_blocks: float = 1.0
    """0 where adapters sit on attention alone, so that frozen blocks keep fewer inputs."""

    @property
    def optimizer_bytes(self) -> float:
        """Return the bytes per parameter of the optimizer: master copy and both moments."""
        return self.master_bytes + self.moment1_bytes + self.moment2_bytes

    @property
    def total_bytes(self) -> float:
        """Return the bytes per trained parameter where nothing is sharded."""
        return self.weight_bytes + self.gradient_bytes + self.optimizer_bytes

    @property
    def numbers(self) -> RecipeNumbers:
        """Return the figures as arrays."""
        return RecipeNumbers(
            **{one.name: np.array(getattr(self, one.name), dtype=np.float64) for one in fields(RecipeNumbers)}
        )


@dataclass(frozen=True, slots=True)
class RecipeNumbers:
    """The figures of a recipe as arrays that broadcast, named as in `MemoryRecipe`."""

    weight_bytes: FloatArray
    gradient_bytes: FloatArray
    optimizer_bytes: FloatArray
    logit_bytes: FloatArray
    constant_bytes: FloatArray
    frozen_bytes: FloatArray
    frozen_linear_bytes: FloatArray
    head_gradient_bytes: FloatArray
    update_bytes: FloatArray
    gradients_sharded_from: FloatArray
    packed_projections: FloatArray
    narrow_inputs: FloatArray
    adapted_blocks: FloatArray


MEGATRON_FP32_GRADIENTS: Final = MemoryRecipe(
    "megatron-fp32-gradients",
    2,
    4,
    4,
    4,
    4,
    logit_bytes=2,
    constant_bytes=0.5e9,
    packed_projections=1,
    narrow_inputs=1,
)
"""Megatron's default: 16-bit weights, 32-bit gradient accumulation, Adam in 32 bit (Shoeybi et al.; 18
bytes). Weights kept in 8 bit need a transposed copy, so that they take 2 bytes as well. The fused loss works
in the logits' place; gradients and inputs are Transformer Engine's."""
MEGATRON_BF16_GRADIENTS: Final = replace(
    MEGATRON_FP32_GRADIENTS, name="megatron-bf16-gradients", gradient_bytes=2
)
"""16-bit gradients: the 16 bytes of Rajbhandari et al., "ZeRO", 2020, section 3.1."""
MINDSPORE_OPTIMIZER_PARALLEL: Final = MemoryRecipe(
    "mindspore-optimizer-parallel",
    2,
    2,
    4,
    4,
    4,
    logit_bytes=4,
    constant_bytes=0.5e9,
    gradients_sharded_from=1,
)
"""Optimizer parallelism of MindSpore: 32-bit weights and moments are sharded, gradients are reduced into
shards at once, and whole 16-bit weights stay (2 + 14/N bytes)."""
FSDP_FP32: Final = MemoryRecipe("fsdp-fp32-shards", 4, 4, 0, 4, 4, logit_bytes=14, constant_bytes=0.5e9)
"""Fully sharded 32-bit weights, gradients and moments; 16-bit copies live only while gathered (16 bytes). The
loss keeps 16-bit logits, their 32-bit logarithms of softmax and two 32-bit gradients."""
ZERO_FP16: Final = MemoryRecipe(
    "zero-mixed-adam", 2, 6, 4, 4, 4, logit_bytes=10, constant_bytes=2e9, update_bytes=2
)
"""DeepSpeed: 16-bit gradients beside a 32-bit accumulation buffer (20 bytes) and a larger context. In the
update the 16-bit gradients are gone and the square root of a moment takes 4 bytes: 2 more. Logits are those
between a loss in 16 bit (8) and under autocast (12)."""
PURE_BF16: Final = MemoryRecipe("pure-bf16", 2, 2, 0, 2, 2, logit_bytes=10, constant_bytes=0.5e9)
"""Everything in 16 bit, Adam's moments too (8 bytes)."""
ADAM_8BIT: Final = MemoryRecipe("adam-8bit", 2, 2, 0, 1, 1, logit_bytes=10, constant_bytes=0.5e9)
"""16-bit weights with 8-bit moments (Dettmers et al., "8-bit Optimizers", 2022)."""

RECIPES: Final = {
    recipe.name: recipe
    for recipe in (
        MEGATRON_FP32_GRADIENTS,
        MEGATRON_BF16_GRADIENTS,
        MINDSPORE_OPTIMIZER_PARALLEL,
        FSDP_FP32,
        ZERO_FP16,
        PURE_BF16,
        ADAM_8BIT,
    )
}
_BY_SHARDING: Final = {
    "distributed-optimizer": MEGATRON_FP32_GRADIENTS,
    "fsdp": FSDP_FP32,
    "zero": ZERO_FP16,
}
_ADAPTER_BYTES: Final = {"weight_bytes": 2.0, "gradient_bytes": 4.0, "master_bytes": 4.0}
_FOUR_BIT_BYTES = 0.56
"""NF4 with double-quantised scales (Dettmers et al., "QLoRA", 2023, section 3), measured 0.55 to 0.60."""


def default_recipe(task: Task, sharding: str) -> MemoryRecipe:
    """Return the recipe of a stack for a task.

    Adapters are trained in 18 bytes per parameter over a frozen base of 2 bytes, or 0.56 for the matrices of
    a 4-bit base.

    >>> default_recipe(Task.PRETRAIN, "distributed-optimizer").total_bytes
    18
    >>> default_recipe(Task.QLORA, "fsdp").frozen_linear_bytes
    0.56
    """
    recipe = _BY_SHARDING.get(sharding, MEGATRON_FP32_GRADIENTS)
    if task not in {Task.LORA, Task.QLORA}:
        return recipe
    frozen = _FOUR_BIT_BYTES if task is Task.QLORA else 2.0
    return replace(
        recipe,
        name=f"{recipe.name}-{task}",
        moment1_bytes=4,
        moment2_bytes=4,
        update_bytes=0,
        frozen_linear_bytes=frozen,
        **_ADAPTER_BYTES,
    )


def static_bytes_per_device(parameters: float, recipe: MemoryRecipe, zero_stage: int, shards: int) -> float:
    """Return weights, gradients and optimizer of one device under ZeRO.

    Equation: Ψ · (w/N₃ + g/N₂ + o/N₁), where the divisor of a part is N from the stage on that shards it
    (optimizer 1, gradients 2, weights 3) and 1 before.

    Raises:
        ValueError: the stage is not 0 to 3, or there are no shards.

    Source: Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", 2020,
    figure 1.

    >>> recipe = MEGATRON_BF16_GRADIENTS
    >>> [round(static_bytes_per_device(7.5e9, recipe, stage, 64) / 1e9, 1) for stage in range(4)]
    [120.0, 31.4, 16.6, 1.9]
    """
    if zero_stage not in range(4) or shards < 1:
        raise ValueError(f"ZeRO stage {zero_stage} over {shards} shards does not exist")
    divisors = [shards if zero_stage >= stage else 1 for stage in (3, 2, 1)]
    parts = (recipe.weight_bytes, recipe.gradient_bytes, recipe.optimizer_bytes)
    return parameters * sum(part / divisor for part, divisor in zip(parts, divisors, strict=True))
