"""The bill of quantities: everything to be bought, with the rule that gave it, priced or said not to be."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.market import PriceKind
from suanli.domain.record import Text
from suanli.planning.bill_facility import facility_lines
from suanli.planning.bill_network import network_lines
from suanli.planning.bill_services import service_lines, software_lines
from suanli.planning.bill_spares import spare_part_lines, spare_refs, spare_tray_lines
from suanli.planning.bill_storage import storage_lines
from suanli.planning.bill_support import support_lines
from suanli.planning.lead_times import with_lead_times
from suanli.planning.network.selection import endpoint_ports
from suanli.planning.price_keys import server_key
from suanli.planning.prices import server_price
from suanli.planning.results import BillCategory, BillItem, Rule, VatClass
from suanli.planning.shop import Planned, Shop, numbers_of

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement

__all__ = [
    "Planned",
    "equipment_lines",
    "plan_bill",
    "unpriced",
]


def unpriced(bill: tuple[BillItem, ...]) -> tuple[BillItem, ...]:
    """Return the items without a price; as long as there are any, totals are incomplete."""
    return tuple(item for item in bill if item.price is None)


def equipment_lines(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return the lines of what draws power: servers, networks, storage, management, spare servers."""
    return (
        *_compute(planned, shop),
        *network_lines(planned, shop),
        *storage_lines(planned, shop),
        *support_lines(planned, shop),
        *_spares(planned, shop),
    )


def plan_bill(planned: Planned, requirement: Requirement, catalogue: Catalogue) -> tuple[BillItem, ...]:
    """Return the complete bill of quantities of a cluster, in the order of the document."""
    accelerator = planned.sizing.device.accelerator.id
    shop = Shop(catalogue, requirement.site.region, accelerator)
    network, storage = network_lines(planned, shop), storage_lines(planned, shop)
    support = support_lines(planned, shop)
    bill = (
        *_compute(planned, shop),
        *network,
        *storage,
        *support,
        *facility_lines(planned, shop, requirement.site.hall),
        *software_lines(planned, shop),
        *service_lines(planned, requirement.commercial, shop),
        *_spares(planned, shop),
        *spare_tray_lines(planned),
        # Drives inside a few servers are mirrored and under the servers' own warranty.
        *spare_part_lines((*network, *(() if planned.storage.local else storage), *support)),
    )
    return with_lead_times(shop.with_line_prices(bill), accelerator, catalogue)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Servers to be bought, for work or as spares."""

    key: str
    category: BillCategory
    quantity: int
    rule: Rule
    refs: tuple[str, ...] = ()
    """Source ids of the quantity."""


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
        return (
            BillItem(
                key,
                category,
                server.name,
                quantity,
                "set",
                rule,
                VatClass.GOODS,
                price,
                refs=wanted.refs,
                price_key=server_key(server.id, accelerator.id),
            ),
        )
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
            price_key=server_key(server.id, accelerator.id),
        ),
        BillItem(
            key,
            category,
            rest,
            quantity,
            "set",
            rule,
            VatClass.GOODS,
            None,
            refs=wanted.refs,
            price_key=server_key(server.id, accelerator.id),
        ),
    )


def _compute(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    sizing = planned.sizing
    per_server = sizing.device.server.accelerator_count
    rule = Rule("servers", numbers_of(accelerators=sizing.accelerators, per_server=per_server))
    servers = _server_lines(planned, shop, _Wanted("servers", BillCategory.COMPUTE, sizing.nodes, rule))
    return (*servers, *_network_cards(planned))


def _network_cards(planned: Planned) -> tuple[BillItem, ...]:
    """Return a line to be fixed by quotation where the catalogue knows no network card of the server."""
    if planned.sizing.nodes == 1 or endpoint_ports(planned.sizing.device.server) is not None:
        return ()
    name = Text(zh="计算网卡（随服务器报价确认）", en="Network cards for the compute network, by quotation")
    rule = Rule("nics-unknown")
    return (BillItem("compute-nics", BillCategory.NETWORK, name, 1, "item", rule, VatClass.GOODS, None),)


def _spares(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    if not planned.spares:
        return ()
    wanted = _Wanted(
        "spare-servers", BillCategory.SPARES, planned.spares, planned.spare_rule, spare_refs(planned)
    )
    return _server_lines(planned, shop, wanted)
