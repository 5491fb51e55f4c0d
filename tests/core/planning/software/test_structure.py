from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.launching import DEEPSEEK, DENSE, LLAMA, SHARDED, job

from suanli.domain.software import Launcher
from suanli.domain.workload import Task
from suanli.planning.software.results import Outcome
from suanli.planning.software.structure import structural_rules

if TYPE_CHECKING:
    from suanli.domain.architecture import Architecture
    from suanli.estimation.results import Layout

HOLDS, ADAPTED, BROKEN = Outcome.HOLDS, Outcome.ADAPTED, Outcome.BROKEN
MEGATRON, MINDSPEED = Launcher.MEGATRON_LM, Launcher.MINDSPEED_LLM

EXPERTS = replace(DENSE, tp=2, pp=8, dp=8, ep=16, virtual_pipeline=1)


def outcomes(
    layout: Layout, launcher: Launcher, model: Architecture = LLAMA, sequence_length: int = 4096
) -> dict[str, Outcome]:
    found = structural_rules(job(layout, model, sequence_length=sequence_length), launcher, "src")
    return {one.key: one.outcome for one in found}


def test_a_launchable_layout_meets_every_rule() -> None:
    for launcher in (MEGATRON, MINDSPEED, Launcher.PRIMUS):
        assert set(outcomes(DENSE, launcher).values()) == {HOLDS}


@pytest.mark.parametrize(
    ("rule", "layout", "model", "outcome"),
    [
        # TransformerConfig: num_attention_heads must be a multiple of tensor_model_parallel_size.
        ("heads-by-tp", replace(DENSE, tp=3), LLAMA, BROKEN),
        # num_query_groups must be a multiple or divisor of tensor_model_parallel_size.
        ("groups-by-tp", replace(DENSE, tp=16), LLAMA, HOLDS),
        ("groups-by-tp", replace(DENSE, tp=12), LLAMA, BROKEN),
        # Number of layers should be divisible by the pipeline size, unless a layout is given.
        ("layers-by-stages", replace(DENSE, pp=4), LLAMA, HOLDS),
        ("layers-by-stages", replace(DENSE, pp=3, virtual_pipeline=1), LLAMA, ADAPTED),
        ("layers-by-stages", replace(DENSE, virtual_pipeline=3), LLAMA, ADAPTED),
        # The remainder of micro-batches over the stages must be none.
        ("micro-batches-by-pp", replace(DENSE, micro_batches=30), LLAMA, BROKEN),
        ("micro-batches-by-pp", replace(DENSE, pp=1), LLAMA, BROKEN),
        # The sequence length must be a multiple of twice the context-parallel size.
        ("sequence-by-cp", replace(DENSE, cp=2), LLAMA, HOLDS),
        ("sequence-by-cp", replace(DENSE, cp=3), LLAMA, BROKEN),
        ("experts-by-ep", EXPERTS, DEEPSEEK, HOLDS),
        ("experts-by-ep", replace(EXPERTS, ep=12), DEEPSEEK, BROKEN),
        ("ranks-by-ep", EXPERTS, DEEPSEEK, HOLDS),
        ("ranks-by-ep", replace(EXPERTS, dp=7), DEEPSEEK, BROKEN),
        # EP beside TP must have sequence parallelism.
        ("experts-with-tp", EXPERTS, DEEPSEEK, HOLDS),
        ("experts-with-tp", replace(EXPERTS, sequence_parallel=False), DEEPSEEK, BROKEN),
    ],
)
def test_megatrons_own_checks_are_held_against_the_layout(
    rule: str, layout: Layout, model: Architecture, outcome: Outcome
) -> None:
    assert outcomes(layout, MEGATRON, model)[rule] is outcome


def test_the_sequence_is_split_over_tensor_and_context_ranks() -> None:
    assert outcomes(DENSE, MEGATRON, sequence_length=4096)["sequence-by-tp"] is HOLDS
    assert outcomes(DENSE, MEGATRON, sequence_length=4100)["sequence-by-tp"] is BROKEN
    assert "sequence-by-tp" not in outcomes(replace(DENSE, sequence_parallel=False), MEGATRON)


