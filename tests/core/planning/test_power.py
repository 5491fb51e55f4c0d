from __future__ import annotations

from dataclasses import replace

import pytest
from tests.factories import accelerator, catalogue, device, link, requirement, server, switch, watts

from suanli.planning import defaults
from suanli.planning.network.fabric import plan_fabric
from suanli.planning.power import SupportLoad, plan_power, rack_fit, server_power, servers_per_rack


def test_training_and_idle_power_are_shares_of_the_nameplate() -> None:
    power = server_power(device())

    assert power is not None
    assert (power.peak_w, power.idle_w, power.estimated) == (10_000, 3_500, False)
    assert (power.training_w.p10, power.training_w.p50, power.training_w.p90) == (7_000, 8_000, 9_000)


def test_without_a_nameplate_power_is_devices_times_tdp_with_the_hosts_share() -> None:
    power = server_power(device(server(), accelerator(tdp=watts(400))))

    assert power is not None
    assert power.estimated
    assert power.training_w.p50 == pytest.approx(8 * 400 * 1.5)
    assert power.training_w.p10 == pytest.approx(8 * 400 * 1.4)
    assert power.training_w.p90 == pytest.approx(8 * 400 * 1.8)
    assert power.peak_w == pytest.approx(8 * 400 * 1.8)


def test_an_uncertain_tdp_widens_the_range() -> None:
    sure = server_power(device(server(), accelerator(tdp=watts(400))))
    unsure = server_power(device(server(), accelerator(tdp=watts(400, low=300, high=450))))

    assert sure is not None
    assert unsure is not None
    assert unsure.training_w.p10 < sure.training_w.p10
    assert unsure.training_w.p90 > sure.training_w.p90


def test_power_is_unknown_where_neither_nameplate_nor_tdp_is_known() -> None:
    assert server_power(device(server(), accelerator())) is None


def test_power_supplies_are_never_added_up() -> None:
    box = server().model_copy(update={"power_supplies": "6 x 3.0 kW"})

    assert server_power(device(box, accelerator())) is None


def test_a_refuted_nameplate_is_not_used() -> None:
    box = server(max_power=watts(26_400).model_copy(update={"barred": True}))
    power = server_power(device(box, accelerator(tdp=watts(400))))

    assert power is not None
    assert power.estimated


def test_without_a_power_model_the_stated_defaults_apply() -> None:
    power = server_power(replace(device(), power=None))

    assert power is not None
    assert power.training_w.p50 == 10_000 * defaults.TRAINING_SHARE[1]
    assert power.idle_w == 10_000 * defaults.IDLE_SHARE


@pytest.mark.parametrize(
    ("server_w", "rack_w", "units", "count"),
    [(10_000, 35_000, 8, 3), (5_000, 60_000, 8, 5), (5_000, 60_000, None, 12), (40_000, 35_000, 8, 0)],
    ids=["power-binds", "height-binds", "height-unknown", "too-strong"],
)
def test_a_rack_takes_what_power_and_height_allow(
    server_w: float, rack_w: float, units: float | None, count: int
) -> None:
    assert servers_per_rack(server_w, rack_w, units) == count


def test_a_supernode_spreads_its_power_over_its_racks() -> None:
    supernode = device(server(units=752, max_power=watts(560_000)))

    assert rack_fit(supernode, 560_000, 40_000) == (1, 16)


def test_the_network_and_the_spares_are_in_the_power_of_the_cluster() -> None:
    fabric = plan_fabric(catalogue(link(), switch()), server(), 5)
    beside = SupportLoad(peak_w=4_000, training_w=3_000)
    plan = plan_power(device(), 4, 1, fabric, requirement().site, support=beside)

    assert plan is not None
    assert plan.network_w == 1_500
    assert plan.it_peak_w == pytest.approx(5 * 10_000 + 1_500 + 4_000)
    assert plan.it_training_w.p50 == pytest.approx(4 * 8_000 + 3_500 + 1_500 + 3_000)
    assert plan.facility_peak_w == pytest.approx(plan.it_peak_w * 1.25)
    assert (plan.racks, plan.servers_per_rack) == (2, 3)


def test_a_server_above_the_racks_power_is_flagged_not_hidden() -> None:
    strong = device(server(max_power=watts(50_000)))
    fabric = plan_fabric(catalogue(link(), switch()), server(), 4)
    plan = plan_power(strong, 4, 0, fabric, requirement().site)

    assert plan is not None
    assert plan.over_rack_limit
    assert plan.racks == 4
