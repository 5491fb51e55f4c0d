"""Facts of markets and sites: prices, tariffs, grid carbon, PUE, failures, power at work."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from suanli.domain.figure import Check, Confidence, Grade, Joules, KgPerKwh, Number, Seconds, Watts, grade_of
from suanli.domain.record import Identifier, Record, Text

__all__ = [
    "GridCarbon",
    "Price",
    "PriceKind",
    "PueDefault",
    "Reliability",
    "SiteFigure",
    "Tariff",
    "VatTreatment",
]


class PriceKind(StrEnum):
    """What a price is paid for."""

    ACCELERATOR = "accelerator"
    SERVER = "server"
    SWITCH = "switch"
    OPTIC = "optic"
    CABLE = "cable"
    NIC = "nic"
    STORAGE = "storage"
    RACK = "rack"
    FACILITY = "facility"
    CONSTRUCTION = "construction"
    COLOCATION = "colocation"
    CLOUD = "cloud"
    SOFTWARE = "software"
    SUPPORT = "support"
    STAFF = "staff"
    INSURANCE = "insurance"
    RESIDUAL = "residual"
    FINANCE = "finance"
    TAX = "tax"
    CLUSTER = "cluster"
    SHARE = "share"


class VatTreatment(StrEnum):
    """Whether the source says that tax is in the price."""

    INCLUDED = "included"
    EXCLUDED = "excluded"
    UNKNOWN = "unknown"


class Price(Record):
    """One dated price, rate or share from one source."""

    kind: ClassVar[str] = "prices"

    item: Text
    what: PriceKind
    prices: tuple[Identifier, ...] = ()
    """Ids of the catalogue records this price may be used for; empty where it prices a class of things.

    Beside a `basis` they restrict it: a quotation of the installation of servers with these devices only.
    """
    basis: str = ""
    """Class key for prices of things that are no catalogue record, such as ``storage-tlc-tb-raw`` or
    ``optic-400g``.
    """
    amount: Decimal
    currency: str = Field(pattern=r"^(?:[A-Z]{3}|%|fraction)$")
    """ISO 4217, or ``%`` / ``fraction`` for a rate or share."""
    per: str
    """Unit priced: server, device, switch, TB, kW-month, device-hour, year, ..."""
    low: Decimal | None = None
    high: Decimal | None = None
    dated: str
    """Date as the source gives it, such as ``2025-H2``."""
    valid_from: date
    """First day of the period that `dated` names."""
    valid_to: date
    """Last day of the period that `dated` names."""
    validity_days: int = Field(default=90, ge=0)
    """How long after `valid_to` the price may be used without the mark "stale"."""
    region: str = ""
    """ISO 3166 code where the price was seen; empty for a world price or unknown."""
    vat: VatTreatment = VatTreatment.UNKNOWN
    provider: str = ""
    source: Identifier
    confidence: Confidence
    check: Check
    barred: bool = False
    """True for rows that the research marked do-not-use: listed, never used."""
    preferred: bool = False
    """True for the row that is used when several price the same thing."""
    note: str = ""

    @property
    def grade(self) -> Grade:
        """Return what a document may do with this price."""
        return Grade.BARRED if self.barred else grade_of(self.check, self.confidence)


class Tariff(Record):
    """An electricity price of a place."""

    kind: ClassVar[str] = "tariffs"

    name: Text
    region: str
    """ISO 3166-2 or 3166-1 code."""
    amount: Decimal
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    dated: str
    valid_to: date
    source: Identifier
    confidence: Confidence
    check: Check
    note: str = ""


class GridCarbon(Record):
    """Average carbon intensity of a grid in a year."""

    kind: ClassVar[str] = "grid-carbon"

    name: Text
    region: str
    year: int
    intensity: KgPerKwh
    scope: str = ""
    """Generation average, life cycle, fossil only, ... as the source says."""
    preferred: bool = False
    """True for the row that is used for its region."""


class PueDefault(Record):
    """A PUE to plan with, by kind of site and cooling, or a legal limit."""

    kind: ClassVar[str] = "pue"

    name: Text
    cooling: str = ""
    region: str = ""
    limit: bool = False
    """True where the figure is a policy limit rather than a planning value."""
    in_force: bool = False
    """True for a limit that a site of today must meet: no grade, no national mean, none of the past."""
    pue: Number


class Reliability(Record):
    """Failures of a published run or fleet."""

    kind: ClassVar[str] = "reliability"

    name: Text
    figures: dict[str, Number | Seconds] = Field(default_factory=dict[str, Number | Seconds])
    """Counts, shares and rates by name; times between failures are durations.

    ``per_1000_device_days`` is a rate to plan with, ``mttf_N_devices`` the mean time to failure of jobs of N
    devices, ``cause_device``, ``cause_host``, ``cause_network`` and ``cause_software`` count interruptions.
    """
    note: str = ""


class SiteFigure(Record):
    """A figure for planning a site or its operation, or one to compare a plan with."""

    kind: ClassVar[str] = "site-figures"

    name: Text
    topic: str
    """node-power, rack-density, facility, optics-power, network, network-efficiency, goodput, spares, mfu,
    pue-survey, pue-observed, policy, depreciation, staffing, training-energy or lead-time.

    A lead time has the id ``lead-time-THING``: transceiver, disk, flash, switch, or ``server-`` and the id of
    an accelerator. Its note says "longer than" where the figure is a lower bound.
    """
    figure: Number | Watts | Seconds | Joules
