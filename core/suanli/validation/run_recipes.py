"""What a run keeps in memory for each parameter and logit: by stack and task, as far as published peaks tell.

Source of the figures: `docs/validation.md`, fitted on published peak memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Precision
from suanli.domain.workload import Task
from suanli.estimation.recipes import (
    MEGATRON_BF16_GRADIENTS,
    MINDSPORE_OPTIMIZER_PARALLEL,
    MemoryRecipe,
    default_recipe,
)

if TYPE_CHECKING:
    from suanli.domain.vendor import SoftwareStack

__all__ = ["SINGLE_DEVICE", "recipe_of"]

SINGLE_DEVICE: Final = MemoryRecipe("single-device-bf16", 2, 0, 0, 0, 0, logit_bytes=1, constant_bytes=0.2e9)
"""16-bit weights alone: the optimizer runs within the backward pass, its 8-bit states are paged to the host;
the loss is computed in chunks."""

_BF16_GRADIENTS: Final = frozenset(
    {"nemo-24.07", "megatron-bridge", "dgxc-recipes", "mlperf", "mindspeed", "internevo"}
)
"""Stacks whose recipes reduce gradients in 16 bit."""

_BF16_GRADIENT_FAMILIES: Final = frozenset({"tprimat"})
"""Families that ran NeMo with its default of 16-bit gradients under the vendor's default stack."""

_LOGIT_BYTES: Final = {"mindspeed": 4.0, "llm-foundry": 8.0, "huggingface-deepspeed": 8.0}
"""Bytes per logit of stacks whose loss differs from that of their way of sharding: a loss in 16 bit keeps
logits, logarithms of softmax and two gradients, 2 bytes each."""

_SPLIT_PROJECTIONS: Final = frozenset({"mindspeed"})
"""Megatron-like stacks that rotate queries and keys in place, so that no joint projection stays."""

_CHUNKED_LOSS_FAMILIES: Final = frozenset({"torchtune"})
"""Families whose single-device recipes chunk the loss and fuse the optimizer into the backward pass."""

_PLAIN_ADAPTER_FAMILIES: Final = frozenset({"litgpt"})
"""Families that train adapters on queries and values alone, all in 16 bit, without an engine around."""

_ENGINE_LOGIT_BYTES: Final = 8.0
"""Per logit, where the model is converted to 16 bit and the loss with it, as engines do."""

_AUTOCAST_LOGIT_BYTES: Final = 12.0
"""Per logit, where adapters on one device are trained without an engine, under autocast: logarithms of
softmax and two gradients in 32 bit."""

_ATTENTION_ADAPTERS: Final = frozenset({"mlperf"})
"""Stacks whose adapters sit on attention alone, by the rules of the benchmark, over a base that is kept in
the format it is multiplied in."""


def recipe_of(
    stack: SoftwareStack,
    task: Task,
    family: str | None = None,
    devices: int = 1,
    precision: Precision = Precision.BF16,
) -> MemoryRecipe:
    """Return the memory recipe of a stack for a task.

    Args:
        stack: software of the run.
        task: kind of training.
        family: source family, where it stands for a variant of the stack.
        devices: of the run; the single-device variant is one of its own.
        precision: format of the matrix products.
    """
    if task in {Task.LORA, Task.QLORA}:
        return _adapters(stack, task, family, devices, precision)
    recipe = default_recipe(task, stack.sharding)
    if family in _CHUNKED_LOSS_FAMILIES:
        return SINGLE_DEVICE if devices == 1 else _chunked(recipe)
    if stack.id == "mindformers":
        return MINDSPORE_OPTIMIZER_PARALLEL
    if stack.id in _BF16_GRADIENTS or family in _BF16_GRADIENT_FAMILIES:
        recipe = MEGATRON_BF16_GRADIENTS
    return replace(
        recipe,
        logit_bytes=_LOGIT_BYTES.get(stack.id, recipe.logit_bytes),
        packed_projections=0 if stack.id in _SPLIT_PROJECTIONS else recipe.packed_projections,
    )


def _chunked(recipe: MemoryRecipe) -> MemoryRecipe:
    """Return a recipe with the loss in chunks, measured without the context."""
    return replace(recipe, logit_bytes=SINGLE_DEVICE.logit_bytes, constant_bytes=SINGLE_DEVICE.constant_bytes)


def _adapters(
    stack: SoftwareStack, task: Task, family: str | None, devices: int, precision: Precision
) -> MemoryRecipe:
    """Return the recipe of a stack for adapters over a frozen base."""
    recipe = default_recipe(task, stack.sharding)
    if family in _CHUNKED_LOSS_FAMILIES:
        # Adapters and their moments are in 16 bit.
        return replace(_chunked(recipe), gradient_bytes=2, master_bytes=0, moment1_bytes=2, moment2_bytes=2)
    if family in _PLAIN_ADAPTER_FAMILIES:
        return replace(recipe, logit_bytes=_ENGINE_LOGIT_BYTES, constant_bytes=0.5e9, adapted_blocks=0)
    if stack.id in _ATTENTION_ADAPTERS:
        frozen = 1.0 if precision is Precision.FP8 else recipe.frozen_linear_bytes
        return replace(recipe, frozen_linear_bytes=frozen, adapted_blocks=0)
    autocast = task is Task.LORA and devices == 1 and stack.sharding == "zero"
    if autocast:
        return replace(recipe, logit_bytes=_AUTOCAST_LOGIT_BYTES)
    return replace(recipe, logit_bytes=_LOGIT_BYTES.get(stack.id, recipe.logit_bytes))
