"""What a decision rests on is what the ledger says, and is absent where it says nothing."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.core.costing.hand_example import hand_plan
from tests.factories import catalogue, price, requirement, shop

from suanli.costing.build import build_ledger
from suanli.domain.finance import Financing, FinancingMethod, Serving
from suanli.domain.market import PriceKind
from suanli.domain.money import Money, round_half_up
from suanli.domain.workload import RentOffer
from suanli.proposal.decision_view import (
    delivery_months,
    financing_view,
    rent_view,
    scenario_rows,
    unit_costs,
)
from suanli.proposal.money_view import Books
from suanli.proposal.references import References

if TYPE_CHECKING:
    from suanli.domain.workload import Commercial


def books(**rules: object) -> Books:
    plain = requirement()
    commercial: Commercial = replace(plain.commercial, **rules)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    needed = replace(plain, commercial=commercial)
    goods = catalogue(*shop(), price("rent", "4.50", PriceKind.CLOUD, "USD", per="device-hour"))
    ledger = build_ledger([("A", hand_plan(4, needed, goods))], needed, goods)
    return Books.of(ledger, commercial, References(goods))


def rented(hour: str) -> Books:
    return books(rent=RentOffer(Money(Decimal(hour), "CNY")))


def test_unit_costs_stand_in_the_order_of_the_document_and_served_tokens_only_where_measured() -> None:
    names = [one.key for one in unit_costs("A", books())]
    assert names == [
        "accelerator_hour",
        "busy_accelerator_hour",
        "run",
        "billion_tokens",
        "e23_flops",
        "pflop_day",
    ]
    serving = Serving(Decimal(500), Decimal("0.5"))
    found = books(serving=serving)
    served = {one.key: one.figure.value for one in unit_costs("A", found)}
    hour = found.values["A.cost.accelerator_hour"]
    assert served["million_served_tokens"] == round_half_up(hour * 1_000_000 / (3600 * 500) * 2)


def test_a_unit_cost_below_one_keeps_four_places() -> None:
    serving = Serving(Decimal(50_000), Decimal("0.5"))
    served = {one.key: one.figure.value for one in unit_costs("A", books(serving=serving))}
    assert 0 < served["million_served_tokens"] < 1
    assert served["million_served_tokens"].as_tuple().exponent == -4


def test_a_pflop_day_is_864_thousandths_of_a_milliard_of_1e23() -> None:
    values = books().values
    expected = values["A.cost.e23_flops"] * Decimal("8.64e19") / Decimal("1e23")
    assert values["A.cost.pflop_day"] == round_half_up(expected, 4)


def test_a_rent_view_says_when_and_how_far_buying_pays() -> None:
    view = rent_view("A", rented("150"))
    assert view is not None
    assert view.payback_months is not None
    assert view.breakeven_months is not None
    assert view.irr is not None
    assert view.irr > 0
    assert view.npv.value > 0
    assert view.saving.value == view.total.value - books().amount("A.tco.net").value


def test_a_rent_view_says_that_buying_never_pays() -> None:
    view = rent_view("A", rented("1"))
    assert view is not None
    assert (view.payback_months, view.breakeven_months, view.irr) == (None, None, None)
    assert view.npv.value < 0
    assert view.breakeven_utilisation > 1


def test_without_a_rent_or_a_financing_there_is_no_view() -> None:
    assert financing_view("A", books()) is None
    assert rent_view("A", books()) is None


@pytest.mark.parametrize("method", FinancingMethod)
def test_the_years_of_a_financing_add_up_to_it(method: FinancingMethod) -> None:
    view = financing_view("A", books(financing=Financing(method, Decimal("0.6"), Decimal("0.05"), 30)))
    assert view is not None
    assert [one.year for one in view.years] == [1, 2, 3]
    assert sum(one.interest for one in view.years) == view.interest.value
    assert sum(one.principal for one in view.years) == view.amount.value
    assert view.years[-1].closing == 0
    for one in view.years:
        assert one.interest + one.principal == one.instalments


def test_scenarios_are_factors_first_and_money_to_the_cent() -> None:
    rows = scenario_rows("A", books())
    kinds = [row.factor for row in rows]
    assert kinds == sorted(kinds, reverse=True)
    total = next(row for row in rows if row.key == "tco")
    assert total.base == books().values["A.tco.net"]


def test_an_unknown_delivery_is_not_shown_as_none_at_all() -> None:
    assert delivery_months("A", books()) is None
    assert delivery_months("A", books(delivery_months=6)) == Decimal(6)
