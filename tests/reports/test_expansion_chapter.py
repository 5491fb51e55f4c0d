"""The chapter on growth: what is recommended and why, in the words of each case."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from suanli.proposal.contributions import RenderJob
from suanli_reports.environment import compose

if TYPE_CHECKING:
    from suanli.proposal.model import ExpansionView, Proposal


def chapter(proposal: Proposal, language: str, expansion: ExpansionView) -> str:
    """Return the visible text of the chapter with another growth in the sample."""
    first, *others = proposal.options
    changed = proposal.model_copy(
        update={"options": (first.model_copy(update={"expansion": expansion}), *others)}
    )
    document, _ = compose(RenderJob(proposal=changed, language=language), "screen")
    found = re.search(r'<section[^>]*id="expansion".*?</section>', document, re.DOTALL)
    assert found is not None
    return " ".join(re.sub(r"<[^>]*>", " ", found[0]).split())


def sample(proposal: Proposal) -> ExpansionView:
    expansion = proposal.options[0].expansion
    assert expansion is not None
    return expansion


def in_place(expansion: ExpansionView, **update: object) -> ExpansionView:
    """Return the growth with the path in place recommended and changed."""
    place = expansion.paths[0].model_copy(update={"recommended": True, **update})
    return expansion.model_copy(update={"paths": (place,), "recommended": place.target, "spared": 0})


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh", ("首期即按 2 倍规模建设", "多购 12 台", "少改接线缆 360 根", "新增一层")),
        ("en", ("out for 2 times", "12 more switches", "keep 360 cables", "A tier is added at 4 times")),
    ],
)
def test_early_spines_are_recommended_with_what_they_cost_and_spare(
    proposal: Proposal, language: str, words: tuple[str, ...]
) -> None:
    text = chapter(proposal, language, sample(proposal))
    assert all(word in text for word in words), text


@pytest.mark.parametrize(
    ("language", "quiet", "busy"),
    [("zh", "没有线缆须改接", "25%"), ("en", "No cable has to move", "25%")],
)
def test_growth_in_place_says_whether_cables_move(
    proposal: Proposal, language: str, quiet: str, busy: str
) -> None:
    still = chapter(proposal, language, in_place(sample(proposal), moved=0, discarded=0))
    moving = chapter(proposal, language, in_place(sample(proposal)))

    assert quiet in still
    assert quiet not in moving
    assert busy in moving
    assert "1,120" in moving


@pytest.mark.parametrize(
    ("language", "words"), [("zh", "待报价确定后补充"), ("en", "once quotations settle")]
)
def test_an_unknown_network_is_said_to_be_unknown(proposal: Proposal, language: str, words: str) -> None:
    unknown = sample(proposal).model_copy(update={"paths": (), "recommended": None})
    text = chapter(proposal, language, unknown)

    assert words in text


@pytest.mark.parametrize(("language", "words"), [("zh", "不作比较"), ("en", "nothing to compare")])
def test_a_form_alone_is_compared_with_nothing(proposal: Proposal, language: str, words: str) -> None:
    alone = sample(proposal).model_copy(update={"forms": sample(proposal).forms[:1]})

    assert words in chapter(proposal, language, alone)


def test_a_proposal_without_growth_has_no_such_chapter(proposal: Proposal) -> None:
    first, *others = proposal.options
    bare = proposal.model_copy(update={"options": (first.model_copy(update={"expansion": None}), *others)})
    document, _ = compose(RenderJob(proposal=bare, language="en"), "screen")

    assert 'id="expansion"' not in document
