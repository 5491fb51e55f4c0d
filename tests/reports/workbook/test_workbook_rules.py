"""What may be typed into an input, and sums of more parts than a spreadsheet takes."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from suanli.costing.expressions import Constant, Expression, Ref, Sum, formula
from suanli.costing.ledger import Input, Ledger, Line
from suanli.domain.record import Text
from suanli.proposal.contributions import RenderJob
from suanli_reports.workbook_rules import input_rule, never_zero
from suanli_reports.workbook_template import load_layout

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal

LABEL = Text(zh="项", en="Entry")


def _input(entry: str, value: str, unit: str) -> Input:
    return Input(entry, LABEL, Decimal(value), unit, "general")


@pytest.mark.parametrize(
    ("entry", "positive", "expected", "message"),
    [
        (_input("general.vat_goods", "0.13", "fraction"), False, ("decimal", "between", 0, 1), "100 %"),
        (_input("general.horizon", "5", "year"), True, ("integer", "between", 1, 5), "from 1 to 5"),
        (_input("general.warranty_years", "3", "year"), False, ("integer", "between", 0, 100), "from 0 to"),
        (_input("general.depreciation_years", "5", "year"), True, ("integer", "between", 1, 100), "from 1"),
        (_input("site.pue", "1.25", "PUE"), False, ("decimal", ">=", 1), "at least 1"),
        (_input("price.a", "3", "CNY"), False, ("decimal", ">=", 0), "at least 0"),
        (_input("A.energy.hours_run", "3", "h"), True, ("decimal", ">", 0), "above 0"),
    ],
)
def test_an_input_takes_what_keeps_the_sheet_true(
    entry: Input,
    positive: bool,  # noqa: FBT001 - a column of the table
    expected: tuple[object, ...],
    message: str,
    costed: Proposal,
) -> None:
    rule = input_rule(entry, load_layout(RenderJob(costed, "en")), "en", positive=positive)
    bounds = [rule[key] for key in ("minimum", "maximum", "value") if key in rule]
    assert (rule["validate"], rule["criteria"], *bounds) == expected
    assert message in rule["error_message"]


def test_an_input_that_is_negative_as_issued_may_be_any_number(costed: Proposal) -> None:
    rule = input_rule(
        _input("price.rebate", "-5", "CNY"), load_layout(RenderJob(costed, "en")), "en", positive=False
    )
    assert rule["minimum"] < -1e12


def test_only_what_stands_in_a_divisor_that_it_can_make_zero_must_not_be_zero() -> None:
    one = Constant(Decimal(1))
    entries = (
        _input("hours", "8", "h"),
        _input("rate", "0.06", "fraction"),
        _input("price", "5", "CNY"),
        Line("double", LABEL, Ref("hours") + Ref("hours"), "h"),
        Line("per_hour", LABEL, Ref("price") / Ref("double"), "CNY"),
        Line("today", LABEL, Ref("price") / (one + Ref("rate")), "CNY"),
    )
    assert never_zero(Ledger("CNY", entries)) == {"hours"}


def test_a_planned_cluster_needs_hours_servers_and_years(planned: Proposal) -> None:
    found = never_zero(planned.ledger)
    assert {"general.horizon", "general.depreciation_years", "A.energy.hours_run"} <= found
    assert not {"general.discount_rate", "site.electricity", "general.vat_goods"} & found


@pytest.mark.parametrize("count", [1, 200, 201, 255, 401, 1000])
def test_a_sum_never_has_more_arguments_than_a_spreadsheet_takes(count: int) -> None:
    parts: tuple[Expression, ...] = tuple(Ref(f"A{n}") for n in range(count))
    text = formula(Sum(parts), lambda entry: entry)
    depth, most, arguments = 0, 0, [0]
    for character in text:
        if character == "(":
            depth += 1
            arguments.append(1)
        elif character == ")":
            most = max(most, arguments.pop())
            depth -= 1
        elif character == ",":
            arguments[-1] += 1
    assert depth == 0
    assert most <= 255
    assert text.replace("SUM", "").replace("(", "").replace(")", "").split(",") == [
        f"A{n}" for n in range(count)
    ]
