"""Both readings of an expression, exact decimals and spreadsheet formulas, give the same cents."""

from __future__ import annotations

from decimal import Decimal

import ironcalc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories import catalogue, commercial, price, requirement, shop, sizing

from suanli.costing.build import build_ledger
from suanli.costing.expressions import (
    Binary,
    Choose,
    Constant,
    Expression,
    Maximum,
    Minimum,
    Round,
    RoundUp,
    Sum,
    evaluate,
    formula,
)
from suanli.costing.ledger import Input, Ledger
from suanli.domain.market import PriceKind, VatTreatment
from suanli.domain.workload import Rounding
from suanli.planning.cluster import plan_cluster


def recalculated(ledger: Ledger, changed: dict[str, Decimal]) -> dict[str, float]:
    """Return every entry's value as a spreadsheet engine computes it, one entry a row."""
    rows = {entry.id: row for row, entry in enumerate(ledger.entries, start=1)}
    model = ironcalc.create("ledger", "en", "UTC", "en")
    for entry in ledger.entries:
        if isinstance(entry, Input):
            content = f"{changed.get(entry.id, entry.value):f}"
        else:
            content = "=" + formula(entry.expression, lambda name: f"$A${rows[name]}")
        model.set_user_input(0, rows[entry.id], 1, content)
    model.evaluate()
    return {name: shown(model.get_cell_value(0, row, 1)) for name, row in rows.items()}


def shown(cell: str | float | bool | None) -> float:  # noqa: FBT001 - whatever the engine returns
    """Return a cell's number; an error text such as ``#NAME?`` fails the test."""
    assert isinstance(cell, float | int), cell
    return float(cell)


def ledger(policy: Rounding) -> Ledger:
    suite = {"basis": "software-nvidia-suite-year", "per": "device-year", "preferred": True}
    goods = catalogue(
        *shop(),
        price("suite", "4500", PriceKind.SOFTWARE, "USD", **suite),
        price(
            "gross",
            "3300000",
            PriceKind.SERVER,
            prices=("acme-box",),
            preferred=True,
            vat=VatTreatment.INCLUDED,
        ),
        price("rent", "4.5", PriceKind.CLOUD, "USD", prices=("acme-x1",), per="device-hour"),
    )
    needed = requirement(commercial(policy))
    plans = [
        (key, plan_cluster(sizing(nodes, 1234.5), needed, goods)) for key, nodes in (("A", 4), ("B", 40))
    ]
    return build_ledger(plans, needed, goods)


@pytest.mark.parametrize("policy", list(Rounding))
@pytest.mark.parametrize(
    "changed",
    [
        {},
        {
            "general.discount_rate": Decimal("0.5"),
            "general.horizon": Decimal(3),
            "price.gross": Decimal("1234567.89"),
        },
    ],
    ids=["as-built", "edited"],
)
def test_a_whole_ledger_recalculates_to_the_same_cents(policy: Rounding, changed: dict[str, Decimal]) -> None:
    book = ledger(policy)
    exact, sheet = book.values(changed), recalculated(book, changed)

    for name, value in exact.items():
        assert sheet[name] == pytest.approx(float(value), rel=1e-9, abs=0.005), name
    assert exact["check.master"] == 0


numbers = st.decimals(min_value=-100_000, max_value=100_000, places=2).map(Constant)


def _grown(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    few = st.lists(parts, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Binary, st.sampled_from("+-"), parts, parts),
        st.builds(lambda a, b: Binary("*", a, Round(b)), parts, numbers),
        st.builds(lambda a, b: Binary("/", a, Constant(abs(b.value) + 1)), parts, numbers),
        st.builds(Sum, few),
        st.builds(Minimum, few),
        st.builds(Maximum, few),
        st.builds(lambda a: RoundUp(Round(a)), parts),
        st.builds(lambda a, b, c, d: Choose(Round(a), Round(b), c, d), numbers, numbers, parts, parts),
    )


@settings(max_examples=150, deadline=None)
@given(tree=st.recursive(numbers, _grown, max_leaves=8))
def test_any_tree_means_the_same_in_both_back_ends(tree: Expression) -> None:
    model = ironcalc.create("tree", "en", "UTC", "en")
    model.set_user_input(0, 1, 1, "=" + formula(tree, str))
    model.evaluate()

    assert shown(model.get_cell_value(0, 1, 1)) == pytest.approx(
        float(evaluate(tree, {})), rel=1e-6, abs=1e-4
    )
