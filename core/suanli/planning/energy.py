"""Energy and carbon of one run and of a year. PUE is applied once, to energy, and nowhere else."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.units import HOURS_PER_YEAR, S_PER_HOUR, W_PER_KW
from suanli.estimation.results import Range
from suanli.planning.results import EnergyUse, PowerPlan

if TYPE_CHECKING:
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Sizing

__all__ = ["busy_share", "carbon_kg", "facility_kwh", "it_kwh", "plan_energy", "product"]


def it_kwh(hours: float, power_w: float) -> float:
    """Return the energy of the IT equipment, E = t * P / 1000 in kWh.

    >>> it_kwh(100, 10_000)
    1000.0
    """
    return hours * power_w / W_PER_KW


def facility_kwh(it: float, pue: float) -> float:
    """Return the energy that the site draws for the IT equipment's, E_site = E_IT * PUE.

    Raises:
        ValueError: the PUE is below 1, which no site reaches.

    >>> facility_kwh(1000, 1.25)
    1250.0
    """
    if pue < 1:
        raise ValueError(f"PUE {pue} is below 1")
    return it * pue


def carbon_kg(kwh: float, kg_per_kwh: float) -> float:
    """Return the carbon of an energy, in the scope of the grid factor.

    >>> carbon_kg(1000, 0.5)
    500.0
    """
    return kwh * kg_per_kwh


def busy_share(runs_per_year: float, hours_per_run: float, downtime_h: float = 0.0) -> float:
    """Return the share of the year that the cluster trains; runs that do not fit into a year are not counted.

    Args:
        runs_per_year: runs that are asked for.
        hours_per_run: length of one.
        downtime_h: planned downtime of a year.

    >>> busy_share(2, 2190), busy_share(9, 2190, downtime_h=876)
    (0.5, 0.9)
    """
    open_h = HOURS_PER_YEAR - downtime_h
    return min(open_h, runs_per_year * hours_per_run) / HOURS_PER_YEAR


def product(first: Range, second: Range) -> Range:
    """Return the product of two independent ranges.

    The logarithmic half-widths add in quadrature, as those of independent log-normal variables do; a plain
    product of the ends would overstate the interval. Both ranges must be positive.

    >>> product(Range(90, 100, 110), Range(2, 2, 2))
    Range(p10=180.0, p50=200, p90=220.0)
    """
    # Rounded below: log and exp leave noise in the last digits, which would show in the files.
    low = math.hypot(math.log(first.p10 / first.p50), math.log(second.p10 / second.p50))
    high = math.hypot(math.log(first.p90 / first.p50), math.log(second.p90 / second.p50))
    middle = first.p50 * second.p50
    return Range(round(middle * math.exp(-low), 9), middle, round(middle * math.exp(high), 9))


def plan_energy(sizing: Sizing, spares: int, power: PowerPlan, requirement: Requirement) -> EnergyUse:
    """Return energy and carbon of a run and of a year.

    A run takes hours times the cluster's power in training. In the rest of the year, planned downtime
    included, all servers idle and the network stays on.
    """
    site = requirement.site
    hours = sizing.duration_s.scaled(1 / S_PER_HOUR)
    it_run = product(hours, power.it_training_w.scaled(1 / W_PER_KW))
    run = it_run.scaled(facility_kwh(1.0, float(site.pue)))
    share = busy_share(requirement.workload.runs_per_year, hours.p50, float(site.planned_downtime_h))
    idle_w = (
        (sizing.nodes + spares) * (power.server_idle_w or 0.0) + (power.network_w or 0.0) + power.auxiliary_w
    )
    idle = facility_kwh(it_kwh((1 - share) * HOURS_PER_YEAR, idle_w), float(site.pue))
    runs = share * HOURS_PER_YEAR / hours.p50
    year = Range(run.p10 * runs + idle, run.p50 * runs + idle, run.p90 * runs + idle)
    factor = site.grid_carbon_kg_per_kwh
    return EnergyUse(
        it_kwh_per_run=it_run,
        facility_kwh_per_run=run,
        facility_kwh_per_year=year,
        carbon_kg_per_run=None if factor is None else run.scaled(float(factor)),
        carbon_kg_per_year=None if factor is None else year.scaled(float(factor)),
        busy_share=share,
    )
