"""Points computed on a Dask cluster; needs the optional extra ``dask`` here and suanli on every worker."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from suanli.errors import Fault, InputError, RenderError, SuanliError
from suanli.sweep.executors import IN_FLIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from suanli.sweep.executors import Points, Work
    from suanli.sweep.point import Outcome

__all__ = ["DaskCluster", "connect"]

_KEY = "--scheduler"
_CONNECT_S = 20
"""How long to wait for the scheduler, and then for its first worker."""


@dataclass(frozen=True, slots=True)
class DaskCluster:
    """Computes on the workers of a Dask scheduler."""

    client: Any
    workers: int
    """Threads of all workers when the sweep began; more may join."""

    def run(self, work: Work, pieces: Iterable[Points]) -> Iterator[list[Outcome]]:
        """Yield the outcomes of each piece as it is done.

        Raises:
            RenderError: workers were lost, or cannot import what the work needs.
        """
        distributed = import_module("distributed")
        waiting = iter(pieces)
        pending: set[Any] = set()
        more = True
        while more or pending:
            while more and len(pending) < self.workers * IN_FLIGHT:
                piece = next(waiting, None)
                more = piece is not None
                if piece is not None:
                    # Not pure: the rows come from the work alone, and no result is kept on the cluster.
                    pending.add(self.client.submit(work, piece, pure=False))
            if pending:
                done, pending = distributed.wait(pending, return_when="FIRST_COMPLETED")
                for future in done:
                    yield _result(future)

    def close(self) -> None:
        """Leave the cluster; its workers stay."""
        self.client.close()


def _result(future: Any) -> list[Outcome]:  # noqa: ANN401 - the library has no types of its own
    try:
        outcomes: list[Outcome] = future.result()
    except SuanliError:
        raise
    except ImportError as error:
        cure = "install the same suanli and plugins on every worker"
        raise RenderError(
            Fault(f"a worker cannot import what it needs: {error}", key=_KEY, cure=cure)
        ) from error
    except Exception as error:
        # What the cluster raises is its own affair: lost workers, lost connections, cancelled work.
        cure = "run the same command again: finished points are kept"
        what = f"the cluster failed: {type(error).__name__}: {error}"
        raise RenderError(Fault(what, key=_KEY, cure=cure)) from error
    return outcomes


def connect(address: str) -> DaskCluster:
    """Return the cluster of a scheduler.

    Args:
        address: such as ``tcp://10.0.0.1:8786``.

    Raises:
        InputError: no scheduler answers at the address.
        RenderError: Dask is not installed, or the scheduler has no workers.
    """
    try:
        distributed = import_module("distributed")
    except ImportError:
        cure = "install the extra: pip install 'suanli[dask]'"
        raise RenderError(Fault("Dask is not installed", key=_KEY, cure=cure)) from None
    try:
        client: Any = distributed.Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError, TimeoutError) as error:
        cure = "give the address that the scheduler prints when it starts, such as tcp://10.0.0.1:8786"
        what = f'no Dask scheduler answers at "{address}"'
        raise InputError(Fault(what, key=_KEY, why=str(error), cure=cure)) from error
    try:
        client.wait_for_workers(1, timeout=_CONNECT_S)
    except TimeoutError:
        client.close()
        cure = f"start some: dask worker {address}"
        raise RenderError(Fault("the scheduler has no workers", key=_KEY, cure=cure)) from None
    return DaskCluster(client, sum(client.nthreads().values()))
