"""Which option is recommended, which are alternates, and why the others are not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.domain.regions import country
from suanli.domain.vendor import Deliverability
from suanli.domain.workload import Objective, Requirement
from suanli.proposal.model import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from suanli.planning.results import ClusterPlan

__all__ = ["Candidate", "rank", "verdicts"]

_BARRED = {Deliverability.BARRED, Deliverability.LICENCE}
"""A device that needs a licence nobody holds yet cannot be the recommendation."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A costed option, before it has its final key."""

    plan: ClusterPlan
    deliverability: Deliverability
    tco: Decimal | None
    """None where the servers are not priced."""
    capex_gross: Decimal | None
    late: bool = False
    """Whether the deadline is missed once waiting for repairs is counted."""
    edited_kwh: float | None = None
    """Energy of a run where figures of the option were changed by hand; None: as planned."""

    @property
    def refused(self) -> bool:
        """Tell whether the framework is known not to run the layout."""
        software = self.plan.software
        return software is not None and software.refused

    @property
    def duration_s(self) -> float:
        """Return the P50 duration."""
        return self.plan.sizing.duration_s.p50


def rank(candidates: Mapping[str, Candidate], requirement: Requirement) -> tuple[str, ...]:
    """Return keys from best to worst.

    Deliverable, within budget, in time and launchable, undoubted, preferred, then by objective.
    """
    return tuple(sorted(candidates, key=lambda key: (*_rank_key(candidates[key], requirement), key)))


def _rank_key(
    candidate: Candidate, requirement: Requirement
) -> tuple[bool, bool, bool, bool, bool, bool, float]:
    measure = {
        Objective.COST: math.inf if candidate.tco is None else float(candidate.tco),
        Objective.TIME: candidate.duration_s,
        Objective.ENERGY: _energy_kwh(candidate),
    }[requirement.objective]
    # A total that misses the servers' price would always look cheapest, so priced options come first.
    return (
        candidate.deliverability in _BARRED,
        over_budget(candidate, requirement),
        candidate.late or candidate.refused,
        # What needs a legal opinion first stands behind what does not.
        candidate.deliverability is Deliverability.UNKNOWN,
        not _preferred(candidate, requirement),
        candidate.tco is None,
        measure,
    )


def _energy_kwh(candidate: Candidate) -> float:
    if candidate.edited_kwh is not None:
        return candidate.edited_kwh
    energy = candidate.plan.energy
    # Unknown energy cannot be the smallest.
    return math.inf if energy is None else energy.facility_kwh_per_run.p50


def _preferred(candidate: Candidate, requirement: Requirement) -> bool:
    accelerator = candidate.plan.sizing.device.accelerator
    prefer = requirement.vendors.prefer
    if prefer == "domestic":
        return accelerator.origin == country(requirement.delivery_region)
    return not prefer or prefer == accelerator.vendor


def over_budget(candidate: Candidate, requirement: Requirement) -> bool:
    """Tell whether the gross purchase price is above the budget."""
    budget = requirement.commercial.budget
    gross = candidate.capex_gross
    return budget is not None and gross is not None and gross > budget.amount


def verdicts(
    order: tuple[str, ...], candidates: Mapping[str, Candidate], requirement: Requirement
) -> dict[str, Verdict]:
    """Return the verdict of each costed option; at most one is recommended.

    Args:
        order: keys from best to worst, as `rank` gives them.
        candidates: the options.
        requirement: the project.
    """
    found: dict[str, Verdict] = {}
    for key in order:
        candidate = candidates[key]
        if candidate.deliverability in _BARRED:
            found[key] = Verdict.BARRED
        elif over_budget(candidate, requirement):
            found[key] = Verdict.OVER_BUDGET
        elif candidate.late or candidate.refused:
            found[key] = Verdict.ALTERNATE
        elif Verdict.RECOMMENDED not in found.values() and candidate.tco is not None:
            found[key] = Verdict.RECOMMENDED
        else:
            found[key] = Verdict.ALTERNATE
    return found
