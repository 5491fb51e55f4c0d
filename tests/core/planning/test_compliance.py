"""Delivery by device, place and day: statements, licence rules, country groups, and their age."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import host
from tests.core.planning.compliance_rows import DAY, chip, control, event, group, status
from tests.factories import catalogue

from suanli.domain.export import Criterion
from suanli.domain.hardware import Accelerator
from suanli.domain.vendor import ComplianceEvent, Deliverability, SkuStatus
from suanli.planning.compliance import Timing, delivery, relevant_events

if TYPE_CHECKING:
    from suanli.domain.record import Record

FREE, LICENCE, BARRED, UNKNOWN = (
    Deliverability.FREE,
    Deliverability.LICENCE,
    Deliverability.BARRED,
    Deliverability.UNKNOWN,
)


def verdict(region: str, *records: Record, day: date = DAY) -> Deliverability:
    return delivery("acme-x1", region, day, catalogue(*records)).deliverability


def test_a_province_takes_its_countrys_status() -> None:
    rows = (status("cn", "CN", BARRED), status("any", "*", FREE))
    assert verdict("CN-GZ", *rows) is BARRED
    assert verdict("DE", *rows) is FREE


def test_a_province_of_its_own_outranks_its_country() -> None:
    assert verdict("CN-GZ", status("cn", "CN", BARRED), status("gz", "CN-GZ", FREE)) is FREE


def test_no_row_is_unknown_not_free() -> None:
    found = delivery("acme-x9", "CN", DAY, catalogue(status("cn", "CN", FREE)))
    assert (found.deliverability, found.row, found.control) == (UNKNOWN, None, None)


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2023, 1, 1), FREE),
        (date(2025, 4, 8), FREE),
        (date(2025, 4, 9), LICENCE),
        (date(2026, 1, 14), LICENCE),
        (date(2026, 1, 15), BARRED),
    ],
)
def test_the_row_in_force_on_the_day_counts(day: date, expected: Deliverability) -> None:
    rows = (
        status("first", "CN", FREE),
        status("second", "CN", LICENCE, from_day=date(2025, 4, 9)),
        status("third", "CN", BARRED, from_day=date(2026, 1, 15)),
    )
    assert verdict("CN", *rows, day=day) is expected


def test_of_rows_that_began_on_one_day_the_one_checked_last_counts() -> None:
    rows = (
        status("old", "CN", BARRED, as_of=date(2026, 1, 1)),
        status("new", "CN", LICENCE, as_of=date(2026, 6, 1)),
    )
    assert verdict("CN", *rows) is LICENCE


@pytest.mark.parametrize(
    ("as_of", "from_day", "timing", "days"),
    [
        (DAY, None, Timing.CURRENT, 0),
        (date(2026, 12, 5), None, Timing.CURRENT, 0),
        (date(2026, 11, 20), None, Timing.OLDER, 10),
        (date(2026, 12, 30), date(2026, 12, 20), Timing.NEWER, 20),
    ],
)
def test_an_older_or_newer_row_is_said_to_be_one(
    as_of: date, from_day: date | None, timing: Timing, days: int
) -> None:
    found = delivery("acme-x1", "CN", DAY, catalogue(status("cn", "CN", FREE, as_of, from_day)))
    assert found.deliverability is FREE
    assert (found.timing, found.days_apart) == (timing, days)


def test_a_rule_in_force_outranks_a_row_that_begins_later() -> None:
    records = (
        chip(),
        group("us-china", "CN"),
        control("rule", ("us-china",), Criterion(tpp_from=4800), BARRED, until_day=date(2026, 12, 31)),
        status("cn", "CN", LICENCE, from_day=date(2027, 1, 1)),
    )
    assert verdict("CN", *records) is BARRED
    assert verdict("CN", *records, day=date(2027, 1, 1)) is LICENCE


def test_a_rule_holds_from_its_first_day_to_its_last() -> None:
    records = (
        chip(),
        group("us-china", "CN"),
        control("rule", ("us-china",), Criterion(tpp_from=4800), BARRED, until_day=date(2026, 1, 14)),
    )
    days = (date(2023, 11, 16), date(2023, 11, 17), date(2026, 1, 14), date(2026, 1, 15))
    assert [verdict("CN", *records, day=day) for day in days] == [UNKNOWN, BARRED, BARRED, UNKNOWN]


def test_a_rule_of_one_country_does_not_bind_the_devices_of_another() -> None:
    records = (
        group("us-china", "CN"),
        control("rule", ("us-china",), Criterion(tpp_from=4800), BARRED),
        status("any", "*", FREE),
    )
    assert verdict("CN", chip(origin="US"), *records) is BARRED
    assert verdict("CN", chip(origin="CN"), *records) is FREE


def test_of_two_rules_the_graver_counts() -> None:
    records = (
        chip(tops=2000),
        group("us-china", "CN"),
        control("above", ("us-china",), Criterion(tpp_from=21000), BARRED),
        control("case", ("us-china",), Criterion(tpp_from=4800), LICENCE),
    )
    assert verdict("CN", *records) is BARRED


def test_a_group_that_is_excepted_is_not_held_to_the_rule() -> None:
    records = (
        chip(),
        group("us-d4", "IL", "SA"),
        group("us-a6", "IL"),
        control("rule", ("us-d4",), Criterion(tpp_from=4800), except_groups=("us-a6",)),
        status("any", "*", FREE),
    )
    assert verdict("SA", *records) is LICENCE
    assert verdict("IL", *records) is FREE


@pytest.mark.parametrize(
    ("tops", "die_mm2", "expected"),
    [
        (181.0, 724.0, LICENCE),
        (181.0, 2000.0, FREE),
        (181.0, None, UNKNOWN),
        (90.0, None, FREE),
    ],
)
def test_a_density_that_would_decide_and_is_unknown_leaves_the_verdict_open(
    tops: float, die_mm2: float | None, expected: Deliverability
) -> None:
    rule = control(
        "b",
        ("us-china",),
        Criterion(tpp_from=2400, tpp_below=4800, density_from=1.6, density_below=5.92),
    )
    assert verdict("CN", chip(tops, die_mm2=die_mm2), group("us-china", "CN"), rule) is expected


# --- the shipped rows ---

CATALOGUE = host().catalogue


@pytest.mark.parametrize(
    ("device", "region", "expected"),
    [
        ("h100-sxm", "CN-GZ", LICENCE),
        ("h100-sxm", "HK", LICENCE),
        ("h100-sxm", "MO", LICENCE),
        ("h100-sxm", "RU", BARRED),
        ("h100-sxm", "VN", LICENCE),
        ("h100-sxm", "SA", LICENCE),
        ("h100-sxm", "AE", LICENCE),
        ("h100-sxm", "IL", FREE),
        ("h100-sxm", "SG", FREE),
        ("h100-sxm", "DE", FREE),
        ("h200-sxm", "HK", LICENCE),
        ("b200", "CN", BARRED),
        ("b200", "HK", BARRED),
        ("b200", "MO", BARRED),
        ("b200", "AF", BARRED),
        ("h20", "HK", LICENCE),
        ("h20", "MO", LICENCE),
        ("h20", "IR", UNKNOWN),
        ("mi210", "HK", LICENCE),
        ("mi210", "ZW", LICENCE),
        ("mi300x", "MO", LICENCE),
        ("mi355x", "HK", BARRED),
        ("mi355x", "KZ", LICENCE),
        ("ascend-910b2", "CN", FREE),
        ("ascend-910b2", "HK", UNKNOWN),
        ("ascend-910b2", "DE", UNKNOWN),
        ("v100-sxm2", "HK", UNKNOWN),
    ],
)
def test_the_shipped_rules_reach_hong_kong_macau_and_the_country_groups(
    device: str, region: str, expected: Deliverability
) -> None:
    assert delivery(device, region, DAY, CATALOGUE).deliverability is expected


@pytest.mark.parametrize(
    ("device", "day", "expected"),
    [
        ("h100-sxm", date(2025, 6, 1), BARRED),
        ("h100-sxm", date(2026, 1, 14), BARRED),
        ("h100-sxm", date(2026, 1, 15), LICENCE),
        ("h20", date(2025, 4, 8), FREE),
        ("h20", date(2025, 4, 9), LICENCE),
        ("mi300x", date(2025, 6, 1), BARRED),
        ("mi210", date(2024, 1, 1), LICENCE),
    ],
)
def test_the_shipped_status_for_china_depends_on_the_day(
    device: str, day: date, expected: Deliverability
) -> None:
    assert delivery(device, "CN", day, CATALOGUE).deliverability is expected


def test_every_shipped_row_for_china_agrees_with_the_rules_it_falls_under() -> None:
    """A statement is never kinder than the licence rule in force, which is worked out from the data sheet."""
    order = [BARRED, LICENCE, UNKNOWN, FREE]
    for row in CATALOGUE.all(SkuStatus):
        found = delivery(row.accelerator, row.region, DAY, CATALOGUE) if row.region != "*" else None
        if found is not None and found.control is not None:
            assert order.index(found.deliverability) <= order.index(found.control.deliverability), row.id


def test_the_stated_processing_performance_is_that_of_the_dense_peaks() -> None:
    """Ascend states its headline figures, which hold vector units; the others are within rounding."""
    for row in CATALOGUE.all(SkuStatus):
        found = delivery(row.accelerator, "CN", DAY, CATALOGUE).performance
        device = CATALOGUE.get(Accelerator, row.accelerator)
        if row.tpp_dense is None or found is None or device.vendor == "ascend":
            continue
        assert found.tpp == pytest.approx(row.tpp_dense.value, rel=0.005), row.id


def test_events_are_those_of_vendor_device_and_region_up_to_the_day() -> None:
    known = catalogue(
        chip(),
        event("all", "2025-03-01"),
        event("vendor", "2025-02", vendors=("nvidia",)),
        event("device", "2024", accelerators=("acme-x1",)),
        event("region", "2026-11-30", regions=("CN",)),
        event("other-vendor", "2025-01-01", vendors=("amd",)),
        event("other-device", "2025-01-01", accelerators=("acme-x2",)),
        event("other-region", "2025-01-01", regions=("AE",)),
        event("later", "2026-12-01"),
    )
    found = relevant_events("acme-x1", "CN-GZ", DAY, known)
    assert [one.id for one in found] == ["device", "vendor", "all", "region"]


def test_shipped_events_say_their_effect_in_both_languages() -> None:
    for one in CATALOGUE.all(ComplianceEvent):
        texts = (one.effect, *((one.status,) if one.status else ()))
        assert all(any("\u4e00" <= letter <= "\u9fff" for letter in item.zh) for item in texts), one.id
