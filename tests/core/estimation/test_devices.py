from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.estimation.estimation_cases import LLAMA2_7B, catalogue, requirement, workload

from suanli.domain.hardware import Precision
from suanli.domain.workload import Requirement, Task, VendorChoice
from suanli.errors import InputError
from suanli.estimation.devices import candidate_devices
from suanli.estimation.results import Constraint, Device, Infeasible


def wanted(
    *names: str,
    consider: tuple[str, ...] = ("ascend", "nvidia", "amd"),
    task: Task = Task.PRETRAIN,
    precision: Precision = Precision.BF16,
) -> Requirement:
    job = workload(task=task, precision=precision)
    return requirement(LLAMA2_7B, job, vendors=VendorChoice(consider, names))


def devices(asked: Requirement) -> list[Device]:
    return [one for one in candidate_devices(asked, catalogue()) if isinstance(one, Device)]


def refusals(asked: Requirement) -> dict[str, Infeasible]:
    return dict(one for one in candidate_devices(asked, catalogue()) if not isinstance(one, Device))


def test_each_considered_vendor_offers_its_training_devices_in_order() -> None:
    found = devices(wanted())
    assert [one.accelerator.id for one in found] == sorted(one.accelerator.id for one in found)
    assert {one.accelerator.vendor for one in found} == {"ascend", "nvidia", "amd"}


def test_one_server_is_taken_for_each_accelerator() -> None:
    ids = [one.accelerator.id for one in devices(wanted())]
    assert len(ids) == len(set(ids))
    assert next(one for one in devices(wanted()) if one.accelerator.id == "h100-sxm").server.id == "dgx-h100"


def test_inference_parts_are_passed_over_and_refused_when_named() -> None:
    assert "ascend-310p" not in {one.accelerator.id for one in devices(wanted(consider=("ascend",)))}
    assert "ascend-310p" not in refusals(wanted(consider=("ascend",)))
    assert refusals(wanted("ascend-310p"))["ascend-310p"].constraint is Constraint.CALIBRATION


def test_a_named_device_is_taken_whatever_vendor_is_considered() -> None:
    assert [one.accelerator.id for one in devices(wanted("h200-sxm", consider=("ascend",)))] == ["h200-sxm"]


def test_unknown_devices_are_all_reported_and_never_replaced() -> None:
    with pytest.raises(InputError) as raised:
        candidate_devices(wanted("h100-sxmm", "quantum-9"), catalogue())
    assert [fault.key for fault in raised.value.faults] == [
        "vendors.accelerators[0]",
        "vendors.accelerators[1]",
    ]
    assert raised.value.faults[0].cure == 'did you mean "h100-sxm"?'


def test_a_device_without_the_precision_is_infeasible() -> None:
    found = refusals(wanted("ascend-910b2", precision=Precision.FP8))
    assert found["ascend-910b2"].constraint is Constraint.PRECISION


def test_adapters_take_the_stack_that_the_vendor_keeps_for_them() -> None:
    assert devices(wanted("h100-sxm"))[0].stack.id == "megatron-core"
    assert devices(wanted("h100-sxm", task=Task.LORA))[0].stack.id == "huggingface-deepspeed"


def test_a_named_stack_is_used_and_refused_where_the_vendor_lacks_it() -> None:
    asked = wanted("h100-sxm", "ascend-910b2")
    asked = replace(asked, workload=replace(asked.workload, stack="megatron-bridge"))
    assert [one.stack.id for one in devices(asked)] == ["megatron-bridge"]
    assert refusals(asked)["ascend-910b2"].constraint is Constraint.CALIBRATION


def test_an_unknown_stack_is_an_input_error() -> None:
    asked = wanted("h100-sxm")
    with pytest.raises(InputError, match="megatron-cor"):
        candidate_devices(replace(asked, workload=replace(asked.workload, stack="megatron-cor")), catalogue())


def test_what_is_taken_from_a_sibling_is_said() -> None:
    found = {one.accelerator.id: one for one in devices(wanted())}
    assert "server" in found["ascend-910b2"].borrowed
    assert "calibration" in found["h800-sxm"].borrowed
    assert found["h100-sxm"].borrowed == ()


def test_every_device_has_a_power_model_where_its_vendor_gives_one() -> None:
    found = {one.accelerator.id: one for one in devices(wanted())}
    power = found["h100-sxm"].power
    assert power is not None
    assert power.server == "dgx-h100"
    assert all(one.power is not None for one in found.values())
