"""Costs of runs, clusters, serving and sites: conventions, limits and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from suanli.errors import InputError
from suanli.finance.cluster_cost import (
    Cluster,
    RentedCluster,
    cost_share,
    implied_node_price,
    lifetime_cost,
    period_cost,
    relative_saving,
    rented_cost,
)
from suanli.finance.inference_cost import InferenceServer, Serving, server_year, serving_cost
from suanli.finance.service_margin import ComputeService, service_margin
from suanli.finance.site_cost import Hall, electricity_bill, hall_cost, pue_saving
from suanli.finance.training_cost import (
    AmortisedRun,
    InterconnectBasis,
    accelerator_hours_of_flops,
    amortised_run_cost,
    amortised_servers,
    hardware_value,
    interconnect_cost,
    purchase_cost,
    rental_cost,
    training_kwh,
    years_between,
)

if TYPE_CHECKING:
    from collections.abc import Callable

RUN = AmortisedRun(
    price=25_000,
    years_since_available=Decimal("1.5"),
    chip_hours=1e6,
    falling_per_year=Decimal("0.14"),
    hours_per_year=8_766,
    interconnect_share=Decimal("0.19"),
    interconnect_basis=InterconnectBasis.CLUSTER,
    server_over_chip_cost=Decimal("1.66"),
    chip_tdp_w=400,
    server_multiplier=2.03125,
    power_share=0.75,
    pue=1.25,
    electricity_price=Decimal("0.08"),
)
CLUSTER = Cluster(64, 8, 310_000, 8, 36_000, 675_840, 50_000)
RENTED = RentedCluster(512, Decimal("2.5"), 730, 12, {"storage": 1_000}, set_up=24_000)
SERVER = InferenceServer(370_000, 8, 3, 4_500, 20_000)
SERVING = Serving(100, 20.0, 1, 1_000, 200, 1, 3)
HALL = Hall(1_000, 0.5, 1.3, Decimal("0.08"), {"staff": 100_000})
SERVICE = ComputeService(1, 1, 100, 10, 8, 2, 5, 6, 1, 500, 50, 20, Decimal("0.1"))


def test_a_common_year_amortises_faster_than_one_of_365_days_and_a_quarter() -> None:
    common = amortised_run_cost(replace(RUN, hours_per_year=8_760)).servers
    assert common / amortised_run_cost(RUN).servers == pytest.approx(Decimal(8_766) / 8_760)


def test_amortisation_over_all_time_is_the_whole_value() -> None:
    """The rate at the start times the time over which an exponential of that rate falls to nothing."""
    value, trend = Decimal(1_000), Decimal("0.14")
    hours = 8_766 / (0.14 * math.log(10))
    assert amortised_servers(value, trend, hours, 8_766) == pytest.approx(value)


def test_a_share_of_the_cluster_is_more_than_the_same_share_as_a_mark_up() -> None:
    share = Decimal("0.19")
    of_cluster, mark_up = (interconnect_cost(100, share, basis) for basis in InterconnectBasis)

    assert of_cluster / (100 + of_cluster) == pytest.approx(share)
    assert mark_up == 19 < of_cluster
    assert interconnect_cost(100, 0, InterconnectBasis.CLUSTER) == 0


def test_parts_of_a_run_are_its_total() -> None:
    cost = amortised_run_cost(RUN)

    assert cost.total == cost.servers + cost.interconnect + cost.energy
    assert cost.per_chip_hour * 1_000_000 == pytest.approx(cost.total)
    assert cost.accelerators * RUN.server_over_chip_cost == pytest.approx(cost.servers)
    assert cost.energy_kwh == pytest.approx(1e6 * 0.4 * 2.03125 * 0.75 * 1.25)


def test_years_are_whole_days_over_the_days_of_a_year() -> None:
    assert years_between(date(2020, 8, 12), date(2022, 5, 12)) == Decimal(638) / Decimal("365.25")
    assert years_between(date(2022, 1, 1), date(2021, 1, 1), 365) == -1
    assert hardware_value(100, Decimal("0.14"), 0) == 100


def test_hours_of_work_at_half_the_utilisation_are_twice_as_many() -> None:
    full = accelerator_hours_of_flops(1e24, 989.4e12, 0.5)
    assert accelerator_hours_of_flops(1e24, 989.4e12, 0.25) == pytest.approx(2 * full)


def test_stages_of_a_rental_add_up() -> None:
    cost = rental_cost({"one": 10.5, "two": 0.25}, Decimal("2.5"))
    assert (cost.hours, cost.total) == (10.75, Decimal("26.875"))
    assert rental_cost({}, 2).total == 0


def test_a_month_of_720_hours_is_cheaper_than_one_of_730() -> None:
    months = [rented_cost(replace(RENTED, hours_per_month=hours)) for hours in (720, 730, 730.5)]

    assert [one.accelerator_month for one in months] == [921_600, 934_400, 935_040]
    assert all(one.total == 12 * one.month for one in months)
    assert months[1].month == 934_400 + 1_000 + 2_000


def test_a_cluster_without_switches_has_no_network() -> None:
    cost = lifetime_cost(replace(CLUSTER, switches=0, cabling=0))
    assert cost.network_share_of_hardware == 0
    assert cost.total == 64 * 360_000


def test_a_total_that_follows_its_price_implies_it() -> None:
    assert implied_node_price(CLUSTER, int(lifetime_cost(CLUSTER).total)) == CLUSTER.node_price


def test_a_period_as_long_as_the_life_uses_the_whole_purchase_up() -> None:
    cost = period_cost(
        1_000, 1_095, life_years=3, maintenance_share=Decimal("0.05"), energy_kwh=10, electricity_price=2
    )
    assert [cost.capex, cost.maintenance, cost.energy, cost.total] == [1_000, 150, 20, 1_170]


def test_whole_servers_are_at_least_the_fraction_and_a_full_one_is_not_rounded_up() -> None:
    cost = serving_cost(SERVER, SERVING)
    full = serving_cost(SERVER, replace(SERVING, peak_requests_per_s=160))

    assert cost.servers == pytest.approx(0.625)
    assert cost.whole_servers == full.whole_servers == 1
    assert full.whole_year == full.year
    assert full.whole_per_1000_prompts == pytest.approx(full.per_1000_prompts)
    assert cost.whole_per_1000_prompts > cost.per_1000_prompts


def test_tokens_of_a_prompt_cost_what_the_prompt_does() -> None:
    cost = serving_cost(SERVER, SERVING)
    tokens = cost.per_million_input_tokens * 1_000 + cost.per_million_output_tokens * 200

    assert tokens / 1_000_000 * 1_000 == pytest.approx(cost.per_1000_prompts)
    assert cost.per_million_output_tokens == pytest.approx(3 * cost.per_million_input_tokens)
    assert cost.server_year == server_year(SERVER)


def test_energy_alone_follows_the_load() -> None:
    half, whole = hall_cost(HALL), hall_cost(replace(HALL, load_share=1.0))

    assert whole.energy == 2 * half.energy
    assert whole.fixed == half.fixed == 100_000
    assert half.energy == electricity_bill(500, 8_760, 1.3, Decimal("0.08"))
    assert half.energy_share < whole.energy_share < 1


def test_a_pue_that_rises_saves_a_negative_amount() -> None:
    assert pue_saving(100, 1.2, 1.5, Decimal("0.08")).cost == -pue_saving(100, 1.5, 1.2, Decimal("0.08")).cost


def test_savings_and_nested_shares() -> None:
    assert relative_saving(100, 120) == Decimal("-0.2")
    assert cost_share() == 1


def test_a_service_may_lose_on_bandwidth_what_it_earns_on_compute() -> None:
    found = service_margin(SERVICE)
    assert found.bandwidth_margin == -12
    assert found.margin == found.revenue - found.cost == 609
    twice = service_margin(replace(SERVICE, servers=2))
    assert twice.margin == 2 * found.margin


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: interconnect_cost(1, Decimal("1.1"), InterconnectBasis.SERVERS), "no share"),
    (lambda: purchase_cost(1, 1, 1, InterconnectBasis.CLUSTER), "whole cluster"),
    (lambda: training_kwh(1, 1, 1, 1.5, 1.1), "no share"),
    (lambda: training_kwh(1, 1, 1, 0.5, 0.9), "below 1"),
    (lambda: amortised_servers(1, 1, 1, 0), "hours"),
    (lambda: amortised_run_cost(replace(RUN, chip_hours=0)), "chip-hours"),
    (lambda: amortised_run_cost(replace(RUN, server_over_chip_cost=Decimal("0.9"))), "cost less"),
    (lambda: accelerator_hours_of_flops(1, 0, 0.5), "peak"),
    (lambda: accelerator_hours_of_flops(1, 1, 0), "MFU"),
    (lambda: accelerator_hours_of_flops(math.inf, 1, 0.5), "beyond all bounds"),
    (lambda: lifetime_cost(replace(CLUSTER, nodes=0)), "no cluster"),
    (lambda: rented_cost(replace(RENTED, months=0)), "0 months"),
    (lambda: relative_saving(0, 1), "saved of 0"),
    (
        lambda: period_cost(1, 1, life_years=0, maintenance_share=0, energy_kwh=0, electricity_price=0),
        "no time",
    ),
    (lambda: server_year(replace(SERVER, life_years=0)), "life"),
    (lambda: serving_cost(SERVER, replace(SERVING, requests_per_s_per_instance=0)), "nothing is served"),
    (lambda: serving_cost(SERVER, replace(SERVING, accelerators_per_instance=0)), "no accelerator"),
    (lambda: serving_cost(SERVER, replace(SERVING, input_price=0, output_price=0)), "weigh nothing"),
    (lambda: hall_cost(replace(HALL, load_share=1.1)), "no share"),
    (lambda: electricity_bill(1, 1, 0.9, 1), "below 1"),
    (lambda: pue_saving(1, 1.2, 0.9, 1), "below 1"),
    (lambda: service_margin(replace(SERVICE, years=0)), "rented out"),
]


@pytest.mark.parametrize(("refused", "words"), REFUSED, ids=[str(one) for one in range(len(REFUSED))])
def test_what_is_not_defined_is_refused_with_a_reason(refused: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        refused()
