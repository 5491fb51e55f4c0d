"""One training job on one kind of device: what every formula of the estimate reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from suanli.domain.transformer import ParameterCounts, count_parameters
from suanli.domain.workload import Task
from suanli.estimation.constants import (
    Constants,
    SharedConstants,
    nic_line_bytes_per_s,
    resolve_constants,
    shared_constants,
)
from suanli.estimation.flops import is_adapter, model_profile
from suanli.estimation.numbers import ModelNumbers, model_numbers, stack
from suanli.estimation.recipes import MemoryRecipe, RecipeNumbers, default_recipe
from suanli.estimation.results import Device, Infeasible, ModelProfile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.domain.architecture import Architecture
    from suanli.domain.workload import Workload

__all__ = ["Batch", "Problem", "pose"]


@dataclass(frozen=True)
class Problem:
    """Model, workload, device and constants together."""

    architecture: Architecture
    workload: Workload
    device: Device
    constants: Constants
    recipe: MemoryRecipe
    shared: SharedConstants = field(default_factory=shared_constants)

    @property
    def model(self) -> ModelNumbers:
        """Return the numbers of the model that the formulas read."""
        return self._model

    @property
    def recipe_numbers(self) -> RecipeNumbers:
        """Return what the recipe keeps, as arrays."""
        return self._recipe_numbers

    # Type checkers accept a plain property for the protocol of the formulas, but no cached one.
    @cached_property
    def _model(self) -> ModelNumbers:
        return model_numbers(self.architecture, self.workload)

    @cached_property
    def _recipe_numbers(self) -> RecipeNumbers:
        return self.recipe.numbers

    @cached_property
    def counts(self) -> ParameterCounts:
        """Return the parameter counts."""
        return count_parameters(self.architecture)

    @cached_property
    def profile(self) -> ModelProfile:
        """Return parameters and work per token."""
        return model_profile(self.architecture, self.workload)

    @cached_property
    def adapter(self) -> bool:
        """Tell whether only adapters are trained."""
        return is_adapter(self.workload)

    @cached_property
    def quantised(self) -> bool:
        """Tell whether the frozen base is held in 4 bit."""
        return self.workload.task is Task.QLORA

    @property
    def dies(self) -> int:
        """Return the devices that software sees in one accelerator."""
        return self.device.accelerator.dies

    @property
    def line_nic_bytes_per_s(self) -> float:
        """Return the line rate between nodes of one device, as software sees it."""
        return nic_line_bytes_per_s(self.device) / self.dies

    @property
    def domain(self) -> int:
        """Return the devices of one scale-up domain, as software sees them."""
        return int(self.constants.domain)

    @property
    def devices_per_node(self) -> int:
        """Return the devices that software sees in one server."""
        return self.device.server.accelerator_count * self.dies

    @property
    def fully_sharded(self) -> bool:
        """Tell whether the stack shards weights in the manner of FSDP."""
        return self.device.stack.sharding == "fsdp"


@dataclass(frozen=True, slots=True)
class Batch:
    """Several problems stacked: every number is an array over the problems."""

    model: ModelNumbers
    constants: Constants
    shared: SharedConstants
    recipe_numbers: RecipeNumbers

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Batch:
        """Stack problems in their order. The shared constants are those of the first.

        Raises:
            ValueError: there is no problem.
        """
        return cls(
            model=stack([one.model for one in problems]),
            constants=stack([one.constants for one in problems]),
            shared=problems[0].shared,
            recipe_numbers=stack([one.recipe_numbers for one in problems]),
        )


def pose(
    device: Device, architecture: Architecture, workload: Workload, recipe: MemoryRecipe | None = None
) -> Problem | Infeasible:
    """Return the problem that the formulas work on, or why the device cannot take it."""
    constants = resolve_constants(device, workload.precision)
    if isinstance(constants, Infeasible):
        return constants
    chosen = default_recipe(workload.task, device.stack.sharding) if recipe is None else recipe
    return Problem(architecture, workload, device, constants, chosen, shared_constants(device.shared))
