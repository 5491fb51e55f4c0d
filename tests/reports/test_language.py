"""Both languages are whole: no text is missing, unused or left in the other language."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from markupsafe import escape
from tests.core.built_in import EXAMPLES, host
from tests.reports.test_html import rendered

import suanli_templates
from suanli.domain.hardware import Accelerator
from suanli.pipeline import build_proposal
from suanli.project.load import load_project
from suanli_reports.glossary import shipped_glossary
from suanli_reports.texts import shipped_messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.proposal.model import Proposal

ROOT = Path(__file__).parents[2]
TEMPLATES = Path(suanli_templates.__file__).parent
HAN = re.compile(r"[\u3400-\u9fff]")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9.+'’/_-]*[A-Za-z0-9]|[A-Za-z]")
ALLOWED = yaml.safe_load((Path(__file__).parent / "allowed_terms.yaml").read_text(encoding="utf-8"))


# --- the catalogue of messages


@cache
def sources() -> dict[Path, str]:
    """Return every text of the product that may name a message."""
    roots = ("templates", "reports", "core", "scenarios", "plugins")
    paths = (path for root in roots for path in sorted((ROOT / root).rglob("*")))
    wanted = [path for path in paths if path.suffix in {".py", ".j2", ".yaml", ".js"}]
    return {path: path.read_text(encoding="utf-8") for path in wanted if "messages" not in path.parts}


@cache
def speaking() -> str:
    """Return what templates and renderers say, which is where messages are named."""
    return "\n".join(text for path, text in sources().items() if {"templates", "reports"} & set(path.parts))


@cache
def prefixes() -> frozenset[str]:
    """Return the beginnings of keys that are put together, such as ``verdict.`` or ``software.of-``."""
    joined = re.findall(r"""['"]([a-z][a-z-]*\.[a-z.-]*)['"] ?~""", speaking())
    formatted = re.findall(r"""f['"]([a-z][a-z-]*\.[a-z.-]*){""", speaking())
    # A namespace that is handed over as an argument.
    spaces = re.findall(r"""['"]([a-z]+-[a-z-]+)['"]""", speaking())
    return frozenset((*joined, *formatted, *(f"{space}." for space in spaces)))


@cache
def written() -> frozenset[str]:
    """Return every word of the sources."""
    return frozenset(re.findall(r"[A-Za-z0-9]+", "\n".join(sources().values())))


def named_in_parts(key: str) -> bool:
    """Tell whether a key can be put together: its beginning is written, and so is every word that follows."""
    for prefix in prefixes():
        tail = re.sub(r"\.one$", "", key.removeprefix(prefix))
        if key.startswith(prefix) and written().issuperset(re.findall("[A-Za-z0-9]+", tail)):
            return True
    return False


def test_every_message_is_used() -> None:
    literal = set(re.findall(r"[a-z][a-z-]*\.[A-Za-z0-9_./-]+", speaking()))
    unused = [key for key in shipped_messages().texts if key not in literal and not named_in_parts(key)]
    assert unused == []


def test_every_message_has_words_in_both_languages() -> None:
    texts = shipped_messages().texts
    assert [key for key, text in texts.items() if not text.zh.strip() or not text.en.strip()] == []


def test_no_message_is_left_untranslated() -> None:
    alike = {key: text for key, text in shipped_messages().texts.items() if text.zh == text.en}
    words = {
        key: [word for word in WORD.findall(re.sub(r"{[^}]*}", "", text.en)) if not allowed(word)]
        for key, text in alike.items()
        # Names of programs are names in both languages.
        if not key.startswith(("publisher.", "names.", "launcher.", "tool."))
    }
    assert {key: found for key, found in words.items() if found} == {}


def test_no_english_message_or_passage_holds_a_rendering_that_misleads() -> None:
    avoided = [bad.lower() for term in shipped_glossary().terms for bad in term.avoid]
    prose = [path.read_text(encoding="utf-8") for path in (TEMPLATES / "document/prose/en").glob("*.j2")]
    texts = [*prose, *(text.en for text in shipped_messages().texts.values())]
    assert [(bad, text) for text in texts for bad in avoided if bad in text.lower()] == []


