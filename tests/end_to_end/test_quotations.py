"""The journey of a quotation: a sheet out, an answer in, a proposal that rests on it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import SMALL
from tests.core.prices.sheets import OFFER, filled

from suanli.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_quote_sheet_that_comes_back_prices_the_proposal(tmp_path: Path) -> None:
    project, sheet, out = tmp_path / "small.yaml", tmp_path / "quote.xlsx", tmp_path / "out"
    project.write_text(SMALL, encoding="utf-8")
    assert run(["prices", "template", str(project), "-o", str(sheet), "--lang", "en"]) == 0
    sheet.write_bytes(filled(sheet.read_bytes(), lambda _: OFFER))
    project.write_text(SMALL.replace("commercial: {", "commercial: {quotes: quote.xlsx, "), encoding="utf-8")

    assert run(["propose", str(project), "-o", str(out), "--formats", "json,xlsx", "--lang", "zh"]) == 0
    assert run(["verify", str(out)]) == 0
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert list(manifest["quotes"]) == ["quote.xlsx"]
    assert "quotes:" in (out / "project.yaml").read_text(encoding="utf-8")

    proposal = json.loads((out / "proposal.json").read_text(encoding="utf-8"))
    (option,) = proposal["options"]
    assert option["money"]["unpriced"] == []
    assert not option["money"]["capex_gross"]["incomplete"]
    assert {row["origin"] for row in option["bill"]} == {"quote"}


@pytest.mark.parametrize("out", ["out", "deep/er", "."])
def test_the_written_project_file_finds_the_quotations(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, sheet = tmp_path / "in" / "small.yaml", tmp_path / "in" / "报价" / "quote.xlsx"
    sheet.parent.mkdir(parents=True)
    project.write_text(SMALL, encoding="utf-8")
    assert run(["prices", "template", str(project), "-o", str(sheet)]) == 0
    sheet.write_bytes(filled(sheet.read_bytes(), lambda _: OFFER))
    named = "commercial: {quotes: ./报价/quote.xlsx, "
    project.write_text(SMALL.replace("commercial: {", named), encoding="utf-8")

    monkeypatch.chdir(project.parent)
    assert run(["propose", "small.yaml", "-o", out, "--formats", "json"]) == 0
    folder = project.parent / out
    first = json.loads((folder / "proposal.json").read_text(encoding="utf-8"))
    # From another folder, and into another one.
    monkeypatch.chdir(tmp_path)
    assert run(["propose", str(folder / "project.yaml"), "-o", "again", "--formats", "json"]) == 0
    again = json.loads((tmp_path / "again" / "proposal.json").read_text(encoding="utf-8"))
    assert [option["money"] for option in again["options"]] == [
        option["money"] for option in first["options"]
    ]
    assert {row["origin"] for row in again["options"][0]["bill"]} == {"quote"}
