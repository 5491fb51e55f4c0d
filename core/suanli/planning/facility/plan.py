"""The plan of the hall, from the boxes on the bill to racks, rows, circuits, plant, cooling and PUE."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.domain.hardware import Cooling
from suanli.domain.workload import Hall
from suanli.planning import defaults_facility as rules
from suanli.planning.facility.boxes import COMPUTE_SWITCHES, boxes_of
from suanli.planning.facility.cooling import (
    air_limits,
    cooling_method,
    plan_cooling,
    rack_limit_w,
    server_cooling,
    support_limit_w,
)
from suanli.planning.facility.feeds import line_voltage_v, plan_circuits, plan_plant
from suanli.planning.facility.floor import floor_kg_per_m2, rack_weight_kg
from suanli.planning.facility.pue import plan_pue
from suanli.planning.facility.racks import fill_racks
from suanli.planning.facility.results import BoxKind, FacilityPlan, RackType
from suanli.planning.facility.rows import row_length, row_types
from suanli.planning.power import SupportLoad, rack_fit, server_power
from suanli.planning.prices import class_price

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement, Site
    from suanli.estimation.results import Device
    from suanli.planning.facility.cooling import AirLimits
    from suanli.planning.facility.racks import Content
    from suanli.planning.facility.results import Box, Plant
    from suanli.planning.results import BillItem
    from suanli.planning.shop import Planned

__all__ = ["COLOCATION", "lay_out", "plan_facility", "server_rack_w", "support_load"]

COLOCATION = "colocation-kw-month"
"""Class of the price of rack space, which pays for the power plant of the hall too."""
_SERVERS = frozenset({BoxKind.SERVER, BoxKind.SPARE})
_COMPUTE = _SERVERS | frozenset(COMPUTE_SWITCHES.values())


def plan_facility(
    lines: Iterable[BillItem], planned: Planned, requirement: Requirement, catalogue: Catalogue
) -> FacilityPlan | None:
    """Return the plan of the hall, or None where a server's power is unknown.

    Args:
        lines: servers, switches, storage and management as they are bought.
        planned: the plan that the lines come from.
        requirement: the site, and the currencies in which rack space may be paid for.
        catalogue: limits of cooling and of PUE, and the price of rack space.
    """
    power = server_power(planned.sizing.device)
    if power is None:
        return None
    device, site = planned.sizing.device, requirement.site
    rack_w = server_rack_w(device, site, catalogue)
    boxes = boxes_of(lines, planned, rack_w)
    per_rack, _ = rack_fit(device, power.peak_w, rack_w)
    hall = lay_out(boxes, per_rack, site, catalogue)
    return replace(hall, hosted=_hosted(requirement, catalogue))


def _hosted(requirement: Requirement, catalogue: Catalogue) -> bool:
    """Tell whether the costs hold a rent of rack space: a price in a currency that can be converted."""
    if requirement.site.hall is Hall.BUILD:
        return False
    price, money = class_price(catalogue, COLOCATION, requirement.site.region), requirement.commercial
    pairs = [{rate.base, rate.quote} for rate in money.exchange_rates]
    return price is not None and (
        price.currency == money.currency or {price.currency, money.currency} in pairs
    )


def server_rack_w(device: Device, site: Site, catalogue: Catalogue) -> float:
    """Return what a rack of a device's servers may draw in W."""
    cooling = device.server.cooling or site.cooling
    return rack_limit_w(cooling, site.rack_power_w, air_limits(catalogue))


def support_load(facility: FacilityPlan | None) -> SupportLoad:
    """Return the power of everything but servers and compute network; none where there is no plan."""
    boxes = () if facility is None else facility.boxes
    others = [box for box in boxes if box.kind not in _COMPUTE]
    return SupportLoad(
        sum(box.count * (box.peak_w or 0.0) for box in others),
        sum(box.count * (box.training_w or 0.0) for box in others),
        complete=all(box.peak_w is not None for box in others),
    )


