"""The bill of quantities: everything to be bought, with the rule that gave it, priced or said not to be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.market import PriceKind
from suanli.domain.record import Text
from suanli.domain.units import BYTES_PER_TB
from suanli.planning import defaults
from suanli.planning.bill_network import network_lines
from suanli.planning.prices import server_price, subscription_price
from suanli.planning.results import BillCategory, BillItem, Rule, StoragePlan, VatClass
from suanli.planning.shop import Planned, Shop, numbers_of

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement

__all__ = [
    "Planned",
    "management_servers",
    "plan_bill",
    "raw_storage_tb",
    "servers_priced",
    "storage_servers",
    "unpriced",
]


def unpriced(bill: tuple[BillItem, ...]) -> tuple[BillItem, ...]:
    """Return the items without a price; as long as there are any, totals are incomplete."""
    return tuple(item for item in bill if item.price is None)


def servers_priced(bill: tuple[BillItem, ...]) -> bool:
    """Tell whether the servers, which make most of the cost, are priced whole; else costs do not compare."""
    return all(item.price is not None for item in bill if item.category is BillCategory.COMPUTE)


def management_servers(servers: int) -> int:
    """Return three management servers for a quorum and one more for each further group of training servers.

    >>> management_servers(32), management_servers(33)
    (3, 4)
    """
    # Two beyond one per group: a scheduler and its store need three members to agree.
    return 2 + math.ceil(servers / defaults.NODES_PER_MANAGEMENT_SERVER)


def raw_storage_tb(storage: StoragePlan) -> int:
    """Return the raw flash in TB behind a usable capacity."""
    return math.ceil(storage.capacity_bytes / BYTES_PER_TB / defaults.STORAGE_USABLE_SHARE)


def storage_servers(raw_tb: int) -> int:
    """Return the storage servers that hold the raw flash.

    >>> storage_servers(100), storage_servers(3700)
    (3, 11)
    """
    return max(defaults.STORAGE_SERVERS_MINIMUM, math.ceil(raw_tb / defaults.STORAGE_SERVER_TB))


def plan_bill(planned: Planned, requirement: Requirement, catalogue: Catalogue) -> tuple[BillItem, ...]:
    """Return the complete bill of quantities of a cluster, in the order of the document."""
    shop = Shop(catalogue, requirement.site.region)
    return (
        *_compute(planned, shop),
        *network_lines(planned, shop),
        *_storage(planned, shop),
        *_management(planned, shop),
        *_facility(planned, requirement.site.redundancy, shop),
        *_software(planned, shop),
        *_services(shop),
        *_spares(planned, shop),
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Servers to be bought, for work or as spares."""

    key: str
    category: BillCategory
    quantity: int
    rule: Rule


def _server_lines(planned: Planned, shop: Shop, wanted: _Wanted) -> tuple[BillItem, ...]:
    """Return the line of whole servers.

    Where only the devices have a price, the rest of the server is a line of its own, not priced.
    """
    device = planned.sizing.device
    server, accelerator = device.server, device.accelerator
    price = server_price(shop.catalogue, server, accelerator, shop.region)
    # A price of boards is used only where the whole server has none: it misses host, fans and assembly.
    boards = None if price is not None else shop.of_item(accelerator.id, PriceKind.ACCELERATOR)
    key, category, quantity, rule = wanted.key, wanted.category, wanted.quantity, wanted.rule
    if boards is None:
        item = BillItem(key, category, server.name, quantity, "set", rule, VatClass.GOODS, price)
        return (item,)
    count = server.accelerator_count
    name = Text(
        zh=f"{accelerator.name.zh}（每台 {count} 张）", en=f"{accelerator.name.en} ({count} per server)"
    )
    rest = Text(zh=f"{server.name.zh}，不含加速卡", en=f"{server.name.en}, without accelerators")
    return (
        BillItem(
            key.replace("servers", "accelerators"),
            category,
            name,
            quantity,
            "set",
            Rule("same-as-servers", numbers_of(servers=quantity)),
            VatClass.GOODS,
            boards,
            Decimal(count),
        ),
        BillItem(key, category, rest, quantity, "set", rule, VatClass.GOODS, None),
    )


