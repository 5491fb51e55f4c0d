"""Circuits, UPS and transformers against published tables."""

from __future__ import annotations

import pytest

from suanli.planning.facility.feeds import (
    circuit_va,
    line_voltage_v,
    phase_current_a,
    plan_circuits,
    plan_plant,
    ratings_a,
)

PHASE_230 = 230 * 3**0.5


@pytest.mark.parametrize(
    ("rating_a", "voltage_v", "continuous", "published_va"),
    [
        pytest.param(20, 208, 0.8, 5_764, id="HP table 4: 208 V, 20 A"),
        pytest.param(30, 208, 0.8, 8_646, id="HP table 4: 208 V, 30 A"),
        pytest.param(60, 208, 0.8, 17_292, id="HP table 4: 208 V, 60 A"),
        pytest.param(32, PHASE_230, 1.0, 22_080, id="HP table 5: 230 V, 32 A"),
        pytest.param(63, PHASE_230, 1.0, 43_470, id="HP table 5: 230 V, 63 A"),
        pytest.param(60, 415, 0.8, 34_501, id="DCIM model of SuperPOD H100: 415 V, 60 A"),
    ],
)
def test_a_three_phase_circuit_carries_what_the_tables_say(
    rating_a: float, voltage_v: float, continuous: float, published_va: float
) -> None:
    assert circuit_va(rating_a, voltage_v, continuous) == pytest.approx(published_va, rel=2e-4)


def test_the_current_of_a_rack_follows_from_voltage_and_power_factor() -> None:
    assert phase_current_a(40_800, 415, 1.0) == pytest.approx(56.76, abs=0.01)
    assert phase_current_a(40_800, 415, 0.95) == pytest.approx(59.75, abs=0.01)


@pytest.mark.parametrize(("voltage", "factor"), [(0, 0.95), (-400, 0.95), (400, 0), (400, 1.1)])
def test_no_current_without_a_voltage_and_a_power_factor(voltage: float, factor: float) -> None:
    with pytest.raises(ValueError, match="no current"):
        phase_current_a(1000, voltage, factor)


@pytest.mark.parametrize(
    ("region", "voltage", "ratings"),
    [
        ("CN-GZ", 380, (16, 32, 63)),
        ("DE", 400, (16, 32, 63)),
        ("US-VA", 415, (20, 30, 60)),
        ("SG", 400, (16, 32, 63)),
    ],
)
def test_voltage_and_circuits_are_those_of_the_region(
    region: str, voltage: float, ratings: tuple[int, ...]
) -> None:
    assert (line_voltage_v(region), ratings_a(region)) == (voltage, ratings)


@pytest.mark.parametrize(
    ("power_w", "redundancy", "expected"),
    [
        pytest.param(5_000, "N", (1, 1, 16), id="the smallest circuit"),
        pytest.param(30_600, "N+1", (2, 1, 63), id="three DGX H100"),
        pytest.param(40_800, "2N", (2, 2, 63), id="four DGX H100"),
        pytest.param(132_000, "2N", (2, 5, 63), id="GB200 NVL72"),
        pytest.param(0, "N+1", (2, 1, 16), id="nothing known still has a feed"),
    ],
)
def test_each_source_carries_the_whole_rack(
    power_w: float, redundancy: str, expected: tuple[int, int, int]
) -> None:
    circuits = plan_circuits(power_w, "CN", redundancy)

    assert (circuits.sources, circuits.per_source, circuits.rating_a) == expected
    assert circuits.current_a <= 0.8 * circuits.per_source * circuits.rating_a
    assert circuits.count == circuits.sources * circuits.per_source


@pytest.mark.parametrize(("redundancy", "installed"), [("N", 3), ("N+1", 4), ("2N", 6)])
def test_redundancy_adds_one_unit_or_doubles_them(redundancy: str, installed: int) -> None:
    plant = plan_plant(1_200e3, (300e3, 400e3, 500e3, 600e3), redundancy)

    # 1,263 kVA in units loaded to 80 %: three of 600 kVA at the most, and three of 600 it must be.
    assert (plant.needed, plant.unit_va, plant.installed) == (3, 600e3, installed)
    assert plant.installed_va == installed * 600e3
    assert plant.needed * plant.unit_va * 0.8 >= plant.load_va
