"""The sensitivity of the TCO is computed by the ledger itself."""

from __future__ import annotations

from decimal import Decimal

from suanli.costing.expressions import Ref
from suanli.costing.ledger import Input, Ledger, Line
from suanli.domain.record import Text
from suanli.proposal.sensitivity import sensitivities


def label(name: str) -> Text:
    return Text(zh="项", en=name)


def ledger() -> Ledger:
    return Ledger(
        "CNY",
        (
            Input("price", label("price"), Decimal(100), "CNY", "prices"),
            Input("tariff", label("tariff"), Decimal(2), "CNY/kWh", "site"),
            Input("unused", label("unused"), Decimal(9), "CNY", "prices"),
            Input("servers", label("servers"), Decimal(4), "count", "quantities"),
            Input("kwh", label("kwh"), Decimal(10), "kWh", "energy"),
            Line(
                "A.tco.net", label("tco"), Ref("price") * Ref("servers") + Ref("tariff") * Ref("kwh"), "CNY"
            ),
        ),
    )


def test_inputs_are_ordered_by_how_much_they_move_the_total() -> None:
    views = sensitivities("A", ledger())
    assert [view.label.en for view in views] == ["price", "kwh", "tariff"]
    assert (views[0].low, views[0].high) == (Decimal("380.00"), Decimal("460.00"))
    assert views[0].spread == Decimal("0.1905")


def test_inputs_that_do_not_reach_the_total_and_counts_of_the_sizing_are_left_out() -> None:
    names = {view.label.en for view in sensitivities("A", ledger())}
    assert names.isdisjoint({"unused", "servers"})


def test_a_total_of_zero_has_no_relative_sensitivity() -> None:
    zero = Ledger(
        "CNY",
        (
            Input("price", label("price"), Decimal(0), "CNY", "prices"),
            Line("A.tco.net", label("t"), Ref("price"), "CNY"),
        ),
    )
    assert sensitivities("A", zero) == ()
