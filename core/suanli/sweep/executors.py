"""Who computes the points: this process, or a pool of local processes. Order never matters.

An executor takes pieces of work lazily and keeps a bounded number of them under way, so that memory does not
grow with the number of points.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Protocol

from suanli.errors import Fault, RenderError
from suanli.sweep.point import Outcome

__all__ = ["IN_FLIGHT", "Executor", "LocalPool", "Points", "Serial", "Work", "cores"]

Points = tuple[int, ...]
"""Numbers of points that are computed in one go."""
Work = Callable[[Points], list[Outcome]]
"""Computes points; it travels to other processes, so it is a function of a module, or a partial of one."""

IN_FLIGHT = 3
"""Pieces under way for each worker: enough that none waits, few enough that memory stays flat."""


class Executor(Protocol):
    """Computes pieces of work."""

    @property
    def workers(self) -> int:
        """Return how many pieces are computed at once."""
        ...

    def run(self, work: Work, pieces: Iterable[Points]) -> Iterator[list[Outcome]]:
        """Yield the outcomes of each piece as soon as they are there."""
        ...


def cores() -> int:
    """Return the number of cores that this process may use."""
    # Containers and schedulers pin processes to some of the machine's cores.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Serial:
    """Computes everything in this process."""

    workers: int = 1

    def run(self, work: Work, pieces: Iterable[Points]) -> Iterator[list[Outcome]]:
        """Yield the outcomes of each piece."""
        for piece in pieces:
            yield work(piece)


@dataclass(frozen=True, slots=True)
class LocalPool:
    """Computes on processes of this machine, which start afresh and so work on every system."""

    workers: int

    def run(self, work: Work, pieces: Iterable[Points]) -> Iterator[list[Outcome]]:
        """Yield the outcomes of each piece as it is done.

        Raises:
            RenderError: the system ended a worker, as it does where memory runs out.
        """
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_settle)
        try:
            yield from _bounded(pool, work, iter(pieces), self.workers * IN_FLIGHT)
        except BrokenProcessPool as error:
            cure = "run the same command again: finished points are kept; fewer --jobs need less memory"
            raise RenderError(Fault("a worker process was ended by the system", cure=cure)) from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _bounded(
    pool: ProcessPoolExecutor, work: Work, pieces: Iterator[Points], most: int
) -> Iterator[list[Outcome]]:
    pending: set[Future[list[Outcome]]] = set()
    more = True
    while more or pending:
        while more and len(pending) < most:
            piece = next(pieces, None)
            more = piece is not None
            if piece is not None:
                pending.add(pool.submit(work, piece))
        done, pending = wait(pending, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


def _settle() -> None:
    """Prepare a worker: an interrupt is its parent's to handle, and it does not outlive a killed parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
