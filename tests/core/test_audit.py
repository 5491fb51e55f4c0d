"""A question that needs no proposal: is a claim possible."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, catalogue, requirement, workload

from suanli.audit import audit
from suanli.domain.record import Text
from suanli.domain.units import S_PER_DAY
from suanli.domain.workload import Claim, ClaimQuantity
from suanli.errors import InputError
from suanli.proposal.model import ClaimVerdict

CLAIM = Claim(
    by=Text.same("article"),
    says=Text.same("70B in five days"),
    accelerator="h100-sxm",
    accelerators=32,
    quantity=ClaimQuantity.DAYS,
    value=5 * S_PER_DAY,
)


def test_there_must_be_a_claim_to_audit() -> None:
    with pytest.raises(InputError, match="there is no claim to check"):
        audit(requirement(LLAMA2_7B, workload()), catalogue())


def test_a_claim_cannot_be_judged_without_the_tokens_of_the_run() -> None:
    asked = replace(requirement(LLAMA2_7B, workload(tokens=None)), claims=(CLAIM,))
    with pytest.raises(InputError, match="needs the tokens of the run") as raised:
        audit(asked, catalogue())
    assert raised.value.faults[0].key == "workload.tokens"


def test_claims_are_audited_in_their_order_and_without_the_projects_deadline() -> None:
    slow = replace(CLAIM, by=Text.same("engineer"), value=400 * S_PER_DAY)
    # 6.7e9 x 6 x 1e12 FLOPs on 32 devices of 989 TFLOPS take 15 days at the peak.
    asked = replace(requirement(LLAMA2_7B, workload(deadline_days=1)), claims=(CLAIM, slow))
    first, second = audit(asked, catalogue())
    assert (first.by.en, first.verdict) == ("article", ClaimVerdict.IMPOSSIBLE)
    assert (second.by.en, second.verdict) == ("engineer", ClaimVerdict.PESSIMISTIC)
