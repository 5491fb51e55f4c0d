"""Write the tables of docs/validation.md: our errors on published runs, null models and rivals beside.

Usage: python -m benchmarks.validation_tables
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from benchmarks.left_out import SLICES, Errors, best_of_sweeps, errors_of, hidden_layouts, pilots
from benchmarks.pages import fill
from tests.reference.memory_runs import UNKNOWN_RECIPES, errors_without_group, memory_runs

from suanli.calibration.outcome import Calibrated, calibrate
from suanli.calibration.selection import measured_runs
from suanli.domain.vendor import Tuning
from suanli.host.loader import load_host
from suanli.validation.evaluation import Evaluation, evaluate
from suanli.validation.peers import comparison_table, published_table, read_peers, sources_table
from suanli.validation.predict import predict_runs
from suanli.validation.records import read_runs
from suanli.validation.schema import Metric
from suanli.validation.scoring import Scored, statistics
from suanli.validation.tables import Table, apart_table, markdown, run_table
from suanli.validation.traps import read_traps

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from suanli.calibration.runs import Run
    from suanli.domain.catalogue import Catalogue
    from suanli.estimation.arrays import BoolArray, FloatArray

HERE: Final = Path(__file__).resolve().parent
PAGE: Final = HERE.parent / "docs" / "validation.md"

_FEW: Final = 5
"""Runs up to which a source is too small to be held against the null model."""
_ADAPTERS: Final = ("lora", "qlora")
_VENDORS: Final = ("nvidia", "ascend", "amd")
_TUNED: Final = "tuned stacks, fastest of each sweep"
_HEAD: Final = (
    *("runs", "groups", "fitted", "group left out", "bias", "stack left out", "device left out"),
    *("null model", "in P10–P90", "by group"),
)


@dataclass(frozen=True)
class Results:
    """Everything that the tables are made of."""

    found: Calibrated
    evaluations: Mapping[Metric, Evaluation]
    catalogue: Catalogue

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """Return the runs of the calibration."""
        return self.found.runs

    @cached_property
    def clean(self) -> BoolArray:
        """Tell which runs are no traps."""
        return self.found.fitting.clean

    @cached_property
    def scored(self) -> dict[str, Scored]:
        """Return our prediction of every rate by the shipped constants, by id."""
        return {one.id: one for one in self.evaluations[Metric.THROUGHPUT].runs}

    @cached_property
    def null(self) -> FloatArray:
        """Return ln(predicted/measured) of the null model, NaN where it says nothing."""
        errors = [self.scored[run.posed.record.id].null_error for run in self.runs]
        logs: FloatArray = np.log1p(np.array([np.nan if one is None else one for one in errors]))
        return logs

    def rows(self, kind: str, *values: str) -> BoolArray:
        """Tell which runs have one of some values of a slice."""
        return np.array([SLICES[kind](run) in values for run in self.runs], dtype=np.bool_)

    def coverage(self, rows: BoolArray) -> tuple[float, float]:
        """Return the share of clean runs within their range, by run and with weight 1 for each group."""
        inside, groups = self.found.covered[rows], np.array(self.found.fitting.groups)[rows]
        by_group = [float(np.mean(inside[groups == one])) for one in sorted(set(groups.tolist()))]
        return float(np.mean(inside)), float(np.mean(by_group))


def _cells(results: Results, rows: BoolArray) -> tuple[str, ...]:
    found, null = results.found, results.null[rows]
    left_out = errors_of(found.by_group[rows])
    shares = results.coverage(rows) if not np.any(rows & ~results.clean) else None
    return (
        str(left_out.n),
        str(len(set(np.array(found.fitting.groups)[rows].tolist()))),
        str(errors_of(found.in_sample[rows])),
        str(left_out),
        f"{left_out.bias * 100:+.1f}",
        str(errors_of(found.by_stack[rows])),
        str(errors_of(found.by_family[rows])),
        str(errors_of(null[np.isfinite(null)])),
        *("–" if shares is None else f"{share * 100:.0f}" for share in shares or (0, 0)),
    )


def _table(title: str, rows: Sequence[tuple[str, ...]]) -> Table:
    head = (title, *_HEAD)
    return Table("", head, tuple(rows), right=tuple(range(1, len(head))))


def overall(results: Results) -> str:
    """Return the errors of all runs and of each vendor, with and without traps."""
    every = np.ones(len(results.runs), dtype=np.bool_)
    vendors = {f"{name}, ": results.rows("vendor", name) for name in _VENDORS}
    rows = [
        (f"{name}{which}", *_cells(results, rows & counted))
        for name, rows in {"": every, **vendors}.items()
        for which, counted in (("clean", results.clean), ("with traps", every))
        if which == "clean" or np.any(rows & ~results.clean)
    ]
    return markdown(_table("which", rows))


def slices(results: Results) -> str:
    """Return the errors of clean runs by what they are, one table for each kind."""
    parts: list[str] = []
    for kind, value in SLICES.items():
        if kind == "vendor":
            continue
        names = [value(run) for run, keep in zip(results.runs, results.clean, strict=True) if keep]
        order = sorted(set(names), key=lambda name: (-names.count(name), name))
        rows = [(name, *_cells(results, results.clean & results.rows(kind, name))) for name in order]
        parts.append(markdown(_table(kind, rows)))
    return "\n\n".join(parts)


def hidden(searched: Mapping[str, tuple[Errors, ...]]) -> str:
    """Return the errors where the stated layout is hidden and searched."""
    rows = [
        (name, str(each[0].n), *(cell for one in each for cell in (str(one), f"{one.bias * 100:+.1f}")))
        for name, each in searched.items()
    ]
    head = (
        *("which", "runs", "stated, fitted", "bias", "stated, group left out", "bias"),
        *("searched, fitted", "bias", "searched, group left out", "bias"),
    )
    return markdown(Table("", head, tuple(rows), right=tuple(range(1, len(head)))))


def searched_errors(results: Results) -> dict[str, tuple[Errors, ...]]:
    """Return errors with stated and with searched layouts, by which runs count."""
    found, other = results.found, hidden_layouts(results.found)
    tuned = np.array([run.problem.device.stack.tuned is Tuning.TUNED for run in results.runs], dtype=np.bool_)
    graded = np.array([run.posed.record.source.reliability == "A" for run in results.runs], dtype=np.bool_)
    best = best_of_sweeps(results.runs, other.rows & tuned)
    chosen = {_TUNED: best, "of these, sources of grade A": best & graded}
    chosen |= {f"of these, {name}": best & results.rows("vendor", name) for name in _VENDORS}
    chosen["every run with a stated layout"] = other.rows
    lists = (found.in_sample, found.by_group, other.in_sample, other.by_group)
    return {name: tuple(errors_of(one[rows]) for one in lists) for name, rows in chosen.items()}


def _left_out_scores(results: Results) -> list[Scored]:
    """Return our rates as predicted by constants fitted without the run's group."""
    return [
        replace(results.scored[run.posed.record.id], error=float(np.expm1(log)))
        for run, log in zip(results.runs, results.found.by_group, strict=True)
    ]


