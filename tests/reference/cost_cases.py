"""Published results on cost, energy, carbon and finance as data: inputs, what must come out, and who says so.

An input key names its unit. A case that its obvious reading gets wrong states that reading's value under
`naive`, so that a test can show both and tell them apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Answer", "CostCase", "Wanted", "assert_given", "cost_cases", "naive_readings", "wanted_results"]

FOLDER = Path(__file__).parent / "cases" / "costs"

Answer: TypeAlias = "float | Decimal | str | Sequence[float | Decimal] | Sequence[str]"


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Wanted(Strict):
    """One published result with the tolerance that its digits leave."""

    name: str
    value: float | str | tuple[float, ...] | tuple[str, ...]
    unit: str
    abs: float | None = None
    rel: float | None = None
    note: str = ""


class Naive(Strict):
    """What a result becomes under the reading that is not the case's own."""

    name: str
    value: float
    abs: float = 0.0
    reading: str


class Source(Strict):
    """Where the result was published, and how it was read there."""

    title: str
    ref: str
    check: Literal["direct", "secondary", "recall"]
    date: str = ""


class CostCase(Strict):
    id: str
    question: str
    inputs: dict[str, Any]
    formula: str
    expect: tuple[Wanted, ...] = Field(min_length=1)
    naive: tuple[Naive, ...] = ()
    source: Source
    reliability: str
    note: str = ""
    trap: str = ""

    def money(self, key: str) -> Decimal:
        """Return an input as the exact decimal that it is written as."""
        return Decimal(repr(self.inputs[key]))

    def moneys(self, key: str) -> list[Decimal]:
        return [Decimal(repr(value)) for value in self.inputs[key]]

    def items(self, key: str) -> dict[str, Decimal]:
        """Return a table of inputs, or the one amount that stands for all, by name."""
        found = self.inputs[key]
        table: dict[str, Any] = found if isinstance(found, dict) else {key: found}
        return {name: Decimal(repr(value)) for name, value in table.items()}

    def number(self, key: str, default: float | None = None) -> float:
        return float(self.inputs.get(key, default) if default is not None else self.inputs[key])

    def count(self, key: str) -> int:
        return int(self.inputs[key])


class CostFile(Strict):
    group: str
    cases: tuple[CostCase, ...]


@cache
def cost_cases() -> dict[str, CostCase]:
    """Return every case by id."""
    cases: dict[str, CostCase] = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        file = CostFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
        assert file.group == path.stem
        assert not cases.keys() & {case.id for case in file.cases}
        cases.update({case.id: case for case in file.cases})
    return cases


@dataclass(frozen=True, slots=True)
class Result:
    """One expected result of one case."""

    case: CostCase
    wanted: Wanted


def wanted_results() -> pytest.MarkDecorator:
    """Return the parametrisation of a test over every published result, as `result`."""
    rows = [Result(case, wanted) for case in cost_cases().values() for wanted in case.expect]
    return pytest.mark.parametrize("result", rows, ids=lambda row: f"{row.case.id}-{row.wanted.name}")


@dataclass(frozen=True, slots=True)
class Reading:
    """The other reading of one result."""

    case: CostCase
    naive: Naive


def naive_readings() -> pytest.MarkDecorator:
    """Return the parametrisation of a test over every reading that a case warns of, as `reading`."""
    rows = [Reading(case, naive) for case in cost_cases().values() for naive in case.naive]
    return pytest.mark.parametrize("reading", rows, ids=lambda row: f"{row.case.id}-{row.naive.name}")


def assert_given(given: Answer, wanted: Wanted) -> None:
    """Compare what the library gives with what was published, element by element."""
    if isinstance(wanted.value, str) or isinstance(given, str):
        assert given == wanted.value
    elif isinstance(wanted.value, tuple):
        assert not isinstance(given, float | int | Decimal)
        assert len(given) == len(wanted.value)
        for one, expected in zip(given, wanted.value, strict=True):
            if isinstance(expected, float):
                assert meets(float(one), expected, wanted)
            else:
                assert one == expected
    else:
        assert isinstance(given, float | int | Decimal)
        assert meets(float(given), wanted.value, wanted), given


def meets(given: float, expected: float, wanted: Wanted) -> bool:
    """Tell whether a number lies within the published tolerance; without one it must be the very number."""
    slack = wanted.abs if wanted.abs is not None else abs(expected) * (wanted.rel or 0.0)
    # Half-way cases of binary floats are no miss.
    return math.isclose(given, expected, rel_tol=1e-12, abs_tol=slack * (1 + 1e-9))


def outside(value: float, wanted: Mapping[str, Wanted], name: str) -> bool:
    """Tell whether a value would fail the published result of that name."""
    expected = wanted[name].value
    assert isinstance(expected, float)
    return not meets(value, expected, wanted[name])
