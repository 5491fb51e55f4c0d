"""Loans and leases through the ledger, held against numpy-financial and against what they must add up to."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy_financial as npf  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.costing.hand_example import hand_plan
from tests.factories import catalogue, requirement, shop

from suanli.costing.build import build_ledger
from suanli.domain.finance import Financing, FinancingMethod

if TYPE_CHECKING:
    from suanli.costing.ledger import Ledger

LEVEL, EQUAL, LEASE = FinancingMethod
CENT = Decimal("0.01")


def ledger(terms: Financing | None) -> Ledger:
    plain = requirement()
    needed = replace(plain, commercial=replace(plain.commercial, financing=terms))
    goods = catalogue(*shop())
    return build_ledger([("A", hand_plan(4, needed, goods))], needed, goods)


def financed(
    method: FinancingMethod, share: str = "0.7", rate: str = "0.045", term: int = 60, grace: int = 0
) -> Ledger:
    return ledger(Financing(method, Decimal(share), Decimal(rate), term, grace))


def column(values: dict[str, Decimal], row: str, term: int) -> list[Decimal]:
    return [values[f"A.financing.{row}.month{month}"] for month in range(1, term + 1)]


def test_level_instalments_are_those_of_numpy_financial() -> None:
    values = financed(LEVEL).values()
    amount = Decimal("0.7") * values["A.capex.net"]
    assert values["A.financing.amount"] == amount
    assert float(values["A.financing.level"]) == pytest.approx(
        -float(npf.pmt(0.045 / 12, 60, float(amount))), abs=0.005
    )
    interest = [-float(npf.ipmt(0.045 / 12, month, 60, float(amount))) for month in (1, 30, 60)]
    found = column(values, "interest", 60)
    assert [float(found[place]) for place in (0, 29, 59)] == pytest.approx(interest, abs=0.5)


def test_equal_principal_pays_less_interest_in_falling_instalments() -> None:
    values, level = financed(EQUAL).values(), financed(LEVEL).values()
    paid = column(values, "instalment", 60)
    assert paid == sorted(paid, reverse=True)
    assert values["A.financing.interest_total"] < level["A.financing.interest_total"]
    # Of n equal parts the interest is P · i · (n + 1) / 2.
    expected = values["A.financing.amount"] * Decimal("0.045") / 12 * 61 / 2
    assert abs(values["A.financing.interest_total"] - expected) < 1


def test_a_lease_is_paid_in_advance() -> None:
    values = financed(LEASE).values()
    amount = float(values["A.financing.amount"])
    due = -float(npf.pmt(0.045 / 12, 60, amount, when="begin"))
    assert float(values["A.financing.level"]) == pytest.approx(due, abs=0.005)
    assert values["A.financing.opening.month1"] == values["A.financing.amount"]
    # The first rent is paid with the order and worth what it is.
    assert values["A.financing.present.month1"] == values["A.financing.instalment.month1"]


@pytest.mark.parametrize("method", [LEVEL, EQUAL])
def test_in_the_grace_only_interest_is_paid(method: FinancingMethod) -> None:
    values = financed(method, term=24, grace=6).values()
    assert column(values, "principal", 24)[:6] == [0] * 6
    assert column(values, "principal", 24)[6] > 0
    assert values["A.financing.closing.month24"] == 0


@settings(max_examples=40, deadline=None)
@given(
    method=st.sampled_from(FinancingMethod),
    share=st.integers(1, 100),
    rate=st.integers(1, 2_500),
    term=st.integers(2, 90),
    grace=st.integers(0, 12),
)
def test_a_schedule_pays_back_exactly_what_was_lent(
    method: FinancingMethod, share: int, rate: int, term: int, grace: int
) -> None:
    grace = 0 if method is LEASE else min(grace, term - 1)
    terms = Financing(method, Decimal(share) / 100, Decimal(rate) / 10_000, term, grace)
    values = ledger(terms).values()
    amount = values["A.financing.amount"]
    assert sum(column(values, "principal", term)) == amount
    assert values[f"A.financing.closing.month{term}"] == 0
    assert values["A.financing.paid_total"] == amount + values["A.financing.interest_total"]
    assert all(value >= 0 for value in column(values, "closing", term))
    assert values["check.master"] == 0


def test_at_the_rate_of_the_loan_it_is_worth_what_was_lent() -> None:
    """Discounted at its own effective rate, what is paid back is the principal."""
    effective = (1 + Decimal("0.06") / 12) ** 12 - 1
    for method in FinancingMethod:
        values = financed(method, rate="0.06").values({"general.discount_rate": effective})
        assert abs(values["A.financing.present"] - values["A.financing.amount"]) < Decimal("0.5"), method


def test_a_reviewer_may_shorten_the_term() -> None:
    for method in FinancingMethod:
        values = financed(method).values({"general.financing.term": Decimal(24)})
        assert column(values, "closing", 60)[23:] == [0] * 37, method
        assert column(values, "instalment", 60)[24:] == [0] * 36, method
        assert values["check.master"] == 0


def test_financing_moves_no_cost_of_the_cluster() -> None:
    plain, loan = ledger(None).values(), financed(LEVEL).values()
    assert loan["A.tco.net"] == plain["A.tco.net"]
    assert loan["A.tco.discounted"] == plain["A.tco.discounted"]
    assert loan["A.financing.tco"] == plain["A.tco.net"] + loan["A.financing.interest_total"]
    assert not [name for name in plain if ".financing." in name]


def test_the_term_can_only_be_shortened_and_not_below_the_grace() -> None:
    entries = {entry.id: entry for entry in financed(LEVEL, term=24, grace=6).inputs}
    term = entries["general.financing.term"]
    assert (term.least, term.most) == (Decimal(7), Decimal(24))
    assert entries["general.financing.grace"].most == 23
    assert "general.financing.grace" not in {entry.id for entry in financed(LEASE).inputs}


def test_the_schedule_is_a_table_of_rows_by_month() -> None:
    table = next(one for one in financed(LEVEL, term=24).tables if one.id == "financing:A")
    names = [row.id.rpartition(".")[2] for row in table.rows]
    assert names == ["number", "opening", "interest", "principal", "instalment", "closing", "present"]
    assert table.columns[0] == "total"
    assert len(table.columns) == 25
