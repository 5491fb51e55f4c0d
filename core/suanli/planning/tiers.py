"""Tiers of storage: as many servers as capacity and bandwidth ask for, whichever asks for more."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from suanli.domain.units import BYTES_PER_TB
from suanli.planning import defaults
from suanli.planning import defaults_storage as rules
from suanli.planning.storage_results import DemandKind, StorageTier, TierBound, TierKind

if TYPE_CHECKING:
    from suanli.planning.erasure import ErasureCode
    from suanli.planning.storage_results import Demand, Volume

__all__ = ["SERVER_MODELS", "ServerModel", "capacity_bytes", "tiers_of"]


@dataclass(frozen=True, slots=True)
class ServerModel:
    """What one storage server of a tier holds and gives."""

    raw_tb: float
    drive_tb: float
    """Capacity of one of its drives."""
    code: ErasureCode
    fill_share: float
    """Share of the usable capacity that is planned to be filled."""
    read_bytes_per_s: float
    write_bytes_per_s: float

    @property
    def usable_share(self) -> float:
        """Return usable over raw capacity."""
        return self.code.usable_share

    @property
    def bytes_per_s(self) -> float:
        """Return the bandwidth that its ports must carry, reading or writing."""
        return max(self.read_bytes_per_s, self.write_bytes_per_s)


SERVER_MODELS: Final = {
    TierKind.PERFORMANCE: ServerModel(
        defaults.STORAGE_SERVER_TB,
        rules.FLASH_DRIVE_TB,
        rules.FLASH_CODE,
        defaults.STORAGE_FILL_SHARE,
        rules.FLASH_SERVER_READ_BYTES_PER_S,
        rules.FLASH_SERVER_WRITE_BYTES_PER_S,
    ),
    TierKind.CAPACITY: ServerModel(
        rules.CAPACITY_SERVER_TB,
        rules.CAPACITY_DRIVE_TB,
        rules.CAPACITY_CODE,
        rules.CAPACITY_FILL_SHARE,
        rules.CAPACITY_SERVER_BYTES_PER_S,
        rules.CAPACITY_SERVER_BYTES_PER_S,
    ),
}
"""The server that each tier is built of."""


def capacity_bytes(stored: float, fill_share: float) -> float:
    """Return the usable capacity that holds so much and is filled to a share, C = S/f.

    >>> capacity_bytes(20e12, 0.8) / 1e12
    25.0
    """
    return stored / fill_share


def tiers_of(volumes: tuple[Volume, ...], demands: tuple[Demand, ...]) -> tuple[StorageTier, ...]:
    """Return the tiers that hold the volumes and meet the demands, the performance tier first."""
    kinds = [kind for kind in TierKind if any(volume.tier is kind for volume in volumes)]
    return tuple(_tier(kind, volumes, demands) for kind in kinds)


def _tier(kind: TierKind, volumes: tuple[Volume, ...], demands: tuple[Demand, ...]) -> StorageTier:
    model = SERVER_MODELS[kind]
    stored = sum(volume.stored_bytes for volume in volumes if volume.tier is kind)
    read = _asked(demands, kind, write=False)
    write = _asked(demands, kind, write=True)
    usable = capacity_bytes(stored, model.fill_share)
    # A stripe lies on as many drives as it has strips, however little is stored.
    least_tb = model.code.strips * model.drive_tb
    raw_tb = math.ceil(max(usable / BYTES_PER_TB / model.usable_share, least_tb))
    needs = {
        TierBound.CAPACITY: math.ceil(raw_tb / model.raw_tb),
        TierBound.WRITE: math.ceil(write / model.write_bytes_per_s),
        TierBound.READ: math.ceil(read / model.read_bytes_per_s),
        TierBound.MINIMUM: model.code.least_servers,
    }
    servers = max(needs.values())
    # The minimum is named only where nothing else asks for as many.
    bound = next(bound for bound, count in needs.items() if count == servers)
    return StorageTier(
        kind=kind,
        stored_bytes=stored,
        usable_bytes=usable,
        raw_tb=raw_tb,
        read_bytes_per_s=read,
        write_bytes_per_s=write,
        servers_for_capacity=needs[TierBound.CAPACITY],
        servers_for_read=needs[TierBound.READ],
        servers_for_write=needs[TierBound.WRITE],
        servers=servers,
        bound=bound,
        given_read_bytes_per_s=servers * model.read_bytes_per_s,
        given_write_bytes_per_s=servers * model.write_bytes_per_s,
    )


def _asked(demands: tuple[Demand, ...], kind: TierKind, *, write: bool) -> float:
    """Return the bandwidth asked of a tier in one direction.

    What goes on beside a run adds up; a restart reads while nothing else does.
    """
    mine = [one for one in demands if one.tier is kind and one.write is write and one.sizing]
    restart = sum(one.bytes_per_s for one in mine if one.kind is DemandKind.RESTART)
    return max(restart, sum(one.bytes_per_s for one in mine) - restart)
