"""Finds the entry points of plugins and imports their modules, each apart, so that none can stop another.

`pluggy.PluginManager.load_setuptools_entrypoints` ends at the first import error and keeps the file
system's order; hence a loader of our own that sorts by name and turns whatever a module does at import into
a fault.
"""

from __future__ import annotations

import importlib.metadata
import re
import traceback
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Final

from suanli import API_VERSION
from suanli.errors import Fault
from suanli.host.hookspecs import ENTRY_POINT_GROUP
from suanli.host.plugins import DISABLE_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

_PATH: Final = re.compile(r" \((?:/|[A-Za-z]:\\)[^()]*\.pyc?\)$")
"""The file that Python names at the end of "cannot import name"."""

__all__ = ["Candidate", "Opened", "describe", "disable_hint", "find_candidates", "open_module"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry point with the distribution that declares it."""

    name: str
    distribution: str
    version: str
    entry_point: EntryPoint

    @property
    def label(self) -> str:
        """Return the distribution and its version."""
        return f"{self.distribution} {self.version}"


@dataclass(frozen=True, slots=True)
class Opened:
    """A module that was imported and speaks our version, or the reason why not."""

    module: ModuleType | None = None
    api_version: int | None = None
    fault: Fault | None = None


def find_candidates(entry_points: Iterable[EntryPoint] | None = None) -> tuple[Candidate, ...]:
    """Return the plugins that are installed, in order of name, distribution and module.

    Args:
        entry_points: the entry points to look at; None looks at the installed distributions.
    """
    found = importlib.metadata.entry_points(group=ENTRY_POINT_GROUP) if entry_points is None else entry_points
    candidates = (_candidate(entry) for entry in found)
    return tuple(sorted(candidates, key=lambda item: (item.name, item.distribution, item.entry_point.value)))


def _candidate(entry: EntryPoint) -> Candidate:
    if entry.dist is None:
        return Candidate(entry.name, "unknown", "", entry)
    # A distribution with damaged metadata has no name or version, whatever the annotations say.
    metadata = entry.dist.metadata
    known = set(metadata)
    name, version = (metadata[key] if key in known else "unknown" for key in ("Name", "Version"))
    return Candidate(entry.name, name, version, entry)


def disable_hint(name: str) -> str:
    """Return how to go on without a plugin."""
    return f"{DISABLE_VARIABLE}={name} leaves it out"


def describe(error: BaseException) -> tuple[str, str]:
    """Return the message of an exception and the module and line that raised it.

    The file's path is left out: a proposal that quotes the fault must read the same on every machine.
    """
    message = _PATH.sub("", traceback.format_exception_only(error)[-1].strip())
    if isinstance(error, SyntaxError):
        return f"{message} (line {error.lineno})", ""
    frames = list(traceback.walk_tb(error.__traceback__))
    ours = [
        (frame, line) for frame, line in frames if not _is_machinery(str(frame.f_globals.get("__name__", "")))
    ]
    if not ours:
        return message, ""
    frame, line = ours[-1]
    return message, f"{frame.f_globals.get('__name__', '?')}:{line}"


def _is_machinery(module: str) -> bool:
    return module.startswith(("importlib", "_frozen_importlib", "suanli.host"))


def open_module(candidate: Candidate) -> Opened:
    """Import a plugin's module and check the version of the contract that it states."""
    where = candidate.entry_point.value
    try:
        module = candidate.entry_point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a module may raise anything, SystemExit included
        message, line = describe(error)
        cure = f"mend or upgrade {candidate.distribution}, or uninstall it; {disable_hint(candidate.name)}"
        return Opened(fault=Fault(f"cannot be imported: {message}", where=line or where, cure=cure))
    if not isinstance(module, ModuleType):
        why = f"the value of an entry point in {ENTRY_POINT_GROUP} is a module"
        return Opened(fault=Fault(f"is a {type(module).__name__}, not a module", where=where, why=why))
    return _check_version(module, candidate)


def _check_version(module: ModuleType, candidate: Candidate) -> Opened:
    where = candidate.entry_point.value
    if not hasattr(module, "API_VERSION"):
        why = f"a plugin states the version of the contract that it speaks; this host speaks {API_VERSION}"
        cure = f"add API_VERSION = {API_VERSION} to the module"
        return Opened(fault=Fault("has no API_VERSION", where=where, key="API_VERSION", why=why, cure=cure))
    version: object = module.API_VERSION
    if not isinstance(version, int) or isinstance(version, bool):
        why = f"a whole number; this host speaks {API_VERSION}"
        return Opened(fault=Fault(f"API_VERSION is {version!r}", where=where, key="API_VERSION", why=why))
    if version != API_VERSION:
        upgrade = "suanli" if version > API_VERSION else candidate.distribution
        what = f"speaks contract {version}; this host speaks {API_VERSION}; upgrade {upgrade}"
        cure = disable_hint(candidate.name)
        return Opened(api_version=version, fault=Fault(what, where=where, key="API_VERSION", cure=cure))
    return Opened(module=module, api_version=version)
