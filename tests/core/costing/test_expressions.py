"""Each node of an expression tree: its exact value and its spreadsheet formula."""

from __future__ import annotations

from decimal import Decimal

import pytest

from suanli.costing.expressions import (
    Binary,
    Choose,
    Constant,
    Expression,
    InternalRate,
    Maximum,
    Minimum,
    Power,
    Ref,
    Round,
    RoundUp,
    Sum,
    evaluate,
    formula,
    references,
)
from suanli.costing.formulas import (
    breakeven_months,
    constant,
    converted,
    discount_factor,
    net_of_vat,
    straight_line_up_to,
    vat_amount,
)
from suanli.domain.workload import Rounding

A, B = Ref("a"), Ref("b")
VALUES = {"a": Decimal(10), "b": Decimal("2.5")}


def number(value: str) -> Constant:
    return Constant(Decimal(value))


@pytest.mark.parametrize(
    ("node", "value", "written"),
    [
        (A + B, "12.5", "a+b"),
        (A - B, "7.5", "a-b"),
        (A * B, "25", "a*b"),
        (A / B, "4", "a/b"),
        ((A + B) * B, "31.25", "(a+b)*b"),
        (A - (B - A), "17.5", "a-(b-a)"),
        (A / (B / A), "40", "a/(b/a)"),
        (A / (B * A), "0.4", "a/(b*a)"),
        (A + B + A, "22.5", "a+b+a"),
        (Round(B, 0), "3", "ROUND(b,0)"),
        (Round(constant(0) - B, 0), "-3", "ROUND(0-b,0)"),
        (RoundUp(B), "3", "ROUNDUP(b,0)"),
        (Sum((A, B, A)), "22.5", "SUM(a,b,a)"),
        (Sum(()), "0", "SUM()"),
        (Minimum((A, B)), "2.5", "MIN(a,b)"),
        (Maximum((A, B)), "10", "MAX(a,b)"),
        (Power(B, Constant(Decimal(2))), "6.25", "POWER(b,2)"),
        (Choose(A, B, A, B), "2.5", "IF(a<=b,a,b)"),
        (Choose(A, A, A, B), "10", "IF(a<=a,a,b)"),
    ],
)
def test_a_node_has_a_value_and_a_formula(node: Expression, value: str, written: str) -> None:
    assert evaluate(node, VALUES) == Decimal(value)
    assert formula(node, lambda name: name) == written


def test_a_negative_constant_keeps_its_sign_in_a_formula() -> None:
    node = A * number("-2")
    assert evaluate(node, VALUES) == Decimal(-20)
    assert formula(node, lambda name: name).replace(" ", "") in {"a*-2", "a*(-2)"}


def test_values_are_exact_where_binary_floats_are_not() -> None:
    assert evaluate(number("0.1") + number("0.2"), {}) == Decimal("0.3")


def test_a_missing_entry_and_a_zero_divisor_are_errors() -> None:
    with pytest.raises(KeyError):
        evaluate(Ref("c"), VALUES)
    with pytest.raises(ArithmeticError):
        evaluate(A / constant(0), VALUES)


@pytest.mark.parametrize(
    ("node", "names"),
    [
        (A, ("a",)),
        (number("1"), ()),
        (Choose(B, A, Ref("c"), Ref("d")), ("b", "a", "c", "d")),
        (Round(Power(B, Constant(Decimal(2)))), ("b",)),
        (RoundUp(Sum((A, B, A))), ("a", "b")),
        (Minimum((Maximum((B,)), A)), ("b", "a")),
        (Binary("+", B, A), ("b", "a")),
    ],
)
def test_references_stand_in_order_of_first_appearance(node: Expression, names: tuple[str, ...]) -> None:
    assert references(node) == names


@pytest.mark.parametrize("count", [1, 200, 201, 1000, 45_000])
def test_a_long_sum_is_written_in_parts_that_a_spreadsheet_takes(count: int) -> None:
    node = Sum(tuple(constant(1) for _ in range(count)))
    text = formula(node, lambda name: name)
    depth, arguments = 0, {0: 1}
    most = 0
    for letter in text:
        if letter == "(":
            depth += 1
            arguments[depth] = 1
        elif letter == ")":
            most = max(most, arguments[depth])
            depth -= 1
        elif letter == ",":
            arguments[depth] += 1
    assert most <= 255
    assert text.count("1") == count
    assert evaluate(node, {}) == count


