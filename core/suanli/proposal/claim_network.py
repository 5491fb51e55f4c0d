"""The audit of a claim that a network will do: what ZeRO-3 sends over it, and what the best layout loses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from suanli.domain.units import BYTES_PER_GB, BYTES_PER_S_PER_GBIT, S_PER_DAY
from suanli.estimation.bounds import zero3_traffic_bytes
from suanli.estimation.results import Sizing
from suanli.proposal.claim_base import base_view, memory_words, peak_flops_per_s
from suanli.proposal.claim_words import both, count, num, percent, sentence
from suanli.proposal.model import ClaimVerdict, ClaimView
from suanli.proposal.rounding import shown, shown_range

if TYPE_CHECKING:
    from suanli.domain.record import Text
    from suanli.proposal.claim_facts import ClaimFacts
    from suanli.proposal.model import Shown
    from suanli.proposal.references import References

__all__ = ["network_view"]

_ACCEPTABLE_LOSS: Final = 0.10
"""Share of the rate that a network may cost before it is called too slow: the usual limit of exposed
communication in acceptance."""


def network_view(facts: ClaimFacts, references: References) -> ClaimView:
    """Return whether a network of a server will do.

    Two questions: can sharded weights (ZeRO-3) be gathered while a micro-batch is computed, and how much the
    best layout of any kind loses against the server's own network.
    """
    view, value = base_view(facts, references), facts.claim.value
    known = facts.claimed if isinstance(facts.claimed, Sizing) else facts.reference
    if value is None or facts.device is None or view.peak is None or known is None:
        return view
    servers = math.ceil((facts.claim.accelerators or 1) / facts.device.server.accelerator_count)
    traffic = zero3_traffic_bytes(facts.profile.total_parameters, servers)
    moving_s, computing_s = traffic / value, _micro_batch_s(facts, known)
    share = max(0.0, 1 - computing_s / moving_s) if moving_s else 0.0
    loss = _loss(facts)
    verdict = _verdict(share, loss, fits=view.fits)
    view = view.model_copy(
        update={
            "claimed": shown(value / BYTES_PER_S_PER_GBIT, "Gbit/s"),
            "bandwidth": shown(value / BYTES_PER_GB, "GB/s"),
            "implied_bandwidth": shown(traffic / computing_s / BYTES_PER_GB, "GB/s"),
            "right_days": _days(facts),
            "verdict": verdict,
            "arithmetic": _arithmetic(facts, servers, traffic, moving_s),
        }
    )
    return view.model_copy(
        update={
            "statement": sentence(
                verdict, _sharded(moving_s, computing_s, share), _best(facts, loss), memory_words(view)
            )
        }
    )


def _micro_batch_s(facts: ClaimFacts, known: Sizing) -> float:
    """Return how long each device computes on one sequence of its own at the estimate's utilisation."""
    work = facts.sequence_length * facts.profile.flops_per_token
    return work / (peak_flops_per_s(facts) * known.mfu.p50)


def _loss(facts: ClaimFacts) -> float | None:
    """Return the share of the rate that the claimed network costs with the best layout; None if unknown."""
    if not isinstance(facts.claimed, Sizing) or not isinstance(facts.networked, Sizing):
        return None
    return max(0.0, 1 - facts.networked.mfu.p50 / facts.claimed.mfu.p50)


def _days(facts: ClaimFacts) -> Shown | None:
    if facts.tokens is None or not isinstance(facts.networked, Sizing):
        return None
    return shown_range(facts.networked.duration_s, "day", scale=1 / S_PER_DAY)


def _verdict(share: float, loss: float | None, *, fits: bool | None) -> ClaimVerdict:
    if fits is False:
        return ClaimVerdict.DOES_NOT_FIT
    if loss is None:
        return ClaimVerdict.NOT_COMPUTABLE
    if loss > _ACCEPTABLE_LOSS:
        return ClaimVerdict.IMPLAUSIBLE
    return ClaimVerdict.OPTIMISTIC if share > _ACCEPTABLE_LOSS else ClaimVerdict.PLAUSIBLE


def _arithmetic(facts: ClaimFacts, servers: int, traffic: float, moving_s: float) -> Text:
    parameters, value = count(facts.profile.total_parameters), num((facts.claim.value or 0.0) / BYTES_PER_GB)
    tail, moved = f"({servers} − 1)/{servers} = {num(traffic / BYTES_PER_GB)} GB", num(moving_s, 3)
    return both(
        f"ZeRO-3 每微批进入每台服务器：3 × 2 字节 × {parameters} 参数 × {tail}；÷ {value} GB/s = {moved} 秒",
        f"ZeRO-3, into each server and micro-batch: 3 × 2 bytes × {parameters} parameters × {tail}; "
        f"÷ {value} GB/s = {moved} s",
    )


def _sharded(moving_s: float, computing_s: float, share: float) -> Text:
    moving, computing = num(moving_s, 3), num(computing_s, 3)
    return both(
        f"按 ZeRO-3，每微批传输 {moving} 秒、计算 {computing} 秒，通信暴露占 {percent(share)}",
        f"under ZeRO-3 a micro-batch moves for {moving} s and computes for {computing} s, so communication "
        f"is exposed for {percent(share)} of the time",
    )


def _best(facts: ClaimFacts, loss: float | None) -> Text | None:
    if loss is None or not isinstance(facts.networked, Sizing):
        return None
    layout = facts.networked.layout
    where = f"TP {layout.tp} × PP {layout.pp} × DP {layout.dp}"
    return both(
        f"最有利的布局（{where}）仍损失 {percent(loss)} 吞吐",
        f"the best layout ({where}) loses {percent(loss)} of the rate",
    )
