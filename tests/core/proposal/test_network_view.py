"""The network design as it is shown: rounded, with units, unknown figures left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.core.planning.network.test_bill_network import cluster
from tests.factories import catalogue, shop

from suanli.domain.figure import Source
from suanli.domain.money import Money
from suanli.domain.record import Text
from suanli.planning.network.results import (
    Dimension,
    Level,
    LinkKind,
    LinkOption,
    SubscriptionRow,
    Traffic,
)
from suanli.proposal.network_view import network_view
from suanli.proposal.references import References

if TYPE_CHECKING:
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.model import NetworkView

DOCUMENT = Source(id="src", title="Data sheet", publisher="Acme", retrieved=date(2026, 11, 1))


def shown(plan: ClusterPlan, *options: LinkOption) -> NetworkView:
    assert plan.network is not None
    design = replace(plan.network, options=options or plan.network.options)
    return network_view(plan.fabric, design, References(catalogue(*shop(), DOCUMENT)))


def designed(**fields: object) -> NetworkView:
    plan = cluster(16)
    assert plan.network is not None
    design = replace(plan.network, **fields)  # type: ignore[arg-type]
    return network_view(plan.fabric, design, References(catalogue(*shop(), DOCUMENT)))


def option(
    kind: LinkKind = LinkKind.ETHERNET, *, meets: bool | None = True, cost: str | None = None
) -> LinkOption:
    return LinkOption(
        link="roce-400",
        name=Text(zh="RoCE", en="RoCE"),
        kind=kind,
        port_bytes_per_s=50e9,
        step_s=12.3456,
        exposed_share=0.12345,
        meets=meets,
        fitted=False,
        cost=None if cost is None else Money(Decimal(cost), "CNY"),
        switches=6,
        source="src",
    )


def test_the_shape_with_its_rails_and_ports_is_shown() -> None:
    view = shown(cluster(40))

    assert (view.shape, view.rails) == ("rail-optimised", 8)
    assert view.ports_used == 320 + 2 * 512


def test_cables_of_each_class_are_those_of_the_plan() -> None:
    plan = cluster(40)
    view = shown(plan)

    assert [(one.tier, one.kind, one.cables) for one in view.cables] == [
        (one.tier.value, one.kind.value, one.cables) for one in plan.fabric.cables
    ]


@pytest.mark.parametrize(
    ("kind", "meets", "verdict"),
    [
        (LinkKind.ETHERNET, True, "meets"),
        (LinkKind.ETHERNET, False, "exceeds"),
        (LinkKind.INFINIBAND, None, "open"),
        (LinkKind.SCALE_UP, True, "bound"),
    ],
)
def test_an_option_says_whether_it_keeps_the_limit(
    kind: LinkKind,
    meets: bool | None,  # noqa: FBT001 - a column of the table
    verdict: str,
) -> None:
    (view,) = shown(cluster(16), option(kind, meets=meets)).options

    assert view.verdict == verdict


def test_an_option_is_rounded_and_its_unknown_price_stays_absent() -> None:
    first, second = shown(cluster(16), option(), option(cost="1234567.891")).options

    assert (first.share, first.step.value, first.cost) == (Decimal("0.123"), Decimal("12.3"), None)
    assert second.cost is not None
    assert second.cost.value == Decimal("1234567.89")
    assert (first.rate.value, first.rate.unit, first.refs) == (Decimal(400), "Gbit/s", ("S1",))


def test_a_missing_price_within_the_limit_makes_the_rate_decide() -> None:
    missing, exceeding = option(), option(meets=False)

    assert shown(cluster(16), option(cost="1"), missing).compared_by_rate
    assert not shown(cluster(16), option(cost="1"), exceeding).compared_by_rate


def test_short_times_are_told_in_milliseconds() -> None:
    long = Traffic(Dimension.TENSOR, 8, 1.5e9, Level.NODE, 0.879, 0.1234)
    short = replace(long, exposed_s=0.000879)
    first, second = designed(traffic=(long, short)).traffic

    assert (str(first.exposed.value), first.exposed.unit) == ("0.879", "s")
    assert (str(second.exposed.value), second.exposed.unit) == ("0.879", "ms")
    assert (first.dimension, first.level, first.share) == ("tp", "node", Decimal("0.123"))
    assert (str(first.moved.value), first.moved.unit) == ("1.50", "GB")
    assert first.moved.refs == ("F1",)


def test_a_device_link_is_shown_in_bytes() -> None:
    (view,) = shown(cluster(16), option(LinkKind.SCALE_UP)).options

    assert (str(view.rate.value), view.rate.unit) == ("50.0", "GB/s")


def test_both_networks_beside_the_compute_network_are_shown() -> None:
    storage, management = shown(cluster(40)).sides

    assert (storage.purpose, management.purpose) == ("storage", "management")
    assert storage.needed is not None
    assert storage.given is not None
    assert storage.adapters == 40
    assert management.needed is None


def test_whole_ratios_have_no_decimals() -> None:
    row = SubscriptionRow(4.0, 51 / 13, 20, 260, 2.3e12, 0.209, 34.1, chosen=False)
    whole, built = designed(subscription=(replace(row, ratio=4.0), row)).subscription

    assert [str(one) for one in (whole.asked, whole.ratio, built.asked, built.ratio)] == [
        "4",
        "4",
        "4",
        "3.92",
    ]
    assert (str(built.bisection.value), built.bisection.unit) == ("2.30", "TB/s")


def test_the_oversubscription_that_is_allowed_is_shown_beside_the_one_that_is_built() -> None:
    assert shown(cluster(40)).asked_oversubscription is None
    assert str(shown(cluster(40, ratio=2.0)).asked_oversubscription) == "2"
    assert str(shown(cluster(40, ratio=2.5)).asked_oversubscription) == "2.50"


def test_the_ports_of_the_storage_network_are_shown_by_whose_they_are() -> None:
    storage, management = shown(cluster(40)).sides

    assert sum(group.machines * group.each for group in storage.groups) == storage.ports
    assert [group.user for group in storage.groups] == ["training", "performance", "support", "out-of-band"]
    assert management.groups == ()