def _compute(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    sizing = planned.sizing
    per_server = sizing.device.server.accelerator_count
    rule = Rule("servers", numbers_of(accelerators=sizing.accelerators, per_server=per_server))
    return _server_lines(planned, shop, _Wanted("servers", BillCategory.COMPUTE, sizing.nodes, rule))


def _spares(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    if not planned.spares:
        return ()
    wanted = _Wanted("spare-servers", BillCategory.SPARES, planned.spares, planned.spare_rule)
    return _server_lines(planned, shop, wanted)


def _local_storage(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return the drives that are fitted into the servers; none where these come with enough."""
    storage = planned.storage
    if storage.drives_included:
        return ()
    capacity, usable = storage.capacity_bytes / BYTES_PER_TB, defaults.LOCAL_USABLE_SHARE
    rule = Rule(
        "storage-local", numbers_of(servers=planned.servers, capacity=round(capacity, 3), usable=usable)
    )
    return (
        BillItem(
            "storage-flash",
            BillCategory.STORAGE,
            Text(zh="服务器本地闪存盘（裸容量）", en="Flash drives inside the servers (raw capacity)"),
            planned.servers * math.ceil(capacity / usable),
            "TB",
            rule,
            VatClass.GOODS,
            shop.of_class("storage-flash-tb"),
        ),
    )


def _storage(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    storage = planned.storage
    if storage.local:
        return _local_storage(planned, shop)
    raw = raw_storage_tb(storage)
    return _flash(storage, raw, shop), _storage_servers(raw, shop)


def _flash(storage: StoragePlan, raw_tb: int, shop: Shop) -> BillItem:
    """Return the flash behind the data set and the checkpoints that are kept."""
    rule = Rule(
        "storage-flash",
        numbers_of(
            dataset=round(storage.dataset_bytes / BYTES_PER_TB, 2),
            kept=storage.checkpoints_kept,
            checkpoint=round(storage.checkpoint_bytes / BYTES_PER_TB, 3),
            fill=defaults.STORAGE_FILL_SHARE,
            usable=defaults.STORAGE_USABLE_SHARE,
        ),
    )
    name = Text(zh="企业级闪存盘（裸容量）", en="Enterprise flash drives (raw capacity)")
    price = shop.of_class("storage-flash-tb")
    return BillItem("storage-flash", BillCategory.STORAGE, name, raw_tb, "TB", rule, VatClass.GOODS, price)


def _storage_servers(raw_tb: int, shop: Shop) -> BillItem:
    """Return the servers that the flash is fitted into, with the file system."""
    rule = Rule(
        "storage-servers",
        numbers_of(
            minimum=defaults.STORAGE_SERVERS_MINIMUM, raw=raw_tb, per_server=defaults.STORAGE_SERVER_TB
        ),
    )
    return BillItem(
        "storage-servers",
        BillCategory.STORAGE,
        Text(zh="存储服务器与并行文件系统软件", en="Storage servers with parallel file system"),
        storage_servers(raw_tb),
        "set",
        rule,
        VatClass.GOODS,
        shop.of_class("storage-server"),
    )


def _managers(planned: Planned) -> int:
    """Return the management servers; a small cluster schedules on its own servers."""
    return 0 if planned.storage.local else management_servers(planned.servers)


def _management(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    servers, managers = planned.servers, _managers(planned)
    ports, radix = defaults.OUT_OF_BAND_PORTS_PER_SERVER, defaults.OUT_OF_BAND_PORTS
    # One server's management port goes to the building's network.
    switches = math.ceil((servers + managers) * ports / radix) if servers > 1 else 0
    lines = (
        BillItem(
            "management-servers",
            BillCategory.MANAGEMENT,
            Text(zh="管理与调度服务器", en="Management and scheduling servers"),
            managers,
            "set",
            Rule(
                "management-servers",
                numbers_of(servers=servers, per_server=defaults.NODES_PER_MANAGEMENT_SERVER),
            ),
            VatClass.GOODS,
            shop.of_class("management-server"),
        ),
        BillItem(
            "management-switches",
            BillCategory.MANAGEMENT,
            Text(zh="带外管理交换机", en="Out-of-band management switches"),
            switches,
            "set",
            Rule(
                "management-switches",
                numbers_of(servers=servers, managers=managers, ports=ports, radix=radix),
            ),
            VatClass.GOODS,
            shop.of_class("management-switch"),
        ),
    )
    return tuple(item for item in lines if item.quantity)


def _support_racks(planned: Planned) -> int:
    """Return the racks of compute switches, storage and management by their height.

    The few switches of a small cluster stand with its servers.
    """
    if planned.storage.local:
        return 0
    switch, count = planned.fabric.switch, planned.fabric.switches or 0
    known = None if switch is None else switch.rack_units
    height = defaults.SUPPORT_DEVICE_RACK_UNITS if known is None else known.si
    others = storage_servers(raw_storage_tb(planned.storage)) + _managers(planned)
    units = count * height + others * defaults.SUPPORT_DEVICE_RACK_UNITS
    return math.ceil(units / (defaults.RACK_UNITS - defaults.RACK_UNITS_RESERVED))


def _facility(planned: Planned, redundancy: str, shop: Shop) -> tuple[BillItem, ...]:
    """Return racks and their power distribution; one line without a price where the power is unknown."""
    name, block = Text(zh="机柜", en="Racks"), BillCategory.FACILITY
    if planned.power is None:
        return (BillItem("racks", block, name, 1, "item", Rule("racks-unknown"), VatClass.GOODS, None),)
    support = _support_racks(planned)
    racks = planned.power.racks + support
    feeds = defaults.PDUS_PER_RACK.get(redundancy, max(defaults.PDUS_PER_RACK.values()))
    rule = Rule(
        "racks",
        numbers_of(servers=planned.servers, per_rack=max(1, planned.power.servers_per_rack), support=support),
    )
    pdu_rule = Rule("pdus", numbers_of(racks=racks, per_rack=feeds))
    pdu_name = Text(zh="机柜配电单元（PDU）", en="Rack power distribution units")
    rack_price, pdu_price = shop.of_class("rack"), shop.of_class("pdu")
    return (
        BillItem("racks", block, name, racks, "rack", rule, VatClass.GOODS, rack_price),
        BillItem("pdus", block, pdu_name, racks * feeds, "piece", pdu_rule, VatClass.GOODS, pdu_price),
    )


def _software(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return the subscription that the vendor charges for each device, where the catalogue has one."""
    accelerator = planned.sizing.device.accelerator
    own = shop.of_item(accelerator.id, PriceKind.SOFTWARE)
    chosen = own or subscription_price(shop.catalogue, accelerator.vendor, shop.region)
    if chosen is None:
        return ()
    count = planned.servers * planned.sizing.device.server.accelerator_count
    rule = Rule("software-devices", numbers_of(accelerators=count))
    return (
        BillItem(
            "software", BillCategory.SOFTWARE, chosen.item, count, "piece", rule, VatClass.SERVICES, chosen
        ),
    )


def _services(shop: Shop) -> tuple[BillItem, ...]:
    once = Rule("once")
    return (
        BillItem(
            "installation",
            BillCategory.SERVICES,
            Text(zh="安装与布线工程", en="Installation and cabling works"),
            1,
            "item",
            once,
            VatClass.WORKS,
            shop.of_class("installation"),
        ),
        BillItem(
            "commissioning",
            BillCategory.SERVICES,
            Text(zh="联调、验收测试与培训", en="Commissioning, acceptance tests and training"),
            1,
            "item",
            once,
            VatClass.SERVICES,
            shop.of_class("commissioning"),
        ),
    )
