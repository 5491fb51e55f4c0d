"""The lines of the bill for spares: trays of rack-scale systems, and the kit of spare parts."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.planning import defaults_bill as rules
from suanli.planning.defaults_storage import CAPACITY_DRIVE_TB, FLASH_DRIVE_TB
from suanli.planning.results import BillCategory, BillItem, Rule, VatClass
from suanli.planning.shop import numbers_of
from suanli.planning.spares import SPARE_RULE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.planning.shop import Planned

__all__ = ["spare_part_lines", "spare_refs", "spare_tray_lines"]

_SHARES = {
    "transceivers": rules.TRANSCEIVER_SPARE_SHARE,
    "cables": rules.CABLE_SPARE_SHARE,
    "cabling": rules.CABLE_SPARE_SHARE,
    "links": rules.CABLE_SPARE_SHARE,
}
"""Share that is kept as spares, by how the id of a line ends."""
_DRIVES = {
    "storage-flash": (Text(zh="企业级闪存盘", en="Enterprise flash drive"), FLASH_DRIVE_TB),
    "storage-disks": (
        Text(zh="企业级大容量硬盘", en="Enterprise high-capacity disk"),
        CAPACITY_DRIVE_TB,
    ),
}
"""Name and capacity in TB of one drive, by the id of the line that buys them by capacity."""


def spare_refs(planned: Planned) -> tuple[str, ...]:
    """Return the source of the failure rate behind the spares; none where the project states either."""
    source = planned.sizing.goodput.failure_source
    return (source,) if source and planned.spare_rule.key == SPARE_RULE else ()


def spare_tray_lines(planned: Planned) -> tuple[BillItem, ...]:
    """Return the trays of a rack-scale system that lie on site; none for servers, whose spares stand by."""
    if not planned.spare_trays:
        return ()
    server = planned.sizing.device.server
    name = Text(zh=f"{server.name.zh} 计算托盘（备件）", en=f"{server.name.en}, compute tray (spare)")
    return (
        BillItem(
            "spare-trays",
            BillCategory.SPARES,
            name,
            planned.spare_trays,
            "set",
            planned.spare_rule,
            VatClass.GOODS,
            None,
            refs=spare_refs(planned),
        ),
    )


def spare_part_lines(lines: Iterable[BillItem]) -> tuple[BillItem, ...]:
    """Return the kit of spare parts: a share of the transceivers, cables and drives on the bill.

    A spare costs what the part in use costs, and is counted in the same unit; drives, which are bought by
    capacity, are kept whole.
    """
    lines = tuple(lines)
    parts = ((line, _SHARES.get(line.id.rpartition("-")[2])) for line in lines)
    kit = (_spare(line, share) for line, share in parts if share is not None)
    return (*kit, *(_spare_drives(line) for line in lines if line.id in _DRIVES))


def _spare_drives(line: BillItem) -> BillItem:
    """Return whole spare drives, whose price is that of their capacity."""
    name, drive_tb = _DRIVES[line.id]
    share, drives = rules.DRIVE_SPARE_SHARE, math.ceil(line.quantity / drive_tb)
    return BillItem(
        f"spare-{line.id}",
        BillCategory.SPARES,
        Text(zh=f"{name.zh}（{drive_tb:g} TB），备件", en=f"{name.en} of {drive_tb:g} TB, spare"),
        math.ceil(drives * share),
        "drive",
        Rule(
            "spare-drives",
            numbers_of(installed=line.quantity, drive=drive_tb, drives=drives, share=f"{share:.0%}"),
        ),
        line.vat,
        line.price,
        line.price_factor * Decimal(repr(drive_tb)),
        price_key=line.price_key,
    )


def _spare(line: BillItem, share: float) -> BillItem:
    return BillItem(
        f"spare-{line.id}",
        BillCategory.SPARES,
        Text(zh=f"{line.name.zh}，备件", en=f"{line.name.en}, spare"),
        math.ceil(line.quantity * share),
        line.unit,
        Rule("spare-share", numbers_of(installed=line.quantity, share=f"{share:.0%}")),
        line.vat,
        line.price,
        line.price_factor,
        price_key=line.price_key,
    )
