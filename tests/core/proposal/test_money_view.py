"""The money that is shown is the ledger's: looked up, marked where it is incomplete, never computed."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, commercial, price, requirement, shop, sizing

from suanli.costing.build import build_ledger
from suanli.costing.words import amount_in_words
from suanli.domain.figure import Check, Grade
from suanli.domain.market import PriceKind
from suanli.planning.cluster import plan_cluster
from suanli.proposal.money_view import Books, bill_rows, money_view
from suanli.proposal.references import References

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.model import BillRow, MoneyView

BASE = requirement()
SUITE = price(
    "suite",
    "4500",
    PriceKind.SOFTWARE,
    "USD",
    basis="software-nvidia-suite-year",
    per="device-year",
    preferred=True,
)


def case(
    *more: object, without: str = "", asked: Requirement = BASE
) -> tuple[ClusterPlan, Books, tuple[BillRow, ...]]:
    rows = [row for row in shop() if row.id != without]
    known = catalogue(*rows, *more)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    plan = plan_cluster(sizing(), asked, known)
    books = Books.of(build_ledger([("A", plan)], asked, known), asked.commercial, References(known))
    return plan, books, bill_rows("A", plan, books, {})


def shown(*more: object, without: str = "", asked: Requirement = BASE) -> MoneyView:
    _, books, bill = case(*more, without=without, asked=asked)
    return money_view("A", bill, books)


def test_every_line_repeats_the_ledger_to_the_cent() -> None:
    _, books, bill = case()
    for row in bill:
        assert row.net == books.values[f"A.bill.{row.id}.net"]
        assert row.gross == books.values[f"A.bill.{row.id}.gross"]
        assert row.net is not None
        assert row.vat is not None
        assert row.gross == row.net + row.vat


def test_lines_are_numbered_in_the_order_of_the_bill() -> None:
    plan, _, bill = case()
    assert [row.number for row in bill] == [f"A-{number}" for number in range(1, len(plan.bill) + 1)]
    assert [row.id for row in bill] == [item.id for item in plan.bill]


def test_a_price_is_shown_as_its_source_gives_it() -> None:
    _, _, bill = case()
    servers = bill[0]
    assert servers.price is not None
    assert (servers.price.value, servers.price.unit) == (Decimal(300000), "USD")
    assert servers.unit_price == Decimal("2130000.00")
    assert servers.vat_rate == Decimal("0.13")


def test_an_unpriced_line_has_no_money_and_marks_its_block_and_the_total() -> None:
    view = shown(without="p-storage-server")
    block = next(total for total in view.blocks if total.category.value == "storage")
    assert block.incomplete
    assert view.capex_gross.incomplete
    assert view.tco_net.incomplete
    assert [name.en for name in view.unpriced] == ["Storage servers with parallel file system"]


def test_a_complete_bill_is_not_marked() -> None:
    view = shown()
    assert not view.unpriced
    assert not view.capex_net.incomplete
    assert not any(total.incomplete for total in view.blocks)


def test_blocks_add_up_to_the_purchase() -> None:
    view = shown()
    for key in ("net", "vat", "gross"):
        assert sum(getattr(total, key) for total in view.blocks) == getattr(view, f"capex_{key}").value


def test_a_yearly_price_is_no_purchase() -> None:
    _, books, bill = case(SUITE)
    row = next(row for row in bill if row.id == "software")
    assert row.recurring
    assert row.net is None
    assert row.unit_price is not None
    assert not money_view("A", bill, books).unpriced


@pytest.mark.parametrize(("currency", "words"), [("CNY", True), ("USD", False)])
def test_only_yuan_are_written_in_capitals(currency: str, words: bool) -> None:  # noqa: FBT001
    rules = replace(commercial(), currency=currency)
    view = shown(asked=replace(BASE, commercial=rules))
    assert view.capex_gross.unit == currency
    assert view.capex_in_words == (amount_in_words(view.capex_gross.value) if words else "")


def test_cash_and_books_reach_from_the_purchase_to_the_horizon() -> None:
    view = shown()
    total = next(row for row in view.cash if row.style == "total")
    assert len(total.years) == 1 + BASE.commercial.horizon_years
    assert sum(total.years) == total.total == view.tco_net.value
    assert [year.year for year in view.accounting] == [1, 2, 3, 4, 5]
    assert view.accounting[-1].book_value >= 0


def test_the_share_of_electricity_is_a_share_of_the_cost_of_ownership() -> None:
    _, books, bill = case()
    share = money_view("A", bill, books).electricity_share
    assert share is not None
    expected = books.values["A.electricity.total"] / books.values["A.tco.net"]
    assert float(share) == pytest.approx(float(expected), abs=5e-4)


def test_weak_and_stale_prices_are_counted() -> None:
    weak = price("weak-rack", "9000", PriceKind.RACK, basis="rack", per="rack", check=Check.RECALL)
    plan, books, bill = case(weak, without="p-rack")
    assert money_view("A", bill, books).weak_prices == 1
    stale = bill_rows("A", plan, books, {"p-box": True})
    assert money_view("A", stale, books).stale_prices == sum(row.stale for row in stale) == 2  # and the spare
    assert next(row for row in bill if row.id == "racks").price.grade is Grade.WEAK  # type: ignore[union-attr] # pyright: ignore[reportOptionalMemberAccess]


def test_a_price_with_ends_gives_totals_with_ends() -> None:
    row = price("wide", "300000", PriceKind.SERVER, "USD", prices=("acme-box",), low=250000, high=400000)
    view = shown(row, without="p-box")
    assert view.capex_net.low is not None
    assert view.capex_net.high is not None
    assert view.capex_net.low < view.capex_net.value < view.capex_net.high


def test_a_range_of_minor_prices_alone_is_no_range_of_the_total() -> None:
    row = price("wide", "9000", PriceKind.RACK, basis="rack", per="rack", low=5000, high=20000)
    view = shown(row, without="p-rack")
    assert (view.capex_net.low, view.capex_net.high) == (None, None)
    assert (view.tco_net.low, view.tco_net.high) == (None, None)
