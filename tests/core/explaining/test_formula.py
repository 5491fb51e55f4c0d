"""Formulas are evaluated as they are printed, and nothing else is."""

from __future__ import annotations

import pytest

from suanli.explaining.formula import Function, evaluate, names


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("a·b + c", 10.0),
        ("a − b/c", 1.25),
        ("(a + b)^2/c", 6.25),
        ("√(a·8)·c", 16.0),
        ("max(a, b, c) − min(a, b)", 2.0),
        ("log2(c) + ceil(b/a)", 4.0),
        ("a^b^a", 512.0),
    ],
)
def test_a_formula_gives_what_a_reader_computes(formula: str, expected: float) -> None:
    assert evaluate(formula, {"a": 2, "b": 3, "c": 4}) == pytest.approx(expected)


def test_a_formula_uses_others_by_name() -> None:
    area = Function(("x", "y"), "x·y·k", {"k": 10.0})
    assert evaluate("g(a, 2) + g(1, 1)", {"a": 3}, {"g": area}) == 70.0


@pytest.mark.parametrize("formula", ["__import__('os')", "a.b", "[a]", "a if a else a", "'text'", "a % a"])
def test_what_is_no_formula_is_refused(formula: str) -> None:
    with pytest.raises(ValueError, match="no part of a formula"):
        evaluate(formula, {"a": 1.0})


def test_a_name_without_a_number_is_refused() -> None:
    with pytest.raises(KeyError, match="b"):
        evaluate("a·b", {"a": 1.0})


def test_names_are_those_that_need_a_number_in_their_order() -> None:
    assert names("max(t_b·α, a_1)/√(t_b) + g(x, 2)", ("g",)) == ("t_b", "α", "a_1", "x")
