"""``suanli sweep``: the grid of what-ifs, on all cores or a cluster, resumable, as a table and a chart."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from suanli.cli import common
from suanli.cli.common import (
    LANGUAGES,
    json_option,
    path_argument,
    set_option,
    split_names,
    strict_option,
    vendor_option,
)
from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from types import FrameType

    from suanli.cli.texts import Voice
    from suanli.domain.catalogue import Catalogue
    from suanli.host.host import Host
    from suanli.project.schema import Project
    from suanli.sweep.check import Checked
    from suanli.sweep.executors import Executor
    from suanli.sweep.grid import Grid
    from suanli.sweep.journal import Journal
    from suanli.sweep.table import Summary, Table

__all__ = ["command"]

_FAULT_OF_OURS = 1
_TERMINATED = 128 + signal.SIGTERM


class _Terminated(KeyboardInterrupt):
    """The system asks the process to end: an interrupt that nobody typed."""


@click.command("sweep")
@path_argument("project")
@click.option(
    "--vary",
    "varied",
    multiple=True,
    metavar="KEY=A,B,C…",
    help="Vary a key of the project file, or a price as price.ID, over values; 1.1..1.5/5 stands for five. "
    "Repeated, every combination is a point.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("sweep.xlsx"),
    show_default=True,
    help="File to write: .csv, .xlsx or .parquet.",
)
@set_option
@vendor_option
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes.  [default: one a core]")
@click.option("--scheduler", metavar="ADDRESS", help="Compute on the workers of a Dask scheduler.")
@click.option("--restart", is_flag=True, help="Drop the finished points of an interrupted sweep.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Most points.  [default: 100,000]")
@click.option("--lang", "language", metavar="zh|en", help="Language.  [default: the project's first]")
@strict_option
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    *,
    project: Path,
    varied: tuple[str, ...],
    output: Path,
    settings: tuple[str, ...],
    vendors: tuple[str, ...],
    jobs: int | None,
    scheduler: str | None,
    restart: bool,
    limit: int | None,
    language: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Compute PROJECT at every combination of some values of its keys, and write a table.

    Run again after an interruption, it goes on where it stopped.
    """
    from suanli.sweep.grid import LIMIT, parse_grid  # noqa: PLC0415 - keeps --help fast
    from suanli.sweep.job import compute_points, make_job  # noqa: PLC0415
    from suanli.sweep.journal import Journal, journal_path  # noqa: PLC0415
    from suanli.sweep.output import check_output  # noqa: PLC0415

    grid = parse_grid(varied, limit or LIMIT)
    spoken = split_names([language] if language else [], key="--lang", known=LANGUAGES[:2])
    check_output(output)
    host = common.load_plugins(strict=strict)
    checked, fixed = _check(project, grid, host, settings, vendors)
    job = make_job(checked.project, fixed, grid, host)
    place = journal_path(output)
    with (
        _terminable(),
        _executor(jobs, scheduler, len(grid)) as executor,
        Journal(place, job.identity, len(grid), restart=restart) as journal,
    ):
        _compute(grid, partial(compute_points, job), journal, executor)
        table = _table(checked.project, grid, journal)
        chosen = spoken[0] if spoken else _language(checked.project)
        _finish(table, journal, output, chosen, as_json=as_json)


def _check(
    path: Path, grid: Grid, host: Host, settings: Sequence[str], vendors: Sequence[str]
) -> tuple[Checked, tuple[str, ...]]:
    """Return the grid's project, checked, with the settings that hold at every point."""
    from suanli.pipeline import complete_quoted  # noqa: PLC0415 - keeps --help fast
    from suanli.sweep.check import check_grid, fixed_twice  # noqa: PLC0415

    chosen = split_names(vendors, key="--vendor")
    fixed = (*settings, *([f"vendors.consider=[{', '.join(chosen)}]"] if chosen else []))
    fixed_twice(grid, fixed)

    def load(varied: Sequence[str]) -> Project:
        return common.read_project(path, host, settings=(*settings, *varied), vendors=vendors)

    catalogue = _with_quotes(load, host)
    checked = check_grid(grid, catalogue, load, lambda project: complete_quoted(project, host))
    for doubt in checked.doubts:
        click.echo(f"warning: {doubt}", err=True)
    return checked, fixed


def _with_quotes(load: Callable[[Sequence[str]], Project], host: Host) -> Catalogue:
    """Return the catalogue in which varied prices are looked up, with the project's quotations.

    What is wrong with the quotations is said where the project is completed.
    """
    from suanli.prices.overlay import read_quotes  # noqa: PLC0415 - keeps --help fast

    try:
        return read_quotes(load(()), host.catalogue).catalogue
    except InputError:
        return host.catalogue


