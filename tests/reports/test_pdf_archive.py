"""The PDF as an archive document: it keeps the rules, carries its files, says its languages."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import re
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import pikepdf
import pytest
from tests.reports.pdf_rules import RULES
from tests.reports.pdf_text import reading, structure

from suanli.domain.record import Text
from suanli.proposal.contributions import Attachment, RenderJob
from suanli_reports import pdf
from suanli_reports.engine import Embedded, write_pdf
from suanli_reports.fonts import font_css

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from suanli.proposal.model import Proposal

FILES = (
    Attachment("xlsx", "cost-sheet.bilingual.xlsx", b"PK sheet", Text(zh="成本测算表", en="Cost sheet")),
    Attachment(
        "project", "project.yaml", "project: 项目\n".encode(), Text(zh="项目", en="Project"), source=True
    ),
    Attachment("json", "proposal.json", b"{}\n" * 99, Text(zh="数据文件", en="Data")),
)
HAN = re.compile(r"[\u4e00-\u9fff]")
WORD = re.compile(r"\b[a-z]{3,}\b")


@pytest.fixture(scope="module")
def content(proposal: Proposal) -> bytes:
    return pdf.render(RenderJob(proposal=proposal, language="bilingual", attachments=FILES))


@pytest.fixture(scope="module")
def document(content: bytes) -> Iterator[pikepdf.Pdf]:
    with pikepdf.open(io.BytesIO(content)) as opened:
        yield opened


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_document_keeps_every_rule_of_an_archive(
    rule: Callable[[pikepdf.Pdf], Iterator[str]], document: pikepdf.Pdf
) -> None:
    assert list(rule(document)) == []


def test_the_files_inside_are_those_that_were_given(document: pikepdf.Pdf) -> None:
    assert {name: document.attachments[name].get_file().read_bytes() for name in document.attachments} == {
        one.name: one.content for one in FILES
    }
    relations = {str(one.UF): str(one.AFRelationship) for one in cast("Any", document.Root.AF)}
    assert relations == {
        "cost-sheet.bilingual.xlsx": "/Data",
        "project.yaml": "/Source",
        "proposal.json": "/Data",
    }


def test_the_annex_tells_size_and_digest_of_each_file_inside(document: pikepdf.Pdf) -> None:
    said = "".join(text for _, _, text in reading(document))
    for one in FILES:
        assert one.name in said
        assert hashlib.sha256(one.content).hexdigest() in said


def test_no_date_in_the_file_is_of_the_clock(document: pikepdf.Pdf, proposal: Proposal) -> None:
    day = proposal.project.day.strftime("D:%Y%m%d")
    params = [one.EF.F.Params for one in cast("Any", document.Root.AF)]
    dates = [str(document.docinfo["/CreationDate"]), *(str(one.ModDate) for one in params)]
    assert all(date.startswith(day) for date in dates)


def test_every_run_is_marked_with_its_language_where_it_is_not_the_document_s(
    document: pikepdf.Pdf, proposal: Proposal
) -> None:
    assert str(document.Root.Lang) == "zh-Hans"
    found = [(tag.language, text) for tag, _, text in reading(document)]
    # What others said is quoted as they said it.
    quoted = "".join(claim.by.en + claim.says.en for claim in proposal.claims) + proposal.project.name.en
    # The name of the client, and Chinese numbers that notes of the glossary explain.
    quoted += proposal.project.client.en + "千亿万"
    strange = [text for language, text in found if language == "en" and HAN.search(text)]
    assert [text for text in strange if not set(HAN.findall(text)) <= set(quoted)] == []
    english = [(language, text) for language, text in found if len(WORD.findall(text)) > 4]
    assert len(english) > 100
    assert [text for language, text in english if language != "en" and not HAN.search(text)] == []


def test_drawings_say_their_title_and_what_is_written_in_them(document: pikepdf.Pdf) -> None:
    figures = [tag.alternative for _, tag in structure(document).walk() if tag.role == "Figure"]
    assert len(figures) > 5
    assert all(HAN.search(text) and re.search("[A-Za-z]{4}", text) for text in figures)
    assert any("\n" in text and re.search(r"\d", text.partition("\n")[2]) for text in figures)


def test_chapters_tables_and_captions_are_read_in_their_order(document: pikepdf.Pdf) -> None:
    with document.open_outline() as outline:
        titles = [item.title.partition("\N{EM SPACE}")[2] for item in outline.root][1:]
    found = [(above, text) for tag, above, text in reading(document) if tag.language == "zh"]
    heads = [text for above, text in found if "H1" in above]
    chapters = [head for head in heads if any(title.startswith(head) for title in titles)]
    assert len(chapters) == len(titles)
    assert all(title.startswith(head) for title, head in zip(titles, chapters, strict=True))
    captions = [text for _, text in found if text in {"表", "图"}]
    assert len(captions) > 30


def test_text_side_by_side_is_read_one_side_after_the_other() -> None:
    sides = "<div class=pair><div lang=zh>甲一。甲二。</div><div lang=en>First. Second.</div></div>"
    cells = ".pair { display: table } .pair > div { display: table-cell; width: 3em }"
    style = f"{font_css()} body {{ font-family: 'Noto Sans SC' }} {cells}"
    content = write_pdf(f"<html lang=zh><title>t</title><style>{style}</style><body>{sides}</body></html>")
    with pikepdf.open(io.BytesIO(content)) as opened:
        said = "".join(text for _, _, text in reading(opened))
    assert said.replace(" ", "") == "甲一。甲二。First.Second."


def test_two_processes_write_the_same_bytes(tmp_path: Path, infeasible_proposal: Proposal) -> None:
    job = RenderJob(proposal=infeasible_proposal, language="zh", attachments=FILES)
    (tmp_path / "job").write_bytes(pickle.dumps(job))
    script = (
        "import hashlib, pathlib, pickle, sys; from suanli_reports import pdf;"
        "print(hashlib.sha256(pdf.render(pickle.loads(pathlib.Path(sys.argv[1]).read_bytes()))).hexdigest())"
    )
    digests = {
        subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", script, str(tmp_path / "job")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(digests) == 1


def test_another_file_inside_is_another_document() -> None:
    page = "<html lang=en><title>t</title><body></body></html>"

    def identifier(inside: bytes) -> bytes:
        day = datetime(2026, 1, 1, tzinfo=UTC)
        with pikepdf.open(
            io.BytesIO(write_pdf(page, [Embedded("a.txt", inside, "a", "Data", day)]))
        ) as opened:
            return bytes(cast("Any", opened.trailer.ID)[0])

    assert identifier(b"one") != identifier(b"two")
