"""Layouts of published runs: as stated, and what is open by the search."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.core.validation.test_posing import LLAMA, answers, posed

from suanli.domain.workload import Recompute
from suanli.estimation.arrays import RECOMPUTE_CODES, LayoutArrays
from suanli.estimation.memory import memory, usable_memory
from suanli.estimation.step_time import step_arrays
from suanli.validation.posing import Posed
from suanli.validation.settling import problem_of, settle

if TYPE_CHECKING:
    from suanli.estimation.problem import Problem


def problem(one: Posed) -> Problem:
    found = problem_of(one)
    assert found is not None
    return found


def settled(one: Posed, *, hidden: bool = False) -> LayoutArrays:
    found = settle(one, problem(one), hidden=hidden)
    assert found is not None
    return found


def values(layouts: LayoutArrays) -> dict[str, float]:
    """Return the one layout of a list of one."""
    rows = {one.name: getattr(layouts, one.name) for one in fields(LayoutArrays)}
    assert {np.size(value) for value in rows.values()} == {1}
    return {name: float(np.ravel(value)[0]) for name, value in rows.items()}


def devices(layouts: LayoutArrays) -> float:
    return float(layouts.devices.ravel()[0])


def code(recompute: Recompute) -> int:
    return RECOMPUTE_CODES.index(recompute)


def step_s(one: Posed, layouts: LayoutArrays) -> float:
    return float(step_arrays(problem(one), layouts).total_s.ravel()[0])


def test_a_layout_that_is_stated_in_full_is_taken_as_it_is() -> None:
    found = values(settled(posed()))
    stated = {"tp": 4, "pp": 2, "cp": 1, "dp": 8, "ep": 1, "micro_batch_size": 1, "micro_batches": 16}
    assert {name: found[name] for name in stated} == stated
    assert found["virtual_pipeline"] == 1


@pytest.mark.parametrize(
    ("text", "recompute"),
    [("none", Recompute.NONE), ("selective", Recompute.SELECTIVE), ("full", Recompute.FULL)],
)
def test_stated_recomputation_is_taken_whether_it_fits_or_not(text: str, recompute: Recompute) -> None:
    assert values(settled(posed(recompute=text)))["recompute"] == code(recompute)


def test_what_is_open_is_chosen_by_the_search_and_what_is_stated_is_kept() -> None:
    one = posed(micro_batch=None, recompute=None)
    found = values(settled(one))
    assert (found["tp"], found["pp"], found["dp"]) == (4, 2, 8)
    assert found["micro_batch_size"] * found["micro_batches"] == 16
    usable = usable_memory(one.device.accelerator)[0]
    assert float(memory(problem(one), settled(one)).total.ravel()[0]) <= 0.95 * usable


def test_the_search_is_not_slower_than_what_a_run_states() -> None:
    one = posed(micro_batch=None, recompute=None)
    chosen = step_s(one, settled(one))
    for micro_batch in (1, 2, 4):
        for recompute in ("selective", "full"):
            stated = posed(micro_batch=micro_batch, recompute=recompute)
            used = float(memory(problem(stated), settled(stated)).total.ravel()[0])
            if used <= 0.95 * usable_memory(stated.device.accelerator)[0]:
                assert chosen <= step_s(stated, settled(stated)) * (1 + 1e-9)


def test_a_hidden_layout_is_searched_in_full() -> None:
    one = posed()
    found = settled(one, hidden=True)
    assert devices(found) == 64
    assert step_s(one, found) <= step_s(one, settled(one))


def test_a_run_that_was_made_fits_whatever_the_memory_model_says() -> None:
    one = posed(
        model={"layers": 80, "hidden": 8192, "ffn_hidden": 28672, "heads": 64, "total_params_b": None},
        num_accelerators=8,
        parallel={"tp": 2, "pp": 1, "dp": 4, "cp": 1},
        micro_batch=None,
        recompute=None,
    )
    layouts = settled(one)
    found = values(layouts)
    assert (found["tp"], found["pp"], found["dp"]) == (2, 1, 4)
    assert float(memory(problem(one), layouts).total.ravel()[0]) > usable_memory(one.device.accelerator)[0]
    # Without a limit of memory, recomputation would else be none, which the run cannot have had.
    assert found["recompute"] == code(Recompute.FULL)


BROKEN: dict[str, dict[str, Any]] = {
    "layers that the chunks do not divide": {
        "model": {"layers": 31, "total_params_b": None},
        "parallel": {"tp": 4, "pp": 2, "dp": 8, "cp": 1},
    },
    "heads that tensor parallelism does not divide": {
        "model": {"heads": 36, "kv_heads": 36, "total_params_b": None},
        "parallel": {"tp": 8, "pp": 1, "dp": 8, "cp": 1},
    },
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_layout_that_breaks_the_rules_of_the_search_is_settled_as_stated(name: str) -> None:
    changes = BROKEN[name]
    for one in (posed(**changes), posed(**changes, micro_batch=None, recompute=None)):
        found = values(settled(one))
        stated = changes["parallel"]
        assert {key: found[key] for key in stated} == stated
        assert np.isfinite(step_s(one, settled(one)))


def test_what_a_rule_breaker_leaves_open_is_closed_plainly() -> None:
    one = posed(**BROKEN["layers that the chunks do not divide"], micro_batch=None, recompute=None)
    assert settled(one) is not None
    found = values(settled(one))
    assert found["micro_batch_size"] * found["micro_batches"] * found["dp"] == one.workload.global_batch_size


def test_a_stated_network_replaces_the_line_rate_and_keeps_the_share_that_is_reached() -> None:
    plain = problem(posed())
    fast = problem(posed(inter_node_link="800 Gb/s per GPU"))
    reached = plain.constants.nic_bytes_per_s / plain.line_nic_bytes_per_s
    assert float(fast.constants.nic_bytes_per_s) == pytest.approx(float(reached) * 100e9)
    assert float(fast.constants.link_bytes_per_s) == float(plain.constants.link_bytes_per_s)


def test_a_bridged_group_is_the_domain_of_a_run() -> None:
    one = posed(accelerator="H200-NVL-141GB", intra_node_link="4-way NVIDIA NVLINK bridge")
    assert problem(one).domain == 4


def test_every_posed_run_has_a_layout_on_its_devices() -> None:
    for name, one in answers().items():
        if isinstance(one, str):
            continue
        layouts = settled(one)
        assert devices(layouts) <= one.devices, name
        assert float(layouts.micro_batches.ravel()[0]) >= 1


def test_ids_and_names_settle_nothing() -> None:
    for one in list(answers().values())[::7]:
        if isinstance(one, Posed):
            nameless = replace(
                one, record=replace(one.record, id="x", model=replace(one.record.model, name="y"))
            )
            assert values(settled(nameless)) == values(settled(one))


def test_the_run_of_these_tests_is_a_plausible_one() -> None:
    assert LLAMA["layers"] == 32
    assert 1 < step_s(posed(), settled(posed())) < 30
