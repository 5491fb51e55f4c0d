"""The lines of the bill for the hall: racks, power distribution, UPS, transformers, coolant distribution."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.domain.units import W_PER_KW
from suanli.domain.workload import Hall
from suanli.planning.facility.results import RackRole
from suanli.planning.price_keys import class_key
from suanli.planning.results import BillCategory, BillItem, Rule, VatClass
from suanli.planning.shop import numbers_of

if TYPE_CHECKING:
    from suanli.planning.facility.results import FacilityPlan, Plant
    from suanli.planning.shop import Planned, Shop

__all__ = ["facility_lines"]

_BLOCK = BillCategory.FACILITY
_VA_PER_KVA = 1e3


def facility_lines(planned: Planned, shop: Shop, hall: Hall = Hall.COLOCATION) -> tuple[BillItem, ...]:
    """Return the lines of the hall; one line without a price where the power of the servers is unknown."""
    facility = planned.facility
    if facility is None:
        name = Text(zh="机柜", en="Racks")
        return (BillItem("racks", _BLOCK, name, 1, "item", Rule("racks-unknown"), VatClass.GOODS, None),)
    return (
        *_racks(facility, planned, shop),
        *_coolant(facility, shop),
        *(_construction(planned, shop) if hall is Hall.BUILD else _plants(facility, shop)),
    )


def _construction(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return the hall that is built for the cluster, by the peak power of its IT equipment.

    Published prices are per MW of critical load and hold the power plant and the cooling, which therefore are
    no lines of their own.
    """
    if planned.power is None:
        return ()
    kilowatts = math.ceil(planned.power.it_peak_w / W_PER_KW)
    name = Text(zh="机房土建与机电（自建，按 IT 峰值功率）", en="Hall built, with power plant and cooling")
    rule = Rule("hall-construction", numbers_of(kilowatts=kilowatts))
    price = shop.of_class("construction-mw")
    return (
        BillItem(
            "hall-construction", _BLOCK, name, kilowatts, "kW", rule, VatClass.WORKS, price, Decimal("0.001")
        ),
    )


def _racks(facility: FacilityPlan, planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return the racks that are bought empty, with their power distribution; none where systems bring all."""
    brought = facility.racks_brought
    count = facility.rack_count - brought
    if not count:
        return ()
    compute = facility.racks_of(RackRole.COMPUTE) - brought
    support = count - compute
    rule = (
        Rule("racks-brought", numbers_of(brought=brought, support=support))
        if brought
        else Rule("racks", numbers_of(servers=planned.servers, compute=compute, support=support))
    )
    pdus = numbers_of(racks=count, sources=facility.racks[0].circuits.sources)
    return (
        BillItem(
            "racks",
            _BLOCK,
            Text(zh="机柜", en="Racks"),
            count,
            "rack",
            rule,
            VatClass.GOODS,
            shop.of_class("rack"),
            price_key=class_key("rack"),
        ),
        BillItem(
            "pdus",
            _BLOCK,
            Text(zh="机柜配电单元（PDU）", en="Rack power distribution units"),
            facility.pdu_count,
            "piece",
            Rule("pdus", pdus),
            VatClass.GOODS,
            shop.of_class("pdu"),
            price_key=class_key("pdu"),
        ),
    )


def _coolant(facility: FacilityPlan, shop: Shop) -> tuple[BillItem, ...]:
    """Return the capacity of coolant distribution units; none where no server has cold plates."""
    kilowatts = math.ceil(facility.cooling.liquid_w / W_PER_KW)
    if not kilowatts:
        return ()
    name = Text(zh="冷量分配单元（CDU）容量", en="Coolant distribution units, capacity")
    rule = Rule("cdu", numbers_of(capacity=kilowatts))
    price, key = shop.of_class("cdu-kw"), class_key("cdu-kw")
    return (BillItem("cdu", _BLOCK, name, kilowatts, "kW", rule, VatClass.GOODS, price, price_key=key),)


def _plants(facility: FacilityPlan, shop: Shop) -> tuple[BillItem, ...]:
    """Return UPS and transformers; none in a rented hall, whose rent per kW pays for them."""
    if facility.hosted:
        return ()
    plants = (
        ("ups", Text(zh="不间断电源（UPS）主机", en="Uninterruptible power supply"), facility.ups),
        ("transformers", Text(zh="配电变压器", en="Distribution transformer"), facility.transformers),
    )
    return tuple(_plant(key, name, plant, facility, shop) for key, name, plant in plants if plant is not None)


def _plant(key: str, name: Text, plant: Plant, facility: FacilityPlan, shop: Shop) -> BillItem:
    size = f"{plant.unit_va / _VA_PER_KVA:g} kVA"
    rule = Rule(
        key,
        numbers_of(
            load=round(plant.load_va / _VA_PER_KVA),
            unit=round(plant.unit_va / _VA_PER_KVA),
            needed=plant.needed,
            redundancy=facility.redundancy,
        ),
    )
    kilovolt_amperes = Decimal(round(plant.unit_va / _VA_PER_KVA))
    return BillItem(
        key,
        _BLOCK,
        Text(zh=f"{name.zh}，{size}", en=f"{name.en}, {size}"),
        plant.installed,
        "set",
        rule,
        VatClass.GOODS,
        shop.of_class(f"{key}-kva"),
        # Priced by capacity, as the size of a unit follows from the load.
        kilovolt_amperes,
        price_key=class_key(f"{key}-kva"),
    )
