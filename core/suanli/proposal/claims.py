"""The audit of a claim: what it would imply, whether it fits, and what is right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_GB, FLOPS_PER_TFLOP, S_PER_DAY
from suanli.estimation.crosscheck import ClaimAudit, peak_bound_s
from suanli.estimation.results import Constraint, Device, Infeasible, ModelProfile, Range, Sizing
from suanli.proposal.model import ClaimVerdict, ClaimView, Shown
from suanli.proposal.rounding import shown, shown_range, significant

if TYPE_CHECKING:
    from suanli.domain.hardware import Accelerator, Precision
    from suanli.domain.workload import Claim
    from suanli.proposal.references import References

__all__ = ["ClaimFacts", "claim_view"]


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """What the estimate says of the claimed cluster."""

    claim: Claim
    accelerator: Accelerator
    device: Device | None
    """None where the device cannot be sized."""
    precision: Precision
    profile: ModelProfile
    tokens: float
    claimed: Sizing | Infeasible | None
    """The estimate with the claimed number of devices."""
    reference: Sizing | None
    """A feasible estimate of the same device, whose utilisation serves where the claimed cluster does not
    fit.
    """
    audit: ClaimAudit | None
    """What the claim implies; None where the device has no peak in the precision."""


def claim_view(facts: ClaimFacts, references: References) -> ClaimView:
    """Return the audit of a claim, rounded."""
    claim, audit = facts.claim, facts.audit
    if facts.device is None or audit is None:
        return _not_computable(facts)
    figure = facts.accelerator.dense_peak[facts.precision]
    peak = figure.si
    right = _right_duration(facts, peak)
    accelerators = _right_accelerators(facts, peak)
    refs = references.figure(figure)
    claimed_s = claim.days * S_PER_DAY
    fits = _fits(facts.claimed)
    return ClaimView(
        by=claim.by,
        says=claim.says,
        accelerator_name=facts.accelerator.name,
        accelerators=claim.accelerators,
        days=shown(claim.days, "day"),
        implied_mfu=Shown(value=significant(audit.implied_mfu), unit="share", refs=refs),
        implied_rate=shown(audit.implied_mfu * peak / FLOPS_PER_TFLOP, "TFLOPS"),
        peak=shown(peak / FLOPS_PER_TFLOP, "TFLOPS", digits=4, refs=refs),
        fits=fits,
        static_memory=shown(
            audit.state_bytes_per_accelerator / BYTES_PER_GB, "GB", refs=(references.formula("memory"),)
        ),
        right_days=shown_range(right, "day", scale=1 / S_PER_DAY, refs=(references.formula("duration"),))
        if right
        else None,
        right_accelerators=accelerators,
        factor=Shown(value=significant(right.p50 / claimed_s), unit="times") if right else None,
        verdict=_verdict(audit, claimed_s, right, fits=fits),
        refs=refs,
    )


def _not_computable(facts: ClaimFacts) -> ClaimView:
    claim = facts.claim
    return ClaimView(
        by=claim.by,
        says=claim.says,
        accelerator_name=facts.accelerator.name,
        accelerators=claim.accelerators,
        days=shown(claim.days, "day"),
        implied_mfu=None,
        implied_rate=None,
        peak=None,
        fits=None,
        static_memory=None,
        right_days=None,
        right_accelerators=None,
        factor=None,
        verdict=ClaimVerdict.NOT_COMPUTABLE,
    )


def _fits(claimed: Sizing | Infeasible | None) -> bool | None:
    if isinstance(claimed, Sizing):
        return True
    if isinstance(claimed, Infeasible) and claimed.constraint is Constraint.MEMORY:
        return False
    return None


def _right_duration(facts: ClaimFacts, peak: float) -> Range | None:
    if isinstance(facts.claimed, Sizing):
        return facts.claimed.duration_s
    if facts.reference is None:
        return None
    reference = facts.reference
    base = peak_bound_s(facts.profile, facts.tokens, facts.claim.accelerators, peak)
    # The reference's own ratio of wall-clock time to peak-bound time carries its utilisation, goodput and
    # range.
    return Range(*(base * value / reference.peak_bound_s for value in _triple(reference.duration_s)))


def _triple(figure: Range) -> tuple[float, float, float]:
    return figure.p10, figure.p50, figure.p90


def _right_accelerators(facts: ClaimFacts, peak: float) -> int | None:
    known = facts.claimed if isinstance(facts.claimed, Sizing) else facts.reference
    if known is None or facts.device is None:
        return None
    slowdown = known.duration_s.p50 / known.peak_bound_s
    needed = peak_bound_s(facts.profile, facts.tokens, 1, peak) * slowdown / (facts.claim.days * S_PER_DAY)
    per_server = facts.device.server.accelerator_count
    return math.ceil(needed / per_server) * per_server


def _verdict(audit: ClaimAudit, claimed_s: float, right: Range | None, *, fits: bool | None) -> ClaimVerdict:
    if not audit.possible:
        return ClaimVerdict.IMPOSSIBLE
    if fits is False:
        return ClaimVerdict.DOES_NOT_FIT
    if right is None:
        return ClaimVerdict.NOT_COMPUTABLE
    if claimed_s < right.p10:
        return ClaimVerdict.OPTIMISTIC
    return ClaimVerdict.PESSIMISTIC if claimed_s > right.p90 else ClaimVerdict.PLAUSIBLE
