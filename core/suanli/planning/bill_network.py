"""The lines of the bill for the compute network: switches, cables, transceivers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.domain.units import BYTES_PER_S_PER_GBIT
from suanli.planning.fabric import endpoint_ports
from suanli.planning.results import BillCategory, BillItem, FabricPlan, Rule, VatClass
from suanli.planning.shop import Planned, Shop, numbers_of

if TYPE_CHECKING:
    from suanli.domain.hardware import Switch

__all__ = ["network_lines"]

_INFINIBAND = "infiniband"
_CABLING_GBIT = 400
"""Port rate for which cabling is priced by port and tiers."""


def network_lines(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return the lines of the network: one, unpriced, where its counts are unknown; none for one server."""
    fabric = planned.fabric
    if not fabric.known:
        name = Text(
            zh="计算网络（交换机、光模块、线缆）", en="Compute network (switches, transceivers, cables)"
        )
        rule = Rule("network-unknown")
        return (
            BillItem("compute-network", BillCategory.NETWORK, name, 1, "item", rule, VatClass.GOODS, None),
        )
    return (*_switches(planned, shop), *_cables(planned, shop))


_LEVELS = {
    "leaf": Text(zh="叶交换机", en="leaf switch"),
    "spine": Text(zh="汇聚交换机", en="spine switch"),
    "core": Text(zh="核心交换机", en="core switch"),
}


def _switches(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    fabric = planned.fabric
    switch = fabric.switch
    if switch is None or switch.ports is None:
        return ()
    radix = round(switch.ports.si)
    leaf, spine, core = fabric.leaf_switches or 0, fabric.spine_switches or 0, fabric.core_switches or 0
    up = math.ceil(radix / (1 + fabric.oversubscription)) if spine else 0
    rules = {
        "leaf": Rule(
            "leaf-switches", numbers_of(tiers=fabric.tiers, endpoints=fabric.endpoints, down=radix - up)
        ),
        "spine": Rule("spine-switches", numbers_of(leaf=leaf, up=up, radix=radix)),
        "core": Rule("core-switches", numbers_of(links=leaf * up, radix=radix)),
    }
    price = shop.of_switch(switch, planned.sizing.device.server.vendor)
    refs = tuple(figure.source for figure in (switch.ports, switch.port_rate) if figure is not None)
    return tuple(
        BillItem(
            f"{level}-switches",
            BillCategory.NETWORK,
            Text(zh=f"{switch.name.zh}（{_LEVELS[level].zh}）", en=f"{switch.name.en} ({_LEVELS[level].en})"),
            count,
            "set",
            rules[level],
            VatClass.GOODS,
            price,
            refs=tuple(dict.fromkeys(refs)),
        )
        for level, count in (("leaf", leaf), ("spine", spine), ("core", core))
        if count
    )


def _cables(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    fabric = planned.fabric
    ports = endpoint_ports(planned.sizing.device.server)
    hosts, links = fabric.host_cables or 0, fabric.fabric_cables or 0
    if ports is None or not hosts or fabric.switch is None:
        return ()
    whole = _whole_cabling(fabric, shop)
    if whole is not None:
        return (whole,)
    copper = fabric.copper_hosts
    servers = hosts // ports[0]
    host_name = (
        Text(zh="服务器直连铜缆", en="Copper cable, server to switch")
        if copper
        else Text(zh="服务器光纤跳线", en="Fibre patch cable, server to switch")
    )
    host_rule = Rule("host-cables", numbers_of(servers=servers, ports=ports[0]))
    price = shop.of_class("cable-dac" if copper else "cable-fibre")
    lines = [
        BillItem(
            "host-cables", BillCategory.NETWORK, host_name, hosts, "piece", host_rule, VatClass.GOODS, price
        )
    ]
    if links:
        name = Text(zh="交换机互连光纤跳线", en="Fibre patch cable, switch to switch")
        rule = Rule("fabric-cables", numbers_of(links=links))
        fibre = shop.of_class("cable-fibre")
        lines.append(
            BillItem("fabric-cables", BillCategory.NETWORK, name, links, "piece", rule, VatClass.GOODS, fibre)
        )
    return (*lines, *_transceivers(fabric, links, shop))


def _whole_cabling(fabric: FabricPlan, shop: Shop) -> BillItem | None:
    """Return all transceivers and cables of an InfiniBand network as one line by port, where it is so priced.

    Modules of one maker for InfiniBand cost several times those for Ethernet, whose prices never stand in.
    """
    switch, rate, tiers, ports = (
        fabric.switch,
        fabric.endpoint_bytes_per_s,
        fabric.tiers,
        fabric.endpoints,
    )
    if switch is None or switch.technology != _INFINIBAND or not tiers or not ports or rate is None:
        return None
    price = shop.of_class(f"fabric-cabling-{tiers}l")
    if price is None or round(rate / BYTES_PER_S_PER_GBIT) != _CABLING_GBIT:
        return None
    rule = Rule(
        "network-cabling",
        numbers_of(
            cables=fabric.host_cables, links=fabric.fabric_cables, modules=fabric.transceivers, tiers=tiers
        ),
    )
    name = Text(
        zh="计算网络光模块与线缆（按计算网口）", en="Transceivers and cables of the network, by compute port"
    )
    return BillItem("network-cabling", BillCategory.NETWORK, name, ports, "port", rule, VatClass.GOODS, price)


def _optic_basis(switch: Switch, gbit: int) -> str:
    """Return the class of a transceiver; InfiniBand has classes of its own."""
    return f"optic-ib-{gbit}g" if switch.technology == _INFINIBAND else f"optic-{gbit}g"


def _transceivers(fabric: FabricPlan, links: int, shop: Shop) -> tuple[BillItem, ...]:
    """Return the modules at both ends of every optical cable, server and switch ends apart."""
    rate, switch = fabric.endpoint_bytes_per_s, fabric.switch
    if rate is None or switch is None or switch.port_rate is None:
        return ()
    host_gbit = round(rate / BYTES_PER_S_PER_GBIT)
    switch_gbit = round(switch.port_rate.si / BYTES_PER_S_PER_GBIT)
    at_hosts, at_switches = fabric.host_transceivers or 0, fabric.switch_transceivers or 0
    # Copper has its modules moulded on and appears as a cable only.
    cables = at_hosts
    lines = (
        ("host-transceivers", host_gbit, at_hosts, Rule("host-transceivers", numbers_of(cables=cables))),
        (
            "switch-transceivers",
            switch_gbit,
            at_switches,
            Rule(
                "switch-transceivers",
                numbers_of(cables=cables, per_port=switch_gbit // host_gbit, links=links),
            ),
        ),
    )
    ends = {
        "host-transceivers": Text(zh="服务器侧", en="server end"),
        "switch-transceivers": Text(zh="交换机侧", en="switch end"),
    }
    return tuple(
        BillItem(
            key,
            BillCategory.NETWORK,
            Text(zh=f"{gbit}G 光模块（{ends[key].zh}）", en=f"{gbit}G transceiver ({ends[key].en})"),
            count,
            "piece",
            rule,
            VatClass.GOODS,
            shop.of_class(_optic_basis(switch, gbit)),
        )
        for key, gbit, count, rule in lines
        if count
    )
