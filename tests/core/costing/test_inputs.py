"""Inputs of the ledger: what a reviewer may change, with unit, source, date and grade."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, commercial, price, requirement, shop, sizing, with_site

from suanli.costing.inputs import (
    colocation_price,
    general_inputs,
    option_inputs,
    price_inputs,
    rent_price,
    site_inputs,
    staff,
)
from suanli.costing.lines import Costed, decimal_of
from suanli.domain.figure import Grade
from suanli.domain.market import PriceKind, VatTreatment
from suanli.planning.cluster import plan_cluster

if TYPE_CHECKING:
    from suanli.costing.ledger import Input
    from suanli.domain.workload import Requirement

BASE = requirement()
STAFF = price("staff-row", "280000", PriceKind.STAFF, basis="staff-fte-year", per="year", region="CN")


def costed(asked: Requirement = BASE, *more: object) -> Costed:
    known = catalogue(*shop(), *more)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    return Costed("A", plan_cluster(sizing(), asked, known), asked, colocated=True, staffed=True)


def by_id(entries: tuple[Input, ...]) -> dict[str, Input]:
    found = {entry.id: entry for entry in entries}
    assert len(found) == len(entries)
    return found


def test_money_rules_are_inputs_of_their_own() -> None:
    entries = by_id(general_inputs(BASE))
    assert entries["general.discount_rate"].value == Decimal("0.06")
    assert entries["general.horizon"].value == 5
    assert entries["general.vat_goods"].value == Decimal("0.13")
    rate = entries["general.fx.USD.CNY"]
    assert (rate.value, rate.unit, rate.dated) == (Decimal("7.10"), "CNY/USD", "2026-11-30")


def test_a_shortened_horizon_is_explained_where_it_is_entered() -> None:
    note = by_id(general_inputs(BASE))["general.horizon"].note
    assert note is not None
    assert "shortened" in note.en


def test_an_unknown_grid_is_no_input() -> None:
    known = catalogue(*shop())
    assert "site.grid_carbon" in by_id(site_inputs(BASE, known))
    assert "site.grid_carbon" not in by_id(site_inputs(with_site(BASE, grid_known=False), known))


def test_rack_space_without_a_price_is_no_input() -> None:
    without = catalogue(*(row for row in shop() if row.id != "p-colocation-kw-month"))
    assert colocation_price(BASE, without) is None
    assert "site.colocation" not in by_id(site_inputs(BASE, without))
    assert "site.colocation" in by_id(site_inputs(BASE, catalogue(*shop())))


def staffed(**fields: object) -> Requirement:
    return replace(BASE, commercial=replace(commercial(), **fields))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("asked", "cost", "from_catalogue"),
    [
        (BASE, Decimal(300_000), False),
        (staffed(staff_cost=None), Decimal(280_000), True),
    ],
)
def test_the_projects_own_cost_of_a_post_outranks_the_catalogues(
    asked: Requirement,
    cost: Decimal,
    from_catalogue: bool,  # noqa: FBT001
) -> None:
    known = staff(asked, catalogue(*shop(), STAFF))
    assert known is not None
    posts, amount, currency, row = known
    assert (posts, amount, currency) == (Decimal(4), cost, "CNY")
    assert (row is not None) is from_catalogue
    entry = by_id(site_inputs(asked, catalogue(*shop(), STAFF)))["general.staff_cost"]
    assert entry.value == cost
    assert bool(entry.source) is from_catalogue


@pytest.mark.parametrize("asked", [staffed(staff_fte=None), staffed(staff_cost=None)])
def test_staff_of_unknown_number_or_cost_are_no_input(asked: Requirement) -> None:
    known = catalogue(*shop())
    assert staff(asked, known) is None
    assert "general.staff_fte" not in by_id(site_inputs(asked, known))


def test_only_a_price_by_the_hour_is_a_rent() -> None:
    hourly = price("rent", "4.50", PriceKind.CLOUD, "USD", prices=("acme-x1",), per="device-hour")
    monthly = price("rent", "3000", PriceKind.CLOUD, "USD", prices=("acme-x1",), per="device-month")
    assert rent_price("acme-x1", BASE, catalogue(hourly)) == hourly
    assert rent_price("acme-x1", BASE, catalogue(monthly)) is None
    assert rent_price("acme-x1", BASE, catalogue()) is None


def test_a_price_that_several_lines_use_is_entered_once_in_its_own_currency() -> None:
    option = costed()
    entries = by_id(price_inputs([option, option], catalogue(*shop())))
    box = entries["price.p-box"]
    assert (box.value, box.unit) == (Decimal(300000), "USD")
    assert box.source == "src"
    assert box.valid_to == date(2026, 11, 20) + (date(2026, 4, 1) - date(2026, 1, 1))  # 90 days


def test_a_price_without_a_rate_is_no_input() -> None:
    asked = staffed(exchange_rates=())
    assert "price.p-box" not in by_id(price_inputs([costed(asked)], catalogue(*shop())))


@pytest.mark.parametrize(
    ("treatment", "word"),
    [
        (VatTreatment.INCLUDED, "includes VAT"),
        (VatTreatment.EXCLUDED, "excludes VAT"),
        (VatTreatment.UNKNOWN, "not stated"),
    ],
)
def test_an_input_says_how_its_price_treats_tax(treatment: VatTreatment, word: str) -> None:
    row = price("own", "400000", PriceKind.SERVER, "USD", prices=("acme-box",), vat=treatment, preferred=True)
    note = by_id(price_inputs([costed(BASE, row)], catalogue()))["price.own"].note
    assert note is not None
    assert word in note.en


def test_quantities_are_whole_and_carry_their_rule() -> None:
    entries = by_id(option_inputs(costed()))
    servers = entries["A.quantity.servers"]
    assert servers.value == 4
    assert servers.note is not None
    assert servers.note.en == "ceil(32 accelerators / 8 per server)"


def test_energy_of_an_estimated_server_is_marked_and_its_hours_are_not() -> None:
    option = costed()
    assert option.plan.power is not None
    plan = replace(option.plan, power=replace(option.plan.power, estimated=True, refs=("src",)))
    entries = by_id(option_inputs(replace(option, plan=plan)))
    assert entries["A.energy.kw_training"].grade is Grade.WEAK
    assert entries["A.energy.kw_training"].source == "src"
    assert entries["A.energy.hours_run"].grade is Grade.DIRECT
    assert entries["A.energy.hours_run"].source == ""


def test_unknown_power_leaves_hours_alone() -> None:
    option = costed()
    entries = by_id(option_inputs(replace(option, plan=replace(option.plan, power=None, energy=None))))
    assert [name for name in entries if name.startswith("A.energy.")] == ["A.energy.hours_run"]


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.0, 4, "0.0000"),
        (1.0, 2, "1.000"),
        (12.3456789, 4, "12.3457"),
        (0.000012345, 4, "0.00001234"),
        (1e-12, 6, "0.000000000001000"),
        (123456.0, 0, "123456"),
    ],
)
def test_a_small_quantity_keeps_four_digits_and_never_becomes_nothing(
    value: float, places: int, text: str
) -> None:
    assert format(decimal_of(value, places), "f") == text
