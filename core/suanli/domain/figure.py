"""A sourced figure: value, unit, source, confidence and how it was checked.

Data files keep the unit of the document that was read (TFLOPS, GB, GB/s), beside the number, so that a
reader can compare the two at a glance. Each dimension has a class of its own; it refuses a unit of another
dimension and converts to SI in one place, `si`. GB is 10⁹ bytes and GiB is 2³⁰.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import ClassVar, Self

from pydantic import Field, model_validator

from suanli.domain.record import Identifier, Part, Record

__all__ = [
    "Bytes",
    "BytesPerSecond",
    "Check",
    "Confidence",
    "Figure",
    "FlopsPerSecond",
    "Grade",
    "Joules",
    "KgCo2e",
    "KgPerKwh",
    "Kilograms",
    "Number",
    "RackUnits",
    "Seconds",
    "Source",
    "SquareMetres",
    "Watts",
    "grade_of",
]


class Confidence(StrEnum):
    """What kind of document stands behind a figure."""

    DATASHEET = "datasheet"
    OFFICIAL_SOFTWARE = "official-software"
    PAPER = "paper"
    MEASURED = "measured"
    QUOTE = "quote"
    LIST = "list"
    PRESS = "press"
    COMMUNITY = "community"
    ESTIMATE = "estimate"


class Check(StrEnum):
    """How the figure was read: in the named document, in a text that quotes it, or from memory of it."""

    DIRECT = "direct"
    SECONDARY = "secondary"
    RECALL = "recall"


class Grade(StrEnum):
    """What a document may do with a figure, from best to worst.

    ``direct`` is stated as fact; ``secondary`` as "according to"; ``weak`` (recall, press, community,
    estimate) is marked at the figure, counted on the cover and never used in a ★ clause or a bid;
    ``sibling`` is borrowed from a named relative, may size an option with a wider range and never prices
    one; ``barred`` is known to be wrong and is used for nothing.
    """

    DIRECT = "direct"
    SECONDARY = "secondary"
    WEAK = "weak"
    SIBLING = "sibling"
    BARRED = "barred"


class Source(Record):
    """A document, page or data set that figures were read in."""

    kind: ClassVar[str] = "sources"

    title: str = Field(min_length=1)
    publisher: str = Field(min_length=1)
    published: str = ""
    """Date or edition as the document gives it."""
    ref: str = ""
    """Address or document number; empty where it was not kept."""
    retrieved: date
    """When the figures were read."""


_WEAK = {Confidence.PRESS, Confidence.COMMUNITY, Confidence.ESTIMATE}


def grade_of(check: Check, confidence: Confidence) -> Grade:
    """Return what a document may do with something by how it was read and what kind of document it is in.

    >>> grade_of(Check.DIRECT, Confidence.DATASHEET).value, grade_of(Check.DIRECT, Confidence.PRESS).value
    ('direct', 'weak')
    """
    if check is Check.RECALL or confidence in _WEAK:
        return Grade.WEAK
    return Grade.SECONDARY if check is Check.SECONDARY else Grade.DIRECT


class Figure(Part):
    """A number with everything that makes it checkable; a dimension's subclass is used, never this class."""

    units: ClassVar[dict[str, float]]
    """Allowed units and the factor that takes each to SI."""

    value: float
    unit: str
    source: Identifier
    confidence: Confidence
    check: Check
    low: float | None = None
    """Lower end of the range that sources give, in `unit`."""
    high: float | None = None
    note: str = ""
    sibling: str = ""
    """Id of the relative that the figure was taken from; empty for a figure of its own."""
    barred: bool = False
    """True for a refuted figure, kept so that nobody enters it again."""

    @model_validator(mode="after")
    def _check_unit_and_range(self) -> Self:
        if self.unit not in self.units:
            raise ValueError(f'unit "{self.unit}" is not one of {", ".join(self.units)}')
        if self.low is not None and self.low > self.value:
            raise ValueError(f"low {self.low} is above the value {self.value}")
        if self.high is not None and self.high < self.value:
            raise ValueError(f"high {self.high} is below the value {self.value}")
        return self

    @property
    def si(self) -> float:
        """Return the value in the SI unit of its dimension."""
        return self.value * self.units[self.unit]

    @property
    def grade(self) -> Grade:
        """Return what a document may do with this figure."""
        if self.barred:
            return Grade.BARRED
        if self.sibling:
            return Grade.SIBLING
        return grade_of(self.check, self.confidence)


class FlopsPerSecond(Figure):
    """A dense peak rate of operations."""

    units: ClassVar[dict[str, float]] = {"TFLOPS": 1e12, "PFLOPS": 1e15, "TOPS": 1e12}


class Bytes(Figure):
    """An amount of memory or storage."""

    units: ClassVar[dict[str, float]] = {
        "GB": 1e9,
        "GiB": 2.0**30,
        "TB": 1e12,
        "TiB": 2.0**40,
        "MB": 1e6,
        "MiB": 2.0**20,
    }


class BytesPerSecond(Figure):
    """A bandwidth; link figures are per device and per direction."""

    units: ClassVar[dict[str, float]] = {
        "GB/s": 1e9,
        "TB/s": 1e12,
        "GiB/s": 2.0**30,
        "Gbit/s": 0.125e9,
        "Tbit/s": 0.125e12,
    }


class Watts(Figure):
    """A power."""

    units: ClassVar[dict[str, float]] = {"W": 1.0, "kW": 1e3, "MW": 1e6}


class Joules(Figure):
    """An energy."""

    units: ClassVar[dict[str, float]] = {"kWh": 3.6e6, "MWh": 3.6e9, "GWh": 3.6e12}


class Seconds(Figure):
    """A duration or latency; a year is 365.25 days."""

    units: ClassVar[dict[str, float]] = {
        "s": 1.0,
        "ms": 1e-3,
        "us": 1e-6,
        "ns": 1e-9,
        "h": 3600.0,
        "days": 86400.0,
        "weeks": 604800.0,
        "years": 31557600.0,
    }


class Kilograms(Figure):
    """A mass."""

    units: ClassVar[dict[str, float]] = {"kg": 1.0, "t": 1000.0}


class KgCo2e(Figure):
    """Greenhouse gases as the mass of CO2 of the same effect over a hundred years."""

    units: ClassVar[dict[str, float]] = {"kgCO2e": 1.0, "tCO2e": 1000.0}


class KgPerKwh(Figure):
    """Carbon intensity of electricity, kg CO2 or CO2e per kWh as the source says."""

    units: ClassVar[dict[str, float]] = {
        "kgCO2/kWh": 1.0,
        "kgCO2e/kWh": 1.0,
        "gCO2/kWh": 1e-3,
        "gCO2e/kWh": 1e-3,
    }


class SquareMetres(Figure):
    """An area."""

    units: ClassVar[dict[str, float]] = {"mm2": 1e-6, "m2": 1.0}


class RackUnits(Figure):
    """A height in rack units."""

    units: ClassVar[dict[str, float]] = {"U": 1.0}


class Number(Figure):
    """A count, a fraction or another dimensionless figure."""

    units: ClassVar[dict[str, float]] = {
        "count": 1.0,
        "fraction": 1.0,
        "%": 0.01,
        "PUE": 1.0,
        "ports": 1.0,
        "per 1000 device-days": 1.0,
        "bit-TOPS": 1.0,
        "generation": 1.0,
        "kg/m2": 1.0,
        "m": 1.0,
        "FTE": 1.0,
        "FTE per MW": 1.0,
        "FTE per 1000 devices": 1.0,
    }
