"""The cluster at multiples of today's size, each planned as if it were bought whole."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from suanli.estimation.results import Sizing
from suanli.estimation.sizing import MOST_ACCELERATORS, size_at
from suanli.planning.cluster import plan_cluster
from suanli.planning.defaults_expansion import EXPANSION_FACTORS
from suanli.planning.expansion.results import ExpansionStage

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import ClusterWish, Requirement
    from suanli.estimation.goodput import FailureModel
    from suanli.planning.results import ClusterPlan

__all__ = ["expansion_factors", "expansion_stages", "scaling_efficiency"]


def expansion_factors(wish: ClusterWish) -> tuple[Fraction, ...]:
    """Return the later sizes as multiples of today's, rising: the project's, else the defaults.

    >>> from suanli.domain.workload import ClusterWish
    >>> [str(factor) for factor in expansion_factors(ClusterWish(expansion=(4.0, 1.5)))]
    ['3/2', '4']
    """
    stated = {Fraction(factor).limit_denominator(1000) for factor in wish.expansion}
    return tuple(sorted(factor for factor in stated if factor > 1)) or EXPANSION_FACTORS


def scaling_efficiency(today_s: float, later_s: float, today_nodes: int, later_nodes: int) -> float:
    """Return the speed-up over the growth of the servers, (T1 / Tk) * (n1 / nk).

    Args:
        today_s: T1, time of the run on today's cluster in s.
        later_s: Tk, time of the same run on the larger cluster in s, above 0.
        today_nodes: n1, servers at work today.
        later_nodes: nk, servers of the larger cluster, at least 1.

    Range of validity: the same run, its global batch included, which is what limits it at last.

    Source: Amdahl, "Validity of the single processor approach", AFIPS 1967 (fixed work, strong scaling).

    >>> scaling_efficiency(100.0, 60.0, 8, 16)
    0.8333333333333334
    """
    return today_s / later_s * today_nodes / later_nodes


def expansion_stages(
    plan: ClusterPlan, requirement: Requirement, catalogue: Catalogue, failures: FailureModel
) -> tuple[ExpansionStage, ...]:
    """Return today's cluster and its later sizes.

    Each runs the same job: model, tokens and global batch stay. Sizes beyond those that the estimator looks
    at are left out.
    """
    sizing = plan.sizing
    today = ExpansionStage(Fraction(1), plan, sizing.duration_s.p50, 1.0, sizing.accelerators)
    later = (
        _later(plan, factor, requirement, catalogue, failures)
        for factor in expansion_factors(requirement.cluster)
    )
    return (today, *(stage for stage in later if stage is not None))


def _later(
    plan: ClusterPlan,
    factor: Fraction,
    requirement: Requirement,
    catalogue: Catalogue,
    failures: FailureModel,
) -> ExpansionStage | None:
    today = plan.sizing
    nodes = math.ceil(today.nodes * factor)
    count = nodes * today.device.server.accelerator_count
    if count > MOST_ACCELERATORS:
        return None
    job = replace(requirement.workload, tokens=today.tokens)
    found = size_at(today.device, replace(requirement, workload=job), count, failures)
    # The number of spares that a project states is meant for today's size.
    wish = replace(requirement.cluster, spare_nodes=_spares(requirement.cluster, factor))
    grown = replace(requirement, cluster=wish)
    if not isinstance(found, Sizing):
        # Servers, network and power grow all the same; only the run cannot be told.
        goodput = replace(today.goodput, mtbf_s=today.goodput.mtbf_s / float(factor))
        sizing = replace(today, nodes=nodes, goodput=goodput)
        return ExpansionStage(factor, plan_cluster(sizing, grown, catalogue), None, None, None)
    sizing = replace(found, nodes=nodes)
    later_s = sizing.duration_s.p50
    return ExpansionStage(
        factor,
        plan_cluster(sizing, grown, catalogue),
        later_s,
        scaling_efficiency(today.duration_s.p50, later_s, today.nodes, nodes),
        sizing.accelerators,
    )


def _spares(wish: ClusterWish, factor: Fraction) -> int | None:
    """Return the spare servers that a project states, grown like the cluster."""
    return None if wish.spare_nodes is None else math.ceil(wish.spare_nodes * factor)
