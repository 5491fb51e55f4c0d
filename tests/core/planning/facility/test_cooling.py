"""Air or liquid by density and server, and what each loop takes."""

from __future__ import annotations

import pytest
from tests.core.planning.facility.halls import LIQUID, box, hall, servers
from tests.factories import catalogue

from suanli.domain.hardware import Cooling
from suanli.domain.market import SiteFigure
from suanli.planning.facility.cooling import AirLimits, air_limits, cooling_method, rack_limit_w
from suanli.planning.facility.results import BoxKind, CoolingConcern, CoolingMethod


@pytest.mark.parametrize(
    ("power_w", "liquid", "method"),
    [
        (30_000, False, CoolingMethod.AIR),
        (30_001, False, CoolingMethod.ASSISTED_AIR),
        (50_000, False, CoolingMethod.ASSISTED_AIR),
        (50_001, False, CoolingMethod.LIQUID_NEEDED),
        (10_000, True, CoolingMethod.LIQUID),
    ],
)
def test_density_decides_between_air_and_liquid(
    power_w: float, *, liquid: bool, method: CoolingMethod
) -> None:
    assert cooling_method(power_w, liquid=liquid, limits=AirLimits()) is method


def test_the_limits_of_air_are_those_of_the_catalogue() -> None:
    record = SiteFigure.model_validate(
        {
            "id": "rack-density-air-limit",
            "name": {"zh": "上限", "en": "limit"},
            "topic": "rack-density",
            "figure": {
                "value": 45,
                "unit": "kW",
                "source": "src",
                "confidence": "estimate",
                "check": "recall",
            },
        }
    )

    assert air_limits(catalogue(record)) == AirLimits(30_000, 45_000, ("src",))
    assert air_limits(catalogue()) == AirLimits()


def test_a_liquid_site_does_not_make_air_serve_more() -> None:
    assert rack_limit_w(Cooling.AIR, 60_000, AirLimits()) == 50_000
    assert rack_limit_w(Cooling.LIQUID, 60_000, AirLimits()) == 60_000
    assert rack_limit_w(Cooling.AIR, 35_000, AirLimits()) == 35_000


def test_all_power_becomes_heat_that_air_takes() -> None:
    plan = hall(servers(4, cooling=Cooling.AIR), box(BoxKind.LEAF, 2, 1, 1_500)).cooling

    assert plan.heat_w == pytest.approx(4 * 10_200 + 3_000)
    assert (plan.liquid_w, plan.air_w) == (0.0, plan.heat_w)
    assert plan.concerns == ()


def test_cold_plates_share_the_heat_of_the_servers_and_each_loop_is_sized_for_its_bad_end() -> None:
    plan = hall(servers(4, cooling=LIQUID), box(BoxKind.LEAF, 2, 1, 1_500), cooling=LIQUID).cooling

    assert plan.liquid_w == pytest.approx(0.95 * 4 * 10_200)
    assert plan.air_w == pytest.approx(0.3 * 4 * 10_200 + 3_000)
    assert plan.liquid_w + plan.air_w > plan.heat_w


@pytest.mark.parametrize(
    ("server", "place", "concerns"),
    [
        (LIQUID, Cooling.AIR, (CoolingConcern.LIQUID_SERVERS_AIR_SITE,)),
        (Cooling.AIR, LIQUID, (CoolingConcern.AIR_SERVERS_LIQUID_SITE,)),
        (None, LIQUID, ()),
        (LIQUID, LIQUID, ()),
    ],
)
def test_a_site_and_servers_that_do_not_fit_are_named(
    server: Cooling | None, place: Cooling, concerns: tuple[CoolingConcern, ...]
) -> None:
    assert hall(servers(4, cooling=server), cooling=place).cooling.concerns == concerns


def test_a_rack_that_no_air_can_cool_is_named() -> None:
    plan = hall(servers(2, watts=55_000, cooling=Cooling.AIR), per_rack=0, rack_w=60_000)

    assert plan.cooling.concerns == (CoolingConcern.DENSITY_ABOVE_AIR,)
    assert plan.racks[0].method is CoolingMethod.LIQUID_NEEDED
