"""The sheet that is sent: locked save for its inputs, the same bytes, no budget, names that stay text."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from tests.core.built_in import host
from tests.core.prices.sheets import LIBRARY, TOP, asked, sheet

from suanli.domain.record import Text
from suanli.prices.columns import COLUMNS, find_columns
from suanli.prices.sheet import write_csv, write_xlsx


def page_of(content: bytes) -> Any:  # noqa: ANN401 - the library has no types
    return LIBRARY.load_workbook(io.BytesIO(content)).active


def cells_of(page: Any) -> list[Any]:  # noqa: ANN401 - the library has no types
    return [cell for row in page.iter_rows() for cell in row if cell.value is not None]


def test_only_the_cells_to_be_filled_in_are_unlocked_blue_on_yellow() -> None:
    rows = asked("small")
    page = page_of(sheet(rows))
    top = next(at for at, row in enumerate(page.iter_rows(values_only=True), 1) if find_columns(row))
    columns = find_columns(tuple(cell.value for cell in page[top]))
    assert columns is not None
    assert page.protection.sheet
    assert not page.protection.password
    for column in COLUMNS:
        for number in range(len(rows)):
            cell = page.cell(top + 1 + number, columns[column.name] + 1)
            assert cell.protection.locked is not column.filled
            if column.filled:
                assert cell.value is None
                assert (cell.font.color.rgb, cell.fill.fgColor.rgb) == ("FF0000FF", "FFFFFBE0")
    assert page.print_title_rows == f"${top}:${top}"
    assert page.sheet_properties.pageSetUpPr.fitToPage


def test_a_spreadsheet_program_knows_the_currencies_and_refuses_wrong_dates() -> None:
    rules = page_of(sheet(asked("small"))).data_validations.dataValidation
    assert {rule.type for rule in rules} == {"decimal", "list", "date"}
    assert any(str(rule.formula1).startswith('"CNY,USD') for rule in rules)


@pytest.mark.parametrize(
    ("language", "head", "told"),
    [
        ("zh", "单价是否含增值税 *", "含税填“是”并填税率"),
        ("en", "Unit price includes VAT *", "yes (gross), with the rate"),
    ],
)
def test_the_sheet_asks_of_every_price_whether_vat_is_in_it(language: str, head: str, told: str) -> None:
    page = page_of(sheet(asked("small"), language))
    texts = [str(cell.value) for cell in cells_of(page)]
    assert head in texts
    assert any(told in text for text in texts)
    (choice,) = [rule for rule in page.data_validations.dataValidation if rule.prompt]
    assert choice.type == "list"


@pytest.mark.parametrize("earlier", ["是否含税", "VAT included", "vat_included"])
def test_a_sheet_that_was_sent_under_an_earlier_heading_is_read(earlier: str) -> None:
    found = find_columns(("编码（勿改）", "单价", earlier, "税率"))
    assert found == {"key": 0, "unit_price": 1, "vat_included": 2, "vat_rate": 3}


@pytest.mark.parametrize("language", ["zh", "en", "bilingual"])
def test_the_same_rows_give_the_same_bytes(language: str) -> None:
    assert sheet(asked("small"), language) == sheet(asked("small"), language)
    again = write_csv(asked("small"), host().catalogue, language)
    assert again == write_csv(asked("small"), host().catalogue, language)


def test_no_price_of_the_catalogue_is_shown_unless_asked_for() -> None:
    rows = asked("small")
    known = next(row for row in rows if row.price is not None)
    assert known.price is not None
    plain, private = sheet(rows), write_xlsx(rows, host().catalogue, TOP, "zh", references=True)
    amount = str(known.price.amount)
    assert not any(amount in str(cell.value) for cell in cells_of(page_of(plain)))
    shown = [str(cell.value) for cell in cells_of(page_of(private))]
    assert f"{amount} {known.price.currency}/{known.price.per}" in shown
    assert known.price.dated in shown
    assert any("不得发给供应商" in text for text in shown)


@pytest.mark.parametrize("name", ['=HYPERLINK("http://x")', "+cmd", "-1", "@x"])
def test_names_that_look_like_formulas_stay_text(name: str) -> None:
    rows = (replace(asked("small")[0], name=Text(zh=name, en=name)),)
    page = page_of(sheet(rows))
    assert all(cell.data_type != "f" and cell.hyperlink is None for cell in cells_of(page))
    assert any(cell.value == name for cell in cells_of(page))
    written = list(csv.DictReader(io.StringIO(write_csv(rows, host().catalogue, "en").decode("utf-8-sig"))))
    assert written[0]["Item in English"] == f"'{name}"


def test_a_thing_that_several_options_need_is_one_row_with_all_quantities() -> None:
    rows = {row.key: row for row in asked("pretrain-70b")}
    cluster = rows["class:management-server"]
    assert len(cluster.quantities) > 1
    assert cluster.quantity == max(cluster.quantities.values())
    assert "管理与调度服务器；登录与数据导入服务器" in cluster.name.zh
    assert rows["line:installation@ascend-910c"].quantities == {"A": Decimal(1)}


def test_what_is_asked_for_at_least_is_what_the_device_has() -> None:
    rows = {row.key: row for row in asked("pretrain-70b")}
    # 64 GiB are 68.7 GB and 353.9 TFLOPS are not 354.
    assert rows["server:atlas-800t-a2+ascend-910b2"].specification[1] == (
        "at least 8 accelerators each; at least 68 GB of memory per accelerator; "
        "at least 353 TFLOPS of dense BF16 per accelerator"
    )


def test_servers_and_switches_are_described_without_a_brand() -> None:
    for row in asked("pretrain-70b"):
        if row.key.startswith("switch:"):
            assert "Gbit/s" in row.specification[1]
        if row.key.startswith("server:"):
            zh, en = row.specification
            assert "8 张" in zh
            assert "at least 8 accelerators" in en
