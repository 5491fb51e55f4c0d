"""What suppliers are asked to quote: each thing of the bills once, with its quantity in every option."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.hardware import Precision, Switch
from suanli.domain.record import Text
from suanli.domain.units import BYTES_PER_GB, BYTES_PER_S_PER_GBIT
from suanli.planning.price_keys import line_key, server_key, switch_key
from suanli.planning.results import BillCategory
from suanli.prices.things import thing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.market import Price
    from suanli.estimation.results import Device
    from suanli.planning.results import BillItem, ClusterPlan

__all__ = ["Asked", "asked_of_keys", "asked_of_plans"]

_TERA = 1e12
_NO_TEXT = ("", "")
_SAME_AS_SERVERS = "same-as-servers"


@dataclass(slots=True)
class Asked:
    """One row of a quote sheet."""

    key: str
    name: Text
    unit: str
    specification: tuple[str, str] = _NO_TEXT
    """What it must be, in Chinese and English and without brands; empty where its name says it."""
    quantities: dict[str, Decimal] = field(default_factory=dict[str, Decimal])
    """By option; empty where no project asks."""
    price: Price | None = None
    """What the catalogue knows today."""

    @property
    def quantity(self) -> Decimal | None:
        """Return the largest quantity of all options; only one of them will be bought."""
        return max(self.quantities.values(), default=None)


def asked_of_plans(plans: Mapping[str, ClusterPlan], catalogue: Catalogue) -> tuple[Asked, ...]:
    """Return what the bills of all options consist of, in the order of the first bill that has it.

    Args:
        plans: options by key.
        catalogue: what keys may name.
    """
    rows: dict[str, Asked] = {}
    for option, plan in plans.items():
        device = plan.sizing.device
        for item in plan.bill:
            key = item.price_key or line_key(item.id, device.accelerator.id)
            row = rows.get(key)
            if row is None:
                row = rows[key] = _row(key, item, plan, catalogue)
            elif item.category is not BillCategory.SPARES and key.startswith("class:"):
                row.name = _joined(row.name, item.name)
            # Boards that the catalogue prices apart are a part of the server that is quoted whole.
            if item.rule.key != _SAME_AS_SERVERS:
                count = item.quantity * _factor(item)
                row.quantities[option] = row.quantities.get(option, Decimal(0)) + count
    return tuple(rows.values())


def _joined(known: Text, name: Text) -> Text:
    """Return the names of a class that several lines ask for under names of their own."""
    if name.zh in known.zh.split("；"):
        return known
    return Text(zh=f"{known.zh}；{name.zh}", en=f"{known.en}; {name.en}")


def _factor(item: BillItem) -> Decimal:
    """Return the priced units in one unit of a line; a server is one, whatever its boards cost apart."""
    return Decimal(1) if item.price_key.startswith("server:") else item.price_factor


def _row(key: str, item: BillItem, plan: ClusterPlan, catalogue: Catalogue) -> Asked:
    thing, device = thing_of(key, catalogue), plan.sizing.device
    name = thing.name or item.name
    if key.startswith("line:"):
        # Two options ask for the same work on different machines.
        name = Text(
            zh=f"{name.zh}（用于 {device.accelerator.name.zh}）",
            en=f"{name.en} (for {device.accelerator.name.en})",
        )
    whole = item.rule.key != _SAME_AS_SERVERS and item.price_factor == 1
    known = item.price if whole or not key.startswith("server:") else None
    return Asked(key, name, thing.per or item.unit, _specification(key, plan, catalogue), price=known)


def _specification(key: str, plan: ClusterPlan, catalogue: Catalogue) -> tuple[str, str]:
    """Return what a server or a switch must be at least; what else is bought is described by its name."""
    device = plan.sizing.device
    if key == server_key(device.server.id, device.accelerator.id):
        return _server(device)
    switch = catalogue.find(Switch, key.removeprefix(switch_key("")))
    return _NO_TEXT if switch is None else _switch(switch)


def _server(device: Device) -> tuple[str, str]:
    count, accelerator = device.server.accelerator_count, device.accelerator
    zh, en = [f"每台加速卡不少于 {count} 张"], [f"at least {count} accelerators each"]
    # Rounded down: what the device has must meet it.
    memory = f"{math.floor(accelerator.memory.si / BYTES_PER_GB)} GB"
    zh.append(f"单卡显存不低于 {memory}")
    en.append(f"at least {memory} of memory per accelerator")
    peak = accelerator.peak_flops_per_s(Precision.BF16)
    if peak:
        rate = f"{math.floor(peak / _TERA):,} TFLOPS"
        zh.append(f"单卡 BF16 稠密算力不低于 {rate}")
        en.append(f"at least {rate} of dense BF16 per accelerator")
    return "；".join(zh), "; ".join(en)


def _switch(switch: Switch) -> tuple[str, str]:
    if switch.ports is None or switch.port_rate is None:
        return _NO_TEXT
    ports, rate = round(switch.ports.si), round(switch.port_rate.si / BYTES_PER_S_PER_GBIT)
    return f"不少于 {ports} 个 {rate} Gbit/s 端口", f"at least {ports} ports of {rate} Gbit/s"


def asked_of_keys(keys: Iterable[str], catalogue: Catalogue) -> tuple[Asked, ...]:
    """Return rows for things named by key, without a project.

    Raises:
        InputError: a key is unknown.
    """
    things = [thing_of(key, catalogue) for key in dict.fromkeys(keys)]
    return tuple(
        Asked(thing.key, thing.name or Text(zh=thing.basis, en=thing.basis), thing.per) for thing in things
    )
