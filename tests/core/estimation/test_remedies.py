"""Why a job cannot be done, and ways out that are each tried before they are named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.estimation.estimation_cases import (
    DAY_S,
    LLAMA2_7B,
    h100,
    model,
    plain_device,
    requirement,
    workload,
)

from suanli.domain.hardware import Precision
from suanli.domain.workload import ClusterWish, LayoutPins, Requirement, SolveFor
from suanli.errors import InputError
from suanli.estimation.results import Constraint, Device, Infeasible, Remedy, RemedyKind, Sizing
from suanli.estimation.sizing import size, size_at

SEVENTY = model("llama-2-70b")


def refused(wanted: Requirement, chosen: Device | None = None) -> Infeasible:
    verdict = size(chosen or h100(), wanted)
    assert isinstance(verdict, Infeasible)
    return verdict


def kinds(verdict: Infeasible) -> dict[RemedyKind, Remedy]:
    return {remedy.kind: remedy for remedy in verdict.remedies}


def on(devices: int, pins: LayoutPins | None = None, **job: object) -> Requirement:
    return requirement(SEVENTY, workload(**job), SolveFor.DAYS, devices, pins)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def test_a_zero_stage_pin_that_prevents_the_fit_is_released() -> None:
    verdict = refused(on(64, LayoutPins(zero_stage=0, tp=8, pp=1)))
    assert kinds(verdict)[RemedyKind.SHARD_MORE].detail == "zero"
    assert isinstance(size(h100(), on(64, LayoutPins(tp=8, pp=1))), Sizing)


def test_a_sequence_that_does_not_fit_is_halved_until_it_does() -> None:
    pins = LayoutPins(tp=8, pp=1, cp=1, micro_batch_size=1)
    wanted = on(64, pins, sequence_length=262_144, global_batch_size=16)
    verdict = refused(wanted)
    length = kinds(verdict)[RemedyKind.SHORTER_SEQUENCE].value
    assert length is not None
    assert 262_144 % int(length) == 0
    # The batch is stated in tokens, so the shorter sequences are more of them.
    shorter = workload(sequence_length=int(length), global_batch_size=16 * 262_144 // int(length))
    assert isinstance(size(h100(), replace(wanted, workload=shorter)), Sizing)


def test_a_memory_that_would_do_is_named_with_the_reserve_on_top() -> None:
    verdict = refused(on(8))
    larger = kinds(verdict)[RemedyKind.LARGER_MEMORY].value
    assert larger is not None
    assert larger == pytest.approx(verdict.need / 0.9)


def test_a_batch_smaller_than_the_pinned_replicas_binds_as_the_batch() -> None:
    wanted = on(64, LayoutPins(tp=8, pp=8, micro_batch_size=4, virtual_pipeline=2), global_batch_size=4)
    verdict = refused(wanted)
    assert verdict.constraint is Constraint.BATCH
    assert (verdict.need, verdict.have) == (64, 4)


def test_pins_that_take_more_devices_than_there_are_bind_as_pins() -> None:
    verdict = refused(on(8, LayoutPins(tp=8, pp=16)))
    assert verdict.constraint is Constraint.PINNED
    assert verdict.have == 8
    assert verdict.need >= 128


def test_communication_above_its_limit_binds_as_the_network_and_names_the_limit() -> None:
    wanted = replace(
        requirement(SEVENTY, workload(deadline_days=300)), cluster=ClusterWish(exposed_communication_max=1e-6)
    )
    verdict = refused(wanted)
    assert verdict.constraint is Constraint.NETWORK
    assert verdict.need > verdict.have == 1e-6
    assert kinds(verdict)[RemedyKind.UNPIN].detail == "exposed_communication_max=1e-06"


@pytest.mark.parametrize("devices", [0, -8])
def test_a_cluster_has_at_least_one_device(devices: int) -> None:
    with pytest.raises(InputError, match="at least one is needed"):
        size_at(h100(), on(8), devices)


def test_a_device_without_the_precision_is_refused_for_any_question() -> None:
    asked = requirement(LLAMA2_7B, workload(precision=Precision.FP8), SolveFor.DAYS, 8)
    for verdict in (size(plain_device(), asked), size_at(plain_device(), asked, 8)):
        assert isinstance(verdict, Infeasible)
        assert verdict.constraint is Constraint.PRECISION
    days = workload(tokens=None, deadline_days=9, precision=Precision.FP8)
    assert refused(requirement(LLAMA2_7B, days, SolveFor.TOKENS, 8), plain_device()).constraint is (
        Constraint.PRECISION
    )


def test_tokens_of_a_model_that_does_not_fit_are_not_made_up() -> None:
    verdict = refused(replace(on(8, tokens=None, deadline_days=9), solve_for=SolveFor.TOKENS))
    assert verdict.constraint is Constraint.MEMORY


def test_a_deadline_shorter_than_one_step_trains_nothing() -> None:
    job = workload(tokens=None, deadline_days=1e-9)
    verdict = refused(requirement(LLAMA2_7B, job, SolveFor.TOKENS, 8))
    assert verdict.constraint is Constraint.DEADLINE
    assert verdict.have == pytest.approx(1e-9 * DAY_S)
    assert verdict.need > verdict.have


def test_a_released_pin_is_offered_only_where_it_helps() -> None:
    # Sixteen-way tensor parallelism spans two servers; without it even one server is enough.
    helped = refused(requirement(LLAMA2_7B, workload(deadline_days=100), pins=LayoutPins(tp=16)))
    assert [remedy.detail for remedy in helped.remedies] == ["tp=16"]
    hopeless = refused(
        requirement(SEVENTY, workload(deadline_days=100), pins=LayoutPins(tp=16, pp=1)),
        plain_device(memory_gb=1.0),
    )
    assert hopeless.constraint is Constraint.PINNED
    assert hopeless.remedies == ()