@pytest.mark.parametrize(("pp", "v", "outcome"), [(8, 1, HOLDS), (16, 1, HOLDS), (32, 1, BROKEN)])
def test_no_stage_of_mindspeed_holds_dense_layers_alone(pp: int, v: int, outcome: Outcome) -> None:
    # first_k_dense_replace must be below num_layers // pipeline_model_parallel_size; three layers lead, and
    # 61 layers are filled up to 64.
    layout = replace(EXPERTS, pp=pp, virtual_pipeline=v)

    assert outcomes(layout, MINDSPEED, DEEPSEEK)["dense-below-stage"] is outcome


@pytest.mark.parametrize(("layers", "pp", "outcome"), [(61, 8, HOLDS), (17, 16, BROKEN)])
def test_empty_layers_leave_no_stage_of_adapters_without_a_layer(
    layers: int, pp: int, outcome: Outcome
) -> None:
    layout = replace(DENSE, pp=pp, virtual_pipeline=1)
    model = LLAMA.model_copy(update={"layers": layers})
    adapters = structural_rules(job(layout, model, Task.LORA), MINDSPEED, "src")

    assert {one.key: one.outcome for one in adapters}["empty-below-stage"] is outcome
    # Other training is not checked for it: 126 layers are trained as 128 in virtual stages of one.
    assert "empty-below-stage" not in outcomes(layout, MINDSPEED, model)


@pytest.mark.parametrize(
    ("launcher", "outcome"),
    [
        (MEGATRON, ADAPTED),
        (MINDSPEED, ADAPTED),
        (Launcher.DEEPSPEED, ADAPTED),
        (Launcher.TORCHTITAN, ADAPTED),
        # Both start num_processes // num_machines ranks, or one stated number, on every server.
        (Launcher.ACCELERATE, BROKEN),
        (Launcher.PRIMUS, BROKEN),
    ],
)
def test_a_last_server_with_fewer_devices_is_spelt_out_where_the_launcher_can(
    launcher: Launcher, outcome: Outcome
) -> None:
    uneven = replace(DENSE, tp=4, pp=5, dp=5, micro_batches=5, virtual_pipeline=1)

    assert outcomes(uneven, launcher)["whole-nodes"] is outcome
    assert outcomes(DENSE, launcher)["whole-nodes"] is HOLDS


def test_ulysses_needs_heads_for_every_rank() -> None:
    assert outcomes(replace(SHARDED, cp=2, dp=32), Launcher.DEEPSPEED)["heads-by-cp"] is HOLDS
    assert outcomes(replace(SHARDED, cp=3, dp=32), Launcher.DEEPSPEED)["heads-by-cp"] is BROKEN


@pytest.mark.parametrize(("layers", "pp", "v", "outcome"), [(80, 4, 2, HOLDS), (9, 4, 1, BROKEN)])
def test_torchtitan_reaches_the_stages_by_their_layers(
    layers: int, pp: int, v: int, outcome: Outcome
) -> None:
    # Three layers a stage make three stages of nine layers, not four.
    layout = replace(SHARDED, pp=pp, dp=16, virtual_pipeline=v)
    model = LLAMA.model_copy(update={"layers": layers})

    assert outcomes(layout, Launcher.TORCHTITAN, model)["stages-by-layers"] is outcome


def test_a_group_of_shards_holds_whole_context_groups() -> None:
    split = replace(SHARDED, cp=4, dp=16)

    assert outcomes(replace(split, shard_group=8), Launcher.TORCHTITAN)["shards-by-cp"] is HOLDS
    assert outcomes(replace(split, shard_group=2), Launcher.TORCHTITAN)["shards-by-cp"] is BROKEN


def test_an_unknown_launcher_has_no_rules() -> None:
    assert structural_rules(job(DENSE), None, "src") == ()
