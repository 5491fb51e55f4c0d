"""Energy and carbon of a run from accelerator-hours: in use, idle and embodied, each for itself.

Location-based: the grid's average where the machines stand, without certificates.

Source: D. Patterson et al., Carbon Emissions and Large Neural Network Training, 2021, arXiv:2104.10350;
A. S. Luccioni, S. Viguier, A.-L. Ligozat, Estimating the Carbon Footprint of BLOOM, 2022, arXiv:2211.02001,
for idle and embodied parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from suanli.domain.units import HOURS_PER_YEAR, W_PER_KW
from suanli.finance.amounts import require, require_share

__all__ = [
    "RunCarbon",
    "RunEnergy",
    "accelerator_hours",
    "embodied_kg_per_hour",
    "run_carbon",
    "run_energy",
]

_HOURS_PER_DAY: Final = 24


@dataclass(frozen=True, slots=True)
class RunEnergy:
    """Energy of a run."""

    it_kwh: float
    """At the equipment."""
    facility_kwh: float
    """At the meter of the site, PUE applied once."""


@dataclass(frozen=True, slots=True)
class RunCarbon:
    """Carbon of a run, kg CO2e."""

    use_kg: float
    idle_kg: float
    embodied_kg: float

    @property
    def total_kg(self) -> float:
        """Return all parts together."""
        return self.use_kg + self.idle_kg + self.embodied_kg


def accelerator_hours(accelerators: int, *, wall_clock_hours: float = 0.0, days: float = 0.0) -> float:
    """Return accelerator-hours from wall-clock time, h = n * t.

    Hours of a run are either those of the clock or those of all accelerators together; multiplying the
    second by the number of accelerators counts them twice.

    Raises:
        InputError: there are no accelerators, or the time is negative or given twice.

    >>> accelerator_hours(8, wall_clock_hours=10), accelerator_hours(8, days=0.5)
    (80.0, 96.0)
    """
    require(accelerators >= 1, f"{accelerators} accelerators do not run", "at least one is needed")
    require(
        wall_clock_hours >= 0 and days >= 0 and not (wall_clock_hours and days),
        "the time of the run is unclear",
        "it is given in hours or in days, not below 0",
    )
    return float(accelerators * (wall_clock_hours + days * _HOURS_PER_DAY))


def run_energy(hours: float, power_w: float, pue: float = 1.0) -> RunEnergy:
    """Return the energy of a run, E = h * P / 1000 at the equipment and E * PUE at the site.

    Args:
        hours: accelerator-hours h, not hours of the clock (`accelerator_hours`).
        power_w: P of one accelerator, within the scope that the result shall have: the chip alone, or with
            its share of host and network.
        pue: facility energy over IT energy; 1 for the equipment alone.

    Raises:
        InputError: the PUE is below 1, or hours or power are negative.

    >>> run_energy(1_000, 400, 1.25)
    RunEnergy(it_kwh=400.0, facility_kwh=500.0)
    """
    require(pue >= 1, f"PUE {pue} is below 1", "a facility draws at least what its equipment draws")
    require(hours >= 0 and power_w >= 0, "energy is not negative", "hours and power are 0 or more")
    it_kwh = hours * power_w / W_PER_KW
    return RunEnergy(it_kwh, it_kwh * pue)


def run_carbon(
    energy_kwh: float, grid_kg_per_kwh: float, *, idle_kwh: float = 0.0, embodied_kg: float = 0.0
) -> RunCarbon:
    """Return the carbon of a run, E g in use, E_idle g idle, and its part of what making the machines took.

    Args:
        energy_kwh: E of the run, within the scope that is asked for.
        grid_kg_per_kwh: g of the grid where the machines stand.
        idle_kwh: energy that the cluster draws beside the run's own.
        embodied_kg: the run's part of embodied carbon (`embodied_kg_per_hour`).

    Raises:
        InputError: energy, factor or embodied carbon is negative.

    >>> round(run_carbon(433_196, 0.057, idle_kwh=256_646, embodied_kg=11_200).total_kg)
    50521
    """
    require(
        min(energy_kwh, grid_kg_per_kwh, idle_kwh, embodied_kg) >= 0,
        "carbon is not negative",
        "energy, factor and embodied carbon are 0 or more",
    )
    return RunCarbon(energy_kwh * grid_kg_per_kwh, idle_kwh * grid_kg_per_kwh, embodied_kg)


def embodied_kg_per_hour(
    embodied_kg: float, life_years: float, used_share: float, hours_per_year: float = HOURS_PER_YEAR
) -> float:
    """Return the embodied carbon that an hour of use carries, M / (L H u).

    Args:
        embodied_kg: M of the machine: an accelerator, or a server, whose hours are then counted.
        life_years: L until it is replaced.
        used_share: u of its life in which it is used.
        hours_per_year: H.

    Raises:
        InputError: the life is not above 0, the share is not above 0 or above 1, or the carbon is negative.

    Source: Luccioni, Viguier, Ligozat, 2022, section 4.1.

    >>> round(embodied_kg_per_hour(2_500, 6, 0.85), 3), round(embodied_kg_per_hour(150, 6, 0.85), 4)
    (0.056, 0.0034)
    """
    require(
        life_years > 0 and hours_per_year > 0,
        "a machine without a life carries no hour",
        "L and H are above 0",
    )
    require_share(used_share, "used")
    require(used_share > 0, "a machine that is never used carries no hour", "the used share is above 0")
    require(embodied_kg >= 0, "carbon is not negative", "embodied carbon is 0 or more")
    return embodied_kg / (life_years * hours_per_year * used_share)
