from __future__ import annotations

from datetime import date

from tests.factories import catalogue, text

from suanli.domain.figure import Check, Confidence
from suanli.domain.vendor import Deliverability, SkuStatus
from suanli.planning.compliance import deliverability


def status(row_id: str, region: str, verdict: Deliverability, day: date = date(2026, 1, 1)) -> SkuStatus:
    return SkuStatus(
        id=row_id,
        accelerator="acme-x1",
        region=region,
        deliverability=verdict,
        summary=text(row_id),
        as_of=day,
        source="src",
        confidence=Confidence.DATASHEET,
        check=Check.DIRECT,
    )


def test_a_province_takes_its_countrys_status() -> None:
    rows = catalogue(status("cn", "CN", Deliverability.BARRED), status("any", "*", Deliverability.FREE))

    assert deliverability("acme-x1", "CN-GZ", rows)[0] is Deliverability.BARRED
    assert deliverability("acme-x1", "DE", rows)[0] is Deliverability.FREE


def test_the_newest_row_counts() -> None:
    new = status("new", "CN", Deliverability.LICENCE, date(2026, 6, 1))

    verdict, row = deliverability("acme-x1", "CN", catalogue(status("old", "CN", Deliverability.BARRED), new))

    assert (verdict, row) == (Deliverability.LICENCE, new)


def test_no_row_is_unknown_not_free() -> None:
    assert deliverability("acme-x9", "CN", catalogue(status("cn", "CN", Deliverability.FREE))) == (
        Deliverability.UNKNOWN,
        None,
    )
