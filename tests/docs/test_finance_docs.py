"""The page on finance states what the code computes, and its arithmetic is right."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from typing import Final

import pytest
from tests.docs.computed_finance import COMPUTED
from tests.docs.page_checks import broken_links, differences, incomplete_formulas, wrong_lines
from tests.docs.worked_examples import DOCS, Example, chapters_of, examples_of

import suanli.finance

PAGE: Final = DOCS / "finance.md"
TEXT: Final = PAGE.read_text(encoding="utf-8")
EXAMPLES: Final = {one.name: one for one in examples_of(PAGE)}
HELPERS: Final = {"exact", "require", "require_share"}
"""Functions that compute nothing of their own."""


def formulas() -> set[str]:
    """Return the names of the library's public functions."""
    modules = [
        importlib.import_module(f"suanli.finance.{one.name}")
        for one in pkgutil.iter_modules(suanli.finance.__path__)
    ]
    names = {
        name for module in modules for name in module.__all__ if inspect.isfunction(getattr(module, name))
    }
    return names - HELPERS


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_every_line_of_an_example_is_what_its_arithmetic_gives(example: Example) -> None:
    assert wrong_lines(example) == {}


@pytest.mark.parametrize("name", COMPUTED)
def test_an_example_is_what_the_code_computes(name: str) -> None:
    computed = {line: float(value) for line, value in COMPUTED[name]().items()}
    assert differences(EXAMPLES[name], computed) == {}


def test_every_example_is_compared_with_the_code_and_none_is_named_twice() -> None:
    assert sorted(one.name for one in examples_of(PAGE)) == sorted(COMPUTED)


def test_every_formula_has_its_parts_and_one_example() -> None:
    assert incomplete_formulas(PAGE) == []
    assert len(chapters_of(PAGE)) == len(EXAMPLES)


def test_every_link_leads_somewhere() -> None:
    assert broken_links(PAGE) == []


@pytest.mark.parametrize("name", sorted(formulas()))
def test_every_formula_of_the_library_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in TEXT


def test_the_page_names_no_function_that_does_not_exist() -> None:
    computes = "\n".join(re.findall(r"^- \*\*Computes\*\*: .+?(?=^- \*\*)", TEXT, re.MULTILINE | re.DOTALL))
    assert set(re.findall(r"`([a-z_]+)`", computes)) - formulas() == {"server_embodied_kg"}


def test_the_readme_leads_to_the_page() -> None:
    assert "(docs/finance.md)" in (DOCS.parent / "README.md").read_text(encoding="utf-8")
