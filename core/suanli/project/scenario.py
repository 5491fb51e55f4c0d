"""What a scenario plugin contributes: a kind of project, its defaults and its starter file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.record import Text
    from suanli.domain.workload import Requirement, Task
    from suanli.project.schema import Project

__all__ = ["Scenario"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kind of project.

    `complete` turns a project file into a requirement and lists every default that it chose; it raises
    `suanli.errors.InputError` with all faults where the file contradicts itself or the scenario.
    """

    id: str
    name: Text
    summary: Text
    tasks: tuple[Task, ...]
    complete: Callable[[Project, Catalogue], Requirement]
    starter: Callable[[str], str]
    """Commented starter file in a language, ``zh`` or ``en``."""