def rivals(results: Results) -> str:
    """Return the errors of other estimators on the same published rows, and what is known of those tools."""
    peers = read_peers(HERE / "peers.yaml")
    fitted = comparison_table(peers, list(results.scored.values()))
    left_out = comparison_table(peers, _left_out_scores(results))
    own = fitted.head.index("suanli")
    head = (*fitted.head[:own], "suanli, fitted", "suanli, group left out", *fitted.head[own + 1 :])
    rows = tuple(
        (*one[: own + 1], other[own], *one[own + 1 :])
        for one, other in zip(fitted.rows, left_out.rows, strict=True)
    )
    table = replace(fitted, head=head, rows=rows, right=tuple(range(1, len(head))))
    return "\n\n".join(markdown(one) for one in (table, sources_table(peers), published_table(peers)))


def against_null(results: Results) -> str:
    """Return where we beat the null model, and where not, among sources with enough runs."""
    names = sorted({SLICES["source"](run) for run in results.runs})
    rows: list[tuple[str, ...]] = []
    for name in names:
        chosen = results.clean & results.rows("source", name) & np.isfinite(results.null)
        if np.sum(chosen) <= _FEW:
            continue
        ours, null = errors_of(results.found.by_group[chosen]), errors_of(results.null[chosen])
        stack = errors_of(results.found.by_stack[chosen])
        beaten = {True: "yes", False: "no"}
        rows.append(
            (
                name,
                str(ours.n),
                str(ours),
                str(stack),
                str(null),
                beaten[ours.median < null.median],
                beaten[ours.p90 < null.p90],
            )
        )
    head = ("source", "runs", "group left out", "stack left out", "null model", "median better", "P90 better")
    return markdown(Table("", head, tuple(rows), right=(1, 2, 3, 4)))


