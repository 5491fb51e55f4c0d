"""The nomenclature page and the code use the same names."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from suanli.estimation import results as estimation
from suanli.planning import results as planning

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "nomenclature.md").read_text(encoding="utf-8")
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "core").rglob("*.py")))
UNITS, NAMES = (re.findall(r"^\| `([a-z_0-9]+)` \|", part, re.MULTILINE) for part in PAGE.split("## Names"))
# Numbers whose unit is their meaning: ranges of a named quantity, plain counts of tokens and rates of tokens.
PLAIN = {
    "p10",
    "p50",
    "p90",
    "tokens",
    "tokens_per_s_per_accelerator",
    "interruptions",
    "value",
    "need",
    "have",
}

NUMBERS = [
    (record.__name__, field.name)
    for module in (estimation, planning)
    for record in vars(module).values()
    if dataclasses.is_dataclass(record) and isinstance(record, type) and record.__module__ == module.__name__
    for field in dataclasses.fields(record)
    if re.fullmatch(r"(float|Range)( \| None)?", str(field.type))
]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_page_is_used_in_the_code(name: str) -> None:
    assert re.search(rf"\b{name}\b", SOURCE)


@pytest.mark.parametrize("ending", UNITS)
def test_every_ending_of_the_page_is_used_in_the_code(ending: str) -> None:
    assert re.search(rf"\w{ending}\b", SOURCE)


@pytest.mark.parametrize(("record", "name"), NUMBERS)
def test_every_number_of_the_results_has_a_unit_or_a_listed_name(record: str, name: str) -> None:
    known = name in NAMES or name in PLAIN or any(name.endswith(ending) for ending in UNITS)
    assert known, f"{record}.{name} says no unit"


def test_there_are_numbers_to_check() -> None:
    assert len(NUMBERS) > 40
