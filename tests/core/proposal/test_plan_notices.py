"""What a reader is told beside the figures: racks too weak for a server, spares beyond reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, requirement, shop, sizing

from suanli.planning.cluster import plan_cluster
from suanli.proposal.plan_notices import plan_notices

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement
    from suanli.planning.results import ClusterPlan

KNOWN = catalogue(*shop())


def weak_racks() -> Requirement:
    """Return a site whose racks may draw 9 kW."""
    return replace(requirement(), site=replace(requirement().site, rack_power_w=9_000.0))


def told(plan: ClusterPlan) -> list[str]:
    return [notice.en for notice in plan_notices({"A": plan}, requirement())]


def test_a_server_that_draws_more_than_a_rack_may_is_told_with_its_numbers() -> None:
    plan = plan_cluster(sizing(4), weak_racks(), KNOWN)
    assert plan.facility is not None
    alone = sum(rack.count for rack in plan.facility.racks if rack.peak_w > 9_000)
    (notice,) = [one for one in told(plan) if "cannot be installed" in one]

    assert "a peak of 10 kW into a rack that may draw 9 kW" in notice
    assert f"It takes {alone} racks with supply and cooling of at least 10 kW" in notice
    assert alone == plan.nodes


def test_racks_that_hold_their_servers_are_no_notice() -> None:
    assert not [one for one in told(plan_cluster(sizing(4), requirement(), KNOWN)) if "installed" in one]


@pytest.mark.parametrize(
    ("units", "spares", "told_of"), [(8, 5, True), (8, 4, False), (1, 1, False), (1, 2, True)]
)
def test_spares_beyond_half_of_the_servers_are_told(units: int, spares: int, *, told_of: bool) -> None:
    plan = plan_cluster(sizing(4), requirement(), KNOWN)
    assert plan.availability is not None
    kept = replace(plan.availability.spares, count=spares, units=units)
    changed = replace(plan, availability=replace(plan.availability, spares=kept))
    found = [one for one in told(changed) if f"{spares} spares stand by for {units} units at work" in one]

    assert bool(found) is told_of
