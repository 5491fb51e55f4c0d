"""The chapter on the network: what is said of an oversubscription and of the storage network's ports."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from suanli.proposal.contributions import RenderJob
from suanli_reports.environment import compose

if TYPE_CHECKING:
    from suanli.proposal.model import NetworkView, Proposal


def chapter(proposal: Proposal, language: str, built: str = "1", **network: object) -> str:
    """Return the visible text of the chapter with another network in the sample."""
    first, *others = proposal.options
    assert first.fabric is not None
    option = first.model_copy(
        update={
            "network": sample(proposal).model_copy(update=network),
            "fabric": first.fabric.model_copy(update={"oversubscription": Decimal(built)}),
        }
    )
    changed = proposal.model_copy(update={"options": (option, *others)})
    document, _ = compose(RenderJob(proposal=changed, language=language), "screen")
    found = re.search(r'<section[^>]*id="network".*?</section>', document, re.DOTALL)
    assert found is not None
    return " ".join(re.sub(r"<[^>]*>", " ", found[0]).split())


def sample(proposal: Proposal) -> NetworkView:
    network = proposal.options[0].network
    assert network is not None
    return network


@pytest.mark.parametrize(("language", "words"), [("en", "one switch carries all ports"), ("zh", "未予采用")])
def test_one_switch_for_all_leaves_the_ratio_that_was_asked_for_unused(
    proposal: Proposal, language: str, words: str
) -> None:
    shown = chapter(proposal, language, shape="single-switch", asked_oversubscription=Decimal(2))
    assert words in shown
    assert words not in chapter(proposal, language, shape="single-switch")


@pytest.mark.parametrize(("language", "words"), [("en", "1.27 : 1 is what"), ("zh", "实际收敛比为 1.27 : 1")])
def test_leaves_that_are_not_full_are_said_to_be_less_oversubscribed(
    proposal: Proposal, language: str, words: str
) -> None:
    assert words in chapter(proposal, language, "1.27", asked_oversubscription=Decimal(2))
    assert words not in chapter(proposal, language, "1.27")


def test_the_ports_of_the_storage_network_are_listed_by_whose_they_are(proposal: Proposal) -> None:
    shown = chapter(proposal, "en")
    assert "90 training servers x 2; 6 servers of the performance tier x 4" in shown
    groups = sample(proposal).sides[0].groups
    assert sum(one.machines * one.each for one in groups) == sample(proposal).sides[0].ports
