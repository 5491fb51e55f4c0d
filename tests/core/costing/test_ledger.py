from __future__ import annotations

from decimal import Decimal

import pytest
from tests.factories import text

from suanli.costing.expressions import Constant, Expression, evaluate, formula, references
from suanli.costing.formulas import absolute, at_most
from suanli.costing.ledger import Input, Ledger, Line
from suanli.costing.lines import line, ref


def entry(name: str, value: int = 1) -> Input:
    return Input(name, text(name), Decimal(value), "CNY", "general")


def test_an_entry_refers_to_earlier_ones_only() -> None:
    late = line("b", text("b"), ref("a"), "CNY")

    with pytest.raises(ValueError, match='"b" refers to a'):
        Ledger("CNY", (late, entry("a")))


def test_an_id_stands_once() -> None:
    with pytest.raises(ValueError, match="stands twice"):
        Ledger("CNY", (entry("a"), entry("a")))


def test_only_inputs_can_be_changed() -> None:
    book = Ledger("CNY", (entry("a"), line("b", text("b"), ref("a") + ref("a"), "CNY")))

    assert book.values({"a": Decimal(4)})["b"] == 8
    with pytest.raises(KeyError, match="b"):
        book.values({"b": Decimal(4)})
    assert [one.id for one in book.inputs] == ["a"]
    assert all(isinstance(one, Line) for one in book.lines)


def test_a_formula_keeps_the_brackets_that_its_tree_needs() -> None:
    one, two, three = (Constant(Decimal(number)) for number in (1, 2, 3))

    assert formula((one + two) * three, str) == "(1+2)*3"
    assert formula(one - (two - three), str) == "1-(2-3)"
    assert formula(one / (two * three), str) == "1/(2*3)"
    assert formula(one + two * three, str) == "1+2*3"


def test_an_unknown_node_is_refused_by_both_back_ends() -> None:
    class Strange(Expression):
        pass

    with pytest.raises(TypeError, match="Strange"):
        evaluate(Strange(), {})
    with pytest.raises(TypeError, match="Strange"):
        formula(Strange(), str)


@pytest.mark.parametrize(("value", "size"), [(-3, 3), (3, 3), (0, 0)])
def test_absolute_value(value: int, size: int) -> None:
    assert evaluate(absolute(Constant(Decimal(value))), {}) == size


def test_a_flag_includes_its_limit() -> None:
    two, three = Constant(Decimal(2)), Constant(Decimal(3))

    assert [evaluate(at_most(left, two), {}) for left in (two, three)] == [1, 0]


def test_references_are_named_once_in_order() -> None:
    assert references(ref("b") * ref("a") + ref("b")) == ("b", "a")
