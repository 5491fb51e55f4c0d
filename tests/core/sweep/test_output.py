"""The files of a sweep: what a reader of each format finds, and that the bytes depend on the rows alone."""

from __future__ import annotations

import csv
from datetime import date
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from tests.core.sweep.fakes import IDENTITY, ROWS_OF_A_POINT, fake_points

from suanli.errors import InputError, RenderError
from suanli.project.sections import ProjectFile
from suanli.sweep.charts import pivots
from suanli.sweep.columns import COLUMNS, POINT
from suanli.sweep.grid import parse_grid
from suanli.sweep.journal import Journal
from suanli.sweep.output import FORMATS, check_output, write_table, xlsx_file
from suanli.sweep.table import Table, summarise, without_effect

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.sweep.point import Outcome

pa: Any = import_module("pyarrow")
pq: Any = import_module("pyarrow.parquet")

VARIED = ("workload.deadline=60d,90d,120d", "site.pue=1.1,1.25")


def read(point: int) -> Outcome:
    return fake_points((point,))[0]


def table(*varied: str) -> Table:
    return Table(parse_grid(varied or VARIED), read, "测试 Project", date(2026, 11, 30))


def book(path: Path) -> Any:  # noqa: ANN401 - openpyxl's types are partial
    return openpyxl.load_workbook(path)


def test_no_column_has_the_name_of_another_or_of_a_key_of_the_project() -> None:
    names = [POINT.name, *(column.name for column in COLUMNS)]
    assert len(set(names)) == len(names)
    assert not set(names) & set(ProjectFile.model_fields)


def test_csv_has_a_row_for_every_option_of_every_point_in_the_order_of_the_grid(tmp_path: Path) -> None:
    path = write_table(table(), tmp_path / "a.csv")
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 6 * ROWS_OF_A_POINT
    assert [row["point"] for row in rows] == [str(at) for at in range(6) for _ in range(ROWS_OF_A_POINT)]
    first = rows[0]
    assert (first["workload.deadline"], first["site.pue"], first["tco_net"]) == ("60d", "1.1", "1000.25")
    assert first["deadline_met"] == "true"
    # Unknown is absent, never zero.
    assert first["capex_net"] == ""


def test_parquet_keeps_types_and_exact_money(tmp_path: Path) -> None:
    read_back = pq.read_table(write_table(table(), tmp_path / "a.parquet"))
    assert read_back.num_rows == 6 * ROWS_OF_A_POINT
    assert read_back.schema.field("site.pue").type == pa.float64()
    assert read_back.schema.field("workload.deadline").type == pa.string()
    row = read_back.slice(0, 1).to_pylist()[0]
    assert row["tco_net"] == Decimal("1000.25")
    assert row["accelerators"] == 8
    assert row["deadline_met"] is True
    assert row["capex_net"] is None


@pytest.mark.parametrize(
    ("language", "rows", "charts", "tco", "capex"),
    [
        ("zh", "明细", "图表", "TCO（不含税）", "采购总价（不含税）"),
        ("en", "rows", "charts", "TCO excl. tax", "CapEx excl. tax"),
    ],
)
def test_a_workbook_has_the_rows_and_charts_in_its_language(  # noqa: PLR0913, PLR0917 - one word of each
    tmp_path: Path, language: str, rows: str, charts: str, tco: str, capex: str
) -> None:
    found = book(write_table(table(), tmp_path / "a.xlsx", language))
    assert found.sheetnames == [charts, rows]
    sheet = found[rows]
    assert sheet.max_row == 1 + 6 * ROWS_OF_A_POINT
    first = dict(zip((cell.value for cell in sheet[1]), (cell.value for cell in sheet[2]), strict=True))
    assert first[tco] == pytest.approx(1000.25)
    assert first["site.pue"] == pytest.approx(1.1)
    # No cell of a figure that is unknown, and one native chart for each that is drawn.
    assert first[capex] is None
    assert len(found[charts]._charts) == 3  # noqa: SLF001 - the reader's only way to them


def test_a_grid_of_three_keys_has_no_chart_sheet(tmp_path: Path) -> None:
    wide = table(*VARIED, "objective=cost,time")
    assert book(write_table(wide, tmp_path / "a.xlsx")).sheetnames == ["rows"]


