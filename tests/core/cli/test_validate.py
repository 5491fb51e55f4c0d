"""``suanli validate`` with a predictor made for the test."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from suanli.cli.main import run
from suanli.domain.hardware import Accelerator
from suanli.validation.results import Prediction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.validation.records import RunRecord

Capture = pytest.CaptureFixture[str]
PUBLISHED = Path(__file__).parents[3] / "benchmarks" / "runs"

RUNS = """
- id: small
  split_group: small
  use: {throughput: true, memory: true}
  vendor: nvidia
  measured: {tokens_per_s_per_accelerator: 1000, peak_memory_gb: 50}
- id: large
  split_group: large
  use: {throughput: true}
  vendor: guesswork
  derived: {tokens_per_s_per_accelerator: 500}
- {id: unstated, use: {throughput: true}}
- {id: apart, use: {mfu_only: true}, measured: {mfu: 0.5}}
- {id: unused}
"""


def predict_runs(records: Sequence[RunRecord], catalogue: Catalogue, metric: str) -> list[Prediction]:
    """Predict 1,100 in any unit; one run is skipped, and the catalogue must be that of the plugins."""
    assert catalogue.all(Accelerator)
    return [
        Prediction(record.id, None, None, None, "no plugin has the device", "", None, None)
        if record.id == "large"
        else Prediction(record.id, 1100.0, 900.0, 1300.0, None, f"for {metric}", 2000.0, None)
        for record in records
    ]


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("suanli.validation.predict")
    module.predict_runs = predict_runs  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "acme.yaml").write_text(RUNS, encoding="utf-8")
    return tmp_path


def document(capsys: Capture, *words: object) -> Any:  # noqa: ANN401 - JSON
    assert run(["validate", *(str(word) for word in words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_one_metric_is_one_row_a_run(capsys: Capture, folder: Path) -> None:
    found = document(capsys, folder, "--metric", "throughput")
    assert [row["id"] for row in found["runs"]] == ["small", "large"]
    assert found["runs"][0]["error"] == pytest.approx(0.1)
    assert found["runs"][1]["skipped"] == "no plugin has the device"
    assert list(found["summary"]) == ["throughput"]
    assert found["summary"]["throughput"]["unstated"] == ["unstated"]
    (apart,) = found["summary"]["throughput"]["apart"]["mfu_only"]["runs"]
    assert apart["predicted"] == pytest.approx(0.55)


def test_without_a_metric_all_of_them_are_compared(capsys: Capture, folder: Path) -> None:
    found = document(capsys, folder)
    assert [(row["id"], row["metric"]) for row in found["runs"]] == [
        ("small", "throughput"),
        ("large", "throughput"),
        ("small", "memory"),
    ]
    assert list(found["summary"]) == ["throughput", "memory", "energy", "run_totals"]
    assert found["summary"]["energy"]["overall"]["median"] is None


def test_the_tables_show_errors_and_reasons_and_notes_go_to_stderr(capsys: Capture, folder: Path) -> None:
    assert run(["validate", str(folder)]) == 0
    shown = capsys.readouterr()
    assert "5 records in" in shown.out
    assert "1 of 2 predicted" in shown.out
    assert "1 skipped: no plugin has the device" in shown.out
    assert "vendor" in shown.out
    assert "note: throughput: use is true and no value is stated: unstated" in shown.err
    assert "note: no record has use.energy true and a value of it" in shown.err


def test_every_run_is_shown_on_demand(capsys: Capture, folder: Path) -> None:
    assert run(["validate", str(folder), "--metric", "throughput", "--all"]) == 0
    out = capsys.readouterr().out
    assert any(line.split()[:1] == ["large"] and "skipped: no plugin" in line for line in out.splitlines())
    assert any(line.split()[:1] == ["apart"] and "+10.0" in line for line in out.splitlines())


@pytest.mark.parametrize("words", [(), ("--metric", "throughput"), ("--metric", "memory")])
def test_the_overview_of_the_published_runs_fits_two_screens(capsys: Capture, words: tuple[str, ...]) -> None:
    assert run(["validate", str(PUBLISHED), *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert 10 < len(lines) <= 90


def test_published_runs_are_all_in_the_document(capsys: Capture) -> None:
    found = document(capsys, PUBLISHED)
    count = {name: sum(row["metric"] == name for row in found["runs"]) for name in found["summary"]}
    assert count == {"throughput": 465, "memory": 108, "energy": 8, "run_totals": 22}
    apart = found["summary"]["throughput"]["apart"]
    assert {use: len(part["runs"]) for use, part in apart.items()} == {
        "throughput_end_to_end_only": 31,
        "mfu_only": 10,
    }


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "holds no *.yaml file"),
        ("a: b\n", "acme.yaml:1: is a mapping, not a list of runs"),
        ("- {id: a}\n- {id: a}\n", 'acme.yaml:2: id: the id "a" stands 2 times'),
        ("- [\n", "is not YAML"),
    ],
)
def test_a_folder_that_cannot_be_read_is_wrong_input(
    capsys: Capture, tmp_path: Path, content: str | None, expected: str
) -> None:
    if content is not None:
        (tmp_path / "acme.yaml").write_text(content, encoding="utf-8")
    assert run(["validate", str(tmp_path), "--json"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert expected in shown.err


def test_a_missing_folder_and_an_unknown_metric_are_wrong_input(capsys: Capture, tmp_path: Path) -> None:
    assert run(["validate", str(tmp_path / "nowhere")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
    assert run(["validate", str(tmp_path), "--metric", "beauty"]) == 2
    assert "'beauty' is not one of" in capsys.readouterr().err
