"""Verdicts on what cannot be done: by how much it fails, and the cheapest ways out, each computed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.domain.workload import LayoutPins, Recompute, Task
from suanli.estimation.evaluate import MOST_ACCELERATORS, Evaluator, Outcome, quantile_s
from suanli.estimation.memory import usable_memory
from suanli.estimation.problem import pose
from suanli.estimation.results import Constraint, Infeasible, Remedy, RemedyKind
from suanli.estimation.search import Limits, search
from suanli.estimation.space import LOSS_CHUNKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.workload import Requirement

__all__ = ["deadline_verdict", "memory_verdict", "network_verdict"]

_SHORTEST_SEQUENCE = 512
_BATCH_TIMES = (2, 4, 8, 16)
"""Multiples of the global batch that are tried as a way out."""


def _allowed_bytes(evaluator: Evaluator) -> float:
    usable, _ = usable_memory(evaluator.problem.device.accelerator)
    return usable * (1 - evaluator.limits.reserve_share)


def _pinned(pins: LayoutPins) -> str:
    """Return the pins that are set, as ``tp=8 pp=4``."""
    named = {name: getattr(pins, name) for name in LayoutPins.__dataclass_fields__}
    return " ".join(f"{name}={value}" for name, value in named.items() if value is not None)


def _pinned_group(evaluator: Evaluator) -> float:
    """Return the accelerators that one model replica takes under the pins."""
    pins = evaluator.limits.pins
    devices = (pins.tp or 1) * (pins.pp or 1) * (pins.cp or 1)
    return float(math.ceil(devices / evaluator.problem.dies))


def _fits_with(evaluator: Evaluator, devices: int, pins: LayoutPins) -> bool:
    return search(evaluator.problem, devices, replace(evaluator.limits, pins=pins)).layouts is not None


def _unpinning(evaluator: Evaluator, devices: int) -> Iterator[Remedy]:
    """Yield the pins whose release lets the model fit on the same devices."""
    pins = evaluator.limits.pins
    if pins.recompute in {Recompute.NONE, Recompute.SELECTIVE} and _fits_with(
        evaluator, devices, replace(pins, recompute=None)
    ):
        yield Remedy(RemedyKind.RECOMPUTE, detail=Recompute.FULL.value)
    if pins.zero_stage is not None and _fits_with(evaluator, devices, replace(pins, zero_stage=None)):
        yield Remedy(RemedyKind.SHARD_MORE, detail="zero")
    if pins.shard_group is not None and _fits_with(evaluator, devices, replace(pins, shard_group=None)):
        yield Remedy(RemedyKind.SHARD_MORE, detail="shard_group")
    if _pinned(pins) and _fits_with(evaluator, devices, LayoutPins()):
        yield Remedy(RemedyKind.UNPIN, detail=_pinned(pins))


def _shorter(evaluator: Evaluator, devices: int) -> Iterator[Remedy]:
    """Yield the longest halved sequence at which the model fits on the same devices."""
    problem, length = evaluator.problem, evaluator.problem.workload.sequence_length // 2
    while length >= _SHORTEST_SEQUENCE:
        # The batch is stated in tokens, so that shorter sequences are more of them.
        times = problem.workload.sequence_length // length
        shorter = replace(
            problem.workload,
            sequence_length=length,
            global_batch_size=problem.workload.global_batch_size * times,
        )
        posed = pose(problem.device, problem.architecture, shorter, problem.recipe)
        if not isinstance(posed, Infeasible) and search(posed, devices, evaluator.limits).layouts is not None:
            yield Remedy(RemedyKind.SHORTER_SEQUENCE, float(length))
            return
        length //= 2


def _offloading(evaluator: Evaluator, devices: int) -> Iterator[Remedy]:
    """Yield what to keep in host memory where the model then fits on the same devices, at whatever speed."""
    limits = evaluator.limits
    if limits.pins.offload is not None:
        return
    found = search(evaluator.problem, devices, replace(limits, offload=True))
    if found.layouts is not None:
        yield Remedy(RemedyKind.OFFLOAD, detail=found.layouts.layout(0).offload.value)


def _chunking(evaluator: Evaluator, devices: int) -> Iterator[Remedy]:
    """Yield a loss that works in pieces where the model then fits on the same devices."""
    pins = evaluator.limits.pins
    if pins.loss_chunks is None and _fits_with(evaluator, devices, replace(pins, loss_chunks=LOSS_CHUNKS)):
        yield Remedy(RemedyKind.CHUNKED_LOSS, float(LOSS_CHUNKS))


def _adapters(evaluator: Evaluator, devices: int) -> Iterator[Remedy]:
    """Yield LoRA where full fine-tuning does not fit on the devices and adapters do."""
    problem = evaluator.problem
    if problem.workload.task is not Task.FULL_FINETUNE:
        return
    device = replace(problem.device, stack=problem.device.adapter_stack or problem.device.stack)
    posed = pose(device, problem.architecture, replace(problem.workload, task=Task.LORA))
    if not isinstance(posed, Infeasible) and search(posed, devices, Limits()).layouts is not None:
        yield Remedy(RemedyKind.LORA)


def memory_verdict(
    evaluator: Evaluator, requirement: Requirement, outcome: Outcome, larger: Outcome | None
) -> Infeasible:
    """Return why no layout fits on a number of devices.

    `larger` is the smallest cluster on which one does. Where divisibility or the batch left no candidate at
    all, that is the reason; where only exposed communication was too high, the network is.
    """
    found, devices = outcome.search, outcome.devices * evaluator.problem.dies
    allowed = _allowed_bytes(evaluator)
    remedies: list[Remedy] = []
    if larger is not None and larger.devices > outcome.devices:
        remedies.append(Remedy(RemedyKind.MORE_ACCELERATORS, float(larger.devices)))
    remedies += _chunking(evaluator, devices)
    remedies += _unpinning(evaluator, devices)
    remedies += _shorter(evaluator, devices)
    remedies += _offloading(evaluator, devices)
    remedies += _adapters(evaluator, devices)
    if math.isinf(found.least_bytes):
        if found.rejected.get("batch"):
            batch = float(requirement.workload.global_batch_size)
            return Infeasible(Constraint.BATCH, float(outcome.devices), batch, remedies=tuple(remedies))
        group = _pinned_group(evaluator) if larger is None else float(larger.devices)
        return Infeasible(Constraint.PINNED, group, float(outcome.devices), remedies=tuple(remedies))
    if found.rejected.get("exposed-communication"):
        return network_verdict(evaluator, 1.0, tuple(remedies))
    remedies.append(
        Remedy(RemedyKind.LARGER_MEMORY, found.least_bytes / (1 - evaluator.limits.reserve_share))
    )
    return Infeasible(Constraint.MEMORY, need=found.least_bytes, have=allowed, remedies=tuple(remedies))


def network_verdict(evaluator: Evaluator, need: float, remedies: tuple[Remedy, ...] = ()) -> Infeasible:
    """Return that only the limit on exposed communication prevents a fit, and the share there is without."""
    limit = evaluator.limits.exposed_communication_max or 0.0
    release = Remedy(RemedyKind.UNPIN, detail=f"exposed_communication_max={limit:g}")
    return Infeasible(Constraint.NETWORK, need=need, have=limit, remedies=(*remedies, release))


def deadline_verdict(
    evaluator: Evaluator, requirement: Requirement, outcome: Outcome, top: Outcome
) -> Infeasible:
    """Return why a deadline cannot be met.

    `outcome` is the cluster asked for, `top` the smallest doubling that meets the deadline or the fastest
    there is. Where the global batch keeps the fastest cluster from growing, and a larger one was found to
    meet the deadline, the batch is what binds and that larger one is among the ways out.
    """
    deadline_s = requirement.workload.deadline_s or 0.0
    confidence = requirement.workload.deadline_confidence
    remedies: list[Remedy] = []
    needed = math.inf if outcome.duration_s is None else quantile_s(outcome.duration_s, confidence)
    best = math.inf if top.duration_s is None else quantile_s(top.duration_s, confidence)
    if best <= deadline_s:
        remedies.append(Remedy(RemedyKind.MORE_ACCELERATORS, float(top.devices)))
    if math.isfinite(needed):
        remedies.append(Remedy(RemedyKind.MORE_TIME, needed))
        remedies.append(
            Remedy(RemedyKind.FEWER_TOKENS, _fewer_tokens(evaluator, outcome, deadline_s / needed))
        )
    batch = requirement.workload.global_batch_size
    enough = _enough_batch(evaluator, requirement, top) if best > deadline_s else None
    if enough is None:
        return Infeasible(Constraint.DEADLINE, need=needed, have=deadline_s, remedies=tuple(remedies))
    remedies.append(Remedy(RemedyKind.LARGER_BATCH, float(enough)))
    return Infeasible(Constraint.BATCH, need=float(enough), have=float(batch), remedies=tuple(remedies))


def _fewer_tokens(evaluator: Evaluator, outcome: Outcome, share: float) -> float:
    """Return the tokens of a share of a run's time, in whole steps."""
    layouts, length = outcome.search.layouts, evaluator.problem.workload.sequence_length
    per_step = 1.0 if layouts is None else float(layouts.batch_size[0]) * length
    return math.floor(evaluator.tokens * share / per_step) * per_step


def _enough_batch(evaluator: Evaluator, requirement: Requirement, top: Outcome) -> int | None:
    """Return the first doubling of the global batch that meets the deadline on as many times more devices.

    None where none up to the largest factor does; a batch of that size would change the training anyway.
    """
    problem, pinned = evaluator.problem, requirement.cluster.accelerators
    for times in _BATCH_TIMES:
        devices = pinned or top.devices * times
        if devices > MOST_ACCELERATORS:
            break
        batch = problem.workload.global_batch_size * times
        wider = replace(problem, workload=replace(problem.workload, global_batch_size=batch))
        trial = replace(evaluator, problem=wider, known={})
        duration = trial.at_most(devices).duration_s
        deadline_s = requirement.workload.deadline_s or 0.0
        if duration and quantile_s(duration, requirement.workload.deadline_confidence) <= deadline_s:
            return batch
    return None
