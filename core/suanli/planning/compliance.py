"""Whether a device may be delivered to a place, as the vendor plugins' status rows say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.regions import country
from suanli.domain.vendor import Deliverability, SkuStatus

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue

__all__ = ["deliverability"]

_ANYWHERE = "*"


def deliverability(
    accelerator_id: str, region: str, catalogue: Catalogue
) -> tuple[Deliverability, SkuStatus | None]:
    """Return the export-control status of a device for a region, and the row that says so.

    The row of the region itself outranks its country's, which outranks the row for any other place; among
    equals the newest counts.

    Args:
        accelerator_id: id of the device.
        region: ISO 3166-1 or 3166-2 code of the place of delivery.
        catalogue: the status rows.

    Returns:
        The status; unknown, without a row, where no plugin has one.
    """
    places = (region, country(region), _ANYWHERE)
    rows = [
        row for row in catalogue.all(SkuStatus) if row.accelerator == accelerator_id and row.region in places
    ]
    if not rows:
        return Deliverability.UNKNOWN, None
    best = min(rows, key=lambda row: (places.index(row.region), -row.as_of.toordinal(), row.id))
    return best.deliverability, best
