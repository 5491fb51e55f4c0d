"""The delivery plan as it is shown."""

from __future__ import annotations

from suanli.domain.record import Part

__all__ = ["DayWindow", "DeliveryView", "TaskView"]


class DayWindow(Part):
    """Days, shortest and longest."""

    low: int
    high: int


class TaskView(Part):
    """A task of the delivery plan."""

    key: str
    number: int
    days: DayWindow | None
    """None where unknown; 0 for a milestone."""
    after: tuple[int, ...] = ()
    """Numbers of the tasks before it."""
    start: DayWindow
    end: DayWindow | None
    """Days after the order, or after the end of the task `since`."""
    since: int = 0
    """Number of the task of unknown length after which days count; 0: after the order."""
    refs: tuple[str, ...] = ()


class DeliveryView(Part):
    """The plan from the order to the end of the warranty's first day."""

    tasks: tuple[TaskView, ...]
    unknown_lines: int
    """Lines of the bill whose lead time no source states."""
    known_lines: int
    stated: bool
    """True where the project states the time from the order to operation itself."""

    @property
    def since(self) -> int:
        """Return the task after which most days count; 0: the order."""
        return max((task.since for task in self.tasks), default=0)
