"""Export control by rule: groups of destinations, and licence requirements by what a chip can do."""

from __future__ import annotations

from datetime import date
from typing import Annotated, ClassVar, Self

from pydantic import Field, StringConstraints, model_validator

from suanli.domain.figure import Check, Confidence
from suanli.domain.record import Identifier, Part, Record, Text
from suanli.domain.vendor import Deliverability

__all__ = ["Country", "CountryGroup", "Criterion", "ExportControl"]

Country = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]
"""An ISO 3166-1 code."""


class CountryGroup(Record):
    """Destinations that a jurisdiction treats alike."""

    kind: ClassVar[str] = "country-groups"

    jurisdiction: Country
    """Country whose group it is."""
    name: Text
    members: tuple[Country, ...] = Field(min_length=1)
    note: Text
    """What the membership means to a delivery."""
    as_of: date
    """Edition that was read."""
    source: Identifier
    confidence: Confidence
    check: Check


class Criterion(Part):
    """Bounds that a chip meets all together; an absent bound is none.

    Processing performance is in bit-TOPS, density in bit-TOPS per mm², memory bandwidth in GB/s. A lower
    bound is met at its value, an upper bound below it.
    """

    tpp_from: float | None = Field(default=None, ge=0)
    tpp_below: float | None = Field(default=None, gt=0)
    density_from: float | None = Field(default=None, ge=0)
    density_below: float | None = Field(default=None, gt=0)
    dram_gb_per_s_from: float | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        given = self.model_dump(exclude_none=True)
        if not given:
            raise ValueError("a criterion has at least one bound")
        for low, high in (
            (self.tpp_from, self.tpp_below),
            (self.density_from, self.density_below),
        ):
            if low is not None and high is not None and low >= high:
                raise ValueError(f"the lower bound {low} is not below the upper one {high}")
        return self


class ExportControl(Record):
    """A licence requirement for chips that meet any of its criteria, to some destinations, from a day on."""

    kind: ClassVar[str] = "export-controls"

    jurisdiction: Country
    origins: tuple[Country, ...] = Field(min_length=1)
    """Countries of the makers whose devices are held to it."""
    name: Text
    """Such as ``3A090.a, case-by-case review``."""
    groups: tuple[Identifier, ...] = Field(min_length=1)
    """Country groups it applies to."""
    except_groups: tuple[Identifier, ...] = ()
    """Country groups it does not apply to, although another group holds them."""
    from_day: date
    until_day: date | None = None
    """Last day in force; None while it is."""
    criteria: tuple[Criterion, ...] = Field(min_length=1)
    deliverability: Deliverability
    summary: Text
    path: Text
    """The way to a licence, or why there is none."""
    reexport: Text | None = None
    as_of: date
    source: Identifier
    confidence: Confidence
    check: Check

    @model_validator(mode="after")
    def _check_days(self) -> Self:
        if self.until_day is not None and self.until_day < self.from_day:
            raise ValueError(f"it ends on {self.until_day}, before it begins on {self.from_day}")
        return self
