"""The journey of a finance reviewer, as it is typed: propose, edit the cost sheet, propose with it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest

from suanli.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Callable

Capture = pytest.CaptureFixture[str]
EXAMPLES = Path(__file__).parents[2] / "examples"
LORA = EXAMPLES / "lora-13b.yaml"
ONE_DEVICE = ["--set", "vendors.accelerators=[ascend-910b3]", "--set", "vendors.consider=[ascend]"]
PRICE = "8×910B 训练服务器，银行框架采购价"
SERVERS = "方案 A：华为 Atlas 800T A2 训练服务器"


def propose(out: Path, *more: str, formats: str = "xlsx,json,html", project: Path = LORA) -> int:
    lang = ["--lang", "zh", "--formats", formats]
    return run(["propose", str(project), "-o", str(out), *lang, *ONE_DEVICE, *more])


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("issued")
    assert propose(folder) == 0
    return folder


def edited(
    issued: Path, folder: Path, values: dict[str, object], extra: Callable[[Any], None] | None = None
) -> Path:
    """Return the cost sheet with other inputs, found by the labels that a reader sees."""
    book: Any = openpyxl.load_workbook(issued / "cost-sheet.zh.xlsx")
    rows = {row[0].value: row[1] for row in book["参数"].iter_rows(max_col=2)}
    for label, value in values.items():
        rows[label].value = value
    if extra is not None:
        extra(book)
    path = folder / "改后.xlsx"
    book.save(path)
    return path


def test_an_edited_sheet_changes_every_document_in_the_same_way(
    issued: Path, tmp_path: Path, capsys: Capture
) -> None:
    values: dict[str, object] = {"PUE（电能利用效率）": 1.5, PRICE: 2_000_000, SERVERS: 3}
    sheet, out = edited(issued, tmp_path, values), tmp_path / "out"
    assert propose(out, "--inputs", str(sheet)) == 0
    said = capsys.readouterr()
    assert "改后.xlsx：改动了 3 个参数" in said.err
    assert f"{PRICE}: 2,122,000 CNY → 2,000,000 CNY" in said.err
    document = json.loads((out / "proposal.json").read_text(encoding="utf-8"))
    option = document["options"][0]
    servers = next(row for row in option["bill"] if row["id"] == "servers")
    assert (servers["quantity"], servers["quantity_as_sized"]) == (3, 1)
    assert servers["net"] == "6000000.00"
    assert [edit["after"] for edit in document["edits"]] == ["1.5", "2000000", "3"]
    # Each document shows the same total.
    total = option["money"]["capex_gross"]["value"]
    assert f"{float(total):,.2f}" in said.out
    assert f"{float(total):,.2f}" in (out / "proposal.zh.html").read_text(encoding="utf-8")
    book = openpyxl.load_workbook(out / "cost-sheet.zh.xlsx", data_only=True)
    shown = [cell.value for row in book["封面与说明"].iter_rows() for cell in row]
    assert float(total) in shown
    assert "人工改动的数值" in (out / "proposal.zh.html").read_text(encoding="utf-8")
    assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["inputs"].keys() == {"改后.xlsx"}
    assert run(["verify", str(out)]) == 0
    again = tmp_path / "again"
    assert propose(again, formats="json", project=out / "project.yaml") == 0
    other = json.loads((again / "proposal.json").read_text(encoding="utf-8"))["options"][0]
    assert other["money"] == option["money"]
    assert other["energy"] == option["energy"]


def test_a_sheet_that_nobody_edited_gives_the_same_bytes(
    issued: Path, tmp_path: Path, capsys: Capture
) -> None:
    sheet = edited(issued, tmp_path, {})
    assert propose(tmp_path / "out", "--inputs", str(sheet)) == 0
    assert "没有改动的参数" in capsys.readouterr().err
    for path in sorted(issued.iterdir()):
        assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes(), path.name


def _break(book: Any) -> None:  # noqa: ANN401 - a workbook
    del book["校验"]
    book["参数"]["B7"] = "六年"


def test_what_cannot_be_read_ends_with_code_2_all_faults_and_no_file(
    issued: Path, tmp_path: Path, capsys: Capture
) -> None:
    sheet = edited(issued, tmp_path, {"PUE（电能利用效率）": 0.8, "折现率": None}, _break)
    assert propose(tmp_path / "out", "--inputs", str(sheet)) == 2
    said = capsys.readouterr().err
    assert 'the sheet "校验" is missing' in said
    assert re.search(r"参数!B\d+: PUE（电能利用效率）: 0.8 cannot be used", said)
    assert "is blank where a number is meant" in said
    assert 'holds the text "六年"' in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("missing.xlsx", None, "is no file"),
        ("notes.csv", b"a,b\n", "is no .xlsx workbook"),
        ("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old format .xls"),
    ],
)
def test_another_file_ends_with_code_2(
    name: str, content: bytes | None, told: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert propose(tmp_path / "out", "--inputs", str(path)) == 2
    assert told in capsys.readouterr().err


def test_a_sheet_of_another_project_says_of_which(issued: Path, tmp_path: Path, capsys: Capture) -> None:
    sheet = edited(issued, tmp_path, {})
    settings = ["--set", "project.client=某银行"]
    assert propose(tmp_path / "out", "--inputs", str(sheet), *settings) == 2
    said = capsys.readouterr().err
    assert "was written for another state of the project" in said
    assert "客户: 示例客服集团 there, 某银行 here" in said
