"""What is computed for a claim: the estimate of the claimed cluster, and of one that could do the job."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.domain.figure import BytesPerSecond, Check, Confidence
from suanli.domain.hardware import Nic, NicRole
from suanli.domain.naming import resolve_accelerator
from suanli.domain.units import BYTES_PER_S_PER_GBIT, S_PER_DAY
from suanli.domain.workload import ClaimQuantity, LayoutPins, Recompute, SolveFor
from suanli.estimation.crosscheck import audit_claim
from suanli.estimation.devices import candidate_devices
from suanli.estimation.results import Infeasible, Sizing
from suanli.estimation.sizing import size_at
from suanli.proposal.claim_facts import ClaimFacts
from suanli.stages import failures_of, smallest_that_fits

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Claim, Requirement
    from suanli.estimation.crosscheck import ClaimAudit
    from suanli.estimation.results import Device, ModelProfile

__all__ = ["audit_claims"]

_ANY_TOKENS = 1e12
"""Tokens of a run whose rate, memory or layout is asked for: none of them depends on it."""
_RATES = {
    ClaimQuantity.TOKENS_PER_S,
    ClaimQuantity.TOKENS_PER_S_PER_ACCELERATOR,
    ClaimQuantity.MFU,
}
_RUNS = _RATES | {ClaimQuantity.DAYS, ClaimQuantity.FITS, ClaimQuantity.MEMORY, ClaimQuantity.NETWORK}


def audit_claims(
    requirement: Requirement, profile: ModelProfile, tokens: float | None, catalogue: Catalogue
) -> tuple[ClaimFacts, ...]:
    """Return what the estimate says of each claim; a time cannot be judged without the tokens of a run."""
    return tuple(
        _facts(claim, requirement, profile=profile, tokens=tokens, catalogue=catalogue)
        for claim in requirement.claims
        if tokens is not None or claim.quantity is not ClaimQuantity.DAYS
    )


def _facts(
    claim: Claim,
    requirement: Requirement,
    *,
    profile: ModelProfile,
    tokens: float | None,
    catalogue: Catalogue,
) -> ClaimFacts:
    workload = requirement.workload
    facts = ClaimFacts(
        claim=claim,
        precision=workload.precision,
        profile=profile,
        tokens=tokens,
        task=workload.task,
        architecture=requirement.model.architecture,
        sequence_length=workload.sequence_length,
    )
    if claim.accelerator is None:
        return facts
    accelerator = resolve_accelerator(catalogue, claim.accelerator, key="claims")
    facts = replace(facts, accelerator=accelerator)
    if claim.quantity not in _RUNS or claim.accelerators is None:
        return facts
    named = replace(
        requirement,
        vendors=replace(requirement.vendors, accelerators=(accelerator.id,)),
        workload=replace(workload, tokens=tokens or _ANY_TOKENS, deadline_s=None),
        solve_for=SolveFor.DAYS,
        pins=LayoutPins(),
        # What the project would put up with has no say in what a claim can be.
        cluster=replace(requirement.cluster, exposed_communication_max=None),
    )
    return _run(facts, claim.accelerators, named, catalogue)


def _run(facts: ClaimFacts, accelerators: int, named: Requirement, catalogue: Catalogue) -> ClaimFacts:
    """Return the facts of a claim about a run on a number of devices."""
    device = next((item for item in candidate_devices(named, catalogue) if not isinstance(item, tuple)), None)
    audit = _implied(facts, accelerators)
    if device is None or _peak(facts) is None:
        return replace(facts, device=device, audit=audit)
    failures = failures_of(catalogue, named)
    claimed = size_at(device, named, accelerators, failures)
    # Where the claimed cluster does not fit, the smallest that does lends its utilisation; so the answer does
    # not depend on what else a project looks at.
    lent = smallest_that_fits(device, named, catalogue) if isinstance(claimed, Infeasible) else None
    facts = replace(facts, device=device, claimed=claimed, reference=lent, audit=audit)
    if facts.claim.quantity is ClaimQuantity.MEMORY:
        return replace(facts, least_memory_bytes=_least_memory(device, named, accelerators))
    if facts.claim.quantity is ClaimQuantity.NETWORK and facts.claim.value is not None:
        changed = _networked(device, facts.claim.value)
        return replace(facts, networked=size_at(changed, named, accelerators, failures))
    return facts


def _peak(facts: ClaimFacts) -> float | None:
    return None if facts.accelerator is None else facts.accelerator.peak_flops_per_s(facts.precision)


def _implied(facts: ClaimFacts, accelerators: int) -> ClaimAudit | None:
    """Return what a claimed time, rate or utilisation implies; a rate is a day of that many tokens."""
    claim, peak = facts.claim, _peak(facts)
    if peak is None or claim.value is None:
        return None
    if claim.quantity is ClaimQuantity.DAYS and facts.tokens is not None:
        return audit_claim(facts.profile, facts.tokens, peak, accelerators, claim.value / S_PER_DAY)
    if claim.quantity not in _RATES:
        return None
    per_s = {
        ClaimQuantity.TOKENS_PER_S: claim.value,
        ClaimQuantity.TOKENS_PER_S_PER_ACCELERATOR: claim.value * accelerators,
        ClaimQuantity.MFU: claim.value * peak * accelerators / facts.profile.flops_per_token,
    }[claim.quantity]
    return audit_claim(facts.profile, per_s * S_PER_DAY, peak, accelerators, 1.0)


def _least_memory(device: Device, named: Requirement, accelerators: int) -> float | None:
    """Return the bytes of a device as sold with one sequence at a time and full recomputation."""
    pins = LayoutPins(micro_batch_size=1, recompute=Recompute.FULL)
    found = size_at(device, replace(named, pins=pins), accelerators)
    return found.memory.total_bytes * device.accelerator.dies if isinstance(found, Sizing) else None


def _networked(device: Device, bytes_per_s: float) -> Device:
    """Return a device whose server has one port of the claimed rate for training."""
    rate = BytesPerSecond(
        value=bytes_per_s / BYTES_PER_S_PER_GBIT,
        unit="Gbit/s",
        source="claim",
        confidence=Confidence.ESTIMATE,
        check=Check.DIRECT,
    )
    others = tuple(nic for nic in device.server.nics if nic.role is not NicRole.COMPUTE)
    nics = (Nic(role=NicRole.COMPUTE, count=1, rate=rate), *others)
    return replace(device, server=device.server.model_copy(update={"nics": nics}))
