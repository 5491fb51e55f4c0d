"""Turns a published run into a problem of the estimator: device, model, workload, and the layout it states.

Rules read fields and the stack; nothing looks at ids or at names of models. What a record leaves open is
None in the pins, to be searched, and what the problem cannot do without is assumed by a stated policy and
listed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import NicRole, Precision
from suanli.domain.workload import LayoutPins, Task, Workload
from suanli.validation.links import nic_bytes_per_s
from suanli.validation.options import Options, World, options_of
from suanli.validation.run_devices import RunDevice, device_of
from suanli.validation.run_recipes import recipe_of
from suanli.validation.shapes import adapted_linears, architecture_of
from suanli.validation.stacks import habits_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.architecture import Architecture
    from suanli.domain.catalogue import Catalogue
    from suanli.estimation.recipes import MemoryRecipe
    from suanli.estimation.results import Device
    from suanli.validation.options import Evidence
    from suanli.validation.schema import RunRecord

__all__ = ["Posed", "pose_run"]

_TASKS: Final[Mapping[str | None, Task]] = MappingProxyType(
    {
        "pretrain": Task.PRETRAIN,
        "full_finetune": Task.FULL_FINETUNE,
        "lora": Task.LORA,
        "qlora": Task.QLORA,
    }
)
_PRECISIONS: Final[Mapping[str | None, Precision]] = MappingProxyType(
    {
        "bf16": Precision.BF16,
        "fp16": Precision.FP16,
        "fp8": Precision.FP8,
        "mxfp8": Precision.FP8,
        "fp4": Precision.FP4,
        "nvfp4": Precision.FP4,
        # Quantised weights are multiplied in 16 bit.
        "int4-weights+fp16": Precision.FP16,
        "int8-weights+fp16": Precision.FP16,
    }
)
_WIDER: Final = (Precision.FP4, Precision.FP8, Precision.BF16, Precision.FP16)
"""Formats in the order in which a device that lacks one falls back on the next."""

_PRETRAIN_SEQUENCE, _FINETUNE_SEQUENCE = 4096, 2048
_PRETRAIN_DEVICES, _FINETUNE_DEVICES = 512, 8
_BATCH_TOKENS: Final = 4e6
"""Tokens of a step of pre-training where neither batch nor layout are known: the usual size."""
_LARGEST_BATCH_TOKENS: Final = 16.8e6
"""Tokens of the largest published step (Dubey et al., "The Llama 3 Herd of Models", 2024, section 3.4)."""
_MICRO_BATCHES_PER_STAGE: Final = 5
"""Micro-batches over pipeline stages where the batch is unknown: the ratio of published rates with and
without interleaving on four stages implies about 20."""


@dataclass(frozen=True, slots=True)
class Posed:
    """One run as the estimator takes it."""

    record: RunRecord
    device: Device
    architecture: Architecture
    workload: Workload
    recipe: MemoryRecipe
    pins: LayoutPins
    """What the record states, completed by the habits of the stack; None is to be searched."""
    devices: int
    """Of the run, as software sees them."""
    micro_batches: int | None
    """Per step and pipeline; None where the micro-batch or the layout are unknown."""
    nic_bytes_per_s: float | None
    """Line rate between nodes for one device as software sees it; None where it is not stated."""
    domain: int | None
    """Devices of the scale-up domain, as software sees them, where it is not the server's."""
    evidence: Evidence
    devices_per_unit: int = 1
    """Devices that software sees in one that the record counts and states rates for."""
    lora_targets: tuple[str, ...] | None = None
    """Matrices that carry adapters; None where not stated, and for full training."""
    assumed: tuple[str, ...] = ()
    """Fields that the record leaves out and a policy fills in."""

    @property
    def accelerators(self) -> float:
        """Return the devices as the record counts them."""
        return self.devices / self.devices_per_unit


def pose_run(record: RunRecord, catalogue: Catalogue) -> Posed | str:
    """Return a run as a problem, or why it is none: no plugin has the device, or the shape is not stated."""
    found = device_of(record, catalogue)
    if isinstance(found, str):
        return found
    shape = architecture_of(record.model)
    if isinstance(shape, str):
        return shape
    architecture, assumed = shape[0], list(shape[1])
    task = _task(record, assumed)
    sequence = _sequence(record, task, assumed)
    devices = _devices(record, task, found, assumed)
    batch = _batch(record, task, sequence, devices, assumed)
    stack = found.device.stack
    options = options_of(record, stack, architecture, World(devices, found.devices_per_node, batch))
    workload = Workload(
        task=task,
        sequence_length=sequence,
        global_batch_size=batch,
        precision=_precision(record, found, assumed),
        tokens=record.measured.total_tokens,
        stack=stack.id,
        lora_rank=_lora_rank(record, task),
    )
    return _posed(record, found, architecture, workload, options, tuple(assumed))


