from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, ascend, device, h100, model, problem, workload

from suanli.domain.workload import LayoutPins, Recompute
from suanli.errors import InputError
from suanli.estimation.layouts import BATCH_TOLERANCE, Limits, check_pins, divisors, search
from suanli.estimation.memory import usable_memory

if TYPE_CHECKING:
    from suanli.estimation.results import Layout

SEVENTY = problem(h100(), model("llama-3-70b"), workload(global_batch_size=1024))


def best(devices: int, pins: LayoutPins | None = None) -> Layout:
    found = search(SEVENTY, devices, Limits(pins or LayoutPins()))
    assert found.layouts is not None
    return found.layouts.layout(0)


def test_the_layout_uses_the_devices_divides_the_model_and_meets_the_batch() -> None:
    layout = best(512)
    assert layout.devices == 512
    assert 64 % layout.tp == 0
    assert layout.tp <= 8
    assert layout.micro_batch_size * layout.micro_batches * layout.dp == pytest.approx(
        1024, rel=BATCH_TOLERANCE
    )
    if layout.virtual_pipeline > 1:
        assert layout.micro_batches % layout.pp == 0


def test_the_layout_fits_in_memory_less_the_reserve() -> None:
    found = search(SEVENTY, 256)
    assert found.layouts is not None
    usable, _ = usable_memory(SEVENTY.device.accelerator)
    assert found.least_bytes <= usable * 0.9


def test_pins_are_followed() -> None:
    layout = best(
        512, LayoutPins(tp=8, pp=8, micro_batch_size=2, recompute=Recompute.FULL, virtual_pipeline=2)
    )
    assert (layout.tp, layout.pp, layout.micro_batch_size, layout.virtual_pipeline) == (8, 8, 2, 2)
    assert layout.recompute is Recompute.FULL


def test_no_pin_makes_a_run_faster() -> None:
    free = search(SEVENTY, 512).tokens_factor
    for pins in (LayoutPins(tp=1), LayoutPins(pp=16), LayoutPins(cp=2), LayoutPins(recompute=Recompute.FULL)):
        assert search(SEVENTY, 512, Limits(pins)).tokens_factor <= free * 1.01


def test_a_tensor_parallelism_that_does_not_divide_the_heads_lists_those_that_do() -> None:
    with pytest.raises(InputError) as raised:
        check_pins(model("qwen2.5-7b"), LayoutPins(tp=8), 512)
    fault = raised.value.faults[0]
    assert fault.what == "tp=8 does not divide 28 attention heads"
    assert fault.why == "valid values: 1, 2, 4, 7, 14, 28"
    assert "pipeline" in fault.cure


def test_all_wrong_pins_are_reported_at_once() -> None:
    pins = LayoutPins(tp=3, pp=64, ep=7, micro_batch_size=9)
    with pytest.raises(InputError) as raised:
        check_pins(LLAMA2_7B, pins, 8)
    assert [fault.key for fault in raised.value.faults] == [
        "layout.tp",
        "layout.pp",
        "layout.ep",
        "layout.micro_batch_size",
    ]


def test_right_pins_pass() -> None:
    check_pins(model("mixtral-8x7b"), LayoutPins(tp=8, pp=4, ep=8, micro_batch_size=1), 8)


def test_every_candidate_is_accounted_for_by_reason() -> None:
    found = search(SEVENTY, 32)
    assert found.candidates > 100
    assert found.rejected["memory"] > 0
    assert found.rejected["cp-sequence"] > 0
    assert all(count >= 0 for count in found.rejected.values())


def test_where_nothing_fits_the_least_memory_is_known() -> None:
    found = search(SEVENTY, 8)
    assert found.layouts is None
    assert found.tokens_factor == 0
    assert found.least_bytes > usable_memory(SEVENTY.device.accelerator)[0]


def test_a_stack_that_shards_weights_uses_data_parallelism_alone() -> None:
    posed = problem(h100("llm-foundry"), LLAMA2_7B, workload())
    found = search(posed, 64)
    assert found.layouts is not None
    layout = found.layouts.layout(0)
    assert (layout.tp, layout.pp, layout.zero_stage) == (1, 1, 3)


def test_a_pipeline_under_zero_three_needs_a_stack_that_supports_it() -> None:
    pins = Limits(LayoutPins(pp=4, zero_stage=3))
    refused = search(SEVENTY, 256, pins)
    assert refused.layouts is None
    assert refused.rejected["zero-pipeline"] > 0
    allowed = search(problem(h100("torchtitan"), model("llama-3-70b"), workload()), 256, pins)
    assert allowed.layouts is not None


def test_tensor_parallelism_stays_inside_the_scale_up_domain() -> None:
    posed = problem(device("ascend-910b1", "atlas-900-a2-pod", "mindspeed"), model("llama-3-70b"), workload())
    found = search(posed, 256)
    assert found.layouts is not None
    assert found.layouts.layout(0).tp <= 8


def test_a_limit_on_exposed_communication_is_kept() -> None:
    posed = problem(ascend(), model("llama-2-70b"), workload())
    free = search(posed, 256)
    assert free.step is not None
    share = float(free.step.communication_share[0])
    quiet = search(posed, 256, Limits(exposed_communication_max=share * 0.9))
    assert quiet.step is not None
    assert quiet.step.communication_share[0] <= share * 0.9
    assert quiet.rejected["exposed-communication"] > 0


def test_experts_are_spread_over_ranks_that_divide_them() -> None:
    posed = problem(h100(), model("deepseek-v3"), workload(global_batch_size=15360))
    found = search(posed, 2048)
    assert found.layouts is not None
    layout = found.layouts.layout(0)
    assert 256 % layout.ep == 0
    assert layout.ep > 1
    assert (layout.dp * layout.cp) % layout.ep == 0


def test_divisors_are_complete_and_rising() -> None:
    assert divisors(1) == (1,)
    assert divisors(36) == (1, 2, 3, 4, 6, 9, 12, 18, 36)