# --- what a document says


@cache
def terms() -> frozenset[str]:
    return frozenset(term for group in ALLOWED for term in group["terms"])


@cache
def patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for group in ALLOWED for pattern in group.get("patterns", ()))


def allowed(word: str) -> bool:
    return word in terms() or any(pattern.fullmatch(word) for pattern in patterns())


def test_every_allowed_term_has_a_reason_and_stands_once() -> None:
    found = [term for group in ALLOWED for term in group["terms"]]
    assert all(len(group["reason"]) > 10 for group in ALLOWED)
    assert sorted(set(found)) == sorted(found)


def texts_of(value: object) -> Iterator[str]:
    """Yield every text that a part of the proposal holds."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts_of(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts_of(one)


def names(proposal: Proposal) -> set[str]:
    """Return the words of names: of products, stacks, makers, models, and of what the project file says."""
    data = proposal.model_dump()
    option_keys = ("accelerator_name", "maker", "server_name", "stack_name", "software", "network")
    held: list[object] = [data["project"], data["profile"], data["workload"], data["claims"]]
    held += [record.name.model_dump() for record in host().catalogue.all(Accelerator)]
    held += [option[key] for option in data["options"] for key in option_keys]
    held += [row["name"] for option in data["options"] for row in option["bill"]]
    return {word for text in texts_of(held) for word in WORD.findall(text)}


def prose_of(document: str) -> str:
    """Return the visible text in the document's own language, without code and marked foreign titles."""
    text = re.sub(r"<(style|script|title|desc|pre|code|var)\b.*?</\1>", " ", document, flags=re.DOTALL)
    text = re.sub(r'<(td|span)\b[^>]* lang="[^"]+"[^>]*>.*?</\1>', " ", text, flags=re.DOTALL)
    # The glossary is in both languages by its nature; addresses are what they are.
    text = re.sub(r'<section class="[^"]*" id="glossary">.*?</section>', " ", text, flags=re.DOTALL)
    text = re.sub(r"https?://(?:[^\s<]|<wbr>)+", " ", text)
    text = re.sub(r"</?(?:wbr|sub|b|sup|span)\b[^>]*>", "", text)
    return re.sub(r"&[a-z#0-9]+;", " ", re.sub(r"<[^>]*>", " ", text))


@pytest.fixture(scope="module")
def tuned() -> Proposal:
    """Return the proposal of the smallest example, as the pipeline makes it."""
    return build_proposal(load_project(EXAMPLES / "lora-13b.yaml"), host())


@pytest.fixture(params=["sample", "example"])
def shown(request: pytest.FixtureRequest, proposal: Proposal, tuned: Proposal) -> Proposal:
    return proposal if request.param == "sample" else tuned


def test_chinese_prose_holds_no_english_but_names_units_and_terms_of_the_field(shown: Proposal) -> None:
    words = dict.fromkeys(WORD.findall(prose_of(rendered(shown, "zh"))))
    known = names(shown)
    assert [word for word in words if word not in known and not allowed(word)] == []


def test_english_prose_holds_no_chinese_but_marked_titles_and_given_names(shown: Proposal) -> None:
    text = prose_of(rendered(shown, "en"))
    given = [
        *texts_of(shown.model_dump()["project"]),
        *texts_of(shown.model_dump()["claims"]),
        *(part for rule in shown.rules for part in (rule.title, rule.publisher, rule.ref)),
        *(option.money.capex_in_words for option in shown.options if option.money),
    ]
    for known in sorted(given, key=len, reverse=True):
        text = text.replace(prose_of(escape(known)), " ") if HAN.search(known) else text
    assert re.findall(r".{0,30}[\u3400-\u9fff]+.{0,30}", text) == []


def test_the_checks_of_this_module_find_what_they_look_for() -> None:
    assert not named_in_parts("risk.no-squirrel")
    assert not allowed("squirrel")
    assert prose_of('<p>a<wbr>b <code>c</code> <td lang="en">d</td> https://x.org/y</p>').split() == ["ab"]
