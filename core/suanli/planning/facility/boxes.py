"""The boxes that stand in racks, one kind for each line of the bill, with height, power and weight.

They are read from the bill and not counted again, so that a drawing holds exactly what is bought.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.planning import defaults
from suanli.planning import defaults_facility as rules
from suanli.planning.facility.results import Box, BoxKind
from suanli.planning.network.results import Purpose
from suanli.planning.power import rack_fit, server_power
from suanli.planning.results import BillCategory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.hardware import Switch
    from suanli.planning.power import ServerPower
    from suanli.planning.results import BillItem
    from suanli.planning.shop import Planned

__all__ = ["COMPUTE_SWITCHES", "boxes_of"]

COMPUTE_SWITCHES = {
    "leaf-switches": BoxKind.LEAF,
    "spine-switches": BoxKind.SPINE,
    "core-switches": BoxKind.CORE,
}
"""Lines of the compute network's switches."""
_SERVERS = {"servers": BoxKind.SERVER, "spare-servers": BoxKind.SPARE}
_SUPPORT = {
    "storage-servers": (BoxKind.STORAGE, "storage"),
    "capacity-servers": (BoxKind.STORAGE, "capacity"),
    "management-switches": (BoxKind.OUT_OF_BAND, "out-of-band"),
}
"""Lines of boxes that the catalogue has no record of, and the default that stands in."""
_IN_RACKS = frozenset({BillCategory.NETWORK, BillCategory.STORAGE, BillCategory.MANAGEMENT})
_WHOLE = "set"


def boxes_of(lines: Iterable[BillItem], planned: Planned, rack_w: float) -> tuple[Box, ...]:
    """Return the boxes of a bill's lines; drives, cables, software and spare parts stand in none.

    Args:
        lines: servers, switches, storage and management as they are bought.
        planned: the plan that the lines come from.
        rack_w: power that the site allows one rack in W.
    """
    power = server_power(planned.sizing.device)
    if power is None:
        return ()
    boxes = (_box(line, planned, power, rack_w) for line in lines if line.unit == _WHOLE and line.quantity)
    return tuple(box for box in boxes if box is not None)


def _box(line: BillItem, planned: Planned, power: ServerPower, rack_w: float) -> Box | None:
    if line.id in _SERVERS:
        return _server(line, planned, power, rack_w)
    if line.category not in _IN_RACKS:
        return None
    switch = _switch(line, planned)
    if switch is not None:
        return _switch_box(line, switch)
    return _support(line)


def _server(line: BillItem, planned: Planned, power: ServerPower, rack_w: float) -> Box:
    device = planned.sizing.device
    server, kind = device.server, _SERVERS[line.id]
    known = server.rack_units
    units = rules.UNKNOWN_SERVER_UNITS if known is None else math.ceil(known.si)
    racks_each = rack_fit(device, power.peak_w, rack_w)[1]
    return Box(
        key=line.id,
        kind=kind,
        name=server.name,
        count=line.quantity,
        rack_units=units,
        peak_w=power.peak_w,
        training_w=power.training_w.p50 if kind is BoxKind.SERVER else power.idle_w,
        weight_kg=None if server.weight is None or server.weight.barred else server.weight.si,
        cooling=server.cooling,
        height_assumed=known is None,
        racks_each=racks_each,
        brings_rack=units > defaults.RACK_UNITS - defaults.RACK_UNITS_RESERVED,
    )


def _switch(line: BillItem, planned: Planned) -> Switch | None:
    """Return the catalogue's switch behind a line, or None where the line is of no catalogued switch."""
    if line.id in COMPUTE_SWITCHES:
        return planned.fabric.switch
    sides = () if planned.network is None or "switch" not in line.id else planned.network.sides
    found = (side.switch for side in sides if side.switch is not None and _names(line, side.switch))
    return next(found, None)


def _names(line: BillItem, switch: Switch) -> bool:
    """Tell whether a line is of a switch: its name starts with the switch's."""
    return line.name.zh.startswith(switch.name.zh)


def _switch_box(line: BillItem, switch: Switch) -> Box:
    """Return a switch at its highest known power: at work it draws what its transceivers make of it."""
    figures = (figure for figure in (switch.max_power, switch.typical_power) if figure and not figure.barred)
    figure = next(figures, None)
    power = None if figure is None else figure.si
    known = switch.rack_units
    out_of_band = line.category is BillCategory.MANAGEMENT or line.id.startswith(Purpose.MANAGEMENT)
    other = BoxKind.OUT_OF_BAND if out_of_band else BoxKind.SWITCH
    return Box(
        key=line.id,
        kind=COMPUTE_SWITCHES.get(line.id, other),
        name=line.name,
        count=line.quantity,
        rack_units=_assumed_units(switch) if known is None else math.ceil(known.si),
        peak_w=power,
        training_w=power,
        height_assumed=known is None,
    )


def _assumed_units(switch: Switch) -> int:
    """Return the height of a switch whose own is unknown, a fixed one's or a chassis' by its ports."""
    ports = 0.0 if switch.ports is None else switch.ports.si
    return max(defaults.SUPPORT_DEVICE_RACK_UNITS, math.ceil(ports / rules.CHASSIS_PORTS_PER_UNIT))


def _support(line: BillItem) -> Box:
    """Return a box of which only the default is known; the power of a switch then is unknown."""
    if line.category is BillCategory.NETWORK:
        units = defaults.SUPPORT_DEVICE_RACK_UNITS
        return Box(line.id, BoxKind.SWITCH, line.name, line.quantity, units, None, None, height_assumed=True)
    kind, default = _SUPPORT.get(line.id, (BoxKind.MANAGEMENT, "management"))
    units, peak_w, training_w = rules.SUPPORT_BOXES[default]
    return Box(line.id, kind, line.name, line.quantity, units, peak_w, training_w)
