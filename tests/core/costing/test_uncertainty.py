"""The distribution of costs: the ledger's own lines over correlated draws."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import catalogue, price, requirement, shop, sizing

from suanli.costing.build import build_ledger
from suanli.costing.expressions import (
    Choose,
    Constant,
    InternalRate,
    Maximum,
    Minimum,
    Power,
    Ref,
    Round,
    RoundUp,
    Sum,
)
from suanli.costing.ledger import Input, Ledger, Line
from suanli.costing.sampling import draw, lines_behind, sampled
from suanli.costing.spreads import ACCURACY, SHARED_SHARE, Factor, Spread, spread_of, spreads
from suanli.costing.uncertainty import DRAWS, normal_scores, split_log_normal, uncertainty
from suanli.domain.figure import Grade
from suanli.domain.market import PriceKind
from suanli.domain.record import Text
from suanli.planning.cluster import plan_cluster

if TYPE_CHECKING:
    from suanli.costing.expressions import Expression

NAME = Text(zh="名", en="name")
RENT = price("rent", "4.50", PriceKind.CLOUD, "USD", prices=("acme-x1",), per="device-hour")


def book() -> Ledger:
    needed, goods = requirement(), catalogue(*shop(), RENT)
    plans = [(key, plan_cluster(sizing(nodes), needed, goods)) for key, nodes in (("A", 4), ("B", 5))]
    return build_ledger(plans, needed, goods)


def priced(value: str, **more: object) -> Input:
    return Input("price.x", NAME, Decimal(value), "CNY", "prices", **more)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def ledger_of(*entries: Input | Line) -> Ledger:
    return Ledger("CNY", entries)


def test_every_line_of_a_ledger_is_the_same_in_floats_as_in_decimals() -> None:
    known = book()
    exact = known.values()
    given_inputs = {entry.id: np.array(float(entry.value)) for entry in known.inputs}
    lines = [line for line in known.lines if not isinstance(line.expression, InternalRate)]
    found = sampled(lines, given_inputs, [line.id for line in lines])
    for line in lines:
        # Rounding is passed through, so sums of many cents may differ by some.
        assert float(found[line.id]) == pytest.approx(float(exact[line.id]), rel=1e-6, abs=0.5), line.id


NODES: dict[str, tuple[Expression, list[float]]] = {
    "sum": (Sum((Ref("x"), Constant(Decimal(2)))), [3.0, 4.0]),
    "least": (Minimum((Ref("x"), Constant(Decimal("1.5")))), [1.0, 1.5]),
    "most": (Maximum((Ref("x"), Constant(Decimal("1.5")))), [1.5, 2.0]),
    "power": (Power(Ref("x"), Constant(Decimal(3))), [1.0, 8.0]),
    "up": (RoundUp(Ref("x") / Constant(Decimal(2))), [1.0, 1.0]),
    "round": (Round(Ref("x") / Constant(Decimal(3))), [1 / 3, 2 / 3]),
    "choice": (Choose(Ref("x"), Constant(Decimal(1)), Constant(Decimal(7)), Ref("x")), [7.0, 2.0]),
    "difference": (Ref("x") - Constant(Decimal(1)), [0.0, 1.0]),
}


@pytest.mark.parametrize("node", NODES)
def test_every_kind_of_node_is_evaluated_for_each_draw(node: str) -> None:
    tree, expected = NODES[node]
    assert draw(tree, {"x": np.array([1.0, 2.0])}).tolist() == pytest.approx(expected)


def test_only_what_stands_behind_a_line_is_evaluated() -> None:
    known = book()
    behind = {line.id for line in lines_behind(["A.capex.net"], known)}
    assert "A.capex.net" in behind
    assert not any(name.startswith("B.") for name in behind)
    assert "A.tco.net" not in behind


@given(
    value=st.floats(1.0, 1e9),
    low=st.floats(0.2, 0.99),
    high=st.floats(1.01, 4.0),
)
def test_an_input_passes_through_its_p10_its_value_and_its_p90(value: float, low: float, high: float) -> None:
    one = Spread("x", NAME, Factor.MARKET, value, value * low, value * high, "source")
    ends = split_log_normal(one, np.array([-1.2815515655446004, 0.0, 1.2815515655446004]))
    assert ends.tolist() == pytest.approx([value * low, value, value * high])
    rising = split_log_normal(one, np.linspace(-4, 4, 33))
    assert bool(np.all(np.diff(rising) > 0))
    assert bool(np.all(rising > 0))


def test_inputs_of_one_cause_correlate_and_others_do_not() -> None:
    kinds = {"a": Factor.MARKET, "b": Factor.MARKET, "c": Factor.POWER}
    found = [Spread(name, NAME, kind, 1.0, 0.9, 1.1, "tenth") for name, kind in kinds.items()]
    scores = normal_scores(found, DRAWS, np.random.default_rng(1))
    a, b, c = (scores[name] for name in kinds)
    assert float(np.mean(a * b)) == pytest.approx(SHARED_SHARE, abs=0.01)
    assert abs(float(np.mean(a * c))) < 0.01
    assert float(np.std(a)) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (priced("100", low=Decimal(90), high=Decimal(130), grade=Grade.WEAK), (90.0, 130.0, "source")),
        (priced("100", grade=Grade.DIRECT), (90.0, 112.5, "class 2")),
        (priced("100", grade=Grade.SECONDARY), (85.0, 120.0, "class 3")),
        (priced("100", grade=Grade.WEAK), (77.5, 135.0, "class 4")),
        (priced("100", grade=Grade.WEAK, stale=True), (65.0, 165.0, "class 5")),
        (priced("100", grade=Grade.DIRECT, stale=True), (85.0, 120.0, "class 3")),
    ],
)
def test_a_price_is_as_uncertain_as_its_source_or_its_class(
    entry: Input, expected: tuple[float, float, str]
) -> None:
    spread = spread_of(entry)
    assert spread is not None
    assert (spread.p10, spread.p90, spread.basis) == pytest.approx(expected)


def test_classes_widen_in_order() -> None:
    widths = [high / low for _, low, high in ACCURACY]
    assert widths == sorted(widths)


def test_counts_rules_and_tax_rates_are_certain() -> None:
    certain = {entry.id for entry in book().inputs} - {one.id for one in spreads(book().inputs)}
    assert {"general.horizon", "general.discount_rate", "A.quantity.servers", "general.vat_goods"} <= certain


def test_without_any_spread_all_quantiles_are_the_value() -> None:
    counted = Input("q", NAME, Decimal(7), "count", "quantities")
    known = ledger_of(counted, Line("t", NAME, Ref("q") * Constant(Decimal(3)), "CNY"))
    found = uncertainty(known, ["t"], drivers=["t"], draws=100)
    assert (found.ranges["t"].p10, found.ranges["t"].p50, found.ranges["t"].p90) == (21.0, 21.0, 21.0)
    assert found.drivers["t"] == ()


def test_a_single_price_gives_its_own_quantiles_and_is_its_own_driver() -> None:
    known = ledger_of(
        priced("100", grade=Grade.WEAK), Line("t", NAME, Ref("price.x") + Ref("price.x"), "CNY")
    )
    found = uncertainty(known, ["t"], drivers=["t"])
    band = found.ranges["t"]
    assert (band.p10, band.p50, band.p90) == pytest.approx((155.0, 200.0, 270.0), rel=0.01)
    (driver,) = found.drivers["t"]
    assert (driver.low, driver.high, driver.swing) == pytest.approx((155.0, 270.0, 115.0))


def test_the_same_seed_gives_the_same_figures_and_another_nearly_the_same() -> None:
    known = book()
    first, again, other = (uncertainty(known, ["A.tco.net"], seed=seed) for seed in (1, 1, 2))
    assert first.ranges == again.ranges
    assert first.ranges != other.ranges
    assert first.ranges["A.tco.net"].p90 == pytest.approx(other.ranges["A.tco.net"].p90, rel=0.01)


def test_quantiles_are_in_order_around_the_exact_value() -> None:
    known, lines = book(), ["A.capex.gross", "A.tco.net", "A.tco.discounted"]
    exact = known.values()
    for name, band in uncertainty(known, lines).ranges.items():
        assert band.p10 < band.p50 < band.p90
        assert band.p50 == pytest.approx(float(exact[name]), rel=0.1)


def test_options_see_the_same_draws_so_that_the_smaller_cluster_is_always_cheaper() -> None:
    found = uncertainty(book(), ["A.tco.net", "B.tco.net"], ["A.tco.net", "B.tco.net"], draws=2000)
    assert found.cheapest == {"A.tco.net": 1.0, "B.tco.net": 0.0}
    assert math.isclose(sum(found.cheapest.values()), 1.0)


def test_a_wider_price_widens_the_total() -> None:
    narrow, wide = (
        uncertainty(
            ledger_of(priced("100", grade=grade), Line("t", NAME, Ref("price.x") * Ref("price.x"), "CNY")),
            ["t"],
        ).ranges["t"]
        for grade in (Grade.DIRECT, Grade.WEAK)
    )
    assert wide.p10 < narrow.p10
    assert wide.p90 > narrow.p90


def test_a_hundred_thousand_draws_take_less_than_a_second() -> None:
    known = book()
    start = time.process_time()
    found = uncertainty(known, ["A.tco.net", "B.tco.net"])
    assert found.draws >= 100_000
    assert time.process_time() - start < 1.0


def test_a_line_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        uncertainty(book(), ["A.nothing"])


def test_an_input_that_is_nil_or_negative_is_taken_as_it_is() -> None:
    assert spread_of(priced("0")) is None
    assert spread_of(replace(priced("100"), low=Decimal(-5), high=Decimal(200))) is None
