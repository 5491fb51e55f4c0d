"""Cells as suppliers fill them in: what is read, and what is refused with a hint."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from suanli.prices.cells import read_amount, read_currency, read_day, read_rate, read_yes
from suanli.project.quantities import QuantityError

if TYPE_CHECKING:
    from suanli.prices.cells import Cell


@pytest.mark.parametrize(
    ("cell", "amount", "currencies"),
    [
        (1250, "1250", set[str]()),
        (0.1, "0.1", set[str]()),
        (1234567.89, "1234567.89", set[str]()),
        ("1,250.50", "1250.50", set[str]()),
        ("１２，５００．５", "12500.5", set[str]()),
        ("12 500", None, set[str]()),
        ("1,2345", "12345", set[str]()),
        ("185万元", "1850000", {"CNY"}),
        ("1.5 亿元", "150000000", {"CNY"}),
        ("¥1,000", "1000", {"CNY", "JPY"}),
        ("￥1,000元", "1000", {"CNY"}),
        ("US$ 99.5", "99.5", {"USD"}),
        ("1000 USD", "1000", {"USD"}),
        ("EUR1000", "1000", {"EUR"}),
        ("-5", "-5", set[str]()),
        ("面议", None, set[str]()),
        ("1,25", None, set[str]()),
        ("1.250,50", None, set[str]()),
        ("N/A", None, set[str]()),
        ("", None, set[str]()),
        (True, None, set[str]()),
        (float("nan"), None, set[str]()),
        (float("inf"), None, set[str]()),
        (date(2026, 1, 1), None, set[str]()),
    ],
)
def test_an_amount_is_read_or_refused(cell: Cell, amount: str | None, currencies: set[str]) -> None:
    if amount is None:
        with pytest.raises(QuantityError):
            read_amount(cell)
    else:
        assert read_amount(cell) == (Decimal(amount), frozenset(currencies))


@pytest.mark.parametrize(
    ("cell", "currency"),
    [
        ("CNY", "CNY"),
        ("usd", "USD"),
        ("元", "CNY"),
        ("人民币", "CNY"),
        ("rmb", None),
        ("¥", None),
        ("ZZZ", None),
    ],
)
def test_a_currency_is_a_code_or_a_name_of_one(cell: str, currency: str | None) -> None:
    if currency is None:
        with pytest.raises(QuantityError):
            read_currency(cell)
    else:
        assert read_currency(cell) == currency


@pytest.mark.parametrize(
    ("cell", "answer"),
    [
        ("是", True),
        ("否 / no", False),
        ("Yes", True),
        ("不含税", False),
        (True, True),
        ("maybe", None),
        ("是 / no", None),
    ],
)
def test_yes_and_no_are_read_in_both_languages(cell: Cell, answer: bool | None) -> None:  # noqa: FBT001 - a case
    if answer is None:
        with pytest.raises(QuantityError):
            read_yes(cell)
    else:
        assert read_yes(cell) is answer


@pytest.mark.parametrize(("cell", "rate"), [("13%", "0.13"), (0.09, "0.09"), ("０．０６", "0.06"), (0, "0")])
def test_a_rate_is_a_share(cell: Cell, rate: str) -> None:
    assert read_rate(cell) == Decimal(rate)


@pytest.mark.parametrize("cell", [13, "13.0", "-1%", "免税", "100%", "nan"])
def test_a_rate_beyond_a_share_is_refused(cell: Cell) -> None:
    with pytest.raises(QuantityError):
        read_rate(cell)


def test_a_bare_percentage_is_told_how_to_be_written() -> None:
    with pytest.raises(QuantityError) as raised:
        read_rate(13)
    assert raised.value.suggestion == 'write "13%"'


@pytest.mark.parametrize(
    "cell",
    [
        date(2026, 11, 30),
        datetime(2026, 11, 30, 0, 0),  # noqa: DTZ001 - dates of a spreadsheet have no zone
        "2026-11-30",
        "2026年11月30日",
        "２０２６／１１／３０",
        "2026.11.30",
        "20261130",
    ],
)
def test_a_day_is_read_as_people_write_it(cell: Cell) -> None:
    assert read_day(cell) == date(2026, 11, 30)


@pytest.mark.parametrize("cell", ["30/11/2026", "2026-02-30", "下月", 46000, True])
def test_what_is_no_day_is_refused(cell: Cell) -> None:
    with pytest.raises(QuantityError):
        read_day(cell)
