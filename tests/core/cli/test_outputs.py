"""Where files cannot be written: the path, the reason, a cure and exit code 4, before any work."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import SMALL

from suanli.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("words", [("propose", "--formats", "json"), ("acceptance",), ("launch",)])
def test_a_file_system_that_takes_no_files_is_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, words: tuple[str, ...]
) -> None:
    project = tmp_path / "small.yaml"
    project.write_text(SMALL, encoding="utf-8")

    def refuse(*_: object, **__: object) -> str:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr("suanli.files.tempfile.mkdtemp", refuse)
    command, *options = words
    assert run([command, str(project), "-o", str(tmp_path / "x"), *options]) == 4
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"{tmp_path / 'x'}: -o: cannot be made or written to: No such file or directory" in captured.err
    assert "choose a folder that you may write to" in captured.err
    assert not (tmp_path / "x").exists()


def test_a_starter_file_needs_a_folder_that_is_there(tmp_path: Path, capsys: Capture) -> None:
    assert run(["init", "finetune-lora", "-o", str(tmp_path / "none" / "x.yaml")]) == 4
    assert f"{tmp_path / 'none'}: -o: there is no such folder" in capsys.readouterr().err
