"""Pass values from the plan: matrices, collectives, ports, storage, checkpoints, power, the training pilot.

Whoever bought on these figures loses time or money where the delivered cluster stays below them; so they are
what it is held to wherever nobody publishes a pass value of its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from suanli.domain.hardware import NicRole
from suanli.domain.units import BYTES_PER_GB, BYTES_PER_S_PER_GBIT, FLOPS_PER_TFLOP, W_PER_KW
from suanli.domain.vendor import AcceptanceBasis
from suanli.estimation.collectives import group_bytes_per_s
from suanli.estimation.constants import nic_line_bytes_per_s, resolve_constants, shared_constants
from suanli.estimation.gemm import gemm_s
from suanli.estimation.results import Infeasible
from suanli.planning.acceptance.results import Bound, BoundKind, Rung
from suanli.planning.defaults_acceptance import GEMM_SIDE, TOLERANCE, UNHEALTHY_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from suanli.domain.workload import Requirement
    from suanli.estimation.constants import Constants
    from suanli.estimation.results import Device, Range
    from suanli.planning.results import ClusterPlan

__all__ = ["bound_of", "node_ladder", "rungs"]

_OPEN: Final = Bound(BoundKind.SUPPLIER)


def _constants(plan: ClusterPlan) -> Constants | None:
    found = resolve_constants(plan.sizing.device, plan.sizing.precision)
    return None if isinstance(found, Infeasible) else found


def _gemm(plan: ClusterPlan, _: Requirement) -> Bound:
    """Return the throughput of one large 16-bit matrix product on one device as software sees it.

    Equation: 2·S³ / t(S, S, S), t as in `suanli.estimation.gemm.gemm_s`. The range is that of the calibrated
    efficiency; its low end is the pass value, or the tolerance below the middle where it has none.
    """
    constants = _constants(plan)
    if constants is None:
        return _OPEN
    side = np.array(float(GEMM_SIDE))
    expected = 2.0 * GEMM_SIDE**3 / float(gemm_s(constants, side, side, side, sixteen_bit=True))
    figure = plan.sizing.device.calibration.constants.get("gemm_efficiency")
    low = figure.low / figure.value if figure and figure.low else 1.0 - TOLERANCE
    high = figure.high / figure.value if figure and figure.high else None
    peak = float(constants.peak16_flops_per_s)
    return Bound(
        BoundKind.PLAN,
        "TFLOPS",
        threshold=expected * low / FLOPS_PER_TFLOP,
        low=expected * low / FLOPS_PER_TFLOP,
        high=min(expected * high, peak) / FLOPS_PER_TFLOP if high else None,
        share_of_peak=expected * low / peak,
    )


def _intra_node(plan: ClusterPlan, _: Requirement) -> Bound:
    """Return the bus bandwidth of the whole scale-up domain: what the estimate counts with, less a tolerance.

    The range goes from a ring over the links to the best measurement of the domain, which reduction in the
    switch lifts above what a ring reaches.
    """
    constants = _constants(plan)
    if constants is None or float(constants.domain) < 2:  # noqa: PLR2004 - a collective has two ranks
        return _OPEN
    counted = float(constants.domain_bytes_per_s)
    ring, best = float(constants.link_bytes_per_s), _best_measured(plan.sizing.device)
    reached = [value for value in (counted, ring, best) if value is not None]
    return Bound(
        BoundKind.PLAN,
        "GB/s",
        threshold=counted * (1.0 - TOLERANCE) / BYTES_PER_GB,
        low=min(reached) * (1.0 - TOLERANCE) / BYTES_PER_GB,
        high=max(reached) / BYTES_PER_GB,
    )


def _best_measured(device: Device) -> float | None:
    """Return the best published bus bandwidth of the device's whole domain, for each rank."""
    size = min(device.server.scale_up_domain, device.server.accelerator_count)
    measured = [
        one.allreduce_busbw.si / device.accelerator.dies
        for one in device.collectives
        if one.allreduce_busbw is not None
        and one.devices == size
        and (one.nodes or 1) == 1
        and one.accelerator == device.accelerator.id
    ]
    return max(measured, default=None)


def node_ladder(nodes: int) -> tuple[int, ...]:
    """Return the numbers of servers that collectives are measured on: powers of two, then all.

    >>> node_ladder(40), node_ladder(1)
    ((2, 4, 8, 16, 32, 40), ())
    """
    steps = [1 << power for power in range(1, nodes.bit_length()) if 1 << power < nodes]
    return (*steps, nodes) if nodes > 1 else ()


def rungs(plan: ClusterPlan) -> tuple[Rung, ...]:
    """Return the bus bandwidth over 2, 4, 8 ... and all servers, each worked out for its own size.

    Two servers are no measure of more: neighbours of one leaf switch reach line rate where a larger ring
    crosses the spine. Every size is therefore computed, and measured, by itself.
    """
    constants = _constants(plan)
    if constants is None:
        return ()
    device = plan.sizing.device
    per_node, dies = float(constants.devices_per_node), device.accelerator.dies
    line = nic_line_bytes_per_s(device) / dies
    found: list[Rung] = []
    straggler = float(shared_constants(device.shared).straggler)
    for nodes in node_ladder(plan.sizing.nodes):
        ranks = int(nodes * per_node)
        counted = float(group_bytes_per_s(constants, np.array(float(ranks)), np.array(1.0)))
        # The estimate makes a step longer with each doubling of servers, and so every wait in it.
        expected = counted / (1.0 + straggler * math.log2(nodes))
        inside = min(float(constants.domain), ranks)
        # All ranks of a domain drive their ports at once, and none gets more than its own link carries.
        crossing = min(inside * line, _link_line(device))
        bound = crossing if ranks > float(constants.domain) else _link_line(device)
        found.append(
            Rung(
                nodes=nodes,
                ranks=ranks,
                line_bytes_per_s=max(bound, expected),
                expected_bytes_per_s=expected,
                threshold_bytes_per_s=expected * (1.0 - TOLERANCE),
                unhealthy_bytes_per_s=expected * UNHEALTHY_SHARE,
            )
        )
    return tuple(found)


