"""Bills without goods, without running cost, or in a currency that nothing converts: lines are left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, commercial, price, requirement, shop, sizing, text

from suanli.costing.build import build_ledger
from suanli.costing.lines import Costed
from suanli.costing.operating import operating_lines
from suanli.costing.tco import cash_lines
from suanli.domain.market import PriceKind
from suanli.planning.cluster import plan_cluster
from suanli.planning.results import BillCategory, BillItem, Rule, VatClass

if TYPE_CHECKING:
    from suanli.costing.ledger import Ledger
    from suanli.domain.workload import Requirement

WORKS = BillItem(
    "works",
    BillCategory.SERVICES,
    text("works"),
    1,
    "item",
    Rule("once"),
    VatClass.WORKS,
    price("p-works", "100000", PriceKind.CONSTRUCTION),
)


def only_works(asked: Requirement) -> Ledger:
    known = catalogue(*(row for row in shop() if row.id != "p-colocation-kw-month"))
    plan = plan_cluster(sizing(), asked, known)
    servers = tuple(
        replace(item, price=None) for item in plan.bill if item.id in {"servers", "spare-servers"}
    )
    plan = replace(plan, bill=(*servers, WORKS), energy=None, power=None)
    return build_ledger([("A", plan)], asked, known)


def unstaffed() -> Requirement:
    return requirement(replace(commercial(), staff_fte=None, staff_cost=None))


def test_works_alone_have_neither_residual_nor_maintenance() -> None:
    book = only_works(requirement())
    ids = {entry.id for entry in book.lines}
    assert "A.capex.net" in ids
    assert not {name for name in ids if name.startswith(("A.residual", "A.maintenance", "A.spare_parts"))}
    assert book.values()["A.capex.net"] == 100000


def test_without_any_running_cost_the_tables_have_no_row_of_it() -> None:
    book = only_works(unstaffed())
    values = book.values()
    assert values["A.tco.net"] == values["A.capex.net"] == 100000
    for name in ("tco:A", "accounting:A"):
        table = next(table for table in book.tables if table.id == name)
        assert not [row.id for row in table.rows if row.id.endswith((".opex", ".residual"))]


def test_the_checks_hold_for_the_barest_ledger() -> None:
    values = only_works(unstaffed()).values()
    assert values["check.master"] == 0
    assert values["A.depreciation.total"] + values["A.book.year5"] == values["A.capex.net"]


def test_an_option_without_a_purchase_has_no_cash() -> None:
    known = catalogue()
    plan = plan_cluster(sizing(), requirement(), known)
    option = Costed("A", plan, requirement(), colocated=False, staffed=False)
    assert cash_lines(option) == ()


def test_running_cost_in_a_currency_without_a_rate_is_a_fault_of_the_caller() -> None:
    asked = requirement(replace(commercial(), exchange_rates=()))
    plan = plan_cluster(sizing(), asked, catalogue(*shop()))
    # Whoever says that staff are costed has checked that their currency can be converted.
    option = Costed("A", plan, asked, colocated=False, staffed=True)
    with pytest.raises(ValueError, match="no exchange rate to CNY"):
        operating_lines(option, None, "USD")


def test_nothing_to_pay_every_year_is_no_line() -> None:
    plan = replace(plan_cluster(sizing(), requirement(), catalogue()), energy=None, power=None)
    assert operating_lines(Costed("A", plan, requirement(), colocated=False, staffed=False), None, "") == ()
