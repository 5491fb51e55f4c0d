"""Who computes makes no difference: one process, a pool, a Dask cluster, or a sweep killed half-way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.built_in import SMALL
from tests.core.sweep.fakes import IDENTITY, ROWS_OF_A_POINT, fake_points

from suanli.cli.main import run as suanli
from suanli.errors import InputError, RenderError
from suanli.sweep.dask import connect
from suanli.sweep.executors import LocalPool, Serial, cores
from suanli.sweep.grid import parse_grid
from suanli.sweep.journal import Journal, journal_path
from suanli.sweep.output import write_table
from suanli.sweep.run import pieces, run
from suanli.sweep.table import Table

if TYPE_CHECKING:
    from suanli.sweep.executors import Executor, Points
    from suanli.sweep.point import Outcome

GRID = ("--vary", "workload.deadline=3d,7d", "--vary", "site.pue=1.05..1.6/30")
POINTS = 60


def words(project: Path, output: Path, *more: str) -> list[str]:
    return ["sweep", str(project), *GRID, "-o", str(output), *more]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("project") / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def expected(project: Path) -> bytes:
    """Return the file of an uninterrupted sweep in one process."""
    output = project.with_name("expected.csv")
    assert suanli(words(project, output, "--jobs", "1")) == 0
    return output.read_bytes()


def journalled(output: Path) -> int:
    path = journal_path(output)
    return path.read_bytes().count(b"\n") - 1 if path.is_file() else 0


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in listed.split()]


def waited(what: str, condition: object, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes under /proc")
def test_a_sweep_that_was_killed_goes_on_and_ends_with_the_bytes_of_an_uninterrupted_one(
    project: Path, expected: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    output = project.with_name("killed.csv")
    command = [sys.executable, "-m", "suanli", *words(project, output, "--jobs", "2")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    # The command is our own.
    with subprocess.Popen(  # noqa: S603
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        waited("some points", lambda: journalled(output) >= 10)
        workers = children(process.pid)
        process.send_signal(signal.SIGKILL)
    kept = journalled(output)
    assert 10 <= kept < POINTS
    assert not output.exists()
    assert len(workers) >= 2
    waited("the workers end with their parent", lambda: not any(alive(worker) for worker in workers))
    # What a crash of the machine may leave: the last line cut short.
    with journal_path(output).open("r+b") as stream:
        stream.truncate(journal_path(output).stat().st_size - 7)
    kept = journalled(output)
    assert suanli(words(project, output, "--jobs", "2")) == 0
    assert f"{kept} of {POINTS} points were finished before" in capfd.readouterr().err
    assert output.read_bytes() == expected
    assert not journal_path(output).exists()


def test_a_dask_cluster_gives_the_bytes_of_one_process(project: Path, expected: bytes) -> None:
    output = project.with_name("dask.csv")
    distributed: Any = import_module("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        assert suanli(words(project, output, "--scheduler", str(cluster.scheduler_address))) == 0
    assert output.read_bytes() == expected


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suanli.sweep.dask._CONNECT_S", 0.5)
    with pytest.raises(InputError, match=r'no Dask scheduler answers at "tcp://127\.0\.0\.1:9"') as caught:
        connect("tcp://127.0.0.1:9")
    assert caught.value.faults[0].key == "--scheduler"


def test_dask_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(RenderError, match="Dask is not installed") as caught:
        connect("tcp://127.0.0.1:8786")
    assert "suanli[dask]" in caught.value.faults[0].cure


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="measures memory under /proc")
@pytest.mark.parametrize("executor", [Serial(), LocalPool(2)], ids=["serial", "pool"])
def test_ten_thousand_points_do_not_make_memory_grow(tmp_path: Path, executor: Executor) -> None:
    grid = parse_grid(["site.pue=1..2/100", "workload.deadline=1d..100d/100"])
    sizes: list[int] = []
    with Journal(tmp_path / "journal", IDENTITY, len(grid)) as journal:
        run(grid, fake_points, journal, executor, lambda _: sizes.append(resident_bytes()))
        assert len(journal) == len(grid)
        # Held in memory the rows would take ten times the bound.
        assert journal.path.stat().st_size > 10e6
        sizes = [size for number, size in enumerate(sizes) if number >= len(sizes) // 10]
        table = Table(grid, journal.read, "Project", date(2026, 11, 30))
        write_table(table, tmp_path / "a.csv")
        sizes.append(resident_bytes())
    assert max(sizes) - sizes[0] < 12e6
    lines = (tmp_path / "a.csv").read_bytes().count(b"\n")
    assert lines == 1 + len(grid) * ROWS_OF_A_POINT


def test_an_error_of_a_worker_reaches_the_caller(tmp_path: Path) -> None:
    grid = parse_grid(["site.pue=1.1,1.2,1.3"])
    with (
        Journal(tmp_path / "journal", IDENTITY, len(grid)) as journal,
        pytest.raises(RenderError, match="the disk is full"),
    ):
        run(grid, failing, journal, LocalPool(2), lambda _: None)


def failing(_: Points) -> list[Outcome]:
    raise RenderError("the disk is full")


def dying(_: Points) -> list[Outcome]:
    os._exit(9)


def test_a_worker_that_the_system_ends_is_no_fault_of_the_input(tmp_path: Path) -> None:
    grid = parse_grid(["site.pue=1.1,1.2,1.3"])
    with Journal(tmp_path / "journal", IDENTITY, len(grid)) as journal:
        with pytest.raises(RenderError, match="a worker process was ended by the system") as caught:
            run(grid, dying, journal, LocalPool(2), lambda _: None)
        assert "finished points are kept" in caught.value.faults[0].cure
        assert len(journal) == 0


def test_pieces_hold_every_missing_point_once_and_share_their_sizing(tmp_path: Path) -> None:
    grid = parse_grid(["site.pue=1..2/50", "workload.deadline=60d,90d"])
    with Journal(tmp_path / "journal", IDENTITY, len(grid)) as journal:
        journal.add(fake_points((0, 17, 99)))
        found = list(pieces(grid, journal, workers=2))
    assert sorted(point for piece in found for point in piece) == sorted(set(range(100)) - {0, 17, 99})
    assert all(len({grid.values(point)[1] for point in piece}) == 1 for piece in found)
    # Enough pieces that two workers end together, few enough that their overhead does not count.
    assert 8 <= len(found) <= 40


def test_the_number_of_cores_is_that_which_the_process_may_use() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
