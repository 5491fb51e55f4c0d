"""Months, escalation, energy by phase, and the sums that months and years must agree on."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.costing.hand_example import hand_plan
from tests.factories import catalogue, requirement, shop

from suanli.costing.build import build_ledger
from suanli.costing.inputs import option_inputs
from suanli.costing.lines import Costed
from suanli.domain.figure import Grade
from suanli.domain.finance import Escalation
from suanli.domain.units import S_PER_DAY
from suanli.planning.results import LeadTime

if TYPE_CHECKING:
    from suanli.costing.ledger import Input, Ledger
    from suanli.domain.workload import Requirement


def ledger(needed: Requirement | None = None) -> Ledger:
    needed = needed or requirement()
    goods = catalogue(*shop())
    return build_ledger([("A", hand_plan(4, needed, goods))], needed, goods)


def ruled(**rules: object) -> Requirement:
    plain = requirement()
    return replace(plain, commercial=replace(plain.commercial, **rules))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def test_prices_rise_on_the_anniversary() -> None:
    rise = Escalation(electricity=Decimal("0.02"), staff=Decimal("0.05"), services=Decimal("0.03"))
    values = ledger(ruled(escalation=rise)).values()
    assert values["A.staff.year1"] == values["A.staff"] == Decimal(1_200_000)
    assert values["A.staff.year3"] == Decimal(1_200_000) * Decimal("1.05") ** 2
    assert values["A.staff.month12"] * Decimal("1.05") == values["A.staff.month13"]
    assert values["A.colocation.year2"] == Decimal(350460) * Decimal("1.03")
    assert abs(values["A.electricity.year5"] - values["A.electricity"] * Decimal("1.02") ** 4) < 1


def test_insurance_and_removal_are_shares_of_the_goods() -> None:
    needed = ruled(insurance_share=Decimal("0.003"), decommissioning_share=Decimal("0.01"))
    values, plain = ledger(needed).values(), ledger().values()
    assert values["A.insurance"] == Decimal("34623.30")
    assert values["A.decommissioning.value"] == Decimal("115411.00")
    assert values["A.decommissioning.month60"] == values["A.decommissioning.total"]
    added = 5 * values["A.insurance"] + values["A.decommissioning.total"]
    assert values["A.tco.net"] == plain["A.tco.net"] + added
    assert values["A.accounting.total"] == values["A.tco.net"]
    assert "A.insurance" not in plain


def test_a_year_of_electricity_is_training_idle_and_planned_downtime() -> None:
    plain = requirement()
    down = replace(plain, site=replace(plain.site, planned_downtime_h=Decimal(7_000)))
    values = ledger(down).values()
    assert values["A.energy.busy_hours"] == 1_760
    assert values["A.energy.kwh_training"] == Decimal(1_760) * Decimal("38.6") * Decimal("1.25")
    assert values["A.energy.kwh_idle"] == 0
    assert values["A.energy.kwh_downtime"] == Decimal(7_000) * Decimal("20.6") * Decimal("1.25")
    whole = sum(values[f"A.energy.kwh_{phase}"] for phase in ("training", "idle", "downtime"))
    assert whole == values["A.energy.kwh_year"]


def test_a_shorter_horizon_ends_months_years_and_residual_together() -> None:
    values = ledger().values({"general.horizon": Decimal(3)})
    assert values["A.cash.month37"] == 0
    assert values["A.residual.month36"] == -values["A.residual.value"]
    assert values["A.cash.year4"] == 0
    assert values["A.factor.month37"] == 0
    assert values["check.master"] == 0


@settings(max_examples=30, deadline=None)
@given(
    horizon=st.integers(1, 5),
    delivery=st.integers(0, 30),
    staff=st.integers(0, 20),
    rate=st.integers(0, 30),
)
def test_months_and_years_agree_and_pay_the_same(horizon: int, delivery: int, staff: int, rate: int) -> None:
    needed = ruled(
        delivery_months=delivery,
        escalation=Escalation(staff=Decimal(staff) / 100),
        discount_rate=Decimal(rate) / 100,
    )
    values = ledger(needed).values({"general.horizon": Decimal(horizon)})
    assert values["check.master"] == 0
    assert (values["A.tco.discounted"] == values["A.tco.net"]) or rate
    # A level amount in every month of operation is worth what the cluster costs.
    worth = sum(values[f"A.factor.month{month}"] for month in range(1, 61))
    assert abs(values["A.tco.annuity"] / 12 * worth - values["A.tco.discounted"]) < 1


def delivery_input(needed: Requirement, lead: LeadTime | None) -> Input:
    plan = hand_plan(4, needed, catalogue(*shop()))
    bill = tuple(replace(item, lead_time=lead if item.id == "servers" else None) for item in plan.bill)
    option = Costed("A", replace(plan, bill=bill), needed, colocated=False, staffed=False)
    return next(entry for entry in option_inputs(option) if entry.id == "A.schedule.delivery_months")


def test_delivery_is_the_projects_word_else_the_lead_time_else_unknown() -> None:
    lead = LeadTime(8 * 7 * S_PER_DAY, 12 * 7 * S_PER_DAY, "2024-04", "src")
    stated = delivery_input(ruled(delivery_months=7), lead)
    assert (stated.value, stated.source, stated.low) == (Decimal(7), "", None)
    sourced = delivery_input(requirement(), lead)
    assert (sourced.value, sourced.source, sourced.dated) == (Decimal(3), "src", "2024-04")
    assert (sourced.low, sourced.high) == (Decimal("1.8"), Decimal("2.8"))
    unknown = delivery_input(requirement(), None)
    assert (unknown.value, unknown.grade) == (Decimal(0), Grade.WEAK)
    assert unknown.note is not None
    assert "no source states a delivery time" in unknown.note.en


@pytest.mark.parametrize("key", ["general.number", "general.active", "general.rise.staff"])
def test_every_month_has_one_formula_that_reads_its_own_number(key: str) -> None:
    lines = {line.id: line for line in ledger().lines}
    first, other = lines[f"{key}.month7"].expression, lines[f"{key}.month40"].expression
    shifted = repr(other).replace("month40", "month7").replace("month39", "month6")
    assert repr(first) == shifted
