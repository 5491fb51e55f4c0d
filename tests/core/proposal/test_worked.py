"""What a worked calculation prints gives what it prints, and ends in the figures of the document."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.built_in import EXAMPLES, host

from suanli.estimation.results import Constraint
from suanli.pipeline import build_proposal
from suanli.project.load import load_project
from suanli.proposal.model import WORKED_GROUPS, Option, Proposal, Shown, WorkedLine
from suanli.proposal.worked_lines import WorkedBook, exact, put_in
from suanli.proposal.worked_view import FAILS_AT

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE_NAMES = ["lora-13b", "pretrain-70b", "base-moe-671b"]
SCALES = {"bytes": (Decimal("1e-9"), "GB"), "day": (Decimal(1), "day"), "s": (Decimal(1), "s")}
"""Unit of a line, and the factor to the unit of the option's figure."""


@cache
def proposal(name: str, *settings: str) -> Proposal:
    return build_proposal(load_project(EXAMPLES / f"{name}.yaml", list(settings)), host())


def sized(of: Proposal) -> Iterator[Option]:
    return (option for option in of.options if option.layout is not None)


def shown_again(line: WorkedLine) -> Decimal:
    """Return what a reader gets from the printed numbers, to the printed digits."""
    found = put_in(line.formula, line.numbers)
    return Decimal(f"{found:.2f}") if line.unit == "money" else exact(found)


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
def test_every_line_gives_its_result_to_the_printed_digits(name: str) -> None:
    for option in sized(proposal(name)):
        assert len(option.calculation) > 30
        for line in option.calculation:
            assert shown_again(line) == line.result, (option.key, line.key)


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
def test_what_a_line_puts_in_is_what_an_earlier_line_shows(name: str) -> None:
    for option in sized(proposal(name)):
        known: dict[str, Decimal] = {}
        for line in option.calculation:
            for symbol, number in line.numbers.items():
                assert known.setdefault(symbol, number) == number, (option.key, line.key, symbol)
            known[line.symbol] = line.result


def figure_of(option: Option, line: WorkedLine) -> Shown | Decimal:
    found: object = option
    for name in line.figure.split("."):
        found = getattr(found, name)
    assert isinstance(found, Shown | Decimal), line.figure
    return found


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
def test_the_chain_ends_in_the_figures_of_the_document(name: str) -> None:
    checked = 0
    for option in sized(proposal(name)):
        for line in option.calculation:
            if not line.figure:
                continue
            figure = figure_of(option, line)
            value = figure.value if isinstance(figure, Shown) else figure
            factor, unit = SCALES.get(line.unit, (Decimal(1), ""))
            assert not unit or not isinstance(figure, Shown) or figure.unit == unit
            digits = -int(value.as_tuple().exponent)
            step = Decimal(1).scaleb(-digits)
            # Half a step of the shown figure, and what the seven digits of the chain leave open.
            open_ = step / 2 + abs(value) * Decimal("3e-6")
            assert abs(line.result * factor - value) <= open_, (option.key, line.key)
            checked += 1
    assert checked > 10


def test_every_step_of_the_chain_has_lines_and_sources() -> None:
    for option in sized(proposal("pretrain-70b")):
        groups = [line.group for line in option.calculation]
        assert tuple(dict.fromkeys(groups)) == WORKED_GROUPS
        assert {line.group for line in option.calculation if line.refs} >= set(WORKED_GROUPS)


def test_every_constraint_ends_the_chain_at_a_step() -> None:
    assert set(FAILS_AT) == set(Constraint)
    assert set(FAILS_AT.values()) <= set(WORKED_GROUPS)


def test_an_option_that_does_not_fit_shows_what_it_is_short_of() -> None:
    found = proposal("pretrain-70b", "workload.deadline=1 day", "claims=[]")
    failed = [option for option in found.options if option.layout is None]
    assert failed
    for option in failed:
        assert option.fails_at == FAILS_AT[option.binding]
        short = [line for line in option.calculation if line.key == "fails.short"]
        if option.shortfall is None or option.shortfall[0].value <= option.shortfall[1].value:
            assert short == []
            continue
        assert short[0].result == option.shortfall[0].value - option.shortfall[1].value
        assert short[0].group == option.fails_at


@given(st.floats(1e-4, 1e14, allow_nan=False))
def test_a_shown_number_is_the_number_to_seven_digits(value: float) -> None:
    assert float(exact(value)) == pytest.approx(value, rel=6e-7)
    assert exact(float(exact(value))) == exact(value)


@given(st.lists(st.floats(1e-3, 1e6), min_size=2, max_size=6))
def test_a_book_works_out_what_it_shows(values: list[float]) -> None:
    book = WorkedBook()
    symbols = [f"x{index}" for index in range(len(values))]
    book.given(**dict(zip(symbols, values, strict=True)))
    book.line("a", "a", " + ".join(symbols), "s", group="work")
    book.line("b", "b", f"a·{symbols[0]}/{symbols[1]}", "s", group="work")
    for line in book.lines:
        assert shown_again(line) == line.result
    assert book.lines[1].numbers["a"] == book.lines[0].result
