"""Running the renderers: slow ones side by side in processes of their own, the others here.

A format that carries others inside itself is rendered after them: in a first wave what is attached, in a
second one the rest.
"""

from __future__ import annotations

import os
import pickle
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

from suanli.proposal.contributions import Attachment

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from suanli.proposal.contributions import Renderer, RenderJob

    Progress = Callable[[str], None]
    Submit = Callable[["Task"], Future[bytes] | None]

__all__ = ["Rendered", "Task", "attached_to", "render_all"]


@dataclass(frozen=True, slots=True)
class Task:
    """One file to make."""

    renderer: Renderer
    job: RenderJob
    written: bool = True
    """False where the file is made for nothing but to be attached to another."""

    @property
    def name(self) -> str:
        """Return the file's name: stem, language where there is one, suffix."""
        parts = (self.renderer.stem, self.job.language)
        return ".".join(part for part in parts if part) + self.renderer.suffix

    def render(self) -> bytes:
        """Return the file's bytes."""
        return self.renderer.render(self.job)


@dataclass(frozen=True, slots=True)
class Rendered:
    """Files by name, and what each of them carries."""

    files: dict[str, bytes]
    attached: dict[str, dict[str, str]]
    """SHA-256 of the files inside a file, by its name and theirs."""


def attached_to(task: Task, others: Iterable[Task]) -> tuple[Task, ...]:
    """Return those of other tasks whose files a task's file carries: of its language, or of none."""
    return tuple(
        other
        for other in others
        if other.renderer.id in task.renderer.attaches and other.job.language in {"", task.job.language}
    )


def render_all(
    tasks: Sequence[Task],
    progress: Progress,
    workers: int | None = None,
    given: Sequence[Attachment] = (),
) -> Rendered:
    """Return every file that is written by name, in the order of the tasks.

    Args:
        tasks: the files.
        progress: told each name as its rendering is waited for.
        workers: processes for slow renderers; as many as there are processors by default.
        given: attachments that no renderer makes, for the formats that ask for their ids.

    Raises:
        RenderError: the first task that cannot be rendered; the others are given up.
    """
    inner = {other.name for task in tasks for other in attached_to(task, tasks)}
    slow = sum(task.renderer.slow for task in tasks)
    with _processes(tasks, min(slow, workers or os.cpu_count() or 1)) as submit:
        done = _wave([task for task in tasks if task.name in inner], submit, progress)
        outer = [_with_attachments(task, tasks, done, given) for task in tasks if task.name not in inner]
        done |= _wave(outer, submit, progress)
    files = {task.name: done[task.name] for task in tasks if task.written}
    inside = {task.name: {one.name: one.sha256 for one in task.job.attachments} for task in outer}
    return Rendered(files, {name: digests for name, digests in inside.items() if digests and name in files})


def _with_attachments(
    task: Task, tasks: Sequence[Task], done: dict[str, bytes], given: Sequence[Attachment]
) -> Task:
    made = [
        Attachment(other.renderer.id, other.name, done[other.name], other.renderer.name)
        for other in attached_to(task, tasks)
    ]
    wanted = [one for one in given if one.id in task.renderer.attaches]
    attachments = tuple(sorted((*wanted, *made), key=lambda one: one.name))
    return replace(task, job=replace(task.job, attachments=attachments)) if attachments else task


@contextmanager
def _processes(tasks: Sequence[Task], count: int) -> Generator[Submit, None, None]:
    """Give what hands a task to processes; it returns None for a task that is to be done here."""
    if count < 2:  # noqa: PLR2004 - one process of its own would only wait
        yield lambda _: None
        return
    # A fresh interpreter, not a fork: numerical libraries have started threads by now. What all tasks share
    # is pickled once, and read once by each process.
    slow = [task for task in tasks if task.renderer.slow]
    pool = ProcessPoolExecutor(
        count, mp_context=get_context("spawn"), initializer=_prepare, initargs=(pickle.dumps(slow),)
    )
    numbers = {task.name: number for number, task in enumerate(slow)}
    with pool:
        try:
            yield partial(_submit, pool, numbers)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _submit(pool: ProcessPoolExecutor, numbers: dict[str, int], task: Task) -> Future[bytes] | None:
    number = numbers.get(task.name)
    return None if number is None else pool.submit(_render, number, task.job.attachments)


_tasks: list[Task] = []
"""The tasks, in a process of a pool."""


def _prepare(tasks: bytes) -> None:
    _tasks[:] = pickle.loads(tasks)  # noqa: S301 - our own process wrote it


def _render(number: int, attachments: tuple[Attachment, ...]) -> bytes:
    task = _tasks[number]
    return replace(task, job=replace(task.job, attachments=attachments)).render()


def _wave(tasks: Sequence[Task], submit: Submit, progress: Progress) -> dict[str, bytes]:
    """Return the bytes of tasks that wait for nothing."""
    waiting = {task.name: submit(task) for task in tasks}
    done: dict[str, bytes] = {}
    for task in sorted(tasks, key=lambda task: waiting[task.name] is not None):
        progress(task.name)
        future = waiting[task.name]
        done[task.name] = task.render() if future is None else future.result()
    return done
