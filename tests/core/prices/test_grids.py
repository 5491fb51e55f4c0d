"""Files of quotations as rows: encodings, headings in any language and order, damage, formulas."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from tests.core.prices.sheets import LIBRARY, OFFER, filled, one, sheet

from suanli.errors import InputError
from suanli.prices.grids import read_rows

TEXT = "备注,编码（勿改）,单价,Currency,自有列\n甲,class:optic-400g,１２５０,CNY,1\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "gbk"])
def test_csv_files_are_read_in_the_encodings_of_spreadsheet_programs(encoding: str) -> None:
    (found,) = read_rows(Path("q.csv"), TEXT.encode(encoding))
    assert found.cells == {
        "note": "甲",
        "key": "class:optic-400g",
        "unit_price": "１２５０",
        "currency": "CNY",
    }
    assert found.where == "q.csv, row 2"
    assert found.letters["unit_price"] == "C"


def test_a_semicolon_separates_where_the_comma_is_for_decimals() -> None:
    (found,) = read_rows(Path("q.csv"), b"key;unit_price;note\nclass:rack;5;a,b\n")
    assert found.cells == {"key": "class:rack", "unit_price": "5", "note": "a,b"}


@pytest.mark.parametrize("language", ["zh", "en", "bilingual"])
def test_a_sheet_is_found_again_in_every_language(language: str) -> None:
    content = filled(sheet(one("class:rack"), language), lambda _: OFFER)
    (found,) = read_rows(Path("q.xlsx"), content)
    assert found.cells["key"] == "class:rack"
    assert {name: found.cells[name] for name in ("unit_price", "supplier")} == {
        "unit_price": 1250.5,
        "supplier": "某供应商",
    }


def test_a_formula_without_its_value_is_told_from_an_empty_cell() -> None:
    content = filled(sheet(one("class:rack")), lambda _: {"unit_price": "=A1*2"})
    (found,) = read_rows(Path("q.xlsx"), content)
    assert found.uncomputed == {"unit_price"}


def test_other_sheets_of_a_workbook_are_passed_over() -> None:
    book = LIBRARY.load_workbook(io.BytesIO(sheet(one("class:rack"))))
    book.create_sheet("说明", 0).append(["请见下页"])
    stream = io.BytesIO()
    book.save(stream)
    assert [found.sheet for found in read_rows(Path("q.xlsx"), stream.getvalue())] == ["报价表"]


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("q.xls", b"", '".xls" is no format'),
        ("q.xlsm", b"", '".xlsm" is no format'),
        ("q.xlsx", b"PK\x03\x04 damaged", "is damaged or no workbook"),
        ("q.xlsx", b"", "is damaged or no workbook"),
        ("q.csv", b"a,b\n1,2\n", "has no quote sheet in it"),
        ("q.csv", b"", "has no quote sheet in it"),
        ("q.csv", b"\xff\xff\xff", "unknown encoding"),
        ("q.csv", b'key,unit_price\n"open', "is not readable as CSV"),
    ],
)
def test_what_is_no_quote_sheet_is_refused(name: str, content: bytes, what: str) -> None:
    with pytest.raises(InputError) as raised:
        read_rows(Path(name), content)
    (fault,) = raised.value.faults
    assert what in fault.what
    assert fault.where == name