def memory(results: Results) -> str:
    """Return the errors of peak memory by source, all and by known recipe, and cross-validated."""
    runs = memory_runs()
    known = [run for run in runs if run.known]
    left_out = errors_without_group(known)
    command = {one.id: one for one in results.evaluations[Metric.MEMORY].runs if one.error is not None}

    def row(name: str, wanted: Callable[[Scored], bool]) -> tuple[str, ...]:
        every = np.log1p(np.array([one.error for one in command.values() if wanted(one)]))
        mine = [run for run in known if run.record.id in command and wanted(command[run.record.id])]
        fitted = errors_of(np.log1p(np.array([run.error for run in mine])))
        cross = errors_of(np.log1p(np.array([left_out[run.record.id] for run in mine])))
        inside = [one.covered for one in command.values() if wanted(one) and one.covered is not None]
        shown = errors_of(every)
        return (
            *(name, str(shown.n), _short(shown), f"{np.mean(inside) * 100:.0f}"),
            *(str(fitted.n), _short(fitted), f"{fitted.bias * 100:+.1f}" if fitted.n else "–", _short(cross)),
        )

    sources = sorted({one.source or "–" for one in command.values()})
    rows = [
        *(row(name, _of_source(name)) for name in sources),
        row("fine-tuning", lambda one: one.task in {"full_finetune", *_ADAPTERS}),
        row("all", lambda _: True),
    ]
    head = (
        *("source", "runs", "as validated", "in P10–P90", "of known recipe", "their error", "bias"),
        "their recipes refitted without the group",
    )
    return markdown(Table("", head, tuple(rows), right=tuple(range(1, len(head)))))


def _of_source(name: str) -> Callable[[Scored], bool]:
    return lambda one: (one.source or "–") == name


def _short(one: Errors) -> str:
    return f"{one.median * 100:.1f} / {one.p90 * 100:.1f}" if one.n else "–"


def unknown_recipes(_: Results) -> str:
    """Return why some records of memory are not counted as known."""
    runs = memory_runs()
    rows = tuple(
        (f"`…{part}…`", str(sum(part in run.record.id for run in runs)), reason)
        for part, reason in UNKNOWN_RECIPES.items()
    )
    return markdown(Table("", ("id has", "runs", "why"), rows, right=(1,)))


def totals(results: Results) -> str:
    """Return energy and totals of runs: statistics, what is apart, and every run of them."""
    rows: list[tuple[str, ...]] = []
    for metric in (Metric.RUN_TOTALS, Metric.ENERGY):
        one = results.evaluations[metric]
        figures = statistics(one.runs)
        if figures.median is None or figures.p90 is None or figures.median_error is None:
            continue
        null = "–" if figures.null_median is None else f"{figures.null_median * 100:.0f}"
        rows.append(
            (
                metric.value,
                one.metric.unit,
                str(figures.n),
                f"{figures.median * 100:.0f}",
                f"{figures.p90 * 100:.0f}",
                f"{figures.median_error * 100:+.0f}",
                null,
                f"{(figures.coverage or 0) * 100:.0f}",
            )
        )
    head = ("metric", "unit", "runs", "median", "P90", "bias", "null median", "in P10–P90")
    parts = [markdown(Table("", head, tuple(rows), right=(2, 3, 4, 5, 6, 7)))]
    apart = apart_table(results.evaluations[Metric.THROUGHPUT])
    parts += [] if apart is None else [markdown(apart)]
    energy = [one for one in results.evaluations[Metric.ENERGY].runs if one.predicted is not None]
    return "\n\n".join([*parts, markdown(run_table(energy, "energy, MWh within the stated scope"))])


