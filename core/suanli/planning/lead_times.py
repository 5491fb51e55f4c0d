"""Lead times of the lines of a bill, where a source states one; nothing is guessed from a relative."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from suanli.domain.figure import Grade, Source
from suanli.domain.market import SiteFigure
from suanli.domain.record import Text
from suanli.domain.units import S_PER_DAY
from suanli.planning.results import BillCategory, LeadTime

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.planning.results import BillItem

__all__ = ["lead_time", "lead_time_text", "with_lead_times"]

_CLASSES = {"transceivers": "transceiver", "disks": "disk", "flash": "flash", "switches": "switch"}
"""Class of a line by how its id ends."""
_WEEK_S = 7 * S_PER_DAY
_OPEN = "longer than"
"""Words of a note that say that the figure is a lower bound."""


def lead_time(catalogue: Catalogue, thing: str) -> LeadTime | None:
    """Return the lead time of a class of things or a device, or None where no record states one.

    Args:
        catalogue: site figures ``lead-time-THING``.
        thing: ``transceiver``, ``disk``, ``flash``, ``switch``, or ``server-`` and the id of an accelerator.
    """
    record = catalogue.find(SiteFigure, f"lead-time-{thing}")
    if record is None or record.figure.grade is Grade.BARRED:
        return None
    figure, source = record.figure, catalogue.find(Source, record.figure.source)
    factor = figure.si / figure.value
    return LeadTime(
        low_s=factor * (figure.value if figure.low is None else figure.low),
        high_s=factor * (figure.value if figure.high is None else figure.high),
        as_of=source.published if source else "",
        source=figure.source,
        open_ended=_OPEN in figure.note.lower(),
        weak=figure.grade in {Grade.WEAK, Grade.SIBLING},
    )


def lead_time_text(lead: LeadTime) -> Text:
    """Return a lead time in weeks with its date, as a sheet shows it.

    >>> lead_time_text(LeadTime(8 * 604800, 12 * 604800, "2024-04", "src")).en
    '8-12 weeks (2024-04)'
    """
    low, high = (f"{seconds / _WEEK_S:.3g}" for seconds in (lead.low_s, lead.high_s))
    if lead.open_ended:
        return Text(zh=f"超过 {low} 周（{lead.as_of}）", en=f"over {low} weeks ({lead.as_of})")
    span = low if low == high else f"{low}-{high}"
    return Text(zh=f"{span} 周（{lead.as_of}）", en=f"{span} weeks ({lead.as_of})")


def with_lead_times(
    bill: tuple[BillItem, ...], accelerator: str, catalogue: Catalogue
) -> tuple[BillItem, ...]:
    """Return the bill with the lead time of every line that has one.

    Args:
        bill: the lines.
        accelerator: id of the device in the servers.
        catalogue: what sources state.
    """
    return tuple(replace(item, lead_time=_of(item, accelerator, catalogue)) for item in bill)


def _of(item: BillItem, accelerator: str, catalogue: Catalogue) -> LeadTime | None:
    ending = item.id.rpartition("-")[2]
    servers = item.category is BillCategory.COMPUTE or item.id == "spare-servers"
    if servers and ending in {"servers", "accelerators"}:
        return lead_time(catalogue, f"server-{accelerator}")
    # Out-of-band switches are of another kind than those of the training network.
    equipment = item.category in {BillCategory.NETWORK, BillCategory.STORAGE, BillCategory.SPARES}
    thing = _CLASSES.get(ending)
    return lead_time(catalogue, thing) if equipment and thing else None
