"""The errors of other estimators on sets of published runs, beside ours on the same sets.

Peers state errors of time, we state errors of rates. Beside theirs, ours is turned into an error of time,
measured rate / predicted rate − 1, so that the columns mean the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import yaml

from suanli.errors import Fault, InputError
from suanli.validation.tables import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from suanli.validation.scoring import Scored

__all__ = [
    "PeerError",
    "PeerSet",
    "Peers",
    "Tool",
    "comparison_table",
    "published_table",
    "read_peers",
    "sources_table",
]


@dataclass(frozen=True, slots=True)
class Tool:
    """An estimator, and the version that was run."""

    id: str
    name: str
    version: str
    setting: str
    """How it was run."""


@dataclass(frozen=True, slots=True)
class PeerError:
    """Errors of one tool on one set, as shares."""

    tool: str
    mape: float
    """Mean of |e|."""
    worst: float | None = None
    """Largest |e|."""
    runs: int | None = None
    """Runs that the tool could do, where fewer than the set has."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class PeerSet:
    """A set of published runs on which tools were compared."""

    id: str
    name: str
    source: str
    runs: int
    ours: str
    """Regular expression of the ids of the runs of the set that are in this repository."""
    errors: tuple[PeerError, ...]


@dataclass(frozen=True, slots=True)
class Peers:
    """Everything known about peers' errors."""

    tools: Mapping[str, Tool]
    sets: tuple[PeerSet, ...]
    published: tuple[Mapping[str, str], ...]
    """Errors that the tools' own authors state: tool, claim, source."""


def read_peers(path: Path) -> Peers:
    """Read the file of peers' errors.

    Raises:
        InputError: a set names a tool that the file does not describe.
    """
    root: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    tools = {one["id"]: Tool(**one) for one in root["tools"]}
    sets = tuple(_peer_set(one) for one in root["sets"])
    unknown = {error.tool for one in sets for error in one.errors} - set(tools)
    if unknown:
        raise InputError([Fault(f'no tool "{name}"', where=str(path)) for name in sorted(unknown)])
    return Peers(tools, sets, tuple(cast("list[dict[str, str]]", root["published"])))


def _peer_set(stated: dict[str, Any]) -> PeerSet:
    errors = tuple(PeerError(**error) for error in stated["errors"])
    return PeerSet(**{name: value for name, value in stated.items() if name != "errors"}, errors=errors)


def comparison_table(peers: Peers, runs: Sequence[Scored]) -> Table:
    """Return mean and largest error of step time by set: null model, every tool, and ours.

    Args:
        peers: what is known about other tools.
        runs: our scored throughputs; those with a prediction count.
    """
    tools = list(peers.tools.values())
    rows = tuple(
        (
            f"{one.name} ({one.runs})",
            *(_peer_cell(one, tool.id) for tool in tools),
            *_our_cells(one, runs),
        )
        for one in peers.sets
    )
    head = ("set (runs)", *(tool.name for tool in tools), "suanli", "runs of the set here", "our null model")
    title = "mean / largest absolute error of step time, %"
    return Table(title, head, rows, right=tuple(range(1, len(head))))


def _peer_cell(one: PeerSet, tool: str) -> str:
    cells = [_cell(error) for error in one.errors if error.tool == tool]
    return "; ".join(cells) or "–"


def _cell(error: PeerError) -> str:
    worst = "" if error.worst is None else f" / {error.worst * 100:.1f}"
    remarks = [f"{error.runs} runs"] if error.runs is not None else []
    remarks += [error.note] if error.note else []
    return f"{error.mape * 100:.1f}{worst}" + (f" ({', '.join(remarks)})" if remarks else "")


def _our_cells(one: PeerSet, runs: Sequence[Scored]) -> tuple[str, str, str]:
    """Return our error, the number of runs it is of, and the error of our null model on them."""
    pattern = re.compile(one.ours)
    ours = [run for run in runs if run.error is not None and pattern.fullmatch(run.id)]
    if not ours:
        return "–", "0", "–"
    errors = [_time_error(run.error) for run in ours if run.error is not None]
    null = [_time_error(run.null_error) for run in ours if run.null_error is not None]
    return _mean_and_worst(errors), str(len(ours)), _mean_and_worst(null)


def _time_error(error: float) -> float:
    """Turn an error of a rate into one of time.

    Equation:
        t_predicted / t_measured − 1 = measured rate / predicted rate − 1 = 1 / (1 + e) − 1

    >>> round(_time_error(0.25), 6)
    -0.2
    """
    return 1 / (1 + error) - 1


def _mean_and_worst(errors: Sequence[float]) -> str:
    sizes = [abs(error) for error in errors]
    return f"{sum(sizes) / len(sizes) * 100:.1f} / {max(sizes) * 100:.1f}" if sizes else "–"


def sources_table(peers: Peers) -> Table:
    """Return where the sets come from, and which versions of the tools were run how."""
    sets = [(one.name, one.source, "") for one in peers.sets]
    tools = [(tool.name, tool.version, tool.setting) for tool in peers.tools.values()]
    return Table("sets and tools", ("name", "source or version", "setting"), (*sets, *tools))


def published_table(peers: Peers) -> Table:
    """Return what the tools' authors state about their own errors."""
    rows = tuple((one["tool"], one["claim"], one["source"]) for one in peers.published)
    return Table("stated by the tools' own authors", ("tool", "error", "source"), rows)
