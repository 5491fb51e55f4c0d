"""The summary for e-mail: it reads as text and as Markdown, and says what the document says."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from suanli.errors import RenderError
from suanli.proposal.contributions import RenderJob
from suanli.proposal.model import Verdict
from suanli_reports import markdown
from suanli_reports.markdown_text import escaped, said, wrapped
from suanli_reports.office_tree import Element, parse

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.proposal.model import Proposal

HAN = re.compile(r"[\u4e00-\u9fff]")
READER = MarkdownIt("commonmark").enable("table").enable("strikethrough")
PRINTABLE = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), min_size=1).map(
    lambda text: " ".join(text.split(" ")).strip()
)


def summary(proposal: Proposal, language: str) -> str:
    return markdown.render(RenderJob(proposal=proposal, language=language)).decode()


def read(text: str) -> Element:
    """Return what a reader of Markdown makes of a text."""
    return parse(READER.render(text).replace("<br />", "<br>").replace("<hr />", "<hr>"))


def titles(text: str) -> list[str]:
    return [one.text for one in read(text).walk() if one.tag == "h2"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_it_has_verdict_figures_options_decisions_risks_assumptions_prices_and_files(
    proposal: Proposal, language: str
) -> None:
    text = summary(proposal, language)
    wanted = {
        "zh": "关键数字|提请决策事项|为何需要 704 张卡|方案一览 · 金额单位：万元|主要风险|采用的假设|"
        "价格与数据的可靠程度|相关文件",
        "en": "Key figures|Decisions requested|Why 704 accelerators|Options at a glance · amounts in "
        "CNY million|Main risks|What was assumed|Quality of prices and data|Files",
    }
    assert titles(text) == wanted[language].split("|")
    for statement in {
        "zh": [
            "推荐方案 A：昇腾 910B2。",
            "99–120",
            "1.5228–1.8373",
            "过期价格 3 项",
            "manifest.json",
            "取值共 7 项",
        ],
        "en": [
            "Option A is recommended: Ascend 910B2.",
            "99–120",
            "Expired prices: 3",
            "manifest.json",
            ": 7.",
        ],
    }[language]:
        assert statement in text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_row_of_a_table_has_the_cells_of_its_head(proposal: Proposal, language: str) -> None:
    tables = [one for one in read(summary(proposal, language)).walk() if one.tag == "table"]
    assert len(tables) == 2
    for table in tables:
        rows = [len(row.elements) for row in table.walk() if row.tag == "tr"]
        assert len(rows) > 3
        assert len(set(rows)) == 1
    options = [row.elements[0].text[0] for row in tables[1].walk() if row.tag == "tr"][1:]
    assert options == [option.key for option in proposal.options]


def test_client_text_is_shown_as_it_was_written(proposal: Proposal) -> None:
    name = "# *A* _b_ `c` | <d> [e](f) ~~g~~ &lt; 1. x"
    project = proposal.project.model_copy(update={"name": name, "client": "1. " + name})
    text = summary(proposal.model_copy(update={"project": project}), "en")
    found = read(text)
    head, first = found.elements[:2]
    assert head.text == f"{name}: summary of the procurement proposal"
    assert first.text.replace("\n", " ").startswith(f"1. {name} · Internal approval")
    assert not any(one.tag in ("script", "a", "del", "em") for one in found.walk())


@given(PRINTABLE)
def test_any_text_is_read_back_as_it_was(text: str) -> None:
    for line in (escaped(text), str(said(Markup("<p>{}</p>").format(text))), str(said(escape(text)))):
        found = read(line)
        assert [one.tag for one in found.elements] == (["p"] if text else [])
        assert found.text.strip("\n") == text


@given(st.lists(st.sampled_from(["word", "#", "-", "12.", "+", "|", "=", ">", "longer-word"]), min_size=30))
def test_a_wrapped_line_stays_one_paragraph_of_the_same_words(words: list[str]) -> None:
    line = escaped(" ".join(words))
    text = wrapped(line, "en")
    assert all(len(part) <= 79 for part in text.splitlines())
    assert [one.tag for one in read(text).elements] == ["p"]
    assert read(text).text.split() == words


@pytest.mark.parametrize("language", ["zh", "en"])
def test_lines_are_as_wide_as_mail_shows_and_no_text_is_lost_by_breaking(
    proposal: Proposal, language: str
) -> None:
    lines = summary(proposal, language).splitlines()
    prose = [line for line in lines if not line.startswith(("|", "#"))]
    if language == "en":
        assert max(len(line) for line in prose) <= 79
    # A break between two Chinese characters would be shown as a space.
    for above, below in itertools.pairwise(lines):
        assert not (HAN.match(above[-1:]) and HAN.match(below[:1]))


def test_bold_words_are_seen_beside_chinese_punctuation(infeasible_proposal: Proposal) -> None:
    text = summary(infeasible_proposal, "zh")
    bold = [one.text for one in read(text).walk() if one.tag == "strong"]
    assert bold == ["在给定条件下没有可行方案"]
    assert "**。" in text


def test_both_languages_stand_one_after_the_other(proposal: Proposal) -> None:
    both = summary(proposal, "bilingual")
    assert both == summary(proposal, "zh") + "\n---\n\n" + summary(proposal, "en")


def test_where_nothing_is_recommended_it_says_so_and_asks_for_no_decision(proposal: Proposal) -> None:
    over = proposal.options[0].model_copy(update={"verdict": Verdict.OVER_BUDGET})
    brief = proposal.summary.model_copy(update={"recommended": ""})
    changed = proposal.model_copy(update={"options": (over, *proposal.options[2:]), "summary": brief})
    text = summary(changed, "en")
    assert "**No option can be recommended**" in text
    assert "Decisions requested" not in text
    assert "is recommended" not in text


def test_figures_without_a_range_and_absent_ones_are_dashes(proposal: Proposal) -> None:
    text = summary(proposal, "zh").replace("\N{NO-BREAK SPACE}", " ")
    assert "| 机房峰值功率 | 698 kW | – |" in text
    assert "| D Instinct MI210 | – | – | – | – | – | 不可行 |" in text


def test_powers_are_raised_and_keys_of_annexes_left_out() -> None:
    assert said(Markup("9.04 × 10<sup>23</sup>, CO<sub>2</sub>")) == "9.04 × 10²³, CO₂"
    assert said(Markup('<span class="nw">41%<sup class="ref"><a href="#ref-R1">R1</a></sup></span>')) == "41%"
    assert said(Markup("<ol><li><b>a</b> b</li><li>c</li></ol>")) == "1. **a** b\n2. c"
    with pytest.raises(RenderError, match="no form for <table>"):
        said(Markup("<p><table></table></p>"))


def test_a_theme_may_write_another_summary(proposal: Proposal, tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    (tmp_path / "theme.yaml").write_text(
        "name: {zh: 样式, en: House}\ndescription: {zh: 样式, en: House}\n", encoding="utf-8"
    )
    template = tmp_path / "mail" / "summary.md.j2"
    template.write_text("# {{ p.project.client.zh }}\n", encoding="utf-8")
    job = RenderJob(proposal=proposal, language="zh", theme=tmp_path)
    assert markdown.render(job).decode() == "# 示例集团 \\<script\\>alert(1)\\</script\\>\n"
    template.write_text("{{ p.misspelt }}", encoding="utf-8")
    with pytest.raises(RenderError, match="misspelt"):
        markdown.render(job)
