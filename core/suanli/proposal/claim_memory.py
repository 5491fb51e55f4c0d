"""The audit of a claim that devices are enough, and of a claimed peak of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.units import BYTES_PER_GB, S_PER_DAY
from suanli.domain.workload import Task
from suanli.estimation.results import Range, Sizing
from suanli.proposal.claim_base import base_view, fits, memory_words, right_duration, state_bytes
from suanli.proposal.claim_words import amount, both, count, num, sentence, spread
from suanli.proposal.model import ClaimVerdict, ClaimView
from suanli.proposal.rounding import shown_range

if TYPE_CHECKING:
    from suanli.domain.record import Text
    from suanli.proposal.claim_facts import ClaimFacts
    from suanli.proposal.references import References

__all__ = ["fits_view", "memory_view"]

_LONGEST_RUN_S: Final = 365.25 * S_PER_DAY
"""A year: no published run took as long, and a generation of devices lasts little longer."""
_MEMORY_ERROR: Final = 0.29
"""Error of the closed form of memory against published peaks, 90th percentile, recipe not named."""


def fits_view(facts: ClaimFacts, references: References) -> ClaimView:
    """Return whether a number of devices is enough, and for how long it would be busy."""
    view = base_view(facts, references)
    if view.peak is None or facts.claim.accelerators is None:
        return view
    duration = right_duration(facts) if facts.tokens else None
    days = (
        shown_range(duration, "day", scale=1 / S_PER_DAY, refs=(references.formula("duration"),))
        if duration
        else None
    )
    if view.fits is None:
        verdict = ClaimVerdict.NOT_COMPUTABLE
    elif not view.fits:
        verdict = ClaimVerdict.DOES_NOT_FIT
    else:
        slow = duration is not None and duration.p50 > _LONGEST_RUN_S
        verdict = ClaimVerdict.IMPRACTICAL if slow else ClaimVerdict.PLAUSIBLE
    view = view.model_copy(
        update={"right_days": days, "verdict": verdict, "arithmetic": _states_arithmetic(facts)}
    )
    return view.model_copy(
        update={"statement": sentence(verdict, memory_words(view), _room(facts), _time(view))}
    )


def _time(view: ClaimView) -> Text | None:
    if view.right_days is None or view.accelerators is None:
        return None
    zh, en = amount(view.right_days, chinese=True), amount(view.right_days, chinese=False)
    only_zh, only_en = ("仅就算力而言，", "by arithmetic alone ") if view.fits is False else ("", "")
    return both(
        f"{only_zh}{view.accelerators:,} 张卡约需 {zh}{spread(view.right_days)}",
        f"{only_en}{view.accelerators:,} accelerators need about {en}{spread(view.right_days)}",
    )


def _room(facts: ClaimFacts) -> Text | None:
    if not isinstance(facts.claimed, Sizing):
        return None
    use = facts.claimed.memory
    used, usable = num(use.total_bytes / BYTES_PER_GB, 3), num(use.usable_bytes / BYTES_PER_GB, 3)
    return both(
        f"单卡峰值约 {used} GB，可用 {usable} GB", f"about {used} GB at the peak of {usable} GB usable"
    )


def _states_arithmetic(facts: ClaimFacts) -> Text | None:
    devices = facts.claim.accelerators
    if devices is None:
        return None
    total, each = state_bytes(facts) / BYTES_PER_GB, state_bytes(facts) / devices / BYTES_PER_GB
    if facts.task in {Task.LORA, Task.QLORA}:
        zh = en = f"{num(total)} GB"
    else:
        parameters = count(facts.profile.total_parameters)
        zh, en = f"16 字节 × {parameters} 参数", f"16 bytes × {parameters} parameters"
    tail = f"÷ {num(devices, 6)} = {num(each, 3)} GB"
    return both(f"每卡模型状态：{zh} {tail}", f"states per accelerator: {en} {tail}")


def memory_view(facts: ClaimFacts, references: References) -> ClaimView:
    """Return whether a peak of one device is possible: not below the states, not above what is there."""
    view, value = base_view(facts, references), facts.claim.value
    if view.static_memory is None or view.usable_memory is None or value is None:
        return view
    sizing = facts.claimed if isinstance(facts.claimed, Sizing) else None
    dies = facts.accelerator.dies if facts.accelerator else 1
    typical = sizing.memory.total_bytes * dies if sizing else None
    least = facts.least_memory_bytes
    usable = float(view.usable_memory.value) * BYTES_PER_GB
    floor = state_bytes(facts) / (facts.claim.accelerators or 1)
    # What can be used of a device is often a stated share; only its whole memory is a limit.
    whole = facts.accelerator.memory.si if facts.accelerator else usable
    verdict = _memory_verdict(facts, value, floor=floor, least=least, most=max(whole, usable))
    update: dict[str, object] = {
        "right": shown_range(Range(min(least, typical), typical, usable), "GB", scale=1 / BYTES_PER_GB)
        if typical and least
        else None,
        "bound": view.static_memory,
        "verdict": verdict,
        "arithmetic": _states_arithmetic(facts),
    }
    view = view.model_copy(update=update)
    return view.model_copy(update={"statement": sentence(verdict, memory_words(view), _memory_right(view))})


def _memory_verdict(
    facts: ClaimFacts, value: float, *, floor: float, least: float | None, most: float
) -> ClaimVerdict:
    weights = 2.0 * facts.profile.total_parameters / (facts.claim.accelerators or 1)
    if facts.task is Task.QLORA:
        weights /= 4
    if value < weights:
        return ClaimVerdict.IMPOSSIBLE
    if value > most or fits(facts.claimed) is False:
        return ClaimVerdict.DOES_NOT_FIT
    if value < floor:
        return ClaimVerdict.IMPLAUSIBLE
    if least is None:
        return ClaimVerdict.NOT_COMPUTABLE
    return ClaimVerdict.OPTIMISTIC if value < least * (1 - _MEMORY_ERROR) else ClaimVerdict.PLAUSIBLE


def _memory_right(view: ClaimView) -> Text | None:
    if view.right is None or view.static_memory is None:
        return None
    low, high, states = view.right.low, view.right.high, view.static_memory.value
    return both(
        f"模型状态均分即 {states} GB；最省的布局约 {low} GB，最快的约 {view.right.value} GB，可用 {high} GB",
        f"the states spread over all are {states} GB; the leanest layout takes about {low} GB, the fastest "
        f"about {view.right.value} GB, and {high} GB can be used",
    )
