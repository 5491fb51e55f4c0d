"""A scenario is what a whole ledger gives with the inputs themselves moved."""

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
from suanli.domain.finance import ScenarioFactors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.costing.ledger import Ledger

FACTORS = ("price", "exchange", "electricity", "staff", "use", "residual")


def ledger(worse: ScenarioFactors | None = None) -> Ledger:
    plain = requirement()
    rules = replace(
        plain.commercial,
        pessimistic=worse or ScenarioFactors(),
        insurance_share=Decimal("0.003"),
        decommissioning_share=Decimal("0.01"),
    )
    needed = replace(plain, commercial=rules)
    goods = catalogue(*shop())
    return build_ledger([("A", hand_plan(4, needed, goods))], needed, goods)


def moved(book: Ledger, factors: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """Return the ledger with every input moved that a factor stands for."""
    changed: dict[str, Decimal] = {}
    for entry in book.inputs:
        if entry.id.startswith("price."):
            changed[entry.id] = entry.value * factors["price"]
        elif entry.id.startswith("general.fx."):
            changed[entry.id] = entry.value * factors["exchange"]
        elif entry.id in {"site.electricity", "site.colocation"}:
            changed[entry.id] = entry.value * factors["electricity"]
        elif entry.id == "general.staff_cost":
            changed[entry.id] = entry.value * factors["staff"]
        elif entry.id == "general.runs_per_year":
            changed[entry.id] = entry.value * factors["use"]
        elif entry.id == "general.residual_share":
            changed[entry.id] = entry.value * factors["residual"]
        elif entry.id == "A.energy.hours_run":
            changed[entry.id] = entry.value * factors["run_time"]
    return book.values(changed)


@settings(max_examples=40, deadline=None)
@given(st.tuples(*(st.integers(60, 150) for _ in (*FACTORS, "run_time"))))
def test_a_scenario_equals_the_ledger_with_its_inputs_moved(parts: tuple[int, ...]) -> None:
    factors = {name: Decimal(part) / 100 for name, part in zip((*FACTORS, "run_time"), parts, strict=True)}
    found = ledger(ScenarioFactors(**factors)).values()
    expected = moved(ledger(), factors)
    pairs = {
        "capex": "capex.net",
        "busy_hours": "energy.busy_hours",
        "kwh_year": "energy.kwh_year",
        "electricity": "electricity.total",
        "maintenance": "maintenance.total",
        "staff": "staff.total",
        "insurance": "insurance.total",
        "residual": "residual.total",
        "decommissioning": "decommissioning.total",
        "tco": "tco.net",
        "billion_tokens": "cost.billion_tokens",
        "busy_accelerator_hour": "cost.busy_accelerator_hour",
    }
    for scenario, entry in pairs.items():
        # Unit prices are rounded to the cent before they are multiplied, scenarios scale the sums.
        assert float(found[f"A.scenario.pessimistic.{scenario}"]) == pytest.approx(
            float(expected[f"A.{entry}"]), rel=2e-6, abs=0.02
        ), scenario


def test_the_base_is_the_ledger_itself() -> None:
    values = ledger().values()
    assert values["A.scenario.base.tco"] == values["A.tco.net"]
    assert values["A.scenario.base.capex"] == values["A.capex.net"]
    assert values["A.scenario.base.billion_tokens"] == values["A.cost.billion_tokens"]
    assert values["check.A.scenario"] == 0


def test_the_base_stays_the_base_whatever_a_reviewer_changes() -> None:
    book = ledger()
    values = book.values({"site.pue": Decimal("1.5"), "general.horizon": Decimal(3)})
    assert values["A.scenario.base.tco"] == values["A.tco.net"]
    assert not [entry.id for entry in book.inputs if entry.id.startswith("scenario.base")]


def test_the_time_of_a_run_is_that_of_the_option_unless_given() -> None:
    book = ledger()
    own = {entry.id: entry.value for entry in book.inputs}
    duration = hand_plan(4, requirement(), catalogue(*shop())).sizing.duration_s
    assert float(own["A.run_time.optimistic"]) == pytest.approx(duration.p10 / duration.p50, abs=1e-4)
    assert float(own["A.run_time.pessimistic"]) == pytest.approx(duration.p90 / duration.p50, abs=1e-4)
    given_time = ledger(ScenarioFactors(run_time=Decimal("1.3"))).values()
    assert given_time["A.run_time.pessimistic"] == Decimal("1.3")


def test_factors_stand_above_the_costs_in_one_table() -> None:
    table = next(one for one in ledger().tables if one.id == "scenarios:A")
    assert table.columns == ("optimistic", "base", "pessimistic")
    labels = [row.id for row in table.rows]
    assert labels[: len(FACTORS)] == [f"scenario.{name}" for name in FACTORS]
    assert labels.index("A.scenario.run_time") < labels.index("A.scenario.capex")
    assert [row.style for row in table.rows if row.id == "A.scenario.tco"] == ["total"]
