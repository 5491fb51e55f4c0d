"""Rows of quote sheets: what becomes a price, and every way in which a row is refused."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from tests.core.built_in import host
from tests.core.prices.sheets import DAY, row

from suanli.domain.figure import Check, Confidence
from suanli.domain.market import VatTreatment
from suanli.prices.quotations import read_quotations


def test_a_row_becomes_a_price_with_its_quotation_as_source() -> None:
    found = read_quotations(
        [row(quantity=360, note="含三年质保", item_zh="光模块", item_en="module")], host().catalogue, DAY
    )
    (price,), (source,) = found.prices, found.sources
    assert (price.amount, price.currency, price.per, price.basis) == (
        Decimal("1250.5"),
        "CNY",
        "piece",
        "optic-400g",
    )
    assert (price.confidence, price.check, price.vat) == (
        Confidence.QUOTE,
        Check.DIRECT,
        VatTreatment.EXCLUDED,
    )
    assert (price.valid_from, price.valid_to, price.validity_days) == (
        date(2026, 11, 20),
        date(2026, 11, 20),
        72,
    )
    assert price.source == source.id
    assert (price.item.zh, price.item.en) == ("光模块", "module")
    assert price.note == "含三年质保; quoted for a quantity of 360"
    assert (source.publisher, source.ref, source.published, source.retrieved) == (
        "某供应商",
        "Q-1",
        "2026-11-20",
        DAY,
    )
    assert (found.blank, found.refused, found.faults) == (0, 0, [])


@pytest.mark.parametrize(
    ("rate", "quoted", "net"),
    [("13%", 1130, "1000"), (0.06, "106.00", "100"), ("0", 50, "50"), ("13%", 100, "88.495575")],
)
def test_a_price_with_vat_is_taken_net_by_the_rate_of_the_quotation(
    rate: object, quoted: object, net: str
) -> None:
    found = read_quotations([row(unit_price=quoted, vat_included="是", vat_rate=rate)], host().catalogue, DAY)
    (price,) = found.prices
    assert price.amount == Decimal(net)
    assert price.vat is VatTreatment.EXCLUDED
    assert f"quoted {quoted} with" in price.note


def test_a_price_that_says_itself_whether_vat_is_in_it_agrees_with_its_column() -> None:
    gross = row(unit_price="1,130元（含税）", vat_included="含税", vat_rate="13%")
    net = row(unit_price="不含税 1000", supplier="另一供应商")
    found = read_quotations([gross, net], host().catalogue, DAY)
    assert found.faults == []
    assert [price.amount for price in found.prices] == [1000, 1000]


def test_a_row_that_leaves_vat_open_is_told_to_say_net_or_gross() -> None:
    (fault,) = read_quotations([row(vat_included=None)], host().catalogue, DAY).faults
    assert "neither as net nor as gross" in fault.why
    assert "不含税" in fault.cure


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("zero", {"unit_price": 0}, "unit_price", "is zero"),
    ("negative", {"unit_price": -3}, "unit_price", "is negative: -3"),
    ("text", {"unit_price": "面议"}, "unit_price", "text where a number is meant"),
    ("currency", {"currency": "XXQ"}, "currency", "is not a currency code"),
    ("no currency", {"currency": None}, "currency", "is missing"),
    (
        "two currencies",
        {"unit_price": "5万元", "currency": "USD"},
        "unit_price",
        "the currency column says USD",
    ),
    ("key", {"key": "class:optic-40g0"}, "key", "is not a known key"),
    ("no key", {"key": None}, "key", "is missing in a row that is filled in"),
    ("unit", {"unit": "台"}, "unit", "is not the unit of class:optic-400g"),
    ("expired", {"valid_until": date(2026, 11, 29)}, "valid_until", "has expired on 2026-11-29"),
    ("future", {"dated": date(2026, 12, 1)}, "dated", "is in the future"),
    ("before", {"valid_until": date(2026, 11, 19)}, "valid_until", "is before the quotation's date"),
    ("no validity", {"valid_until": None}, "valid_until", "is missing"),
    ("no supplier", {"supplier": None}, "supplier", "is missing"),
    ("no VAT", {"vat_included": None}, "vat_included", "is missing"),
    ("VAT unclear", {"vat_included": "见备注"}, "vat_included", "is neither yes nor no"),
    ("gross and net", {"unit_price": "1130（含税）"}, "unit_price", "the column of VAT says otherwise"),
    (
        "net and gross",
        {"unit_price": "1000 excl. VAT", "vat_included": "yes", "vat_rate": "13%"},
        "unit_price",
        "the column of VAT says otherwise",
    ),
    ("no rate", {"vat_included": "yes"}, "vat_rate", "is missing while VAT is included"),
    ("rate", {"vat_included": "yes", "vat_rate": 13}, "vat_rate", "is no rate"),
    ("date", {"dated": "上周"}, "dated", "is no date"),
]


@pytest.mark.parametrize(
    ("changes", "column", "what"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_a_row_is_refused_by_cell(changes: dict[str, Any], column: str, what: str) -> None:
    found = read_quotations([row(**changes)], host().catalogue, DAY)
    assert (found.prices, found.refused) == ((), 1)
    (fault,) = found.faults
    assert what in fault.what
    assert fault.where == 'quote.xlsx, sheet "报价表", row 12'
    assert f"({column})" in fault.key
    assert fault.why or fault.cure


def test_everything_that_is_wrong_is_said_at_once() -> None:
    rows = [row(unit_price=-1, currency="??", dated="x"), row(key="nothing", supplier=None)]
    found = read_quotations(rows, host().catalogue, DAY)
    assert found.refused == 2
    assert len(found.faults) == 5


def test_rows_without_a_price_are_blank_whatever_else_was_copied_down() -> None:
    rows = [row(unit_price=None), row(key=None, unit_price=None, supplier="合计")]
    found = read_quotations(rows, host().catalogue, DAY)
    assert (found.blank, found.refused, found.prices) == (1, 0, ())


def test_one_supplier_quotes_a_thing_once() -> None:
    rows = [row(), row(unit_price=1300), row(supplier="另一供应商"), row(number="Q-2")]
    found = read_quotations(rows, host().catalogue, DAY)
    assert len(found.prices) == 3
    assert [fault.what for fault in found.faults] == ['"class:optic-400g" is quoted twice by 某供应商']
    assert len({price.id for price in found.prices}) == 3


def test_an_offer_that_has_expired_is_taken_where_it_is_only_to_be_marked() -> None:
    late = row(valid_until=date(2026, 11, 21))
    assert read_quotations([late], host().catalogue, DAY).refused == 1
    assert len(read_quotations([late], host().catalogue, DAY, expired=True).prices) == 1


def test_a_supplier_whose_name_looks_like_a_formula_stays_text() -> None:
    found = read_quotations([row(supplier="=cmd|' /C calc'!A0")], host().catalogue, DAY)
    assert found.sources[0].publisher == "=cmd|' /C calc'!A0"
