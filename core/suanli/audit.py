"""A question that needs no proposal: is a claim possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.claiming import audit_claims
from suanli.domain.workload import ClaimQuantity
from suanli.errors import Fault, InputError
from suanli.estimation.flops import model_profile
from suanli.proposal.claims import claim_view
from suanli.proposal.references import References

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.proposal.model import ClaimView

__all__ = ["audit"]


def audit(
    requirement: Requirement, catalogue: Catalogue, *, tokens_known: bool = True
) -> tuple[ClaimView, ...]:
    """Return the audit of every claim of a requirement, in its order.

    The deadline of the project is left out: a claim is about its own time.

    Args:
        requirement: model, workload and claims.
        catalogue: devices and constants.
        tokens_known: False where the tokens of the requirement only fill its form, so that no time is shown.

    Raises:
        InputError: there are no claims, or no tokens to judge them by.
    """
    if not requirement.claims:
        raise InputError(
            Fault("there is no claim to check", key="claims", cure="give claims in the file, or flags")
        )
    tokens = requirement.workload.tokens if tokens_known else None
    if tokens is None and any(one.quantity is ClaimQuantity.DAYS for one in requirement.claims):
        raise InputError(Fault("a claim of a time needs the tokens of the run", key="workload.tokens"))
    profile = model_profile(requirement.model.architecture, requirement.workload)
    facts = audit_claims(requirement, profile, tokens, catalogue)
    cited = References(catalogue)
    return tuple(claim_view(one, cited) for one in facts)
