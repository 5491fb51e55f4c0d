"""What each link between servers does to the step: exposed communication, verdict, price.

The layout is kept, since it is the one that is proposed; a search with another link may choose another, which
can only be faster. Links of equal rate differ by price and not by time: no measurement separates them at the
size of messages that training sends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from suanli.domain.hardware import Link, LinkScope, Topology
from suanli.domain.record import Text
from suanli.estimation.arrays import LayoutArrays
from suanli.estimation.step_time import step_arrays
from suanli.planning.network.clos import clos
from suanli.planning.network.fabric import radix_of
from suanli.planning.network.prices import network_cost
from suanli.planning.network.results import LinkKind, LinkOption
from suanli.planning.network.selection import (
    ETHERNET,
    INFINIBAND,
    endpoint_ports,
    is_of,
    rails_of,
    switch_for,
)

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.hardware import ScaleUp
    from suanli.domain.money import Money
    from suanli.domain.workload import Requirement
    from suanli.estimation.arrays import FloatArray
    from suanli.estimation.problem import Problem
    from suanli.estimation.results import Layout, StepTime
    from suanli.estimation.step_time import StepArrays
    from suanli.planning.results import FabricPlan

__all__ = ["Asked", "mark_cheapest", "plan_options", "steps_at"]


@dataclass(frozen=True, slots=True)
class Asked:
    """The job whose network is designed."""

    problem: Problem
    layout: Layout
    step: StepTime
    """The step of the sizing, pilot runs and fitted bias included."""
    requirement: Requirement
    catalogue: Catalogue
    fabric: FabricPlan

    @property
    def ports(self) -> tuple[int, float] | None:
        """Return number and line rate of a server's compute ports, or None where unknown."""
        return endpoint_ports(self.problem.device.server)


def steps_at(asked: Asked, factors: FloatArray) -> StepArrays:
    """Return the step with the network bandwidth of each device times each factor, in one broadcast."""
    constants = asked.problem.constants
    posed = replace(
        asked.problem, constants=replace(constants, nic_bytes_per_s=constants.nic_bytes_per_s * factors)
    )
    return step_arrays(posed, LayoutArrays.of(asked.layout))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A link before it is timed."""

    link: str
    name: Text
    kind: LinkKind
    rate: float
    factor: float
    """Bandwidth that a device gets over that of the fitted link."""
    source: str


def plan_options(asked: Asked) -> tuple[LinkOption, ...]:
    """Return every network link of the catalogue, and the device's own, with its effect on the step.

    Empty where the server's ports are unknown, or where one server does the job.
    """
    ports = asked.ports
    if ports is None or asked.fabric.tiers == 0:
        return ()
    rows = _candidates(asked, ports[1])
    steps = steps_at(asked, np.array([row.factor for row in rows]))
    totals, shares = np.atleast_1d(steps.total_s), np.atleast_1d(steps.communication_share)
    base = float(steps_at(asked, np.array([1.0])).total_s.item())
    found = tuple(
        _option(asked, row, total / base * asked.step.total_s, share)
        for row, total, share in zip(
            rows,
            np.broadcast_to(totals, len(rows)).tolist(),
            np.broadcast_to(shares, len(rows)).tolist(),
            strict=True,
        )
    )
    return mark_cheapest(found)


def _candidates(asked: Asked, rate: float) -> list[_Candidate]:
    rows = [
        _Candidate(
            link.id,
            link.name,
            kind,
            link.per_device.si,
            link.per_device.si / rate,
            link.per_device.source,
        )
        for link in asked.catalogue.all(Link)
        if link.scope is LinkScope.INTER_NODE and (kind := _kind(link)) is not None
    ]
    rows.sort(key=lambda row: (row.rate, row.kind, row.link))
    own = _own_link(asked)
    return rows if own is None else [*rows, own]


def _own_link(asked: Asked) -> _Candidate | None:
    """Return the device's own link in the place of its port; None where it has none but PCIe."""
    device, constants = asked.problem.device, asked.problem.constants
    scale_up = device.accelerator.scale_up
    if scale_up is None or scale_up.topology is Topology.PCIE:
        return None
    # With the share of its rate that collectives reach, as the port's rate is with its own.
    factor = float(constants.link_bytes_per_s / constants.nic_bytes_per_s)
    rate, source = scale_up.per_device.si, scale_up.per_device.source
    name = _scale_up_name(asked.catalogue, scale_up)
    return _Candidate(device.accelerator.id, name, LinkKind.SCALE_UP, rate, factor, source)


def _scale_up_name(catalogue: Catalogue, scale_up: ScaleUp) -> Text:
    """Return the name of a device link in both languages: that of the catalogue's link of its rate."""
    same = [
        link
        for link in catalogue.all(Link)
        if link.scope is LinkScope.INTRA_NODE and math.isclose(link.per_device.si, scale_up.per_device.si)
    ]
    first = scale_up.name.split(",")[0].split(" (")[0]
    named = [link for link in same if first in link.name.en]
    chosen = named or (same if len(same) == 1 else [])
    return chosen[0].name if chosen else Text(zh="卡间互联", en="Device link")


def _kind(link: Link) -> LinkKind | None:
    if is_of(link, INFINIBAND):
        return LinkKind.INFINIBAND
    return LinkKind.ETHERNET if is_of(link, ETHERNET) else None


def _option(asked: Asked, row: _Candidate, step_s: float, share: float) -> LinkOption:
    threshold = asked.requirement.cluster.exposed_communication_max
    fabric = asked.fabric
    fitted = fabric.link is not None and fabric.link.id == row.link
    switches, cost = (None, None) if row.kind is LinkKind.SCALE_UP else _bought(asked, row)
    return LinkOption(
        link=row.link,
        name=row.name,
        kind=row.kind,
        port_bytes_per_s=row.rate,
        step_s=step_s,
        exposed_share=share,
        meets=None if threshold is None else share <= threshold,
        fitted=fitted,
        cost=cost,
        switches=switches,
        source=row.source,
    )


def _bought(asked: Asked, row: _Candidate) -> tuple[int | None, Money | None]:
    """Return switches and cost of the network that the link would be bought as; None where unknown."""
    ports, endpoints = asked.ports, asked.fabric.endpoints
    if ports is None or not endpoints:
        return None, None
    server = asked.problem.device.server
    found = switch_for(asked.catalogue, server.vendor, row.rate, (row.kind.value,))
    if found is None:
        return None, None
    switch, split = found
    ratio = asked.requirement.cluster.oversubscription
    counts = clos(endpoints, radix_of(switch), ratio, split, rails_of(server, ports[0]))
    if counts is None:
        return None, None
    return counts.switches, network_cost(asked.requirement, asked.catalogue, switch, counts, row.rate, server)


def mark_cheapest(options: tuple[LinkOption, ...]) -> tuple[LinkOption, ...]:
    """Return the options with the cheapest of those that meet the threshold marked.

    By price where all that meet it are priced, else by rate, the lowest first; among equal rates the one that
    the server comes with, then one that is priced, then one whose switches are known.
    """
    meeting = [one for one in options if one.meets and one.kind is not LinkKind.SCALE_UP]
    if not meeting:
        return options
    if all(one.cost is not None for one in meeting):
        best = min(meeting, key=lambda one: (one.cost.amount if one.cost else math.inf, one.port_bytes_per_s))
    else:
        best = min(
            meeting,
            key=lambda one: (
                one.port_bytes_per_s,
                not one.fitted,
                one.cost is None,
                one.switches is None,
            ),
        )
    return tuple(replace(one, cheapest=one is best) for one in options)
