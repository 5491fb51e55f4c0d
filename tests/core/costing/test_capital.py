from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, commercial, price, requirement, shop, sizing, text

from suanli.costing.build import build_ledger
from suanli.domain.market import PriceKind, VatTreatment
from suanli.domain.workload import Requirement, Rounding
from suanli.planning.cluster import plan_cluster
from suanli.planning.results import BillCategory, BillItem, ClusterPlan, Rule, VatClass

if TYPE_CHECKING:
    from suanli.costing.ledger import Ledger


def item(amount: str, quantity: int, vat: VatClass = VatClass.GOODS, **fields: object) -> BillItem:
    row = price(f"p-{amount.replace('.', '-')}", amount, PriceKind.SERVER, **fields)  # type: ignore[arg-type]
    return BillItem("thing", BillCategory.COMPUTE, text("thing"), quantity, "set", Rule("once"), vat, row)


def ledger_of(bill: tuple[BillItem, ...], rounding: Rounding = Rounding.LINE, rate: str = "0.13") -> Ledger:
    money = replace(commercial(rounding), vat_goods=Decimal(rate))
    needed = requirement(money)
    plan = plan_cluster(sizing(), needed, catalogue(*shop()))
    plan = replace(plan, bill=(*bill, *_servers(plan)))
    return build_ledger([("A", plan)], needed, catalogue())


def _servers(plan: ClusterPlan) -> tuple[BillItem, ...]:
    """Return the servers without a price, which the energy lines count."""
    return tuple(replace(item, price=None) for item in plan.bill if item.id in {"servers", "spare-servers"})


@pytest.mark.parametrize(
    ("rounding", "gross"), [(Rounding.UNIT, "38.00"), (Rounding.LINE, "37.98"), (Rounding.DOCUMENT, "37.98")]
)
def test_the_rounding_policy_decides_where_tax_is_rounded(rounding: Rounding, gross: str) -> None:
    # Unit 3.60, tax 5.5 %, quantity 10, both results published by users of an invoicing program.
    values = ledger_of((item("3.60", 10),), rounding, "0.055").values()

    assert values["A.bill.thing.gross"] == Decimal(gross)
    assert values["A.capex.gross"] == Decimal(gross)


@pytest.mark.parametrize(("rounding", "tax"), [(Rounding.LINE, "11.95"), (Rounding.UNIT, "11.88")])
def test_vat_by_line_and_by_unit_differ_as_published(rounding: Rounding, tax: str) -> None:
    # 36 x 1.66 at 20 %, both results published by users of a shop program.
    values = ledger_of((item("1.66", 36),), rounding, "0.20").values()

    assert values["A.bill.thing.vat"] == Decimal(tax)


def test_document_rounding_rounds_the_tax_of_a_rate_once() -> None:
    # Three lines of 0.05 net at 13 %: 0.0065 each is 0.01 by line, but 0.0195 together is 0.02.
    lines = tuple(replace(item("0.05", 1), id=f"thing-{index}") for index in range(3))

    assert ledger_of(lines).values()["A.capex.vat"] == Decimal("0.03")
    assert ledger_of(lines, Rounding.DOCUMENT).values()["A.capex.vat"] == Decimal("0.02")
    assert ledger_of(lines, Rounding.DOCUMENT).values()["check.master"] == 0


def test_a_price_with_vat_is_taken_net() -> None:
    # 3,300,000 with 13 % VAT: 2,920,353.98 and 379,646.02.
    server = replace(item("1", 1), price=price("p-vat", "3300000", vat=VatTreatment.INCLUDED))
    values = ledger_of((server,)).values()

    assert values["A.bill.thing.unit_price"] == Decimal("2920353.98")
    assert values["A.bill.thing.vat"] == Decimal("379646.02")
    assert values["A.bill.thing.gross"] == Decimal("3300000.00")


def test_a_foreign_price_is_converted_at_the_projects_rate() -> None:
    values = ledger_of((item("100.01", 3, currency="USD"),)).values()

    assert values["A.bill.thing.unit_price"] == Decimal("710.07")
    assert values["A.bill.thing.net"] == Decimal("2130.21")


def test_a_rate_given_the_other_way_round_divides() -> None:
    rate = replace(commercial().exchange_rates[0], base="CNY", quote="EUR", rate=Decimal("0.125"))
    needed = requirement(replace(commercial(), exchange_rates=(rate,)))
    plan = plan_cluster(sizing(), needed, catalogue(*shop()))
    plan = replace(plan, bill=(item("10", 1, currency="EUR"), *_servers(plan)))

    assert build_ledger([("A", plan)], needed, catalogue()).values()["A.bill.thing.net"] == Decimal("80.00")


def test_a_price_without_an_exchange_rate_is_not_counted_and_marks_the_total() -> None:
    ledger = ledger_of((item("100", 1, currency="GBP"), replace(item("5", 1), id="other")))
    entries = {entry.id: entry for entry in ledger.lines}

    assert "A.bill.thing.net" not in entries
    assert entries["A.capex.net"].incomplete
    assert ledger.values()["A.capex.net"] == Decimal("5.00")


def test_a_device_price_is_multiplied_by_the_devices_of_a_server() -> None:
    boards = replace(item("1000", 2), price_factor=Decimal(8))

    assert ledger_of((boards,)).values()["A.bill.thing.net"] == Decimal("16000.00")


def full(needed: Requirement | None = None, nodes: int = 4, *without: str) -> Ledger:
    needed = needed or requirement()
    goods = catalogue(*(record for record in shop() if record.id not in without))
    return build_ledger([("A", plan_cluster(sizing(nodes), needed, goods))], needed, goods)


def test_an_unpriced_item_has_a_quantity_and_no_money() -> None:
    ledger = full(None, 4, "p-rack")
    entries = {entry.id: entry for entry in ledger.lines}

    assert "A.bill.racks.quantity" in entries
    assert "A.bill.racks.net" not in entries
    assert entries["A.capex.gross"].incomplete
    assert entries["A.block.facility.net"].incomplete
    assert not entries["A.block.compute.net"].incomplete
    assert entries["A.tco.net"].incomplete


def test_a_bill_without_any_price_has_no_totals() -> None:
    needed = requirement()
    plan = plan_cluster(sizing(), needed, catalogue())
    ids = {entry.id for entry in build_ledger([("A", plan)], needed, catalogue()).entries}

    assert not {"A.capex.net", "A.tco.net", "A.cost.billion_tokens"} & ids


def test_a_complete_bill_is_not_marked() -> None:
    assert not any(entry.incomplete for entry in full().lines)


def test_inputs_say_where_they_come_from_and_whether_they_are_stale() -> None:
    needed = requirement(replace(commercial(), price_validity_days=5))
    entry = next(entry for entry in full(needed).inputs if entry.id == "price.p-box")

    assert (entry.source, entry.dated, entry.unit) == ("src", "2026-11", "USD")
    assert entry.stale
    assert entry.note is not None
    assert entry.note.zh == "公开标价；不含税价"
