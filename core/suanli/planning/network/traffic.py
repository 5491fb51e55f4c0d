"""Bytes that each parallel dimension moves in a step, and the level of the topology that they cross.

The bytes are read off the formulas of the step time: over links of one byte per second, without latency,
overlap or protocol loss, the seconds of a transfer are its bytes. What is counted is thus what is timed.

Ranks are placed in the usual order: tensor parallel innermost, then context, data (with expert inside it) and
pipeline (Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters", 2021, section
3.2), so that a group of n ranks that are s devices apart spans n * s neighbouring devices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.exposed import data_parallel_s, fully_sharded_gather_s
from suanli.estimation.step_time import step_arrays
from suanli.planning.network.results import Dimension, Level, NetworkShape, Traffic
from suanli.planning.network.selection import boxes_in

if TYPE_CHECKING:
    from suanli.estimation.problem import Problem
    from suanli.estimation.results import Layout, StepTime
    from suanli.planning.results import FabricPlan

__all__ = ["Span", "bytes_per_step", "level_of", "plan_traffic", "spans", "switch_level"]


@dataclass(frozen=True, slots=True)
class Span:
    """How far the ranks of one dimension's group are spread."""

    dimension: Dimension
    ranks: int
    devices: int
    """Neighbouring devices, as software sees them, that the group is spread over."""


def spans(layout: Layout) -> tuple[Span, ...]:
    """Return how far each dimension of a layout reaches; one of a single rank is left out.

    Expert parallelism divides the ranks of the data-parallel side, on neighbouring devices first; parameters
    are shared by data and context parallel ranks together.
    """
    inside = layout.tp * layout.cp
    reach = (
        Span(Dimension.TENSOR, layout.tp, layout.tp),
        Span(Dimension.CONTEXT, layout.cp, inside),
        Span(Dimension.EXPERT, layout.ep, layout.ep),
        Span(Dimension.DATA, layout.dp * layout.cp, inside * layout.dp),
        Span(Dimension.PIPELINE, layout.pp, layout.devices),
    )
    return tuple(one for one in reach if one.ranks > 1)


def bytes_per_step(problem: Problem, layout: Layout) -> dict[Dimension, float]:
    """Return the bytes that one device sends in a step, by dimension.

    Tensor parallel: 2(tp - 1)/tp of the activations for each all-reduce. Context parallel: cp - 1 blocks of
    keys and values. Expert parallel: the (ep - 1)/ep of dispatch and combine that leaves the device. Data
    parallel: (N - 1)/N of gradients and of weights, for every micro-batch under ZeRO-3. Pipeline parallel:
    one activation forward and one gradient back for each micro-batch and chunk.
    """
    posed, layouts = _unit(problem), LayoutArrays.of(layout)
    step = step_arrays(posed, layouts)
    once = float(data_parallel_s(posed, layouts).item())
    gathered = float(fully_sharded_gather_s(posed, layouts).item()) * layout.micro_batches
    return {
        Dimension.TENSOR: float(step.tp_exposed_s.item()),
        Dimension.CONTEXT: float(step.cp_exposed_s.item()),
        # The formula times what every rank routes; its own share does not travel.
        Dimension.EXPERT: float(step.ep_exposed_s.item()) * (layout.ep - 1) / layout.ep,
        Dimension.DATA: once + gathered,
        Dimension.PIPELINE: float(step.pp_exposed_s.item()),
    }


def _unit(problem: Problem) -> Problem:
    """Return the problem over links of one byte per second, without latency, overlap or protocol loss."""
    one, none = np.array([1.0]), np.array([0.0])
    constants = replace(
        problem.constants,
        link_bytes_per_s=one,
        domain_bytes_per_s=one,
        nic_bytes_per_s=one,
        # States fetched from host memory cross no network.
        host_bytes_per_s=np.array([np.inf]),
        # A single domain without bounds: every group runs on the link.
        domain=np.array([np.inf]),
        mesh=none,
        collective_latency_s=none,
        tp_hidden=none,
    )
    shared = replace(
        problem.shared, attention_cover=none, expert_exposed=one, pipeline_exposed=one, straggler=none
    )
    return replace(problem, constants=constants, shared=shared)


def switch_level(fabric: FabricPlan, per_server: int, group: float, total: float) -> Level:
    """Return the farthest level that a group of neighbouring servers crosses on the compute network.

    One leaf of a rail joins equal ports of as many servers as it has room for; a leaf of a fat tree joins
    whole servers. Spines join all leaves, or those of their pod; the core joins pods. Groups follow one
    another without a gap, so that one may straddle two leaves unless its size divides their room.

    Args:
        fabric: the network.
        per_server: compute ports of one server.
        group: servers that one group is spread over.
        total: servers of the whole job.
    """
    counts = fabric.counts
    if counts is None or counts.tiers == 1:
        return Level.LEAF
    railed = fabric.shape is NetworkShape.RAIL_OPTIMISED
    room = counts.down * counts.breakout
    near = room if railed else max(1, room // per_server)
    if _stays(near, group, total):
        return Level.RAIL if railed else Level.LEAF
    in_pod = -(-counts.leaf // counts.pods) * room // per_server
    return Level.SPINE if counts.pods == 1 or _stays(in_pod, group, total) else Level.CORE


def _stays(room: int, group: float, total: float) -> bool:
    """Tell whether every group of servers stays inside one block of a given room."""
    return total <= room or (group <= room and room % group == 0)


def level_of(span: Span, problem: Problem, fabric: FabricPlan, per_server: int, devices: int) -> Level:
    """Return the farthest level that the ranks of a dimension cross.

    Args:
        span: how far the ranks of one group are spread.
        problem: the job and its device.
        fabric: the compute network.
        per_server: compute ports of one server.
        devices: devices of the whole job, as software sees them.
    """
    if span.devices <= problem.dies:
        return Level.PACKAGE
    if span.devices <= problem.domain:
        return (
            Level.NODE
            if span.devices <= problem.devices_per_node // boxes_in(problem.device.server)
            else Level.DOMAIN
        )
    # A supernode counts as one server of the compute network.
    unit = problem.devices_per_node
    return switch_level(fabric, per_server, span.devices / unit, devices / unit)


def plan_traffic(
    problem: Problem, layout: Layout, step: StepTime, fabric: FabricPlan, per_server: int
) -> tuple[Traffic, ...]:
    """Return the traffic of every dimension that has more than one rank, innermost first."""
    moved = bytes_per_step(problem, layout)
    exposed = {one: getattr(step, f"{one.value}_exposed_s") for one in Dimension}
    return tuple(
        Traffic(
            dimension=span.dimension,
            ranks=span.ranks,
            bytes_per_step=moved[span.dimension],
            level=level_of(span, problem, fabric, per_server, layout.devices),
            exposed_s=exposed[span.dimension],
            exposed_share=exposed[span.dimension] / step.total_s,
        )
        for span in spans(layout)
    )
