"""What oversubscription saves and costs, and the two shapes of one network."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.planning.network.test_link_options import asked

from suanli.domain.workload import ClusterWish
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.step_time import step_arrays
from suanli.planning.network.results import NetworkShape, SubscriptionRow
from suanli.planning.network.subscription import plan_shapes, plan_subscription
from suanli.planning.network.traffic import plan_traffic

if TYPE_CHECKING:
    from suanli.planning.network.link_options import Asked


def rows(query: Asked) -> tuple[SubscriptionRow, ...]:
    traffic = plan_traffic(query.problem, query.layout, query.step, query.fabric, 8)
    return plan_subscription(query, traffic)


def with_ratio(query: Asked, ratio: float) -> Asked:
    wish = ClusterWish(oversubscription=ratio)
    return replace(query, requirement=replace(query.requirement, cluster=wish))


def test_a_narrower_network_saves_switches_and_cables_and_exposes_more() -> None:
    found = rows(asked())
    assert [row.asked for row in found] == [1.0, 2.0, 4.0]
    for one, other in itertools.pairwise(found):
        assert other.switches < one.switches
        assert other.cables < one.cables
        assert other.exposed_share > one.exposed_share
        assert other.step_s > one.step_s


def test_bisection_is_that_of_the_ratio_as_built() -> None:
    for row in rows(asked()):
        assert row.bisection_bytes_per_s == pytest.approx(64 * 8 / 2 * 50e9 / row.ratio)
        assert row.ratio <= row.asked + 1e-9


def test_without_oversubscription_the_row_is_the_sizing_itself() -> None:
    query = asked()
    first = rows(query)[0]

    assert first.chosen
    assert first.step_s == pytest.approx(query.step.total_s)
    assert first.exposed_share == pytest.approx(query.step.communication_share)


def test_traffic_over_the_spines_slows_as_if_its_port_had_the_uplinks_share() -> None:
    query = asked()
    two = next(row for row in rows(query) if row.asked == 2.0)
    constants = query.problem.constants
    slow = replace(
        query.problem, constants=replace(constants, nic_bytes_per_s=constants.nic_bytes_per_s / two.ratio)
    )
    # All that leaves a server here is data parallel and crosses the spines.
    assert two.step_s == pytest.approx(float(step_arrays(slow, LayoutArrays.of(query.layout)).total_s.item()))


def test_the_users_ratio_is_a_row_and_is_marked() -> None:
    found = rows(with_ratio(asked(), 3.0))

    assert [row.asked for row in found] == [1.0, 2.0, 3.0, 4.0]
    assert [row.chosen for row in found] == [False, False, True, False]


def test_traffic_that_stays_below_the_spines_has_no_rows() -> None:
    assert rows(asked(servers=8)) == ()


def test_rails_cost_switches_where_their_groups_are_not_full() -> None:
    shapes = {one.shape: one for one in plan_shapes(asked(servers=40))}

    assert shapes[NetworkShape.FAT_TREE].leaf == 10
    assert shapes[NetworkShape.RAIL_OPTIMISED].leaf == 16
    assert shapes[NetworkShape.RAIL_OPTIMISED].chosen
    assert not shapes[NetworkShape.FAT_TREE].chosen
