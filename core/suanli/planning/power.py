"""Electric power of servers, racks and site.

A server's power is its nameplate times the share it draws in training. Where the nameplate is unknown it is
estimated from the devices' TDP and the host's share, and said to be; a sum of power supplies is never used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.estimation.results import Device, Range
from suanli.planning import defaults
from suanli.planning.energy import product
from suanli.planning.results import FabricPlan, PowerPlan

if TYPE_CHECKING:
    from suanli.domain.figure import Number, Watts
    from suanli.domain.workload import Site

__all__ = [
    "ServerPower",
    "SupportLoad",
    "plan_power",
    "rack_fit",
    "server_power",
    "servers_per_rack",
    "switches_power_w",
]


@dataclass(frozen=True, slots=True)
class ServerPower:
    """Power of one server in W."""

    peak_w: float
    training_w: Range
    idle_w: float
    estimated: bool
    """True where the nameplate is unknown and the device's TDP stands in for it."""
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SupportLoad:
    """Power of storage, management and every network but the compute network, in W."""

    peak_w: float = 0.0
    training_w: float = 0.0
    complete: bool = True
    """False where the power of a part is unknown and missing from both."""


_NO_SUPPORT = SupportLoad()


def server_power(device: Device) -> ServerPower | None:
    """Return peak, training and idle power of a server, or None where neither nameplate nor TDP is known.

    With the nameplate P: training = f * P, idle = g * P. Without it: training = n * TDP * (1 + h), which is a
    power at work already, so that f does not apply; the peak takes the high end of h.
    """
    nameplate = _figure(device.server.max_power)
    training = _training_share(device)
    idle = device.power.idle_fraction if device.power is not None else None
    idle_share = defaults.IDLE_SHARE if idle is None or idle.barred else idle.si
    model_refs = _refs(device.power.training_fraction if device.power else None, idle)
    if nameplate is not None:
        refs = (*_refs(nameplate), *model_refs)
        peak = nameplate.si
        return ServerPower(
            peak, training.scaled(peak), idle_share * peak, estimated=False, refs=_unique(refs)
        )
    tdp = _figure(device.accelerator.tdp)
    if tdp is None:
        return None
    # Device and host vary independently, hence a product of ranges and not of their ends.
    tdp_range = Range(_end(tdp, -1), tdp.si, _end(tdp, 1)).scaled(device.server.accelerator_count)
    low, middle, high = (1 + share for share in _host_share(device))
    estimate = product(tdp_range, Range(low, middle, high))
    # The high end: breakers and racks are sized for the worst, not for the middle.
    peak = tdp.si * device.server.accelerator_count * high
    host = device.power.host_share if device.power is not None else None
    return ServerPower(
        peak, estimate, idle_share * peak, estimated=True, refs=_unique(_refs(tdp, host, idle))
    )


def _figure(figure: Watts | None) -> Watts | None:
    return None if figure is None or figure.barred else figure


def _end(figure: Watts | Number, end: int) -> float:
    """Return the low (-1), middle (0) or high (1) end of a figure in SI, its value without a range."""
    value = {-1: figure.low, 0: figure.value, 1: figure.high}[end]
    return (figure.value if value is None else value) * figure.units[figure.unit]


def _training_share(device: Device) -> Range:
    if device.power is None or device.power.training_fraction.barred:
        return Range(*defaults.TRAINING_SHARE)
    figure = device.power.training_fraction
    low = _end(figure, -1) if figure.low is not None else figure.si * defaults.SPREAD_LOW
    high = _end(figure, 1) if figure.high is not None else figure.si * defaults.SPREAD_HIGH
    return Range(low, figure.si, high)


def _host_share(device: Device) -> tuple[float, float, float]:
    figure = None if device.power is None else device.power.host_share
    if figure is None or figure.barred:
        return defaults.HOST_SHARE
    return _end(figure, -1), figure.si, _end(figure, 1)


