"""How the chosen cluster grows, what its network costs at each size, and which other servers could do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.costing.build import build_ledger
from suanli.planning.expansion.forms import server_forms
from suanli.planning.expansion.growth import expansion_stages
from suanli.planning.expansion.paths import growth_paths, recommended_target
from suanli.planning.expansion.results import ExpansionPlan
from suanli.planning.prices import without_lump_sums
from suanli.planning.results import BillCategory
from suanli.proposal.model import Verdict
from suanli.stages import failures_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from decimal import Decimal

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.planning.expansion.results import ExpansionStage
    from suanli.planning.results import ClusterPlan
    from suanli.stages import Choice

__all__ = ["plan_expansion", "with_expansion"]

_SUBJECTS = (Verdict.RECOMMENDED, Verdict.OVER_BUDGET, Verdict.ALTERNATE)
"""Verdicts of options that a document may describe in detail."""


def with_expansion(
    choice: Choice, requirement: Requirement, catalogue: Catalogue
) -> Mapping[str, ClusterPlan]:
    """Return the options, with the growth of the one that the document describes.

    That is the recommended one, else the first that may be delivered.
    """
    keys = sorted(
        (key for key in choice.plans if choice.verdicts[key] in _SUBJECTS),
        key=lambda key: choice.verdicts[key] is not Verdict.RECOMMENDED,
    )
    plans = dict(choice.plans)
    for key in keys[:1]:
        expansion = plan_expansion(plans[key], choice.plans.values(), requirement, catalogue)
        plans[key] = replace(plans[key], expansion=expansion)
    return plans


def plan_expansion(
    plan: ClusterPlan, considered: Iterable[ClusterPlan], requirement: Requirement, catalogue: Catalogue
) -> ExpansionPlan:
    """Return how a cluster grows.

    Args:
        plan: the cluster of today.
        considered: clusters of all options.
        requirement: the job, the site and the factors of growth.
        catalogue: hardware and prices.
    """
    # A lump sum of today's cluster says nothing of one that is twice the size.
    catalogue = without_lump_sums(catalogue)
    failures = failures_of(catalogue, requirement)
    stages = tuple(
        _costed(stage, requirement, catalogue)
        for stage in expansion_stages(plan, requirement, catalogue, failures)
    )
    price = _switch_price(stages, requirement, catalogue)
    paths = tuple(
        replace(path, extra_net=price * path.extra_today) if price and path.extra_today else path
        for path in growth_paths([(stage.factor, stage.plan) for stage in stages])
    )
    forms = server_forms(plan, considered, requirement, catalogue, failures)
    return ExpansionPlan(stages, paths, recommended_target(paths), forms)


def _switch_price(
    stages: tuple[ExpansionStage, ...], requirement: Requirement, catalogue: Catalogue
) -> Decimal | None:
    """Return the price of one switch, which is the same at every size that has any."""
    last = stages[-1].plan
    values = build_ledger([("K", last)], requirement, catalogue).values()
    return values.get("K.bill.leaf-switches.unit_price")


def _costed(stage: ExpansionStage, requirement: Requirement, catalogue: Catalogue) -> ExpansionStage:
    """Return a stage with the price of its network, as the ledger of the proposal computes it."""
    ledger = build_ledger([("K", stage.plan)], requirement, catalogue)
    name = f"K.block.{BillCategory.NETWORK}.net"
    line = next((line for line in ledger.lines if line.id == name), None)
    price = ledger.values().get(name)
    if line is None or not price:
        # Nothing to pay, or nothing that has a price: no amount either way.
        return stage
    return replace(stage, network_net=price, network_incomplete=line.incomplete)
