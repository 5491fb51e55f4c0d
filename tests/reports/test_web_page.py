"""What makes the HTML document a page: its script, the policy around it, its controls, its plain numbers."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

import pytest
from tests.reports.test_html import LANGUAGES, rendered

from suanli.domain.money import round_half_up
from suanli.proposal.contributions import RenderJob
from suanli_reports.environment import compose

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_policy_names_the_one_script_and_the_one_style_sheet_and_allows_nothing_else(
    proposal: Proposal, language: str
) -> None:
    document = rendered(proposal, language)
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', document)
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy[1].split("; "))
    (code,) = re.findall(r"<script>(.*?)</script>", document, flags=re.DOTALL)
    (sheet,) = re.findall(r"<style>(.*?)</style>", document, flags=re.DOTALL)
    assert rules == {
        "default-src": "'none'",
        "script-src": _sha256(code),
        "style-src": _sha256(sheet),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert policy.start() < document.index("<style>")
    assert re.search(r"<[^<>]* style=", document) is None
    assert re.search(r"<[^<>]* on[a-z]+=", document) is None


def _sha256(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_script_asks_for_nothing_and_writes_no_markup(proposal: Proposal) -> None:
    (code,) = re.findall(r"<script>(.*?)</script>", rendered(proposal), flags=re.DOTALL)
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write"
    banned = rf"{markup}|\beval\b|Function\(|fetch\(|XMLHttp|import|Worker"
    assert re.findall(banned, code) == []
    assert re.search("https?:|[\u4e00-\u9fff]", code) is None


def test_every_word_that_the_script_says_stands_in_the_document(proposal: Proposal) -> None:
    document = rendered(proposal)
    asked = set(re.findall(r"\bwords\.([A-Za-z]+)", document))
    told = re.search(r'<div id="web-words" hidden([^>]+)>', document)
    assert told is not None
    names = re.findall(r' data-([a-z-]+)="[^"]+"', told[1])
    assert {re.sub("-(.)", lambda found: found[1].upper(), name) for name in names} == asked


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_control_has_a_label(proposal: Proposal, language: str) -> None:
    document = rendered(proposal, language)
    controls = re.findall(r"<(?:input|select|button)\b[^>]*>(?:[^<]*)", document)
    named = r'aria-label="[^"]+"|<button[^>]*>[^<]*\S|id="compare-go"'
    for control in controls:
        found = re.search('id="([^"]+)"', control)
        labelled = found is not None and f'<label for="{found[1]}">' in document
        inside = f"<label>{control}" in document
        spoken = "<button" in control and re.search(re.escape(control) + r"<span", document)
        assert labelled or inside or spoken or re.search(named, control), control
    assert len(controls) > 10


def test_the_table_of_options_carries_its_figures_as_plain_numbers(proposal: Proposal) -> None:
    document = rendered(proposal, "zh")
    body = document.partition('id="explorer"')[2].partition("</table>")[0].partition("<tbody>")[2]
    rows = [re.findall(r'<td[^>]*?(?: data-v="([^"]*)")?>', row) for row in body.split("</tr>")[:-1]]
    assert len(rows) == len(proposal.options)
    for row, option in zip(rows, proposal.options, strict=True):
        assert row[5] == ("" if option.accelerators is None else str(option.accelerators))
        money = option.money
        assert row[10] == ("" if money is None else f"{round_half_up(money.tco_net.value / 10_000)}")
        assert (row[6] == "") == (option.days is None)


def test_the_page_and_the_paper_number_their_tables_alike(proposal: Proposal) -> None:
    screen, paper = (
        compose(RenderJob(proposal=proposal, language="en"), target)[0] for target in ("screen", "print")
    )
    numbers = r'<p class="caption"><span class="no">((?:Table|Figure) [^<]+)</span>'
    assert re.findall(numbers, screen) == re.findall(numbers, paper)
    assert "<script" not in paper
    assert 'id="explorer"' not in paper
