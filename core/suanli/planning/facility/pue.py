"""The PUE of the plan beside the catalogue's planning values and the limits of the law."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.market import PueDefault
from suanli.domain.regions import region_chain
from suanli.planning.facility.results import PueLimit, PuePlan

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.hardware import Cooling
    from suanli.domain.workload import Site

__all__ = ["plan_pue"]


def plan_pue(site: Site, cooling: Cooling, catalogue: Catalogue) -> PuePlan:
    """Return the site's PUE with what it compares to.

    Args:
        site: the PUE, given or taken from the catalogue, and the region whose limits hold.
        cooling: how the servers are cooled, which decides the planning values.
        catalogue: planning values and limits.
    """
    rows = [row for row in catalogue.all(PueDefault) if not row.pue.barred]
    planning = [row for row in rows if not row.limit and row.cooling == cooling]
    ends = [end for row in planning for end in (row.pue.low, row.pue.value, row.pue.high) if end is not None]
    places = region_chain(site.region)
    limits = [row for row in rows if row.limit and row.in_force and row.region in places]
    return PuePlan(
        pue=site.pue,
        given=not site.pue_source,
        planning=(min(ends), max(ends)) if ends else None,
        limits=tuple(
            PueLimit(row.name, row.pue.value, float(site.pue) <= row.pue.value, row.pue.source)
            for row in sorted(limits, key=lambda row: (row.pue.value, row.id))
        ),
        refs=tuple(dict.fromkeys(row.pue.source for row in planning)),
    )
