"""The delivery plan: tasks in their order, with days counted from the order or from the arrival.

No date of a contract is known when a proposal is written, so days are relative. A lead time that no source
states stays unknown: tasks after the arrival then count from the arrival, and nothing counts from the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Placed", "Task", "Window", "placed"]


@dataclass(frozen=True, slots=True)
class Window:
    """Days of a task or a date: the shortest and the longest."""

    low: int
    high: int

    def __add__(self, other: Window) -> Window:
        """Return the sum of two windows."""
        return Window(self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Task:
    """A task of the plan."""

    key: str
    days: Window | None
    """None where nobody states how long it takes; a milestone takes no days."""
    after: tuple[str, ...] = ()
    """Tasks that end before it starts."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A task with its place in time."""

    task: Task
    start: Window | None
    """Days after the order; None where a task before it has an unknown length."""
    end: Window | None
    """Days after the order; None where unknown."""
    since: str
    """Task of unknown length after whose end `start_since` and `end_since` count; empty: after the order."""
    start_since: Window
    end_since: Window | None


def placed(tasks: Sequence[Task]) -> tuple[Placed, ...]:
    """Return tasks with their earliest places.

    A task starts when the last of those before it ends. Behind a task of unknown length days count from that
    task's end; two such tasks of unknown length in a row count from the later.

    Args:
        tasks: in an order in which each stands behind the tasks that it follows.

    Raises:
        ValueError: a task follows one that does not stand before it.
    """
    found: dict[str, Placed] = {}
    for task in tasks:
        missing = [key for key in task.after if key not in found]
        if missing:
            raise ValueError(f"task {task.key} follows {missing[0]}, which does not stand before it")
        found[task.key] = _place(task, found)
    return tuple(found.values())


def _place(task: Task, found: Mapping[str, Placed]) -> Placed:
    before = [found[key] for key in task.after]
    blind = [one for one in before if one.end is None]
    if not blind:
        start = _latest([one.end for one in before if one.end is not None])
        return Placed(task, start, _sum(start, task.days), "", start, _sum(start, task.days))
    # What is known from the order does not compare with what counts from an unknown day.
    last = blind[-1]
    if last.end_since is None:
        nothing = Window(0, 0)
        return Placed(task, None, None, last.task.key, nothing, _sum(nothing, task.days))
    same = [one.end_since for one in blind if one.since == last.since and one.end_since is not None]
    start = _latest(same)
    return Placed(task, None, None, last.since, start, _sum(start, task.days))


def _latest(windows: Sequence[Window]) -> Window:
    return Window(max((one.low for one in windows), default=0), max((one.high for one in windows), default=0))


def _sum(start: Window, days: Window | None) -> Window | None:
    return None if days is None else start + days
