"""Energy and carbon of runs: PUE once, hours once, parts apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suanli.errors import InputError
from suanli.finance.emissions import accelerator_hours, embodied_kg_per_hour, run_carbon, run_energy

if TYPE_CHECKING:
    from collections.abc import Callable


def test_pue_is_applied_once() -> None:
    energy = run_energy(1_000, 400, 1.5)
    assert energy.facility_kwh == 1.5 * energy.it_kwh == 600


def test_hours_of_the_clock_become_those_of_all_accelerators_once() -> None:
    clock, all_together = 377.8, 7 * 377.8

    assert accelerator_hours(7, wall_clock_hours=clock) == pytest.approx(all_together)
    right = run_energy(accelerator_hours(7, wall_clock_hours=clock), 350, 1.53).facility_kwh
    assert right == pytest.approx(7 * run_energy(clock, 350, 1.53).facility_kwh)
    assert accelerator_hours(10, days=1.5) == 360


def test_parts_of_the_carbon_stay_apart() -> None:
    carbon = run_carbon(1_000, 0.5, idle_kwh=100, embodied_kg=25)
    assert (carbon.use_kg, carbon.idle_kg, carbon.embodied_kg, carbon.total_kg) == (500, 50, 25, 575)


def test_embodied_carbon_of_the_whole_life_is_that_of_the_machine() -> None:
    hourly = embodied_kg_per_hour(1_312, 5, 0.8)
    assert hourly * 5 * 8_760 * 0.8 == pytest.approx(1_312)
    assert embodied_kg_per_hour(1_312, 5, 0.8, 8_766) < hourly


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: run_energy(1, 1, 0.99), "below 1"),
    (lambda: run_energy(-1, 1), "not negative"),
    (lambda: accelerator_hours(0, days=1), "do not run"),
    (lambda: accelerator_hours(1, wall_clock_hours=1, days=1), "unclear"),
    (lambda: accelerator_hours(1, days=-1), "unclear"),
    (lambda: run_carbon(1, -0.1), "not negative"),
    (lambda: embodied_kg_per_hour(1, 0, 0.5), "without a life"),
    (lambda: embodied_kg_per_hour(1, 5, 0), "never used"),
    (lambda: embodied_kg_per_hour(1, 5, 1.2), "no share"),
    (lambda: embodied_kg_per_hour(-1, 5, 0.5), "not negative"),
]


@pytest.mark.parametrize(("refused", "words"), REFUSED, ids=[str(one) for one in range(len(REFUSED))])
def test_what_is_not_defined_is_refused_with_a_reason(refused: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        refused()
