"""One training job on one kind of device: what every formula of the estimate reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from suanli.domain.transformer import (
    ParameterCounts,
    count_parameters,
    linears,
    lora_parameters,
    moe_layer_count,
)
from suanli.domain.workload import Task
from suanli.estimation.constants import Constants, resolve_constants
from suanli.estimation.flops import LORA_RANK, is_adapter, model_profile
from suanli.estimation.recipes import MemoryRecipe, default_recipe
from suanli.estimation.results import Device, Infeasible, ModelProfile

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture
    from suanli.domain.workload import Workload
    from suanli.estimation.arrays import FloatArray, LayoutArrays

__all__ = ["Problem", "pose"]


@dataclass(frozen=True)
class Problem:
    """Model, workload, device and constants together."""

    architecture: Architecture
    workload: Workload
    device: Device
    constants: Constants
    recipe: MemoryRecipe

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

    @cached_property
    def adapter_share(self) -> float:
        """Return adapter parameters over all parameters; 0 for full training."""
        if not self.adapter:
            return 0.0
        return lora_parameters(self.architecture, self.workload.lora_rank or LORA_RANK) / self.counts.total

    @cached_property
    def adapters_per_layer(self) -> int:
        """Return the number of adapted linear layers that one token passes in a layer."""
        return len([x for x in linears(self.architecture) if x.name != "router"]) if self.adapter else 0

    @cached_property
    def moe_layers(self) -> int:
        """Return the number of routed layers."""
        return moe_layer_count(self.architecture)

    @property
    def dies(self) -> int:
        """Return the devices that software sees in one accelerator."""
        return self.device.accelerator.dies

    @property
    def devices_per_node(self) -> int:
        """Return the devices that software sees in one server."""
        return self.device.server.accelerator_count * self.dies

    @property
    def fully_sharded(self) -> bool:
        """Tell whether the stack shards weights in the manner of FSDP."""
        return self.device.stack.sharding == "fsdp"

    def tokens(self, layouts: LayoutArrays) -> FloatArray:
        """Return the tokens that a device sees in one micro-batch: micro-batch · sequence / cp."""
        return layouts.micro_batch_size * self.workload.sequence_length / layouts.cp

    def stage_layers(self, layouts: LayoutArrays) -> FloatArray:
        """Return the layers of the fullest pipeline stage: v · ⌈L / (p · v)⌉."""
        chunks = layouts.pp * layouts.virtual_pipeline
        return np.ceil(self.architecture.layers / chunks) * layouts.virtual_pipeline


def pose(
    device: Device, architecture: Architecture, workload: Workload, recipe: MemoryRecipe | None = None
) -> Problem | Infeasible:
    """Return the problem that the formulas work on, or why the device cannot take it."""
    constants = resolve_constants(device, workload.precision)
    if isinstance(constants, Infeasible):
        return constants
    chosen = default_recipe(workload.task, device.stack.sharding) if recipe is None else recipe
    return Problem(architecture, workload, device, constants, chosen)
