"""The hall of an option as it is shown, rounded: letters for boxes, kW for racks, kVA for the plant."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from string import ascii_uppercase
from typing import TYPE_CHECKING

from suanli.domain.units import W_PER_KW
from suanli.planning import defaults_facility as rules
from suanli.planning.facility.cooling import air_limits
from suanli.proposal.model.facility import (
    BoxView,
    CoolingView,
    FacilityView,
    FloorView,
    LimitView,
    PlantView,
    PueView,
    RackView,
    RowView,
    SlotView,
)
from suanli.proposal.model.figures import Shown
from suanli.proposal.rounding import places, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.catalogue import Catalogue
    from suanli.planning.facility.results import (
        Box,
        CoolingPlan,
        FacilityPlan,
        Plant,
        PuePlan,
        RackType,
        RowType,
    )
    from suanli.proposal.references import References

__all__ = ["facility_view"]

_VA_PER_KVA = 1e3
_LOAD_UNIT = "kg/m2"


def facility_view(
    plan: FacilityPlan, catalogue: Catalogue, references: References, *, uncounted: bool = False
) -> FacilityView:
    """Return the hall, rounded; its sums are lower bounds where some power is unknown.

    Args:
        plan: the hall.
        catalogue: limits of cooling.
        references: gives the sources their keys.
        uncounted: the number of the compute network's switches is unknown, so that they stand in no rack.
    """
    bound = uncounted or bool(plan.unknown_power)
    letters = {box.key: _letter(index) for index, box in enumerate(plan.boxes)}
    kinds = {box.key: box.kind.value for box in plan.boxes}
    known = {rack.key for rack in plan.racks if rack.power_known}
    return FacilityView(
        boxes=tuple(_box(box, letters[box.key]) for box in plan.boxes),
        racks=tuple(_rack(rack, letters, kinds) for rack in plan.racks),
        rows=tuple(_row(row, known) for row in plan.rows),
        rack_count=plan.rack_count,
        racks_brought=plan.racks_brought,
        pdu_count=plan.pdu_count,
        rack_limit=_kilowatts(plan.rack_limit_w),
        it_peak=_kilowatts(plan.it_peak_w, bound=bound),
        it_training=_kilowatts(plan.it_training_w, bound=bound),
        facility_peak=_kilowatts(plan.facility_peak_w, bound=bound),
        redundancy=plan.redundancy,
        voltage=Shown(value=places(plan.line_voltage_v, 0), unit="V"),
        ups=_plant(plan.ups),
        transformers=None if plan.transformers is None else _plant(plan.transformers),
        cooling=_cooling(plan.cooling, catalogue, references, bound=bound),
        floor=_floor(plan, references),
        pue=_pue(plan.pue, references),
        unknown_power=tuple(letters[box.key] for box in plan.unknown_power),
        reserved=_kilowatts(plan.reserved_w) if plan.reserved_w else None,
        uncounted=uncounted,
        hosted=plan.hosted,
    )


def _letter(index: int) -> str:
    """Return A to Z, then AA, AB and so on.

    >>> _letter(0), _letter(25), _letter(26)
    ('A', 'Z', 'AA')
    """
    head, last = divmod(index, len(ascii_uppercase))
    return (_letter(head - 1) if head else "") + ascii_uppercase[last]


def _kilowatts(power_w: float, *, bound: bool = False) -> Shown:
    """Return a power in kW with one decimal: racks, rows and site are then added by a reader alike."""
    return Shown(value=places(power_w / W_PER_KW, 1), unit="kW", incomplete=bound)


def _box(box: Box, letter: str) -> BoxView:
    return BoxView(
        key=box.key,
        letter=letter,
        kind=box.kind.value,
        name=box.name,
        count=box.count,
        rack_units=box.rack_units,
        height_assumed=box.height_assumed,
        racks_each=box.racks_each,
        peak=None if box.peak_w is None else _each(box.peak_w),
    )


def _each(power_w: float) -> Shown:
    """Return the power of one box, in W below a kilowatt."""
    return shown(power_w, "W") if power_w < W_PER_KW else shown(power_w / W_PER_KW, "kW")


def _rack(rack: RackType, letters: Mapping[str, str], kinds: Mapping[str, str]) -> RackView:
    content = Counter(letters[slot.box] for slot in rack.slots)
    return RackView(
        key=rack.key,
        role=rack.role.value,
        count=rack.count,
        units=rack.units,
        reserved_units=rack.reserved_units,
        slots=tuple(
            SlotView(letter=letters[slot.box], kind=kinds[slot.box], bottom=slot.bottom, units=slot.units)
            for slot in rack.slots
        ),
        content=tuple(content.items()),
        peak=_kilowatts(rack.peak_w),
        training=_kilowatts(rack.training_w),
        power_known=rack.power_known,
        over_power=rack.over_power,
        brought=rack.brought,
        sources=rack.circuits.sources,
        circuits_per_source=rack.circuits.per_source,
        rating_a=rack.circuits.rating_a,
        current_a=places(rack.circuits.current_a, 0),
        method=rack.method.value,
        weight=None if rack.weight_kg is None else shown(rack.weight_kg, "kg"),
        floor=None if rack.floor_kg_per_m2 is None else shown(rack.floor_kg_per_m2, _LOAD_UNIT),
    )


def _row(row: RowType, known: set[str]) -> RowView:
    """Return a row; its sums are lower bounds where a rack's power is not fully known."""
    return RowView(
        racks=row.racks,
        count=row.count,
        racks_each=sum(number for _, number in row.racks),
        peak=_kilowatts(row.peak_w),
        training=_kilowatts(row.training_w),
        total_peak=_kilowatts(row.count * row.peak_w),
        total_training=_kilowatts(row.count * row.training_w),
        power_known=all(key in known for key, _ in row.racks),
    )


