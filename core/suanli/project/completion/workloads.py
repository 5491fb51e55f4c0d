"""The training job: task, tokens, batch, precision, and which quantity is the unknown."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.hardware import Precision
from suanli.domain.transformer import count_parameters
from suanli.domain.workload import Objective, SolveFor, Task, Workload
from suanli.project.completion.devices import check_stack
from suanli.project.completion.draft import Default
from suanli.project.quantities import spell_count
from suanli.project.sections import LORA_TASKS

if TYPE_CHECKING:
    from suanli.domain.workload import ModelChoice
    from suanli.project.completion.draft import Draft, ScenarioDefaults

__all__ = ["advise", "complete_objective", "complete_unknown", "complete_workload"]

_CONFIDENCE = 0.9


def complete_workload(draft: Draft, defaults: ScenarioDefaults, model: ModelChoice) -> Workload:
    """Return the job with the scenario's defaults where the file leaves something open."""
    section = draft.project.file.workload
    task = _task(draft, defaults)
    precision = draft.given_or(
        section.precision,
        "workload.precision",
        Precision.BF16,
        Default(
            "bf16",
            "大模型训练的通行格式，各厂商均可比。",
            "The usual format of training, comparable across vendors.",
        ),
    )
    length = _sequence_length(draft, defaults, model)
    epochs = _number(draft, "epochs", section.epochs, defaults.epochs)
    runs = _number(draft, "runs_per_year", section.runs_per_year, defaults.runs_per_year)
    confidence = draft.given_or(
        None if section.deadline_confidence is None else float(section.deadline_confidence),
        "workload.deadline_confidence",
        _CONFIDENCE,
        Default(
            "90%", "按 P90 工期判定能否按期完成。", "The P90 duration decides whether the deadline is met."
        ),
    )
    stack, tuned = _stack(draft)
    return Workload(
        task=task,
        sequence_length=length,
        global_batch_size=_batch(draft, defaults, length),
        precision=precision,
        tokens=None if section.tokens is None else section.tokens * epochs,
        epochs=epochs,
        deadline_s=section.deadline,
        deadline_confidence=confidence,
        runs_per_year=runs,
        stack=stack,
        tuned=tuned,
        lora_rank=_rank(draft, defaults, task),
        capacity_factor=_capacity(draft, model),
    )


def _task(draft: Draft, defaults: ScenarioDefaults) -> Task:
    given = draft.project.file.workload.task
    if given is not None and given not in defaults.tasks:
        allowed = f"the scenario {draft.project.scenario} has: {', '.join(defaults.tasks)}"
        draft.fault(
            "workload.task",
            f'"{given}" is not a task of the scenario',
            allowed,
            "choose another scenario or task",
        )
    first = defaults.tasks[0]
    return draft.given_or(
        given,
        "workload.task",
        first,
        Default(first.value, "场景的默认任务。", "The scenario's default task."),
    )


def _number(draft: Draft, key: str, given: Decimal | None, chosen: int) -> float:
    default = Default(str(chosen), "场景的默认值。", "The scenario's default.")
    return float(draft.given_or(given, f"workload.{key}", Decimal(chosen), default))


def _sequence_length(draft: Draft, defaults: ScenarioDefaults, model: ModelChoice) -> int:
    longest = model.architecture.max_context
    chosen = min(defaults.sequence_length, longest or defaults.sequence_length)
    length = draft.given_or(
        draft.project.file.workload.sequence_length,
        "workload.sequence_length",
        chosen,
        Default(
            str(chosen),
            "场景默认长度，不超过模型的最大上下文。",
            "The scenario's default, within the model's context.",
        ),
    )
    if longest is not None and length > longest:
        draft.notice(
            zh=f"序列长度 {length} 超过模型公布的最大上下文 {longest}，需配合位置编码外推。",
            en=f"Sequence length {length} is beyond the model's published context of {longest}.",
        )
    return length


def _batch(draft: Draft, defaults: ScenarioDefaults, length: int) -> int:
    """Return whole sequences per step; a batch that is no multiple of the sequence is rounded, said so."""
    sequences = max(1, round(defaults.global_batch_tokens / length))
    tokens = draft.given_or(
        draft.project.file.workload.global_batch_tokens,
        "workload.global_batch_tokens",
        sequences * length,
        Default(spell_count(sequences * length), "场景默认批量。", "The scenario's default batch."),
    )
    batch = max(1, round(tokens / length))
    if batch * length != tokens:
        draft.notice(
            zh=f"全局批量 {tokens:,} 词元取整为 {batch:,} 条序列，即 {batch * length:,} 词元。",
            en=f"Batch of {tokens:,} tokens rounded to {batch:,} sequences, {batch * length:,} tokens.",
        )
    return batch


def _stack(draft: Draft) -> tuple[str, bool]:
    """Return the id of the software stack (empty: the vendor's default) and whether it is run tuned."""
    default = Default(
        "tuned",
        "按调优后的默认软件栈估算；未调优的工期另列。",
        "The vendor's default stack, tuned; the untuned duration stands beside.",
    )
    given = draft.given_or(draft.project.file.workload.stack, "workload.stack", "tuned", default)
    if given.casefold() in {"tuned", "untuned"}:
        return "", given.casefold() == "tuned"
    return check_stack(draft, "workload.stack", given), True


