"""``suanli sweep`` as it is typed: what it prints, what it refuses, its exit codes."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import openpyxl
import pytest
from tests.core.built_in import SMALL

from suanli.cli.main import run
from suanli.sweep.journal import journal_path

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def sweep(*words: str) -> int:
    return run(["sweep", "small.yaml", "--jobs", "1", *words])


def test_two_keys_give_a_table_and_a_chart(small: Path, capsys: Capture) -> None:
    assert sweep("--vary", "workload.deadline=3d,7d", "--vary", "site.pue=1.1,1.5", "--lang", "en") == 0
    out = capsys.readouterr().out
    assert "workload.deadline" in out
    assert out.count("ascend-910b3") >= 4
    assert "█" in out
    assert "4 points, 4 with an option that can be recommended" in out
    assert "the point of the lowest TCO: workload.deadline=3d site.pue=1.1" in out
    assert openpyxl.load_workbook(small.with_name("sweep.xlsx")).sheetnames == ["charts", "rows"]


def test_many_points_are_shown_by_the_values_of_each_key(small: Path, capsys: Capture) -> None:
    assert small.is_file()
    assert (
        sweep("--vary", "site.pue=1.1..1.4/4", "--vary", "commercial.discount_rate=1%..7%/7", "--lang", "zh")
        == 0
    )
    out = capsys.readouterr().out
    assert "有推荐方案的点" in out
    assert "7/7" in out
    assert "共 28 个点，28 个有推荐方案" in out


def test_json_is_one_document_alone_on_stdout_with_all_rows(small: Path, capsys: Capture) -> None:
    assert sweep("--vary", "site.pue=1.1,1.5", "-o", "a.csv", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["grid"] == {"site.pue": ["1.1", "1.5"]}
    assert (document["points"], document["recommended"]) == (2, 2)
    rows = [dict(zip(document["columns"], row, strict=True)) for row in document["rows"]]
    assert [row["site.pue"] for row in rows] == [1.1, 1.5]
    assert rows[0]["accelerator"] == "ascend-910b3"
    lines = small.with_name("a.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[1] for line in lines[1:]] == ["1.1", "1.5"]


def test_a_price_is_varied_by_its_id_and_moves_the_total(small: Path, capsys: Capture) -> None:
    assert small.is_file()
    words = ("--vary", "price.ascend-price-*=0.5x,1x,2x", "-o", "a.csv", "--json")
    assert sweep(*words) == 0
    document = json.loads(capsys.readouterr().out)
    rows = [dict(zip(document["columns"], row, strict=True)) for row in document["rows"]]
    totals = [float(row["capex_net"]) for row in rows]
    assert totals[0] < totals[1] < totals[2]
    assert document["without_effect"] == []


def test_a_key_that_changes_nothing_is_named(small: Path, capsys: Capture) -> None:
    assert small.is_file()
    assert sweep("--vary", "price.nvidia-*=0.5x,2x", "-o", "a.csv", "--lang", "en") == 0
    assert "no value of price.nvidia-* changes any row" in capsys.readouterr().err


def test_infeasible_points_are_rows_and_the_exit_code_is_0(small: Path, capsys: Capture) -> None:
    assert sweep("--vary", "workload.deadline=1s,7d", "-o", "a.csv", "--lang", "en") == 0
    assert "2 points, 1 with an option" in capsys.readouterr().out
    lines = small.with_name("a.csv").read_text(encoding="utf-8").splitlines()
    assert ",infeasible," in lines[1]


def test_points_that_contradict_themselves_are_said_before_and_are_rows(small: Path, capsys: Capture) -> None:
    assert sweep("--vary", "model=llama-2-13b,llama-2-13", "-o", "a.csv", "--lang", "en") == 0
    said = capsys.readouterr().err
    assert "warning: --vary model=llama-2-13: model:" in said
    assert "1 points could not be computed" in said
    assert ",error," in small.with_name("a.csv").read_text(encoding="utf-8").splitlines()[2]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), ["no key is varied"]),
        (("--vary", "site.peu=1.1"), ['"site.peu" is not a key', 'did you mean "site.pue"?']),
        (
            ("--vary", "site.pue=1.1,0.9", "--vary", "workload.deadline=7d,soon"),
            ["--vary site.pue=0.9: site.pue:", "--vary workload.deadline=soon: workload.deadline:"],
        ),
        (("--vary", "site.pue=1.1,1.2", "--set", "site.pue=1.3"), ['"site.pue" is set and varied at once']),
        (
            ("--vary", "vendors.consider=[ascend],[nvidia]", "--vendor", "amd"),
            ['"vendors.consider" is set and varied at once'],
        ),
        (("--vary", "price.none=0.9x"), ['"none" is not among the prices']),
        (("--vary", "site.pue=1.1..1.5/9", "--limit", "8"), ["the grid has 9 points"]),
        (("--vary", "site.pue=1.1", "-o", "a.ods"), ["has no suffix of a known format"]),
        (("--vary", "site.pue=1.1", "--lang", "fr"), ['"fr" is not known']),
        (("--vary", "site.pue=1.1", "--scheduler", "tcp://127.0.0.1:9"), ["--jobs beside --scheduler"]),
        (("--vary", "model=nothing,no-model"), ['"nothing"', '"no-model"']),
    ],
)
def test_wrong_input_is_refused_with_exit_code_2_and_leaves_nothing(
    small: Path, capsys: Capture, words: tuple[str, ...], expected: list[str]
) -> None:
    assert sweep(*words) == 2
    said = capsys.readouterr()
    for text in expected:
        assert text in said.err
    assert said.out == ""
    assert [path.name for path in small.parent.iterdir()] == ["small.yaml"]


def test_a_wrong_key_is_told_once_not_with_every_value(small: Path, capsys: Capture) -> None:
    assert small.is_file()
    assert sweep("--vary", "site.peu=1.1,1.2,1.3", "--vary", "site.pue=1.1,1.2") == 2
    assert capsys.readouterr().err.count("error:") == 1


def test_a_journal_of_another_grid_is_refused_unless_it_may_be_dropped(small: Path, capsys: Capture) -> None:
    words = ("--vary", "site.pue=1.1,1.2", "-o", "a.csv")
    assert sweep(*words) == 0
    # The journal of an interrupted sweep over other values.
    interrupted = journal_path(small.with_name("a.csv"))
    identity = ("suanli", "plugins", "catalogue", "project", "settings", "grid", "files")
    interrupted.write_text(
        json.dumps({"sweep": 1, **dict.fromkeys(identity, "other")}) + "\n", encoding="utf-8"
    )
    capsys.readouterr()
    assert sweep(*words) == 2
    assert "holds points of another sweep" in capsys.readouterr().err
    assert sweep(*words, "--restart") == 0
    assert not interrupted.exists()


def test_a_fault_of_suanli_at_a_point_is_exit_code_1_after_the_file_is_written(
    small: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("nothing")

    monkeypatch.setattr("suanli.sweep.point.plan_all", broken)
    assert sweep("--vary", "site.pue=1.1,1.2", "-o", "a.csv", "--lang", "en") == 1
    assert "suanli itself failed at 2 points" in capsys.readouterr().err
    assert small.with_name("a.csv").read_text(encoding="utf-8").count("ZeroDivisionError") == 2


def test_an_interrupt_says_what_is_kept_and_the_same_command_goes_on(
    small: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--vary", "site.pue=1.1..1.6/12", "-o", "a.csv", "--lang", "en")
    plan, calls = __import__("suanli.sweep.point", fromlist=["plan_all"]).plan_all, [0]

    def interrupted(*arguments: object) -> object:
        calls[0] += 1
        if calls[0] == 8:
            raise KeyboardInterrupt
        return plan(*arguments)

    monkeypatch.setattr("suanli.sweep.point.plan_all", interrupted)
    assert sweep(*words) == 130
    assert "6 of 12 points are kept" in capsys.readouterr().err
    assert journal_path(small.with_name("a.csv")).exists()
    assert sweep(*words) == 0
    assert "6 of 12 points were finished before and are kept" in capsys.readouterr().err
    assert calls[0] == 8 + 6


def test_a_request_to_terminate_ends_like_an_interrupt_with_its_own_code(
    small: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--vary", "site.pue=1.1..1.6/12", "-o", "a.csv", "--lang", "en")
    plan, calls = __import__("suanli.sweep.point", fromlist=["plan_all"]).plan_all, [0]
    handler = signal.getsignal(signal.SIGTERM)

    def terminated(*arguments: object) -> object:
        calls[0] += 1
        if calls[0] == 8:
            os.kill(os.getpid(), signal.SIGTERM)
        return plan(*arguments)

    monkeypatch.setattr("suanli.sweep.point.plan_all", terminated)
    assert sweep(*words) == 143
    error = capsys.readouterr().err
    assert "6 of 12 points are kept" in error
    assert "terminated" in error
    assert signal.getsignal(signal.SIGTERM) is handler
    assert sweep(*words) == 0
    assert small.with_name("a.csv").is_file()


def test_a_folder_that_is_not_there_is_exit_code_4(small: Path, capsys: Capture) -> None:
    assert sweep("--vary", "site.pue=1.1,1.2", "-o", str(small.parent / "none" / "a.csv")) == 4
    assert "there is no such folder" in capsys.readouterr().err
