"""What a plan does where a figure is barred, unknown or out of reach."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.factories import catalogue, device, gbit, number, power_model, price, server, shop, switch, watts

from suanli.domain.market import PriceKind
from suanli.planning import defaults
from suanli.planning.energy import carbon_kg, facility_kwh, it_kwh
from suanli.planning.network.fabric import plan_fabric
from suanli.planning.power import rack_fit, server_power
from suanli.planning.prices import class_price


def test_a_barred_port_rate_builds_no_network() -> None:
    rate = gbit(400).model_copy(update={"barred": True})
    refuted = switch().model_copy(update={"port_rate": rate})
    rows = [row for row in shop() if row.id != "acme-64"]
    assert plan_fabric(catalogue(*rows, refuted), server(), 4).known is False


def test_more_servers_than_three_tiers_join_leave_the_counts_unknown() -> None:
    rows = [row for row in shop() if row.id != "acme-64"]
    plan = plan_fabric(catalogue(*rows, switch(ports=4)), server(), 100)
    assert plan.switch is not None
    assert (plan.known, plan.endpoints, plan.switches) == (False, 800, None)


def test_a_barred_share_of_the_host_falls_back_on_the_stated_default() -> None:
    model = power_model()
    assert model.host_share is not None
    barred = model.model_copy(update={"host_share": model.host_share.model_copy(update={"barred": True})})
    chip = device().accelerator.model_copy(update={"tdp": watts(700)})
    found = server_power(replace(device(box=server(), chip=chip), power=barred))
    assert found is not None
    assert found.estimated
    assert found.training_w.p50 == pytest.approx(8 * 700 * (1 + defaults.HOST_SHARE[1]))


@pytest.mark.parametrize(
    ("units", "rack_w", "fit"),
    [
        (None, 35_000, (3, 1)),  # height unknown: power alone decides
        (8.0, 35_000, (3, 1)),
        (20.0, 35_000, (2, 1)),  # two of 20 U in 40 usable
        (48.0, 35_000, (1, 1)),  # a rack of its own
        (96.0, 35_000, (1, 2)),  # a supernode of two racks
        (8.0, 9_000, (0, 1)),  # one alone draws too much
    ],
)
def test_a_rack_takes_what_power_and_height_allow(
    units: float | None, rack_w: float, fit: tuple[int, int]
) -> None:
    assert rack_fit(device(box=server(units=units)), 10_000, rack_w) == fit


def test_the_nearest_place_prices_a_thing() -> None:
    rows = {
        region: price(f"rack-{region or 'world'}".lower(), "1", PriceKind.RACK, basis="rack", region=region)
        for region in ("CN-GZ", "CN", "", "US")
    }
    known = dict(rows)
    for expected in ("CN-GZ", "CN", "", "US"):
        found = class_price(catalogue(*known.values()), "rack", "CN-GZ")
        assert found == rows[expected]
        del known[expected]


def test_energy_is_hours_times_power_times_pue_and_carbon_follows() -> None:
    assert carbon_kg(facility_kwh(it_kwh(1000, 250_000), 1.25), 0.5366) == pytest.approx(167_687.5)
    with pytest.raises(ValueError, match="below 1"):
        facility_kwh(1, 0.99)


def test_a_figure_of_nothing_is_not_an_unknown_one() -> None:
    assert number(0.0).si == 0.0
    assert server(units=None).rack_units is None
