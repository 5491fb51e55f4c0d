"""What is filled into a sheet comes out as prices, through XLSX, CSV and the records that are written."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.built_in import host
from tests.core.prices.sheets import DAY, asked, filled, sheet

from suanli.prices.files import read_records, records_yaml
from suanli.prices.grids import read_rows
from suanli.prices.quotations import read_quotations
from suanli.prices.sheet import write_csv

ROWS = asked("small")
SHEET = sheet(ROWS)

names = st.text(st.characters(categories=["L", "N"], include_characters="+@（）"), min_size=1, max_size=12)
answers = st.fixed_dictionaries(
    {
        "unit_price": st.decimals("0.01", "99999999.99", places=2),
        "currency": st.sampled_from(["CNY", "USD", "EUR"]),
        "vat_rate": st.sampled_from(["0.06", "0.09", "0.13"]),
        "vat_included": st.sampled_from(["是", "no"]),
        "age": st.integers(0, 60),
        "validity": st.integers(0, 400),
        "supplier": names,
        "number": names,
    }
)


def cells(answer: dict[str, Any]) -> dict[str, Any]:
    dated = DAY - timedelta(days=answer["age"])
    return {
        **{key: answer[key] for key in ("currency", "vat_included", "supplier", "number")},
        "unit_price": float(answer["unit_price"]),
        "vat_rate": float(answer["vat_rate"]),
        "dated": dated,
        "valid_until": dated + timedelta(days=answer["validity"]),
    }


@settings(max_examples=15, deadline=None)
@given(st.lists(answers, min_size=len(ROWS), max_size=len(ROWS)))
def test_a_filled_sheet_gives_what_was_filled_in(given_answers: list[dict[str, Any]]) -> None:
    content = filled(SHEET, lambda number: cells(given_answers[number]))
    found = read_quotations(read_rows(Path("q.xlsx"), content), host().catalogue, DAY, expired=True)
    assert found.faults == []
    assert len(found.prices) == len(ROWS)
    for row, answer, price in zip(ROWS, given_answers, found.prices, strict=True):
        filled_in = cells(answer)
        assert (price.currency, price.provider, price.per) == (
            answer["currency"],
            answer["supplier"],
            row.unit,
        )
        rate = Decimal(answer["vat_rate"]) if answer["vat_included"] == "是" else Decimal(0)
        assert abs(price.amount * (1 + rate) - answer["unit_price"]) < Decimal("0.00001")
        last: date = price.valid_to + timedelta(days=price.validity_days)
        assert (price.valid_from, last) == (filled_in["dated"], filled_in["valid_until"])
    again = read_records(Path("prices.yaml"), records_yaml(found))
    assert (again.prices, again.sources) == (found.prices, found.sources)


def test_a_filled_csv_gives_the_same_prices_as_a_filled_workbook() -> None:
    answer = {
        "unit_price": 1250.5,
        "currency": "CNY",
        "vat_included": "否",
        "dated": date(2026, 11, 20),
        "valid_until": date(2027, 1, 31),
        "supplier": "甲",
        "number": "1",
    }
    workbook = read_rows(Path("q.xlsx"), filled(SHEET, lambda _: answer))
    text = write_csv(ROWS, host().catalogue, "zh").decode("utf-8-sig")
    table = list(csv.DictReader(io.StringIO(text)))
    headings = {
        "unit_price": "单价",
        "currency": "币种",
        "vat_included": "单价是否含增值税",
        "dated": "报价日期",
        "valid_until": "有效期至",
        "supplier": "供应商",
        "number": "报价单号",
    }
    out = io.StringIO()
    writer = csv.DictWriter(out, table[0].keys())
    writer.writeheader()
    writer.writerows({**row, **{headings[key]: value for key, value in answer.items()}} for row in table)
    plain = read_rows(Path("q.csv"), out.getvalue().encode("gb18030"))
    one, other = (read_quotations(rows, host().catalogue, DAY) for rows in (workbook, plain))
    assert one.prices == other.prices
    assert len(one.prices) == len(ROWS)
