"""The message catalogue and the prose: every text in both languages, every key that templates use."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jinja2 import Environment, nodes

import suanli_templates
from suanli.domain.hardware import Cooling
from suanli.domain.vendor import Deliverability
from suanli.domain.workload import Objective, ProposalType, Recompute, SolveFor, Task, Track
from suanli.errors import RenderError
from suanli.estimation.results import Constraint, RemedyKind
from suanli.planning.results import BillCategory
from suanli.proposal import risks
from suanli.proposal.model import ClaimVerdict, RiskLevel, Verdict
from suanli.proposal.references import FORMULA_CITATIONS
from suanli_reports.texts import load_messages, shipped_messages

if TYPE_CHECKING:
    from enum import StrEnum

TEMPLATES = Path(suanli_templates.__file__).parent
HAN = re.compile(r"[\u4e00-\u9fff]")

ENUMS: list[tuple[str, type[StrEnum]]] = [
    ("type", ProposalType),
    ("track", Track),
    ("task", Task),
    ("solve-for", SolveFor),
    ("objective", Objective),
    ("recompute", Recompute),
    ("verdict", Verdict),
    ("constraint", Constraint),
    ("category", BillCategory),
    ("cooling", Cooling),
    ("deliverability", Deliverability),
    ("claim-verdict", ClaimVerdict),
    ("level", RiskLevel),
    ("remedy", RemedyKind),
]


@pytest.mark.parametrize(("namespace", "enum"), ENUMS, ids=[name for name, _ in ENUMS])
def test_every_member_of_an_enumeration_has_a_text(namespace: str, enum: type[StrEnum]) -> None:
    messages = shipped_messages()
    assert [member for member in enum if not messages.has(f"{namespace}.{member}")] == []


def test_no_english_message_holds_chinese_characters() -> None:
    texts = shipped_messages().texts
    assert [key for key, text in texts.items() if HAN.search(text.en)] == []


def test_messages_of_the_two_languages_ask_for_the_same_numbers() -> None:
    braces = re.compile(r"{([a-z_]+)")
    texts = shipped_messages().texts
    assert [
        key for key, text in texts.items() if set(braces.findall(text.zh)) != set(braces.findall(text.en))
    ] == []


@pytest.mark.parametrize("formula", FORMULA_CITATIONS)
def test_every_formula_has_a_name_and_an_equation(formula: str) -> None:
    messages = shipped_messages()
    assert messages.has(f"formula.{formula}")
    assert messages.has(f"equation.{formula}")


def _source(module: object) -> str:
    return Path(str(vars(module)["__file__"])).read_text(encoding="utf-8")


@pytest.mark.parametrize("key", sorted(set(re.findall(r'key="([a-z-]+)"', _source(risks)))))
def test_every_risk_has_a_text_and_a_response(key: str) -> None:
    assert shipped_messages().has(f"risk.{key}")
    assert shipped_messages().has(f"risk-response.{key}")


def _templates() -> list[Path]:
    return sorted(TEMPLATES.glob("document/**/*.j2"))


@pytest.mark.parametrize("path", _templates(), ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_every_key_that_a_template_names_has_a_text(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    messages = shipped_messages()
    literal = re.findall(r"\b(?:t|plain|first|term)\('([a-z-]+\.[A-Za-z0-9.-]+)'[,)]", source)
    joined = re.findall(r"\b(?:t|plain|first|term)\('([a-z-]+)\.' ~", source)
    marks = re.findall(r"\bsep\('([a-z-]+)'", source)
    assert [key for key in literal if not messages.has(key)] == []
    assert [name for name in joined if not messages.namespace(name)] == []
    assert [key for key in marks if not messages.has(f"label.{key}")] == []


# The glossary's two heads name the languages themselves.
CHAPTERS = [path for path in sorted(TEMPLATES.glob("document/chapters/*.j2")) if path.stem != "glossary.html"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_structure_templates_hold_no_words_of_one_language(path: Path) -> None:
    source = re.sub(r"{#.*?#}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert HAN.search(source) is None


def _macros(path: Path) -> dict[str, list[str]]:
    tree = Environment(autoescape=True).parse(path.read_text(encoding="utf-8"))
    return {macro.name: [argument.name for argument in macro.args] for macro in tree.find_all(nodes.Macro)}


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("document/prose/zh/*.j2")), ids=lambda path: path.stem)
def test_both_languages_have_the_same_passages_with_the_same_arguments(path: Path) -> None:
    assert _macros(path) == _macros(path.parent.parent / "en" / path.name)


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("document/prose/en/*.j2")), ids=lambda path: path.stem)
def test_english_prose_holds_no_chinese(path: Path) -> None:
    assert HAN.search(path.read_text(encoding="utf-8")) is None


def test_an_unknown_key_is_an_error_that_names_the_nearest_one() -> None:
    with pytest.raises(RenderError, match=r'no message "verdict\.recomended"') as caught:
        shipped_messages().find("verdict.recomended")
    assert 'did you mean "verdict.recommended"?' in str(caught.value)


def test_all_faults_of_a_message_folder_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "one:\n  x: {zh: 甲}\n  y: {zh: 乙, en: b, fr: c}\n  z: {zh: '', en: c}\n", encoding="utf-8"
    )
    (tmp_path / "b.yaml").write_text("two: [1]\n", encoding="utf-8")
    with pytest.raises(RenderError) as caught:
        load_messages(tmp_path, "theme")
    told = "\n".join(str(fault) for fault in caught.value.faults)
    assert 'message "one.x" lacks en' in told
    assert 'message "one.y" has fr' in told
    assert 'message "one.z" lacks zh' in told
    assert 'namespace "two" holds no messages' in told


def test_a_key_that_stands_twice_is_a_fault(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text("one: {x: {zh: 甲, en: a}}\n", encoding="utf-8")
    with pytest.raises(RenderError, match=r'message "one\.x" stands twice'):
        load_messages(tmp_path, "theme")


def test_a_message_file_that_is_no_yaml_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("one: {x: ", encoding="utf-8")
    with pytest.raises(RenderError, match="not readable as YAML"):
        load_messages(tmp_path, "theme")


def test_a_folder_that_does_not_exist_holds_no_messages(tmp_path: Path) -> None:
    assert load_messages(tmp_path / "none", "theme").texts == {}