@contextmanager
def _terminable() -> Generator[None]:
    """Let a request to terminate end the sweep as Ctrl-C does, with its own exit code.

    Without this the processes of the pool would be left to clean up after a parent that is gone.
    """
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may handle signals.
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except _Terminated:
        common.end_progress()
        click.echo("terminated", err=True)
        raise click.exceptions.Exit(_TERMINATED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    # Once is enough: what is under way ends on its own.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _Terminated


@contextmanager
def _executor(jobs: int | None, scheduler: str | None, points: int) -> Generator[Executor]:
    """Give who computes: a cluster, a pool of processes, or this process where one is enough.

    Raises:
        InputError: both a cluster and a number of processes are asked for.
    """
    from suanli.sweep.executors import LocalPool, Serial, cores  # noqa: PLC0415 - keeps --help fast

    if scheduler is None:
        workers = min(jobs or cores(), points)
        yield Serial() if workers == 1 else LocalPool(workers)
        return
    if jobs is not None:
        why = "the workers of the cluster decide how many points are computed at once"
        raise InputError(Fault("--jobs beside --scheduler", why=why, cure="leave out one of the two"))
    from suanli.sweep.dask import connect  # noqa: PLC0415

    cluster = connect(scheduler)
    try:
        yield cluster
    finally:
        cluster.close()


def _compute(grid: Grid, work: Any, journal: Journal, executor: Executor) -> None:  # noqa: ANN401 - a partial function
    """Compute what is missing; an interrupt says what is kept."""
    from suanli.cli.sweep_view import Progress  # noqa: PLC0415 - keeps --help fast
    from suanli.sweep.run import run  # noqa: PLC0415

    try:
        run(grid, work, journal, executor, Progress(len(grid)))
    except KeyboardInterrupt:
        common.end_progress()
        click.echo(
            f"{len(journal):,} of {len(grid):,} points are kept; the same command goes on with the others",
            err=True,
        )
        raise
    common.end_progress()


def _table(project: Project, grid: Grid, journal: Journal) -> Table:
    from suanli.sweep.table import Table  # noqa: PLC0415 - keeps --help fast

    section = project.file.project
    return Table(
        grid, journal.read, section.name.in_language((section.languages or ("zh",))[0]), section.date
    )


def _language(project: Project) -> str:
    """Return the project's first language; a terminal speaks one."""
    return next(iter(project.file.project.languages or ()), "zh")


def _finish(table: Table, journal: Journal, output: Path, language: str, *, as_json: bool) -> None:
    """Write the file, drop the journal, show what was found."""
    from suanli.cli.sweep_view import print_sweep  # noqa: PLC0415 - keeps --help fast
    from suanli.cli.texts import Voice  # noqa: PLC0415
    from suanli.sweep.output import write_table  # noqa: PLC0415
    from suanli.sweep.table import summarise, without_effect  # noqa: PLC0415

    summary = summarise(table)
    idle = without_effect(table)
    write_table(table, output, language)
    voice = Voice(language)
    try:
        if as_json:
            _print_json(table, summary, output, idle)
        else:
            print_sweep(table, summary, voice)
        _print_notes(summary, idle, output, voice, err=as_json)
    finally:
        # The file is complete, also where the reader of the terminal's output has gone away.
        journal.remove()
    if journal.faults:
        raise click.exceptions.Exit(_FAULT_OF_OURS)


def _print_notes(summary: Summary, idle: Sequence[str], output: Path, voice: Voice, *, err: bool) -> None:
    from suanli.cli.sweep_texts import say  # noqa: PLC0415 - keeps --help fast

    errors, faults = summary.verdicts["error"], summary.verdicts["fault"]
    if errors:
        click.echo(say(voice, "errors", f"{errors:,}"), err=True)
    if faults:
        click.echo(say(voice, "faults", f"{faults:,}"), err=True)
    for key in idle:
        click.echo(say(voice, "no-effect", key), err=True)
    click.echo(say(voice, "wrote", output, f"{summary.rows:,}"), err=err)


def _print_json(table: Table, summary: Summary, output: Path, idle: Sequence[str]) -> None:
    """Print one document, its rows one by one so that memory does not grow with them."""
    head = {
        "file": str(output),
        "grid": {axis.key: list(axis.values) for axis in table.grid.axes},
        "points": summary.points,
        "recommended": summary.total.answered,
        "verdicts": dict(sorted(summary.verdicts.items())),
        "without_effect": list(idle),
        "columns": [column.name for column in table.columns],
    }
    common.echo_json_rows(head, "rows", table.rows())
