"""A claim is audited with arithmetic that a reader can repeat."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from tests.core.estimation.estimation_cases import model
from tests.factories import catalogue, device, shop, sizing

from suanli.domain.hardware import Precision
from suanli.domain.record import Text
from suanli.domain.workload import Claim, ClaimQuantity, Task
from suanli.estimation.crosscheck import audit_claim
from suanli.estimation.results import Constraint, Infeasible, Range, Sizing
from suanli.proposal.claim_facts import ClaimFacts
from suanli.proposal.claims import claim_view
from suanli.proposal.model import ClaimVerdict
from suanli.proposal.references import References

DAY_S = 86_400.0


def facts(days: float, claimed: Sizing | Infeasible | None, reference: Sizing | None = None) -> ClaimFacts:
    known = sizing(nodes=4)
    chip = device()
    peak = chip.accelerator.peak_flops_per_s(Precision.BF16)
    assert peak is not None
    return ClaimFacts(
        claim=Claim(
            by=Text.same("vendor"),
            says=Text.same("fast"),
            accelerator=chip.accelerator.id,
            accelerators=32,
            quantity=ClaimQuantity.DAYS,
            value=days * DAY_S,
        ),
        accelerator=chip.accelerator,
        task=Task.PRETRAIN,
        architecture=model("llama-2-70b"),
        sequence_length=4096,
        device=chip,
        precision=Precision.BF16,
        profile=known.profile,
        tokens=known.tokens,
        claimed=claimed,
        reference=reference,
        audit=audit_claim(known.profile, known.tokens, peak, 32, days),
    )


def references() -> References:
    return References(catalogue(*shop()))


def right(days: float) -> Sizing:
    return replace(sizing(nodes=4), duration_s=Range(days * 0.9 * DAY_S, days * DAY_S, days * 1.2 * DAY_S))


@pytest.mark.parametrize(
    ("claimed_days", "verdict"),
    [
        (0.5, ClaimVerdict.IMPOSSIBLE),
        (60, ClaimVerdict.IMPLAUSIBLE),
        (85, ClaimVerdict.OPTIMISTIC),
        (100, ClaimVerdict.PLAUSIBLE),
        (150, ClaimVerdict.PESSIMISTIC),
    ],
)
def test_the_verdict_follows_from_peak_and_range(claimed_days: float, verdict: ClaimVerdict) -> None:
    view = claim_view(facts(claimed_days, right(100)), references())
    assert view.verdict is verdict
    assert view.right_days is not None
    assert view.right_days.value == Decimal(100)


def test_the_implied_utilisation_is_work_over_peak_time() -> None:
    case = facts(10, right(100))
    view = claim_view(case, references())
    assert case.audit is not None
    assert view.implied_mfu is not None
    assert float(view.implied_mfu.value) == pytest.approx(case.audit.implied_mfu, rel=5e-3)


def test_a_cluster_that_cannot_hold_the_model_does_not_fit_and_borrows_the_utilisation_of_one_that_can() -> (
    None
):
    out_of_memory = Infeasible(Constraint.MEMORY, need=1e11, have=6e10)
    known = right(100)
    view = claim_view(facts(60, out_of_memory, reference=known), references())
    assert view.verdict is ClaimVerdict.DOES_NOT_FIT
    assert view.fits is False
    assert view.right_days is not None


def test_twice_the_time_needs_at_most_half_the_devices() -> None:
    fast = claim_view(facts(50, right(100)), references()).right_accelerators
    slow = claim_view(facts(100, right(100)), references()).right_accelerators
    assert fast is not None
    assert slow is not None
    assert slow * 2 >= fast >= slow
    assert fast % 8 == 0


def test_a_device_without_a_peak_in_the_precision_is_not_computable_and_still_named() -> None:
    view = claim_view(replace(facts(50, None), device=None, audit=None), references())
    assert view.verdict is ClaimVerdict.NOT_COMPUTABLE
    assert view.accelerator_name == device().accelerator.name
    assert view.right_days is None


def test_a_cluster_that_fails_for_another_reason_than_memory_says_nothing_of_fitting() -> None:
    view = claim_view(facts(100, Infeasible(Constraint.BATCH, 64, 32)), references())
    assert view.fits is None
    assert (view.right_days, view.right_accelerators, view.factor) == (None, None, None)
    assert view.verdict is ClaimVerdict.NOT_COMPUTABLE
