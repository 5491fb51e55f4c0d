"""Statements, groups, rules and events for tests of delivery, each with one line that matters."""

from __future__ import annotations

from datetime import date

from tests.factories import accelerator, text

from suanli.domain.export import CountryGroup, Criterion, ExportControl
from suanli.domain.figure import Check, Confidence, FlopsPerSecond, SquareMetres
from suanli.domain.hardware import Accelerator, Precision
from suanli.domain.vendor import ComplianceEvent, Deliverability, SkuStatus

DAY = date(2026, 11, 30)


def status(
    row_id: str,
    region: str,
    verdict: Deliverability,
    as_of: date = DAY,
    from_day: date | None = None,
) -> SkuStatus:
    return SkuStatus(
        id=row_id,
        accelerator="acme-x1",
        region=region,
        deliverability=verdict,
        summary=text(row_id),
        as_of=as_of,
        from_day=from_day,
        source="src",
        confidence=Confidence.DATASHEET,
        check=Check.DIRECT,
    )


def group(group_id: str, *members: str) -> CountryGroup:
    return CountryGroup(
        id=group_id,
        jurisdiction="US",
        name=text(group_id),
        members=members,
        note=text("note"),
        as_of=DAY,
        source="src",
        confidence=Confidence.DATASHEET,
        check=Check.DIRECT,
    )


def control(
    control_id: str,
    groups: tuple[str, ...],
    criterion: Criterion,
    verdict: Deliverability = Deliverability.LICENCE,
    **fields: object,
) -> ExportControl:
    values: dict[str, object] = {
        "id": control_id,
        "jurisdiction": "US",
        "origins": ("US",),
        "name": text(control_id),
        "groups": groups,
        "from_day": date(2023, 11, 17),
        "criteria": (criterion,),
        "deliverability": verdict,
        "summary": text(control_id),
        "path": text("apply"),
        "as_of": DAY,
        "source": "src",
        "confidence": Confidence.DATASHEET,
        "check": Check.DIRECT,
    }
    return ExportControl.model_validate(values | fields)


def chip(tops: float = 400.0, origin: str = "US", die_mm2: float | None = None) -> Accelerator:
    """Return a device of so many 16-bit TFLOPS, hence 16 times as much processing performance."""
    peak = FlopsPerSecond(
        value=tops, unit="TFLOPS", source="src", confidence=Confidence.DATASHEET, check=Check.DIRECT
    )
    area = (
        None
        if die_mm2 is None
        else SquareMetres(
            value=die_mm2, unit="mm2", source="src", confidence=Confidence.PRESS, check=Check.SECONDARY
        )
    )
    return accelerator().model_copy(
        update={"origin": origin, "dense_peak": {Precision.BF16: peak}, "die_area": area}
    )


def event(event_id: str, day: str, **fields: object) -> ComplianceEvent:
    values: dict[str, object] = {
        "id": event_id,
        "day": day,
        "jurisdiction": "US",
        "title": text(event_id),
        "effect": text("effect"),
        "source": "src",
        "confidence": Confidence.DATASHEET,
        "check": Check.DIRECT,
    }
    return ComplianceEvent.model_validate(values | fields)