def _link_line(device: Device) -> float:
    """Return the line rate of one device's link inside the domain, as software sees devices."""
    scale_up = device.accelerator.scale_up
    return float("inf") if scale_up is None else scale_up.per_device.si / device.accelerator.dies


def _inter_node(plan: ClusterPlan, _: Requirement) -> Bound:
    """Return the bound of the whole cluster, the last rung."""
    ladder = rungs(plan)
    if not ladder:
        return _OPEN
    last = ladder[-1]
    return Bound(
        BoundKind.PLAN,
        "GB/s",
        threshold=last.threshold_bytes_per_s / BYTES_PER_GB,
        low=last.threshold_bytes_per_s / BYTES_PER_GB,
        high=last.line_bytes_per_s / BYTES_PER_GB,
        share_of_peak=last.threshold_bytes_per_s / last.line_bytes_per_s,
    )


def _port_rate(plan: ClusterPlan, _: Requirement) -> Bound:
    """Return the line rate of a port as the upper bound; what a port must reach the supplier states."""
    rates = [nic.rate.si for nic in plan.sizing.device.server.nics if nic.role is NicRole.COMPUTE]
    high = max(rates, default=None)
    return Bound(BoundKind.SUPPLIER, "Gbit/s", high=None if high is None else high / BYTES_PER_S_PER_GBIT)


def _storage_write(plan: ClusterPlan, _: Requirement) -> Bound:
    """Return the bandwidth that writes a checkpoint in time; rounded down it would not quite do so."""
    threshold = plan.storage.write_bytes_per_s / BYTES_PER_GB
    return Bound(BoundKind.PLAN, "GB/s", threshold=threshold, rounded_up=True)


def _storage_read(plan: ClusterPlan, _: Requirement) -> Bound:
    return Bound(BoundKind.PLAN, "GB/s", threshold=plan.storage.read_bytes_per_s / BYTES_PER_GB)


def _checkpoint_save(plan: ClusterPlan, _: Requirement) -> Bound:
    return Bound(BoundKind.PLAN, "s", threshold=plan.sizing.goodput.checkpoint_write_s, at_most=True)


def _restart(plan: ClusterPlan, _: Requirement) -> Bound:
    return Bound(BoundKind.PLAN, "s", threshold=plan.sizing.goodput.restart_s, at_most=True)


def _server_power(plan: ClusterPlan, _: Requirement) -> Bound:
    """Return the nameplate as the limit and the draw in training as the range."""
    if plan.power is None or plan.power.server_peak_w is None:
        return _OPEN
    training = plan.power.server_training_w
    return Bound(
        BoundKind.PLAN,
        "kW",
        threshold=plan.power.server_peak_w / W_PER_KW,
        at_most=True,
        low=training.p10 / W_PER_KW,
        high=min(training.p90, plan.power.server_peak_w) / W_PER_KW,
    )


def _pue(_: ClusterPlan, requirement: Requirement) -> Bound:
    return Bound(BoundKind.PLAN, "PUE", threshold=float(requirement.site.pue), at_most=True)


def _pilot(plan: ClusterPlan, _: Requirement) -> Bound:
    rate: Range = plan.sizing.tokens_per_s_per_accelerator
    return Bound(BoundKind.PLAN, "tokens/s", threshold=rate.p10, low=rate.p10, high=rate.p90)


def _pass_fail(_: ClusterPlan, __: Requirement) -> Bound:
    return Bound(BoundKind.PASS_FAIL)


_BOUNDS: Final[Mapping[AcceptanceBasis, Callable[[ClusterPlan, Requirement], Bound]]] = {
    AcceptanceBasis.GEMM: _gemm,
    AcceptanceBasis.INTRA_NODE: _intra_node,
    AcceptanceBasis.INTER_NODE: _inter_node,
    AcceptanceBasis.PORT_RATE: _port_rate,
    AcceptanceBasis.STORAGE_WRITE: _storage_write,
    AcceptanceBasis.STORAGE_READ: _storage_read,
    AcceptanceBasis.CHECKPOINT_SAVE: _checkpoint_save,
    AcceptanceBasis.RESTART: _restart,
    AcceptanceBasis.SERVER_POWER: _server_power,
    AcceptanceBasis.PUE: _pue,
    AcceptanceBasis.BURN_IN: _pass_fail,
    AcceptanceBasis.PILOT: _pilot,
}


def bound_of(basis: AcceptanceBasis, plan: ClusterPlan, requirement: Requirement) -> Bound:
    """Return the pass value that the plan gives a test.

    Args:
        basis: what it is worked out from.
        plan: the cluster.
        requirement: the project, for the site.
    """
    return _BOUNDS[basis](plan, requirement)
