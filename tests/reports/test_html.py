"""The document as HTML.

It is complete, escaped and self-contained, holds the same numbers in both languages, and is open to themes
and plugins.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

import suanli_templates
from suanli.domain.record import Text
from suanli.errors import RenderError
from suanli.proposal.contributions import RenderJob, Section
from suanli.proposal.model import Proposal, Verdict
from suanli_reports import html
from suanli_reports.environment import compose
from suanli_reports.texts import shipped_messages

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

LANGUAGES = ("zh", "en", "bilingual")
ROOT = Path(__file__).parents[2]
TEMPLATES = Path(suanli_templates.__file__).parent
HAN = re.compile(r"[\u4e00-\u9fff]")


def rendered(proposal: Proposal, language: str = "en", **more: object) -> str:
    return html.render(RenderJob(proposal=proposal, language=language, **more)).decode()  # type: ignore[arg-type]


def visible(document: str) -> str:
    """Return the text that a reader sees."""
    return re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]*>", " ", document, flags=re.DOTALL)


class Checker(HTMLParser):
    """Checks that elements are closed in order, and collects ids, links and addresses."""

    VOID = frozenset({"meta", "br", "img", "hr", "link", "wbr", "input"})
    PHRASES = frozenset({"p", "h1", "h2", "h3", "span", "button", "label", "legend"})
    """Elements that hold no blocks; a browser would close them before one."""
    BLOCKS = frozenset({"div", "p", "table", "ul", "ol", "section", "h1", "h2", "h3", "form", "fieldset"})
    PARENTS = MappingProxyType(
        {
            "tr": {"thead", "tbody", "table"},
            "td": {"tr"},
            "th": {"tr"},
            "li": {"ul", "ol"},
            "thead": {"table"},
            "tbody": {"table"},
        }
    )

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []
        self.addresses += [found["src"] or ""] if "src" in found else []
        if tag in self.BLOCKS and self.PHRASES & set(self.open):
            self.faults.append(f"<{tag}> in {self.open[-3:]} at {self.getpos()}")
        if tag in self.PARENTS and self.open[-1] not in self.PARENTS[tag]:
            self.faults.append(f"<{tag}> in <{self.open[-1]}> at {self.getpos()}")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Drawings close their elements at once."""

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> after {self.open[-3:]} at {self.getpos()}")
        else:
            self.open.pop()


def checked(document: str) -> Checker:
    checker = Checker()
    checker.feed(document)
    return checker


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_document_is_well_formed_and_every_link_leads_somewhere(
    proposal: Proposal, language: str
) -> None:
    checker = checked(rendered(proposal, language))
    assert checker.faults == []
    assert checker.open == []
    assert sorted(set(checker.ids)) == sorted(checker.ids)
    assert {link for link in checker.links if link.removeprefix("#") not in checker.ids} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_loaded_from_elsewhere(proposal: Proposal, language: str) -> None:
    document = rendered(proposal, language)
    checker = checked(document)
    assert checker.addresses == []
    assert all(link.startswith("#") for link in checker.links)
    style = "".join(re.findall(r"<style.*?</style>", document, flags=re.DOTALL))
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_of_the_client_is_escaped(proposal: Proposal, language: str) -> None:
    document = rendered(proposal, language)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in document
    assert "&lt;b&gt;72B&lt;/b&gt;" in document
    assert "<b>72B</b>" not in document


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_the_program_shows_through(proposal: Proposal, language: str) -> None:
    text = visible(rendered(proposal, language))
    for leak in ("None", "True", "Decimal", "Undefined", "{{", "{%", "namespace("):
        assert leak not in text


def test_both_languages_hold_the_same_numbers(proposal: Proposal) -> None:
    figures: dict[str, set[Decimal]] = {}
    for language in ("zh", "en"):
        _, composer = compose(RenderJob(proposal=proposal, language=language), "print")
        figures[language] = composer.speaker.voices[0].figures
    assert len(figures["zh"]) > 150
    assert figures["zh"] == figures["en"]


def test_the_english_document_holds_chinese_only_where_data_or_glossary_are_chinese(
    proposal: Proposal,
) -> None:
    document = rendered(proposal, "en")
    document = re.sub(
        r'<section class="chapter[^"]*" id="(?:glossary|sources|claims|index)">.*?</section>',
        "",
        document,
        flags=re.DOTALL,
    )
    given = (
        proposal.project.name.en,
        "示例集团",
        *(claim.by.en for claim in proposal.claims),
        *(claim.says.en for claim in proposal.claims),
        *(part for rule in proposal.rules for part in (rule.title, rule.publisher, rule.ref)),
        proposal.options[0].money.capex_in_words if proposal.options[0].money else "",
    )
    text = visible(document).replace("&lt;", "<").replace("&gt;", ">")
    for known in sorted(given, key=len, reverse=True):
        text = text.replace(known, "") if known else text
    assert HAN.findall(text) == []


