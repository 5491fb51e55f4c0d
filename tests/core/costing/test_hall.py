"""A hall is rented by the kW and month or built with the purchase, never both."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from tests.factories import catalogue, price, requirement, shop, sizing

from suanli.costing.build import build_ledger
from suanli.domain.market import PriceKind
from suanli.domain.workload import Hall
from suanli.planning.cluster import plan_cluster
from suanli.planning.results import VatClass

if TYPE_CHECKING:
    from suanli.costing.ledger import Ledger
    from suanli.planning.results import ClusterPlan

BUILT = price("hall", "70000000", PriceKind.CONSTRUCTION, "CNY", basis="construction-mw", per="MW")


def planned(hall: Hall, *, priced: bool = True) -> tuple[ClusterPlan, Ledger]:
    plain = requirement()
    needed = replace(plain, site=replace(plain.site, hall=hall))
    goods = catalogue(*shop(), *([BUILT] if priced else []))
    plan = plan_cluster(sizing(4), needed, goods)
    return plan, build_ledger([("A", plan)], needed, goods)


def test_a_hall_that_is_built_is_bought_by_the_kw_and_pays_no_rent() -> None:
    plan, ledger = planned(Hall.BUILD)
    line = next(item for item in plan.bill if item.id == "hall-construction")
    assert plan.power is not None
    assert line.quantity - 1 < plan.power.it_peak_w / 1e3 <= line.quantity
    assert line.vat is VatClass.WORKS
    values = ledger.values()
    assert values["A.bill.hall-construction.unit_price"] == Decimal("70000.00")
    assert values["A.bill.hall-construction.net"] == 70_000 * Decimal(line.quantity)
    assert "A.colocation" not in values
    assert "site.colocation" not in values
    # Its price holds power plant and cooling.
    assert {"ups", "transformers"}.isdisjoint(item.id for item in plan.bill)


def test_a_rented_hall_is_not_bought() -> None:
    plan, ledger = planned(Hall.COLOCATION)
    assert "hall-construction" not in {item.id for item in plan.bill}
    assert ledger.values()["A.colocation"] > 0


def test_a_hall_without_a_price_leaves_the_total_incomplete() -> None:
    _, ledger = planned(Hall.BUILD, priced=False)
    lines = {line.id: line for line in ledger.lines}
    assert "A.bill.hall-construction.net" not in lines
    assert lines["A.capex.net"].incomplete