def traps(results: Results) -> str:
    """Return the runs that are known to mislead, with their error and the reason."""
    rows = tuple(
        (run.posed.record.id, f"{np.expm1(log) * 100:+.0f}", run.trap or "")
        for run, log in zip(results.runs, results.found.by_group, strict=True)
        if run.trap is not None
    )
    return markdown(Table("", ("run", "error, group left out, %", "why"), rows, right=(1,)))


def skipped(results: Results) -> str:
    """Return how many records could not be predicted, and why."""
    rows = tuple(
        (
            metric.value,
            str(one.summary.selected),
            str(one.summary.predicted),
            "; ".join(f"{count} × {reason}" for reason, count in one.summary.skipped.items()) or "–",
        )
        for metric, one in results.evaluations.items()
    )
    return markdown(
        Table("", ("metric", "records that state it", "predicted", "not predicted"), rows, right=(1, 2))
    )


def pilot(results: Results) -> str:
    """Return the errors before and after one run of one's own on the same device and stack."""
    found = results.found
    rows: list[tuple[str, ...]] = []
    known = {
        "device and stack have runs, not this group": found.by_group,
        "the stack has no runs": found.by_stack,
        "the device has no runs": found.by_family,
    }
    for name, logs in known.items():
        for pilot_is, same in (("same model and task", True), ("another model or task", False)):
            before, after = pilots(results.runs, logs, results.clean, same_model=same)
            rows.append((name, pilot_is, str(len(before)), str(errors_of(before)), str(errors_of(after))))
    head = ("what is known", "pilot run", "runs", "before", "after")
    return markdown(Table("", head, tuple(rows), right=(2, 3, 4)))


@dataclass(frozen=True, slots=True)
class Target:
    """A figure that the project set itself, and what was measured; shares, or counts."""

    name: str
    target: str
    measured: str
    met: bool


def _at_most(name: str, value: float, most: float) -> Target:
    return Target(name, f"≤ {most * 100:g} %", f"{value * 100:.1f} %", value <= most)


def targets(results: Results, searched: Mapping[str, tuple[Errors, ...]]) -> str:
    """Return the project's own targets beside what is measured."""
    found, clean = results.found, results.clean

    def left_out(*rows: BoolArray) -> Errors:
        return errors_of(found.by_group[np.logical_and.reduce((clean, *rows))])

    every, best = left_out(), searched[_TUNED][3]
    rows = [
        _at_most("rate, group left out: median", every.median, 0.055),
        _at_most("its P90", every.p90, 0.20),
        *(
            _at_most(f"{name}: median", left_out(results.rows(kind, *values)).median, most)
            for name, kind, values, most in (
                ("NVIDIA", "vendor", ("nvidia",), 0.05),
                ("Ascend", "vendor", ("ascend",), 0.075),
                ("AMD", "vendor", ("amd",), 0.15),
                ("LoRA and QLoRA", "task", _ADAPTERS, 0.07),
                ("mixtures of experts", "model", ("mixture of experts",), 0.09),
                ("sequences of 32,768 and more", "sequence", ("32,768 and longer",), 0.07),
                ("LLM Foundry", "source", ("llm_foundry",), 0.03),
            )
        ),
        *_set_targets(results),
        _at_most("layout hidden and searched: median", best.median, 0.065),
        _at_most("its P90", best.p90, 0.22),
        *_coverage_targets(results),
        _null_target(results),
        *_memory_targets(results),
    ]
    cells = tuple((one.name, one.target, one.measured, "yes" if one.met else "**no**") for one in rows)
    return markdown(Table("", ("figure", "target", "measured", "met"), cells, right=(1, 2)))


