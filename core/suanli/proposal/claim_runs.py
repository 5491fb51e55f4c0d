"""The audit of a claimed time, rate or utilisation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from suanli.domain.units import FLOPS_PER_TFLOP, S_PER_DAY
from suanli.domain.workload import ClaimQuantity
from suanli.estimation.crosscheck import peak_bound_s
from suanli.estimation.results import Range, Sizing
from suanli.proposal.claim_base import base_view, fits, memory_words, peak_flops_per_s, right_duration
from suanli.proposal.claim_words import amount, both, count, num, percent, sentence, spread
from suanli.proposal.model import ClaimVerdict, ClaimView, Shown
from suanli.proposal.rounding import shown, shown_range, significant

if TYPE_CHECKING:
    from suanli.domain.record import Text
    from suanli.estimation.crosscheck import ClaimAudit
    from suanli.proposal.claim_facts import ClaimFacts
    from suanli.proposal.references import References

__all__ = ["run_view"]

_P90_SIGMAS: Final = 1.2816
"""Standard deviations between the median and the 90th percentile of a normal distribution."""
_BEYOND_SIGMAS: Final = 2.3263
"""Standard deviations between the median and the 99th percentile."""


def run_view(facts: ClaimFacts, references: References) -> ClaimView:
    """Return what a claimed time, rate or utilisation implies, and the right value with its range."""
    view, claim, audit = base_view(facts, references), facts.claim, facts.audit
    if audit is None or view.peak is None or claim.value is None:
        return view
    peak = peak_flops_per_s(facts)
    duration = right_duration(facts)
    right = duration if claim.quantity is ClaimQuantity.DAYS else _right_rate(facts, peak)
    verdict = _speed_verdict(facts, audit, right)
    days = (
        shown_range(duration, "day", scale=1 / S_PER_DAY, refs=(references.formula("duration"),))
        if (duration and facts.tokens)
        else None
    )
    update: dict[str, object] = {
        "right": days if claim.quantity is ClaimQuantity.DAYS else _shown_rate(facts, right),
        "bound": _bound(facts, audit, peak),
        "implied_mfu": Shown(value=significant(audit.implied_mfu), unit="share", refs=view.refs),
        "implied_rate": shown(audit.implied_mfu * peak / FLOPS_PER_TFLOP, "TFLOPS"),
        "right_days": days,
        "right_accelerators": _right_accelerators(facts, peak),
        "factor": _factor(claim.quantity, claim.value, right),
        "verdict": verdict,
    }
    view = view.model_copy(update=update)
    return view.model_copy(
        update={"arithmetic": _arithmetic(facts, audit, view), "statement": _statement(facts, view)}
    )


def _right_rate(facts: ClaimFacts, peak: float) -> Range | None:
    """Return the right value of a claimed rate or utilisation, while stepping."""
    known = facts.claimed if isinstance(facts.claimed, Sizing) else facts.reference
    if known is None:
        return None
    if facts.claim.quantity is ClaimQuantity.MFU:
        return known.mfu
    per_device = known.mfu.scaled(peak / facts.profile.flops_per_token)
    whole = facts.claim.quantity is ClaimQuantity.TOKENS_PER_S
    return per_device.scaled(float(facts.claim.accelerators or 1)) if whole else per_device


def _shown_rate(facts: ClaimFacts, right: Range | None) -> Shown | None:
    if right is None:
        return None
    return shown_range(right, "share" if facts.claim.quantity is ClaimQuantity.MFU else "tokens/s")


def _bound(facts: ClaimFacts, audit: ClaimAudit, peak: float) -> Shown:
    """Return the value of the claimed quantity at the whole dense peak."""
    if facts.claim.quantity is ClaimQuantity.DAYS:
        return shown(audit.peak_bound_days, "day")
    if facts.claim.quantity is ClaimQuantity.MFU:
        return shown(1.0, "share")
    devices = facts.claim.accelerators if facts.claim.quantity is ClaimQuantity.TOKENS_PER_S else 1
    return shown(peak / facts.profile.flops_per_token * (devices or 1), "tokens/s")


def _right_accelerators(facts: ClaimFacts, peak: float) -> int | None:
    known = facts.claimed if isinstance(facts.claimed, Sizing) else facts.reference
    if known is None or facts.device is None or facts.claim.days is None or facts.tokens is None:
        return None
    slowdown = known.duration_s.p50 / known.peak_bound_s
    needed = peak_bound_s(facts.profile, facts.tokens, 1, peak) * slowdown / (facts.claim.days * S_PER_DAY)
    per_server = facts.device.server.accelerator_count
    return math.ceil(needed / per_server) * per_server


def _factor(quantity: ClaimQuantity, value: float, right: Range | None) -> Shown | None:
    if right is None:
        return None
    better = right.p50 / value if quantity is ClaimQuantity.DAYS else value / right.p50
    return Shown(value=significant(better), unit="times")


def _speed_verdict(facts: ClaimFacts, audit: ClaimAudit, right: Range | None) -> ClaimVerdict:
    if not audit.possible:
        return ClaimVerdict.IMPOSSIBLE
    if fits(facts.claimed) is False:
        return ClaimVerdict.DOES_NOT_FIT
    if right is None or facts.claim.value is None:
        return ClaimVerdict.NOT_COMPUTABLE
    # A time is turned into its inverse, so that more is better for every quantity.
    value = facts.claim.value
    if facts.claim.quantity is ClaimQuantity.DAYS:
        value, right = 1 / value, Range(1 / right.p90, 1 / right.p50, 1 / right.p10)
    if value < right.p10:
        return ClaimVerdict.PESSIMISTIC
    if value <= right.p90:
        return ClaimVerdict.PLAUSIBLE
    sigma = math.log(right.p90 / right.p50) / _P90_SIGMAS
    beyond = math.log(value / right.p50) > _BEYOND_SIGMAS * sigma
    return ClaimVerdict.IMPLAUSIBLE if beyond else ClaimVerdict.OPTIMISTIC


def _arithmetic(facts: ClaimFacts, audit: ClaimAudit, view: ClaimView) -> Text | None:
    """Return how the claimed value becomes a share of the peak."""
    claim = facts.claim
    if view.peak is None or claim.value is None or claim.accelerators is None:
        return None
    work = num(facts.profile.flops_per_token / 1e9)
    peak = peak_flops_per_s(facts) / FLOPS_PER_TFLOP
    rate = num(audit.implied_mfu * peak)
    tail = f"{rate} TFLOPS ÷ {num(peak)} TFLOPS = {percent(audit.implied_mfu)}"
    if claim.quantity is ClaimQuantity.DAYS:
        tokens = count(facts.tokens or 0.0)
        n, s = num(claim.accelerators, 6), num(claim.value, 6)
        return both(
            f"{work} GFLOPs/词元 × {tokens} 词元 ÷（{n} 张 × {s} 秒）= 每卡 {rate} TFLOPS；{tail}",
            f"{work} GFLOPs per token × {tokens} tokens ÷ ({n} devices × {s} s) = {rate} TFLOPS each; {tail}",
        )
    each = audit.tokens_per_s_per_accelerator
    if claim.quantity is ClaimQuantity.MFU:
        return both(
            f"{percent(claim.value)} × {num(peak)} TFLOPS ÷ {work} GFLOPs/词元 = 每卡 {num(each)} 词元/秒",
            f"{percent(claim.value)} × {num(peak)} TFLOPS ÷ {work} GFLOPs per token = {num(each)} tokens/s",
        )
    split_zh, split_en = "", ""
    if claim.quantity is ClaimQuantity.TOKENS_PER_S:
        whole = f"{num(claim.value, 6)} ÷ {num(claim.accelerators, 6)} = {num(each)}"
        split_zh, split_en = f"{whole} 词元/秒；", f"{whole} tokens/s each; "
    return both(
        f"{split_zh}{num(each)} 词元/秒 × {work} GFLOPs/词元 = {rate} TFLOPS；{tail}",
        f"{split_en}{num(each)} tokens/s × {work} GFLOPs per token = {rate} TFLOPS; {tail}",
    )


def _statement(facts: ClaimFacts, view: ClaimView) -> Text:
    """Return the verdict with what it rests on and what is right instead."""
    return sentence(view.verdict, _against_peak(view), memory_words(view), _right_words(facts, view))


def _against_peak(view: ClaimView) -> Text | None:
    if view.implied_rate is None or view.peak is None or view.implied_mfu is None:
        return None
    share = percent(float(view.implied_mfu.value))
    rate, peak = f"{num(float(view.implied_rate.value))} TFLOPS", f"{num(float(view.peak.value))} TFLOPS"
    return both(
        f"单卡须持续 {rate}，为稠密峰值 {peak} 的 {share}",
        f"each accelerator would have to sustain {rate}, {share} of its dense peak of {peak}",
    )


def _right_words(facts: ClaimFacts, view: ClaimView) -> Text:
    if view.right is None or view.accelerators is None:
        return both("该集群无法估算", "the cluster itself cannot be estimated")
    # Where it does not fit, the time is arithmetic at the utilisation of a cluster that does.
    only_zh, only_en = ("仅就算力而言，", "by arithmetic alone ") if view.fits is False else ("", "")
    zh, en = amount(view.right, chinese=True), amount(view.right, chinese=False)
    n = f"{view.accelerators:,}"
    if facts.claim.quantity is ClaimQuantity.DAYS:
        more = view.right_accelerators
        zh_more = f"；如期完成约需 {more:,} 张卡" if more else ""
        en_more = f"; the claimed time takes about {more:,}" if more else ""
        return both(
            f"{only_zh}{n} 张卡约需 {zh}{spread(view.right)}{zh_more}",
            f"{only_en}{n} accelerators need about {en}{spread(view.right)}{en_more}",
        )
    return both(
        f"{only_zh}合理值约 {zh}{spread(view.right)}", f"{only_en}about {en}{spread(view.right)} is right"
    )