def _refs(*figures: Watts | Number | None) -> tuple[str, ...]:
    return tuple(figure.source for figure in figures if figure is not None)


def _unique(refs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(refs))


def servers_per_rack(server_w: float, rack_w: float, server_units: float | None) -> int:
    """Return how many servers a rack takes, the less of power and height; 0 where one alone draws too much.

    Args:
        server_w: peak power of one server in W.
        rack_w: power that the site allows one rack in W.
        server_units: height in rack units; None where unknown, so that power alone decides.

    >>> servers_per_rack(10_200, 35_000, 8)
    3
    """
    by_power = math.floor(rack_w / server_w)
    if server_units is None or not by_power:
        return by_power
    return min(
        by_power, max(1, math.floor((defaults.RACK_UNITS - defaults.RACK_UNITS_RESERVED) / server_units))
    )


def rack_fit(device: Device, server_w: float, rack_w: float) -> tuple[int, int]:
    """Return how many servers a rack takes, and how many racks one server (or supernode) fills."""
    units = device.server.rack_units
    if units is None:
        return servers_per_rack(server_w, rack_w, None), 1
    # A supernode taller than a rack comes as several, among which its power is spread.
    racks = max(1, math.ceil(units.si / defaults.TALL_RACK_UNITS))
    return servers_per_rack(server_w / racks, rack_w, units.si), racks


def switches_power_w(fabric: FabricPlan) -> float | None:
    """Return the power of the compute network's switches in W: the maximum, else the typical one.

    None where number or power of the switches is unknown; 0 where no switch is needed.
    """
    count = fabric.switches
    if count == 0:
        return 0.0
    if count is None or fabric.switch is None:
        return None
    figure = _figure(fabric.switch.max_power) or _figure(fabric.switch.typical_power)
    return None if figure is None else count * figure.si


def plan_power(  # noqa: PLR0913 - the parts of the power
    device: Device,
    nodes: int,
    spares: int,
    fabric: FabricPlan,
    site: Site,
    *,
    support: SupportLoad = _NO_SUPPORT,
    rack_w: float | None = None,
) -> PowerPlan | None:
    """Return power and server racks of a cluster, or None where a server's power is unknown.

    The IT power is servers, switches where known, and what stands beside them; the site's is that times PUE.
    At peak the spare servers count like the others; in training they idle.

    Args:
        device: the device in its server.
        nodes: servers at work.
        spares: servers that stand by.
        fabric: the compute network.
        site: rack power, PUE and cooling.
        support: storage, management and their networks; nothing where the cluster has none.
        rack_w: power that a rack of servers may draw in W; None for what the site allows.
    """
    server = server_power(device)
    if server is None:
        return None
    network = switches_power_w(fabric)
    it_peak = (nodes + spares) * server.peak_w + (network or 0.0) + support.peak_w
    training = server.training_w.scaled(nodes)
    standing = (network or 0.0) + support.training_w + spares * server.idle_w
    limit = rack_w or site.rack_power_w
    per_rack, racks_each = rack_fit(device, server.peak_w, limit)
    return PowerPlan(
        server_peak_w=None if server.estimated else server.peak_w,
        server_training_w=server.training_w,
        server_idle_w=server.idle_w,
        it_peak_w=it_peak,
        it_training_w=Range(training.p10 + standing, training.p50 + standing, training.p90 + standing),
        facility_peak_w=it_peak * float(site.pue),
        racks=math.ceil((nodes + spares) / max(1, per_rack)) * racks_each,
        servers_per_rack=per_rack,
        rack_power_w=site.rack_power_w,
        cooling=device.server.cooling or site.cooling,
        estimated=server.estimated,
        refs=server.refs,
        network_w=network,
        auxiliary_w=support.training_w,
        over_rack_limit=per_rack == 0,
        rack_part_w=server.peak_w / racks_each,
        rack_limit_w=limit,
        lower_bound=network is None or not support.complete,
    )