def lay_out(boxes: tuple[Box, ...], per_rack: int, site: Site, catalogue: Catalogue) -> FacilityPlan:
    """Return the plan of the hall for boxes of known power.

    Args:
        boxes: what stands in racks.
        per_rack: servers that one rack takes; 0 where one alone draws too much.
        site: rack power, cooling, redundancy, PUE and region.
        catalogue: limits of cooling and of PUE.
    """
    limits = air_limits(catalogue)
    limit = rack_limit_w(server_cooling(boxes, site.cooling), site.rack_power_w, limits)
    contents = fill_racks(boxes, per_rack, limit, support_limit_w(site.rack_power_w, limits))
    racks = _rack_types(contents, boxes, site, limits)
    keys = {content: rack.key for content, rack in zip(Counter(contents), racks, strict=True)}
    by_key = {rack.key: rack for rack in racks}
    length = row_length(max((box.racks_each for box in boxes), default=1))
    rows = row_types([keys[content] for content in contents], by_key, length)
    it_peak = sum(row.count * row.peak_w for row in rows)
    site_peak = it_peak * float(site.pue)
    reserved = sum(rack.count * rack.reserved_w for rack in racks)
    cooling = plan_cooling(boxes, racks, site.cooling)
    return FacilityPlan(
        boxes=boxes,
        racks=racks,
        rows=rows,
        redundancy=site.redundancy,
        line_voltage_v=line_voltage_v(site.region),
        ups=plan_plant(it_peak + reserved, rules.UPS_SIZES_VA, site.redundancy),
        transformers=_transformers((it_peak + reserved) * float(site.pue), site.redundancy),
        cooling=cooling,
        pue=plan_pue(site, cooling.servers, catalogue),
        facility_peak_w=site_peak,
        rack_limit_w=limit,
    )


def _transformers(site_peak_w: float, redundancy: str) -> Plant | None:
    plant = plan_plant(site_peak_w, rules.TRANSFORMER_SIZES_VA, redundancy)
    return plant if plant.load_va > rules.TRANSFORMER_LIMIT_VA else None


def _rack_types(
    contents: Sequence[Content], boxes: Sequence[Box], site: Site, limits: AirLimits
) -> tuple[RackType, ...]:
    by_key = {box.key: box for box in boxes}
    liquid = server_cooling(boxes, site.cooling) is Cooling.LIQUID
    return tuple(
        _rack_type(f"R{number}", content, count, by_key, site, limits, liquid=liquid)
        for number, (content, count) in enumerate(Counter(contents).items(), 1)
    )


def _most_w(peak_w: float, site: Site, limits: AirLimits, *, liquid: bool) -> float:
    """Return the power of the circuits of a rack whose peak misses a box: the most that it may draw."""
    plain = support_limit_w(site.rack_power_w, limits)
    # Servers may have filled a rack beyond what plain air serves already.
    cooling = Cooling.LIQUID if liquid else Cooling.AIR
    return plain if peak_w < plain else rack_limit_w(cooling, site.rack_power_w, limits)


def _rack_type(  # noqa: PLR0913, PLR0917 - the parts of a rack
    key: str,
    content: Content,
    count: int,
    boxes: dict[str, Box],
    site: Site,
    limits: AirLimits,
    *,
    liquid: bool,
) -> RackType:
    weight = rack_weight_kg(content.slots, boxes)
    known = all(boxes[slot.box].peak_w is not None for slot in content.slots)
    # Switches, storage and management are cooled by air in any hall.
    wet = liquid and any(boxes[slot.box].kind in _SERVERS for slot in content.slots)
    circuit_w = content.peak_w if known else _most_w(content.peak_w, site, limits, liquid=wet)
    return RackType(
        key=key,
        role=content.role,
        count=count,
        units=content.units,
        reserved_units=content.reserved_units,
        slots=content.slots,
        peak_w=content.peak_w,
        training_w=content.training_w,
        circuits=plan_circuits(max(circuit_w, content.peak_w), site.region, site.redundancy),
        method=cooling_method(content.peak_w, liquid=wet, limits=limits),
        weight_kg=weight,
        floor_kg_per_m2=None if weight is None else floor_kg_per_m2(weight),
        over_power=content.peak_w > site.rack_power_w * (1 + 1e-9),
        power_known=known,
        brought=any(boxes[slot.box].brings_rack for slot in content.slots),
        reserved_w=max(0.0, circuit_w - content.peak_w),
    )
