"""Buying in place of renting: net present value, return and payback, held against numpy-financial."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy_financial as npf  # type: ignore[import-untyped]
import pytest
from tests.core.costing.hand_example import hand_plan
from tests.factories import catalogue, price, requirement, shop

from suanli.costing.build import build_ledger
from suanli.costing.expressions import nearest_rate
from suanli.domain.market import PriceKind
from suanli.domain.money import Money
from suanli.domain.workload import RentOffer

if TYPE_CHECKING:
    from suanli.costing.ledger import Ledger

YEARS = range(6)


def ledger(hour: str = "150", delivery: int = 0) -> Ledger:
    plain = requirement()
    offer = RentOffer(Money(Decimal(hour), "CNY"))
    rules = replace(plain.commercial, rent=offer, delivery_months=delivery)
    needed = replace(plain, commercial=rules)
    goods = catalogue(*shop(), price("rent", "4.50", PriceKind.CLOUD, "USD", per="device-hour"))
    return build_ledger([("A", hand_plan(4, needed, goods))], needed, goods)


def test_the_return_of_buying_is_that_of_numpy_financial() -> None:
    values = ledger().values()
    flows = [float(values[f"A.net_flow.year{year}"]) for year in YEARS]
    assert flows[0] == -float(values["A.capex.net"])
    assert float(values["A.rent.irr"]) == pytest.approx(float(npf.irr(flows)), abs=1e-9)


def test_the_net_present_value_is_the_sum_of_the_months() -> None:
    values = ledger(delivery=4).values()
    months = [
        (values["A.rent.year"] / 12 - values[f"A.cash.month{month}"])
        * Decimal("1.06") ** (-Decimal(4 + month) / 12)
        for month in range(1, 61)
    ]
    expected = sum(months, -values["A.capex.net"])
    assert abs(values["A.rent.npv"] - expected) < Decimal("0.05")


def test_saved_and_net_flows_agree() -> None:
    values = ledger().values()
    total = sum(values[f"A.net_flow.year{year}"] for year in YEARS)
    assert total == values["A.rent.saving"] == values["A.rent.total"] - values["A.tco.net"]
    assert abs(values["A.saved.month60"] - total) < Decimal("0.05")


def test_payback_is_the_first_month_in_which_buying_is_ahead() -> None:
    values = ledger().values()
    saved = [values[f"A.saved.month{month}"] for month in range(61)]
    first = next(month for month, amount in enumerate(saved) if amount >= 0)
    assert values["A.rent.payback_months"] == first
    # While costs are those of the first year the simple form says the same, to the month.
    assert first - 1 < values["A.rent.breakeven_months"] <= first


def test_where_renting_is_cheaper_there_is_neither_return_nor_break_even() -> None:
    values = ledger("1").values()
    assert values["A.rent.payback_months"] == 61
    assert values["A.rent.npv"] < 0
    assert "A.rent.breakeven_months" not in values
    assert "A.rent.irr" not in values


def test_at_the_break_even_use_buying_costs_what_renting_does() -> None:
    values = ledger().values()
    hours = values["A.rent.breakeven_utilisation"] * 8760 * 5 * 32
    assert hours * values["A.rent.hour"] == pytest.approx(values["A.tco.net"])


@pytest.mark.parametrize(
    ("flows", "rate", "source"),
    [
        ([-70000, 12000, 15000, 18000, 21000], -0.02124, "Excel, IRR"),
        ([-70000, 12000, 15000, 18000, 21000, 26000], 0.08663, "Excel, IRR"),
        ([-100, 39, 59, 55, 20], 0.2809484, "numpy-financial, irr"),
        ([-100, 0, 0, 74], -0.0954958, "numpy-financial, irr"),
        ([-100, 100, 0, -7], -0.0833, "numpy-financial, irr: nearest to zero of two"),
        ([-5, 10.5, 1, -8, 1], 0.0886, "numpy-financial, irr"),
    ],
)
def test_published_rates_of_return(flows: list[float], rate: float, source: str) -> None:
    found = nearest_rate([Decimal(repr(flow)) for flow in flows])
    assert float(found) == pytest.approx(rate, abs=1e-4), source
