"""The network as it is drawn, from the same plan that the bill is drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_GB, BYTES_PER_S_PER_GBIT
from suanli.planning.expansion.wiring import wiring_of
from suanli.proposal.model import ScaleUpView, ServerGroup, TopologyLink, TopologyRow, TopologyView
from suanli.proposal.rounding import places, shown

if TYPE_CHECKING:
    from suanli.domain.hardware import Accelerator
    from suanli.planning.expansion.results import Wiring
    from suanli.planning.network.clos import ClosCounts
    from suanli.planning.results import ClusterPlan, FabricPlan
    from suanli.proposal.references import References

__all__ = ["topology_view"]


def topology_view(plan: ClusterPlan, references: References) -> TopologyView | None:
    """Return what the drawing of the network shows, or None where the network's counts are unknown.

    A single server has no rows of switches, and is drawn with its scale-up link.
    """
    fabric, server = plan.fabric, plan.sizing.device.server
    wiring = wiring_of(fabric)
    if wiring is None or fabric.endpoints is None:
        return None
    # A spare beside a single server has no network to it.
    joined = plan.nodes if wiring.tiers else plan.sizing.nodes
    return TopologyView(
        servers=plan.sizing.nodes,
        spare_servers=plan.spare_nodes,
        accelerators=server.accelerator_count,
        domain=server.scale_up_domain,
        scale_up=_scale_up(plan.sizing.device.accelerator, references),
        ports=fabric.endpoints // max(1, joined),
        rows=_rows(wiring),
        links=_links(wiring, fabric, fabric.endpoints // max(1, joined)),
        groups=_groups(fabric.counts, plan.nodes),
    )


def _scale_up(accelerator: Accelerator, references: References) -> ScaleUpView | None:
    link = accelerator.scale_up
    if link is None or link.per_device.barred:
        return None
    return ScaleUpView(
        per_device=shown(link.per_device.si / BYTES_PER_GB, "GB/s", refs=references.figure(link.per_device)),
        topology=link.topology,
    )


def _groups(counts: ClosCounts | None, servers: int) -> tuple[ServerGroup, ...]:
    """Return the servers that share leaves: by rails, else by leaf where a leaf serves whole servers."""
    if counts is None:
        return ()
    held = counts.leaf_endpoints
    ports = sum(held) // servers
    if counts.tiers > 1 and counts.rails > 1 and counts.leaf % counts.rails == 0:
        return tuple(ServerGroup(servers=one, leaf_switches=counts.rails) for one in held[:: counts.rails])
    if counts.tiers > 1 and counts.rails == 1 and not any(one % ports for one in held):
        return tuple(ServerGroup(servers=one // ports, leaf_switches=1) for one in held)
    return (ServerGroup(servers=servers, leaf_switches=counts.leaf),)


def _rows(wiring: Wiring) -> tuple[TopologyRow, ...]:
    rows = (
        ("core", (wiring.core,)),
        ("spine", tuple(pod.spine for pod in wiring.pods)),
        ("leaf", tuple(pod.leaf for pod in wiring.pods)),
    )
    return tuple(TopologyRow(tier=tier, groups=groups) for tier, groups in rows if sum(groups))


def _links(wiring: Wiring, fabric: FabricPlan, ports: int) -> tuple[TopologyLink, ...]:
    switch, rate = fabric.switch, fabric.endpoint_bytes_per_s
    if switch is None or switch.port_rate is None or rate is None:
        return ()
    between = places(switch.port_rate.si / BYTES_PER_S_PER_GBIT, 0)
    even, rest = divmod(wiring.spine_core_links, wiring.spine or 1)
    rows = (
        ("core", "spine", wiring.spine_core_links, None if rest else even, between),
        ("spine", "leaf", wiring.leaf_spine_links, wiring.up, between),
        ("leaf", "server", wiring.host_cables, ports, places(rate / BYTES_PER_S_PER_GBIT, 0)),
    )
    return tuple(
        TopologyLink(upper=upper, lower=lower, cables=cables, each=each, gbit_s=rate_gbit)
        for upper, lower, cables, each, rate_gbit in rows
        if cables
    )
