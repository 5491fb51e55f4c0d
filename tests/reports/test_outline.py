"""Outlines: the kind of document and the rules of procurement choose the chapters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from tests.reports.test_html import TEMPLATES

from suanli.domain.record import Text
from suanli.domain.workload import ProposalType, Track
from suanli.errors import RenderError
from suanli.proposal.contributions import Section
from suanli_reports.outline import Outline, chapters
from suanli_reports.texts import shipped_messages
from suanli_reports.voice import Speaker, Voice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SPEAKER = Speaker((Voice("en", shipped_messages()),))


def outline(rows: Sequence[Mapping[str, object]], conditions: Mapping[str, bool] | None = None) -> Outline:
    return Outline(
        {"chapters": list(rows), "annexes": []}, "own.yaml", conditions or {}, str(Track.GOVERNMENT)
    )


def names(made: Outline, *sections: Section) -> list[str]:
    return [chapter.id for chapter in chapters(made, sections, SPEAKER)]


def after(chapter: str) -> Section:
    return Section("esg", chapter, Text(zh="环境", en="Environment"), "acme", "esg.html.j2")


@pytest.mark.parametrize("kind", ProposalType)
def test_every_type_of_proposal_has_an_outline_whose_chapters_have_names_and_templates(
    kind: ProposalType,
) -> None:
    path = TEMPLATES / "document" / "outlines" / f"{kind}.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    rows = [row for part in ("chapters", "annexes") for row in content[part]]
    messages = shipped_messages()
    assert rows
    for row in rows:
        assert "title" in row or messages.has(f"chapter.{row['id']}")
        assert (TEMPLATES / "document" / "chapters" / f"{row['id']}.html.j2").is_file(), row["id"]
    assert len({row["id"] for row in rows}) == len(rows)


def test_a_chapter_stands_under_its_own_rules_of_procurement_only() -> None:
    rows: list[dict[str, object]] = [
        {"id": "summary"},
        {"id": "tco", "tracks": ["enterprise"]},
        {"id": "risks", "tracks": ["government"]},
    ]
    assert names(outline(rows)) == ["summary", "risks"]


def test_a_chapter_without_its_subject_is_left_out() -> None:
    rows: list[dict[str, object]] = [{"id": "summary"}, {"id": "tco", "needs": "money"}]
    assert names(outline(rows, {"money": False})) == ["summary"]
    assert names(outline(rows, {"money": True})) == ["summary", "tco"]


def test_a_row_may_have_a_title_of_its_own() -> None:
    (chapter,) = chapters(outline([{"id": "tco", "title": {"zh": "费用", "en": "Money"}}]), (), SPEAKER)
    assert chapter.running == "1\N{EM SPACE}Money"


def test_a_plugins_chapter_follows_the_one_it_names() -> None:
    assert names(outline([{"id": "summary"}, {"id": "risks"}]), after("summary")) == [
        "summary",
        "esg",
        "risks",
    ]


def test_a_plugins_chapter_after_one_of_another_document_is_left_out() -> None:
    assert names(outline([{"id": "summary"}]), after("tco")) == ["summary"]


def test_a_plugins_chapter_after_one_that_does_not_exist_is_refused() -> None:
    with pytest.raises(RenderError, match='did you mean "tco"'):
        names(outline([{"id": "summary"}]), after("tc0"))


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"id": "tco", "neds": "money"}, 'unknown key "neds"'),
        ({"id": "tco", "needs": "mony"}, 'unknown condition "mony"'),
        ({"id": "tco", "tracks": ["goverment"]}, 'unknown track "goverment"'),
        ({"title": "x"}, "a row without id"),
    ],
)
def test_a_wrong_row_is_refused_with_the_nearest_known_name(row: dict[str, object], what: str) -> None:
    with pytest.raises(RenderError, match=what) as caught:
        names(outline([row], {"money": True}))
    assert caught.value.faults[0].where == "own.yaml"


def test_a_file_without_chapters_is_no_outline() -> None:
    with pytest.raises(RenderError, match='no list "chapters"'):
        names(Outline("nothing", "own.yaml", {}, str(Track.ENTERPRISE)))


def test_all_faults_of_an_outline_are_told_at_once() -> None:
    with pytest.raises(RenderError) as caught:
        names(outline([{"id": "tco", "neds": "x", "needs": "y"}, {"id": "risks", "tracks": ["z"]}]))
    assert len(caught.value.faults) == 3
