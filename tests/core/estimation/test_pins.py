from __future__ import annotations

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, model

from suanli.domain.workload import LayoutPins, Offload, Recompute
from suanli.errors import InputError
from suanli.estimation.pins import check_pins, divisors


@pytest.mark.parametrize(
    ("pins", "key"),
    [
        (LayoutPins(recompute=Recompute.SELECTIVE, recompute_layers=4), "layout.recompute_layers"),
        (LayoutPins(offload=Offload.WEIGHTS, zero_stage=1), "layout.offload"),
        (LayoutPins(shard_group=8, zero_stage=0), "layout.shard_group"),
    ],
)
def test_pins_that_contradict_each_other_are_refused(pins: LayoutPins, key: str) -> None:
    with pytest.raises(InputError) as raised:
        check_pins(LLAMA2_7B, pins, 8)
    assert [fault.key for fault in raised.value.faults] == [key]
    assert raised.value.faults[0].cure


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


def test_divisors_are_complete_and_rising() -> None:
    assert divisors(1) == (1,)
    assert divisors(36) == (1, 2, 3, 4, 6, 9, 12, 18, 36)
