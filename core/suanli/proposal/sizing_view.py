"""The sizing of one option as it is shown: layout, memory, step, goodput, the worked calculation."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, TypedDict

from suanli.domain.figure import Grade
from suanli.proposal.model import GoodputView, LayoutView, Share, Shown, WorkedStep
from suanli.proposal.rounding import places, share, shown, shown_range, significant

if TYPE_CHECKING:
    from suanli.estimation.results import Goodput, Layout, MemoryUse, Sizing, StepTime
    from suanli.proposal.references import References

__all__ = ["SizingFields", "sizing_fields"]

_DAY_S = 86_400.0
_HOUR_S = 3_600.0
_MINUTE_S = 60.0
_GB = 1e9


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
    worked: tuple[WorkedStep, ...]
    scaling: tuple[tuple[int, Decimal], ...]
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
    device = sizing.device
    peak = device.accelerator.dense_peak.get(sizing.precision)
    keys = _Keys(
        peak=references.figure(peak),
        memory=references.figure(device.accelerator.usable_memory or device.accelerator.memory),
        runs=references.figure(device.calibration.time_ratio_p50, letter="R"),
    )
    return SizingFields(
        peak=shown(peak.si / 1e12, "TFLOPS", digits=4, refs=keys.peak, grade=peak.grade) if peak else None,
        memory_nominal=shown(
            device.accelerator.memory.si / _GB, "GB", refs=references.figure(device.accelerator.memory)
        ),
        accelerators=sizing.accelerators,
        servers=sizing.nodes,
        layout=_layout(sizing.layout, device.accelerator.dies),
        days=shown_range(
            sizing.duration_s, "day", scale=1 / _DAY_S, refs=(references.formula("duration"), *keys.runs)
        ),
        ideal_days=shown(sizing.ideal_s / _DAY_S, "day"),
        untuned_days=shown(sizing.untuned_duration_s / _DAY_S, "day", refs=keys.runs),
        bound_days=shown(sizing.peak_bound_s / _DAY_S, "day", refs=keys.peak),
        mfu=_mfu(sizing, references, keys),
        hfu=share(sizing.hfu),
        tokens_per_s_per_accelerator=shown_range(
            sizing.tokens_per_s_per_accelerator,
            "tokens/s",
            refs=(references.formula("step-time"), *keys.runs),
        ),
        memory=_memory(sizing.memory),
        memory_usable=_usable(sizing.memory, keys),
        memory_total=shown(sizing.memory.total_bytes / _GB, "GB", refs=(references.formula("memory"),)),
        memory_headroom=share(sizing.memory.headroom_share),
        step=_step(sizing.step),
        step_total=shown(sizing.step.total_s, "s", refs=(references.formula("step-time"),)),
        communication_share=share(sizing.step.communication_share),
        goodput=_goodput(sizing.goodput, references),
        worked=_worked(sizing, references, keys),
        scaling=tuple((count, significant(seconds / _DAY_S)) for count, seconds in sizing.alternatives),
        candidates=sizing.candidates,
        rejected=dict(sorted(sizing.rejected.items())),
    )


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


def _usable(memory: MemoryUse, keys: _Keys) -> Shown:
    grade = Grade.DIRECT if memory.usable_measured else Grade.WEAK
    return shown(memory.usable_bytes / _GB, "GB", refs=keys.memory, grade=grade)


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
        devices_per_accelerator=dies,
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
    return tuple(Share(key=key, value=places(value / _GB, 2)) for key, value in parts.items())


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
    # A hundredth of a second is enough of a long step.
    decimals = 2 if step.total_s >= 10 else 3  # noqa: PLR2004
    return tuple(Share(key=key, value=places(value, decimals)) for key, value in parts.items() if value > 0)


def _goodput(goodput: Goodput, references: References) -> GoodputView:
    failures = references.source(goodput.failure_source)
    formula = references.formula("goodput")
    return GoodputView(
        share=Shown(value=share(goodput.share), unit="share", refs=(formula, *failures)),
        mtbf_h=shown(goodput.mtbf_s / _HOUR_S, "h", refs=failures),
        interruptions=shown(goodput.interruptions, "count", refs=failures),
        checkpoint=shown(goodput.checkpoint_bytes / _GB, "GB"),
        interval_min=shown(goodput.checkpoint_interval_s / _MINUTE_S, "min", refs=(formula,)),
        write_s=shown(goodput.checkpoint_write_s, "s"),
        restart_min=shown(goodput.restart_s / _MINUTE_S, "min"),
        checkpoint_share=places(goodput.checkpoint_share, 4),
        lost_work_share=places(goodput.lost_work_share, 4),
        restart_share=places(goodput.restart_share, 4),
    )


def _worked(sizing: Sizing, references: References, keys: _Keys) -> tuple[WorkedStep, ...]:
    """The calculation a reader can repeat with a pocket calculator, from tokens to days."""
    profile, n = sizing.profile, sizing.accelerators
    work = profile.flops_per_token * sizing.tokens
    peak = sizing.device.accelerator.peak_flops_per_s(sizing.precision) or 0.0
    rate = sizing.tokens_per_s_per_accelerator.p50 * n
    effective = n * peak * sizing.mfu.p50
    return (
        WorkedStep(
            key="training-work",
            numbers={
                "flops_per_token": significant(profile.flops_per_token, 4),
                "tokens": significant(sizing.tokens, 4),
            },
            result=shown(work, "FLOPs", digits=4),
            refs=(references.formula("training-work"),),
        ),
        WorkedStep(
            key="effective-rate",
            numbers={"accelerators": Decimal(n), "peak": significant(peak, 4), "mfu": share(sizing.mfu.p50)},
            result=shown(effective, "FLOP/s", digits=4),
            refs=(references.formula("effective-rate"), *keys.peak, *keys.runs),
        ),
        WorkedStep(
            key="step-time",
            numbers={
                "batch_tokens": significant(sizing.tokens / sizing.steps, 4),
                "rate": significant(rate, 4),
            },
            result=shown(sizing.step.total_s, "s", digits=4),
            refs=(references.formula("step-time"),),
        ),
        WorkedStep(
            key="ideal-duration",
            numbers={"steps": Decimal(sizing.steps), "step": significant(sizing.step.total_s, 4)},
            result=shown(sizing.ideal_s / _DAY_S, "day", digits=4),
            refs=(references.formula("duration"),),
        ),
        WorkedStep(
            key="duration",
            numbers={
                "ideal": significant(sizing.ideal_s / _DAY_S, 4),
                "goodput": share(sizing.goodput.share),
            },
            result=shown(sizing.duration_s.p50 / _DAY_S, "day", digits=4),
            refs=(references.formula("goodput"),),
        ),
        WorkedStep(
            key="peak-bound",
            numbers={
                "work": significant(work, 4),
                "accelerators": Decimal(n),
                "peak": significant(peak, 4),
            },
            result=shown(sizing.peak_bound_s / _DAY_S, "day", digits=4),
            refs=keys.peak,
        ),
        WorkedStep(
            key="six-n-check",
            numbers={
                "six_n": significant(profile.six_n_flops_per_token, 4),
                "flops_per_token": significant(profile.flops_per_token, 4),
            },
            result=Shown(value=share(profile.six_n_flops_per_token / profile.flops_per_token), unit="share"),
            refs=(references.formula("training-work"),),
        ),
    )
