"""Published cases as data: what was asked, what must be answered, who says so.

A case file holds one group. An expectation is a number with a tolerance, a word or several that are all
right, a list of passages that a text must hold, or a statement that must be true. Where this version cannot
meet one, the file says why under `unmet`, and the test is expected to fail until it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field

from suanli.domain.architecture import Architecture, MixtureOfExperts
from suanli.estimation.results import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "Answer",
    "Case",
    "Expected",
    "Shape",
    "Unit",
    "assert_met",
    "cases_of",
    "expectations",
    "units_of",
]

FOLDER = Path(__file__).parent / "cases"
_MOST_SPREAD = 4.0
"""A printed range that is wider than this answers nothing."""

Answer: TypeAlias = float | bool | str | Range


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Shape(Strict):
    """A model, spelled out so that a case stands alone."""

    layers: int
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    tied: bool = False
    qkv_bias: bool = False
    experts: int = 0
    top_k: int = 0

    @property
    def architecture(self) -> Architecture:
        routed = {"experts": self.experts, "top_k": self.top_k, "expert_ffn_hidden_size": self.ffn}
        return Architecture(
            layers=self.layers,
            hidden_size=self.hidden,
            ffn_hidden_size=self.ffn,
            attention_heads=self.heads,
            kv_heads=self.kv_heads,
            head_dim=self.head_dim,
            vocab_size=self.vocab,
            tied_embeddings=self.tied,
            qkv_bias=self.qkv_bias,
            moe=MixtureOfExperts.model_validate(routed) if self.experts else None,
        )


class Expected(Strict):
    """One thing that the answer must show."""

    value: float | None = None
    rel: float | None = None
    abs: float | None = None
    low: float | None = None
    high: float | None = None
    words: Annotated[tuple[str, ...], Field(alias="is")] = ()
    contains: tuple[str, ...] = ()
    holds: bool = False
    unmet: str = ""
    """Why this version does not meet it, with what it gives instead."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the accepted interval; without a stated tolerance the value itself."""
        value = self.value if self.value is not None else float("nan")
        slack = self.abs if self.abs is not None else abs(value) * (self.rel or 1e-9)
        low = self.low if self.low is not None else value - slack
        high = self.high if self.high is not None else value + slack
        return low, high


class Case(Strict):
    """One published case in our words."""

    id: str
    question: str
    inputs: dict[str, Any] = {}
    expect: dict[str, Expected] = {}
    tested_by: tuple[str, ...] = ()
    """Tests elsewhere that hold the case or a part of it, as `path::name`."""
    reliability: str
    source: str
    note: str = ""

    def number(self, name: str) -> float:
        return float(self.inputs[name])

    def count(self, name: str) -> int:
        return int(self.inputs[name])

    def numbers(self, name: str) -> tuple[float, ...]:
        return tuple(float(value) for value in self.inputs[name])

    def text(self, name: str) -> str:
        return str(self.inputs[name])

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(str(value) for value in self.inputs[name])

    @property
    def architecture(self) -> Architecture:
        return Shape.model_validate(self.inputs["model"]).architecture


class CaseFile(Strict):
    group: str
    cases: tuple[Case, ...]


@cache
def cases_of(group: str) -> dict[str, Case]:
    """Return the cases of a group by id."""
    text = (FOLDER / f"{group}.yaml").read_text(encoding="utf-8")
    return {case.id: case for case in CaseFile.model_validate(yaml.safe_load(text)).cases}


@dataclass(frozen=True, slots=True)
class Unit:
    """One expectation of one case."""

    case: Case
    name: str

    @property
    def expected(self) -> Expected:
        return self.case.expect[self.name]


def units_of(group: str) -> tuple[Unit, ...]:
    """Return every expectation of a group."""
    return tuple(Unit(case, name) for case in cases_of(group).values() for name in case.expect)


def expectations(group: str) -> pytest.MarkDecorator:
    """Return the parametrisation of a test over every expectation of a group, as `unit`."""
    rows = [
        pytest.param(
            unit,
            id=f"{unit.case.id}-{unit.name}",
            marks=[pytest.mark.xfail(strict=True, reason=unit.expected.unmet)] if unit.expected.unmet else [],
        )
        for unit in units_of(group)
    ]
    return pytest.mark.parametrize("unit", rows)


def assert_met(unit: Unit, answers: Mapping[str, Callable[[Case], Mapping[str, Answer]]]) -> None:
    """Compare what the product answers with what the case expects."""
    given = _answered(unit.case, answers)[unit.name]
    expected = unit.expected
    if expected.holds:
        assert given is True
    elif expected.words:
        assert given in expected.words
    elif expected.contains:
        assert [part for part in expected.contains if part not in str(given)] == [], given
    elif isinstance(given, Range):
        low, high = expected.bounds
        assert given.p10 <= high, given
        assert given.p90 >= low, given
        assert given.p90 / given.p10 < _MOST_SPREAD
    else:
        low, high = expected.bounds
        assert low <= float(given) <= high


_KNOWN: dict[str, Mapping[str, Answer]] = {}


def _answered(
    case: Case, answers: Mapping[str, Callable[[Case], Mapping[str, Answer]]]
) -> Mapping[str, Answer]:
    """Return the answers to a case, asked once."""
    if case.id not in _KNOWN:
        _KNOWN[case.id] = answers[case.id](case)
    return _KNOWN[case.id]