def _set_targets(results: Results) -> list[Target]:
    """Return the mean errors of step time on the tables that other estimators are compared on."""
    peers = read_peers(HERE / "peers.yaml")
    table = comparison_table(peers, _left_out_scores(results))
    own = table.head.index("suanli")
    means = {
        one.id: float(row[own].split(" / ")[0]) / 100 for one, row in zip(peers.sets, table.rows, strict=True)
    }
    wanted = {
        "narayanan-2021": ("Megatron tables of 2021: mean", 0.035),
        "megatron-h100": ("Megatron tables of the H100: mean", 0.035),
        "korthikanti-2022": ("Korthikanti et al., 2022: mean", 0.05),
        "vtrain-multi-node": ("vTrain, several nodes: mean", 0.055),
    }
    return [_at_most(name, means[each], most) for each, (name, most) in wanted.items()]


def _coverage_targets(results: Results) -> list[Target]:
    names = {"all": results.clean}
    names |= {name: results.clean & results.rows("vendor", name) for name in _VENDORS}
    shares = {name: results.coverage(rows)[0] for name, rows in names.items()}
    return [
        Target(f"measured within P10–P90: {name}", "75–88 %", f"{share * 100:.0f} %", 0.75 <= share <= 0.88)  # noqa: PLR2004 - the target
        for name, share in shares.items()
    ]


def _null_target(results: Results) -> Target:
    lines = against_null(results).splitlines()[2:]
    worse = [line.split(" | ")[0].strip("| ") for line in lines if line.split(" | ")[5] != "yes"]
    name = f"null model beaten in the median on sources of more than {_FEW} runs"
    measured = f"{len(lines) - len(worse)} of {len(lines)}" + (f"; not {', '.join(worse)}" if worse else "")
    return Target(name, "all", measured, not worse)


def _memory_targets(_: Results) -> list[Target]:
    known = [run for run in memory_runs() if run.known]
    left_out = errors_without_group(known)

    def of(*families: str) -> Errors:
        chosen = [run for run in known if not families or run.record.source.family in families]
        return errors_of(np.log1p(np.array([left_out[run.record.id] for run in chosen])))

    tuned = [run for run in known if run.record.task in {"full_finetune", *_ADAPTERS}]
    fine = errors_of(np.log1p(np.array([left_out[run.record.id] for run in tuned])))
    return [
        _at_most(
            "memory, recipes refitted without the group: SimuMax B200", of("simumax_b200").median, 0.015
        ),
        _at_most("memory: torchtitan", of("torchtitan").median, 0.06),
        _at_most("memory: fine-tuning", fine.median, 0.06),
        _at_most("memory: all of known recipe", of().median, 0.045),
        _at_most("its P90", of().p90, 0.16),
    ]


def measure() -> Results:
    """Calibrate on the runs of this repository, and predict them by the shipped constants."""
    host, folder = load_host(), HERE / "runs"
    chosen = measured_runs(folder, host.catalogue)
    records, known = read_runs(folder), read_traps(folder)
    evaluations = {
        metric: evaluate(records, host.catalogue, metric, predict_runs, known) for metric in Metric
    }
    return Results(calibrate(chosen.runs, chosen.memory), evaluations, host.catalogue)


def main() -> None:
    """Write the tables."""
    started, results = time.perf_counter(), measure()
    searched = searched_errors(results)
    parts = {
        "targets": targets(results, searched),
        "overall": overall(results),
        "slices": slices(results),
        "hidden": hidden(searched),
        "rivals": rivals(results),
        "null": against_null(results),
        "memory": memory(results),
        "recipes": unknown_recipes(results),
        "totals": totals(results),
        "pilot": pilot(results),
        "traps": traps(results),
        "skipped": skipped(results),
    }
    changed = fill(PAGE, parts)
    print("written" if changed else "unchanged", PAGE.name, f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
