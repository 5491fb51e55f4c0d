"""Running the renderers: slow ones side by side in processes of their own, the others here."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suanli.proposal.contributions import Renderer, RenderJob

__all__ = ["Task", "render_all"]

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Task:
    """One file to make."""

    renderer: Renderer
    job: RenderJob

    @property
    def name(self) -> str:
        """Return the file's name: stem, language where there is one, suffix."""
        parts = (self.renderer.stem, self.job.language)
        return ".".join(part for part in parts if part) + self.renderer.suffix

    def render(self) -> bytes:
        """Return the file's bytes."""
        return self.renderer.render(self.job)


def render_all(tasks: Sequence[Task], progress: Progress, workers: int | None = None) -> dict[str, bytes]:
    """Return the bytes of every file by name, in the order of the tasks.

    Args:
        tasks: the files.
        progress: told each name as its rendering is waited for.
        workers: processes for slow renderers; as many as there are processors by default.

    Raises:
        RenderError: the first task that cannot be rendered; the others are given up.
    """
    slow = [task for task in tasks if task.renderer.slow]
    count = min(len(slow), workers or os.cpu_count() or 1)
    if count < 2:  # noqa: PLR2004 - one process of its own would only wait
        return {task.name: _noted(task, progress) for task in tasks}
    # A fresh interpreter, not a fork: numerical libraries have started threads by now.
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        waiting = {task.name: pool.submit(Task.render, task) for task in slow}
        try:
            done = {task.name: _result(task, waiting, progress) for task in _quick_first(tasks)}
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {task.name: done[task.name] for task in tasks}


def _quick_first(tasks: Sequence[Task]) -> list[Task]:
    return sorted(tasks, key=lambda task: task.renderer.slow)


def _result(task: Task, waiting: dict[str, Future[bytes]], progress: Progress) -> bytes:
    future = waiting.get(task.name)
    if future is None:
        return _noted(task, progress)
    progress(task.name)
    return future.result()


def _noted(task: Task, progress: Progress) -> bytes:
    progress(task.name)
    return task.render()
