"""Which memory recipe a question is about: that of the stack, a named one, with or without a chunked loss."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from suanli.domain.workload import Task
from suanli.estimation.recipes import RECIPES, default_recipe

if TYPE_CHECKING:
    from suanli.estimation.recipes import MemoryRecipe

__all__ = ["LOSS_PIECES", "recipe_of"]

LOSS_PIECES: Final = 8
"""Pieces in which a chunked loss works through the logits (the default of torchtune)."""


def recipe_of(task: Task, sharding: str, named: str = "", *, chunked_loss: bool = False) -> MemoryRecipe:
    """Return the recipe of a task.

    A named recipe says all for full training. Adapters keep their own states, and take from it what the loss
    and the context need. A chunked loss holds one of eight pieces of the logits at a time.

    >>> recipe_of(Task.FULL_FINETUNE, "zero", "pure-bf16", chunked_loss=True).logit_bytes
    1.25
    """
    recipe = default_recipe(task, sharding)
    if named:
        base = RECIPES[named]
        adapts = task in {Task.LORA, Task.QLORA}
        loss = {"logit_bytes": base.logit_bytes, "constant_bytes": base.constant_bytes}
        recipe = replace(recipe, name=f"{base.name}-{task}", **loss) if adapts else base
    if not chunked_loss:
        return recipe
    return replace(recipe, name=f"{recipe.name}-chunked-loss", logit_bytes=recipe.logit_bytes / LOSS_PIECES)
