"""What a validation shows: tables of text, the JSON document, and Markdown for a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from suanli.validation.scoring import statistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from suanli.validation.evaluation import Evaluation
    from suanli.validation.scoring import Scored, Statistics

__all__ = [
    "LEGEND",
    "Table",
    "apart_table",
    "document",
    "markdown",
    "overview_table",
    "run_table",
    "slice_table",
    "worst_table",
]

_LARGEST: Final = 6
"""Slices of a kind in a short table; the others are counted."""

_WORST: Final = 8
"""Runs shown in the table of the largest errors."""

_DIGITS: Final = 6
"""Significant digits of values in the JSON document; no source states more."""


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    """Numbers of the columns that are set flush right."""
    whole: tuple[int, ...] = ()
    """Numbers of the columns that are not broken."""


_STATISTICS: Final = (
    "n",
    "median",
    "P90",
    "mean",
    "bias",
    "≤10",
    "≤20",
    "in",
    "in/group",
    "null",
    "null P90",
)

LEGEND: Final = (
    "error = predicted / measured − 1, in %. n runs; median, P90 and mean of |error|; bias, the mean error;\n"
    "share of runs within 10 and 20 %; share measured in P10–P90, by run and with weight 1 for each group;\n"
    "median and P90 of |error| of a null model, the median efficiency of other groups on the same chip."
)
"""What the columns of statistics mean."""


def _percent(value: float | None, sign: str = "", *, digits: int = 1) -> str:
    """Return a share as a percentage.

    >>> _percent(0.0651), _percent(-0.1, "+", digits=0), _percent(None)
    ('6.5', '-10', '–')
    """
    return "–" if value is None else f"{value * 100:{sign}.{digits}f}"


def _cells(figures: Statistics) -> tuple[str, ...]:
    """Return the cells under `_STATISTICS`: percentages."""
    return (
        str(figures.n),
        _percent(figures.median),
        _percent(figures.p90),
        _percent(figures.mean),
        _percent(figures.bias, "+"),
        _percent(figures.within_10, digits=0),
        _percent(figures.within_20, digits=0),
        _percent(figures.coverage, digits=0),
        _percent(figures.coverage_by_group, digits=0),
        _percent(figures.null_median),
        _percent(figures.null_p90),
    )


def _statistics_table(
    title: str, names: tuple[str, ...], rows: Iterable[tuple[tuple[str, ...], Statistics]]
) -> Table:
    first = len(names)
    return Table(
        title,
        (*names, *_STATISTICS),
        tuple((*name, *_cells(figures)) for name, figures in rows),
        right=tuple(range(first, first + len(_STATISTICS))),
        whole=tuple(range(first)),
    )


def overview_table(evaluations: Sequence[Evaluation]) -> Table:
    """Return one table with two rows a metric: all runs, and those that are not known to mislead."""
    rows = [
        ((one.metric.value, name), figures)
        for one in evaluations
        for name, figures in (("all", one.summary.overall), ("clean", one.summary.without_traps))
    ]
    return _statistics_table("", ("metric", "which"), rows)


def slice_table(
    evaluation: Evaluation, names: Sequence[str] | None = None, *, complete: bool = True
) -> Table:
    """Return the statistics of slices, one a row.

    Args:
        evaluation: of one metric.
        names: kinds of slices; None takes all.
        complete: show every slice, not only the largest of each kind.
    """
    rows: list[tuple[tuple[str, ...], Statistics]] = []
    for name, found in evaluation.summary.by.items():
        if names is not None and name not in names:
            continue
        kept = list(found.items())[: None if complete else _LARGEST]
        left = len(found) - len(kept)
        titles = [name, f"({left} more)" if left else "", *[""] * len(kept)]
        rows += [((title, value), figures) for title, (value, figures) in zip(titles, kept, strict=False)]
    return _statistics_table("", ("by", "slice"), rows)


_RUN_HEAD: Final = (
    "id",
    "measured",
    "predicted",
    "P10",
    "P90",
    "error %",
    "null %",
    "in range",
    "evidence",
    "remark",
)


def _number(value: float | None) -> str:
    """Return a value with four significant digits, without an exponent where that reads well.

    >>> _number(12036.4), _number(0.0033571), _number(71.458), _number(None)
    ('12,036', '0.003357', '71.46', '–')
    """
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"  # noqa: PLR2004 - four digits


def run_table(runs: Sequence[Scored], title: str) -> Table:
    """Return one row a run, those without a prediction included."""
    inside = {True: "yes", False: "no", None: "–"}
    rows = tuple(
        (
            run.id,
            _number(run.measured),
            _number(run.predicted),
            _number(run.p10),
            _number(run.p90),
            _percent(run.error, "+"),
            _percent(run.null_error, "+"),
            inside[run.covered],
            run.evidence or "–",
            _remark(run),
        )
        for run in runs
    )
    return Table(title, _RUN_HEAD, rows, right=tuple(range(1, 7)), whole=(0,))


def _remark(run: Scored) -> str:
    if run.skipped is not None:
        return f"skipped: {run.skipped}"
    return "" if run.trap is None else f"misleads: {run.trap}"


def worst_table(evaluation: Evaluation) -> Table:
    """Return the runs with the largest absolute errors."""
    wrong = [run for run in evaluation.runs if run.error is not None]
    wrong.sort(key=lambda run: -abs(run.error or 0.0))
    return run_table(wrong[:_WORST], f"largest errors, {evaluation.metric.value} in {evaluation.metric.unit}")


def apart_table(evaluation: Evaluation) -> Table | None:
    """Return the statistics of what is reported apart, or None where there is nothing."""
    rows = [((use,), statistics(runs)) for use, runs in evaluation.apart.items() if runs]
    return _statistics_table("apart, counted nowhere else", ("use",), rows) if rows else None


def document(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """Return the JSON document: one entry a run and metric, and a summary for each metric."""
    return {
        "runs": [_run(run) for one in evaluations for run in one.runs],
        "summary": {one.metric.value: _summary(one) for one in evaluations},
    }


def _significant(value: float | None) -> float | None:
    """Return a value without digits that carry nothing.

    >>> _significant(12036.40123), _significant(None)
    (12036.4, None)
    """
    return None if value is None else float(f"{value:.{_DIGITS}g}")


def _run(run: Scored) -> dict[str, Any]:
    return {
        "id": run.id,
        "metric": run.metric,
        "measured": run.measured,
        "predicted": _significant(run.predicted),
        "p10": _significant(run.p10),
        "p90": _significant(run.p90),
        "error": _significant(run.error),
        "null_error": _significant(run.null_error),
        "skipped": run.skipped,
        "constant_error": _significant(run.constant_error),
        "covered": run.covered,
        "evidence": run.evidence,
        "trap": run.trap,
        "group": run.group,
        "vendor": run.vendor,
        "accelerator": run.accelerator,
        "task": run.task,
        "family": run.family,
        "source": run.source,
        "precision": run.precision,
        "sequence_length": run.sequence_length,
    }


def _summary(one: Evaluation) -> dict[str, Any]:
    summary = one.summary
    return {
        "unit": one.metric.unit,
        "selected": summary.selected,
        "predicted": summary.predicted,
        "skipped": dict(summary.skipped),
        "traps": summary.traps,
        "unstated": list(one.unstated),
        "overall": _figures(summary.overall),
        "without_traps": _figures(summary.without_traps),
        "by": {
            name.replace(" ", "_"): {value: _figures(figures) for value, figures in found.items()}
            for name, found in summary.by.items()
        },
        "apart": {
            use: {"statistics": _figures(statistics(runs)), "runs": [_run(run) for run in runs]}
            for use, runs in one.apart.items()
        },
    }


def _figures(figures: Statistics) -> dict[str, float | int | None]:
    stated: Mapping[str, float | int | None] = asdict(figures)
    return {
        name: _significant(value) if isinstance(value, float) else value for name, value in stated.items()
    }


def markdown(table: Table) -> str:
    r"""Return a table in Markdown, its title in bold above it.

    >>> print(markdown(Table("t", ("a", "b"), (("x|y", "1"),), right=(1,))))
    **t**
    <BLANKLINE>
    | a | b |
    |---|--:|
    | x\|y | 1 |
    """
    rules = ["--:" if number in table.right else "---" for number in range(len(table.head))]
    lines = [_row(table.head), f"|{'|'.join(rules)}|", *(_row(row) for row in table.rows)]
    return "\n".join([*([f"**{table.title}**", ""] if table.title else []), *lines])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
