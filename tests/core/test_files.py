from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

import pytest

from suanli.errors import InputError, RenderError
from suanli.files import check_folder, make_folder, output_fault, write_atomic

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_written_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    assert write_atomic(tmp_path / "a.txt", b"new") == tmp_path / "a.txt"
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_has_the_usual_mode(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    written = write_atomic(tmp_path / "written", b"")
    assert stat.S_IMODE(written.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = write_atomic(tmp_path / "a.txt", b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, full)
    with pytest.raises(RenderError, match=r"a\.txt: cannot be written: No space left on device") as caught:
        write_atomic(path, b"new")
    assert caught.value.exit_code == 4
    assert "free some disk space" in caught.value.faults[0].cure
    assert path.read_bytes() == b"old"
    assert [left.name for left in tmp_path.iterdir()] == ["a.txt"]


def test_an_interrupt_leaves_the_old_file_and_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_atomic(tmp_path / "a.txt", b"old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert [left.name for left in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_in_place_of_the_file_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        write_atomic(tmp_path, b"")


def test_a_missing_folder_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match="cannot be written: No such file or directory"):
        write_atomic(tmp_path / "none" / "a.txt", b"")


def test_an_output_folder_may_be_there_or_be_made(tmp_path: Path) -> None:
    assert output_fault(tmp_path) is None
    assert output_fault(tmp_path / "new" / "deeper") is None


@pytest.mark.parametrize("below", [".", "deeper"])
def test_an_output_folder_that_is_a_file_or_below_one_is_a_fault(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    fault = output_fault(tmp_path / "file" / below)
    assert fault is not None
    assert fault.what == "is not a folder"
    assert fault.where == str(tmp_path / "file")


def test_a_folder_that_takes_files_is_checked_without_a_trace(tmp_path: Path) -> None:
    check_folder(tmp_path / "new" / "deeper")
    assert not list(tmp_path.iterdir())
    assert make_folder(tmp_path / "new" / "deeper").is_dir()


def test_a_file_system_that_takes_no_files_is_told_with_a_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As below /proc, where the rights say yes and the system no.
    def refuse(*_: object, **__: object) -> str:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr("suanli.files.tempfile.mkdtemp", refuse)
    monkeypatch.setattr("suanli.files.Path.mkdir", refuse)
    for act in (check_folder, make_folder):
        with pytest.raises(RenderError, match="cannot be made or written to: No such file") as caught:
            act(tmp_path / "x")
        assert caught.value.faults[0].where == str(tmp_path / "x")
        assert caught.value.faults[0].cure == "choose a folder that you may write to"
