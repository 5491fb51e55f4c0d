"""How racks and site are fed: circuits by current, UPS and transformers by apparent power and redundancy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.regions import region_chain
from suanli.planning import defaults_facility as rules
from suanli.planning.facility.results import Circuits, Plant

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["circuit_va", "line_voltage_v", "phase_current_a", "plan_circuits", "plan_plant", "ratings_a"]

_NO_REDUNDANCY, _DOUBLE = "N", "2N"


def line_voltage_v(region: str) -> float:
    """Return the three-phase voltage between lines of a region in V.

    >>> line_voltage_v("CN-GZ"), line_voltage_v("DE"), line_voltage_v("US-VA")
    (380.0, 400.0, 415.0)
    """
    found = (rules.LINE_VOLTAGE_V[place] for place in region_chain(region) if place in rules.LINE_VOLTAGE_V)
    return next(found, rules.OTHER_VOLTAGE_V)


def ratings_a(region: str) -> tuple[int, ...]:
    """Return the circuit ratings of racks in a region in A, in rising order."""
    found = (
        rules.CIRCUIT_RATINGS_A[place] for place in region_chain(region) if place in rules.CIRCUIT_RATINGS_A
    )
    return next(found, rules.OTHER_RATINGS_A)


def phase_current_a(power_w: float, voltage_v: float, power_factor: float = rules.POWER_FACTOR) -> float:
    """Return the current of each phase in A.

    Equation: I = P / (sqrt(3) * U * cos(phi)). P: real power in W; U: voltage between lines in V;
    cos(phi): power factor. Range of validity: three equally loaded phases.

    Raises:
        ValueError: the voltage or the power factor is not positive.

    Source: elementary; any text on three-phase systems.

    >>> round(phase_current_a(40_800, 400), 1)
    62.0
    """
    if voltage_v <= 0 or not 0 < power_factor <= 1:
        raise ValueError(f"no current at {voltage_v} V and a power factor of {power_factor}")
    return power_w / (math.sqrt(3) * voltage_v * power_factor)


def circuit_va(rating_a: float, voltage_v: float, continuous: float = rules.CONTINUOUS_SHARE) -> float:
    """Return what a three-phase circuit carries for hours in VA: S = sqrt(3) * U * I_rated * share.

    >>> round(circuit_va(60, 208)), round(circuit_va(63, 400, continuous=1.0))
    (17293, 43648)
    """
    return math.sqrt(3) * voltage_v * rating_a * continuous


def plan_circuits(power_w: float, region: str, redundancy: str) -> Circuits:
    """Return the circuits of a rack.

    Each of two sources carries the whole rack alone, so that one may fail; without redundancy there is one.
    A source has the smallest circuit that carries it, or several of the largest.

    Args:
        power_w: peak power of the rack in W.
        region: ISO 3166 code of the site.
        redundancy: N, N+1 or 2N.
    """
    current = phase_current_a(power_w, line_voltage_v(region))
    needed = current / rules.CONTINUOUS_SHARE
    sizes = ratings_a(region)
    rating = next((size for size in sizes if size >= needed), sizes[-1])
    return Circuits(
        sources=1 if redundancy == _NO_REDUNDANCY else 2,
        per_source=max(1, math.ceil(needed / rating)),
        rating_a=rating,
        current_a=current,
    )


def plan_plant(power_w: float, sizes_va: Sequence[float], redundancy: str) -> Plant:
    """Return the units that carry a power: as few as possible, of the smallest size that does.

    Equation: S = P / cos(phi); n = ceil(S / (k * S_max)); unit = least size with n * k * unit >= S.
    k: share of the rating that is used. N installs n units, N+1 one more, 2N twice as many.

    >>> plant = plan_plant(950e3, (500e3, 600e3), "N+1")
    >>> plant.needed, plant.installed, plant.unit_va
    (3, 4, 500000.0)
    """
    load = power_w / rules.POWER_FACTOR
    share = rules.UNIT_LOAD_SHARE
    needed = max(1, math.ceil(load / (share * sizes_va[-1]) - 1e-9))
    unit = next((size for size in sizes_va if needed * share * size >= load * (1 - 1e-12)), sizes_va[-1])
    spare = {_NO_REDUNDANCY: 0, _DOUBLE: needed}.get(redundancy, 1)
    return Plant(load_va=load, unit_va=unit, needed=needed, installed=needed + spare)
