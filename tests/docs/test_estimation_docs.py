"""The pages that derive the estimate state what the code computes, and their arithmetic is right."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from tests.docs import computed_communication, computed_memory, computed_run, computed_step, computed_work
from tests.docs.page_checks import broken_links, differences, incomplete_formulas, wrong_lines
from tests.docs.worked_examples import (
    DOCS,
    OVERVIEW,
    PAGES,
    Example,
    Line,
    chapters_of,
    evaluate,
    examples_of,
    parse_line,
)

from suanli.estimation.constants import Constants, SharedConstants
from suanli.estimation.recipes import RECIPES

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = {one.name: one for page in PAGES for one in examples_of(page)}
COMPUTED = {
    **computed_work.COMPUTED,
    **computed_memory.COMPUTED,
    **computed_step.COMPUTED,
    **computed_communication.COMPUTED,
    **computed_run.COMPUTED,
}
CHAPTERS = {(page.name, title): text for page in PAGES for title, text in chapters_of(page).items()}
MEMORY = (DOCS / "estimation" / "memory.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_every_line_of_an_example_is_what_its_arithmetic_gives(example: Example) -> None:
    assert wrong_lines(example) == {}


@pytest.mark.parametrize("name", COMPUTED)
def test_an_example_is_what_the_code_computes(name: str) -> None:
    assert differences(EXAMPLES[name], COMPUTED[name]()) == {}


def test_every_example_is_compared_with_the_code_and_none_is_named_twice() -> None:
    named = [one.name for page in PAGES for one in examples_of(page)]
    assert sorted(named) == sorted(COMPUTED)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_formula_has_its_parts_and_one_example(page: Path) -> None:
    assert incomplete_formulas(page) == []


def test_no_example_stands_outside_of_a_formula() -> None:
    fences = sum(page.read_text(encoding="utf-8").count("```worked ") for page in PAGES)
    assert fences == len(CHAPTERS) == len(EXAMPLES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_overview_leads_to_every_page(page: Path) -> None:
    assert f"](estimation/{page.name})" in OVERVIEW.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [OVERVIEW, *PAGES], ids=lambda page: page.name)
def test_every_link_to_an_estimation_page_leads_somewhere(page: Path) -> None:
    assert broken_links(page) == []


@pytest.mark.parametrize("kind", [Constants, SharedConstants])
def test_every_constant_is_explained_in_the_overview(kind: type[Constants | SharedConstants]) -> None:
    text = OVERVIEW.read_text(encoding="utf-8")
    missing = [one.name for one in fields(kind) if f"`{one.name}`" not in text]
    assert not missing


def test_the_overview_explains_no_constant_that_does_not_exist() -> None:
    table = OVERVIEW.read_text(encoding="utf-8").partition("\n## Constants\n")[2].partition("\n## ")[0]
    names = set(re.findall(r"`([a-z_0-9]+)`", table))
    known = {one.name for kind in (Constants, SharedConstants) for one in fields(kind)}
    assert names - known == set()


def test_the_table_of_recipes_is_that_of_the_code() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in MEMORY.splitlines()
        if line.startswith("| `")
    ]
    stated = {row[0].strip("`"): [float(cell) for cell in row[1:]] for row in rows}
    assert stated == {
        name: [
            one.weight_bytes,
            one.gradient_bytes,
            one.master_bytes,
            one.moment1_bytes,
            one.moment2_bytes,
            one.total_bytes,
            one.logit_bytes,
            one.head_gradient_bytes,
            one.update_bytes,
            one.constant_bytes / 1e9,
        ]
        for name, one in RECIPES.items()
    }


@pytest.mark.parametrize(
    ("printed", "value", "holds"),
    [
        ("0.2451", 0.24512, True),
        ("0.2451", 0.24516, False),
        ("6,738,415,616", 6738415616, True),
        ("6,738,415,616", 6738415617, False),
        ("4.286e22", 4.2863e22, True),
        ("4.286e22", 4.2871e22, False),
    ],
)
def test_a_figure_holds_within_its_printed_digits(printed: str, value: float, *, holds: bool) -> None:
    assert Line("x", "1", printed, "").prints(value) is holds


def test_a_unit_scales_the_figure() -> None:
    assert parse_line("time: 2 * 3e-3 = 6.000 ms").prints(6e-3)


@pytest.mark.parametrize("text", ["time 6 ms", "time: 6 = six ms", "time: 6 = 6 fortnights"])
def test_a_line_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"form|unit"):
        parse_line(text)


@pytest.mark.parametrize("expression", ["unknown + 1", "__import__('os')", "1 if 1 else 2", "'a' * 3"])
def test_an_expression_of_anything_but_arithmetic_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match="no arithmetic"):
        evaluate(expression, {"known": 1.0})
