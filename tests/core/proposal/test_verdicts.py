"""Which option is recommended, and which may not be."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from tests.factories import accelerator, catalogue, device, requirement, shop, sizing

from suanli.domain.money import Money
from suanli.domain.vendor import Deliverability
from suanli.domain.workload import Objective, Requirement
from suanli.planning.cluster import plan_cluster
from suanli.planning.software.results import Outcome, RuleFinding
from suanli.proposal.model import Verdict
from suanli.proposal.verdicts import Candidate, rank, verdicts

BASE = requirement()


def candidate(
    tco: int,
    *,
    status: Deliverability = Deliverability.FREE,
    hours: float = 1000,
    origin: str = "US",
    capex: int = 1000,
) -> Candidate:
    chip = accelerator().model_copy(update={"origin": origin})
    plan = plan_cluster(sizing(hours=hours, chip=device(chip=chip)), BASE, catalogue(*shop()))
    return Candidate(plan=plan, deliverability=status, tco=Decimal(tco), capex_gross=Decimal(capex))


def judged(candidates: dict[str, Candidate], asked: Requirement = BASE) -> dict[str, Verdict]:
    return verdicts(rank(candidates, asked), candidates, asked)


def test_the_cheapest_deliverable_option_is_recommended() -> None:
    found = judged(
        {"A": candidate(300), "B": candidate(200), "C": candidate(100, status=Deliverability.BARRED)}
    )
    assert found == {"A": Verdict.ALTERNATE, "B": Verdict.RECOMMENDED, "C": Verdict.BARRED}


@pytest.mark.parametrize("status", [Deliverability.BARRED, Deliverability.LICENCE])
def test_an_option_that_may_not_simply_be_delivered_is_never_recommended(status: Deliverability) -> None:
    assert judged({"A": candidate(1, status=status)}) == {"A": Verdict.BARRED}


def test_what_is_surely_deliverable_stands_before_what_needs_an_opinion_however_cheap() -> None:
    options = {"A": candidate(1, status=Deliverability.UNKNOWN), "B": candidate(900)}
    assert judged(options) == {"A": Verdict.ALTERNATE, "B": Verdict.RECOMMENDED}
    assert judged({"A": candidate(1, status=Deliverability.UNKNOWN)}) == {"A": Verdict.RECOMMENDED}


def test_a_preference_does_not_lift_an_unknown_status_over_a_known_one() -> None:
    asked = replace(BASE, vendors=replace(BASE.vendors, prefer="domestic", delivery_region="CN"))
    options = {"A": candidate(1, status=Deliverability.UNKNOWN, origin="CN"), "B": candidate(900)}
    assert judged(options, asked)["B"] is Verdict.RECOMMENDED


def test_the_objective_decides_what_is_best() -> None:
    options = {"cheap": candidate(100, hours=2000), "fast": candidate(200, hours=500)}
    assert rank(options, BASE)[0] == "cheap"
    assert rank(options, replace(BASE, objective=Objective.TIME))[0] == "fast"
    assert rank(options, replace(BASE, objective=Objective.ENERGY))[0] == "fast"


def test_a_domestic_preference_outranks_the_objective() -> None:
    asked = replace(BASE, vendors=replace(BASE.vendors, prefer="domestic", delivery_region="CN"))
    options = {"foreign": candidate(100), "domestic": candidate(200, origin="CN")}
    assert judged(options, asked)["domestic"] is Verdict.RECOMMENDED


def test_an_option_above_the_budget_is_marked_and_not_recommended() -> None:
    money = replace(BASE.commercial, budget=Money(Decimal(500), BASE.commercial.currency))
    asked = replace(BASE, commercial=money)
    found = judged({"A": candidate(100, capex=600), "B": candidate(200, capex=400)}, asked)
    assert found == {"A": Verdict.OVER_BUDGET, "B": Verdict.RECOMMENDED}


def test_equal_options_are_ordered_by_key_whatever_the_order_given() -> None:
    one, two = candidate(100), candidate(100)
    assert rank({"A": one, "B": two}, BASE) == rank({"B": two, "A": one}, BASE) == ("A", "B")


def test_an_option_that_misses_its_deadline_while_it_waits_for_repairs_is_not_recommended() -> None:
    late = replace(candidate(100), late=True)
    assert judged({"A": late, "B": candidate(900)}) == {"A": Verdict.ALTERNATE, "B": Verdict.RECOMMENDED}
    assert judged({"A": late}) == {"A": Verdict.ALTERNATE}


def test_an_option_whose_framework_refuses_the_layout_is_not_recommended() -> None:
    plain = candidate(100)
    assert plain.plan.software is not None
    broken = RuleFinding("layers-by-stages", Outcome.BROKEN, (), "src")
    software = replace(plain.plan.software, rules=(broken,))
    refused = replace(plain, plan=replace(plain.plan, software=software))
    assert judged({"A": refused, "B": candidate(900)}) == {"A": Verdict.ALTERNATE, "B": Verdict.RECOMMENDED}
