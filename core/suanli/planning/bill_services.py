"""The lines of the bill that are not equipment: software, installation, cabling, commissioning, training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.market import PriceKind
from suanli.domain.record import Text
from suanli.planning import defaults_bill as rules
from suanli.planning.network.results import Purpose
from suanli.planning.price_keys import class_key, software_key
from suanli.planning.prices import subscription_price
from suanli.planning.results import BillCategory, BillItem, Rule, VatClass
from suanli.planning.shop import numbers_of

if TYPE_CHECKING:
    from suanli.domain.workload import Commercial
    from suanli.planning.shop import Planned, Shop

__all__ = ["cables_of", "service_lines", "software_lines"]


def software_lines(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    """Return the vendor's subscription for each device, where there is one, and the cluster's own software.

    A small cluster schedules on its own servers with what comes with the operating system.
    """
    own = () if planned.storage.local else (_cluster_software(planned, shop),)
    return (*_subscription(planned, shop), *own)


def _subscription(planned: Planned, shop: Shop) -> tuple[BillItem, ...]:
    accelerator = planned.sizing.device.accelerator
    own = shop.of_item(accelerator.id, PriceKind.SOFTWARE)
    chosen = own or subscription_price(shop.catalogue, accelerator.vendor, shop.region)
    if chosen is None:
        return ()
    count = planned.servers * planned.sizing.device.server.accelerator_count
    rule = Rule("software-devices", numbers_of(accelerators=count))
    return (
        BillItem(
            "software",
            BillCategory.SOFTWARE,
            chosen.item,
            count,
            "piece",
            rule,
            VatClass.SERVICES,
            chosen,
            price_key=software_key(accelerator.id),
        ),
    )


def _cluster_software(planned: Planned, shop: Shop) -> BillItem:
    return BillItem(
        "cluster-software",
        BillCategory.SOFTWARE,
        Text(
            zh="集群管理、作业调度与监控软件（含操作系统支持）",
            en="Cluster management, scheduling and monitoring software, with operating-system support",
        ),
        planned.servers,
        "licence",
        Rule("software-servers", numbers_of(servers=planned.servers)),
        VatClass.SERVICES,
        shop.of_class("cluster-software"),
        price_key=class_key("cluster-software"),
    )


def cables_of(planned: Planned) -> dict[str, int | None]:
    """Return the cables that are laid, by network; None where they are unknown, 0 where none are needed.

    They are counted from the plan and not from the bill, which may sell cabling by port.
    """
    fabric, network = planned.fabric, planned.network
    known = fabric.host_cables is not None and fabric.fabric_cables is not None
    found: dict[str, int | None] = {
        "compute": (fabric.host_cables or 0) + (fabric.fabric_cables or 0) if known else None
    }
    for purpose in Purpose:
        side = network.side(purpose) if network else None
        found[purpose.value] = 0 if side is None else side.cables
    return found


def service_lines(planned: Planned, commercial: Commercial, shop: Shop) -> tuple[BillItem, ...]:
    """Return works and services: installation, cabling, commissioning, training of operators.

    Args:
        planned: the cluster, whose networks say how many cables are laid.
        commercial: the posts that are trained.
        shop: prices.
    """
    once, cables = Rule("once"), cables_of(planned)
    works = _service(
        "installation",
        Text(zh="设备上架与安装工程", en="Installation works"),
        1,
        once,
        shop,
        vat=VatClass.WORKS,
    )
    commissioning = _service(
        "commissioning",
        Text(zh="系统集成、联调与验收测试", en="Integration, commissioning and acceptance tests"),
        1,
        once,
        shop,
    )
    laid = (_cabling(cables, shop),) if any(cables.values()) else ()
    return (works, *laid, commissioning, _training(commercial, shop))


def _cabling(cables: dict[str, int | None], shop: Shop) -> BillItem:
    """Return the laying of all cables that are known, those that are not named in the rule."""
    name = Text(zh="综合布线工程", en="Cabling works")
    count = sum(one or 0 for one in cables.values())
    missing = "–"
    numbers = numbers_of(**{key: missing if one is None else one for key, one in cables.items()})
    rule = Rule("cabling-works" if cables["compute"] is not None else "cabling-works-open", numbers)
    return _service("cabling-works", name, count, rule, shop, unit="cable", vat=VatClass.WORKS)


def _training(commercial: Commercial, shop: Shop) -> BillItem:
    """Return the training of the operators, in days of one person."""
    posts = rules.TRAINING_POSTS if commercial.staff_fte is None else commercial.staff_fte
    rule = Rule("operator-training", numbers_of(posts=posts, days=rules.TRAINING_DAYS))
    name = Text(zh="运维人员培训", en="Training of operators")
    count = math.ceil(posts * rules.TRAINING_DAYS)
    return _service("operator-training", name, count, rule, shop, unit="person-day")


def _service(  # noqa: PLR0913 - the parts of a line
    key: str,
    name: Text,
    quantity: int,
    rule: Rule,
    shop: Shop,
    *,
    unit: str = "item",
    vat: VatClass = VatClass.SERVICES,
) -> BillItem:
    # A lump sum is for one cluster; what is paid by cable or day is the same for all.
    asked = "" if unit == "item" else class_key(key)
    price = shop.of_class(key)
    return BillItem(key, BillCategory.SERVICES, name, quantity, unit, rule, vat, price, price_key=asked)
