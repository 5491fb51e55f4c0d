"""Energy by phase and embodied carbon are those of the ledger, and absent where nothing states them."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.core.costing.hand_example import hand_plan
from tests.factories import catalogue, requirement, shop

from suanli.costing.build import build_ledger
from suanli.domain.embodied import EmbodiedCarbon, EmbodiedScope
from suanli.domain.figure import Check, Confidence, KgCo2e
from suanli.proposal.emissions_view import ledger_energy
from suanli.proposal.money_view import Books
from suanli.proposal.plan_view import energy_view
from suanli.proposal.references import References

if TYPE_CHECKING:
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.model import EnergyView


def viewed(scope: EmbodiedScope | None) -> tuple[EnergyView, Books]:
    needed, goods = requirement(), catalogue(*shop())
    plan = hand_plan(4, needed, goods)
    if scope is not None:
        plan = _with_carbon(plan, scope)
    books = Books.of(build_ledger([("A", plan)], needed, goods), needed.commercial, References(goods))
    assert plan.energy is not None
    return ledger_energy(energy_view(plan.energy, books.references), "A", plan, books), books


def _with_carbon(plan: ClusterPlan, scope: EmbodiedScope) -> ClusterPlan:
    figure = KgCo2e(
        value=1600, unit="kgCO2e", source="src", check=Check.DIRECT, confidence=Confidence.DATASHEET
    )
    carbon = EmbodiedCarbon(carbon=figure, scope=scope, devices=8)
    device = plan.sizing.device
    server = device.server.model_copy(update={"embodied_carbon": carbon})
    return replace(plan, sizing=replace(plan.sizing, device=replace(device, server=server)))


def test_the_phases_add_up_to_the_year() -> None:
    view, books = viewed(None)
    assert view.training is not None
    assert view.idle is not None
    total = float(view.training.value + view.idle.value) * 1000
    assert total == pytest.approx(float(books.values["A.energy.kwh_year"]), rel=0.01)


def test_without_a_document_there_is_no_embodied_carbon() -> None:
    view, books = viewed(None)
    assert view.embodied is None
    assert "A.carbon.embodied_kg" not in books.values


@pytest.mark.parametrize("scope", EmbodiedScope)
def test_embodied_carbon_counts_all_servers_and_says_what_it_leaves_out(scope: EmbodiedScope) -> None:
    view, books = viewed(scope)
    # Four servers at work and a spare.
    assert books.values["A.carbon.embodied_kg"] == Decimal(5 * 1600)
    assert view.embodied is not None
    assert (view.embodied.value, view.embodied.unit) == (Decimal("8.00"), "t")
    assert view.embodied.incomplete is (scope is not EmbodiedScope.SERVER)
    assert view.embodied_covers is not None


def test_a_run_bears_the_hours_that_it_holds_the_servers() -> None:
    _, books = viewed(EmbodiedScope.SERVER)
    expected = Decimal(8000) * 1000 / (8760 * 5)
    assert books.values["A.carbon.embodied_run"] == pytest.approx(expected)
