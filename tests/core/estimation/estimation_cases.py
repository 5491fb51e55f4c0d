"""Catalogue, devices and requirements shared by the tests of the estimation."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from tests.architectures import LLAMA_2_7B

from suanli.domain.architecture import Architecture, ModelRecord
from suanli.domain.catalogue import Catalogue, Provenance
from suanli.domain.figure import (
    Bytes,
    BytesPerSecond,
    Check,
    Confidence,
    Figure,
    FlopsPerSecond,
    Number,
    Seconds,
)
from suanli.domain.hardware import (
    Accelerator,
    Collective,
    Cooling,
    Nic,
    NicRole,
    Precision,
    ScaleUp,
    Server,
    Topology,
)
from suanli.domain.money import Money
from suanli.domain.record import Text
from suanli.domain.vendor import Calibration, SoftwareStack
from suanli.domain.workload import (
    ClusterWish,
    Commercial,
    LayoutPins,
    ModelChoice,
    Objective,
    ProjectInfo,
    ProposalType,
    Recompute,
    Requirement,
    Rounding,
    Site,
    SolveFor,
    Task,
    Track,
    VendorChoice,
    Workload,
)
from suanli.estimation.fitted import with_fits
from suanli.estimation.problem import Problem, pose
from suanli.estimation.results import Device, Infeasible, Layout
from suanli.plugin import load_records

if TYPE_CHECKING:
    from suanli.estimation.recipes import MemoryRecipe

from datetime import date
from decimal import Decimal

DAY_S = 86400.0

LLAMA2_7B = LLAMA_2_7B


@cache
def catalogue() -> Catalogue:
    """Return the records of the built-in plugins."""
    plugins = ("suanli_common", "suanli_ascend", "suanli_nvidia", "suanli_amd")
    return Catalogue.of(
        (record, Provenance(plugin, plugin, "0")) for plugin in plugins for record in load_records(plugin)
    )


def model(model_id: str) -> Architecture:
    """Return the shape of a catalogue model."""
    return catalogue().get(ModelRecord, model_id).architecture


def device(accelerator_id: str, server_id: str, stack_id: str) -> Device:
    """Return a device of the catalogue under a stack, as the plugin gives both, before any fit."""
    known = catalogue()
    calibration = next(one for one in known.all(Calibration) if one.accelerator == accelerator_id)
    collectives = tuple(one for one in known.all(Collective) if one.accelerator == accelerator_id)
    return Device(
        known.get(Accelerator, accelerator_id),
        known.get(Server, server_id),
        calibration,
        known.get(SoftwareStack, stack_id),
        None,
        collectives,
    )


def shipped(accelerator_id: str, server_id: str, stack_id: str) -> Device:
    """Return a device of the catalogue under a stack as a sizing takes it: with what was fitted for both."""
    return with_fits(device(accelerator_id, server_id, stack_id), catalogue())


def h100(stack_id: str = "megatron-core") -> Device:
    """Return an eight-way H100 server."""
    return device("h100-sxm", "dgx-h100", stack_id)


def ascend(stack_id: str = "mindspeed") -> Device:
    """Return an eight-way Ascend 910B server."""
    return device("ascend-910b2", "atlas-800t-a2", stack_id)


F = TypeVar("F", bound=Figure)


def figure(kind: type[F], value: float, unit: str) -> F:
    """Return a figure of a dimension, measured and read directly."""
    return kind(value=value, unit=unit, source="src", confidence=Confidence.MEASURED, check=Check.DIRECT)


def number(value: float) -> Number:
    """Return a dimensionless figure."""
    return figure(Number, value, "fraction")


def plain_device(  # noqa: PLR0913, PLR0917 - one argument a field
    memory_gb: float = 80.0,
    usable_gib: float | None = None,
    sharding: str = "distributed-optimizer",
    topology: Topology = Topology.SWITCHED,
    nodes_of: int = 8,
    constants: dict[str, Number | Seconds] | None = None,
) -> Device:
    """Return a hand-made device: 400 TFLOPS, 2 TB/s, 300 GB/s links, eight 200 Gbit/s ports, nothing
    calibrated.
    """
    accelerator = Accelerator(
        id="acme-x1",
        name=Text(zh="甲", en="X1"),
        vendor="acme",
        maker=Text(zh="甲", en="Acme"),
        dense_peak={Precision.BF16: figure(FlopsPerSecond, 400, "TFLOPS")},
        memory=figure(Bytes, memory_gb, "GB"),
        usable_memory=None if usable_gib is None else figure(Bytes, usable_gib, "GiB"),
        memory_bandwidth=figure(BytesPerSecond, 2, "TB/s"),
        scale_up=ScaleUp(name="link", topology=topology, per_device=figure(BytesPerSecond, 300, "GB/s")),
    )
    server = Server(
        id="acme-box",
        name=Text(zh="箱", en="Box"),
        vendor="acme",
        maker=Text(zh="甲", en="Acme"),
        accelerator="acme-x1",
        accelerator_count=nodes_of,
        scale_up_domain=nodes_of,
        nics=(Nic(role=NicRole.COMPUTE, count=nodes_of, rate=figure(BytesPerSecond, 200, "Gbit/s")),),
    )
    calibration = Calibration(id="calibration-acme", accelerator="acme-x1", constants=constants or {})
    stack = SoftwareStack(
        id="plain",
        name=Text(zh="栈", en="Stack"),
        vendors=("acme",),
        sharding=sharding,
        constants={"compute_factor": number(1.0)},
    )
    return Device(accelerator, server, calibration, stack, None)


def workload(  # noqa: PLR0913, PLR0917 - one argument a field
    task: Task = Task.PRETRAIN,
    sequence_length: int = 4096,
    global_batch_size: int = 512,
    tokens: float | None = 1e12,
    deadline_days: float | None = None,
    precision: Precision = Precision.BF16,
    lora_rank: int = 0,
) -> Workload:
    """Return a training job."""
    return Workload(
        task,
        sequence_length,
        global_batch_size,
        precision,
        tokens,
        deadline_s=None if deadline_days is None else deadline_days * DAY_S,
        lora_rank=lora_rank,
    )


def problem(
    chosen: Device, architecture: Architecture, job: Workload, recipe: MemoryRecipe | None = None
) -> Problem:
    """Return a problem that the device can take."""
    posed = pose(chosen, architecture, job, recipe)
    assert not isinstance(posed, Infeasible)
    return posed


def layout(  # noqa: PLR0913, PLR0917 - one argument a field
    tp: int = 1,
    pp: int = 1,
    cp: int = 1,
    dp: int = 1,
    ep: int = 1,
    micro_batch_size: int = 1,
    micro_batches: int = 1,
    virtual_pipeline: int = 1,
    recompute: Recompute = Recompute.NONE,
    zero_stage: int = 1,
    *,
    sequence_parallel: bool = True,
) -> Layout:
    """Return a layout."""
    return Layout(
        tp,
        pp,
        cp,
        dp,
        ep,
        micro_batch_size,
        micro_batches,
        virtual_pipeline,
        recompute,
        zero_stage,
        sequence_parallel,
    )


def requirement(  # noqa: PLR0913, PLR0917 - one argument a field
    architecture: Architecture,
    job: Workload,
    solve_for: SolveFor = SolveFor.ACCELERATORS,
    accelerators: int | None = None,
    pins: LayoutPins | None = None,
    vendors: VendorChoice | None = None,
) -> Requirement:
    """Return a complete project around a job."""
    name = Text(zh="模型", en="Model")
    return Requirement(
        ProjectInfo(
            name, name, ProposalType.INTERNAL_APPROVAL, Track.ENTERPRISE, ("zh",), date(2026, 11, 30)
        ),
        "pretrain-34b-70b",
        ModelChoice(name, architecture, "catalogue"),
        job,
        solve_for,
        Objective.COST,
        pins or LayoutPins(),
        ClusterWish(accelerators=accelerators),
        Site("CN", Decimal("1.25"), Money(Decimal("0.5"), "CNY"), None, 35e3, Cooling.AIR),
        vendors or VendorChoice(("ascend", "nvidia", "amd")),
        Commercial(
            "CNY",
            None,
            5,
            Decimal("0.06"),
            Decimal("0.13"),
            Decimal("0.09"),
            Decimal("0.06"),
            (),
            Rounding.LINE,
            90,
            5,
            Decimal(0),
            Decimal("0.05"),
            3,
            Decimal("0.02"),
        ),
    )


def with_cluster(wanted: Requirement, accelerators: int | None) -> Requirement:
    """Return a requirement with another pinned cluster."""
    return replace(wanted, cluster=ClusterWish(accelerators=accelerators))
