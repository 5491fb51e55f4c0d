"""Questions that need no proposal: is a claim possible, and does a model fit on a number of devices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from suanli.domain.workload import SolveFor
from suanli.errors import Fault, InputError
from suanli.estimation.devices import candidate_devices
from suanli.estimation.flops import model_profile
from suanli.estimation.results import Infeasible
from suanli.estimation.sizing import size, size_at
from suanli.proposal.claims import claim_view
from suanli.proposal.references import References
from suanli.stages import audit_claims

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Device, Sizing
    from suanli.proposal.model import ClaimView

__all__ = ["audit", "fit"]

_NO_DEADLINE_S: Final = 1000 * 31_557_600.0
"""A deadline of a thousand years, which leaves memory as the only thing that decides."""


def audit(requirement: Requirement, catalogue: Catalogue) -> tuple[ClaimView, ...]:
    """Return the audit of every claim of a requirement, in its order.

    The deadline of the project is left out: a claim is about its own time.

    Raises:
        InputError: there are no claims, or no tokens to judge them by.
    """
    if not requirement.claims:
        raise InputError(
            Fault("there is no claim to check", key="claims", cure="give claims in the file, or flags")
        )
    if requirement.workload.tokens is None:
        raise InputError(Fault("a claim needs the tokens of the run", key="workload.tokens"))
    profile = model_profile(requirement.model.architecture, requirement.workload)
    facts = audit_claims(requirement, profile, requirement.workload.tokens, catalogue)
    cited = References(catalogue)
    return tuple(claim_view(one, cited) for one in facts)


def _timeless(requirement: Requirement) -> Requirement:
    workload = replace(requirement.workload, deadline_s=None)
    return replace(requirement, workload=workload, solve_for=SolveFor.DAYS)


def _device(requirement: Requirement, accelerator: str, catalogue: Catalogue) -> Device | Infeasible:
    named = replace(requirement, vendors=replace(requirement.vendors, accelerators=(accelerator,)))
    (found,) = candidate_devices(named, catalogue)
    return found[1] if isinstance(found, tuple) else found


def fit(
    requirement: Requirement, accelerator: str, catalogue: Catalogue
) -> tuple[Device | None, Sizing | Infeasible]:
    """Return whether and how a model fits on devices of one kind.

    With the number of accelerators given, the fastest layout on it; without, the smallest number of whole
    servers that holds the model.

    Raises:
        InputError: the accelerator is unknown, or pinned layout values contradict the model.
    """
    device = _device(requirement, accelerator, catalogue)
    if isinstance(device, Infeasible):
        return None, device
    accelerators = requirement.cluster.accelerators
    if accelerators is not None:
        return device, size_at(device, _timeless(requirement), accelerators)
    workload = replace(requirement.workload, deadline_s=_NO_DEADLINE_S)
    return device, size(device, replace(requirement, workload=workload, solve_for=SolveFor.ACCELERATORS))
