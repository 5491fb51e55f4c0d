"""The cluster as it is shown: unknown stays absent, and 0 says that none is needed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from tests.factories import catalogue, requirement, shop, sizing, with_site

from suanli.domain.figure import Source
from suanli.estimation.results import Range
from suanli.planning.cluster import plan_cluster
from suanli.planning.results import ClusterPlan, EnergyUse
from suanli.proposal.plan_view import energy_view, fabric_view, power_view
from suanli.proposal.references import References

DOCUMENT = Source(id="src", title="Data sheet", publisher="Acme", retrieved=date(2026, 11, 1))
KNOWN = catalogue(*shop(), DOCUMENT)


def plan(nodes: int = 4) -> ClusterPlan:
    return plan_cluster(sizing(nodes), requirement(), KNOWN)


def references() -> References:
    return References(KNOWN)


def test_a_known_network_shows_every_count_and_cites_link_and_switch() -> None:
    fabric = plan().fabric
    view = fabric_view(fabric, references())
    assert (view.endpoints, view.tiers, view.leaf_switches, view.spine_switches) == (40, 1, 1, 0)
    assert view.per_port_gbit_s == Decimal(400)
    assert view.bisection is not None
    # Half of 40 ports at 50 GB/s each.
    assert view.bisection.value == Decimal("1.00")
    assert view.bisection.unit == "TB/s"
    assert view.refs == ("S1",)


def test_an_unknown_network_has_no_counts_at_all() -> None:
    fabric = replace(
        plan().fabric,
        link=None,
        switch=None,
        endpoints=None,
        leaf_switches=None,
        bisection_bytes_per_s=None,
        endpoint_bytes_per_s=None,
    )
    view = fabric_view(fabric, references())
    assert (view.link, view.switch, view.endpoints, view.leaf_switches) == (None, None, None, None)
    assert (view.per_port_gbit_s, view.bisection, view.refs) == (None, None, ())


def test_power_is_shown_in_kilowatts_with_its_range() -> None:
    power = plan().power
    assert power is not None
    view = power_view(replace(power, server_peak_w=10_200.0), references())
    assert view.server_peak is not None
    assert (str(view.server_peak.value), view.server_peak.unit) == ("10.2", "kW")
    training = view.server_training
    assert training.low is not None
    assert training.high is not None
    assert training.low < training.value < training.high


@pytest.mark.parametrize("bound", [True, False])
def test_power_that_misses_a_switch_is_shown_as_a_lower_bound(*, bound: bool) -> None:
    power = plan().power
    assert power is not None
    view = power_view(replace(power, lower_bound=bound), references())
    assert {one.incomplete for one in (view.it_peak, view.it_training, view.facility_peak)} == {bound}
    # A server is known whatever the switches draw.
    assert not view.server_training.incomplete


def test_a_server_too_strong_for_a_rack_is_shown_by_its_peak() -> None:
    asked = replace(requirement(), site=replace(requirement().site, rack_power_w=9_000.0))
    power = plan_cluster(sizing(4), asked, KNOWN).power
    assert power is not None
    view = power_view(power, references())
    assert view.over_rack_limit
    assert view.rack_part is not None
    assert view.rack_limit is not None
    assert (float(view.rack_part.value), float(view.rack_limit.value)) == (10.0, 9.0)


def test_an_unknown_nameplate_is_absent_not_zero() -> None:
    power = plan().power
    assert power is not None
    assert power_view(replace(power, server_peak_w=None), references()).server_peak is None


def energy(carbon: Range | None) -> EnergyUse:
    mwh = Range(900_000.0, 1_000_000.0, 1_100_000.0)
    return EnergyUse(mwh, mwh, mwh.scaled(2), carbon, carbon, 0.25)


def test_energy_is_shown_in_megawatt_hours_and_carbon_in_tonnes() -> None:
    view = energy_view(energy(Range(450e3, 500e3, 550e3)), references())
    assert (str(view.per_run.value), view.per_run.unit) == ("1000", "MWh")
    assert view.carbon_per_run is not None
    assert (str(view.carbon_per_run.value), view.carbon_per_run.unit) == ("500", "t")
    assert view.busy_share == Decimal("0.250")


def test_carbon_of_an_unknown_grid_is_absent() -> None:
    view = energy_view(energy(None), references())
    assert (view.carbon_per_run, view.carbon_per_year) == (None, None)
    needed = with_site(requirement(), grid_known=False)
    planned = plan_cluster(sizing(), needed, KNOWN).energy
    assert planned is not None
    assert energy_view(planned, references()).carbon_per_year is None


@pytest.mark.parametrize("nodes", [1, 4])
def test_views_hold_the_plans_counts(nodes: int) -> None:
    planned = plan(nodes)
    view = fabric_view(planned.fabric, references())
    for name in ("endpoints", "tiers", "host_cables", "fabric_cables", "transceivers", "ports_free"):
        assert getattr(view, name) == getattr(planned.fabric, name)
