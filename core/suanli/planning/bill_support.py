"""The lines of the bill that run the cluster: management, login and monitoring servers, their switches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.planning import defaults
from suanli.planning import defaults_bill as rules
from suanli.planning.network.results import Purpose
from suanli.planning.network.selection import boxes_in
from suanli.planning.price_keys import class_key
from suanli.planning.results import BillCategory, BillItem, Rule, VatClass
from suanli.planning.shop import numbers_of

if TYPE_CHECKING:
    from suanli.planning.shop import Planned, Shop

__all__ = ["login_servers", "management_servers", "monitoring_servers", "support_lines", "support_servers"]


def management_servers(servers: int) -> int:
    """Return three management servers for a quorum and one more for each further group of training servers.

    >>> management_servers(32), management_servers(33)
    (3, 4)
    """
    # Two beyond one per group: a scheduler and its store need three members to agree.
    return 2 + math.ceil(servers / defaults.NODES_PER_MANAGEMENT_SERVER)


def login_servers(servers: int) -> int:
    """Return two login servers and one more for each further group of training servers.

    >>> login_servers(128), login_servers(129)
    (2, 3)
    """
    return rules.LOGIN_SERVERS + math.ceil(servers / rules.NODES_PER_LOGIN_SERVER) - 1


def monitoring_servers(servers: int) -> int:
    """Return two servers for metrics and logs and one more for each further group of training servers.

    >>> monitoring_servers(128), monitoring_servers(129)
    (2, 3)
    """
    return rules.MONITORING_SERVERS + math.ceil(servers / rules.NODES_PER_MONITORING_SERVER) - 1


def support_servers(planned: Planned) -> int:
    """Return all servers that run the cluster; a small cluster runs on its own servers."""
    if planned.storage.local:
        return 0
    count = planned.servers
    return management_servers(count) + login_servers(count) + monitoring_servers(count)


def support_lines(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return management, login and monitoring servers, the out-of-band switches and their cables, if any."""
    own = () if planned.storage.local else _servers(planned, shop)
    lines = (*own, _switches(planned, shop), _cables(planned, shop))
    return tuple(line for line in lines if line.quantity)


def _servers(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    servers = planned.servers
    rows = (
        (
            "management-servers",
            Text(zh="管理与调度服务器", en="Management and scheduling servers"),
            management_servers(servers),
            Rule(
                "management-servers",
                numbers_of(servers=servers, per_server=defaults.NODES_PER_MANAGEMENT_SERVER),
            ),
        ),
        (
            "login-servers",
            Text(zh="登录与数据导入服务器", en="Login and data-transfer servers"),
            login_servers(servers),
            _grouped(servers, rules.LOGIN_SERVERS, rules.NODES_PER_LOGIN_SERVER),
        ),
        (
            "monitoring-servers",
            Text(zh="监控与日志服务器", en="Monitoring and log servers"),
            monitoring_servers(servers),
            _grouped(servers, rules.MONITORING_SERVERS, rules.NODES_PER_MONITORING_SERVER),
        ),
    )
    # All three kinds are the same two-socket server.
    price = shop.of_class("management-server")
    return tuple(
        BillItem(
            key,
            BillCategory.MANAGEMENT,
            name,
            count,
            "set",
            rule,
            VatClass.GOODS,
            price,
            price_key=class_key("management-server"),
        )
        for key, name, count, rule in rows
    )


def _grouped(servers: int, base: int, per_server: int) -> Rule:
    return Rule("login-servers", numbers_of(base=base, servers=servers, per_server=per_server))


def _switches(planned: Planned, shop: Shop) -> BillItem:
    """Return the out-of-band switches; one server's management port goes to the building's network."""
    side = planned.network.side(Purpose.MANAGEMENT) if planned.network else None
    servers = planned.servers * boxes_in(planned.sizing.device.server)
    managers, storage = support_servers(planned), planned.storage.servers
    each, radix = defaults.OUT_OF_BAND_PORTS_PER_SERVER, defaults.OUT_OF_BAND_PORTS
    count, ports = (0, 0) if side is None else (side.switches or 0, side.ports)
    numbers = numbers_of(
        servers=servers,
        managers=managers,
        storage=storage,
        ports=each,
        switches=ports - (servers + managers + storage) * each,
        radix=radix,
    )
    return BillItem(
        "management-switches",
        BillCategory.MANAGEMENT,
        Text(zh="带外管理交换机", en="Out-of-band management switches"),
        count,
        "set",
        Rule("management-switches", numbers),
        VatClass.GOODS,
        shop.of_class("management-switch"),
        price_key=class_key("management-switch"),
    )


def _cables(planned: Planned, shop: Shop) -> BillItem:
    """Return the patch cables of the out-of-band network; its uplinks are on the storage network's bill."""
    side = planned.network.side(Purpose.MANAGEMENT) if planned.network else None
    count = 0 if side is None else side.ports
    return BillItem(
        "management-cables",
        BillCategory.MANAGEMENT,
        Text(zh="带外管理网线（铜缆跳线）", en="Out-of-band copper patch cables"),
        count,
        "piece",
        Rule("management-cables", numbers_of(ports=count)),
        VatClass.GOODS,
        shop.of_class("cable-patch"),
        price_key=class_key("cable-patch"),
    )