def _plant(plant: Plant) -> PlantView:
    return PlantView(
        load_kva=places(plant.load_va / _VA_PER_KVA, 0),
        unit_kva=places(plant.unit_va / _VA_PER_KVA, 0),
        needed=plant.needed,
        installed=plant.installed,
        installed_kva=places(plant.installed_va / _VA_PER_KVA, 0),
    )


def _cooling(
    cooling: CoolingPlan, catalogue: Catalogue, references: References, *, bound: bool
) -> CoolingView:
    limits = air_limits(catalogue)
    plain, assisted = (references.source(source) for source in (*limits.refs, "", "")[:2])
    return CoolingView(
        site=cooling.site.value,
        servers=cooling.servers.value,
        heat=_kilowatts(cooling.heat_w, bound=bound),
        liquid=_kilowatts(cooling.liquid_w) if cooling.liquid_w else None,
        # Of what is unknown only switches are: the air loop takes their heat.
        air=_kilowatts(cooling.air_w, bound=bound),
        air_plain=shown(limits.plain_w / W_PER_KW, "kW", refs=plain),
        air_assisted=shown(limits.assisted_w / W_PER_KW, "kW", refs=assisted),
        concerns=tuple(concern.value for concern in cooling.concerns),
    )


def _floor(plan: FacilityPlan, references: References) -> FloorView | None:
    """Return the heaviest rack of known weight."""
    known = [
        (rack.floor_kg_per_m2, rack.weight_kg, rack.key)
        for rack in plan.racks
        if rack.floor_kg_per_m2 is not None and rack.weight_kg is not None
    ]
    if not known:
        return None
    load, weight, key = max(known, key=lambda row: (row[0], row[2]))
    return FloorView(
        rack=key,
        weight=shown(weight, "kg"),
        load=shown(load, _LOAD_UNIT, refs=references.source("common-ibm-floor-loading")),
        limit=shown(rules.FLOOR_LIMIT_KG_PER_M2, _LOAD_UNIT, refs=references.source("common-tia-942-floor")),
        met=load <= rules.FLOOR_LIMIT_KG_PER_M2,
    )


def _pue(pue: PuePlan, references: References) -> PueView:
    refs = tuple(dict.fromkeys(key for source in pue.refs for key in references.source(source, weak=True)))
    planning = None
    if pue.planning is not None:
        low, high = (Decimal(repr(end)) for end in pue.planning)
        planning = Shown(value=high, unit="PUE", low=low, high=high, refs=refs)
    return PueView(
        value=pue.pue,
        given=pue.given,
        planning=planning,
        optimistic=pue.optimistic,
        limits=tuple(
            LimitView(
                name=limit.name,
                limit=Shown(
                    value=Decimal(repr(limit.limit)), unit="PUE", refs=references.source(limit.source)
                ),
                met=limit.met,
            )
            for limit in pue.limits
        ),
    )