def _posed(  # noqa: PLR0913, PLR0917 - the parts of a run
    record: RunRecord,
    found: RunDevice,
    architecture: Architecture,
    workload: Workload,
    options: Options,
    assumed: tuple[str, ...],
) -> Posed:
    adapter = workload.task in {Task.LORA, Task.QLORA}
    devices = _world(record, found, workload.task)[0]
    return Posed(
        record=record,
        device=found.device,
        architecture=architecture,
        workload=workload,
        recipe=recipe_of(
            found.device.stack, workload.task, record.source.family, devices, workload.precision
        ),
        pins=options.pins,
        devices=devices,
        micro_batches=options.micro_batches,
        nic_bytes_per_s=_nic(record, found),
        domain=found.domain,
        evidence=options.evidence,
        devices_per_unit=found.devices_per_unit,
        lora_targets=adapted_linears(record.lora.targets, architecture) if adapter and record.lora else None,
        assumed=(*assumed, *options.assumed),
    )


def _task(record: RunRecord, assumed: list[str]) -> Task:
    """Return the task; a run that states adapters trains them, any other unknown one pre-trains."""
    if record.task is None:
        assumed.append("task")
        return Task.LORA if record.lora is not None and record.lora.rank else Task.PRETRAIN
    return _TASKS[record.task]


def _sequence(record: RunRecord, task: Task, assumed: list[str]) -> int:
    """Return the sequence length: stated, tokens over samples of a step, or the longest example."""
    batch = record.global_batch
    derived = round(batch.tokens / batch.samples) if batch.samples and batch.tokens else None
    stated = record.sequence_length or derived or record.extra.longest_example_tokens
    if stated:
        return stated
    assumed.append("sequence_length")
    return _PRETRAIN_SEQUENCE if task is Task.PRETRAIN else _FINETUNE_SEQUENCE


def _world(record: RunRecord, found: RunDevice, task: Task) -> tuple[int, bool]:
    """Return the devices as software sees them, and whether they are stated or follow from the layout.

    A stated layout that does not divide the stated devices is trusted before them.
    """
    parallel, unit = record.parallel, found.devices_per_unit
    model = (parallel.tp or 1) * (parallel.pp or 1) * (parallel.cp or 1)
    devices = (record.num_accelerators or 0) * unit
    if devices and devices % model == 0:
        return devices, True
    if parallel.tp and parallel.pp and (parallel.dp or devices):
        return model * (parallel.dp or max(1, devices // model)), bool(parallel.dp)
    if devices > model:
        return devices, True
    usual = _PRETRAIN_DEVICES if task is Task.PRETRAIN else _FINETUNE_DEVICES
    return math.ceil(max(usual * unit, model) / model) * model, False


def _devices(record: RunRecord, task: Task, found: RunDevice, assumed: list[str]) -> int:
    devices, stated = _world(record, found, task)
    if not stated:
        assumed.append("num_accelerators")
    return devices


def _batch(record: RunRecord, task: Task, sequence: int, devices: int, assumed: list[str]) -> int:
    """Return the sequences of a step: stated, or tokens over the sequence length, or the usual number."""
    stated = record.global_batch
    batch = stated.samples or round((stated.tokens or 0) / sequence)
    if batch:
        return batch
    assumed.append("global_batch")
    parallel = record.parallel
    if parallel.tp and parallel.pp:
        return _batch_of_layout(record, sequence, devices)
    if task is not Task.PRETRAIN:
        return devices
    return max(1, round(_BATCH_TOKENS / sequence / devices)) * devices


def _batch_of_layout(record: RunRecord, sequence: int, devices: int) -> int:
    """Return the batch of a known layout: b · dp · m, with m = 5 p within the largest published step.

    Without a pipeline m is 1; with one it is p at least.
    """
    parallel = record.parallel
    stages = parallel.pp or 1
    replicas = max(1, devices // ((parallel.tp or 1) * stages * (parallel.cp or 1)))
    local = (record.micro_batch or 1) * replicas
    if stages == 1:
        return local
    most = math.floor(_LARGEST_BATCH_TOKENS / (local * sequence))
    return local * max(stages, min(_MICRO_BATCHES_PER_STAGE * stages, most))


def _precision(record: RunRecord, found: RunDevice, assumed: list[str]) -> Precision:
    """Return the format of the matrix products: stated, the stack's habit, or 16 bit.

    A format that the device lacks gives way to the next wider one.
    """
    stated = _PRECISIONS.get(record.precision)
    wanted = stated or habits_of(found.device.stack).precision or Precision.BF16
    order = (*_WIDER[_WIDER.index(wanted) :], *_WIDER[::-1])
    peak = found.device.accelerator.peak_flops_per_s
    taken = next((one for one in order if peak(one) is not None), wanted)
    if taken is not stated:
        assumed.append("precision")
    return taken


def _lora_rank(record: RunRecord, task: Task) -> int:
    return (record.lora.rank or 0) if record.lora is not None and task in {Task.LORA, Task.QLORA} else 0


def _nic(record: RunRecord, found: RunDevice) -> float | None:
    ports = [nic for nic in found.device.server.nics if nic.role is NicRole.COMPUTE]
    port = ports[0].rate.si if ports else None
    unit = found.devices_per_unit
    rate = nic_bytes_per_s(
        record.inter_node_link, per_node=max(1, found.devices_per_node // unit), port_bytes_per_s=port
    )
    return None if rate is None else rate / unit
