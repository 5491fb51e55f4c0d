"""The sizing of one option as it is shown: layout, memory, step, goodput, the worked calculation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from suanli.domain.figure import Grade
from suanli.domain.units import BYTES_PER_GB, FLOPS_PER_TFLOP, S_PER_DAY, S_PER_HOUR, S_PER_MINUTE
from suanli.estimation.results import Range
from suanli.proposal.model import GoodputView, LayoutView, ParetoView, Share, Shown
from suanli.proposal.rounding import places, share, shown, shown_range, significant

if TYPE_CHECKING:
    from decimal import Decimal

    from suanli.estimation.results import Goodput, Layout, MemoryUse, Sizing, StepTime
    from suanli.proposal.references import References

__all__ = ["SizingFields", "sizing_fields"]

_LONG_STEP_S = 10.0


class SizingFields(TypedDict):
    """The fields of `Option` that the sizing fills."""

    peak: Shown | None
    memory_nominal: Shown
    accelerators: int
    servers: int
    layout: LayoutView
    days: Shown
    ideal_days: Shown
    untuned_days: Shown
    bound_days: Shown
    mfu: Shown
    hfu: Decimal
    tokens_per_s_per_accelerator: Shown
    memory: tuple[Share, ...]
    memory_usable: Shown
    memory_total: Shown
    memory_headroom: Decimal
    step: tuple[Share, ...]
    step_total: Shown
    communication_share: Decimal
    goodput: GoodputView
    step_losses: tuple[Share, ...]
    scaling: tuple[tuple[int, Decimal], ...]
    throughput: tuple[tuple[int, Decimal], ...]
    pareto: tuple[ParetoView, ...]
    candidates: int
    rejected: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Keys:
    """Reference keys of one sizing."""

    peak: tuple[str, ...]
    memory: tuple[str, ...]
    runs: tuple[str, ...]


def sizing_fields(sizing: Sizing, references: References) -> SizingFields:
    """Return what an option shows of its sizing, rounded."""
    keys = _keys(sizing, references)
    nominal = sizing.device.accelerator.memory
    return SizingFields(
        peak=_peak(sizing, keys),
        memory_nominal=shown(nominal.si / BYTES_PER_GB, "GB", refs=references.figure(nominal)),
        accelerators=sizing.accelerators,
        servers=sizing.nodes,
        layout=_layout(sizing.layout, sizing.device.accelerator.dies),
        days=_days(sizing, references, keys),
        ideal_days=shown(sizing.ideal_s / S_PER_DAY, "day"),
        untuned_days=shown(sizing.untuned_duration_s / S_PER_DAY, "day", refs=keys.runs),
        bound_days=shown(sizing.peak_bound_s / S_PER_DAY, "day", refs=keys.peak),
        mfu=_mfu(sizing, references, keys),
        hfu=share(sizing.hfu),
        tokens_per_s_per_accelerator=_rate(sizing, references, keys),
        memory=_memory(sizing.memory),
        memory_usable=_usable(sizing.memory, keys),
        memory_total=_memory_total(sizing, references),
        memory_headroom=share(sizing.memory.headroom_share),
        step=_step(sizing.step),
        step_total=_step_total(sizing, references, keys),
        communication_share=share(sizing.step.communication_share),
        goodput=_goodput(sizing.goodput, references),
        step_losses=_step_losses(sizing),
        scaling=tuple((count, significant(seconds / S_PER_DAY)) for count, seconds in sizing.alternatives),
        throughput=tuple(
            (count, significant(sizing.tokens / seconds)) for count, seconds in sizing.alternatives
        ),
        pareto=_pareto(sizing),
        candidates=sizing.candidates,
        rejected=dict(sorted(sizing.rejected.items())),
    )


def _keys(sizing: Sizing, references: References) -> _Keys:
    device = sizing.device
    # A device that no fit has is sized with the constants of its plugin, whose source then stands for them.
    start = next(iter(device.calibration.constants.values()), None)
    return _Keys(
        peak=references.figure(device.accelerator.dense_peak.get(sizing.precision)),
        memory=references.figure(device.accelerator.usable_memory or device.accelerator.memory),
        runs=references.fit(device.device_fit) or references.figure(start, letter="R"),
    )


def _peak(sizing: Sizing, keys: _Keys) -> Shown | None:
    peak = sizing.device.accelerator.dense_peak.get(sizing.precision)
    if peak is None:
        return None
    return shown(peak.si / FLOPS_PER_TFLOP, "TFLOPS", digits=4, refs=keys.peak, grade=peak.grade)


def _rate(sizing: Sizing, references: References, keys: _Keys) -> Shown:
    refs = (references.formula("step-time"), *keys.runs)
    return shown_range(sizing.tokens_per_s_per_accelerator, "tokens/s", refs=refs)


def _days(sizing: Sizing, references: References, keys: _Keys) -> Shown:
    refs = (references.formula("duration"), *keys.runs)
    return shown_range(sizing.duration_s, "day", scale=1 / S_PER_DAY, refs=refs)


def _mfu(sizing: Sizing, references: References, keys: _Keys) -> Shown:
    refs = (references.formula("effective-rate"), *keys.runs)
    return Shown(
        value=share(sizing.mfu.p50),
        unit="share",
        low=share(sizing.mfu.p10),
        high=share(sizing.mfu.p90),
        refs=refs,
        grade=Grade.SIBLING if sizing.device.calibration.sibling else None,
    )


def _memory_total(sizing: Sizing, references: References) -> Shown:
    refs, peak = (references.formula("memory"),), sizing.memory.peak_bytes
    if peak is None:
        return shown(sizing.memory.total_bytes / BYTES_PER_GB, "GB", refs=refs)
    shared = references.fit(sizing.device.shared)
    return shown_range(peak, "GB", scale=1 / BYTES_PER_GB, refs=(*refs, *shared))


def _usable(memory: MemoryUse, keys: _Keys) -> Shown:
    grade = Grade.DIRECT if memory.usable_measured else Grade.WEAK
    return shown(memory.usable_bytes / BYTES_PER_GB, "GB", refs=keys.memory, grade=grade)


def _layout(layout: Layout, dies: int) -> LayoutView:
    return LayoutView(
        tp=layout.tp,
        pp=layout.pp,
        cp=layout.cp,
        dp=layout.dp,
        ep=layout.ep,
        micro_batch_size=layout.micro_batch_size,
        micro_batches=layout.micro_batches,
        virtual_pipeline=layout.virtual_pipeline,
        recompute=layout.recompute,
        zero_stage=layout.zero_stage,
        sequence_parallel=layout.sequence_parallel,
        recompute_layers=layout.recompute_layers,
        shard_group=layout.shard_group,
        offload=layout.offload,
        loss_chunks=layout.loss_chunks,
        devices_per_accelerator=dies,
    )


def _pareto(sizing: Sizing) -> tuple[ParetoView, ...]:
    return tuple(
        ParetoView(
            layout=_layout(point.layout, sizing.device.accelerator.dies),
            accelerators=point.accelerators,
            tokens_per_s=significant(point.tokens_per_s),
            step_s=significant(point.step_s),
            memory_gb=places(point.memory_bytes / BYTES_PER_GB, 2),
            memory_headroom=share(point.headroom_share),
        )
        for point in sizing.pareto
    )


def _memory(memory: MemoryUse) -> tuple[Share, ...]:
    parts = {
        "weights": memory.weights_bytes,
        "gradients": memory.gradients_bytes,
        "optimizer": memory.optimizer_bytes,
        "activations": memory.activations_bytes,
        "logits": memory.logits_bytes,
        "buffers": memory.buffers_bytes,
    }
    return tuple(Share(key=key, value=places(value / BYTES_PER_GB, 2)) for key, value in parts.items())


def _step(step: StepTime) -> tuple[Share, ...]:
    parts = {
        "compute": step.compute_s,
        "recompute": step.recompute_s,
        "tp": step.tp_exposed_s,
        "cp": step.cp_exposed_s,
        "ep": step.ep_exposed_s,
        "pp": step.pp_exposed_s,
        "bubble": step.bubble_s,
        "dp": step.dp_exposed_s,
        "optimizer": step.optimizer_s,
        "other": step.other_s,
    }
    return tuple(_seconds(key, value, step) for key, value in parts.items() if value > 0)


def _seconds(key: str, value: float, step: StepTime) -> Share:
    """Return a part of a step; a hundredth of a second is enough of a long one."""
    return Share(key=key, value=places(value, 2 if step.total_s >= _LONG_STEP_S else 3))


def _step_losses(sizing: Sizing) -> tuple[Share, ...]:
    """Return what each step waits for checkpoints and interruptions, spread over all steps alike."""
    goodput, step = sizing.goodput, sizing.step
    lost = {
        "checkpoint": goodput.checkpoint_share,
        "lost-work": goodput.lost_work_share,
        "restart": goodput.restart_share,
    }
    waited = {key: share * step.total_s / goodput.share for key, share in lost.items()}
    return tuple(_seconds(key, value, step) for key, value in waited.items() if value > 0)


def _step_total(sizing: Sizing, references: References, keys: _Keys) -> Shown:
    """Return the time of a step with the range of the rate: a rate at its P90 gives the P10 of the time."""
    middle, rate = sizing.step.total_s, sizing.tokens_per_s_per_accelerator
    spread = Range(middle * rate.p50 / rate.p90, middle, middle * rate.p50 / rate.p10)
    return shown_range(spread, "s", refs=(references.formula("step-time"), *keys.runs))


def _goodput(goodput: Goodput, references: References) -> GoodputView:
    failures = references.source(goodput.failure_source)
    formula = references.formula("goodput")
    return GoodputView(
        share=Shown(value=share(goodput.share), unit="share", refs=(formula, *failures)),
        mtbf_h=shown(goodput.mtbf_s / S_PER_HOUR, "h", refs=failures),
        interruptions=shown(goodput.interruptions, "count", refs=failures),
        checkpoint=shown(goodput.checkpoint_bytes / BYTES_PER_GB, "GB"),
        interval_min=shown(goodput.checkpoint_interval_s / S_PER_MINUTE, "min", refs=(formula,)),
        write_s=shown(goodput.checkpoint_write_s, "s"),
        restart_min=shown(goodput.restart_s / S_PER_MINUTE, "min"),
        checkpoint_share=places(goodput.checkpoint_share, 4),
        lost_work_share=places(goodput.lost_work_share, 4),
        restart_share=places(goodput.restart_share, 4),
    )
