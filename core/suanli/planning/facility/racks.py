"""Every box into a rack, by height and power; racks of equal content become one type.

Servers fill racks of their own, as many to a rack as `suanli.planning.power.rack_fit` allows. Switches,
storage and management follow, each kind beside its like; where one or two racks of servers have room for all
of them, they stand there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from suanli.planning import defaults
from suanli.planning import defaults_facility as rules
from suanli.planning.facility.results import Box, BoxKind, RackRole, Slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Content", "fill_racks"]

_COMPUTE = frozenset({BoxKind.SERVER, BoxKind.SPARE})
_ROLES = {
    BoxKind.SERVER: RackRole.COMPUTE,
    BoxKind.SPARE: RackRole.COMPUTE,
    BoxKind.CORE: RackRole.NETWORK,
    BoxKind.SPINE: RackRole.NETWORK,
    BoxKind.LEAF: RackRole.NETWORK,
    BoxKind.SWITCH: RackRole.NETWORK,
    BoxKind.STORAGE: RackRole.STORAGE,
    BoxKind.MANAGEMENT: RackRole.MANAGEMENT,
    BoxKind.OUT_OF_BAND: RackRole.MANAGEMENT,
}
_ORDER = (RackRole.NETWORK, RackRole.STORAGE, RackRole.MANAGEMENT)
_TOLERANCE_W = 1e-6


@dataclass(frozen=True, slots=True)
class Content:
    """What stands in one rack."""

    role: RackRole
    units: int
    reserved_units: int
    slots: tuple[Slot, ...]
    peak_w: float
    training_w: float


@dataclass(slots=True)
class _Rack:
    """A rack that is being filled from the floor up."""

    units: int
    reserved: int
    slots: list[Slot] = field(default_factory=list[Slot])
    roles: set[RackRole] = field(default_factory=set[RackRole])
    peak_w: float = 0.0
    training_w: float = 0.0

    @property
    def used(self) -> int:
        return self.slots[-1].bottom + self.slots[-1].units - 1 if self.slots else 0

    def takes(self, box: Box, rack_w: float) -> bool:
        """Tell whether a box fits by height and power."""
        fits = self.used + box.rack_units <= self.units - self.reserved
        return fits and self.peak_w + box.part_peak_w <= rack_w + _TOLERANCE_W

    def put(self, box: Box, units: int) -> None:
        """Put a box on top of the others; a rack grows for a box that is taller than any rack."""
        self.units = max(self.units, self.used + units + self.reserved)
        self.slots.append(Slot(box.key, self.used + 1, units))
        self.roles.add(_ROLES[box.kind])
        self.peak_w += box.part_peak_w
        self.training_w += box.part_training_w

    def content(self) -> Content:
        role = next(iter(self.roles)) if len(self.roles) == 1 else RackRole.MIXED
        if RackRole.COMPUTE in self.roles:
            role = RackRole.COMPUTE
        return Content(role, self.units, self.reserved, tuple(self.slots), self.peak_w, self.training_w)


def _standard() -> _Rack:
    return _Rack(defaults.RACK_UNITS, defaults.RACK_UNITS_RESERVED)


def fill_racks(
    boxes: Sequence[Box], servers_per_rack: int, rack_w: float, support_w: float
) -> tuple[Content, ...]:
    """Return every rack with its content, in the order in which they stand.

    A box that alone draws more than the site allows a rack stands alone, and its rack draws too much.

    Args:
        boxes: what is to be placed.
        servers_per_rack: servers that one rack takes; 0 where one alone draws too much.
        rack_w: power that a rack of servers may draw in W.
        support_w: power that a rack of switches, storage or management may draw in W.
    """
    servers = [box for box in boxes if box.kind in _COMPUTE]
    others = [box for box in boxes if box.kind not in _COMPUTE]
    compute = _compute_racks(servers, max(1, servers_per_rack))
    shared = len(compute) <= rules.SHARED_COMPUTE_RACKS and _share(compute, others, rack_w)
    support = [] if shared else _support_racks(others, support_w)
    return tuple(rack.content() for rack in (*compute, *support))


def _compute_racks(boxes: Iterable[Box], per_rack: int) -> list[_Rack]:
    racks: list[_Rack] = []
    open_places = 0
    for box in boxes:
        for _ in range(box.count):
            if box.brings_rack:
                racks.extend(_own_racks(box))
                continue
            if not open_places:
                racks.append(_standard())
                open_places = per_rack
            racks[-1].put(box, box.rack_units)
            open_places -= 1
    return racks


def _own_racks(box: Box) -> list[_Rack]:
    """Return the racks that a system brings, its height spread evenly over them."""
    racks: list[_Rack] = []
    for part in range(box.racks_each):
        units = box.rack_units * (part + 1) // box.racks_each - box.rack_units * part // box.racks_each
        rack = _Rack(max(defaults.TALL_RACK_UNITS, units), 0)
        rack.put(box, units)
        racks.append(rack)
    return racks


def _share(compute: Sequence[_Rack], others: Sequence[Box], rack_w: float) -> bool:
    """Put all other boxes into the racks of servers where all of them fit; else leave these as they are."""
    trial = [
        _Rack(rack.units, rack.reserved, list(rack.slots), set(rack.roles), rack.peak_w) for rack in compute
    ]
    plan: list[tuple[_Rack, Box]] = []
    for box in others:
        for _ in range(box.count):
            place = next((index for index, rack in enumerate(trial) if rack.takes(box, rack_w)), None)
            if place is None:
                return False
            trial[place].put(box, box.rack_units)
            plan.append((compute[place], box))
    for rack, box in plan:
        rack.put(box, box.rack_units)
    return True


def _support_racks(others: Sequence[Box], rack_w: float) -> list[_Rack]:
    """Return racks of switches, storage and management.

    A group opens a rack of its own, and another one when it is full, unless all that is left of the group
    fits into one that is there.
    """
    racks: list[_Rack] = []
    for role in _ORDER:
        left = [box for box in others if _ROLES[box.kind] is role for _ in range(box.count)]
        while left:
            units, watts = sum(box.rack_units for box in left), sum(box.part_peak_w for box in left)
            rack = next((one for one in racks if _fits(one, units, watts, rack_w)), None)
            if rack is None:
                rack = _standard()
                racks.append(rack)
            left = _fill(rack, left, rack_w)
    return racks


def _fill(rack: _Rack, boxes: Sequence[Box], rack_w: float) -> list[Box]:
    """Put boxes into a rack until one does not fit, at least one into an empty rack; return what is left."""
    for index, box in enumerate(boxes):
        if rack.slots and not rack.takes(box, rack_w):
            return list(boxes[index:])
        rack.put(box, box.rack_units)
    return []


def _fits(rack: _Rack, units: float, watts: float, rack_w: float) -> bool:
    """Tell whether so much height and power find room in a rack."""
    room = rack.units - rack.reserved
    return rack.used + units <= room and rack.peak_w + watts <= rack_w + _TOLERANCE_W
