"""What was changed by hand, before and after, and what of it does not reach every chapter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.proposal.model import EditView, NoticeView

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from suanli.costing.ledger import Input, Ledger
    from suanli.domain.workload import HandEdit, Requirement
    from suanli.planning.results import ClusterPlan

__all__ = ["ProjectChange", "edit_notices", "edit_views"]


@dataclass(frozen=True, slots=True)
class ProjectChange:
    """A key of the project that was changed through a cost sheet."""

    entry: str
    """Id of the ledger's input."""
    key: str
    before: Decimal


def edit_views(
    changes: Sequence[ProjectChange],
    plans: dict[str, ClusterPlan],
    requirement: Requirement,
    ledger: Ledger,
    unedited: Ledger | None,
) -> tuple[EditView, ...]:
    """Return every figure that differs from what it was, in the order of the ledger.

    Args:
        changes: keys of the project that a cost sheet changed.
        plans: options by key; each carries the edits of its own figures.
        requirement: carries the edits that all options share.
        ledger: the ledger as it counts.
        unedited: the ledger without the edits of figures that are no keys; None where there are none.
    """
    before = {change.entry: (change.key, change.before) for change in changes}
    if unedited is not None:
        known = {entry.id: entry.value for entry in unedited.inputs}
        before |= {name: (name, known[name]) for name, _ in _named(plans, requirement) if name in known}
    return tuple(
        EditView(label=entry.label, unit=entry.unit, before=was, after=entry.value, key=key)
        for entry in ledger.inputs
        if entry.id in before
        for key, was in [before[entry.id]]
        if was != entry.value
    )


def _named(plans: dict[str, ClusterPlan], requirement: Requirement) -> Iterator[tuple[str, HandEdit]]:
    """Yield each edit under the id that its input has in the ledger."""
    for edit in requirement.edits:
        if not edit.accelerator:
            yield edit.input, edit
    for key, plan in plans.items():
        for edit in plan.edits:
            yield f"{key}.{edit.input}", edit


def edit_notices(
    plans: dict[str, ClusterPlan], requirement: Requirement, ledger: Ledger, unedited: Ledger | None
) -> tuple[NoticeView, ...]:
    """Return what a reader must know: figures that other chapters show as sized, and edits without effect."""
    if unedited is None:
        return ()
    inputs = {entry.id: entry for entry in ledger.inputs}
    was = {entry.id: entry.value for entry in unedited.inputs}
    texts: list[Text] = []
    for key, plan in plans.items():
        names = [f"{key}.{edit.input}" for edit in plan.edits]
        changed = [inputs[name] for name in names if name in inputs and was[name] != inputs[name].value]
        if changed:
            texts.append(_as_sized(changed, was))
    reached = {edit for name, edit in _named(plans, requirement) if name in inputs}
    texts += [_without_effect(edit) for edit in requirement.edits if edit not in reached]
    return tuple(NoticeView(text=text) for text in texts)


def _as_sized(changed: Sequence[Input], was: dict[str, Decimal]) -> Text:
    zh = "；".join(f"{one.label.zh} {_plain(one.value)}（测算值 {_plain(was[one.id])}）" for one in changed)
    en = "; ".join(f"{one.label.en} {_plain(one.value)} (as sized {_plain(was[one.id])})" for one in changed)
    return Text(
        zh=f"以下数值为人工改动，只作用于采购清单、费用、能耗与碳排放，其余章节仍按测算值：{zh}。",
        en="Changed by hand, with effect on bill, cost, energy and carbon alone; all other chapters show "
        f"what was sized: {en}.",
    )


def _without_effect(edit: HandEdit) -> Text:
    name = f"{edit.input} ({edit.accelerator})" if edit.accelerator else edit.input
    return Text(
        zh=f"人工改动的 {name} 不起作用：没有方案再用到它。",
        en=f"The figure changed by hand, {name}, has no effect: no option uses it any more.",
    )


def _plain(value: Decimal) -> str:
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
