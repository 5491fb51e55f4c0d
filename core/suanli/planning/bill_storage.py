"""The lines of the bill for storage: drives and servers of each tier, or drives inside the servers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.domain.units import BYTES_PER_GB, BYTES_PER_TB
from suanli.planning import defaults
from suanli.planning.price_keys import class_key
from suanli.planning.results import BillCategory, BillItem, Rule, VatClass
from suanli.planning.shop import numbers_of
from suanli.planning.storage_results import TierKind
from suanli.planning.tiers import SERVER_MODELS

if TYPE_CHECKING:
    from suanli.planning.shop import Planned, Shop
    from suanli.planning.storage_results import StorageTier

__all__ = ["storage_lines"]


def storage_lines(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return the lines of the storage; none where the servers come with drives that are large enough."""
    storage = planned.storage
    if storage.local:
        return () if storage.drives_included else (_local_drives(planned, shop),)
    return tuple(line for tier in storage.tiers for line in (_drives(tier, shop), _servers(tier, shop)))


def _local_drives(planned: Planned, shop: Shop) -> BillItem:
    """Return the drives that are fitted into the training servers."""
    servers = planned.servers
    capacity, usable = planned.storage.capacity_bytes / BYTES_PER_TB, defaults.LOCAL_USABLE_SHARE
    rule = Rule("storage-local", numbers_of(servers=servers, capacity=round(capacity, 3), usable=usable))
    name = Text(zh="服务器本地闪存盘（裸容量）", en="Flash drives inside the servers (raw capacity)")
    quantity, price = servers * math.ceil(capacity / usable), shop.of_class("storage-flash-tb")
    return BillItem(
        "storage-flash",
        BillCategory.STORAGE,
        name,
        quantity,
        "TB",
        rule,
        VatClass.GOODS,
        price,
        price_key=class_key("storage-flash-tb"),
    )


_DRIVES = {
    TierKind.PERFORMANCE: (
        "storage-flash",
        Text(zh="企业级闪存盘（裸容量）", en="Enterprise flash drives (raw capacity)"),
        "storage-flash-tb",
    ),
    TierKind.CAPACITY: (
        "storage-disks",
        Text(zh="企业级大容量硬盘（裸容量）", en="Enterprise high-capacity disks (raw capacity)"),
        "storage-hdd-tb",
    ),
}
"""Id and rule of the line, its name, and the class of its price."""
_SERVERS = {
    TierKind.PERFORMANCE: (
        "storage-servers",
        Text(zh="存储服务器与并行文件系统软件", en="Storage servers with parallel file system"),
        "storage-server",
    ),
    TierKind.CAPACITY: (
        "capacity-servers",
        Text(zh="容量型存储服务器与对象存储软件", en="Capacity storage servers with object store"),
        "capacity-server",
    ),
}


def _drives(tier: StorageTier, shop: Shop) -> BillItem:
    """Return the raw capacity of a tier."""
    key, name, basis = _DRIVES[tier.kind]
    model = SERVER_MODELS[tier.kind]
    numbers = numbers_of(
        stored=round(tier.stored_bytes / BYTES_PER_TB, 2),
        fill=model.fill_share,
        usable=model.usable_share,
        strips=model.code.strips,
        drive=model.drive_tb,
    )
    return BillItem(
        key,
        BillCategory.STORAGE,
        name,
        tier.raw_tb,
        "TB",
        Rule(key, numbers),
        VatClass.GOODS,
        shop.of_class(basis),
        price_key=class_key(basis),
    )


def _servers(tier: StorageTier, shop: Shop) -> BillItem:
    """Return the servers that the drives are fitted into, with their software."""
    key, name, basis = _SERVERS[tier.kind]
    model = SERVER_MODELS[tier.kind]
    numbers = numbers_of(
        raw=tier.raw_tb,
        raw_each=model.raw_tb,
        read=round(tier.read_bytes_per_s / BYTES_PER_GB, 2),
        read_each=model.read_bytes_per_s / BYTES_PER_GB,
        write=round(tier.write_bytes_per_s / BYTES_PER_GB, 2),
        write_each=model.write_bytes_per_s / BYTES_PER_GB,
        minimum=model.code.least_servers,
    )
    return BillItem(
        key,
        BillCategory.STORAGE,
        name,
        tier.servers,
        "set",
        Rule("storage-tier-servers", numbers),
        VatClass.GOODS,
        shop.of_class(basis),
        price_key=class_key(basis),
    )