def test_rows_beyond_a_sheet_go_on_in_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_file, "SHEET_ROWS", 11)
    found = book(write_table(table(), tmp_path / "a.xlsx"))
    sizes = [found[name].max_row - 1 for name in found.sheetnames if name.startswith("rows")]
    assert sizes == [10, 10, 4]


def test_what_looks_like_a_formula_stays_text(tmp_path: Path) -> None:
    found = book(write_table(table("project.name==1+1,b"), tmp_path / "a.xlsx"))
    assert found["rows"].cell(2, 2).value == "=1+1"
    assert found["rows"].cell(2, 2).data_type == "s" or found["rows"].cell(2, 2).data_type == "inlineStr"


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_bytes_are_the_same_whatever_the_order_the_points_were_finished_in(
    tmp_path: Path, suffix: str
) -> None:
    written: list[bytes] = []
    for number, order in enumerate([(0, 1, 2, 3, 4, 5), (5, 3, 1, 0, 2, 4)]):
        with Journal(tmp_path / f"{number}.journal", IDENTITY, 6) as journal:
            journal.add(fake_points(order))
            done = Table(table().grid, journal.read, "Project", date(2026, 11, 30))
            written.append(write_table(done, tmp_path / f"{number}{suffix}").read_bytes())
    assert written[0] == written[1]


def test_one_key_is_charted_by_device_and_two_by_the_second_value() -> None:
    one = pivots(table("site.pue=1.1,1.25,1.5"))
    assert [pivot.metric for pivot in one] == ["tco_net", "accelerators", "days_p50"]
    # Every device of the first point has a line; a device without a figure would have a gap.
    assert one[0].series == ("device-0", "device-1", "device-2", "device-3")
    assert one[0].values[2] == (1002.25,) * 4
    two = pivots(table())
    assert (two[0].key, two[0].categories, two[0].series) == (
        "workload.deadline",
        ("60d", "90d", "120d"),
        ("1.1", "1.25"),
    )
    # Points 0 and 1, 2 and 3, 4 and 5, the second key running fastest.
    assert two[0].values == ((1000.25, 1001.25), (1002.25, 1003.25), (1004.25, 1005.25))
    turned = pivots(table("site.pue=1.1,1.25", "workload.deadline=60d,90d,120d"))
    assert turned[0].values == ((1000.25, 1003.25), (1001.25, 1004.25), (1002.25, 1005.25))


def test_the_summary_counts_points_and_finds_the_cheapest() -> None:
    found = summarise(table())
    assert (found.points, found.rows, found.total.answered) == (6, 24, 6)
    assert found.verdicts == {"recommended": 6, "alternate": 18}
    assert found.total.cheapest is not None
    assert (found.total.cheapest.point, found.total.cheapest.tco) == (0, Decimal("1000.25"))
    second_deadline = found.shares[0, 1]
    assert second_deadline.points == 2
    assert second_deadline.dearest is not None
    assert second_deadline.dearest.point == 3


def test_keys_that_change_nothing_are_named() -> None:
    assert without_effect(table()) == ()
    flat = Table(table().grid, lambda point: fake_points((point // 2,))[0], "Project", date(2026, 11, 30))
    assert without_effect(flat) == ("site.pue",)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.xls", 'did you mean ".xlsx"?'),
        ("a", "has no suffix of a known format"),
        ("missing/a.csv", "there is no such folder"),
        ("folder.csv", "is a folder"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_any_work(
    tmp_path: Path, name: str, expected: str
) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises((InputError, RenderError)) as caught:
        check_output(tmp_path / name)
    assert expected in str(caught.value)
    # A folder that is not there is the environment, a name that cannot be is the input.
    assert isinstance(caught.value, RenderError) is (name == "missing/a.csv")


def test_parquet_without_its_library_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(RenderError, match=r"pyarrow is not installed") as caught:
        check_output(tmp_path / "a.parquet")
    assert "suanli[parquet]" in caught.value.faults[0].cure
    check_output(tmp_path / "a.csv")
