from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.factories import catalogue, requirement, shop, sizing, with_site

from suanli.estimation.results import Range
from suanli.planning.cluster import plan_cluster
from suanli.planning.energy import busy_share, facility_kwh, it_kwh, product

if TYPE_CHECKING:
    from suanli.planning.results import EnergyUse


def energy(pue: str = "1.25", hours: float = 1000, runs: float = 2.0) -> EnergyUse:
    base = with_site(requirement(), pue)
    base = replace(base, workload=replace(base.workload, runs_per_year=runs))
    plan = plan_cluster(sizing(hours=hours), base, catalogue(*shop()))
    assert plan.energy is not None
    return plan.energy


def test_pue_is_applied_exactly_once() -> None:
    use = energy("1.5")

    assert use.facility_kwh_per_run.p50 == pytest.approx(use.it_kwh_per_run.p50 * 1.5)
    assert use.facility_kwh_per_year.p50 == pytest.approx(energy("1.0").facility_kwh_per_year.p50 * 1.5)


BESIDE_KW = 2 * 1.5 + 5 * 0.9 + 7 * 0.5 + 0.098
"""Two switches of the storage network, five storage and seven other servers, an out-of-band switch."""


def test_a_run_takes_hours_times_power() -> None:
    # 4 servers at 8 kW, one spare idling at 3.5 kW, a switch of 1.5 kW.
    assert energy().it_kwh_per_run.p50 == pytest.approx(1000 * (4 * 8 + 3.5 + 1.5 + BESIDE_KW))


def test_a_year_adds_idle_hours_at_idle_power() -> None:
    use = energy("1.0")
    idle = (8760 - 2000) * (5 * 3.5 + 1.5 + BESIDE_KW)

    assert use.facility_kwh_per_year.p50 == pytest.approx(2 * use.facility_kwh_per_run.p50 + idle)


def test_runs_that_do_not_fit_into_a_year_are_not_counted() -> None:
    use = energy("1.0", hours=8000, runs=3)

    assert use.busy_share == 1.0
    assert use.facility_kwh_per_year.p50 == pytest.approx(8760 * (37 + BESIDE_KW))


def test_carbon_is_energy_times_the_grid_factor_and_unknown_without_one() -> None:
    plan = plan_cluster(sizing(), with_site(requirement(), grid_known=False), catalogue(*shop()))

    assert energy().carbon_kg_per_run is not None
    assert energy().carbon_kg_per_run == energy().facility_kwh_per_run.scaled(0.5)
    assert plan.energy is not None
    assert plan.energy.carbon_kg_per_run is None


def test_a_pue_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="below 1"):
        facility_kwh(1.0, 0.9)


def test_published_energy_with_pue_in_one_scope() -> None:
    # 55 W for 10 s at PUE 1.5.
    it = it_kwh(10 / 3600, 55)

    assert it == pytest.approx(0.0001528, rel=0.01)
    assert facility_kwh(it, 1.5) == pytest.approx(0.0002292, rel=0.01)


def test_independent_ranges_add_in_quadrature() -> None:
    both = product(Range(80, 100, 125), Range(0.8, 1.0, 1.25))

    assert both.p50 == 100
    assert 80 * 0.8 < both.p10 < 80
    assert 125 < both.p90 < 125 * 1.25


def test_busy_share_never_exceeds_the_year() -> None:
    assert busy_share(10, 8760) == 1.0
