"""Inputs that misled other tools, given to the project file, the catalogue and the estimate."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.core.estimation.estimation_cases import (
    LLAMA2_7B,
    catalogue,
    layout,
    model,
    number,
    plain_device,
    problem,
    workload,
)
from tests.reference.case_files import Answer, Case, assert_met, cases_of, expectations
from tests.scenarios.builtin import BASE, completed

from suanli.cli.main import run
from suanli.domain.hardware import Accelerator, Precision
from suanli.domain.transformer import count_parameters
from suanli.domain.workload import Recompute, Task
from suanli.errors import InputError
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.memory import fits, memory
from suanli.estimation.recipes import FSDP_FP32, static_bytes_per_device
from suanli.estimation.step_time import step_arrays
from suanli.host.draining import Drained
from suanli.host.host import Host
from suanli.host.plugins import PluginInfo, PluginStatus
from suanli.testing.hardware import headline_peaks_are_not_below_dense_ones
from suanli.testing.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.reference.case_files import Unit


def refusal(*settings: str) -> str:
    """Return what a project file with these settings is told; empty where it is taken."""
    try:
        completed(BASE, *settings)
    except InputError as error:
        return str(error)
    return ""


def one_message(case: Case) -> Mapping[str, Answer]:
    model_setting = [f"model={case.text('model')}"] if "model" in case.inputs else []
    return {"message": refusal(*model_setting, case.text("setting"))}


def printed(*words: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        assert run(words) == 0
    return out.getvalue()


def sparse_as_dense(case: Case) -> Mapping[str, Answer]:
    device = catalogue().get(Accelerator, case.text("accelerator"))
    sparse = device.headline_peak["bf16 2:4 sparse"]
    wrong = device.model_copy(update={"dense_peak": {**device.dense_peak, Precision.BF16: sparse}})
    plugin = PluginInfo("acme", "acme", "1", "acme", api_version=1, status=PluginStatus.OK)
    subject = Subject(plugin, Host(), Drained(items=(wrong,)))
    told = " ".join(str(fault) for fault in headline_peaks_are_not_below_dense_ones(subject))
    return {
        "a_project_states_no_peak": refusal(case.text("setting")),
        "catalogue": printed("catalog", "accelerators", case.text("accelerator")),
        "a_plugin_that_ships_it_is_told": told,
    }


def measured_rates(case: Case) -> Mapping[str, Answer]:
    return {name: refusal(case.text(name)) for name in ("above_the_peak", "unknown")}


def experts_times_size(case: Case) -> Mapping[str, Answer]:
    counts = count_parameters(model(case.text("catalogue_model")))
    return {**one_message(case), "total": float(counts.total), "active": float(counts.active)}


def all_experts_resident(case: Case) -> Mapping[str, Answer]:
    job = workload(Task.QLORA, 2048, lora_rank=8)
    posed = problem(plain_device(case.number("memory_gb"), sharding="fsdp"), case.architecture, job)
    arrays = LayoutArrays.of(layout(zero_stage=0, recompute=Recompute.FULL))
    return {
        "parameters_of_the_shape": float(posed.counts.total),
        "weights_gb": float(memory(posed, arrays).weights[0]) / 1e9,
        "verdict": "fits" if fits(posed, arrays)[0] else "does-not-fit",
    }


def impossible_values(case: Case) -> Mapping[str, Answer]:
    def is_told(setting: str) -> bool:
        key, _, value = setting.partition("=")
        message = refusal(setting)
        return key in message and f'"{value}"' in message

    return {"all_are_refused_with_field_and_value": all(map(is_told, case.texts("settings")))}


def no_idle_constant(case: Case) -> Mapping[str, Answer]:
    def step_s(name: str, share: float) -> float:
        device = plain_device(constants={name: number(share)})
        ranks = {"nic_efficiency": layout(dp=16, zero_stage=1), "allreduce_efficiency": layout(tp=4, dp=2)}
        posed = problem(device, LLAMA2_7B, workload())
        one = ranks.get(name, layout())
        return float(step_arrays(posed, LayoutArrays.of(replace(one, micro_batches=1))).total_s[0])

    pairs = [
        (step_s(name, case.number("full")), step_s(name, case.number("part")))
        for name in case.texts("constants")
    ]
    return {
        "less_of_any_is_never_faster": all(part >= full for full, part in pairs),
        "less_of_any_is_slower": all(part > full for full, part in pairs),
    }


def weights(case: Case) -> Mapping[str, Answer]:
    bare = replace(FSDP_FP32, weight_bytes=case.number("bytes"), gradient_bytes=0, master_bytes=0)
    bare = replace(bare, moment1_bytes=0, moment2_bytes=0)
    held = static_bytes_per_device(case.number("parameters"), bare, 0, 1)
    return {"gb": held / 1e9, "gib": held / 2**30}


ANSWERS = {
    "bad-001": one_message,
    "bad-003": one_message,
    "bad-004": sparse_as_dense,
    "bad-006": one_message,
    "bad-007": measured_rates,
    "bad-008": experts_times_size,
    "bad-009": all_experts_resident,
    "bad-013": impossible_values,
    "bad-015": no_idle_constant,
    "bad-016": weights,
}


@expectations("bad-input")
def test_an_input_that_misled_others_is_met(unit: Unit) -> None:
    assert_met(unit, ANSWERS)


def test_every_case_of_bad_input_is_asked() -> None:
    assert set(ANSWERS) == set(cases_of("bad-input"))
