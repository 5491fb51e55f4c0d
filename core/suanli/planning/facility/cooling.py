"""Air or liquid by the density of a rack, and the heat that each loop must take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli.domain.hardware import Cooling
from suanli.domain.market import SiteFigure
from suanli.domain.units import W_PER_KW
from suanli.planning import defaults_facility as rules
from suanli.planning.facility.results import BoxKind, CoolingConcern, CoolingMethod, CoolingPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.planning.facility.results import Box, RackType

__all__ = [
    "AirLimits",
    "air_limits",
    "cooling_method",
    "plan_cooling",
    "rack_limit_w",
    "server_cooling",
    "support_limit_w",
]

_PLAIN, _ASSISTED = "rack-density-typical-high", "rack-density-air-limit"
_SERVERS = frozenset({BoxKind.SERVER, BoxKind.SPARE})


@dataclass(frozen=True, slots=True)
class AirLimits:
    """Rack powers up to which air serves."""

    plain_w: float = 30 * W_PER_KW
    """With hot and cold aisles apart."""
    assisted_w: float = 50 * W_PER_KW
    """With closed aisles and coolers in the row or the rear door."""
    refs: tuple[str, ...] = ()


def air_limits(catalogue: Catalogue) -> AirLimits:
    """Return the limits of the catalogue; a catalogue without them leaves the usual ones."""
    plain, assisted = catalogue.find(SiteFigure, _PLAIN), catalogue.find(SiteFigure, _ASSISTED)
    usual = AirLimits()
    return AirLimits(
        usual.plain_w if plain is None else plain.figure.si,
        usual.assisted_w if assisted is None else assisted.figure.si,
        tuple(row.figure.source for row in (plain, assisted) if row is not None),
    )


def server_cooling(boxes: Iterable[Box], site: Cooling) -> Cooling:
    """Return how the training servers are cooled: as their document says, else as the site is."""
    known = next((box.cooling for box in boxes if box.kind in _SERVERS and box.cooling is not None), None)
    return known or site


def rack_limit_w(cooling: Cooling, site_w: float, limits: AirLimits) -> float:
    """Return what a rack of servers may draw in W: the site's limit, and no more than their cooling serves.

    >>> rack_limit_w(Cooling.AIR, 60_000, AirLimits()), rack_limit_w(Cooling.LIQUID, 60_000, AirLimits())
    (50000.0, 60000)
    """
    return site_w if cooling is Cooling.LIQUID else min(site_w, limits.assisted_w)


def support_limit_w(site_w: float, limits: AirLimits) -> float:
    """Return what a rack of switches, storage or management may draw in W: what plain air serves."""
    return min(site_w, limits.plain_w)


def cooling_method(peak_w: float, *, liquid: bool, limits: AirLimits) -> CoolingMethod:
    """Return how a rack is cooled.

    >>> cooling_method(40_800, liquid=False, limits=AirLimits())
    <CoolingMethod.ASSISTED_AIR: 'assisted-air'>
    """
    if liquid:
        return CoolingMethod.LIQUID
    if peak_w <= limits.plain_w:
        return CoolingMethod.AIR
    return CoolingMethod.ASSISTED_AIR if peak_w <= limits.assisted_w else CoolingMethod.LIQUID_NEEDED


def plan_cooling(boxes: Sequence[Box], racks: Sequence[RackType], site: Cooling) -> CoolingPlan:
    """Return heat and loops.

    Equation: Q = P, as all electric power becomes heat; Q_liquid = s_high * P_servers and
    Q_air = (1 - s_low) * P_servers + P_others for servers on cold plates, else Q_liquid = 0 and Q_air = P.
    s: share that cold plates catch. Each loop is sized at its own bad end, so that together they exceed Q.
    """
    servers = server_cooling(boxes, site)
    total = sum(box.count * (box.peak_w or 0.0) for box in boxes)
    compute = sum(box.count * (box.peak_w or 0.0) for box in boxes if box.kind in _SERVERS)
    liquid = servers is Cooling.LIQUID
    low, _, high = rules.LIQUID_SHARE
    return CoolingPlan(
        site=site,
        servers=servers,
        heat_w=total,
        liquid_w=high * compute if liquid else 0.0,
        air_w=(1 - low) * compute + total - compute if liquid else total,
        concerns=_concerns(racks, site, servers),
    )


def _concerns(racks: Sequence[RackType], site: Cooling, servers: Cooling) -> tuple[CoolingConcern, ...]:
    found = (
        (CoolingConcern.LIQUID_SERVERS_AIR_SITE, site is Cooling.AIR and servers is Cooling.LIQUID),
        (CoolingConcern.AIR_SERVERS_LIQUID_SITE, site is Cooling.LIQUID and servers is Cooling.AIR),
        (
            CoolingConcern.DENSITY_ABOVE_AIR,
            any(rack.method is CoolingMethod.LIQUID_NEEDED for rack in racks),
        ),
    )
    return tuple(concern for concern, holds in found if holds)
