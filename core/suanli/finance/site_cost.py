"""Operating cost of a hall, what a lower PUE saves, and the electricity bill of a load."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.units import HOURS_PER_YEAR
from suanli.finance.amounts import exact, require, require_share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.finance.amounts import Amount

__all__ = ["Hall", "HallCost", "PueSaving", "electricity_bill", "hall_cost", "pue_saving"]


@dataclass(frozen=True, slots=True)
class Hall:
    """A hall and its load."""

    it_kw: float
    """IT power that it is built for."""
    load_share: float
    """Of that power, drawn on average."""
    pue: float
    electricity_price: Amount
    """Per kWh."""
    fixed: Mapping[str, Amount]
    """Yearly cost that does not follow the load, by kind."""
    hours_per_year: float = HOURS_PER_YEAR


@dataclass(frozen=True, slots=True)
class HallCost:
    """What a hall costs in a year."""

    energy_kwh: float
    energy: Decimal
    fixed: Decimal

    @property
    def total(self) -> Decimal:
        """Return energy and fixed cost."""
        return self.energy + self.fixed

    @property
    def energy_share(self) -> Decimal:
        """Return the share of energy in the total."""
        return self.energy / self.total


def electricity_bill(it_kw: float, hours: float, pue: float, electricity_price: Amount) -> Decimal:
    """Return what a constant load pays for electricity, P t PUE p.

    Raises:
        InputError: the PUE is below 1.

    >>> electricity_bill(100, 8_760, 1.5, Decimal("0.1"))
    Decimal('131400.00')
    """
    require(pue >= 1, f"PUE {pue} is below 1", "a facility draws at least what its equipment draws")
    return exact(it_kw) * exact(hours) * exact(pue) * electricity_price


def hall_cost(hall: Hall) -> HallCost:
    """Return energy and fixed cost of a hall in a year, P u H PUE p + F.

    Raises:
        InputError: the load is no share, or the PUE is below 1.

    >>> cost = hall_cost(Hall(100_000, 0.3, 1.3, Decimal("0.08"), {"staff": 7_800_000, "upkeep": 24_000_000}))
    >>> round(cost.energy), round(cost.energy_share, 2)
    (27331200, Decimal('0.46'))
    """
    require_share(hall.load_share, "load")
    load_kw = hall.it_kw * hall.load_share
    energy = electricity_bill(load_kw, hall.hours_per_year, hall.pue, hall.electricity_price)
    fixed = sum((Decimal(cost) for cost in hall.fixed.values()), Decimal(0))
    return HallCost(load_kw * hall.hours_per_year * hall.pue, energy, fixed)


@dataclass(frozen=True, slots=True)
class PueSaving:
    """What a lower PUE saves in a year."""

    energy_kwh: float
    cost: Decimal


def pue_saving(
    it_kw: float,
    pue_before: float,
    pue_after: float,
    electricity_price: Amount,
    hours: float = HOURS_PER_YEAR,
) -> PueSaving:
    """Return what a retrofit of cooling and power saves, P t (PUE1 - PUE2); negative where PUE rises.

    Raises:
        InputError: a PUE is below 1.

    >>> pue_saving(1_000, 1.5, 1.2, Decimal("0.08"))
    PueSaving(energy_kwh=2628000.0, cost=Decimal('210240.000'))
    """
    require(
        min(pue_before, pue_after) >= 1,
        f"PUE {min(pue_before, pue_after)} is below 1",
        "a facility draws at least what its equipment draws",
    )
    saved = exact(it_kw) * exact(hours) * (exact(pue_before) - exact(pue_after))
    return PueSaving(float(saved), saved * electricity_price)
