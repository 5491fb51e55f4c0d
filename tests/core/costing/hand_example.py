"""The cluster of the example that docs/costing.md works by hand: its bill and power stay as they are there.

The planner's own bill grows with what is known of clusters; sums that were done by hand do not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tests.factories import sizing, text

from suanli.domain.market import PriceKind
from suanli.planning.cluster import plan_cluster
from suanli.planning.energy import plan_energy
from suanli.planning.results import BillCategory, BillItem, Rule, VatClass
from suanli.planning.shop import Shop

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.planning.results import ClusterPlan, PowerPlan

__all__ = ["hand_plan"]

_CLASSES: Final = (
    ("host-cables", BillCategory.NETWORK, 40, "piece", VatClass.GOODS, "cable-fibre"),
    ("host-transceivers", BillCategory.NETWORK, 80, "piece", VatClass.GOODS, "optic-ib-400g"),
    ("storage-flash", BillCategory.STORAGE, 21, "TB", VatClass.GOODS, "storage-flash-tb"),
    ("storage-servers", BillCategory.STORAGE, 3, "set", VatClass.GOODS, "storage-server"),
    ("management-servers", BillCategory.MANAGEMENT, 3, "set", VatClass.GOODS, "management-server"),
    ("management-switches", BillCategory.MANAGEMENT, 1, "set", VatClass.GOODS, "management-switch"),
    ("racks", BillCategory.FACILITY, 3, "rack", VatClass.GOODS, "rack"),
    ("pdus", BillCategory.FACILITY, 6, "piece", VatClass.GOODS, "pdu"),
    ("installation", BillCategory.SERVICES, 1, "item", VatClass.WORKS, "installation"),
    ("commissioning", BillCategory.SERVICES, 1, "item", VatClass.SERVICES, "commissioning"),
)
"""Id, block, quantity, unit, VAT class and class of the price of the lines that are no catalogue record."""


def hand_plan(nodes: int, needed: Requirement, goods: Catalogue) -> ClusterPlan:
    """Return a plan with the bill and the power of the example, for so many servers at work."""
    plan = plan_cluster(sizing(nodes), needed, goods)
    if plan.power is None:
        return plan
    power = _power(plan.power, nodes)
    energy = plan_energy(plan.sizing, plan.spare_nodes, power, needed)
    return replace(plan, bill=_bill(nodes, Shop(goods, needed.site.region)), power=power, energy=energy)


def _power(known: PowerPlan, nodes: int) -> PowerPlan:
    """Return 10 kW a server with a spare, 1.5 kW for a switch, 5 % of the working servers for the rest."""
    working_w = known.server_training_w.p50 * nodes
    peak_w = 10_000.0 * (nodes + 1) + 1_500.0 + 0.05 * working_w
    return replace(known, network_w=1_500.0, auxiliary_w=0.05 * working_w, it_peak_w=peak_w)


def _bill(nodes: int, shop: Shop) -> tuple[BillItem, ...]:
    rule, server = Rule("once"), shop.of_item("acme-box", PriceKind.SERVER)
    switch = shop.of_item("acme-64", PriceKind.SWITCH)
    compute, network, spares = BillCategory.COMPUTE, BillCategory.NETWORK, BillCategory.SPARES
    goods = VatClass.GOODS
    return (
        BillItem("servers", compute, text("servers"), nodes, "set", rule, goods, server),
        BillItem("leaf-switches", network, text("switch"), 1, "set", rule, goods, switch),
        *(
            BillItem(key, block, text(key), count, unit, rule, vat, shop.of_class(basis))
            for key, block, count, unit, vat, basis in _CLASSES
        ),
        BillItem("spare-servers", spares, text("spare"), 1, "set", rule, goods, server),
    )
