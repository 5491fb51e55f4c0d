"""Compliance and supply as they are shown, and that what may not be delivered is never recommended."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import SMALL, host
from tests.core.planning.compliance_rows import chip, control, event, group, status
from tests.factories import catalogue, requirement, text

from suanli.domain.export import Criterion
from suanli.domain.figure import Check, Confidence, Source
from suanli.domain.vendor import Deliverability, ProcurementRule
from suanli.domain.workload import Requirement, Track
from suanli.pipeline import build_proposal
from suanli.planning.compliance import Timing
from suanli.project.load import parse_project
from suanli.proposal.compliance_view import compliance_view, supply_view
from suanli.proposal.model import ComplianceView, SupplyView, Verdict
from suanli.proposal.references import References

if TYPE_CHECKING:
    from suanli.domain.record import Record

DAY = date(2026, 11, 30)
DOCUMENT = Source(id="src", title="Data sheet", publisher="Acme", retrieved=date(2026, 11, 1))


def view(region: str, *records: Record) -> ComplianceView:
    known = catalogue(DOCUMENT, *records)
    return compliance_view("acme-x1", region, DAY, known, References(known))


def test_the_ground_its_day_and_its_source_are_shown() -> None:
    shown = view("CN-GZ", status("cn", "CN", Deliverability.BARRED, date(2026, 10, 1)))
    assert shown.deliverability is Deliverability.BARRED
    assert shown.summary == text("cn")
    assert (shown.as_of, shown.timing, shown.days_apart) == (date(2026, 10, 1), Timing.OLDER, 60)
    assert shown.refs == ("C1",)


def test_compliance_is_unknown_where_no_plugin_says() -> None:
    shown = view("CN-GZ")
    assert (shown.deliverability, shown.summary, shown.as_of) == (Deliverability.UNKNOWN, None, None)
    assert shown.performance is None


def test_a_rule_shows_its_name_its_way_to_a_licence_and_the_arithmetic() -> None:
    shown = view(
        "CN",
        chip(400, die_mm2=800),
        group("us-china", "CN"),
        control("rule", ("us-china",), Criterion(tpp_from=4800), reexport=text("no")),
    )
    assert shown.deliverability is Deliverability.LICENCE
    assert (shown.control, shown.path, shown.reexport) == (text("rule"), text("apply"), text("no"))
    assert [one.name for one in shown.groups] == [text("us-china")]
    found = shown.performance
    assert found is not None
    assert (str(found.peak.value), found.bits, str(found.tpp.value)) == ("400.00", 16, "6400.0")
    assert found.density is not None
    assert float(found.density.value) == 8.0


@pytest.mark.parametrize(
    ("device", "precision", "unit"), [("ascend-910b2", "int8", "TOPS"), ("h100-sxm", "fp8", "TFLOPS")]
)
def test_the_peak_of_an_integer_format_is_no_floating_point_rate(
    device: str, precision: str, unit: str
) -> None:
    known = host().catalogue
    found = compliance_view(device, "CN", DAY, known, References(known)).performance
    assert found is not None
    assert (found.precision, found.peak.unit) == (precision, unit)


def test_a_device_below_every_threshold_says_so_and_names_no_rule() -> None:
    shown = view(
        "CN", chip(100), group("us-china", "CN"), control("r", ("us-china",), Criterion(tpp_from=4800))
    )
    assert shown.deliverability is Deliverability.FREE
    assert (shown.below_thresholds, shown.control, shown.path) == (True, None, None)


def test_a_rule_that_cannot_be_applied_is_named_without_its_verdict() -> None:
    rule = control("r", ("us-china",), Criterion(tpp_from=4800, density_from=5.92))
    shown = view("CN", chip(400), group("us-china", "CN"), rule)
    assert shown.deliverability is Deliverability.UNKNOWN
    assert (shown.control, shown.summary) == (text("r"), None)


def rule(rule_id: str, topic: str, jurisdiction: str = "CN", **fields: object) -> ProcurementRule:
    values: dict[str, object] = {
        "id": rule_id,
        "jurisdiction": jurisdiction,
        "topic": topic,
        "name": text(rule_id),
        "dated": "2026",
        "content": text("content"),
        "source": "src",
        "confidence": Confidence.DATASHEET,
        "check": Check.DIRECT,
    }
    return ProcurementRule.model_validate(values | fields)


def supply(asked: Requirement, devices: dict[str, str], *records: Record) -> SupplyView:
    known = catalogue(DOCUMENT, *records)
    return supply_view(devices, asked, known, References(known))


BASE = replace(requirement(), vendors=replace(requirement().vendors, delivery_region="DE"))


def test_rules_are_those_of_site_and_delivery_and_say_whether_they_are_for_the_track() -> None:
    shown = supply(
        BASE,
        {},
        rule("data", "data"),
        rule("union", "data", "EU"),
        rule("own", "procurement", tracks=(Track.ENTERPRISE,)),
        rule("government", "procurement", tracks=(Track.GOVERNMENT,)),
        rule("elsewhere", "procurement", "GB"),
        rule("press", "security", confidence=Confidence.PRESS, check=Check.SECONDARY),
        rule("memory", "security", check=Check.RECALL),
    )
    assert [(note.name.en, note.applies) for note in shown.notes] == [
        ("own", True),
        ("government", False),
        ("memory", True),
        ("press", True),
        ("data", True),
        ("union", True),
    ]
    by_name = {note.name.en: note for note in shown.notes}
    assert (by_name["memory"].reading, by_name["press"].press) == (Check.RECALL, True)
    assert all(note.refs == ("C1",) for note in shown.notes)


def test_an_event_names_every_option_that_it_concerns_once() -> None:
    shown = supply(
        BASE,
        {"A": "acme-x1", "B": "acme-x1", "C": "acme-x9"},
        chip(),
        event("vendor", "2025-02", vendors=("nvidia",)),
        event("all", "2024-01-01", check=Check.RECALL),
    )
    assert [(one.title.en, one.options, one.weak) for one in shown.events] == [
        ("all", ("A", "B", "C"), True),
        ("vendor", ("A", "B"), False),
    ]


@pytest.mark.parametrize("track", list(Track))
def test_shipped_rules_of_memory_are_marked_for_every_track(track: Track) -> None:
    known = host().catalogue
    asked = replace(requirement(), project=replace(requirement().project, track=track))
    shown = supply_view({}, asked, known, References(known))
    recalled = [item.name for item in known.all(ProcurementRule) if item.check is Check.RECALL]
    assert recalled
    assert all(note.name in recalled for note in shown.notes if note.reading is Check.RECALL)
    assert any(note.applies and note.topic == "procurement" for note in shown.notes) or (
        track is Track.INTERNATIONAL
    )


@pytest.mark.parametrize(
    ("region", "day", "barred", "recommended"),
    [
        ("CN", "2026-11-30", {"h100-sxm"}, "ascend-910b3"),
        ("CN", "2025-06-01", {"h100-sxm"}, "ascend-910b3"),
        ("HK", "2026-11-30", {"h100-sxm"}, "ascend-910b3"),
        ("MO", "2026-11-30", {"h100-sxm"}, "ascend-910b3"),
        ("RU", "2026-11-30", {"h100-sxm"}, "ascend-910b3"),
        ("VN", "2026-11-30", {"h100-sxm"}, "ascend-910b3"),
        ("DE", "2026-11-30", set(), "h100-sxm"),
        ("SG", "2026-11-30", set(), "h100-sxm"),
    ],
)
def test_no_project_recommends_what_may_not_be_delivered(
    region: str, day: str, barred: set[str], recommended: str
) -> None:
    dated = SMALL.replace("2026-11-28", day).replace(
        "date: 2026-11-30}\nscenario", f"date: {day}}}\nscenario"
    )
    where = f"[ascend-910b3, h100-sxm], delivery_region: {region}"
    project = parse_project(dated.replace("[ascend-910b3]", where))
    shown = build_proposal(project, host())
    assert {one.accelerator for one in shown.options if one.verdict is Verdict.BARRED} == barred
    chosen = shown.recommended
    assert chosen is not None
    assert chosen.accelerator == recommended
    assert shown.supply is not None
    assert (shown.supply.region, shown.supply.day.isoformat()) == (region, day)
    assert all(event.day <= day for event in shown.supply.events)
