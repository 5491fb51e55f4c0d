"""Links between servers: what they leave exposed, which keep the limit, which is cheapest."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, h100, layout, problem, workload
from tests.core.estimation.estimation_cases import catalogue as shipped_catalogue
from tests.factories import requirement

from suanli.domain.money import Money
from suanli.domain.workload import ClusterWish
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.step_time import step_arrays
from suanli.planning.network.fabric import plan_fabric
from suanli.planning.network.link_options import Asked, mark_cheapest, plan_options
from suanli.planning.network.results import LinkKind, LinkOption

if TYPE_CHECKING:
    from suanli.estimation.problem import Problem
    from suanli.estimation.results import Layout

SERVERS = 64
SPREAD = layout(tp=8, dp=SERVERS, micro_batches=1, zero_stage=1)


def posed() -> Problem:
    return problem(h100(), LLAMA2_7B, workload(global_batch_size=SERVERS))


def asked(limit: float | None = None, chosen: Layout = SPREAD, servers: int = SERVERS) -> Asked:
    one, records = posed(), shipped_catalogue()
    wanted = requirement(wish=ClusterWish(exposed_communication_max=limit))
    step = step_arrays(one, LayoutArrays.of(chosen)).step(0)
    fabric = plan_fabric(records, one.device.server, servers)
    return Asked(one, chosen, step, wanted, records, fabric)


def by_link(options: tuple[LinkOption, ...]) -> dict[str, LinkOption]:
    return {one.link: one for one in options}


def test_every_network_link_of_the_catalogue_is_an_option_and_the_devices_own_a_bound() -> None:
    options = by_link(plan_options(asked()))

    assert {"roce-25", "roce-100", "roce-200", "roce-400", "roce-800"} <= set(options)
    assert {"ib-hdr", "ib-ndr", "ib-xdr"} <= set(options)
    assert options["h100-sxm"].kind is LinkKind.SCALE_UP
    assert options["h100-sxm"].name.en.startswith("NVIDIA NVLink 4")


def test_a_faster_link_never_leaves_more_exposed() -> None:
    options = [one for one in plan_options(asked()) if one.kind is not LinkKind.SCALE_UP]
    shares = [one.exposed_share for one in sorted(options, key=lambda one: one.port_bytes_per_s)]

    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 2 * shares[-1]


def test_the_link_that_the_server_comes_with_gives_the_step_of_the_sizing() -> None:
    query = asked()
    (fitted,) = (one for one in plan_options(query) if one.fitted)

    assert fitted.link == "ib-ndr"
    assert fitted.step_s == pytest.approx(query.step.total_s)
    assert fitted.exposed_share == pytest.approx(query.step.communication_share)


def test_a_pilot_run_scales_every_step_alike() -> None:
    query = asked()
    slower = replace(query, step=step_arrays(posed(), LayoutArrays.of(SPREAD)).step(0, 1.5))

    for one, other in zip(plan_options(query), plan_options(slower), strict=True):
        assert other.step_s == pytest.approx(1.5 * one.step_s)
        assert other.exposed_share == pytest.approx(one.exposed_share)


def test_half_the_rate_is_what_half_the_ports_would_give() -> None:
    query = asked()
    half = by_link(plan_options(query))["roce-200"]
    box = query.problem.device.server
    ports = tuple(nic.model_copy(update={"count": 4}) if nic.count == 8 else nic for nic in box.nics)
    narrow = replace(query.problem.device, server=box.model_copy(update={"nics": ports}))
    one = problem(narrow, LLAMA2_7B, workload(global_batch_size=SERVERS))
    step = step_arrays(one, LayoutArrays.of(SPREAD))

    assert half.exposed_share == pytest.approx(float(step.communication_share.item()))


def test_the_users_limit_divides_the_options_and_the_lowest_rate_within_it_is_cheapest() -> None:
    free = by_link(plan_options(asked()))
    limit = (free["roce-100"].exposed_share + free["roce-200"].exposed_share) / 2
    options = by_link(plan_options(asked(limit)))

    assert options["roce-100"].meets is False
    assert options["roce-200"].meets is True
    (cheapest,) = (one for one in options.values() if one.cheapest)
    assert cheapest.port_bytes_per_s == pytest.approx(25e9)
    assert all(one.meets is None for one in free.values())
    assert not any(one.cheapest for one in free.values())


def test_a_limit_that_no_link_keeps_has_no_cheapest() -> None:
    assert not any(one.cheapest for one in plan_options(asked(1e-6)))


def test_a_single_server_has_no_options() -> None:
    assert plan_options(asked(servers=1)) == ()


def priced(link: str, rate: float, amount: int | None, *, meets: bool = True) -> LinkOption:
    name = shipped_catalogue().all(type(h100().server))[0].name
    cost = None if amount is None else Money(Decimal(amount), "CNY")
    return LinkOption(link, name, LinkKind.ETHERNET, rate, 1.0, 0.1, meets, False, cost, 1)  # noqa: FBT003


def chosen_of(*options: LinkOption) -> list[str]:
    return [one.link for one in mark_cheapest(options) if one.cheapest]


def test_prices_decide_where_all_are_known() -> None:
    assert chosen_of(priced("slow", 25e9, 300), priced("fast", 50e9, 200)) == ["fast"]


def test_the_rate_decides_where_a_price_is_unknown() -> None:
    assert chosen_of(priced("slow", 25e9, None), priced("fast", 50e9, 200)) == ["slow"]


def test_what_breaks_the_limit_is_never_cheapest() -> None:
    assert chosen_of(priced("slow", 25e9, 100, meets=False), priced("fast", 50e9, 200)) == ["fast"]
