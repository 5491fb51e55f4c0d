"""What a bid may show of a proposal: the offered option, and nothing of the house that drew it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.workload import ProposalType

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal

__all__ = ["offered"]


def offered(proposal: Proposal) -> Proposal:
    """Return what a document of the project's type may show.

    A bid holds the offered option alone: no other option, no claim, no risk, no notice and no change by hand.
    Every other document, and a bid that has nothing to offer, holds the proposal as it is.
    """
    subject = proposal.subject
    if subject is None or proposal.project.type is not ProposalType.VENDOR_BID:
        return proposal
    return proposal.model_copy(
        update={"options": (subject,), "claims": (), "risks": (), "notices": (), "edits": ()}
    )
