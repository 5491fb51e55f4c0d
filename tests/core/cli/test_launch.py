"""``suanli launch``: arguments on stdout, in a folder and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import SMALL
from tests.core.cli.test_questions import document, refused

from suanli.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_the_arguments_of_the_recommended_option_are_printed(capsys: Capture, project: Path) -> None:
    assert run(["launch", str(project)]) == 0
    captured = capsys.readouterr()

    assert "# launch.sh" in captured.out
    assert "  posttrain_gpt.py \\\n" in captured.out
    assert "  --lora-r " in captured.out
    assert "learning-rate" in captured.err


def test_the_files_are_written_to_a_folder(capsys: Capture, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "launch"

    assert run(["launch", str(project), "-o", str(out)]) == 0
    assert str(out / "launch.sh") in capsys.readouterr().out
    assert (out / "launch.sh").read_text(encoding="utf-8").startswith("#!/bin/bash\n")


def test_the_document_tells_features_rules_and_what_is_open(capsys: Capture, project: Path) -> None:
    found = document(capsys, "launch", project)

    assert (found["option"], found["stack"], found["refused"]) == ("A", "mindspeed", False)
    assert {"feature": "lora", "dimension": None, "value": None, "status": "supported"} in found["features"]
    assert {rule["outcome"] for rule in found["rules"]} == {"holds"}
    assert "learning-rate" in found["launch"]["to_be_filled_in"]
    assert found["written"] == []


def test_a_stack_without_mapped_arguments_says_so(capsys: Capture, project: Path) -> None:
    found = document(capsys, "launch", project, "--set", "workload.stack=mindformers")
    assert found["launch"] is None
    assert run(["launch", str(project), "--set", "workload.stack=mindformers"]) == 0
    assert "mindformers" in capsys.readouterr().out


def test_an_infeasible_project_is_a_result(capsys: Capture, project: Path) -> None:
    pins = ("layout.tp=1", "layout.pp=1", "layout.recompute=none", "layout.micro_batch_size=64")
    words = [word for pin in pins for word in ("--set", pin)]

    assert document(capsys, "launch", project, *words) == {"option": None, "launch": None}
    out = project.parent / "none"
    for command in ("launch", "acceptance"):
        assert run([command, str(project), *words, "-o", str(out)]) == 0
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "没有可行方案" in captured.err
        # Which option it is, what binds and what would do.
        assert "A 昇腾 910B3: 不可行; 约束条件 显存; 需要 / 现有" in captured.err
        assert "取消固定" in captured.err
    assert not out.exists()
    assert document(capsys, "acceptance", project, *words) == {"option": None, "tests": []}


@pytest.mark.parametrize(
    ("words", "doubt"),
    [
        (("--set", "commercial.budget=1 CNY"), "超出预算"),
        (("--set", "vendors.delivery_region=AE"), "能否交付至本地区尚不能确定"),
        (("--set", "vendors.consider=[nvidia]"), "须取得许可方可交付"),
    ],
)
def test_an_option_that_may_not_simply_be_bought_is_warned_of(
    capsys: Capture, project: Path, words: tuple[str, ...], doubt: str
) -> None:
    assert run(["launch", str(project), "--option", "A", *words]) == 0
    assert any("warning: 方案 A" in line and doubt in line for line in capsys.readouterr().err.splitlines())


def test_an_option_without_a_doubt_is_not_warned_of(capsys: Capture, project: Path) -> None:
    assert run(["launch", str(project)]) == 0
    assert "warning: 方案 A 能否" not in capsys.readouterr().err


def test_an_option_that_is_not_feasible_is_refused(capsys: Capture, project: Path) -> None:
    assert '"Z" is no feasible option' in refused(capsys, "launch", project, "--option", "Z")


def test_a_file_in_place_of_the_folder_is_refused_before_any_work(capsys: Capture, project: Path) -> None:
    assert "is not a folder" in refused(capsys, "launch", project, "-o", project)


def test_a_feature_matrix_is_shown_whole_with_what_is_not_known(capsys: Capture) -> None:
    assert run(["catalog", "features", "deepspeed-0.19.5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    cells = {line.split()[0]: line.split()[1] for line in lines if len(line.split()) > 1}

    assert (cells["zero-3"], cells["fp8"], cells["PyTorch"]) == ("yes", "unknown", ">=")
    assert any("not together: zero-3, pipeline-parallel" in line for line in lines)
