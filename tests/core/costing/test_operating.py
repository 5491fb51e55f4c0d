from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.core.costing.hand_example import hand_plan
from tests.factories import catalogue, commercial, price, requirement, shop

from suanli.costing.build import build_ledger
from suanli.domain.market import PriceKind, VatTreatment
from suanli.domain.money import Money

if TYPE_CHECKING:
    from suanli.costing.ledger import Ledger
    from suanli.domain.record import Record
    from suanli.domain.workload import Requirement


def ledger(needed: Requirement, *more: Record, without: str = "") -> Ledger:
    goods = catalogue(*(record for record in shop() if record.id != without), *more)
    return build_ledger([("A", hand_plan(4, needed, goods))], needed, goods)


def test_rack_space_quoted_with_vat_is_taken_net_at_the_service_rate() -> None:
    space = price(
        "space",
        "650",
        PriceKind.COLOCATION,
        basis="colocation-kw-month",
        per="kW-month",
        preferred=True,
        vat=VatTreatment.INCLUDED,
    )
    values = ledger(requirement(), space).values()

    assert values["A.colocation"] == (Decimal("53.1") * 650 * 12 / Decimal("1.06")).quantize(Decimal("0.01"))


def test_unknown_rack_space_is_no_line_and_marks_operation_incomplete() -> None:
    book = ledger(requirement(), without="p-colocation-kw-month")
    entries = {entry.id: entry for entry in book.lines}

    assert "A.colocation.year1" not in entries
    assert entries["A.opex.year1"].incomplete


def test_electricity_in_a_foreign_currency_is_converted() -> None:
    base = requirement()
    site = replace(base.site, electricity=Money(Decimal("0.10"), "USD"))
    values = ledger(replace(base, site=site)).values()

    assert values["A.electricity"] == Decimal(270570) * Decimal("0.71")


def test_electricity_without_an_exchange_rate_is_not_counted() -> None:
    base = requirement()
    site = replace(base.site, electricity=Money(Decimal("0.10"), "GBP"))

    assert "A.electricity.year1" not in ledger(replace(base, site=site)).values()


def test_the_cost_of_a_post_comes_from_the_catalogue_where_the_project_states_none() -> None:
    post = price("post", "150000", PriceKind.STAFF, basis="staff-fte-year", per="post and year", region="CN")
    needed = requirement(replace(commercial(), staff_cost=None))

    assert ledger(needed, post).values()["A.staff"] == Decimal("600000.00")
    assert "A.staff" not in ledger(needed).values()


def test_pue_is_a_factor_of_energy_once_and_of_nothing_else() -> None:
    book = ledger(requirement())
    one, two = book.values({"site.pue": Decimal(1)}), book.values({"site.pue": Decimal(2)})
    changed = {key for key in one if one[key] != two[key]}

    assert two["A.energy.kwh_year"] == 2 * one["A.energy.kwh_year"]
    assert two["A.electricity"] == 2 * one["A.electricity"]
    assert "A.colocation" not in changed
    assert "A.capex.net" not in changed


@pytest.mark.parametrize(("runs", "hours"), [("2", 2000), ("20", 8760)])
def test_training_hours_are_capped_by_the_year(runs: str, hours: int) -> None:
    values = ledger(requirement()).values({"general.runs_per_year": Decimal(runs)})

    assert values["A.energy.busy_hours"] == hours
