"""Storage, failures and spares as they are shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, goodput, requirement, shop, sizing, text

from suanli.domain.figure import Check, Confidence, Number, Source
from suanli.domain.market import Reliability
from suanli.domain.workload import ClusterWish, StorageWish
from suanli.estimation.goodput import DEFAULT_FAILURES
from suanli.estimation.goodput import goodput as computed
from suanli.estimation.results import Range
from suanli.planning.availability_results import LossKind
from suanli.planning.cluster import plan_cluster
from suanli.planning.storage_results import DemandKind, TierKind
from suanli.proposal.availability_view import availability_view
from suanli.proposal.plan_notices import plan_notices
from suanli.proposal.references import References
from suanli.proposal.scales import rate, size, time
from suanli.proposal.storage_view import storage_view

if TYPE_CHECKING:
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.model import Shown

DAY_S = 86_400.0
DOCUMENT = Source(id="src", title="Data sheet", publisher="Acme", retrieved=date(2026, 11, 1))


def figure(value: float) -> Number:
    return Number(
        value=value,
        unit="per 1000 device-days",
        source="src",
        confidence=Confidence.PAPER,
        check=Check.RECALL,
    )


FLEET = Reliability(id="fleet", name=text("fleet"), figures={"per_1000_device_days": figure(2.0)})
KNOWN = catalogue(*shop(), DOCUMENT, FLEET)


def plan(nodes: int = 64, spares: int | None = 2) -> ClusterPlan:
    base = sizing(nodes)
    point = computed(base.accelerators, base.ideal_s, 7e9, replace(DEFAULT_FAILURES, source="src"))
    wish = ClusterWish(spare_nodes=spares)
    return plan_cluster(replace(base, goodput=point), requirement(wish=wish), KNOWN)


@pytest.mark.parametrize(
    ("shown", "text_"),
    [
        (size(5.67e12), "5.67 TB"),
        (size(98e9), "98.0 GB"),
        (size(3e5), "0.300 MB"),
        (size(2.4e15), "2.40 PB"),
        (rate(32.7e9), "32.7 GB/s"),
        (rate(0.7e6), "0.700 MB/s"),
        (time(30), "30.0 s"),
        (time(300), "5.00 min"),
        (time(9000), "2.50 h"),
        (time(3 * DAY_S), "3.00 day"),
    ],
)
def test_figures_are_shown_in_the_unit_in_which_they_are_read(shown: Shown, text_: str) -> None:
    assert f"{shown.value} {shown.unit}" == text_


def test_storage_is_shown_in_the_units_of_a_tender() -> None:
    storage = replace(
        plan(4).storage,
        dataset_bytes=8e12,
        checkpoint_bytes=98e9,
        capacity_bytes=12.5e12,
        write_bytes_per_s=3.2e9,
        read_bytes_per_s=1.1e9,
    )
    view = storage_view(storage, References(KNOWN))
    assert [str(f.value) + f.unit for f in (view.dataset, view.checkpoint, view.capacity)] == [
        "8.00TB",
        "98.0GB",
        "12.5TB",
    ]
    assert [str(f.value) + f.unit for f in (view.write, view.read)] == ["3.20GB/s", "1.10GB/s"]


def test_every_volume_demand_and_tier_of_the_plan_is_shown() -> None:
    need = replace(requirement(), storage=StorageWish(source_data_bytes=500e12))
    storage = plan_cluster(sizing(64), need, KNOWN).storage
    view = storage_view(storage, References(KNOWN))

    assert [volume.kind for volume in view.volumes] == [volume.kind for volume in storage.volumes]
    assert [tier.kind for tier in view.tiers] == [TierKind.PERFORMANCE, TierKind.CAPACITY]
    assert [tier.servers for tier in view.tiers] == [tier.servers for tier in storage.tiers]
    loading = next(demand for demand in view.demands if demand.kind is DemandKind.LOADING)
    assert (loading.transfer, loading.time) == (None, None)
    assert sum(mode.chosen for mode in view.modes) == 1


def test_failures_are_shown_with_their_range_and_source() -> None:
    references = References(KNOWN)
    availability = plan().availability
    assert availability is not None
    view = availability_view(availability, references)

    assert view.rate.value == Decimal("0.474")
    assert view.rate.refs == ("S1",)
    assert view.interruptions.low is not None
    assert view.interruptions.high is not None
    assert view.interruptions.low <= view.interruptions.value <= view.interruptions.high
    # The one published rate of this catalogue was quoted from memory.
    assert [row.rate.value for row in view.rates] == [Decimal("2.00")]
    assert [source.weak for source in references.sources()] == [True]


def test_the_spares_that_are_bought_are_marked_and_cover_is_never_certain() -> None:
    availability = plan(spares=2).availability
    assert availability is not None
    view = availability_view(availability, References(KNOWN))

    assert [row.spares for row in view.effects if row.chosen] == [2]
    assert view.stated
    assert all(row.cover < 1 for row in view.effects)
    assert view.effects[0].saved is None
    assert view.adjusted.value >= view.days.value >= view.ideal.value


def test_the_lost_time_adds_up_to_what_is_shown_as_lost() -> None:
    availability = plan().availability
    assert availability is not None
    view = availability_view(availability, References(KNOWN))

    assert sum(loss.share for loss in view.losses) == pytest.approx(view.lost_share, abs=Decimal("0.0002"))
    assert view.losses[-1].kind is LossKind.REPAIR


def test_a_run_that_never_waits_shows_no_row_for_it() -> None:
    base = replace(sizing(1), goodput=goodput(mtbf_s=1e15))
    availability = plan_cluster(base, requirement(wish=ClusterWish(spare_nodes=9)), KNOWN).availability
    assert availability is not None
    losses = [loss.kind for loss in availability_view(availability, References(KNOWN)).losses]

    assert losses == [LossKind.CHECKPOINT, LossKind.LOST_WORK, LossKind.RESTART]


def test_waiting_that_breaks_a_deadline_is_said() -> None:
    base = requirement()
    planned = plan(nodes=256, spares=0)
    assert planned.availability is not None
    end_s = planned.availability.duration_s.p90 * 1.01
    need = replace(base, workload=replace(base.workload, deadline_s=end_s, runs_per_year=0.1))

    said = [notice.en for notice in plan_notices({"A": planned}, need)]
    assert any("waiting for repairs" in text_ for text_ in said)
    covered = [notice.en for notice in plan_notices({"A": plan(nodes=256, spares=9)}, need)]
    assert not any("waiting for repairs" in text_ for text_ in covered)


def test_many_spares_are_shown_around_what_is_bought() -> None:
    availability = plan(nodes=2048, spares=24).availability
    assert availability is not None
    shown = [row.spares for row in availability_view(availability, References(KNOWN)).effects]

    assert shown == [0, 6, 12, 22, 23, 24, 25, 26]


def test_a_run_that_is_seldom_interrupted_is_shown_without_a_range() -> None:
    availability = plan_cluster(sizing(1, hours=1), requirement(), KNOWN).availability
    assert availability is not None
    rare = replace(availability, interruptions=Range(0, 0.003, 0))
    view = availability_view(rare, References(KNOWN))

    assert view.rare
    assert (view.interruptions.value, view.interruptions.low) == (Decimal("0.00300"), None)


@pytest.mark.parametrize(("hours", "unit"), [(47, "h"), (49, "day")])
def test_a_short_run_is_told_in_hours(hours: float, unit: str) -> None:
    availability = plan_cluster(sizing(4, hours=hours), requirement(), KNOWN).availability
    assert availability is not None
    view = availability_view(availability, References(KNOWN))

    units = {view.ideal.unit, view.days.unit, view.adjusted.unit, *(row.days.unit for row in view.effects)}
    assert units == {unit}
