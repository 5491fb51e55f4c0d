"""Demand surveys by amount, and what only the buyer or the bidder can supply."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suanli.domain.workload import ProposalType, Track
from suanli.procurement.headings import HEADINGS, rulebooks
from suanli.procurement.survey import SURVEY_FROM, OpenItem, SurveyDuty, open_items, survey_duty

AMOUNTS = st.decimals("0.01", "1e10", places=2)


@given(AMOUNTS, AMOUNTS)
def test_a_larger_purchase_never_escapes_the_survey_of_a_smaller_one(one: Decimal, more: Decimal) -> None:
    smaller, larger = sorted((one, more))
    duty = survey_duty(Track.GOVERNMENT, smaller)
    assert duty is (SurveyDuty.DUE if smaller >= SURVEY_FROM else SurveyDuty.BELOW)
    if duty is SurveyDuty.DUE:
        assert survey_duty(Track.GOVERNMENT, larger) is SurveyDuty.DUE


@pytest.mark.parametrize("track", [track for track in Track if track is not Track.GOVERNMENT])
def test_the_rule_on_surveys_governs_fiscal_money_alone(track: Track) -> None:
    assert survey_duty(track, Decimal(10) ** 9) is SurveyDuty.ELSEWHERE


def test_without_an_amount_in_yuan_nothing_is_said_of_a_survey() -> None:
    assert survey_duty(Track.GOVERNMENT, None) is SurveyDuty.UNKNOWN


@pytest.mark.parametrize("kind", ProposalType)
@pytest.mark.parametrize("track", Track)
def test_a_stated_budget_is_no_open_item_and_every_document_has_some(
    kind: ProposalType, track: Track
) -> None:
    duty = survey_duty(track, SURVEY_FROM)
    stated = open_items(kind, track, budget=True, duty=duty)
    missing = open_items(kind, track, budget=False, duty=duty)
    assert stated
    assert OpenItem.BUDGET not in stated
    assert (OpenItem.BUDGET in missing) == (kind is not ProposalType.VENDOR_BID)


def test_policies_of_fiscal_money_are_asked_for_under_its_rules_alone() -> None:
    fiscal = {OpenItem.SURVEY, OpenItem.INTENT, OpenItem.IMPORT, OpenItem.SMALL_FIRMS}
    for track in Track:
        found = open_items(
            ProposalType.TENDER_REQUIREMENT, track, budget=True, duty=survey_duty(track, SURVEY_FROM)
        )
        assert bool(fiscal & set(found)) == (track is Track.GOVERNMENT)


def test_a_survey_that_is_not_due_leaves_no_record_to_supply() -> None:
    found = open_items(ProposalType.TENDER_REQUIREMENT, Track.GOVERNMENT, budget=True, duty=SurveyDuty.BELOW)
    assert OpenItem.SURVEY not in found


def test_a_document_is_held_against_rules_of_its_own_type_and_track() -> None:
    for book in HEADINGS:
        for kind in ProposalType:
            for track in Track:
                assert (book in rulebooks(kind, track)) == (book.kind is kind and track in book.tracks)


@pytest.mark.parametrize("book", HEADINGS, ids=lambda book: book.key)
def test_a_rule_asks_for_a_heading_once(book: object) -> None:
    keys = [heading.key for heading in getattr(book, "headings")]  # noqa: B009 - the parameter's type is open
    assert len(set(keys)) == len(keys)
