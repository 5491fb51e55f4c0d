"""What can go wrong, said so that the reader can act: what, where, why, and what to do next.

A `Fault` is one such statement. Errors carry all faults found, never only the first. The command line turns
each error class into its exit code (see `suanli.cli.main`); none of the three is ever shown with a traceback.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Fault", "InputError", "PluginError", "RenderError", "SuanliError", "WrittenForAnother", "nearest"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, and its cure."""

    what: str
    """What was found, with the offending value."""
    where: str = ""
    """File and line, or plugin and distribution; empty if the text says it."""
    key: str = ""
    """Key path in the file, such as ``workload.tokens``."""
    why: str = ""
    """What is allowed, or why the value cannot be used."""
    cure: str = ""
    """What to do next, with the nearest known name where there is one."""

    def __str__(self) -> str:
        """Return the fault on one or more lines, the place first."""
        place = ": ".join(part for part in (self.where, self.key) if part)
        head = f"{place}: {self.what}" if place else self.what
        return "\n  ".join([head, *(part for part in (self.why, self.cure) if part)])


class SuanliError(Exception):
    """Base of the errors that a user, a plugin author or an environment can cure."""

    exit_code = 1

    def __init__(self, faults: Iterable[Fault] | Fault | str) -> None:
        """Keep every fault; a plain string is a fault without a place."""
        if isinstance(faults, str):
            faults = Fault(faults)
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self) -> tuple[type[SuanliError], tuple[tuple[Fault, ...]]]:
        """Keep every fault when the error crosses from a worker process."""
        return type(self), (self.faults,)


class InputError(SuanliError):
    """The input is wrong; the person who wrote it can mend it."""

    exit_code = 2


class WrittenForAnother(InputError):  # noqa: N818 - it says what is wrong with the file
    """An edited file belongs to another proposal than the one that it was to be read for."""


class PluginError(SuanliError):
    """A plugin that the input needs has failed; its author can mend it."""

    exit_code = 3


class RenderError(SuanliError):
    """The environment cannot render: a font, a library or disk space is missing."""

    exit_code = 4


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean …?`` for the known name closest to `name`, or an empty string.

    >>> nearest("tokns", ["tokens", "epochs"])
    'did you mean "tokens"?'
    """
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f'did you mean "{found[0]}"?' if found else ""
