"""The worked calculation of an option: five steps from the model to the money, for a calculator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from suanli.domain.figure import Source
from suanli.domain.units import S_PER_DAY
from suanli.estimation.results import Constraint
from suanli.explaining.path import explain
from suanli.proposal.worked_lines import WorkedBook
from suanli.proposal.worked_money import money_lines, server_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.workload import Requirement
    from suanli.estimation.goodput import FailureModel
    from suanli.estimation.results import ModelProfile, Sizing
    from suanli.explaining.lines import Line
    from suanli.explaining.origins import Origin
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.model import Option, WorkedLine
    from suanli.proposal.references import References

__all__ = ["FAILS_AT", "failed_calculation", "worked_calculation"]

FAILS_AT: Final[Mapping[Constraint, str]] = {
    Constraint.PRECISION: "rate",
    Constraint.CALIBRATION: "rate",
    Constraint.NETWORK: "rate",
    Constraint.DEADLINE: "time",
    Constraint.BATCH: "time",
    Constraint.MEMORY: "memory",
    Constraint.NODE: "cost",
    Constraint.PINNED: "cost",
    Constraint.BUDGET: "cost",
}
"""The step of the chain at which each constraint ends it."""

_PAPERS: Final = {
    "kaplan": "training-work",
    "lora": "training-work",
    "flash": "training-work",
    "narayanan": "step-time",
    "roofline": "step-time",
    "zero": "memory",
    "zero-offload": "memory",
    "korthikanti": "memory",
    "young": "goodput",
    "palm": "effective-rate",
}
"""Formula of the annex that a paper behind a line belongs to."""

_UNITS: Final = {
    "FLOPs/token": "flops-per-token",
    "days": "day",
    "sequences": "sequence",
    "steps": "step",
    "parameters": "parameter",
    "bytes": "bytes",
    "s": "s",
    "share": "share",
}


@dataclass(frozen=True, slots=True)
class _Chain:
    """What the lines are taken from, and where they are kept."""

    sizing: Sizing
    path: Mapping[str, Line]
    book: WorkedBook
    references: References

    def take(self, group: str, *keys: str, figures: Mapping[str, str] | None = None) -> None:
        """Take lines of the path, those that it has, with the numbers that the book already shows."""
        for key in keys:
            line = self.path.get(key)
            if line is None:
                continue
            self.book.given(
                **{name: value for name, value in line.numbers.items() if name not in self.book.values}
            )
            self.book.line(
                key,
                line.symbol,
                line.formula,
                _UNITS[line.unit],
                group=group,
                figure=(figures or {}).get(key, ""),
                refs=tuple(ref for origin in line.origins for ref in self.keys(origin)),
            )

    def keys(self, origin: Origin) -> tuple[str, ...]:
        """Return the reference keys of an origin, none for what has no entry in the annexes."""
        device = self.sizing.device
        fits = {fit.id: fit for fit in (device.shared, device.device_fit, device.stack_fit) if fit}
        if origin.id in fits:
            return self.references.fit(fits[origin.id])
        if origin.kind == "paper":
            return (self.references.formula(_PAPERS[origin.id]),) if origin.id in _PAPERS else ()
        found = self.references.catalogue.find(Source, origin.id)
        return self.references.source(origin.id) if found is not None else ()


def worked_calculation(
    option: Option,
    plan: ClusterPlan,
    requirement: Requirement,
    failures: FailureModel,
    references: References,
) -> tuple[WorkedLine, ...]:
    """Return the lines of a sized option, in the order of the chain.

    Args:
        option: its figures, which the lines end in.
        plan: its plan.
        requirement: the job.
        failures: the failure model that it was sized with.
        references: gives keys to sources.
    """
    path = explain(plan.sizing, requirement, references.catalogue, failures)
    chain = _Chain(plan.sizing, {line.key: line for line in path.lines}, WorkedBook(), references)
    chain.book.given(**_stated(plan.sizing, path.values))
    _work(chain)
    _rate(chain)
    _time(chain)
    _memory(chain)
    server_line(option, plan, chain.book, references)
    money_lines(option, chain.book, references)
    return tuple(chain.book.lines)


def _stated(sizing: Sizing, values: Mapping[str, float]) -> dict[str, float]:
    """Return what lines of this chain put in beside the numbers of the path's own lines."""
    ranges = {name: values[name] for name in ("r_p10", "r_p50", "r_p90")}
    return ranges | {"cards": sizing.accelerators, "P_card": values["P_card"], "tokens": sizing.tokens}


