"""The audit of a claim: what it would imply, whether it fits, and what is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.workload import ClaimQuantity
from suanli.proposal.claim_memory import fits_view, memory_view
from suanli.proposal.claim_network import network_view
from suanli.proposal.claim_quantities import quantity_view
from suanli.proposal.claim_runs import run_view

if TYPE_CHECKING:
    from collections.abc import Callable

    from suanli.proposal.claim_facts import ClaimFacts
    from suanli.proposal.model import ClaimView
    from suanli.proposal.references import References

__all__ = ["claim_view"]


def claim_view(facts: ClaimFacts, references: References) -> ClaimView:
    """Return the audit of a claim, rounded."""
    views: dict[ClaimQuantity, Callable[[ClaimFacts, References], ClaimView]] = {
        ClaimQuantity.DAYS: run_view,
        ClaimQuantity.TOKENS_PER_S: run_view,
        ClaimQuantity.TOKENS_PER_S_PER_ACCELERATOR: run_view,
        ClaimQuantity.MFU: run_view,
        ClaimQuantity.FITS: fits_view,
        ClaimQuantity.MEMORY: memory_view,
        ClaimQuantity.NETWORK: network_view,
    }
    return views.get(facts.claim.quantity, quantity_view)(facts, references)