def _rank(draft: Draft, defaults: ScenarioDefaults, task: Task) -> int:
    lora = draft.project.file.workload.lora
    if task not in LORA_TASKS:
        if lora is not None and lora.rank is not None:
            draft.fault(
                "workload.lora.rank",
                f"a rank has no use for the task {task}",
                "it belongs to lora and qlora",
                "remove it, or set workload.task",
            )
        return 0
    chosen = defaults.lora_rank or 16
    return draft.given_or(
        lora.rank if lora else None,
        "workload.lora.rank",
        chosen,
        Default(str(chosen), "适配器秩的常用值。", "The usual rank of adapters."),
    )


def _capacity(draft: Draft, model: ModelChoice) -> float | None:
    """Return the capacity factor of a routed model; None where experts take what comes."""
    given = draft.project.file.workload.capacity_factor
    if model.architecture.moe is None:
        if given is not None:
            draft.fault(
                "workload.capacity_factor",
                "a capacity has no use for a model without experts",
                "it pads the tokens of routed experts",
                "remove it",
            )
        return None
    default = Default(
        "none",
        "按路由均衡、不丢弃词元估算，不设专家容量上限。",
        "A balanced router that drops no token: experts have no fixed capacity.",
    )
    factor = draft.given_or(given, "workload.capacity_factor", Decimal(0), default)
    return float(factor) or None


def complete_objective(draft: Draft) -> Objective:
    """Return what the recommendation makes smallest."""
    default = Default("cost", "默认取总成本最低。", "The lowest total cost, unless told otherwise.")
    return draft.given_or(draft.project.file.objective, "objective", Objective.COST, default)


def complete_unknown(draft: Draft) -> SolveFor | None:
    """Return the one unknown; contradictions between it and what is given are faults."""
    file = draft.project.file
    given = {
        SolveFor.ACCELERATORS: file.cluster.accelerators is not None,
        SolveFor.DAYS: file.workload.deadline is not None,
        SolveFor.TOKENS: file.workload.tokens is not None,
    }
    if file.solve_for is not None:
        return _asked(draft, file.solve_for, given)
    missing = [unknown for unknown, known in given.items() if not known]
    if len(missing) == 1:
        reason = Default(
            missing[0].value, "三者中未给出的一项即为待求量。", "The one of the three that is not given."
        )
        return draft.given_or(None, "solve_for", missing[0], reason)
    rule = "give two of cluster.accelerators, workload.deadline, workload.tokens; the third is the result"
    if not missing:
        draft.fault(
            "solve_for",
            "accelerators, deadline and tokens are all given",
            rule,
            "leave out the one you want to know",
        )
        return None
    names = ", ".join(_KEYS[unknown] for unknown in missing)
    budget = (
        "; or set solve_for: best-within-budget"
        if file.commercial.budget is not None and given[SolveFor.TOKENS]
        else ""
    )
    draft.fault("solve_for", f"{names} are missing", rule, f"add {_KEYS[missing[-1]]}{budget}")
    return None


_KEYS = {
    SolveFor.ACCELERATORS: "cluster.accelerators",
    SolveFor.DAYS: "workload.deadline",
    SolveFor.TOKENS: "workload.tokens",
}
_NEEDS = {
    SolveFor.ACCELERATORS: (SolveFor.DAYS, SolveFor.TOKENS),
    SolveFor.DAYS: (SolveFor.ACCELERATORS, SolveFor.TOKENS),
    SolveFor.TOKENS: (SolveFor.ACCELERATORS, SolveFor.DAYS),
    SolveFor.BEST_WITHIN_BUDGET: (SolveFor.TOKENS,),
}


def _asked(draft: Draft, unknown: SolveFor, given: dict[SolveFor, bool]) -> SolveFor:
    """Check that what the unknown needs is given, and that the unknown itself is not."""
    for needed in _NEEDS[unknown]:
        if not given[needed]:
            draft.fault(_KEYS[needed], "is missing", f"solve_for: {unknown} needs it", f"add {_KEYS[needed]}")
    if unknown is SolveFor.BEST_WITHIN_BUDGET and draft.project.file.commercial.budget is None:
        draft.fault(
            "commercial.budget", "is missing", f"solve_for: {unknown} needs it", "add budget: 200M CNY"
        )
    refused = SolveFor.ACCELERATORS if unknown is SolveFor.BEST_WITHIN_BUDGET else unknown
    if given[refused]:
        draft.fault(
            _KEYS[refused],
            "is given, but is what is asked for",
            f"solve_for: {unknown} finds it",
            "remove it",
        )
    return unknown


def advise(draft: Draft, defaults: ScenarioDefaults, model: ModelChoice, workload: Workload) -> None:
    """Say where size or tokens are outside what the scenario is meant for; advice, never an error."""
    counts = count_parameters(model.architecture)
    low, high = defaults.parameters
    if not low <= counts.total <= high:
        size = f"{counts.total / 1e9:.1f}B"
        draft.notice(
            zh=f"模型规模 {size} 不在本场景的常见范围（{defaults.size_name.zh}）内，默认值可能不合适。",
            en=f"The model of {size} is outside the scenario's usual sizes ({defaults.size_name.en}): "
            "its defaults may not fit.",
        )
    if defaults.tokens_per_parameter is None or workload.tokens is None:
        return
    few, many = defaults.tokens_per_parameter
    if workload.tokens < few * counts.active or workload.tokens > many * counts.total:
        optimal = spell_count(float(f"{20 * counts.active:.2g}"))
        draft.notice(
            zh=f"词元数与模型规模相差较远：计算最优约为每参数 20 词元（Hoffmann 等，2022），约 {optimal}。",
            en=f"Tokens are far from the optimal 20 per parameter (Hoffmann et al., 2022), about {optimal}.",
        )
