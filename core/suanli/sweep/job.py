"""What a worker needs to compute points, and what must be the same for two runs to yield the same rows."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections import OrderedDict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from suanli import __version__
from suanli.errors import Fault, RenderError
from suanli.host.loader import load_host
from suanli.manifest import catalogue_digest
from suanli.prices.overlay import quote_paths
from suanli.sweep.point import Bench, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suanli.host.host import Host
    from suanli.project.schema import Project
    from suanli.sweep.grid import Grid

__all__ = ["Identity", "Job", "compute_points", "make_job"]

_MODEL_KEYS = ("model", "model.reference")
_CONFIG = "config.json"
_LARGEST_CONFIG = 10_000_000
"""Bytes beyond which a file is no model configuration."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Digests of everything that rows depend on."""

    suanli: str
    plugins: str
    catalogue: str
    project: str
    settings: str
    grid: str
    files: str
    """Of the model files that the project names."""
    quotes: str = ""
    """Of the quotations that the project names; empty where it names none."""

    def differences(self, other: Identity) -> tuple[str, ...]:
        """Return, in words, what is not the same."""
        mine, others = asdict(self), asdict(other)
        return tuple(_NAMES[name] for name, value in mine.items() if value != others[name])


_NAMES: Final = {
    "suanli": "the version of suanli",
    "plugins": "the plugins",
    "catalogue": "the catalogue",
    "project": "the project file",
    "settings": "--set and --vendor",
    "grid": "the varied keys or their values",
    "files": "a model file that the project names",
    "quotes": "a quotation that the project names",
}


@dataclass(frozen=True, slots=True)
class Job:
    """A project, its settings and its grid, as they travel to a worker."""

    text: str
    path: str
    """Absolute path of the project file, from which it names others."""
    settings: tuple[str, ...]
    grid: Grid
    references: tuple[str, ...]
    """What the project and the grid name as the model: ids of the catalogue, and files."""
    quotes: tuple[str, ...]
    """Files of quotations that the project names."""
    identity: Identity


def make_job(project: Project, settings: Sequence[str], grid: Grid, host: Host) -> Job:
    """Return the job of a project file as it is now.

    Args:
        project: the project, loaded; its file is read again as text.
        settings: ``KEY=VALUE`` of the command line, the choice of vendors included.
        grid: the varied keys.
        host: plugins and catalogue.
    """
    path = project.path.absolute()
    text = path.read_bytes().decode("utf-8-sig")
    references, quotes = _references(project, grid), tuple(quote_paths(project))
    identity = _identity(text, path, settings, grid, (references, quotes), host)
    return Job(text, str(path), tuple(settings), grid, references, quotes, identity)


def _references(project: Project, grid: Grid) -> tuple[str, ...]:
    named = {project.file.model.reference or ""}
    named |= {value for axis in grid.axes if axis.key in _MODEL_KEYS for value in axis.values}
    return tuple(sorted(value.strip("\"' ") for value in named))


def _identity(  # noqa: PLR0913, PLR0917 - everything that rows depend on
    text: str,
    path: Path,
    settings: Sequence[str],
    grid: Grid,
    named: tuple[Sequence[str], Sequence[str]],
    host: Host,
) -> Identity:
    references, quotes = named
    return Identity(
        suanli=__version__,
        plugins=_digest(f"{plugin.label}" for plugin in host.plugins if not plugin.faults),
        catalogue=catalogue_digest(host.catalogue),
        project=_digest([text]),
        settings=_digest(settings),
        grid=_digest(repr(axis) for axis in grid.axes),
        files=_digest(_model_files(path.parent, references)),
        quotes=_digest(_quote_files(path.parent, quotes)) if quotes else "",
    )


def _digest(parts: Sequence[str] | Iterator[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()


def _model_files(folder: Path, references: Sequence[str]) -> Iterator[str]:
    """Yield name and digest of every model file that is named; an id of the catalogue is no file."""
    for reference in references:
        found = folder / reference
        for path in (found, found / _CONFIG):
            # What cannot be read is no model either, which its points will say.
            with contextlib.suppress(OSError, ValueError):
                if path.is_file() and path.stat().st_size <= _LARGEST_CONFIG:
                    yield f"{reference}\n{hashlib.sha256(path.read_bytes()).hexdigest()}"


def _quote_files(folder: Path, quotes: Sequence[str]) -> Iterator[str]:
    """Yield name and digest of every file of quotations; one that is missing is a fault of its points."""
    for name in quotes:
        with contextlib.suppress(OSError):
            yield f"{name}\n{hashlib.sha256((folder / name).read_bytes()).hexdigest()}"


# --- in a worker ---

_BENCHES: Final[OrderedDict[Job, Bench]] = OrderedDict()
_LOCK: Final = threading.Lock()
_BENCHES_KEPT = 2


def compute_points(job: Job, points: Sequence[int]) -> list[Outcome]:
    """Compute some points in this process; the first call loads the plugins.

    Raises:
        RenderError: this worker has another version, other plugins or other files than the one who asks.
    """
    bench = _bench(job)
    return [bench.compute(point) for point in points]


def _bench(job: Job) -> Bench:
    """Return the bench of a job, made once in a process."""
    with _LOCK:
        bench = _BENCHES.get(job)
        if bench is None:
            host = load_host()
            _check_same(job, host)
            bench = _BENCHES[job] = Bench(job, host)
            if len(_BENCHES) > _BENCHES_KEPT:
                _BENCHES.popitem(last=False)
        return bench


def _check_same(job: Job, host: Host) -> None:
    """Make sure that this process would yield the rows that the one who asks would.

    Raises:
        RenderError: something that rows depend on differs.
    """
    named = job.references, job.quotes
    mine = _identity(job.text, Path(job.path), job.settings, job.grid, named, host)
    different = job.identity.differences(mine)
    if different:
        what = f"a worker differs in: {', '.join(different)}"
        cure = "install the same suanli and plugins on every worker, and share the project's folder with them"
        raise RenderError(Fault(what, cure=cure))
