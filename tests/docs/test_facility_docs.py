"""The page on racks, power and cooling states what the code computes, and its arithmetic is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from tests.core.planning.facility.halls import LIQUID, box, hall, servers
from tests.docs.page_checks import broken_links, differences, incomplete_formulas, wrong_lines
from tests.docs.worked_examples import DOCS, Example, chapters_of, examples_of

from suanli.planning.facility.feeds import phase_current_a, plan_circuits, plan_plant
from suanli.planning.facility.floor import floor_kg_per_m2
from suanli.planning.facility.results import BoxKind
from suanli.planning.power import servers_per_rack

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PAGE: Final = DOCS / "planning" / "facility.md"
EXAMPLES: Final = {one.name: one for one in examples_of(PAGE)}


def _rack() -> dict[str, float]:
    each = servers_per_rack(10_200, 45_000, 8)
    plan = hall(servers(32), per_rack=each)
    return {"each": each, "racks": plan.rack_count, "rack_kw": plan.racks[0].peak_w / 1e3}


def _sum() -> dict[str, float]:
    plan = hall(servers(32), box(BoxKind.LEAF, 12, 1, 1_720))
    return {
        "compute": plan.racks[0].count * plan.racks[0].peak_w / 1e3,
        "network": plan.racks[1].peak_w / 1e3,
        "it": plan.it_peak_w / 1e3,
        "site": plan.facility_peak_w / 1e3,
    }


def _circuits() -> dict[str, float]:
    circuits = plan_circuits(40_800, "CN", "N+1")
    return {
        "current": phase_current_a(40_800, 380),
        "circuits": circuits.per_source,
        "pdus": circuits.count,
    }


def _units() -> dict[str, float]:
    plant = plan_plant(1_200e3, (500e3, 600e3), "N+1")
    assert plant.unit_va == 600e3
    return {"load": plant.load_va / 1e3, "needed": plant.needed, "installed": plant.installed}


def _heat() -> dict[str, float]:
    system = servers(8, 48, 132_000, cooling=LIQUID, brings_rack=True)
    plan = hall(system, box(BoxKind.STORAGE, 10, 2, 2_000), per_rack=1, rack_w=132_000, cooling=LIQUID)
    loops = plan.cooling
    return {"heat": loops.heat_w / 1e3, "liquid": loops.liquid_w / 1e3, "air": loops.air_w / 1e3}


def _floor() -> dict[str, float]:
    weight = hall(servers(4, weight_kg=130.45)).racks[0].weight_kg
    assert weight is not None
    return {"weight": weight, "load": floor_kg_per_m2(weight)}


COMPUTED: Final[Mapping[str, Callable[[], dict[str, float]]]] = {
    "servers-in-a-rack": _rack,
    "sum-over-the-site": _sum,
    "current-and-circuits": _circuits,
    "units-and-redundancy": _units,
    "heat-and-loops": _heat,
    "floor-load": _floor,
}


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_every_line_of_an_example_is_what_its_arithmetic_gives(example: Example) -> None:
    assert wrong_lines(example) == {}


@pytest.mark.parametrize("name", COMPUTED)
def test_an_example_is_what_the_code_computes(name: str) -> None:
    assert differences(EXAMPLES[name], COMPUTED[name]()) == {}


def test_every_example_is_compared_with_the_code() -> None:
    assert sorted(EXAMPLES) == sorted(COMPUTED)


def test_every_formula_has_its_parts_and_one_example() -> None:
    assert incomplete_formulas(PAGE) == []
    assert len(chapters_of(PAGE)) == len(EXAMPLES)


def test_every_link_of_the_page_leads_somewhere() -> None:
    assert broken_links(PAGE) == []


def test_every_module_of_the_hall_is_named_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    folder = DOCS.parent / "core" / "suanli" / "planning" / "facility"
    names = {path.stem for path in folder.glob("*.py")} - {"__init__", "results"}

    assert all(f"`{name}`" in text for name in names)
