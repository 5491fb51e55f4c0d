"""Which memory recipe a question is about: that of the stack, or a named one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.domain.workload import Task
from suanli.estimation.recipes import RECIPES, default_recipe

if TYPE_CHECKING:
    from suanli.estimation.recipes import MemoryRecipe

__all__ = ["recipe_of"]


def recipe_of(task: Task, sharding: str, named: str = "") -> MemoryRecipe:
    """Return the recipe of a task.

    A named recipe says all for full training. Adapters keep their own states, and take from it what the loss
    and the context need.

    >>> recipe_of(Task.LORA, "zero", "pure-bf16").constant_bytes
    500000000.0
    """
    recipe = default_recipe(task, sharding)
    if not named:
        return recipe
    base = RECIPES[named]
    adapts = task in {Task.LORA, Task.QLORA}
    loss = {"logit_bytes": base.logit_bytes, "constant_bytes": base.constant_bytes}
    return replace(recipe, name=f"{base.name}-{task}", **loss) if adapts else base