def test_chapters_are_numbered_and_listed_with_their_sections(proposal: Proposal) -> None:
    document = rendered(proposal, "en")
    heads = re.findall(r'<h1 data-run="([^"]+)"><span class="no">', document)
    numbers = [head.split("\N{EM SPACE}")[0] for head in heads]
    chapters = sum(number.isdigit() for number in numbers)
    annexes = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(numbers) - chapters]
    assert chapters >= 12
    assert len(annexes) >= 5
    assert numbers == [*map(str, range(1, chapters + 1)), *annexes]
    assert len(re.findall(r'<li class="c1">', document)) == len(heads)


def test_what_is_unknown_is_said_to_be_and_never_zero(proposal: Proposal) -> None:
    option = proposal.options[0]
    assert option.energy is not None
    energy = option.energy.model_copy(update={"carbon_per_run": None, "carbon_per_year": None})
    bare = option.model_copy(update={"energy": energy})
    changed = proposal.model_copy(update={"options": (bare, *proposal.options[1:]), "site_carbon": None})
    document = rendered(changed, "en")
    assert re.search(
        r"<td>CO<sub>2</sub> per run</td><td class=\"n\"><span class=\"nw\">unknown</span></td>", document
    )
    assert "not priced" in document


def test_marks_tell_weak_stale_and_incomplete_figures_apart(proposal: Proposal) -> None:
    document = rendered(proposal, "en")
    assert "1,250,000.00°†" in document
    assert "per S5" in visible(document).replace("per  S5", "per S5")
    assert "≥\N{NO-BREAK SPACE}CNY\N{NO-BREAK SPACE}165.52\N{NO-BREAK SPACE}million°" in document
    assert 'class="ref according"' in document


def test_the_cover_counts_what_is_stale_and_weak_and_says_what_the_document_is(proposal: Proposal) -> None:
    text = visible(rendered(proposal, "zh"))
    for statement in (
        "过期价格 3 项",
        "低可信数据 6 项",
        "预算级估算",
        "人民币壹亿陆仟伍佰肆拾玖万捌仟壹佰贰拾元整",
    ):
        assert statement in text


def test_reference_keys_never_stand_alone_on_a_line(proposal: Proposal) -> None:
    document = rendered(proposal, "zh")
    keys = re.findall(r'.{12}<sup class="ref', document)
    assert len(keys) > 60
    for found in re.finditer(r'<sup class="ref[^"]*">', document):
        before = document[: found.start()]
        assert before.rfind('<span class="nw">') > before.rfind("</p>"), before[-80:]


def test_where_nothing_is_feasible_the_document_says_so_and_gives_ways_out(
    infeasible_proposal: Proposal,
) -> None:
    text = visible(rendered(infeasible_proposal, "en"))
    assert "No option is feasible" in text
    assert "No feasible option" in text
    assert re.search(r"memory: 71\.2\s*GB needed, 57\.6\s*GB available", text)
    assert re.search(r"choose accelerators with at least 96\s*GB usable memory", text)
    assert "Bill of quantities" not in text


def test_a_reference_option_is_shown_where_all_exceed_the_budget(proposal: Proposal) -> None:
    over = proposal.options[0].model_copy(update={"verdict": Verdict.OVER_BUDGET})
    summary = proposal.summary.model_copy(update={"recommended": ""})
    changed = proposal.model_copy(update={"options": (over, *proposal.options[2:]), "summary": summary})
    text = visible(rendered(changed, "en"))
    assert "No option can be recommended" in text
    assert "Reference option, incl. VAT (not recommended)" in text
    assert "Decisions requested" not in text


def test_an_unknown_reference_key_is_an_error_that_names_it(proposal: Proposal) -> None:
    changed = proposal.model_copy(update={"sources": proposal.sources[:-1]})
    with pytest.raises(RenderError, match=r'reference key "C2" has no entry'):
        rendered(changed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda option: option.model_copy(update={"rejected": {"moon": 3}}), r'no message "rejected\.moon"'),
        (
            lambda option: option.model_copy(
                update={
                    "storage": option.storage.model_copy(
                        update={"capacity": option.days.model_copy(update={"unit": "furlong"})}
                    )
                }
            ),
            r'no message "unit\.furlong"',
        ),
    ],
    ids=["reason", "unit"],
)
def test_a_key_without_a_text_is_an_error_that_names_it(
    proposal: Proposal, change: Callable[..., object], message: str
) -> None:
    changed = proposal.model_copy(update={"options": (change(proposal.options[0]), *proposal.options[1:])})
    with pytest.raises(RenderError, match=message):
        rendered(changed)


