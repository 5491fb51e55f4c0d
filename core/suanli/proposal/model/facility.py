"""The hall of an option as it is shown: boxes, racks, rows, circuits, cooling, floor and PUE."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Part, Text
from suanli.proposal.model.figures import Shown

__all__ = [
    "BoxView",
    "CoolingView",
    "FacilityView",
    "FloorView",
    "LimitView",
    "PlantView",
    "PueView",
    "RackView",
    "RowView",
    "SlotView",
]


class BoxView(Part):
    """One line of the bill that stands in racks."""

    key: str
    """Id of the line, without the option."""
    letter: str
    """What the drawing writes into the box."""
    kind: str
    name: Text
    count: int
    rack_units: int
    height_assumed: bool = False
    racks_each: int = 1
    """Racks that one box fills."""
    peak: Shown | None
    """None where it is unknown."""


class SlotView(Part):
    """A box, or its part, in a rack."""

    letter: str
    kind: str
    bottom: int
    """Lowest rack unit, counted from 1 at the floor."""
    units: int


class RackView(Part):
    """Racks of equal content."""

    key: str
    role: str
    count: int
    units: int
    reserved_units: int
    slots: tuple[SlotView, ...]
    content: tuple[tuple[str, int], ...]
    """Letters and how many of each stand in one rack, from the floor up."""
    peak: Shown
    """Of one rack."""
    training: Shown
    power_known: bool
    over_power: bool
    brought: bool = False
    """True for a rack that comes with its system, power shelves included."""
    sources: int
    circuits_per_source: int
    rating_a: int
    current_a: Decimal
    method: str
    weight: Shown | None
    """None where the weight of a box is unknown."""
    floor: Shown | None

    @property
    def pdus(self) -> int:
        """Return the power distribution units of one rack, one for each circuit; a system brings its own."""
        return 0 if self.brought else self.sources * self.circuits_per_source

    @property
    def pdus_all(self) -> int:
        """Return the power distribution units of all racks of the type."""
        return self.count * self.pdus


class RowView(Part):
    """Rows of equal racks."""

    racks: tuple[tuple[str, int], ...]
    count: int
    racks_each: int
    peak: Shown
    """Of one row."""
    training: Shown
    total_peak: Shown
    """Of all these rows."""
    total_training: Shown
    power_known: bool = True


class PlantView(Part):
    """Equal machines that carry a load together."""

    load_kva: Decimal
    unit_kva: Decimal
    needed: int
    installed: int
    installed_kva: Decimal


class CoolingView(Part):
    """Heat and the loops that take it away."""

    site: str
    servers: str
    heat: Shown
    liquid: Shown | None
    """None where no server has cold plates."""
    air: Shown
    air_plain: Shown
    """Rack power up to which air serves as it is, and with closed aisles and coolers beside the racks."""
    air_assisted: Shown
    concerns: tuple[str, ...] = ()


class FloorView(Part):
    """The heaviest rack of known weight against a rating."""

    rack: str
    weight: Shown
    load: Shown
    limit: Shown
    met: bool


class LimitView(Part):
    """A legal limit on the PUE."""

    name: Text
    limit: Shown
    met: bool


class PueView(Part):
    """The PUE of the plan beside planning values and limits."""

    value: Decimal
    given: bool
    planning: Shown | None
    """Planning values for the servers' cooling as a range; None where there are none."""
    optimistic: bool
    limits: tuple[LimitView, ...] = ()


class FacilityView(Part):
    """The hall."""

    boxes: tuple[BoxView, ...]
    racks: tuple[RackView, ...]
    rows: tuple[RowView, ...]
    rack_count: int
    racks_brought: int = 0
    """Racks that come with their systems and are not bought."""
    pdu_count: int
    rack_limit: Shown
    """Power that a rack of servers may draw."""
    it_peak: Shown
    it_training: Shown
    facility_peak: Shown
    redundancy: str
    voltage: Shown
    ups: PlantView
    transformers: PlantView | None
    cooling: CoolingView
    floor: FloorView | None
    """None where the weight of every rack is unknown."""
    pue: PueView
    unknown_power: tuple[str, ...] = ()
    """Letters of the boxes whose power is missing from every sum."""
    reserved: Shown | None = None
    """What circuits, UPS and transformers carry beyond the peak for boxes of unknown power."""
    uncounted: bool = False
    """True where the compute network's switches are of unknown number, and so in no rack and no sum."""
    hosted: bool = False
    """True where rack space is rented: the hall brings UPS and transformers, which are not bought."""
