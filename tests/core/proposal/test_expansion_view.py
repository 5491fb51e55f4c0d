"""Growth as it is shown: rounded, with what is unknown left out."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, requirement, shop, sizing

from suanli.domain.workload import ClusterWish
from suanli.planning.cluster import plan_cluster
from suanli.planning.expansion.paths import growth_paths, recommended_target
from suanli.planning.expansion.results import ExpansionPlan, ExpansionStage, Kind, ServerForm
from suanli.planning.facility.results import RackRole
from suanli.proposal.expansion_view import expansion_view
from suanli.proposal.references import References
from suanli.proposal.topology_view import topology_view

if TYPE_CHECKING:
    from suanli.proposal.model import ExpansionView

KNOWN = catalogue(*shop())
WISH = replace(requirement(), cluster=ClusterWish(spare_nodes=0))


def stage(factor: int, days: float | None, efficiency: float | None) -> ExpansionStage:
    plan = plan_cluster(sizing(16 * factor), WISH, KNOWN)
    working = None if days is None else plan.sizing.accelerators
    return ExpansionStage(
        Fraction(factor),
        plan,
        None if days is None else days * 86400,
        efficiency,
        working,
        network_net=Decimal("1234.567") if factor == 1 else None,
        network_incomplete=True,
    )


def view() -> ExpansionView:
    stages = (stage(1, 40.0, 1.0), stage(2, 25.0, 0.8), stage(4, None, None))
    paths = growth_paths([(one.factor, one.plan) for one in stages])
    form = ServerForm(
        stages[0].plan, sized=True, other_device=False, repair_accelerators=8, domain_accelerators=8
    )
    plan = ExpansionPlan(stages, paths, recommended_target(paths), (form, replace(form, sized=False)))
    return expansion_view(plan, "CNY", References(KNOWN))


def test_sizes_are_multiples_with_days_and_efficiency_where_there_is_a_layout() -> None:
    today, twice, four = view().stages

    assert [one.factor for one in view().stages] == [1, 2, 4]
    assert [one.servers for one in view().stages] == [16, 32, 64]
    assert today.efficiency is None
    assert (twice.efficiency, twice.days and twice.days.value) == (Decimal("0.8"), Decimal("25.0"))
    assert (four.days, four.efficiency, four.idle_accelerators) == (None, None, None)


def test_a_price_of_the_network_that_misses_a_part_says_so_and_none_stays_none() -> None:
    today, twice, _ = view().stages

    assert today.network is not None
    assert (today.network.value, today.network.incomplete) == (Decimal("1234.57"), True)
    assert twice.network is None


def test_a_new_tier_is_marked_where_it_comes() -> None:
    # 16 servers of 8 ports fill two switches of 64 ports; all sizes have leaves and spines.
    assert [one.new_tier for one in view().stages] == [False, False, False]
    small = (
        ExpansionStage(Fraction(1), plan_cluster(sizing(8), WISH, KNOWN), None, None, None),
        ExpansionStage(Fraction(2), plan_cluster(sizing(16), WISH, KNOWN), None, None, None),
    )
    shown = expansion_view(ExpansionPlan(small, (), None), "CNY", References(KNOWN))
    assert [one.new_tier for one in shown.stages] == [False, True]
    assert (shown.recommended, shown.path, shown.in_place) == (None, None, None)


def test_the_first_network_of_a_single_server_is_no_new_tier() -> None:
    sizes = (
        ExpansionStage(Fraction(1), plan_cluster(sizing(1), WISH, KNOWN), None, None, None),
        ExpansionStage(Fraction(2), plan_cluster(sizing(2), WISH, KNOWN), None, None, None),
    )
    shown = expansion_view(ExpansionPlan(sizes, (), None), "CNY", References(KNOWN))
    assert [one.tiers for one in shown.stages] == [0, 1]
    assert not any(one.new_tier for one in shown.stages)


def test_what_the_chosen_path_spares_is_the_difference_to_growth_in_place() -> None:
    shown = view()

    assert shown.path is not None
    assert shown.in_place is not None
    assert shown.spared == shown.in_place.moved - shown.path.moved
    assert [path.recommended for path in shown.paths].count(True) == 1


def test_changes_of_things_that_neither_stage_has_are_left_out() -> None:
    kinds = {change.kind for path in view().paths for one in path.stages for change in one.changes}

    assert Kind.LEAF_SPINE_LINKS in kinds
    assert Kind.CORE not in kinds


def test_a_form_without_a_layout_has_no_days_and_no_communication() -> None:
    first, second = view().forms

    assert first.chosen
    assert first.days is not None
    assert not second.chosen
    assert (second.days, second.communication_share) == (None, None)
    assert first.repair_share == Decimal("0.063")


def test_racks_leave_the_power_that_the_servers_do_not_draw() -> None:
    today = view().stages[0]
    facility = stage(1, 40.0, 1.0).plan.facility
    assert facility is not None
    servers = [rack for rack in facility.racks if rack.role in {RackRole.COMPUTE, RackRole.MIXED}]
    drawn = sum(rack.count * rack.peak_w for rack in servers)

    assert today.racks == facility.rack_count
    assert today.rack_power_left is not None
    limit = sum(rack.count for rack in servers) * facility.rack_limit_w
    assert float(today.rack_power_left.value) == pytest.approx((limit - drawn) / 1e3, rel=0.01)


def test_power_that_racks_lack_is_a_shortfall_and_not_a_negative_rest() -> None:
    first = stage(1, 40.0, 1.0)
    facility = first.plan.facility
    assert facility is not None
    servers = [rack for rack in facility.racks if rack.role in {RackRole.COMPUTE, RackRole.MIXED}]
    lowered = replace(facility, rack_limit_w=max(rack.peak_w for rack in servers) - 1_000)
    short = replace(first, plan=replace(first.plan, facility=lowered))
    shown = expansion_view(ExpansionPlan((short,), (), None), "CNY", References(KNOWN)).stages[0]

    assert shown.rack_power_left is not None
    lacking = sum(rack.count * max(0.0, rack.peak_w - lowered.rack_limit_w) for rack in servers)
    assert shown.rack_power_short
    assert float(shown.rack_power_left.value) == pytest.approx(lacking / 1e3, rel=0.01)
    assert not view().stages[0].rack_power_short


def test_power_that_is_left_is_unknown_where_the_racks_are() -> None:
    first = stage(1, 40.0, 1.0)
    bare = replace(first, plan=replace(first.plan, facility=None))
    shown = expansion_view(ExpansionPlan((bare,), (), None), "CNY", References(KNOWN))

    assert shown.stages[0].rack_power_left is None


def test_an_unknown_network_is_not_drawn() -> None:
    bare = catalogue(*(one for one in shop() if one.id != "acme-64"))
    plan = plan_cluster(sizing(16), WISH, bare)

    assert topology_view(plan, References(bare)) is None


def test_the_drawing_has_the_counts_of_the_plan() -> None:
    plan = plan_cluster(sizing(16), WISH, KNOWN)
    drawn = topology_view(plan, References(KNOWN))

    assert drawn is not None
    assert {row.tier: row.count for row in drawn.rows} == {
        "spine": plan.fabric.spine_switches,
        "leaf": plan.fabric.leaf_switches,
    }
    assert sum(link.cables for link in drawn.links) == (plan.fabric.host_cables or 0) + (
        plan.fabric.fabric_cables or 0
    )
    assert sum(group.leaf_switches for group in drawn.groups) == plan.fabric.leaf_switches


def test_a_single_server_is_drawn_without_switches() -> None:
    drawn = topology_view(plan_cluster(sizing(1), WISH, KNOWN), References(KNOWN))

    assert drawn is not None
    assert (drawn.rows, drawn.links, drawn.groups, drawn.ports) == ((), (), (), 8)
