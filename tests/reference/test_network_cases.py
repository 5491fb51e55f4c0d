"""Published network cases, asked of the collectives, the step-time model and the acceptance tests."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from tests.core.estimation.estimation_cases import catalogue, figure, layout, problem, shipped, workload
from tests.reference.case_files import Answer, Case, assert_met, cases_of, expectations

from suanli.domain.figure import BytesPerSecond
from suanli.domain.hardware import NicRole, Precision
from suanli.domain.vendor import AcceptanceTest
from suanli.domain.workload import Recompute, Task
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.collectives import all_reduce_s, group_bytes_per_s, ring_all_reduce_s
from suanli.estimation.constants import Constants, resolve_constants
from suanli.estimation.results import Infeasible
from suanli.estimation.step_time import step_arrays

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.reference.case_files import Unit

    from suanli.estimation.arrays import FloatArray
    from suanli.estimation.results import Device


def number(value: float) -> FloatArray:
    return np.array([float(value)])


def constants_of(one: Device) -> Constants:
    found = resolve_constants(one, Precision.BF16)
    assert not isinstance(found, Infeasible)
    return found


def with_ports(one: Device, count: int, gbit_per_s: float, accelerators: int = 8) -> Device:
    """Return a device whose server has other network ports and, if asked, fewer accelerators."""
    port = one.server.nics[0].model_copy(
        update={
            "role": NicRole.COMPUTE,
            "count": count,
            "rate": figure(BytesPerSecond, gbit_per_s, "Gbit/s"),
        }
    )
    changed = {"nics": (port,), "accelerator_count": accelerators, "scale_up_domain": accelerators}
    return replace(one, server=one.server.model_copy(update=changed))


def acceptance_text(vendor: str) -> str:
    tests = [one for one in catalogue().all(AcceptanceTest) if one.vendor == vendor]
    return " ".join(f"{one.name.en} {one.tool} {one.procedure.en} {one.metric.en}" for one in tests)


def in_switch(case: Case) -> Mapping[str, Answer]:
    one = shipped(*case.texts("device"))
    constants = constants_of(one)
    scale_up = one.accelerator.scale_up
    assert scale_up is not None

    def bus(size: float) -> float:
        seconds = all_reduce_s(
            number(size), constants.domain_bytes_per_s, number(8), constants.collective_latency_s
        )
        return 2 * 7 / 8 * size / float(seconds[0])

    return {
        "line_rate_gb_per_s": scale_up.per_device.si / 1e9,
        "ring_gb_per_s": float(constants.link_bytes_per_s) / 1e9,
        "in_switch_gb_per_s": float(constants.domain_bytes_per_s) / 1e9,
        "small_messages_are_slower": bus(case.number("small_bytes")) < 0.5 * bus(case.number("large_bytes")),
        "acceptance_names_bus_bandwidth": "bus bandwidth (busbw)" in acceptance_text("nvidia"),
    }


def several_nodes(case: Case) -> Mapping[str, Answer]:
    one = with_ports(
        shipped("a100-80-sxm", "dgx-a100", "pytorch-fsdp"), case.count("ports"), case.number("gbit_per_s")
    )
    constants = constants_of(one)
    two, three, six = (
        float(group_bytes_per_s(constants, number(8 * nodes), number(1))[0]) / 1e9
        for nodes in case.numbers("nodes")
    )
    return {
        "two_nodes_gb_per_s": two,
        "three_nodes_gb_per_s": three,
        "six_nodes_gb_per_s": six,
        "six_measured_is_below_sixty_percent_of_the_expected": 0.6 * six > 40,
    }


def network_class(share: float, case: Case) -> str:
    if share > case.number("insufficient_above"):
        return "insufficient"
    return "ideal" if share < case.number("ideal_below") else "acceptable"


def fully_sharded(case: Case) -> Mapping[str, Answer]:
    base = shipped("a100-80-sxm", "dgx-a100", "huggingface-deepspeed")
    answers: dict[str, Answer] = {}
    for gbit_per_s in case.numbers("gbit_per_s_per_node"):
        one = with_ports(base, 1, gbit_per_s)
        classes: set[str] = set()
        for cards in case.numbers("cards"):
            posed = problem(
                one, case.architecture, workload(Task.FULL_FINETUNE, global_batch_size=int(cards))
            )
            layouts = LayoutArrays.of(layout(dp=int(cards), zero_stage=3, recompute=Recompute.FULL))
            classes.add(network_class(float(step_arrays(posed, layouts).communication_share[0]), case))
        answers[f"class_{gbit_per_s:.0f}"] = " and ".join(sorted(classes))
    return answers


def second_node(case: Case) -> Mapping[str, Answer]:
    base = shipped("a100-80-pcie", "dgx-a100", "huggingface-deepspeed")
    one = with_ports(base, 1, case.number("gbit_per_s"), accelerators=2)

    def step_s(cards: int) -> float:
        job = workload(
            Task.FULL_FINETUNE, case.count("sequence_length"), cards * case.count("batch_per_card")
        )
        posed = problem(one, case.architecture, job)
        layouts = LayoutArrays.of(layout(dp=cards, zero_stage=3, recompute=Recompute.FULL))
        return float(step_arrays(posed, layouts).total_s[0])

    alone, scaled_out = case.numbers("measured_step_s")
    return {"scaled_out_step_is_slower": scaled_out > alone and step_s(4) > 1.5 * step_s(2)}


def golden_ring(case: Case) -> Mapping[str, Answer]:
    size, rate = case.number("bytes"), case.number("bytes_per_s")
    times = [ring_all_reduce_s(size, rate, int(ranks)) for ranks in case.numbers("ranks")]
    grown = [ring_all_reduce_s(size, rate, 2**power) for power in range(3, 12)]
    return {
        "eight_s": times[0],
        "many_s": times[1],
        "does_not_grow_with_the_logarithm": all(
            later - sooner < 0.06 * sooner for sooner, later in pairwise(grown[1:])
        )
        and grown[-1] < 2 * size / rate,
    }


def without_rdma(case: Case) -> Mapping[str, Answer]:
    with_rdma, plain = case.numbers("measured_step_s")
    assert plain > with_rdma
    texts = {vendor: acceptance_text(vendor) for vendor in ("ascend", "nvidia", "amd")}
    base = with_ports(shipped("a100-80-pcie", "dgx-a100", "huggingface-deepspeed"), 1, 100, accelerators=4)

    def step_s(label: str) -> float:
        port = base.server.nics[0].model_copy(update={"label": label})
        one = replace(base, server=base.server.model_copy(update={"nics": (port,)}))
        posed = problem(one, case.architecture, workload(Task.FULL_FINETUNE, 1024, 8))
        return float(step_arrays(posed, LayoutArrays.of(layout(dp=8, zero_stage=0))).total_s[0])

    return {
        "slowdown": step_s("100GbE TCP") / step_s("100GbE RoCE v2"),
        "acceptance_checks_rdma": all("RDMA" in text for text in texts.values()),
    }


ANSWERS = {
    "net-001": in_switch,
    "net-003": several_nodes,
    "net-004": fully_sharded,
    "net-006": second_node,
    "net-007": golden_ring,
    "net-008": without_rdma,
}


@expectations("network")
def test_a_published_network_case_is_met(unit: Unit) -> None:
    assert_met(unit, ANSWERS)


def test_every_network_case_is_asked() -> None:
    assert set(ANSWERS) == set(cases_of("network"))