def _work(chain: _Chain) -> None:
    chain.take(
        "work", "work.multiplied", "work.matrix-flops", "work.attention-flops", "work.flops", "work.six-n"
    )
    refs = (chain.references.formula("training-work"),)
    chain.book.line("work.total", "C", "tokens·F", "flops", group="work", refs=refs)


def _rate(chain: _Chain) -> None:
    """Add the step by cause, the utilisation with its range, and the rate of the cluster."""
    book, device = chain.book, chain.sizing.device
    chain.take("rate", "step.total", "run.step", "run.batch", figures={"run.step": "step_total"})
    book.given(s=chain.path["run.rate"].numbers["s"])
    palm = (chain.references.formula("effective-rate"),)
    peak = chain.references.figure(device.accelerator.dense_peak.get(chain.sizing.precision))
    fit = chain.references.fit(device.shared)
    book.line(
        "rate.mfu",
        "MFU",
        "batch·s·F/(t_50·cards·P_card)",
        "share",
        group="rate",
        figure="mfu",
        refs=(*palm, *peak),
    )
    book.line("rate.mfu-p10", "MFU_p10", "MFU·r_p10/r_p50", "share", group="rate", refs=fit)
    book.line("rate.mfu-p90", "MFU_p90", "MFU·r_p90/r_p50", "share", group="rate", refs=fit)
    book.line("rate.effective", "F_eff", "cards·P_card·MFU", "flops-per-s", group="rate", refs=(*palm, *peak))


def _time(chain: _Chain) -> None:
    """Add the days: steps, interruptions, range, and the bound that no software can beat."""
    chain.take("time", "run.steps")
    # The step once more, from the effective rate: both ways must lead to the same seconds.
    chain.book.line("time.step", "t_check", "batch·s·F/F_eff", "s", group="time", figure="step_total")
    chain.take(
        "time",
        *("run.ideal", "run.mtbf", "run.interval", "run.goodput"),
        *("run.duration", "run.duration-p10", "run.duration-p90", "run.bound"),
        figures={
            "run.ideal": "ideal_days",
            "run.duration": "days",
            "run.goodput": "goodput.share",
            "run.bound": "bound_days",
        },
    )


def _memory(chain: _Chain) -> None:
    parts = ("weights", "gradients", "optimizer", "kept", "activations", "logits", "buffers", "total", "free")
    chain.take(
        "memory",
        *("memory.dense-parameters", "memory.head-parameters", "memory.expert-parameters"),
        *(f"memory.{part}" for part in parts),
        figures={"memory.total": "memory_total", "memory.free": "memory_headroom"},
    )


def failed_calculation(
    option: Option, profile: ModelProfile, requirement: Requirement, references: References
) -> tuple[WorkedLine, ...]:
    """Return the lines of an option that was not sized, down to what it is short of."""
    book, job = WorkedBook(), requirement.workload
    refs = (references.formula("training-work"),)
    book.given(F_mm=profile.matmul_flops_per_token, F_att=profile.attention_flops_per_token)
    book.line("work.flops", "F", "F_mm + F_att", "flops-per-token", group="work", refs=refs)
    if job.tokens:
        book.given(tokens=job.tokens * max(job.epochs, 1.0))
        book.line("work.total", "C", "tokens·F", "flops", group="work", refs=refs)
    if job.tokens and job.deadline_s and FAILS_AT[option.binding] == "time":
        book.given(deadline=job.deadline_s / S_PER_DAY)
        book.line("time.needed", "F_need", "C/(deadline·86400)", "flops-per-s", group="time")
    if option.shortfall is not None and option.shortfall[0].value > option.shortfall[1].value:
        need, have = option.shortfall
        book.values |= {"need": need.value, "have": have.value}
        book.line("fails.short", "short", "need − have", need.unit, group=FAILS_AT[option.binding])
    return tuple(book.lines)
