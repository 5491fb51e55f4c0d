from __future__ import annotations

from datetime import date

import pytest
from tests.core.built_in import host
from tests.factories import catalogue, requirement, shop, sizing, text

from suanli.domain.figure import Check, Confidence, Seconds, Source
from suanli.domain.market import SiteFigure
from suanli.planning.cluster import plan_cluster
from suanli.planning.lead_times import lead_time, with_lead_times

WEEK_S = 7 * 86_400.0
DOCUMENT = Source(
    id="src", title="Lead times", publisher="Press", published="2026-10", retrieved=date(2026, 11, 1)
)


def stated(thing: str, low: float | None = 8, high: float | None = 12, *, barred: bool = False) -> SiteFigure:
    return SiteFigure(
        id=f"lead-time-{thing}",
        name=text(thing),
        topic="lead-time",
        figure=Seconds(
            value=10,
            unit="weeks",
            source="src",
            confidence=Confidence.PRESS,
            check=Check.DIRECT,
            low=low,
            high=high,
            barred=barred,
            note="" if low else "Longer than this.",
        ),
    )


def test_a_stated_range_is_read_with_its_date_and_source() -> None:
    found = lead_time(catalogue(stated("disk"), DOCUMENT), "disk")

    assert found is not None
    assert (found.low_s, found.high_s) == (8 * WEEK_S, 12 * WEEK_S)
    assert (found.as_of, found.source, found.open_ended) == ("2026-10", "src", False)


def test_a_lower_bound_stays_one() -> None:
    found = lead_time(catalogue(stated("disk", None, None)), "disk")

    assert found is not None
    assert found.open_ended
    assert found.low_s == found.high_s == 10 * WEEK_S


def test_nothing_is_said_where_no_source_says_it_or_the_figure_was_refuted() -> None:
    known = catalogue(stated("disk", barred=True))

    assert lead_time(known, "disk") is None
    assert lead_time(known, "switch") is None


def test_lines_get_the_lead_time_of_their_own_kind_and_of_no_relative() -> None:
    known = catalogue(*shop(), stated("transceiver"), stated("server-acme-x1"), stated("server-acme-x2"))
    bill = {item.id: item for item in plan_cluster(sizing(), requirement(), known).bill}

    timed = {key for key, item in bill.items() if item.lead_time is not None}
    assert {"servers", "spare-servers"} <= timed
    assert all(key in {"servers", "spare-servers"} or key.endswith("transceivers") for key in timed)
    assert any(key.endswith("transceivers") for key in timed)


def test_another_device_has_no_lead_time_of_its_own() -> None:
    bill = plan_cluster(sizing(), requirement(), catalogue(*shop(), stated("server-acme-x2"))).bill

    assert all(item.lead_time is None for item in bill)
    again = with_lead_times(bill, "acme-x2", catalogue(stated("server-acme-x2")))
    assert {item.id for item in again if item.lead_time} == {"servers", "spare-servers"}


@pytest.mark.parametrize(
    ("thing", "expected"),
    # Dell, April 2024; TrendForce, September 2025.
    [("server-h100-sxm", (8, 12, False)), ("disk", (52, 52, True))],
)
def test_shipped_lead_times_are_those_of_their_sources(
    thing: str, expected: tuple[float, float, bool]
) -> None:
    found = lead_time(host().catalogue, thing)

    assert found is not None
    assert (found.low_s / WEEK_S, found.high_s / WEEK_S, found.open_ended) == expected
