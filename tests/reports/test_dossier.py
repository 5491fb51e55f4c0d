"""The frame of a document: every type, track and outcome renders in both languages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.reports.conftest import infeasible_option, recommended_option, sample_proposal
from tests.reports.test_html import TEMPLATES

from suanli.domain.workload import ProposalType, Track
from suanli.planning.prices import PriceOrigin
from suanli.procurement.headings import HEADINGS
from suanli.procurement.survey import OpenItem
from suanli.proposal.contributions import RenderJob
from suanli.proposal.dossier_view import dossier_view
from suanli.proposal.model import LineState, Verdict
from suanli_reports.environment import compose
from suanli_reports.texts import shipped_messages

if TYPE_CHECKING:
    from enum import StrEnum

    from suanli.procurement.headings import Rulebook
    from suanli.proposal.model import Proposal

STATES = ("recommended", "reference", "infeasible", "unpriced")


def outcome(state: str) -> Proposal:
    """Return the sample in which the calculation came out one way."""
    one = recommended_option()
    if state == "recommended":
        return sample_proposal()
    if state == "reference":
        over = one.model_copy(update={"verdict": Verdict.OVER_BUDGET})
        return sample_proposal((over, infeasible_option()), recommended="")
    if state == "unpriced":
        return sample_proposal((one.model_copy(update={"money": None, "availability": None}),))
    return sample_proposal((infeasible_option(),), recommended="")


def document(proposal: Proposal, kind: ProposalType, track: Track, language: str) -> str:
    """Return the HTML of a proposal as another type of document under other rules."""
    project = proposal.project.model_copy(update={"type": kind, "track": track})
    changed = proposal.model_copy(update={"project": project})
    changed = changed.model_copy(update={"dossier": dossier_view(changed)})
    return compose(RenderJob(changed, language), "screen")[0]


def words(html: str) -> str:
    """Return a document's text without styles and markup."""
    bare = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", bare))


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", ProposalType)
@pytest.mark.parametrize("track", Track)
def test_every_type_track_and_outcome_renders_in_both_languages(
    state: str, kind: ProposalType, track: Track
) -> None:
    text = words(document(outcome(state), kind, track, "bilingual"))
    assert len(text) > 1000
    assert "None" not in text


BUYERS = {
    Track.GOVERNMENT: "采购人",
    Track.BIDDING_LAW: "招标人",
    Track.ENTERPRISE: "采购方",
    Track.INTERNATIONAL: "采购方",
}


def chapter(html: str, name: str) -> str:
    """Return the text of a chapter, by the id of its element."""
    found = re.search(rf'<section class="chapter[^"]*" id="{name}">(.*?)</section>', html, flags=re.DOTALL)
    assert found is not None, name
    return words(found[1])


@pytest.mark.parametrize("track", Track)
def test_parties_are_called_as_the_rules_of_the_purchase_call_them(track: Track) -> None:
    tender = document(outcome("recommended"), ProposalType.TENDER_REQUIREMENT, track, "zh")
    bid = document(outcome("recommended"), ProposalType.VENDOR_BID, track, "zh")
    strange = set(BUYERS.values()) - {BUYERS[track]}
    for text in (chapter(tender, "background"), chapter(tender, "warranty"), chapter(bid, "bid-letter")):
        assert [word for word in strange if word in text.replace("采购方式", "")] == []
    assert BUYERS[track] in chapter(bid, "bid-letter")


def test_a_bid_states_no_total_while_a_line_is_not_offered_or_published() -> None:
    html = document(outcome("recommended"), ProposalType.VENDOR_BID, Track.GOVERNMENT, "en")
    gross = outcome("recommended").option("A").money.capex_gross.value  # type: ignore[union-attr]
    assert f"{gross:,.2f}" not in words(html)
    assert [price for price in ("1,250,000", "182,000", "168,000") if price in words(html)] == []
    assert "To be quoted: " in words(html)
    assert "not stated: " in chapter(html, "opening-sheet")


