"""``suanli validate``: predictions against published, measured runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from suanli.cli.common import (
    echo_json,
    end_progress,
    json_option,
    load_plugins,
    path_argument,
    progress_to_stderr,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from suanli.validation.evaluation import Evaluation
    from suanli.validation.tables import Table

__all__ = ["command"]

_METRICS = ("throughput", "memory", "energy", "run_totals")


@click.command("validate")
@path_argument("folder")
@click.option("--metric", type=click.Choice(_METRICS), help="Compare this only.  [default: all of them]")
@click.option("--all", "every", is_flag=True, help="Show every run and every slice.")
@json_option
def command(folder: Path, metric: str | None, *, every: bool, as_json: bool) -> None:
    """Predict the published runs in FOLDER and show how far off the predictions are.

    Every *.yaml file in FOLDER is a list of runs; what each may be compared with is said by its "use". The
    null model beside the errors predicts a run by the median utilisation of other runs on the same device.
    """
    from suanli.validation.evaluation import evaluate  # noqa: PLC0415 - keeps --help fast
    from suanli.validation.predict import predict_runs  # noqa: PLC0415
    from suanli.validation.records import Metric, read_runs  # noqa: PLC0415
    from suanli.validation.tables import document  # noqa: PLC0415
    from suanli.validation.traps import read_traps  # noqa: PLC0415

    records = read_runs(folder)
    catalogue, traps = load_plugins().catalogue, read_traps(folder)
    evaluations: list[Evaluation] = []
    for name in [metric] if metric else _METRICS:
        progress_to_stderr(f"{name}: {len(records)} records")
        evaluations.append(evaluate(records, catalogue, Metric(name), predict_runs, traps))
    end_progress()
    if as_json:
        echo_json(document(evaluations))
    else:
        click.echo(f"{len(records)} records in {folder}")
        _print(evaluations, every=every)
    _say_unscored(evaluations)


def _print(evaluations: Sequence[Evaluation], *, every: bool) -> None:
    from suanli.validation.tables import (  # noqa: PLC0415 - keeps --help fast
        LEGEND,
        apart_table,
        overview_table,
        run_table,
        slice_table,
        worst_table,
    )

    click.echo(LEGEND)
    _print_table(overview_table(evaluations))
    alone = len(evaluations) == 1
    for one in evaluations:
        if not one.runs:
            continue
        click.echo(f"\n{one.metric.value}, {one.metric.unit}: {_counts(one)}")
        _print_table(slice_table(one, None if every or alone else ("vendor", "task"), complete=every))
        if (apart := apart_table(one)) is not None:
            _print_table(apart)
        if every:
            _print_table(run_table(one.runs, "every run"))
            for use, runs in one.apart.items():
                _print_table(run_table(runs, use))
        elif alone:
            _print_table(worst_table(one))
    if not every:
        click.echo("\n--all shows every run and slice; --json has the same as data")


def _counts(one: Evaluation) -> str:
    """Return how many runs there are, and why some were left out."""
    summary = one.summary
    parts = [f"{summary.predicted} of {summary.selected} predicted, {summary.traps} of them known to mislead"]
    parts += [f"{count} skipped: {reason}" for reason, count in summary.skipped.items()]
    return "; ".join(parts)


def _print_table(table: Table) -> None:
    from suanli.cli.tables import print_table  # noqa: PLC0415 - keeps --help fast

    if table.rows:
        print_table(table.head, table.rows, title=table.title, right=table.right, whole=table.whole)


def _say_unscored(evaluations: Sequence[Evaluation]) -> None:
    """Say on stderr which records cannot be compared although they say that they can."""
    for one in evaluations:
        name = one.metric.value
        if not one.runs:
            click.echo(f"note: no record has use.{name} true and a value of it", err=True)
        if one.unstated:
            listed = ", ".join(one.unstated)
            click.echo(f"note: {name}: use is true and no value is stated: {listed}", err=True)
