"""The stages of the pipeline that need more than one call: sizing, budget, choice."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from suanli.costing.build import build_ledger
from suanli.costing.edits import edited_plan
from suanli.domain.figure import Grade
from suanli.domain.hardware import Accelerator
from suanli.domain.market import Reliability
from suanli.domain.workload import SolveFor
from suanli.errors import Fault, InputError
from suanli.estimation.devices import candidate_devices
from suanli.estimation.goodput import DEFAULT_FAILURES, FailureModel, as_stated, failure_rate
from suanli.estimation.results import Constraint, Infeasible, Remedy, RemedyKind, Sizing
from suanli.estimation.sizing import size, size_at
from suanli.estimation.space import Depth
from suanli.planning.cluster import plan_cluster
from suanli.planning.compliance import delivery
from suanli.planning.shop import Shop
from suanli.proposal.build import option_key
from suanli.proposal.options import Failed, deadline_met
from suanli.proposal.verdicts import Candidate, rank, verdicts

if TYPE_CHECKING:
    from decimal import Decimal

    from suanli.costing.ledger import Ledger
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Device
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.contributions import CostLines
    from suanli.proposal.model import Verdict

__all__ = ["Choice", "Judged", "choose", "failures_of", "judge", "plan_all", "size_all", "smallest_that_fits"]

Progress = Callable[[str], None]


def failures_of(catalogue: Catalogue, requirement: Requirement | None = None) -> FailureModel:
    """Return the failure model to plan with: the published rate that was read best, the higher one of equals.

    Ids and the order of plugins never decide. What a project states about failures and checkpoints stands in
    place of it.
    """
    rated = [
        (_GRADES.index(figure.grade), -figure.si, FailureModel(figure.si, figure.source))
        for record in catalogue.all(Reliability)
        if (figure := failure_rate(record)) is not None and figure.grade is not Grade.BARRED
    ]
    published = min(rated, key=lambda one: one[:2])[2] if rated else DEFAULT_FAILURES
    if requirement is None:
        return published
    return as_stated(published, requirement.storage, requirement.reliability)


_GRADES = tuple(Grade)


def size_all(
    requirement: Requirement, catalogue: Catalogue, progress: Progress
) -> tuple[tuple[Sizing, ...], tuple[Failed, ...]]:
    """Return a sizing for every device that can do the job, and the reason for every one that cannot."""
    sized: list[Sizing] = []
    failed: list[Failed] = []
    for found in candidate_devices(requirement, catalogue):
        if isinstance(found, tuple):
            accelerator_id, verdict = found
            failed.append(Failed(catalogue.get(Accelerator, accelerator_id), None, verdict))
            continue
        progress(found.accelerator.id)
        result = _size(found, requirement, catalogue)
        if isinstance(result, Sizing):
            sized.append(result)
        else:
            failed.append(Failed(found.accelerator, found.server, result))
    return tuple(sized), tuple(failed)


def _size(device: Device, requirement: Requirement, catalogue: Catalogue) -> Sizing | Infeasible:
    if requirement.solve_for is SolveFor.BEST_WITHIN_BUDGET:
        return _size_within_budget(device, requirement, catalogue)
    return size(device, requirement, failures_of(catalogue, requirement))


def _size_within_budget(
    device: Device, requirement: Requirement, catalogue: Catalogue
) -> Sizing | Infeasible:
    """Return the largest whole-node cluster whose gross purchase price is within the budget.

    The price rises with the number of servers, so doubling finds the bracket and bisection the largest.
    """
    budget = requirement.commercial.budget
    if budget is None:
        raise InputError(
            Fault(
                "no budget is given", key="commercial.budget", why="solve_for: best-within-budget needs one"
            )
        )

    def at(nodes: int) -> tuple[Sizing | Infeasible, bool]:
        found = _coarse_at(device, requirement, nodes, catalogue)
        price = _gross(found, requirement, catalogue) if isinstance(found, Sizing) else None
        # An unpriced cluster cannot be held against a budget, so it is never within one.
        fits = isinstance(found, Infeasible) or (price is not None and price <= budget.amount)
        return found, fits

    low, high, best = 0, 1, None
    found, affordable = at(high)
    while affordable and high < _MOST_NODES:
        low, best = high, found
        high *= 2
        found, affordable = at(high)
    while high - low > 1:
        middle = (low + high) // 2
        found, affordable = at(middle)
        low, high, best = (middle, high, found) if affordable else (low, middle, best)
    if isinstance(best, Sizing):
        # Servers that the best layout leaves idle are not bought.
        count = device.server.accelerator_count
        nodes = math.ceil(best.accelerators / count)
        final = size_at(device, requirement, nodes * count, failures_of(catalogue, requirement))
        return replace(final if isinstance(final, Sizing) else best, nodes=nodes, binding=Constraint.BUDGET)
    return _beyond_budget(device, requirement, catalogue, budget.amount, best)


def _coarse_at(
    device: Device, requirement: Requirement, nodes: int, catalogue: Catalogue
) -> Sizing | Infeasible:
    """Return the sizing of so many servers by fewer layouts, for those who try many sizes."""
    accelerators = nodes * device.server.accelerator_count
    return size_at(device, requirement, accelerators, failures_of(catalogue, requirement), Depth.COARSE)


_MOST_NODES = 8192
"""Largest cluster that a budget is spent on; none larger was published for one training job."""


def _beyond_budget(
    device: Device,
    requirement: Requirement,
    catalogue: Catalogue,
    budget: Decimal,
    largest: Infeasible | None,
) -> Infeasible:
    smallest = smallest_that_fits(device, requirement, catalogue)
    if smallest is None:
        return largest or Infeasible(Constraint.MEMORY, need=1.0, have=0.0)
    gross = _gross(smallest, requirement, catalogue)
    if gross is None:
        # Without a price of the servers nobody can say what would do.
        return Infeasible(Constraint.BUDGET, need=float(budget), have=float(budget))
    price = float(math.ceil(gross))
    remedy = Remedy(RemedyKind.MORE_BUDGET, price)
    return Infeasible(Constraint.BUDGET, need=price, have=float(budget), remedies=(remedy,))


def _gross(sizing: Sizing, requirement: Requirement, catalogue: Catalogue) -> Decimal | None:
    plan = plan_cluster(sizing, requirement, catalogue, studied=False)
    ledger = build_ledger([("A", plan)], requirement, catalogue)
    return ledger.values_of(("A.capex.gross",))["A.capex.gross"] if ledger.whole else None


_TRIES = 3
"""Sizes that are tried until waiting for repairs no longer breaks the deadline."""
_MOST_WAITING = 1.25
"""Run with such delays over run without, above which more servers are no answer: spares or uplinks are."""


def _in_time(sizing: Sizing, requirement: Requirement, catalogue: Catalogue) -> ClusterPlan:
    """Return the plan of a sizing, or of a larger one where only the plan's own delays break the deadline.

    The sizing knows failures and checkpoints; how long a failed server is missing follows from its spares,
    and what oversubscription costs from the network.
    """
    job, plan = requirement.workload, plan_cluster(sizing, requirement, catalogue)
    if requirement.solve_for is not SolveFor.ACCELERATORS or requirement.cluster.accelerators is not None:
        return plan
    for _ in range(_TRIES):
        known = plan.availability
        if known is None or job.deadline_s is None or deadline_met(plan, requirement) is not False:
            return plan
        waited = known.adjusted_s.p50 / sizing.duration_s.p50
        if waited > _MOST_WAITING:
            return plan
        sooner = replace(job, deadline_s=job.deadline_s / waited)
        wanted = replace(requirement, workload=sooner)
        found = size(plan.sizing.device, wanted, failures_of(catalogue, wanted))
        if not isinstance(found, Sizing) or found.accelerators <= sizing.accelerators:
            return plan
        sizing, plan = found, plan_cluster(found, requirement, catalogue)
    return plan


def plan_all(
    sized: tuple[Sizing, ...], requirement: Requirement, catalogue: Catalogue, extra: tuple[CostLines, ...]
) -> tuple[ClusterPlan, ...]:
    """Return the cluster of each sizing, with the lines that plugins add and what was changed by hand."""
    plans: list[ClusterPlan] = []
    for sizing in sized:
        plan = _in_time(sizing, requirement, catalogue)
        added = tuple(item for lines in extra for item in lines.items(plan, requirement))
        shop = Shop(catalogue, requirement.site.region, plan.sizing.device.accelerator.id)
        added = shop.with_line_prices(added)
        whole = replace(plan, bill=plan.bill + added) if added else plan
        plans.append(edited_plan(whole, requirement))
    return tuple(plans)


@dataclass(frozen=True, slots=True)
class Choice:
    """The options in the order of the document, with verdicts, and the ledger under their final keys."""

    plans: Mapping[str, ClusterPlan]
    verdicts: Mapping[str, Verdict]
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Judged:
    """The options under draft keys, in the order they were sized, with all that their verdicts rest on."""

    candidates: Mapping[str, Candidate]
    order: tuple[str, ...]
    """Draft keys from best to worst."""
    verdicts: Mapping[str, Verdict]
    ledger: Ledger
    """Under the draft keys."""


def judge(plans: tuple[ClusterPlan, ...], requirement: Requirement, catalogue: Catalogue) -> Judged:
    """Return the options costed, ranked and judged."""
    drafts = {option_key(index): plan for index, plan in enumerate(plans)}
    ledger = build_ledger(list(drafts.items()), requirement, catalogue)
    candidates = _candidates(drafts, ledger, requirement, catalogue)
    order = rank(candidates, requirement)
    return Judged(candidates, order, verdicts(order, candidates, requirement), ledger)


def choose(plans: tuple[ClusterPlan, ...], requirement: Requirement, catalogue: Catalogue) -> Choice:
    """Return the options ranked and judged; the ledger is built again under the final keys."""
    judged = judge(plans, requirement, catalogue)
    final = {option_key(index): judged.candidates[key].plan for index, key in enumerate(judged.order)}
    return Choice(
        plans=final,
        verdicts={option_key(index): judged.verdicts[key] for index, key in enumerate(judged.order)},
        ledger=build_ledger(list(final.items()), requirement, catalogue),
    )


def _candidates(
    drafts: Mapping[str, ClusterPlan], ledger: Ledger, requirement: Requirement, catalogue: Catalogue
) -> dict[str, Candidate]:
    asked = [f"{key}.{name}" for key in ledger.whole for name in ("tco.net", "capex.gross")]
    asked += [f"{key}.energy.kwh_run" for key, plan in drafts.items() if plan.edits]
    values = ledger.values_of(asked)
    region, day = requirement.delivery_region, requirement.project.day
    return {
        key: Candidate(
            plan=plan,
            deliverability=delivery(plan.sizing.device.accelerator.id, region, day, catalogue).deliverability,
            tco=values[f"{key}.tco.net"] if key in ledger.whole else None,
            capex_gross=values[f"{key}.capex.gross"] if key in ledger.whole else None,
            # Where the budget or a given cluster is what binds, the deadline is a wish.
            late=requirement.solve_for is SolveFor.ACCELERATORS and deadline_met(plan, requirement) is False,
            edited_kwh=float(values[f"{key}.energy.kwh_run"]) if plan.edits and plan.energy else None,
        )
        for key, plan in drafts.items()
    }


def smallest_that_fits(device: Device, requirement: Requirement, catalogue: Catalogue) -> Sizing | None:
    """Return the sizing of the fewest whole servers on which the job fits at all, or None."""

    def at(nodes: int) -> Sizing | Infeasible:
        return _coarse_at(device, requirement, nodes, catalogue)

    low, high = 0, 1
    found = at(high)
    while isinstance(found, Infeasible):
        if high >= _MOST_NODES:
            return None
        low, high = high, 2 * high
        found = at(high)
    best = found
    while high - low > 1:
        middle = (low + high) // 2
        trial = at(middle)
        if isinstance(trial, Sizing):
            high, best = middle, trial
        else:
            low = middle
    return best
