"""The lines of the bill for the networks: switches, cables and transceivers by class, storage, adapters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.planning.network.fabric import radix_of
from suanli.planning.network.prices import cabling_price, gbit_of, nic_basis, optic_basis
from suanli.planning.network.results import CableClass, Purpose
from suanli.planning.network.wiring import Tier
from suanli.planning.price_keys import class_key, switch_key
from suanli.planning.results import BillCategory, BillItem, FabricPlan, Rule, VatClass
from suanli.planning.shop import Planned, Shop, numbers_of

if TYPE_CHECKING:
    from suanli.domain.hardware import Switch
    from suanli.planning.network.results import CableCount, SideNetwork

__all__ = ["network_lines"]

_NETWORK = BillCategory.NETWORK


def network_lines(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return the lines of compute and storage network.

    One, unpriced, stands for the compute network where its counts are unknown; none for one server.
    """
    return (*_compute_network(planned, shop), *_storage_network(planned, shop))


def _compute_network(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    if not planned.fabric.known:
        name = Text(
            zh="计算网络（交换机、光模块、线缆）", en="Compute network (switches, transceivers, cables)"
        )
        rule = Rule("network-unknown")
        return (BillItem("compute-network", _NETWORK, name, 1, "item", rule, VatClass.GOODS, None),)
    return (*_switches(planned, shop), *_cabling(planned.fabric, shop))


_LEVELS = {
    "leaf": Text(zh="叶交换机", en="leaf switch"),
    "spine": Text(zh="汇聚交换机", en="spine switch"),
    "core": Text(zh="核心交换机", en="core switch"),
}


def _switches(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    fabric = planned.fabric
    switch, counts = fabric.switch, fabric.counts
    if switch is None or counts is None:
        return ()
    rails = "leaf-switches-rails" if counts.rails > 1 and counts.tiers > 1 else "leaf-switches"
    servers = -(-sum(counts.leaf_endpoints) // counts.rails)
    rules = {
        "leaf": Rule(
            rails,
            numbers_of(
                tiers=counts.tiers,
                endpoints=fabric.endpoints,
                down=counts.down * counts.breakout,
                rails=counts.rails,
                servers=servers,
            ),
        ),
        "spine": Rule("spine-switches", numbers_of(leaf=counts.leaf, up=counts.up, radix=counts.radix)),
        "core": Rule("core-switches", numbers_of(links=counts.spine_core_links, radix=counts.radix)),
    }
    price = shop.of_switch(switch, planned.sizing.device.server.vendor)
    return tuple(
        BillItem(
            f"{level}-switches",
            _NETWORK,
            Text(zh=f"{switch.name.zh}（{_LEVELS[level].zh}）", en=f"{switch.name.en} ({_LEVELS[level].en})"),
            count,
            "set",
            rules[level],
            VatClass.GOODS,
            price,
            refs=_refs(switch),
            price_key=switch_key(switch.id),
        )
        for level, count in (("leaf", counts.leaf), ("spine", counts.spine), ("core", counts.core))
        if count
    )


def _refs(switch: Switch) -> tuple[str, ...]:
    figures = (switch.ports, switch.port_rate)
    return tuple(dict.fromkeys(figure.source for figure in figures if figure is not None))


def _cabling(fabric: FabricPlan, shop: Shop) -> tuple[BillItem, ...]:
    """Return cables and transceivers by tier and class, or one line by port where they are so priced."""
    whole = _whole_cabling(fabric, shop)
    if whole is not None:
        return (whole,)
    lines: list[BillItem] = []
    for one in fabric.cables:
        lines.extend((_cable_line(one, fabric, shop), *_module_lines(one, fabric, shop)))
    # The same modules serve switches of every tier: one line for each kind.
    return tuple(_merged(lines))


_CLASSES = {
    CableClass.COPPER: Text(zh="无源铜缆（DAC）", en="passive copper cable"),
    CableClass.MULTIMODE: Text(zh="多模光纤跳线", en="multimode fibre patch cable"),
    CableClass.SINGLE_MODE: Text(zh="单模光纤跳线", en="single-mode fibre patch cable"),
    CableClass.OPEN: Text(zh="光纤跳线（长度待勘测）", en="fibre patch cable, length to be surveyed"),
}
_PLACES = {
    Tier.HOST_LEAF: Text(zh="服务器至叶交换机", en="Server to leaf"),
    Tier.LEAF_SPINE: Text(zh="叶至汇聚", en="Leaf to spine"),
    Tier.SPINE_CORE: Text(zh="汇聚至核心", en="Spine to core"),
}


def _cable_line(one: CableCount, fabric: FabricPlan, shop: Shop) -> BillItem:
    place, kind = _PLACES[one.tier], _CLASSES[one.kind]
    ends = fabric.counts
    longest = "" if one.longest_m is None else f"{one.longest_m:.0f}"
    rule = Rule(
        "cables-host" if one.tier is Tier.HOST_LEAF else "cables-switch",
        numbers_of(cables=one.cables, all=_all_of(one, fabric), longest=longest or "–", tiers=fabric.tiers),
    )
    basis = {CableClass.COPPER: "cable-dac", CableClass.SINGLE_MODE: "cable-fibre-sm"}.get(
        one.kind, "cable-fibre"
    )
    split = ends is not None and ends.breakout > 1 and one.tier is Tier.HOST_LEAF
    tail = Text(zh=f"，一分 {ends.breakout}", en=f", 1 to {ends.breakout}") if ends and split else None
    return BillItem(
        f"{one.tier.value}-{one.kind.value}-cables",
        _NETWORK,
        Text(
            zh=f"{place.zh}，{kind.zh}{tail.zh if tail else ''}",
            en=f"{place.en}, {kind.en}{tail.en if tail else ''}",
        ),
        one.cables,
        "piece",
        rule,
        VatClass.GOODS,
        shop.of_class(basis),
        price_key=class_key(basis),
    )


def _all_of(one: CableCount, fabric: FabricPlan) -> int:
    return sum(other.cables for other in fabric.cables if other.tier is one.tier)


_ENDS = {
    "host": Text(zh="服务器侧", en="server end"),
    "switch": Text(zh="交换机侧", en="switch end"),
}


def _module_lines(one: CableCount, fabric: FabricPlan, shop: Shop) -> tuple[BillItem, ...]:
    """Return the modules at both ends of the optical cables of a class, server and switch ends apart."""
    rate, switch = fabric.endpoint_bytes_per_s, fabric.switch
    if rate is None or switch is None or switch.port_rate is None:
        return ()
    single = one.kind is CableClass.SINGLE_MODE
    word = Text(zh="单模", en="single-mode ") if single else Text(zh="多模", en="multimode ")
    if one.kind is CableClass.OPEN:
        word = Text(zh=" ", en=" ")
    ends = (
        ("host", gbit_of(rate), one.host_modules),
        ("switch", gbit_of(switch.port_rate.si), one.switch_modules),
    )
    return tuple(
        BillItem(
            f"{end}-{one.kind.value}-transceivers",
            _NETWORK,
            Text(
                zh=f"{gbit}G {word.zh.strip()}光模块（{_ENDS[end].zh}）",
                en=f"{gbit}G {word.en.strip()}{' ' if word.en.strip() else ''}transceiver ({_ENDS[end].en})",
            ),
            count,
            "piece",
            Rule(f"{end}-modules", numbers_of(count=count)),
            VatClass.GOODS,
            shop.of_class(optic_basis(switch.technology, gbit, single_mode=single)),
            price_key=class_key(optic_basis(switch.technology, gbit, single_mode=single)),
        )
        for end, gbit, count in ends
        if count
    )


def _merged(lines: list[BillItem]) -> list[BillItem]:
    """Return the lines with those of one id made one, cables before transceivers."""
    found: dict[str, BillItem] = {}
    for line in sorted(lines, key=lambda line: line.id.endswith("transceivers")):
        known = found.get(line.id)
        count = line.quantity + (known.quantity if known else 0)
        rule = Rule(line.rule.key, numbers_of(count=count)) if known else line.rule
        found[line.id] = replace(line, quantity=count, rule=rule)
    return list(found.values())


def _whole_cabling(fabric: FabricPlan, shop: Shop) -> BillItem | None:
    """Return all transceivers and cables of a network as one line by port, where it is so priced."""
    switch, rate = fabric.switch, fabric.endpoint_bytes_per_s
    if switch is None or not fabric.tiers or not fabric.endpoints or rate is None:
        return None
    price = cabling_price(shop.catalogue, switch.technology, rate, fabric.tiers, shop.region)
    if price is None:
        return None
    of_class = {kind: sum(one.cables for one in fabric.cables if one.kind is kind) for kind in CableClass}
    rule = Rule(
        "network-cabling",
        numbers_of(
            cables=fabric.host_cables,
            links=fabric.fabric_cables,
            modules=fabric.transceivers,
            tiers=fabric.tiers,
            copper=of_class[CableClass.COPPER],
            multimode=of_class[CableClass.MULTIMODE] + of_class[CableClass.OPEN],
            single=of_class[CableClass.SINGLE_MODE],
        ),
    )
    name = Text(
        zh="计算网络光模块与线缆（按计算网口）", en="Transceivers and cables of the network, by compute port"
    )
    ports = fabric.endpoints
    key = class_key(price.basis)
    return BillItem(
        "network-cabling", _NETWORK, name, ports, "port", rule, VatClass.GOODS, price, price_key=key
    )


def _storage_network(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return switches, cables and missing adapters of the storage network; none where there is none."""
    side = planned.network.side(Purpose.STORAGE) if planned.network else None
    if side is None:
        return ()
    if side.switch is None or side.counts is None:
        name = Text(
            zh="存储网络（交换机、光模块、线缆）", en="Storage network (switches, transceivers, cables)"
        )
        rule = Rule("network-unknown")
        switches: tuple[BillItem, ...] = (
            BillItem("storage-network", _NETWORK, name, 1, "item", rule, VatClass.GOODS, None),
        )
    else:
        switches = _side_lines(side, side.switch, planned, shop)
    return (*switches, *_adapters(side, shop))


def _side_lines(side: SideNetwork, switch: Switch, planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    counts, gbit = side.counts, gbit_of(side.port_bytes_per_s)
    links = side.planes * counts.links if counts else 0
    rule = Rule(
        "storage-switches",
        numbers_of(
            ports=side.ports, planes=side.planes, radix=radix_of(switch), ratio=side.oversubscription or 1.0
        ),
    )
    switch_name = Text(zh=f"{switch.name.zh}（存储网络）", en=f"{switch.name.en} (storage network)")
    cable_name = Text(
        zh=f"存储网络 {gbit}G 链路（线缆与两端光模块）",
        en=f"Storage network, {gbit}G link (cable with both modules)",
    )
    price = shop.of_switch(switch, planned.sizing.device.server.vendor)
    return (
        BillItem(
            "storage-network-switches",
            _NETWORK,
            switch_name,
            side.switches or 0,
            "set",
            rule,
            VatClass.GOODS,
            price,
            refs=_refs(switch),
            price_key=switch_key(switch.id),
        ),
        BillItem(
            "storage-network-links",
            _NETWORK,
            cable_name,
            side.ports + links,
            "piece",
            Rule("storage-links", numbers_of(ports=side.ports, links=links)),
            VatClass.GOODS,
            shop.of_class(f"optical-link-{gbit}g"),
            price_key=class_key(f"optical-link-{gbit}g"),
        ),
    )


def _adapters(side: SideNetwork, shop: Shop) -> tuple[BillItem, ...]:
    """Return the adapters that servers need for the storage network and do not bring."""
    if not side.adapters:
        return ()
    gbit = gbit_of(side.port_bytes_per_s)
    rule = Rule("storage-nics", numbers_of(cards=side.adapters, ports=side.ports_per_server))
    return (
        BillItem(
            "storage-nics",
            _NETWORK,
            Text(zh=f"存储网卡，双口 {gbit}GbE", en=f"Storage adapter, two {gbit}GbE ports"),
            side.adapters,
            "piece",
            rule,
            VatClass.GOODS,
            shop.of_class(nic_basis("ethernet", gbit)),
            price_key=class_key(nic_basis("ethernet", gbit)),
        ),
    )
