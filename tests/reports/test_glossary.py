"""The glossary: its entries, what of it a document prints, and the renderings that no document holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.reports.test_html import rendered, visible

from suanli.errors import RenderError
from suanli_reports.glossary import Standing, Term, occurring, page, read, shipped_glossary

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal

ROOT = Path(__file__).parents[2]
HAN = re.compile(r"[\u4e00-\u9fff]")
TERMS = shipped_glossary().terms


def test_the_glossary_holds_every_subject_and_each_term_once() -> None:
    glossary = shipped_glossary()
    assert len(glossary.subjects) == 9
    assert len(TERMS) > 375
    assert len({term.id for term in TERMS}) == len(TERMS)
    assert len({term.zh for term in TERMS}) == len(TERMS)
    assert {term.standing for term in TERMS} == set(Standing)


def test_each_side_of_a_term_is_in_its_own_language() -> None:
    loan = {"IOPS（4K/8K 随机读）", "Scale-up 域／纵向扩展", "Scale-out／横向扩展"}
    assert [term.id for term in TERMS if term.zh not in loan and not HAN.search(term.zh)] == []
    assert [term.id for term in TERMS for english in (*term.en, *term.avoid) if HAN.search(english)] == []


def test_no_term_is_at_once_used_and_avoided() -> None:
    used = {english.lower() for term in TERMS for english in term.en}
    assert [bad for term in TERMS for bad in term.avoid if bad.lower() in used] == []


def test_the_page_of_all_terms_is_the_one_in_the_documentation() -> None:
    assert (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8") == page(shipped_glossary())


def test_a_faulty_glossary_names_every_fault_with_its_place() -> None:
    faulty = {
        "subjects": [
            {"id": "a", "title": {"zh": "甲", "en": "A"}, "terms": [{"id": "x", "zh": "", "en": []}]}
        ]
    }
    with pytest.raises(RenderError) as caught:
        read(faulty, "glossary.yaml")
    assert [fault.key for fault in caught.value.faults] == ["subjects.0.terms.0.zh", "subjects.0.terms.0.en"]


def test_a_term_occurs_where_one_of_its_words_is_said_whole() -> None:
    term = Term(id="x", zh="裸容量／可用容量（TB）", en=("raw / usable capacity", "space"))
    assert occurring([term], "可用容量为 5 TB", ["zh"]) == (term,)
    assert occurring([term], "容量为 5 TB", ["zh"]) == ()
    assert occurring([term], "Raw data", ["en"]) == (term,)
    assert occurring([term], "drawn capacity, space", ["en"]) == ()
    assert occurring([term], "可用容量", ["en"]) == ()


def printed(document: str) -> list[str]:
    annex = document.partition('id="glossary"')[2].partition("</section>")[0]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", annex)
    return [zh for zh in cells[::2] if zh]


@pytest.mark.parametrize("language", ["zh", "en", "bilingual"])
def test_the_annex_prints_the_terms_of_the_document_and_no_others(proposal: Proposal, language: str) -> None:
    document = rendered(proposal, language)
    found = printed(document)
    known = {term.zh: term for term in TERMS}
    assert 60 < len(found) < len(TERMS)
    text = " ".join(re.sub("<[^>]*>", "", document.partition('id="glossary"')[0]).split())
    languages = ["zh", "en"] if language == "bilingual" else [language]
    assert [zh for zh in found if not occurring([known[zh]], text, languages)] == []
    assert "投标保证金" not in found
    assert "检查点" in found


@pytest.mark.parametrize("language", ["en", "bilingual"])
def test_no_document_holds_a_rendering_that_misleads(proposal: Proposal, language: str) -> None:
    text = " ".join(visible(rendered(proposal, language)).lower().split())
    assert [bad for term in TERMS for bad in term.avoid if bad.lower() in text] == []


TRAPS = [
    ("断点续训", "checkpoint resume"),
    ("光模块", "optical transceiver"),
    ("机房", "data hall"),
    ("收敛比", "oversubscription ratio"),
    ("显存", "device memory"),
    ("内存", "host memory"),
    ("备件", "spare parts"),
    ("采购需求", "procurement requirement"),
    ("算力利用率", "model FLOPs utilisation (MFU)"),
    ("超节点", "scale-up domain"),
    ("质保", "warranty"),
    ("最高限价", "price ceiling"),
    ("大模型", "large model"),
]


@pytest.mark.parametrize(("zh", "en"), TRAPS)
def test_the_first_english_term_of_a_trap_is_the_established_one(zh: str, en: str) -> None:
    (term,) = [term for term in TERMS if zh in re.sub("（.*?）", "", term.zh).split("／")]
    assert term.en[0].split(" / ")[0] == en
