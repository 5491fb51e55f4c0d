"""A figure keeps the unit of its document, converts once, and knows what a document may do with it."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from suanli.domain.figure import (
    Bytes,
    BytesPerSecond,
    Check,
    Confidence,
    Figure,
    FlopsPerSecond,
    Grade,
    Joules,
    KgPerKwh,
    Kilograms,
    Number,
    Seconds,
    Watts,
    grade_of,
)

FACTS: dict[str, object] = {"source": "src", "confidence": Confidence.DATASHEET, "check": Check.DIRECT}


def figure(kind: type[Figure], value: float, unit: str, **fields: object) -> Figure:
    return kind.model_validate({"value": value, "unit": unit, **FACTS, **fields})


@pytest.mark.parametrize(
    ("kind", "value", "unit", "si"),
    [
        (FlopsPerSecond, 989, "TFLOPS", 989e12),
        (FlopsPerSecond, 2, "PFLOPS", 2e15),
        (FlopsPerSecond, 640, "TOPS", 640e12),
        (Bytes, 64, "GB", 64e9),
        (Bytes, 64, "GiB", 68_719_476_736),
        (Bytes, 30.72, "TB", 30.72e12),
        (Bytes, 1, "TiB", 1_099_511_627_776),
        (BytesPerSecond, 400, "Gbit/s", 50e9),
        (BytesPerSecond, 3.35, "TB/s", 3.35e12),
        (BytesPerSecond, 28, "GB/s", 28e9),
        (Watts, 10.2, "kW", 10_200),
        (Joules, 1, "kWh", 3.6e6),
        (Seconds, 54, "days", 4_665_600),
        (Seconds, 5, "us", 5e-6),
        (Kilograms, 1.36, "t", 1360),
        (KgPerKwh, 530, "gCO2/kWh", 0.53),
        (Number, 6, "%", 0.06),
    ],
)
def test_a_unit_is_converted_in_one_place(kind: type[Figure], value: float, unit: str, si: float) -> None:
    assert figure(kind, value, unit).si == pytest.approx(si, rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "unit"), [(Bytes, "GB/s"), (BytesPerSecond, "GB"), (Watts, "kWh"), (FlopsPerSecond, "GFLOPS")]
)
def test_a_unit_of_another_dimension_is_refused(kind: type[Figure], unit: str) -> None:
    with pytest.raises(ValidationError, match=f'unit "{unit}" is not one of'):
        figure(kind, 1, unit)


@pytest.mark.parametrize(
    ("ends", "fault"),
    [({"low": 2.0}, "low 2.0 is above the value"), ({"high": 0.5}, "high 0.5 is below the value")],
)
def test_a_range_contains_its_value(ends: dict[str, float], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        figure(Number, 1, "fraction", **ends)


@pytest.mark.parametrize("confidence", list(Confidence))
@pytest.mark.parametrize("check", list(Check))
def test_the_grade_follows_the_table_of_what_a_document_may_do(confidence: Confidence, check: Check) -> None:
    weak = check is Check.RECALL or confidence.value in {"press", "community", "estimate"}
    expected = Grade.WEAK if weak else Grade.SECONDARY if check is Check.SECONDARY else Grade.DIRECT
    assert grade_of(check, confidence) is expected
    assert figure(Number, 1, "count", check=check, confidence=confidence).grade is expected


@pytest.mark.parametrize("check", list(Check))
def test_what_is_refuted_or_borrowed_stays_so_however_it_was_read(check: Check) -> None:
    assert figure(Number, 1, "count", check=check, sibling="h100-sxm").grade is Grade.SIBLING
    assert figure(Number, 1, "count", check=check, sibling="h100-sxm", barred=True).grade is Grade.BARRED
