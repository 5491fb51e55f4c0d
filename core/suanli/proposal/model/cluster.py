"""The cluster of an option as it is shown: network, storage, power, energy."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Part, Text
from suanli.proposal.model.figures import Shown

__all__ = ["EnergyView", "FabricView", "PowerView"]


class FabricView(Part):
    """The compute network; a count that could not be computed is None, and 0 says that none is needed."""

    link: Text | None
    switch: Text | None
    per_port_gbit_s: Decimal | None
    endpoints: int | None
    tiers: int | None
    leaf_switches: int | None
    spine_switches: int | None
    core_switches: int | None
    host_cables: int | None
    fabric_cables: int | None
    transceivers: int | None
    ports_free: int | None = None
    oversubscription: Decimal
    bisection: Shown | None
    refs: tuple[str, ...] = ()


class PowerView(Part):
    """Racks and electric power."""

    server_peak: Shown | None
    server_training: Shown
    it_peak: Shown
    it_training: Shown
    facility_peak: Shown
    racks: int
    servers_per_rack: int
    rack_power: Shown
    cooling: str
    estimated: bool
    over_rack_limit: bool = False
    """True where one server alone draws more than the site allows a rack."""
    rack_part: Shown | None = None
    """Peak of a server, or of its part in one rack, estimated where its nameplate is unknown."""
    rack_limit: Shown | None = None
    """What a rack of servers may draw: the site's limit, cooled by air no more than air serves."""


class EnergyView(Part):
    """Energy and carbon."""

    per_run: Shown
    per_year: Shown
    carbon_per_run: Shown | None
    carbon_per_year: Shown | None
    busy_share: Decimal
    embodied: Shown | None = None
    """Carbon of making the servers, never added to the electricity's; None where no document states it."""
    embodied_covers: Text | None = None
    """What the document's figure is of, and what it leaves out."""
    training: Shown | None = None
    """Of the year: what training takes; None where the ledger has no energy."""
    idle: Shown | None = None
    downtime: Shown | None = None
