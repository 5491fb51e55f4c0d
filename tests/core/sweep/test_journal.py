from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.sweep.fakes import IDENTITY, fake_points

from suanli.errors import InputError, RenderError
from suanli.sweep.journal import Journal, journal_path

if TYPE_CHECKING:
    from pathlib import Path

POINTS = 6


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sweep.csv.journal"


def begun(path: Path, *points: int) -> bytes:
    with Journal(path, IDENTITY, POINTS) as journal:
        journal.add(fake_points(points))
    return path.read_bytes()


def test_the_journal_stands_beside_its_output(tmp_path: Path) -> None:
    assert journal_path(tmp_path / "a.csv") == tmp_path / "a.csv.journal"


def test_points_are_there_again_when_it_is_opened_again(path: Path) -> None:
    begun(path, 4, 1)
    with Journal(path, IDENTITY, POINTS) as journal:
        assert journal.resumed == len(journal) == 2
        assert [point in journal for point in range(POINTS)] == [False, True, False, False, True, False]
        assert journal.read(1) == fake_points((1,))[0]
        assert journal.read(4) == fake_points((4,))[0]
        with pytest.raises(KeyError):
            journal.read(0)
        journal.add(fake_points((0,)))
        assert journal.read(0) == fake_points((0,))[0]


def test_a_point_that_is_finished_twice_is_kept_once(path: Path) -> None:
    assert begun(path, 1, 1) == begun(path, 1)


@pytest.mark.parametrize("cut", [1, 20, 400])
def test_a_line_that_was_cut_short_is_dropped_and_what_follows_is_whole(path: Path, cut: int) -> None:
    whole = begun(path, 0, 3)
    path.write_bytes(whole[:-cut])
    with Journal(path, IDENTITY, POINTS) as journal:
        assert 0 in journal
        assert 3 not in journal
        journal.add(fake_points((3,)))
    assert path.read_bytes() == whole


def test_a_damaged_line_costs_its_point_alone(path: Path) -> None:
    lines = begun(path, 0, 3, 5).splitlines(keepends=True)
    lines[2] = b"\0" * (len(lines[2]) - 1) + b"\n"
    path.write_bytes(b"".join(lines))
    with Journal(path, IDENTITY, POINTS) as journal:
        assert [point for point in range(POINTS) if point in journal] == [0, 5]


@pytest.mark.parametrize("content", [b"", b'{"sweep":1,"sua'])
def test_a_journal_that_never_began_is_begun(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with Journal(path, IDENTITY, POINTS) as journal:
        assert len(journal) == 0
    assert begun(path, 2) == begun(path)


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"project": "other"}, "the project file"),
        ({"grid": "other"}, "the varied keys or their values"),
        ({"settings": "other"}, "--set and --vendor"),
        ({"catalogue": "other"}, "the catalogue"),
        ({"suanli": "2"}, "the version of suanli"),
        ({"files": "other"}, "a model file that the project names"),
        ({"plugins": "other"}, "the plugins"),
    ],
)
def test_points_of_another_sweep_are_refused_by_what_differs(
    path: Path, changed: dict[str, str], name: str
) -> None:
    before = begun(path, 1)
    with pytest.raises(InputError) as caught:
        Journal(path, replace(IDENTITY, **changed), POINTS)
    assert f"what differs: {name}\n" in str(caught.value)
    assert "--restart" in caught.value.faults[0].cure
    assert path.read_bytes() == before


def test_restart_begins_anew(path: Path) -> None:
    begun(path, 1)
    other = replace(IDENTITY, grid="other")
    with Journal(path, other, POINTS, restart=True) as journal:
        assert len(journal) == 0
    with Journal(path, other, POINTS) as journal:
        assert journal.resumed == 0


def test_a_file_that_is_no_journal_is_left_alone(path: Path) -> None:
    path.write_bytes(b"important\n")
    with pytest.raises(InputError, match="is not the journal of a sweep"):
        Journal(path, IDENTITY, POINTS)
    assert path.read_bytes() == b"important\n"


def test_two_sweeps_cannot_write_one_journal(path: Path) -> None:
    with Journal(path, IDENTITY, POINTS), pytest.raises(InputError, match="another sweep is writing"):
        Journal(path, IDENTITY, POINTS)


def test_a_folder_that_is_not_there_is_the_environments_fault(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match="cannot be written: No such file or directory"):
        Journal(tmp_path / "missing" / "a.journal", IDENTITY, POINTS)


def test_points_at_which_suanli_failed_are_counted(path: Path) -> None:
    with Journal(path, IDENTITY, POINTS) as journal:
        journal.add([replace(fake_points((2,))[0], fault=True)])
    with Journal(path, IDENTITY, POINTS) as journal:
        assert journal.faults == 1
