"""The page on the network design states what the code computes, and its arithmetic is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, h100, layout, problem, workload
from tests.docs.page_checks import broken_links, differences, incomplete_formulas, wrong_lines
from tests.docs.worked_examples import DOCS, Example, chapters_of, examples_of
from tests.factories import catalogue, link, server, switch

from suanli.domain.workload import Recompute
from suanli.planning.network.clos import clos
from suanli.planning.network.fabric import plan_fabric
from suanli.planning.network.results import Dimension, PortUser
from suanli.planning.network.side_networks import Joined, Stores, storage_network
from suanli.planning.network.traffic import bytes_per_step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PAGE: Final = DOCS / "planning" / "network.md"
EXAMPLES: Final = {one.name: one for one in examples_of(PAGE)}


def _clos() -> dict[str, float]:
    counts = clos(127 * 8, 64, rails=8)
    assert counts is not None
    return {"up": counts.up, "leaves": counts.leaf, "links": counts.links, "spines": counts.spine}


def _bisection() -> dict[str, float]:
    plan = plan_fabric(catalogue(link(), switch()), server(), 127)
    assert plan.endpoints is not None
    assert plan.bisection_bytes_per_s is not None
    return {"endpoints": plan.endpoints, "bisection": plan.bisection_bytes_per_s}


def _bytes() -> dict[str, float]:
    one = problem(h100(), LLAMA2_7B, workload(sequence_length=4096, global_batch_size=64))
    chosen = layout(tp=8, dp=2, micro_batches=16, recompute=Recompute.NONE)
    return {"step": bytes_per_step(one, chosen)[Dimension.TENSOR]}


def _storage() -> dict[str, float]:
    hundred = switch("eth-100", rate=100).model_copy(update={"technology": "ethernet"})
    one = storage_network(
        catalogue(hundred), server(), 20, (Stores(PortUser.PERFORMANCE, 5, 40e9, 200e9),), Joined()
    )
    assert one is not None
    assert one.oversubscription == 1
    assert one.given_bytes_per_s is not None
    return {
        "ports": (one.ports - 20 * one.ports_per_server) / 5,
        "given": one.given_bytes_per_s,
    }


COMPUTED: Final[Mapping[str, Callable[[], dict[str, float]]]] = {
    "folded-clos": _clos,
    "bisection": _bisection,
    "tensor-parallel-bytes": _bytes,
    "storage-ports": _storage,
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