@pytest.mark.parametrize(
    ("factor", "rate", "inverse", "value"),
    [
        (None, None, False, "100"),
        (number("8"), None, False, "800"),
        (None, number("7.1"), False, "710"),
        (None, number("8"), True, "12.5"),
        (number("8"), number("7.1"), False, "5680"),
    ],
)
def test_a_price_is_multiplied_by_its_units_and_its_rate(
    factor: Expression | None,
    rate: Expression | None,
    inverse: bool,  # noqa: FBT001
    value: str,
) -> None:
    assert evaluate(converted(number("100"), factor, rate, inverse=inverse), {}) == Decimal(value)


@pytest.mark.parametrize(
    ("policy", "tax"), [(Rounding.LINE, "1.98"), (Rounding.UNIT, "2.00"), (Rounding.DOCUMENT, "1.980")]
)
def test_vat_is_rounded_where_the_policy_says(policy: Rounding, tax: str) -> None:
    quantity, price = number("10"), number("3.60")
    amount = vat_amount(quantity, price, quantity * price, number("0.055"), policy)
    assert evaluate(amount, {}) == Decimal(tax)


@pytest.mark.parametrize(("gross", "rate", "net"), [("113", "0.13", "100.00"), ("1", "0.06", "0.94")])
def test_a_price_with_tax_is_taken_net(gross: str, rate: str, net: str) -> None:
    assert evaluate(net_of_vat(number(gross), number(rate)), {}) == Decimal(net)


@pytest.mark.parametrize(
    ("year", "total"), [(0, "0"), (1, "33.33"), (2, "66.67"), (3, "100.00"), (4, "100.00")]
)
def test_a_thing_is_never_depreciated_below_nothing(year: int, total: str) -> None:
    # Thirds: the accumulated sum is rounded, so that the years add up to the base.
    assert evaluate(straight_line_up_to(number("100"), number("3"), year), {}) == Decimal(total)


@pytest.mark.parametrize(
    ("rate", "year", "factor"),
    [("0", 5, 1.0), ("0.06", 0, 1.0), ("0.06", 1, 0.943396), ("0.08", 5, 0.680583)],
)
def test_discount_factors_are_those_of_the_tables(rate: str, year: int, factor: float) -> None:
    # R. A. Brealey, S. C. Myers, F. Allen, Principles of Corporate Finance, appendix table 1.
    assert float(evaluate(discount_factor(number(rate), year), {})) == pytest.approx(factor, abs=5e-7)


def test_the_purchase_breaks_even_after_what_it_saves_each_month() -> None:
    months = breakeven_months(number("1200"), number("150"), number("50"))
    assert evaluate(months, {}) == Decimal(12)


def test_a_rate_of_return_is_written_over_a_range_from_several_guesses() -> None:
    flows = InternalRate((Ref("a"), Ref("b"), Ref("c")))
    text = formula(flows, lambda name: f"'Buy or rent'!${name.upper()}$7")
    range_ = "'Buy or rent'!$A$7:$C$7"
    rate = f"IFERROR(IRR({range_}),IFERROR(IRR({range_},-0.5),IRR({range_},1)))"
    assert text == f'IFERROR(IF({rate}<-0.9,"–",{rate}),"–")'
    assert references(flows) == ("a", "b", "c")


def test_flows_without_a_change_of_sign_have_no_rate() -> None:
    flows = InternalRate((Ref("a"), Ref("b")))
    assert evaluate(flows, {"a": Decimal(-5), "b": Decimal(-1)}).is_nan()
    assert evaluate(flows, {"a": Decimal(-100), "b": Decimal(110)}) == Decimal("0.1")


def test_a_rate_at_which_nearly_all_is_lost_is_not_stated() -> None:
    flows = InternalRate((Ref("a"), Ref("b")))
    assert evaluate(flows, {"a": Decimal(-100), "b": Decimal(11)}) == Decimal("-0.89")
    assert evaluate(flows, {"a": Decimal(-100), "b": Decimal(9)}).is_nan()
