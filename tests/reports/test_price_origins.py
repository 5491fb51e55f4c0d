"""How many prices are quotations, list prices, press and estimates: on both covers and in the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suanli.proposal.contributions import RenderJob
from suanli_reports import html
from suanli_reports.workbook_template import load_layout

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal

WORDS = {
    "zh": "报价 1 项，公开标价 2 项，媒体与社区 3 项，推算 0 项",
    "en": "Quotations 1, list prices 2, press 3, estimates 0",
}


@pytest.mark.parametrize("language", WORDS)
def test_the_document_counts_prices_on_its_cover_and_in_the_budget(proposal: Proposal, language: str) -> None:
    text = html.render(RenderJob(proposal, language)).decode()
    assert text.count(WORDS[language]) == 2


def test_the_workbook_counts_prices_on_its_cover(proposal: Proposal) -> None:
    cover = load_layout(RenderJob(proposal, "zh")).sheets[0].model_dump_json()
    assert "报价 1，公开标价 2，媒体与社区 3，推算 0；其中已过有效期 3" in cover
    assert "quotations 1, list prices 2, press 3, estimates 0; of these stale 3" in cover
