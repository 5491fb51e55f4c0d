"""``suanli calibrate`` on a part of the published runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from suanli.cli.main import run
from suanli.domain.vendor import Fit

Capture = pytest.CaptureFixture[str]
PUBLISHED = Path(__file__).parents[3] / "benchmarks" / "runs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the runs of one family: B200 under one stack."""
    place = tmp_path_factory.mktemp("runs")
    shutil.copy(PUBLISHED / "simumax_b200.yaml", place)
    return place


@pytest.fixture(scope="module")
def written(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data file that the command has written, in a folder that it has made."""
    path = tmp_path_factory.mktemp("out") / "data" / "fitted.yaml"
    assert run(["calibrate", str(folder), "-o", str(path)]) == 0
    return path


def test_the_file_is_a_data_file_of_fits(written: Path) -> None:
    fits = [Fit.model_validate(row) for row in yaml.safe_load(written.read_text(encoding="utf-8"))["fits"]]
    assert [one.id for one in fits] == ["fit-device-b200", "fit-shared-all", "fit-stack-megatron-core"]
    assert all(name.startswith("simumax-") for name in fits[0].run_ids)


def test_the_same_runs_give_the_same_file(folder: Path, written: Path, tmp_path: Path) -> None:
    assert run(["calibrate", str(folder), "--output", str(tmp_path / "again.yaml")]) == 0
    assert (tmp_path / "again.yaml").read_bytes() == written.read_bytes()


def document(capsys: Capture, *words: object) -> Any:  # noqa: ANN401 - JSON
    assert run(["calibrate", *(str(word) for word in words), "--json"]) == 0
    shown = capsys.readouterr()
    assert "runs: reading" in shown.err or not shown.err
    return json.loads(shown.out)


def test_the_document_holds_the_fits_of_the_file(capsys: Capture, folder: Path, written: Path) -> None:
    found = document(capsys, folder)
    rows = yaml.safe_load(written.read_text(encoding="utf-8"))["fits"]
    fits = [Fit.model_validate(row) for row in found["fits"]]
    assert {one.id: one for one in fits} == {row["id"]: Fit.model_validate(row) for row in rows}
    assert found["runs"] == len(fits[0].run_ids)


def test_one_accelerator_moves_its_family_alone(capsys: Capture, folder: Path) -> None:
    found = document(capsys, folder, "--accelerator", "b300")
    assert [row["id"] for row in found["fits"]] == ["fit-device-b200"]
    assert set(found["fits"][0]["stack_factors"]) == {"megatron-core"}


def test_the_table_tells_errors_and_thin_fits(capsys: Capture, folder: Path, tmp_path: Path) -> None:
    text = (folder / "simumax_b200.yaml").read_text(encoding="utf-8")
    few = [row for row in yaml.safe_load(text) if row["use"]["throughput"]][:3]
    (tmp_path / "few.yaml").write_text(yaml.safe_dump(few), encoding="utf-8")
    assert run(["calibrate", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 runs, 3 of them clean, ")
    assert "fitted without their group" in out
    assert "few groups" in out
    (row,) = [line for line in out.splitlines() if line.split()[:2] == ["device", "b200"]]
    assert row.count("%") == 2
    assert "written" not in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--accelerator", "b2000"), 'did you mean "b200"'),
        (("--accelerator", "mi300x"), "holds no measured run of mi300x or its family"),
    ],
)
def test_an_accelerator_that_was_not_measured_is_wrong_input(
    capsys: Capture, folder: Path, words: tuple[str, ...], expected: str
) -> None:
    assert run(["calibrate", str(folder), *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert expected in shown.err


def test_a_missing_folder_is_wrong_input(capsys: Capture, tmp_path: Path) -> None:
    assert run(["calibrate", str(tmp_path / "nowhere")]) == 2
    assert "there is no such folder" in capsys.readouterr().err


def test_a_folder_cannot_be_the_output(capsys: Capture, folder: Path, tmp_path: Path) -> None:
    assert run(["calibrate", str(folder), "-o", str(tmp_path)]) == 2
    assert "is a directory" in capsys.readouterr().err
