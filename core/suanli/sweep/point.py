"""One point of the grid computed: the project with its settings, sized, planned, costed, as rows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Final

from suanli.domain.workload import SolveFor
from suanli.errors import Fault, SuanliError
from suanli.pipeline import complete_quoted
from suanli.project.load import parse_project
from suanli.stages import judge, plan_all, size_all
from suanli.sweep.prices import change_prices, check_currencies
from suanli.sweep.rows import Row, error_row, failed_rows, feasible_rows

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Sizing
    from suanli.host.host import Host
    from suanli.proposal.options import Failed
    from suanli.sweep.job import Job

__all__ = ["UNREAD_BY_SIZING", "Bench", "Outcome", "SizingCache"]

UNREAD_BY_SIZING: Final = frozenset({"project", "site", "commercial", "claims", "assumptions", "notices"})
"""Parts of a requirement that the sizing never reads, unless it looks for the best within a budget."""

Sized = tuple["tuple[Sizing, ...]", "tuple[Failed, ...]"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one point yields."""

    point: int
    rows: list[Row]
    fault: bool = False
    """True where suanli itself failed at the point."""


@dataclass(slots=True)
class SizingCache:
    """The last sizings by what they depend on: prices, tariffs and PUE do not repeat the layout search.

    The key is every part of the requirement but those that the sizing never reads; a part that is added to a
    requirement is in the key until somebody shows that it need not be.
    """

    limit: int = 32
    """Sizings that are kept; neighbours in the order of work share theirs, so that few are enough."""
    misses: int = 0
    _kept: OrderedDict[Hashable, Sized] = field(default_factory=OrderedDict[Hashable, Sized])
    _lock: threading.Lock = field(default_factory=threading.Lock)
    """Workers of a cluster may run several points in threads of one process."""

    def size(self, requirement: Requirement, catalogue: Catalogue) -> Sized:
        """Return the sizings of a requirement, computed or remembered."""
        key = self.key(requirement)
        if key is None:
            return self._compute(requirement, catalogue)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        found = self._compute(requirement, catalogue)
        with self._lock:
            self._kept[key] = found
            if len(self._kept) > self.limit:
                self._kept.popitem(last=False)
        return found

    def _compute(self, requirement: Requirement, catalogue: Catalogue) -> Sized:
        with self._lock:
            self.misses += 1
        return size_all(requirement, catalogue, lambda _: None)

    @staticmethod
    def key(requirement: Requirement) -> Hashable | None:
        """Return what the sizings depend on; None where they depend on prices too."""
        if requirement.solve_for is SolveFor.BEST_WITHIN_BUDGET:
            return None
        return tuple(
            getattr(requirement, item.name)
            for item in fields(requirement)
            if item.name not in UNREAD_BY_SIZING
        )


@dataclass(slots=True)
class Bench:
    """Computes points of one job, with the host and the sizings of its process."""

    job: Job
    host: Host
    cache: SizingCache = field(default_factory=SizingCache)

    def compute(self, point: int) -> Outcome:
        """Return the rows of a point; whatever goes wrong is a row too."""
        try:
            return Outcome(point, self._rows(point))
        except SuanliError as error:
            return Outcome(point, [error_row("error", error.faults)])
        except Exception as error:  # noqa: BLE001 - one point must not end the thousands beside it
            what = f"fault of suanli: {type(error).__name__}: {error}"
            return Outcome(point, [error_row("fault", [Fault(what)])], fault=True)

    def _rows(self, point: int) -> list[Row]:
        job, grid = self.job, self.job.grid
        project = parse_project(job.text, job.path, (*job.settings, *grid.settings(point)))
        requirement, quoted = complete_quoted(project, self.host)
        check_currencies(grid.prices(point), requirement.commercial)
        catalogue = change_prices(quoted.catalogue, grid.prices(point))
        # Sizings hold no prices, so those of the unchanged catalogue serve all points, save within a budget.
        sized, failed = self.cache.size(requirement, catalogue)
        plans = plan_all(sized, requirement, catalogue, self.host.cost_lines)
        judged = judge(plans, requirement, catalogue)
        rows = feasible_rows(judged, requirement)
        rows += failed_rows(failed, len(plans), requirement, catalogue)
        return rows or [error_row("error", [Fault("no device is considered")])]
