"""Sizing: the cluster that a job needs on a device, or why there is none and the cheapest way out."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.domain.workload import SolveFor
from suanli.errors import Fault, InputError
from suanli.estimation.evaluate import (
    MOST_ACCELERATORS,
    Evaluator,
    Outcome,
    canonical_nodes,
    quantile_s,
)
from suanli.estimation.goodput import DEFAULT_FAILURES, FailureModel
from suanli.estimation.pilot import pilot_ratio
from suanli.estimation.pins import check_pins
from suanli.estimation.problem import pose
from suanli.estimation.remedies import deadline_verdict, memory_verdict, network_verdict
from suanli.estimation.results import Constraint, Device, Infeasible, Remedy, RemedyKind, Sizing
from suanli.estimation.search import Limits
from suanli.estimation.space import Depth

if TYPE_CHECKING:
    from suanli.domain.workload import LayoutPins, Requirement
    from suanli.estimation.problem import Problem

__all__ = ["MOST_ACCELERATORS", "size", "size_at"]

_GRADIENTS_SHARDED = 2
"""ZeRO stage from which a pipeline is refused."""
_SATURATED = 1.01
"""Growth below which a doubling of the cluster no longer counts as faster."""
_CURVE = (1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 7 / 8, 1, 5 / 4, 3 / 2, 2, 3, 4)


def size(
    device: Device, requirement: Requirement, failures: FailureModel = DEFAULT_FAILURES
) -> Sizing | Infeasible:
    """Return the cluster for a requirement on a device.

    With the accelerators unknown, the smallest whole number of servers whose run ends by the deadline with
    the asked confidence; with the days or tokens unknown, what the given number of accelerators does. A
    number of accelerators in the project pins the cluster.

    Raises:
        InputError: the pins contradict the model, or the unknown cannot be solved for from what is given.
    """
    accelerators = requirement.cluster.accelerators
    if requirement.solve_for is SolveFor.TOKENS:
        return _solve_tokens(device, requirement, failures)
    if accelerators is not None:
        return _pinned(device, requirement, accelerators, failures)
    if requirement.workload.deadline_s is None or requirement.solve_for is SolveFor.DAYS:
        raise InputError(
            Fault(
                "neither the number of accelerators nor a deadline is given",
                key="cluster.accelerators",
                why=f"to solve for {requirement.solve_for.value}, one of them has to be known",
                cure="give cluster.accelerators or workload.deadline",
            )
        )
    evaluator = _evaluator(device, requirement, _tokens(requirement), failures)
    return evaluator if isinstance(evaluator, Infeasible) else _smallest(evaluator, requirement)


def size_at(
    device: Device,
    requirement: Requirement,
    accelerators: int,
    failures: FailureModel = DEFAULT_FAILURES,
    depth: Depth = Depth.REGULAR,
) -> Sizing | Infeasible:
    """Return what a given number of accelerators does, in time or not.

    Servers are bought whole, and some devices may stay idle. The coarse depth looks at fewer layouts and
    leaves out the curve over cluster sizes, for those who look for a size themselves.

    Raises:
        InputError: the number is below one, or the pins contradict the model.
    """
    evaluator = _evaluator(device, requirement, _tokens(requirement), failures)
    if isinstance(evaluator, Infeasible):
        return evaluator
    return _at(evaluator, requirement, accelerators, depth)


def _at(
    evaluator: Evaluator, requirement: Requirement, accelerators: int, depth: Depth
) -> Sizing | Infeasible:
    if accelerators < 1:
        raise InputError(
            Fault(f"{accelerators} accelerators", key="cluster.accelerators", why="at least one is needed")
        )
    outcome = evaluator.at_most(accelerators)
    full = depth is not Depth.COARSE
    outcome = evaluator.refined(outcome) if full else outcome
    if outcome.duration_s is None:
        return _no_fit(evaluator, outcome, requirement)
    nodes = math.ceil(accelerators / evaluator.per_node)
    return evaluator.sizing(
        outcome, nodes, Constraint.PINNED, _curve(evaluator, nodes, outcome) if full else ()
    )


def _pinned(
    device: Device, requirement: Requirement, accelerators: int, failures: FailureModel
) -> Sizing | Infeasible:
    """Return what a pinned cluster does, or that it misses the deadline that the project sets."""
    evaluator = _evaluator(device, requirement, _tokens(requirement), failures)
    if isinstance(evaluator, Infeasible):
        return evaluator
    sized = _at(evaluator, requirement, accelerators, Depth.REGULAR)
    if isinstance(sized, Infeasible) or requirement.solve_for is not SolveFor.ACCELERATORS:
        return sized
    outcome = evaluator.at_most(accelerators)
    if _meets(outcome, requirement):
        return sized
    nodes = math.ceil(accelerators / evaluator.per_node)
    return deadline_verdict(evaluator, requirement, outcome, _grow(evaluator, requirement, nodes))


def _tokens(requirement: Requirement) -> float:
    if requirement.workload.tokens is None:
        raise InputError(
            Fault(
                "the tokens of a run are not given",
                key="workload.tokens",
                cure="give them, or solve for tokens",
            )
        )
    return requirement.workload.tokens


def _evaluator(
    device: Device, requirement: Requirement, tokens: float, failures: FailureModel
) -> Evaluator | Infeasible:
    check_pins(requirement.model.architecture, requirement.pins, requirement.workload.global_batch_size)
    problem = pose(device, requirement.model.architecture, requirement.workload)
    if isinstance(problem, Infeasible):
        return problem
    # What is sized is meant to be launched, so that stages are those that launchers take.
    limits = Limits(requirement.pins, requirement.cluster.exposed_communication_max, even_chunks=True)
    refused = _refused_pins(problem, requirement.pins)
    return refused or Evaluator(problem, limits, tokens, failures, pilot_ratio(problem, requirement.measured))


def _refused_pins(problem: Problem, pins: LayoutPins) -> Infeasible | None:
    """Return why the device cannot follow pins that the model could."""
    domain = problem.domain
    if pins.tp is not None and pins.tp > domain:
        released = _released(problem, replace(pins, tp=None), f"tp={pins.tp}")
        return Infeasible(Constraint.PINNED, need=pins.tp, have=domain, remedies=released)
    pipeline = (pins.pp or 1) > 1 and (pins.zero_stage or 0) >= _GRADIENTS_SHARDED
    if pipeline and not problem.device.stack.pipeline_with_zero3:
        released = _released(problem, replace(pins, zero_stage=None), f"zero_stage={pins.zero_stage}")
        return Infeasible(Constraint.PINNED, need=float(pins.zero_stage or 0), have=1.0, remedies=released)
    return None


def _released(problem: Problem, pins: LayoutPins, named: str) -> tuple[Remedy, ...]:
    """Return the release of a pin as a way out, where the model then fits on some cluster."""
    fits = _first_fit(Evaluator(problem, Limits(pins), 1.0)) is not None
    return (Remedy(RemedyKind.UNPIN, detail=named),) if fits else ()


def _no_fit(evaluator: Evaluator, outcome: Outcome, requirement: Requirement) -> Infeasible:
    """Return why nothing fits on a given number of devices, or on any."""
    larger = _first_fit(evaluator)
    found = _unlimited_fit(evaluator) if larger is None else None
    if found is not None and found.search.step is not None:
        return network_verdict(evaluator, float(found.search.step.communication_share[0]))
    return memory_verdict(evaluator, requirement, outcome, larger)


def _unlimited_fit(evaluator: Evaluator) -> Outcome | None:
    """Return the smallest fit without a limit on exposed communication; None where there is no limit."""
    if evaluator.limits.exposed_communication_max is None:
        return None
    limits = replace(evaluator.limits, exposed_communication_max=None)
    return _first_fit(replace(evaluator, limits=limits, known={}))


def _first_fit(evaluator: Evaluator) -> Outcome | None:
    """Return the smallest number of whole servers on which some layout fits, or None."""
    low, high = 0, 1
    while not evaluator.nodes(high).feasible:
        low, high = high, high * 2
        if high * evaluator.per_node > MOST_ACCELERATORS:
            return None
    while canonical_nodes(high - 1) > low:
        middle = canonical_nodes((low + high) // 2)
        middle = middle if middle > low else high - 1
        low, high = (low, middle) if evaluator.nodes(middle).feasible else (middle, high)
    return evaluator.nodes(high)


def _meets(outcome: Outcome, requirement: Requirement) -> bool:
    deadline_s = requirement.workload.deadline_s
    if outcome.duration_s is None or deadline_s is None:
        return outcome.feasible and deadline_s is None
    return quantile_s(outcome.duration_s, requirement.workload.deadline_confidence) <= deadline_s


def _grow(evaluator: Evaluator, requirement: Requirement, nodes: int) -> Outcome:
    """Return the first doubling that meets the deadline, or the last that was faster."""
    best = evaluator.nodes(nodes)
    while not _meets(best, requirement) and 2 * nodes * evaluator.per_node <= MOST_ACCELERATORS:
        nodes *= 2
        trial = evaluator.nodes(nodes)
        if trial.duration_s is None:
            break
        if best.duration_s is not None and best.duration_s.p50 / trial.duration_s.p50 < _SATURATED:
            break
        best = trial
    return best


def _smallest(evaluator: Evaluator, requirement: Requirement) -> Sizing | Infeasible:
    """Return the smallest whole number of servers that meets the deadline.

    The cluster is doubled until it does, then the last octave is bisected over the counts that are tried. A
    larger cluster never counts as slower (it may leave servers idle), so bisection holds.
    """
    smallest = _first_fit(evaluator)
    if smallest is None:
        return _no_fit(evaluator, evaluator.nodes(1), requirement)
    first = math.ceil(smallest.devices / evaluator.per_node)
    if _meets(smallest, requirement):
        free = _unlimited_fit(evaluator)
        quiet = free is not None and free.devices < smallest.devices
        binding = Constraint.NODE if first == 1 else Constraint.NETWORK if quiet else Constraint.MEMORY
        return _sized(evaluator, smallest, binding)
    top = _grow(evaluator, requirement, first)
    top = top if _meets(top, requirement) else evaluator.refined(top)
    if not _meets(top, requirement):
        return deadline_verdict(evaluator, requirement, top, top)
    low, high = first, math.ceil(top.devices / evaluator.per_node)
    while canonical_nodes(high - 1) > low:
        # Counts in between are not tried, so a midpoint is moved to the next that is.
        middle = max(canonical_nodes((low + high) // 2), canonical_nodes(low) + 1)
        low, high = (low, middle) if _meets(evaluator.nodes(middle), requirement) else (middle, high)
    return _sized(evaluator, evaluator.nodes(high), Constraint.DEADLINE)


def _sized(evaluator: Evaluator, outcome: Outcome, binding: Constraint) -> Sizing:
    """Return the sizing of a cluster size that was found, with every layout on it looked at.

    Servers that the layout leaves idle are not bought.
    """
    final = evaluator.refined(outcome)
    nodes = math.ceil((evaluator.working(final.search) or final.devices) / evaluator.per_node)
    return evaluator.sizing(final, nodes, binding, _curve(evaluator, nodes, final))


def _curve(evaluator: Evaluator, nodes: int, chosen: Outcome) -> tuple[tuple[int, float], ...]:
    """Return accelerators and P50 duration of a dozen cluster sizes around a chosen one, never rising."""
    points: dict[int, float] = {}
    fastest = math.inf
    for count in sorted({max(1, round(nodes * factor)) for factor in _CURVE}):
        tried = max(1, canonical_nodes(count)) * evaluator.per_node
        outcome = chosen if count == nodes else evaluator.devices(tried)
        # A size that does not fit has no point on the curve rather than an infinite one.
        if outcome.duration_s is None or count * evaluator.per_node > MOST_ACCELERATORS:
            continue
        fastest = min(fastest, outcome.duration_s.p50)
        points[count * evaluator.per_node] = fastest
    return tuple(points.items())


def _solve_tokens(device: Device, requirement: Requirement, failures: FailureModel) -> Sizing | Infeasible:
    """Return the sizing with the tokens that given accelerators train by the deadline."""
    accelerators, deadline_s = requirement.cluster.accelerators, requirement.workload.deadline_s
    if accelerators is None or deadline_s is None:
        missing = "cluster.accelerators" if accelerators is None else "workload.deadline"
        raise InputError(
            Fault(
                "the tokens cannot be solved for",
                key=missing,
                why="accelerators and a deadline have to be known",
            )
        )
    evaluator = _evaluator(device, requirement, 1.0, failures)
    if isinstance(evaluator, Infeasible):
        return evaluator
    outcome = evaluator.refined(evaluator.at_most(accelerators))
    if outcome.duration_s is None or outcome.search.layouts is None:
        return _no_fit(evaluator, outcome, requirement)
    # Durations are per token here; scaling keeps the quotients away from the smallest floats.
    per_token_s = quantile_s(outcome.duration_s.scaled(1e12), requirement.workload.deadline_confidence) / 1e12
    per_step = float(outcome.search.layouts.batch_size[0]) * requirement.workload.sequence_length
    tokens = math.floor(deadline_s / per_token_s / per_step) * per_step
    if tokens <= 0:
        return Infeasible(Constraint.DEADLINE, need=per_token_s * per_step, have=deadline_s)
    known = replace(requirement, workload=replace(requirement.workload, tokens=tokens))
    return size_at(device, replace(known, solve_for=SolveFor.DAYS), accelerators, failures)