def test_an_unknown_language_is_refused(proposal: Proposal) -> None:
    with pytest.raises(RenderError, match='no language "fr"'):
        rendered(proposal, "fr")


def planted(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an importable package with a chapter template."""
    package = tmp_path / "suanli_stranger"
    planted(
        package,
        {
            "__init__.py": "",
            "templates/esg.html.j2": "{{ chapter.section('Water') }}"
            "<p>{{ p.project.client.en }} saves {{ num(7) }} t.</p>",
        },
    )
    monkeypatch.syspath_prepend(tmp_path)
    return package.name


def test_a_plugin_adds_a_chapter_after_the_one_it_names(proposal: Proposal, stranger: str) -> None:
    section = Section(
        id="esg",
        after="tco",
        title=Text(zh="环境", en="Environment"),
        package=stranger,
        template="esg.html.j2",
    )
    document = rendered(proposal, "en", sections=(section,))
    heads = re.findall(r'<h1 data-run="([^"]+)"><span class="no">', document)
    number = 1 + heads.index(next(head for head in heads if head.endswith("Environment")))
    assert heads[number - 2].endswith("Total cost of ownership and energy")
    assert heads[number - 1] == f"{number}\N{EM SPACE}Environment"
    assert f'<span class="no">{number}.1</span>Water' in document
    assert "&lt;script&gt;alert(1)&lt;/script&gt; saves 7 t." in document


def test_a_chapter_that_follows_nothing_is_an_error_with_the_nearest_name(
    proposal: Proposal, stranger: str
) -> None:
    section = Section(
        id="esg",
        after="tc0",
        title=Text(zh="环境", en="Environment"),
        package=stranger,
        template="esg.html.j2",
    )
    with pytest.raises(RenderError, match='follow "tc0"') as caught:
        rendered(proposal, "en", sections=(section,))
    assert 'did you mean "tco"?' in str(caught.value)


def test_a_chapter_of_a_package_without_templates_is_an_error(proposal: Proposal) -> None:
    section = Section(
        id="esg",
        after="tco",
        title=Text(zh="环境", en="Environment"),
        package="no_such_package",
        template="x",
    )
    with pytest.raises(RenderError, match="cannot be read"):
        rendered(proposal, "en", sections=(section,))


def test_rendering_twice_gives_the_same_bytes(proposal: Proposal) -> None:
    job = RenderJob(proposal=proposal, language="bilingual")
    assert html.render(job) == html.render(job)


def test_side_by_side_prose_has_both_languages_in_every_pair(proposal: Proposal) -> None:
    document = rendered(proposal, "bilingual")
    pairs = re.findall(
        r'<div class="pair"><div class="side zh" lang="zh">(.*?)</div>'
        r'<div class="side en" lang="en">(.*?)</div></div>',
        document,
        flags=re.DOTALL,
    )
    assert len(pairs) > 25
    assert all(HAN.search(zh) and re.search("[a-z]{3}", en) for zh, en in pairs)


def test_drawings_are_images_with_a_title(proposal: Proposal) -> None:
    drawings = re.findall(r'<svg role="img".*?</svg>', rendered(proposal, "en"), flags=re.DOTALL)
    assert len(drawings) == 13
    assert all(re.search("<title>[A-Z].+</title>", drawing) for drawing in drawings)


def test_the_chapter_that_the_documentation_shows_can_be_rendered(
    proposal: Proposal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "document.md").read_text(encoding="utf-8")
    block = re.search(r"```jinja\n(.*?)```", page, flags=re.DOTALL)
    assert block is not None
    planted(tmp_path / "suanli_shown", {"__init__.py": "", "templates/esg.html.j2": block[1]})
    monkeypatch.syspath_prepend(tmp_path)
    title = Text(zh="环境", en="Environment")
    section = Section(id="esg", after="tco", title=title, package="suanli_shown", template="esg.html.j2")
    document = rendered(proposal, "bilingual", sections=(section,))
    assert re.search(r"<p>Qwen2\.5-72B: .*1\.55", document)


def test_every_chapter_of_the_outline_stands_in_the_documentation() -> None:
    page = (ROOT / "docs" / "document.md").read_text(encoding="utf-8").lower()
    titles = [title.en.lower() for title in shipped_messages().namespace("chapter").values()]
    assert len(titles) >= 25
    assert [title for title in titles if title not in " ".join(page.split())] == []