def test_a_bid_whose_lines_are_all_firm_states_its_total_in_figures_and_in_words() -> None:
    firm = outcome("recommended")
    row = next(row for row in firm.option("A").bill if row.number == "A9")
    offered = row.model_copy(update={"origin": PriceOrigin.QUOTE})
    option = firm.option("A").model_copy(update={"bill": (offered,)})
    html = document(sample_proposal((option,)), ProposalType.VENDOR_BID, Track.BIDDING_LAW, "zh")
    sheet = chapter(html, "opening-sheet")
    assert firm.option("A").money is not None
    assert "人民币" in sheet
    assert "待报价" not in sheet


def test_a_paper_without_a_feasible_option_asks_for_no_purchase() -> None:
    papers = {
        language: chapter(
            document(outcome("infeasible"), ProposalType.INTERNAL_APPROVAL, Track.ENTERPRISE, language),
            "signoff",
        )
        for language in ("zh", "en")
    }
    assert "不呈请批准采购" in papers["zh"]
    assert "not asked to approve a purchase" in papers["en"]


def test_a_bid_that_cannot_be_supplied_says_that_it_must_not_be_submitted() -> None:
    for state in ("reference", "infeasible"):
        html = document(outcome(state), ProposalType.VENDOR_BID, Track.ENTERPRISE, "en")
        assert "Not to be submitted." in chapter(html, "bid-letter")


def test_the_index_names_chapters_by_number_and_says_what_is_missing() -> None:
    html = document(outcome("recommended"), ProposalType.TENDER_REQUIREMENT, Track.GOVERNMENT, "en")
    index = chapter(html, "index")
    number = re.search(r'id="background">\s*<h1 data-run="(\d+)', html)
    assert number is not None
    assert f"Demand survey (articles 10 and 11){number[1]} Background and basis" in index
    assert "Lots and subcontracting (article 13)not in this document" in index


@pytest.mark.parametrize("book", HEADINGS, ids=lambda book: book.key)
def test_every_heading_of_a_rule_has_words_and_leads_to_chapters_that_have_names(book: Rulebook) -> None:
    messages = shipped_messages()
    assert messages.has(f"rulebook.{book.key}")
    for heading in book.headings:
        assert messages.has(f"asked.{book.key}-{heading.key}")
    named = {"terms", "delivery", "notice", "goods", "deviation-commercial"}
    found = {name for heading in book.headings for name in heading.chapters} - named
    assert [name for name in found if not messages.has(f"chapter.{name}")] == []


@pytest.mark.parametrize(
    ("namespace", "enum"), [("open-item", OpenItem), ("line-state", LineState)], ids=["items", "states"]
)
def test_every_open_item_and_state_of_a_line_has_words(namespace: str, enum: type[StrEnum]) -> None:
    assert [member for member in enum if not shipped_messages().has(f"{namespace}.{member}")] == []


def test_a_tender_names_neither_make_nor_model_nor_the_model_to_be_trained_on_any_page() -> None:
    """Every name that the proposal holds is looked for, in the whole document with its cover."""
    sample = outcome("recommended")
    names = {sample.profile.name.en}
    for option in sample.options:
        for text in (option.accelerator_name, option.maker, option.server_name, option.stack_name):
            names |= {text.zh, text.en} if text else set()
    assert {"Huawei", "MindSpeed-LLM", "Qwen2.5-72B"} <= names
    for track in Track:
        found = words(document(sample, ProposalType.TENDER_REQUIREMENT, track, "bilingual"))
        assert [name for name in sorted(names) if name in found] == []


def test_no_text_calls_an_annex_by_a_letter_that_another_outline_may_move() -> None:
    letter = re.compile(r"附录 ?[A-Z]|[Aa]nnex [A-Z]\b")
    for path in sorted(TEMPLATES.glob("**/*")):
        if path.suffix in {".j2", ".yaml"}:
            assert letter.search(path.read_text(encoding="utf-8")) is None, path.name
