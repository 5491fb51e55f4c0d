"""Questions that need no proposal: is a claim possible, does a model fit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, catalogue, requirement, with_cluster, workload

from suanli.audit import audit, fit
from suanli.domain.architecture import Architecture
from suanli.domain.hardware import Precision
from suanli.domain.workload import Claim
from suanli.errors import InputError
from suanli.estimation.results import Constraint, Infeasible, Sizing
from suanli.proposal.model import ClaimVerdict

CLAIM = Claim(by="article", says="70B in five days", accelerator="h100-sxm", accelerators=32, days=5)


def test_there_must_be_a_claim_to_audit() -> None:
    with pytest.raises(InputError, match="there is no claim to check"):
        audit(requirement(LLAMA2_7B, workload()), catalogue())


def test_a_claim_cannot_be_judged_without_the_tokens_of_the_run() -> None:
    asked = replace(requirement(LLAMA2_7B, workload(tokens=None)), claims=(CLAIM,))
    with pytest.raises(InputError, match="needs the tokens of the run") as raised:
        audit(asked, catalogue())
    assert raised.value.faults[0].key == "workload.tokens"


def test_claims_are_audited_in_their_order_and_without_the_projects_deadline() -> None:
    slow = replace(CLAIM, by="engineer", days=400.0)
    # 6.7e9 x 6 x 1e12 FLOPs on 32 devices of 989 TFLOPS take 15 days at the peak.
    asked = replace(requirement(LLAMA2_7B, workload(deadline_days=1)), claims=(CLAIM, slow))
    first, second = audit(asked, catalogue())
    assert (first.by, first.verdict) == ("article", ClaimVerdict.IMPOSSIBLE)
    assert (second.by, second.verdict) == ("engineer", ClaimVerdict.PESSIMISTIC)


def test_a_model_that_fits_is_laid_out_on_the_devices_that_are_asked_for() -> None:
    device, found = fit(with_cluster(requirement(LLAMA2_7B, workload()), 16), "h100-sxm", catalogue())
    assert device is not None
    assert isinstance(found, Sizing)
    assert found.nodes == 2


def test_without_a_number_the_fewest_whole_servers_that_hold_the_model_are_found() -> None:
    _, found = fit(requirement(LLAMA2_7B, workload()), "h100-sxm", catalogue())
    assert isinstance(found, Sizing)
    assert found.nodes == 1


def test_a_model_that_does_not_fit_is_a_result() -> None:
    large = Architecture(
        layers=126,
        hidden_size=16384,
        ffn_hidden_size=53248,
        attention_heads=128,
        kv_heads=8,
        head_dim=128,
        vocab_size=128256,
    )
    _, found = fit(with_cluster(requirement(large, workload()), 8), "h100-sxm", catalogue())
    assert isinstance(found, Infeasible)
    assert found.constraint is Constraint.MEMORY
    assert found.need > found.have


def test_a_device_that_cannot_be_sized_says_why() -> None:
    device, found = fit(
        requirement(LLAMA2_7B, workload(precision=Precision.FP8)), "ascend-910b2", catalogue()
    )
    assert device is None
    assert isinstance(found, Infeasible)
    assert found.constraint is Constraint.PRECISION
