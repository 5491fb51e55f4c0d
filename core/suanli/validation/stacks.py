"""Which stack a published run was made with, and what each stack leaves unsaid.

A record names its source family; the family stands for the software stack. What a source does not state is
then read by the habits of that stack: they are the only knowledge of software here, and nothing looks at ids
or at names of models.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Precision
from suanli.domain.vendor import SoftwareStack
from suanli.domain.workload import Recompute

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.catalogue import Catalogue
    from suanli.validation.schema import RunRecord

__all__ = ["FAMILY_STACKS", "HABITS", "Habits", "Schedule", "habits_of", "shards_weights", "stack_of"]

FAMILY_STACKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "amd_primus": "primus",
        "dgxc_benchmarking": "dgxc-recipes",
        "hf_peft": "huggingface-deepspeed",
        "huawei_ci_baselines": "mindspeed",
        "huawei_mindformers": "mindformers",
        "huawei_mindspeed": "mindspeed",
        "huawei_modellink": "mindspeed",
        "internevo": "internevo",
        "korthikanti2022": "megatron-2022",
        "litgpt": "huggingface-deepspeed",
        "llm_foundry": "llm-foundry",
        "megatron_bridge": "megatron-bridge",
        "megatron_lm": "megatron-core",
        "mlperf_training": "mlperf",
        "nemo_2407": "nemo-24.07",
        "pytorch_fsdp_blog": "pytorch-fsdp",
        "qwen_finetune": "huggingface-deepspeed",
        "simumax_b200": "megatron-core",
        "torchtitan": "torchtitan",
        "torchtune": "huggingface-deepspeed",
        "vtrain": "megatron-2021",
    }
)
"""Stack by source family. A family that mixes stacks, or that is not here, gets the vendor's default."""

_PREDECESSORS: Final[Mapping[str, tuple[str, int]]] = MappingProxyType(
    {"megatron-core": ("megatron-2021", 2022)}
)
"""The generation of a stack that runs of a year or earlier were made with: fused attention and the sharded
optimizer came into Megatron in 2023."""

_FULLY_SHARDED: Final = "fsdp"


class Schedule(StrEnum):
    """What it means that a source says nothing of virtual pipeline stages."""

    PLAIN = "plain"
    """The stack does not interleave unless it is told to."""
    TUNED = "tuned"
    """Recipes interleave as a rule: unknown."""
    AS_STATED = "as-stated"
    """Plain where the source states micro-batch and recomputation, else unknown."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How a stack runs where nothing is said; None is not known."""

    schedule: Schedule = Schedule.AS_STATED
    sequence_parallel: bool | None = None
    """Beside tensor parallelism."""
    recompute: Recompute | None = None
    precision: Precision | None = None
    """Where the device has it; 16 bit else."""
    local_batch: bool = False
    """Under a pipeline the stated micro-batch is that of the rank, which is split into one for each stage."""
    shards_in_node: bool = False
    """ZeRO spreads states over the devices of a node and no further."""


HABITS: Final[Mapping[str, Habits]] = MappingProxyType(
    {
        "megatron-2021": Habits(schedule=Schedule.PLAIN, sequence_parallel=False),
        "megatron-2022": Habits(schedule=Schedule.PLAIN),
        "mindspeed": Habits(schedule=Schedule.PLAIN),
        "mindformers": Habits(schedule=Schedule.PLAIN),
        "nemo-24.07": Habits(schedule=Schedule.TUNED, sequence_parallel=True),
        "dgxc-recipes": Habits(schedule=Schedule.TUNED, sequence_parallel=True),
        "megatron-bridge": Habits(schedule=Schedule.TUNED, sequence_parallel=True),
        "mlperf": Habits(schedule=Schedule.TUNED, sequence_parallel=True, precision=Precision.FP8),
        "torchtitan": Habits(sequence_parallel=True, local_batch=True),
        "primus": Habits(schedule=Schedule.PLAIN),
        "internevo": Habits(shards_in_node=True),
        "huggingface-deepspeed": Habits(recompute=Recompute.FULL),
    }
)
"""Habits by stack; a stack that is not here has none."""


_FAMILY_RECOMPUTE: Final[Mapping[str, Recompute]] = MappingProxyType({"litgpt": Recompute.NONE})
"""What a family recomputes where it says nothing, other than its stack."""


def habits_of(stack: SoftwareStack, family: str | None = None) -> Habits:
    """Return the habits of a stack, with what a source family does otherwise."""
    habits = HABITS.get(stack.id, Habits())
    recompute = _FAMILY_RECOMPUTE.get(family or "")
    return habits if recompute is None else replace(habits, recompute=recompute)


def shards_weights(record: RunRecord) -> bool:
    """Tell whether a record says that weights are sharded over data-parallel ranks, without a pipeline."""
    parallel = record.parallel
    return (parallel.zero_stage == 3 or bool(parallel.fsdp)) and (parallel.pp or 1) == 1  # noqa: PLR2004


def stack_of(record: RunRecord, catalogue: Catalogue, vendor: str) -> SoftwareStack | None:
    """Return the stack that a run was made with: that of its family if the vendor has it, else a default.

    The default is the vendor's for adapters or for full training; a run that says that it shards weights
    takes the vendor's fully sharded stack instead. None where the vendor has no stack at all.
    """
    year = record.source.year
    named = catalogue.find(SoftwareStack, FAMILY_STACKS.get(record.source.family or "", ""))
    if named is None or vendor not in named.vendors:
        named = _default(record, catalogue, vendor)
    older = _PREDECESSORS.get(named.id) if named is not None else None
    if older is None or year is None or year > older[1]:
        return named
    return catalogue.find(SoftwareStack, older[0]) or named


def _default(record: RunRecord, catalogue: Catalogue, vendor: str) -> SoftwareStack | None:
    stacks = [one for one in catalogue.all(SoftwareStack) if vendor in one.vendors]
    adapter = record.task in {"lora", "qlora"}
    wanted = [one for one in stacks if vendor in (one.default_for_lora if adapter else one.default_for)]
    if not adapter and shards_weights(record):
        # The least specialised of several is the one that serves most vendors.
        sharded = [one for one in stacks if one.sharding == _FULLY_SHARDED]
        wanted = sorted(sharded, key=lambda one: (-len(one.vendors), one.id)) or wanted
    plain = [one for one in stacks if vendor in one.default_for]
    return next(iter(wanted or plain or stacks), None)
