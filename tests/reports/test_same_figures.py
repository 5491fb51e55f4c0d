"""PDF, web page, Word document, summary and data hold the same figures, and so do both languages.

One rich proposal made by hand and one example that the pipeline makes are rendered in every format. What a
test compares is read back from the files, not from the model, and a figure changed on purpose is found by
each of them.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, cast
from xml.etree import ElementTree as ET

import pytest
from pypdf import PdfReader
from pypdf.generic import Destination
from tests.reports.figure_reading import blocks, differences, digits, numbers

from suanli.cli import common
from suanli.pipeline import build_proposal
from suanli.proposal.contributions import RenderJob
from suanli_reports import docx, html, json_output, markdown, pdf
from suanli_reports.display_units import displayed
from suanli_reports.environment import compose
from suanli_reports.office_tree import Element, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.proposal.model import Proposal

ROOT = Path(__file__).parents[2]
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
LANGUAGES = ("zh", "en", "bilingual")
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
JSON_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:E[+-]?\d+)?)(?: [A-Z]{3})?")


@pytest.fixture(scope="module")
def example() -> Proposal:
    """Return the proposal of an example as the pipeline makes it."""
    host = common.load_plugins(strict=False)
    path = ROOT / "examples" / "lora-13b.yaml"
    return build_proposal(common.read_project(path, host, settings=(), vendors=()), host)


@pytest.fixture(scope="module", params=["sample", "example"])
def subject(request: pytest.FixtureRequest, proposal: Proposal, example: Proposal) -> Proposal:
    return proposal if request.param == "sample" else example


def with_energy(proposal: Proposal, value: Decimal) -> Proposal:
    """Return a proposal in which one figure of the described option is another one."""
    first = proposal.options[0]
    assert first.energy is not None
    per_run = first.energy.per_run.model_copy(update={"value": value})
    changed = first.model_copy(update={"energy": first.energy.model_copy(update={"per_run": per_run})})
    return proposal.model_copy(update={"options": (changed, *proposal.options[1:])})


def body_of(document: str) -> Element:
    body = parse(document).first("body")
    assert body is not None
    return body


def texts_of_html(proposal: Proposal, language: str) -> list[str]:
    # The page has more than the document: a table to sort and filter, and cards of sources.
    document, _ = compose(RenderJob(proposal=proposal, language=language), "print")
    # What a drawing says to those who do not see it repeats what is written in it.
    document = re.sub(r"<desc>.*?</desc>", "", document, flags=re.DOTALL)
    return list(blocks(body_of(document)))


def of_html(proposal: Proposal, language: str) -> Counter[str]:
    return Counter(numbers(texts_of_html(proposal, language)))


def of_docx(proposal: Proposal, language: str) -> Counter[str]:
    """Return the numbers of a Word document, with those of drawings and those that lists give."""
    with zipfile.ZipFile(io.BytesIO(docx.render(RenderJob(proposal=proposal, language=language)))) as opened:
        content = opened.read("word/document.xml")
        document = ET.fromstring(content)  # noqa: S314 - written by the program under test
        drawings = [opened.read(name).decode() for name in opened.namelist() if name.endswith(".svg")]
    for contents in document.findall(f"{W}body/{W}sdt"):
        document.find(f"{W}body").remove(contents)  # type: ignore[union-attr]
    texts = [_paragraph(one) for one in document.iter(f"{W}p")]
    texts += [
        text for drawing in drawings for text in blocks(Element("div", {}, [Element("svg", {}, [drawing])]))
    ]
    return Counter(numbers([*texts, *_heading_numbers(document)]))


def _paragraph(paragraph: ET.Element) -> str:
    return "".join("\n" if part.tag == f"{W}br" else part.text or "" for part in _texts(paragraph))


def _texts(paragraph: ET.Element) -> Iterator[ET.Element]:
    return (part for part in paragraph.iter() if part.tag in (f"{W}t", f"{W}br"))


def _heading_numbers(document: ET.Element) -> list[str]:
    found: list[str] = []
    chapter, section, kind = 0, 0, "1"
    for paragraph in document.iter(f"{W}p"):
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        number = paragraph.find(f"{W}pPr/{W}numPr/{W}numId")
        if style is None or number is None or style.get(f"{W}val") not in ("Heading1", "Heading2"):
            continue
        if style.get(f"{W}val") == "Heading1":
            chapter = chapter + 1 if number.get(f"{W}val") == kind else 1
            section, kind = 0, number.get(f"{W}val", "")
            found.append(str(chapter) if kind == "1" else "A")
        else:
            section += 1
            found.append(f"{chapter}.{section}" if kind == "1" else f"A.{section}")
    return found


def of_pdf(proposal: Proposal, language: str) -> str:
    """Return the text of a PDF without its contents and the numbers of its pages."""
    reader = PdfReader(io.BytesIO(pdf.render(RenderJob(proposal=proposal, language=language))))
    titles = [one for one in reader.outline if isinstance(one, Destination)]
    first = reader.get_destination_page_number(titles[1])
    assert first is not None
    count = len(reader.pages)
    pages = [reader.pages[0], *reader.pages[first:]]
    return "\n".join(re.sub(rf"\d+ / {count}\b", "", page.extract_text()) for page in pages)


def unequal_numbers(printed: str, page: list[str], foot: str) -> tuple[set[str], set[str]]:
    """Return the numbers that only a PDF's text or only a web page's texts have.

    Where two texts stand close together in print they are read as one, so that a number of the one counts as
    found where its digits are, between other digits too.
    """
    left, right = set(numbers([printed])) - set(numbers([foot])), set(numbers(page))
    joined = "".join("".join(text.split()) for text in page)
    return {one for one in left - right if one not in joined}, {
        one for one in right - left if one not in printed
    }


def of_summary(proposal: Proposal, language: str) -> set[str]:
    text = markdown.render(RenderJob(proposal=proposal, language=language)).decode()
    text = re.sub(r"^\d+\. ", "", text, flags=re.MULTILINE).replace("\\", "").translate(RAISED)
    return set(numbers([text]))


def of_data(proposal: Proposal) -> set[Decimal]:
    """Return the numbers of the data file: values, keys of tables, and how long its lists are."""

    def values(part: object) -> Iterator[Decimal]:
        if isinstance(part, dict):
            for key, value in cast("dict[str, object]", part).items():
                yield from values(key)
                yield from values(value)
        elif isinstance(part, list):
            yield Decimal(len(cast("list[object]", part)))
            for value in cast("list[object]", part):
                yield from values(value)
        elif isinstance(part, int) and not isinstance(part, bool):
            yield Decimal(part)
        elif isinstance(part, str) and (found := JSON_NUMBER.fullmatch(part)):
            yield Decimal(found[1])

    content = json_output.render_json(RenderJob(proposal=proposal, language=""))
    return set(values(json.loads(content, parse_float=str)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_word_document_holds_every_figure_of_the_web_page_as_often(
    subject: Proposal, language: str
) -> None:
    page, word = of_html(subject, language), of_docx(subject, language)
    assert sum(page.values()) > 1000
    assert word == page


def test_the_pdf_holds_the_figures_of_the_web_page_and_no_others(subject: Proposal) -> None:
    page = texts_of_html(subject, "zh")
    # The foot of a page has the version and the day in figures.
    foot = f"suanli {subject.project.version} {subject.project.day.isoformat()}"
    printed = of_pdf(subject, "zh")
    assert unequal_numbers(printed, page, foot) == (set(), set())
    long = next(one for one in numbers(page) if len(one) > 6)
    changed = [text.replace(long, "98765.4321") for text in page]
    assert unequal_numbers(printed, changed, foot) == ({long}, {"98765.4321"})


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_summary_holds_no_figure_that_the_document_lacks(subject: Proposal, language: str) -> None:
    figures = of_summary(subject, language)
    # The program's version stands in the foot of the document's pages.
    assert figures - set(of_html(subject, language)) - set(numbers([subject.project.version])) == set()
    assert len(figures) > 30


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_figure_that_is_said_stands_in_the_data_file(subject: Proposal, language: str) -> None:
    _, composer = compose(RenderJob(proposal=subject, language=language), "print")
    said = composer.speaker.voices[0].figures
    assert len(said) > 200
    # The budget is an input, and stands in the project file; durations are told in the unit that suits them.
    budget = subject.requirement.commercial.budget
    given = {budget.amount} if budget else set()
    assert said - of_data(subject) - of_data(displayed(subject)) - given == set()


def cells(proposal: Proposal, language: str) -> list[Element]:
    document, _ = compose(RenderJob(proposal=proposal, language=language), "print")
    # The glossary lists the terms that occur in a language.
    chapters = (one for one in body_of(document).walk() if one.tag == "section")
    told = [one for one in chapters if one.attributes.get("id") != "glossary"]
    return [one for chapter in told for one in chapter.walk() if one.tag in ("td", "th")]


def unequal_cells(chinese: Proposal, english: Proposal) -> list[tuple[str, str]]:
    """Return the cells of tables whose figures differ between both languages.

    Cells of figures must be equal to the digit that both show; sentences may spell a small number out.
    """
    pairs = list(zip(cells(chinese, "zh"), cells(english, "en"), strict=True))
    found: list[tuple[str, str]] = []
    for zh, en in pairs:
        left, right = differences(zh.text, en.text)
        least = 1 if "n" in zh.classes and "w" not in zh.classes else 2 if "inline" in zh.classes else 3
        if [one for one in (*left, *right) if digits(one) >= least]:
            found.append((zh.text, en.text))
    return found


def unequal_passages(proposal: Proposal) -> list[tuple[str, str]]:
    """Return the passages whose figures differ between the two sides of the document in both languages."""
    document, _ = compose(RenderJob(proposal=proposal, language="bilingual"), "print")
    pairs = [one.elements for one in body_of(document).walk() if "pair" in one.classes]
    assert len(pairs) > 15
    return [(zh.text, en.text) for zh, en in pairs if any(differences(zh.text, en.text))]


def test_both_languages_hold_the_same_figures_cell_by_cell(subject: Proposal) -> None:
    assert unequal_cells(subject, subject) == []


def test_both_languages_hold_the_same_figures_passage_by_passage(subject: Proposal) -> None:
    assert unequal_passages(subject) == []


def test_a_figure_changed_in_one_rendering_is_found_by_each_comparison(proposal: Proposal) -> None:
    changed = with_energy(proposal, Decimal("1.5743"))
    assert of_docx(changed, "en") != of_html(proposal, "en")
    assert "1.5743" in of_summary(changed, "zh") - set(of_html(proposal, "zh"))
    found = unequal_cells(changed, proposal)
    assert any("1.5743" in zh and "1.55" in en for zh, en in found)
    assert Decimal("1.5743") in of_data(changed) - of_data(proposal)


@pytest.mark.parametrize(
    ("chinese", "english", "equal"),
    [
        ("投资 1.66 亿元", "CNY 165.52 million", True),
        ("投资 1.67 亿元", "CNY 165.52 million", False),
        ("1.52–1.84 亿元", "CNY 151.90–183.62 million", True),
        ("16,552.21", "165.52", True),
        ("16,553.21", "165.52", False),
        ("2026年11月30日", "30 November 2026", True),
        ("2026年12月30日", "30 November 2026", False),
        ("109 天（99–120）", "109 days (99–120)", True),
        ("109 天（99–120）", "109 days (99–121)", False),
        ("109 天", "109 days, 3 times", False),
    ],
)
def test_figures_are_compared_across_units_of_money_and_forms_of_dates(
    chinese: str, english: str, *, equal: bool
) -> None:
    assert (differences(chinese, english) == ([], [])) is equal


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_holds_every_figure_of_the_document(subject: Proposal, language: str) -> None:
    page = html.render(RenderJob(proposal=subject, language=language)).decode()
    page = re.sub(r"</?(?:a|b|span|sub|sup|wbr)\b[^>]*>", "", page)
    held = set(numbers([re.sub(r"<[^>]*>", " ", page)]))
    assert set(of_html(subject, language)) - held == set()
