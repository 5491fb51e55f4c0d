from __future__ import annotations

from decimal import Decimal

import pytest

from suanli.costing.words import amount_in_words
from suanli.errors import InputError

AMOUNTS = [
    ("1409.50", {"人民币壹仟肆佰零玖元伍角", "人民币壹仟肆佰零玖元伍角整"}),
    ("6007.14", {"人民币陆仟零柒元壹角肆分"}),
    ("16409.02", {"人民币壹万陆仟肆佰零玖元零贰分"}),
    ("325.04", {"人民币叁佰贰拾伍元零肆分"}),
    ("0", {"人民币零元整"}),
    ("100000", {"人民币壹拾万元整"}),
    ("200000000", {"人民币贰亿元整"}),
    ("12000.01", {"人民币壹万贰仟元零壹分"}),
    ("0.79", {"人民币柒角玖分"}),
    ("0.78", {"人民币柒角捌分"}),
    ("0.05", {"人民币伍分"}),
    ("1000000001234", {"人民币壹万亿零壹仟贰佰叁拾肆元整"}),
    ("-1100.00", {"人民币负壹仟壹佰元整", "负人民币壹仟壹佰元整"}),
    ("693000000", {"人民币陆亿玖仟叁佰万元整"}),
    ("107540000", {"人民币壹亿零柒佰伍拾肆万元整"}),
    ("100000001", {"人民币壹亿零壹元整"}),
    ("1000100000000", {"人民币壹万零壹亿元整"}),
    ("2.675", {"人民币贰元陆角捌分"}),
    ("-0.001", {"人民币零元整"}),
    (
        "9999999999999999.99",
        {"人民币玖仟玖佰玖拾玖万玖仟玖佰玖拾玖亿玖仟玖佰玖拾玖万玖仟玖佰玖拾玖元玖角玖分"},
    ),
]


@pytest.mark.parametrize(("amount", "accepted"), AMOUNTS, ids=[row[0] for row in AMOUNTS])
def test_amounts_are_written_as_the_rules_say(amount: str, accepted: set[str]) -> None:
    assert amount_in_words(Decimal(amount)) in accepted


@pytest.mark.parametrize("amount", ["10000000000000000", "9999999999999999.995", "NaN", "Infinity"])
def test_an_amount_out_of_range_is_refused_never_truncated(amount: str) -> None:
    with pytest.raises(InputError, match="16 digits"):
        amount_in_words(Decimal(amount))
