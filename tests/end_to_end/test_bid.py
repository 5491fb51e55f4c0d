"""A bid of the whole pipeline shows the offered option alone; parties are called by their rules."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.reports.test_dossier import document, words
from tests.reports.test_html import ROOT

from suanli.cli import common
from suanli.domain.workload import ProposalType, Track
from suanli.pipeline import build_proposal
from suanli.proposal.offered import offered
from suanli_reports.texts import shipped_messages

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal

PARTIES = {"采购人", "供应商", "招标人", "投标人", "中标人", "应答人"}
QUOTED = ("laws", "glossary", "compliance")
"""Chapters that cite statutes and terms as they are written, whoever's words they are."""


@cache
def planned(track: Track) -> Proposal:
    host = common.load_plugins(quiet=True)
    settings = (f"project.track={track}", "project.type=vendor-bid")
    path = ROOT / "examples" / "pretrain-70b.yaml"
    return build_proposal(common.read_project(path, host, settings=settings, vendors=()), host)


def own_words(track: Track) -> str:
    roles = ("buyer", "supplier")
    return " ".join(shipped_messages().find(f"party.{role}-{track}").zh for role in roles)


def without(html: str, names: tuple[str, ...]) -> str:
    for name in names:
        html = re.sub(rf'<section class="chapter[^"]*" id="{name}">.*?</section>', "", html, flags=re.DOTALL)
    return html


@pytest.mark.parametrize("language", ["zh", "en", "bilingual"])
def test_a_bid_names_no_other_option_on_any_page(language: str) -> None:
    proposal = planned(Track.GOVERNMENT)
    side = "en" if language == "en" else "zh"
    assert proposal.subject is not None
    others = [getattr(one.accelerator_name, side) for one in proposal.options if one is not proposal.subject]
    assert len(others) >= 2
    bid = words(document(proposal, ProposalType.VENDOR_BID, Track.GOVERNMENT, language))
    assert getattr(proposal.subject.accelerator_name, side) in bid
    assert [name for name in others if name in bid] == []
    paper = words(document(proposal, ProposalType.INTERNAL_APPROVAL, Track.GOVERNMENT, language))
    assert [name for name in others if name not in paper] == []


@pytest.mark.parametrize("track", Track)
@pytest.mark.parametrize("kind", [ProposalType.TENDER_REQUIREMENT, ProposalType.VENDOR_BID])
def test_no_page_calls_a_party_by_the_word_of_other_rules(kind: ProposalType, track: Track) -> None:
    text = words(without(document(planned(track), kind, track, "zh"), QUOTED))
    assert {word for word in PARTIES if word in text and word not in own_words(track)} == set()


def test_only_a_bid_that_has_something_to_offer_leaves_anything_out() -> None:
    bid = planned(Track.ENTERPRISE)
    assert [one.key for one in offered(bid).options] == [bid.subject.key if bid.subject else ""]
    assert (offered(bid).claims, offered(bid).risks, offered(bid).notices) == ((), (), ())
    project = bid.project.model_copy(update={"type": ProposalType.INTERNAL_APPROVAL})
    paper = bid.model_copy(update={"project": project})
    assert offered(paper) is paper
    none = bid.model_copy(
        update={"options": (), "summary": bid.summary.model_copy(update={"recommended": ""})}
    )
    assert offered(none) is none
