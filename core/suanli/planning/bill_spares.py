"""The lines of the bill for spares: trays of rack-scale systems, and the kit of spare parts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.planning import defaults_bill as rules
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
    "flash": rules.DRIVE_SPARE_SHARE,
    "disks": rules.DRIVE_SPARE_SHARE,
}
"""Share that is kept as spares, by how the id of a line ends."""


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

    A spare costs what the part in use costs, and is counted in the same unit.
    """
    parts = ((line, _SHARES.get(line.id.rpartition("-")[2])) for line in lines)
    return tuple(_spare(line, share) for line, share in parts if share is not None)


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
    )
