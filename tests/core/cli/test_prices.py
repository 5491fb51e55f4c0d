"""``suanli prices``: the sheet that is written, the records read back, what is said of refused rows."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

import pytest
import yaml
from tests.core.built_in import SMALL, host
from tests.core.prices.sheets import OFFER, answered, asked, filled

from suanli.cli import common
from suanli.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
DAY = ("--date", "2026-11-30")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the small project in a folder of its own, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(common, "load_plugins", lambda **_: host())
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_from_the_template_to_a_priced_estimate(small: Path, capsys: Capture) -> None:
    assert run(["prices", "template", "small.yaml"]) == 0
    assert "quote.xlsx: 7 rows" in capsys.readouterr().out
    sent = small.with_name("quote.xlsx")
    sent.write_bytes(filled(sent.read_bytes(), lambda number: OFFER if number < 6 else {}))
    assert run(["prices", "import", "quote.xlsx", *DAY]) == 0
    assert "6 rows taken, 1 blank, 0 refused" in capsys.readouterr().out
    small.write_text(SMALL.replace("commercial: {", "commercial: {quotes: ./prices.yaml, "), encoding="utf-8")
    assert run(["estimate", "small.yaml"]) == 0
    said = capsys.readouterr()
    assert "报价 6 · 公开标价 0 · 媒体与社区 0 · 推算 0 · 未定价 1" in said.out
    assert "commercial.quotes" not in said.err


def test_a_sheet_without_a_project_asks_for_what_is_named(small: Path, capsys: Capture) -> None:
    words = ["prices", "template", "-o", "q.csv", "--lang", "en"]
    assert run([*words, "--accelerator", "h100-sxm", "--item", "class:optic-800g"]) == 0
    capsys.readouterr()
    text = small.with_name("q.csv").read_text(encoding="utf-8-sig")
    assert "server:dgx-h100+h100-sxm" in text
    assert "class:optic-800g" in text
    assert run(words) == 2
    assert "--accelerator ID or --item KEY" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "q.pdf"], "known: .xlsx, .csv"),
        (["--item", "class:optic-80g"], 'did you mean "class:optic-800g"?'),
        (["--accelerator", "h1000"], "h100"),
        (["--lang", "fr"], '"fr" is not known'),
    ],
)
def test_a_wrong_template_is_told_and_nothing_is_written(
    small: Path, capsys: Capture, words: list[str], said: str
) -> None:
    assert run(["prices", "template", *words]) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in small.parent.iterdir()] == ["small.yaml"]


def test_with_a_refused_row_nothing_is_written_unless_asked(small: Path, capsys: Capture) -> None:
    answered(small.with_name("good.xlsx"), asked("small")[:2])
    answered(small.with_name("bad.xlsx"), asked("small")[2:4], unit_price=0, valid_until=date(2026, 11, 1))
    words = ["prices", "import", "good.xlsx", "bad.xlsx", *DAY]
    assert run(words) == 2
    said = capsys.readouterr()
    assert said.err.count("error: bad.xlsx, sheet") == 4
    assert "2 rows taken, 0 blank, 2 refused" in said.err
    assert "--skip-refused" in said.err
    assert not small.with_name("prices.yaml").exists()
    assert run([*words, "--skip-refused"]) == 0
    said = capsys.readouterr()
    assert said.err.count("warning: bad.xlsx, sheet") == 4
    written = yaml.safe_load(small.with_name("prices.yaml").read_text(encoding="utf-8"))
    assert len(written["prices"]) == 2


def test_a_file_that_cannot_be_read_is_never_skipped(small: Path, capsys: Capture) -> None:
    answered(small.with_name("good.xlsx"), asked("small")[:2])
    assert run(["prices", "import", "good.xlsx", "gone.xlsx", "--skip-refused", *DAY]) == 2
    assert "gone.xlsx: there is no such file" in capsys.readouterr().err
    assert not small.with_name("prices.yaml").exists()


def test_a_blank_sheet_is_said_to_be_blank(small: Path, capsys: Capture) -> None:
    assert run(["prices", "template", "small.yaml"]) == 0
    assert run(["prices", "import", "quote.xlsx"]) == 2
    said = capsys.readouterr().err
    assert "0 rows taken, 7 blank, 0 refused" in said
    assert "no row is filled in" in said
    assert not small.with_name("prices.yaml").exists()


def test_json_stands_alone_on_stdout(small: Path, capsys: Capture) -> None:
    answered(small.with_name("q.xlsx"), asked("small")[:1])
    assert run(["prices", "import", "q.xlsx", "--json", *DAY]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["taken"], document["blank"], document["refused"], document["faults"]) == (1, 0, 0, [])
    assert document["prices"][0]["key"] == asked("small")[0].key
    assert document["prices"][0]["confidence"] == "quote"
    answered(small.with_name("q.xlsx"), asked("small")[:1], currency="QQQ")
    assert run(["prices", "import", "q.xlsx", "--json", *DAY]) == 2
    assert json.loads(capsys.readouterr().out)["faults"][0]["key"] == "column I (currency)"
