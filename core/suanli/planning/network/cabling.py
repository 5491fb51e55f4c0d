"""Cables by length class, from where racks stand: copper in a rack, multimode near by, single-mode beyond.

Racks fill rows; the network racks of a row stand in its middle and hold the leaves of the servers nearest,
those of the middle row also spines and cores. A cable runs up to the tray, along the row, across to the other
row, and down again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suanli.planning import defaults_network as defaults
from suanli.planning.network.results import CableClass, CableCount
from suanli.planning.network.wiring import Tier

if TYPE_CHECKING:
    from suanli.estimation.arrays import BoolArray, FloatArray, IndexArray
    from suanli.planning.network.clos import ClosCounts
    from suanli.planning.network.wiring import CableRun, Wiring

__all__ = ["Hall", "cable_class", "count_cables"]


@dataclass(frozen=True, slots=True)
class Hall:
    """How servers and switches fill racks."""

    servers_per_rack: int
    racks_per_server: int = 1
    """Racks that one server fills; above 1 for supernodes."""
    switches_per_rack: int = defaults.SWITCHES_PER_RACK

    def in_one_rack(self, servers: int) -> bool:
        """Tell whether all servers, and the switches with them, stand in one rack."""
        return self.racks_per_server == 1 and servers <= self.servers_per_rack


@dataclass(frozen=True, slots=True)
class _Places:
    """Position in m and rack of each device of a kind."""

    x: FloatArray
    y: FloatArray
    rack: IndexArray


def cable_class(length_m: float, *, in_rack: bool) -> CableClass:
    """Return the class of a cable by its length and whether it stays in a rack.

    Source: reaches of passive copper (3 m), of multimode (50 m) and single-mode modules (100 m and more) at
    400 Gbit/s: NVIDIA product specifications MCP7Y00, MMA4Z00-NS400 and MMS4X00-NS400.

    >>> cable_class(2.0, in_rack=True).value, cable_class(12, in_rack=False).value
    ('copper', 'multimode')
    """
    if in_rack and length_m <= defaults.COPPER_REACH_M:
        return CableClass.COPPER
    return CableClass.MULTIMODE if length_m <= defaults.MULTIMODE_REACH_M else CableClass.SINGLE_MODE


def count_cables(wiring: Wiring, counts: ClosCounts, hall: Hall | None) -> tuple[CableCount, ...]:
    """Return the cables of each tier and class, with the modules at their ends.

    Args:
        wiring: every cable.
        counts: the network.
        hall: how racks are filled; None where that is unknown, so that every cable is optical of open length.
    """
    places = None if hall is None else _places(wiring, counts, hall)
    found: list[CableCount] = []
    for run in wiring.runs:
        if places is None:
            found.append(_counted(run, CableClass.OPEN, np.ones(len(run), dtype=np.bool_), None))
            continue
        lower, upper = _ENDS[run.tier]
        length, same = _lengths(places[lower], places[upper], run)
        kinds = _classes(length, same)
        for kind, chosen in kinds.items():
            if chosen.any():
                found.append(_counted(run, kind, chosen, float(length[chosen].max())))
    return tuple(found)


_ENDS = {
    Tier.HOST_LEAF: ("server", "leaf"),
    Tier.LEAF_SPINE: ("leaf", "spine"),
    Tier.SPINE_CORE: ("spine", "core"),
}


def _classes(length: FloatArray, same: BoolArray) -> dict[CableClass, BoolArray]:
    """Return which cables belong to each class; the array form of `cable_class`."""
    copper = same & (length <= defaults.COPPER_REACH_M)
    near = ~copper & (length <= defaults.MULTIMODE_REACH_M)
    return {
        CableClass.COPPER: copper,
        CableClass.MULTIMODE: near,
        CableClass.SINGLE_MODE: ~copper & ~near,
    }


def _lengths(lower: _Places, upper: _Places, run: CableRun) -> tuple[FloatArray, BoolArray]:
    """Return the length of each cable in m, and whether it stays in one rack."""
    one, other = run.lower, run.upper
    same = lower.rack[one] == upper.rack[other]
    way = np.abs(lower.x[one] - upper.x[other]) + np.abs(lower.y[one] - upper.y[other])
    return np.where(same, defaults.IN_RACK_CABLE_M, way + 2 * defaults.RISE_M), same


def _counted(run: CableRun, kind: CableClass, chosen: BoolArray, longest_m: float | None) -> CableCount:
    """Return the cables of a class with their modules; cables on one split port share its module."""
    cables = int(np.count_nonzero(chosen))
    if kind is CableClass.COPPER:
        return CableCount(run.tier, kind, cables, 0, 0, longest_m)
    if run.tier is not Tier.HOST_LEAF:
        return CableCount(run.tier, kind, cables, 0, 2 * cables, longest_m)
    # A module of a split port whose cables differ in class is counted with its first cable.
    first = chosen & (run.lane == 0)
    return CableCount(run.tier, kind, cables, cables, int(np.count_nonzero(first)), longest_m)


def _places(wiring: Wiring, counts: ClosCounts, hall: Hall) -> dict[str, _Places]:
    """Return where servers and switches stand."""
    hosts = wiring.runs[0]
    servers = int(hosts.lower.max()) + 1
    if hall.in_one_rack(servers):
        return {kind: _origin(size) for kind, size in _sizes(counts, servers).items()}
    server = _server_places(servers, hall)
    # Leaves stand in the row of the servers that they serve, in the middle of it.
    held = np.bincount(hosts.upper, minlength=counts.leaf)
    rows = np.bincount(hosts.upper, weights=_rows(servers, hall)[hosts.lower], minlength=counts.leaf)
    leaf_row = np.rint(rows / np.maximum(held, 1)).astype(np.int64)
    leaf = _network_places(leaf_row, np.zeros(counts.leaf, dtype=np.int64), hall)
    middle = int(_rows(servers, hall).max()) // 2
    ahead = int(np.count_nonzero(leaf_row == middle))
    upper = np.arange(counts.spine + counts.core)
    above = _network_places(np.full(len(upper), middle), np.full(len(upper), ahead), hall)
    cut = counts.spine
    return {
        "server": server,
        "leaf": leaf,
        "spine": _Places(above.x[:cut], above.y[:cut], above.rack[:cut]),
        "core": _Places(above.x[cut:], above.y[cut:], above.rack[cut:]),
    }


def _sizes(counts: ClosCounts, servers: int) -> dict[str, int]:
    return {"server": servers, "leaf": counts.leaf, "spine": counts.spine, "core": counts.core}


def _origin(size: int) -> _Places:
    """Return the places of devices that all stand in one rack."""
    zeros = np.zeros(size)
    return _Places(zeros, zeros, np.zeros(size, dtype=np.int64))


def _rows(servers: int, hall: Hall) -> IndexArray:
    """Return the row of each server."""
    rack = np.arange(servers) // max(1, hall.servers_per_rack) * hall.racks_per_server
    return rack // defaults.RACKS_PER_ROW


def _server_places(servers: int, hall: Hall) -> _Places:
    """Return where servers stand; a supernode's cables leave from its first rack."""
    rack = np.arange(servers) // max(1, hall.servers_per_rack) * hall.racks_per_server
    column = rack % defaults.RACKS_PER_ROW
    # The network rack takes the middle of the row.
    column = column + (column >= defaults.RACKS_PER_ROW // 2)
    row = rack // defaults.RACKS_PER_ROW
    return _Places(_metres(column, defaults.RACK_WIDTH_M), _metres(row, defaults.ROW_PITCH_M), rack)


def _metres(count: IndexArray, each_m: float) -> FloatArray:
    return count.astype(np.float64) * np.float64(each_m)


def _network_places(row: IndexArray, ahead: IndexArray, hall: Hall) -> _Places:
    """Return where switches stand that are filed by row, after those that came before them."""
    order = np.zeros(len(row), dtype=np.int64)
    for one in np.unique(row).tolist():
        chosen = row == one
        order[chosen] = np.arange(int(np.count_nonzero(chosen)))
    rack = (order + ahead) // max(1, hall.switches_per_rack)
    x = _metres(defaults.RACKS_PER_ROW // 2 + rack, defaults.RACK_WIDTH_M)
    # Network racks are numbered below zero, apart from those of servers.
    number = -1 - (row * _RACKS_OF_A_ROW + rack)
    return _Places(x, _metres(row, defaults.ROW_PITCH_M), number)


_RACKS_OF_A_ROW = 1 << 20
"""More network racks than any row has, so that numbers of rows never meet."""
