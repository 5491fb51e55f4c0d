"""Floor loads where weights are known, and the PUE beside planning values and limits."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tests.core.planning.facility.halls import box, hall, servers, site
from tests.factories import catalogue, number, text

from suanli.domain.hardware import Cooling
from suanli.domain.market import PueDefault
from suanli.planning.facility.floor import floor_kg_per_m2
from suanli.planning.facility.pue import plan_pue
from suanli.planning.facility.results import BoxKind


def test_the_floor_carries_rack_aisles_and_raised_floor() -> None:
    # 672 kg over 0.8 x 1.2 m and half of two aisles of 1.2 m, with 15 and 10 lb/ft2.
    assert floor_kg_per_m2(672) == pytest.approx((672 + 73 * 0.96 + 49 * 1.92) / 1.92)


def test_no_load_from_a_negative_weight() -> None:
    with pytest.raises(ValueError, match="no load"):
        floor_kg_per_m2(-1)


def test_a_rack_weighs_its_boxes_and_the_cabinet() -> None:
    plan = hall(servers(4, weight_kg=130.45))

    assert plan.racks[0].weight_kg == pytest.approx(4 * 130.45 + 150)
    assert plan.racks[0].floor_kg_per_m2 == pytest.approx(floor_kg_per_m2(4 * 130.45 + 150))


def test_an_unknown_weight_leaves_the_rack_unknown() -> None:
    plan = hall(servers(4, weight_kg=130.45), box(BoxKind.LEAF, 1, 1, 1_500))

    assert plan.racks[0].weight_kg is None
    assert plan.racks[0].floor_kg_per_m2 is None


def _row(key: str, value: float, cooling: str = "", region: str = "", **flags: bool) -> PueDefault:
    return PueDefault(
        id=key, name=text(key), cooling=cooling, region=region, pue=number(value, "PUE"), **flags
    )


ROWS = (
    _row("air-old", 1.4, "air"),
    _row("air-new", 1.25, "air"),
    _row("liquid", 1.15, "liquid"),
    _row("hub", 1.2, region="CN", limit=True, in_force=True),
    _row("new", 1.25, region="CN", limit=True, in_force=True),
    _row("past", 1.1, region="CN", limit=True),
    _row("elsewhere", 1.1, region="DE", limit=True, in_force=True),
)


def test_a_pue_is_compared_with_planning_values_for_the_cooling_and_limits_of_the_region() -> None:
    plan = plan_pue(site(), Cooling.AIR, catalogue(*ROWS))

    assert (plan.pue, plan.given, plan.planning) == (Decimal("1.25"), True, (1.25, 1.4))
    assert [(limit.name.en, limit.met) for limit in plan.limits] == [("hub", False), ("new", True)]
    assert not plan.optimistic


def test_the_pue_of_a_liquid_hall_is_too_low_for_servers_cooled_by_air() -> None:
    plan = plan_pue(site(pue=Decimal("1.15")), Cooling.AIR, catalogue(*ROWS))

    assert plan.optimistic
    assert not plan_pue(site(pue=Decimal("1.15")), Cooling.LIQUID, catalogue(*ROWS)).optimistic


def test_without_planning_values_nothing_is_said_of_a_pue() -> None:
    plan = plan_pue(site(pue_source="src"), Cooling.AIR, catalogue())

    assert (plan.planning, plan.limits, plan.given, plan.optimistic) == (None, (), False, False)
