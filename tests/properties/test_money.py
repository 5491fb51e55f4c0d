"""Properties of money that hold for any price, quantity, rate and policy."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories import catalogue, commercial, requirement, shop, sizing

from suanli.costing.build import build_ledger
from suanli.costing.expressions import Constant, evaluate
from suanli.costing.formulas import present_value, straight_line_up_to
from suanli.costing.words import amount_in_words
from suanli.domain.workload import ClusterWish, Rounding
from suanli.planning.cluster import plan_cluster

if TYPE_CHECKING:
    from suanli.costing.ledger import Ledger

amounts = st.decimals(min_value=0, max_value=10_000_000, places=2)
rates = st.decimals(min_value=0, max_value=1, places=4)


def ledger(rounding: Rounding = Rounding.LINE, nodes: int = 4, spares: int = 0) -> Ledger:
    needed = requirement(commercial(rounding), ClusterWish(spare_nodes=spares))
    goods = catalogue(*shop())
    return build_ledger([("A", plan_cluster(sizing(nodes), needed, goods))], needed, goods)


BOOKS = {policy: ledger(policy) for policy in Rounding}


@settings(max_examples=60, deadline=None)
@given(
    policy=st.sampled_from(list(Rounding)),
    server=amounts,
    optic=amounts,
    goods=rates,
    works=rates,
    discount=rates,
    residual=rates,
    horizon=st.integers(1, 5),
    life=st.integers(1, 10),
)
def test_no_money_is_made_or_lost_whatever_a_reviewer_enters(  # noqa: PLR0913, PLR0917 - the cells a reviewer changes
    policy: Rounding,
    server: Decimal,
    optic: Decimal,
    goods: Decimal,
    works: Decimal,
    discount: Decimal,
    residual: Decimal,
    horizon: int,
    life: int,
) -> None:
    values = BOOKS[policy].values(
        {
            "price.p-box": server,
            "price.p-optic-ib-400g": optic,
            "general.vat_goods": goods,
            "general.vat_works": works,
            "general.discount_rate": discount,
            "general.residual_share": residual,
            "general.horizon": Decimal(horizon),
            "general.depreciation_years": Decimal(life),
        }
    )
    blocks = sum(
        value for key, value in values.items() if key.startswith("A.block.") and key.endswith(".net")
    )

    assert values["check.master"] == 0
    assert blocks == values["A.capex.net"]
    assert values["A.capex.net"] + values["A.capex.vat"] == values["A.capex.gross"]


@settings(deadline=None)
@given(flows=st.lists(amounts, min_size=1, max_size=12))
def test_present_value_at_no_interest_is_the_plain_sum(flows: list[Decimal]) -> None:
    nodes = [Constant(flow) for flow in flows]

    assert evaluate(present_value(nodes, Constant(Decimal(0))), {}) == sum(flows)


@given(amount=amounts, server=amounts)
@settings(max_examples=30, deadline=None)
def test_the_ledger_without_interest_has_equal_nominal_and_present_cost(
    amount: Decimal, server: Decimal
) -> None:
    values = BOOKS[Rounding.LINE].values(
        {"general.discount_rate": Decimal(0), "price.p-box": server, "general.staff_cost": amount}
    )

    assert abs(values["A.tco.net"] - values["A.tco.discounted"]) <= Decimal("0.03")


@given(rate=st.decimals(min_value="0.01", max_value=1, places=4))
@settings(max_examples=30, deadline=None)
def test_interest_lowers_the_present_cost(rate: Decimal) -> None:
    values = BOOKS[Rounding.LINE].values({"general.discount_rate": rate})

    assert values["A.tco.discounted"] < values["A.tco.net"]


@given(count=st.integers(1, 4000))
@settings(max_examples=40, deadline=None)
def test_cost_is_linear_in_the_number_of_servers(count: int) -> None:
    book = BOOKS[Rounding.LINE]
    one, two, many = (book.values({"A.quantity.servers": Decimal(servers)}) for servers in (1, 2, count))

    for key in ("A.capex.net", "A.capex.gross", "A.bill.servers.net"):
        assert many[key] == one[key] + (count - 1) * (two[key] - one[key])


@given(base=amounts, life=st.integers(1, 20))
@settings(deadline=None)
def test_depreciation_over_its_life_is_the_base_to_the_cent(base: Decimal, life: int) -> None:
    node = Constant(Decimal(life))
    years = [evaluate(straight_line_up_to(Constant(base), node, year), {}) for year in range(life + 3)]

    assert years[0] == 0
    assert years[life] == years[life + 2] == base
    assert years == sorted(years)


@given(fen=st.integers(0, 10**18 - 1))
def test_amounts_in_words_are_told_apart(fen: int) -> None:
    amount = Decimal(fen).scaleb(-2)
    words = amount_in_words(amount)

    assert words.startswith("人民币")
    assert "零零" not in words
    assert words.endswith("分") is bool(fen % 10)
    assert words != amount_in_words(amount + Decimal("0.01") if fen < 10**18 - 1 else Decimal(0))


def test_policies_change_nothing_but_cents() -> None:
    totals = [total_under(policy) for policy in Rounding]

    assert max(totals) - min(totals) < 1


def total_under(policy: Rounding) -> Decimal:
    return BOOKS[policy].values({"price.p-optic-ib-400g": Decimal("3.335")})["A.capex.gross"]
