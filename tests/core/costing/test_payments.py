"""Payment milestones, time-of-use tariffs and rental offers of a project file, through the ledger."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.costing.hand_example import hand_plan
from tests.factories import catalogue, price, requirement, shop

from suanli.costing.build import build_ledger
from suanli.costing.payments import milestone_month
from suanli.costing.tariff import tariff_inputs, tariff_lines
from suanli.domain.market import PriceKind
from suanli.domain.money import Money, round_half_up
from suanli.domain.record import Text
from suanli.domain.units import HOURS_PER_YEAR
from suanli.domain.workload import Milestone, RentOffer, TariffBand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.costing.ledger import Ledger, Table
    from suanli.domain.workload import Requirement

RENT = price("rent", "4.50", PriceKind.CLOUD, "USD", prices=("acme-x1",), per="device-hour")
FOUR = (
    Milestone(Text.same("advance"), Decimal("0.3")),
    Milestone(Text.same("delivery"), Decimal("0.4"), 90),
    Milestone(Text.same("acceptance"), Decimal("0.25"), 200),
    Milestone(Text.same("retention"), Decimal("0.05"), 1100),
)


def ledger(needed: Requirement) -> Ledger:
    goods = catalogue(*shop(), RENT)
    return build_ledger([("A", hand_plan(4, needed, goods))], needed, goods)


def paid(*milestones: Milestone) -> Requirement:
    plain = requirement()
    return replace(plain, commercial=replace(plain.commercial, milestones=milestones))


def delivered(months: int, needed: Requirement) -> Requirement:
    return replace(needed, commercial=replace(needed.commercial, delivery_months=months))


def banded(*bands: tuple[str, str]) -> Requirement:
    plain = requirement()
    made = tuple(
        TariffBand(f"band {place}", Decimal(hours), Money(Decimal(amount), "CNY"))
        for place, (hours, amount) in enumerate(bands)
    )
    return replace(plain, site=replace(plain.site, tariff=made))


def table(book: Ledger, table_id: str) -> Table:
    return next(table for table in book.tables if table.id == table_id)


def test_the_payments_of_the_worked_example() -> None:
    """12,241,100.00 net and 13,795,443.00 gross in four payments."""
    values = ledger(paid(*FOUR)).values()
    assert [values[f"A.payment.{number}.gross"] for number in range(1, 5)] == [
        Decimal("4138632.90"),
        Decimal("5518177.20"),
        Decimal("3448860.75"),
        Decimal("689772.15"),
    ]
    assert values["A.payment.1.net"] == Decimal("3672330.00")
    assert values["A.payment.1.vat"] == Decimal("466302.90")


shares = st.lists(st.integers(1, 997), min_size=1, max_size=8)


@given(parts=shares)
def test_payments_add_up_to_the_purchase_whatever_the_shares(parts: Sequence[int]) -> None:
    whole = sum(parts)
    cut = [Decimal(part) / Decimal(whole) for part in parts]
    milestones = [Milestone(Text.same(f"m{place}"), share, 150 * place) for place, share in enumerate(cut)]
    values = ledger(paid(*milestones)).values()
    for key in ("net", "vat", "gross"):
        total = sum((values[f"A.payment.{number}.{key}"] for number in range(1, len(parts) + 1)), Decimal(0))
        assert total == values[f"A.capex.{key}"]
    assert values["check.master"] == 0


def test_without_milestones_the_purchase_is_paid_with_the_order() -> None:
    plain, one = (
        ledger(requirement()).values(),
        ledger(paid(Milestone(Text.same("order"), Decimal(1)))).values(),
    )
    assert plain["A.cash.year0"] == one["A.cash.year0"] == plain["A.capex.net"]
    assert "A.payment.1.net" not in plain


def test_a_payment_is_cash_in_the_month_whose_end_is_nearest() -> None:
    plain, spread = ledger(requirement()).values(), ledger(paid(*FOUR)).values()
    assert [milestone_month(one.after_days) for one in FOUR] == [0, 3, 7, 36]
    net = [spread[f"A.payment.{number}.net"] for number in range(1, 5)]
    assert [spread[f"A.purchase.month{month}"] for month in (0, 3, 7, 36)] == net
    assert spread["A.cash.year0"] == net[0]
    assert spread["A.cash.year1"] - plain["A.cash.year1"] == net[1] + net[2]
    assert spread["A.cash.year3"] - plain["A.cash.year3"] == net[3]


def test_what_is_paid_before_operation_stands_in_year_0_and_is_discounted_by_its_own_date() -> None:
    values = ledger(delivered(5, paid(*FOUR))).values()
    net = [values[f"A.payment.{number}.net"] for number in range(1, 5)]
    assert [values[f"A.payment.{number}.month"] for number in range(1, 5)] == [0, 0, 2, 31]
    assert values["A.cash.year0"] == net[0] + net[1]
    worth = net[0] + round_half_up(net[1] * Decimal("1.06") ** (Decimal(-3) / 12))
    assert values["A.discounted.year0"] == round_half_up(worth)
    # The first month of operation ends six months after the order.
    assert values["A.factor.month1"] == pytest.approx(Decimal("1.06") ** (Decimal(-6) / 12))


def test_later_delivery_leaves_the_total_and_lowers_the_present_value_of_running_it() -> None:
    soon, late = (ledger(delivered(months, requirement())).values() for months in (0, 9))
    assert late["A.tco.net"] == soon["A.tco.net"]
    assert late["A.tco.discounted"] < soon["A.tco.discounted"]


def test_a_payment_after_the_horizon_counts_in_its_last_month() -> None:
    far = Milestone(Text.same("retention"), Decimal("0.5"), 3600)
    values = ledger(paid(Milestone(Text.same("order"), Decimal("0.5")), far)).values()
    assert values["A.purchase.month60"] == values["A.payment.2.net"]
    assert values["check.master"] == 0


def test_paying_later_leaves_the_total_and_lowers_its_present_value() -> None:
    plain, spread = ledger(requirement()).values(), ledger(paid(*FOUR)).values()
    assert spread["A.tco.net"] == plain["A.tco.net"]
    assert spread["A.tco.discounted"] < plain["A.tco.discounted"]


def test_the_schedule_is_a_table_with_its_total() -> None:
    rows = table(ledger(paid(*FOUR)), "payments:A").rows
    assert [row.style for row in rows] == ["row"] * 4 + ["total"]
    assert rows[0].cells["share"] == "general.milestone.1"
    assert "share" not in rows[3].cells
    assert rows[4].cells["gross"] == "A.capex.gross"
    assert not [one for one in ledger(requirement()).tables if one.id.startswith("payments")]


def test_a_reviewer_may_move_shares_and_the_last_payment_takes_the_rest() -> None:
    book = ledger(paid(*FOUR))
    moved = book.values({"general.milestone.1": Decimal("0.5")})
    assert moved["A.payment.4.gross"] == moved["A.capex.gross"] - sum(
        (moved[f"A.payment.{number}.gross"] for number in (1, 2, 3)), Decimal(0)
    )
    assert moved["check.master"] == 0


def test_a_tariff_is_the_mean_of_its_bands_by_hours() -> None:
    book = ledger(banded(("8", "0.62"), ("8", "0.42"), ("8", "0.21")))
    values = book.values()
    assert values["site.electricity"] == Decimal("0.4167")
    assert {"site.tariff.1.price", "site.tariff.3.hours"} <= {entry.id for entry in book.inputs}
    assert "site.electricity" not in {entry.id for entry in book.inputs}


def test_a_tariff_of_one_price_costs_what_the_price_costs() -> None:
    plain = ledger(requirement()).values()
    amount = str(requirement().site.electricity.amount)
    same = ledger(banded(("10", amount), ("14", amount))).values()
    assert same["A.electricity"] == plain["A.electricity"]


def test_without_bands_there_is_one_price() -> None:
    assert tariff_inputs(requirement()) == ()
    assert tariff_lines(requirement()) == ()


@pytest.mark.parametrize(("device", "hour"), [("", "6.0000"), ("acme-x1", "6.0000"), ("other", "31.9500")])
def test_the_rental_offer_of_the_project_stands_before_the_catalogue(device: str, hour: str) -> None:
    plain = requirement()
    offer = RentOffer(Money(Decimal(6), "CNY"), accelerator=device)
    offered = replace(plain, commercial=replace(plain.commercial, rent=offer))
    assert ledger(offered).values()["A.rent.hour"] == Decimal(hour)


def test_a_committed_rental_is_paid_around_the_clock() -> None:
    plain = requirement()
    offers = [RentOffer(Money(Decimal(6), "CNY"), commitment_s=time) for time in (None, 3 * 365.25 * 86400)]
    years = [
        ledger(replace(plain, commercial=replace(plain.commercial, rent=offer))).values()["A.rent.year"]
        for offer in offers
    ]
    devices = 4 * 8
    assert years[1] == Decimal(devices * 6) * Decimal(HOURS_PER_YEAR)
    assert years[0] < years[1]
