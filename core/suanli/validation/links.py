"""Reads prose about networks: what one device gets, in bytes per second and direction.

Sources state the rate of a node or of a device, one port or all, sometimes storage and management beside; the
rules say which. What cannot be read is None.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["bridged_devices", "nic_bytes_per_s"]

_GENERATIONS: Final[Mapping[str, float]] = MappingProxyType(
    {"edr": 12.5e9, "hdr": 25e9, "ndr": 50e9, "xdr": 100e9, "omni-path": 12.5e9}
)
"""Rate of one port by the name of its generation, in bytes/s (InfiniBand Trade Association)."""

_LEAST_BYTES_PER_S: Final = 2.5e9
"""Ports slower than 20 Gbit/s are for management."""

_RATE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([GT])(?:(b|B)(?:it|yte|its)?(?:/s(?:ec)?|ps|E|e)?)", re.ASCII)
_COUNT: Final = re.compile(r"\b(\d+)\s*x(?:\s|(?=\d))", re.IGNORECASE)
_PER_NODE: Final = re.compile(r"\b(\d+)\s+(?:links?\s+)?per\s+node\b", re.IGNORECASE)
_PER_DEVICE: Final = re.compile(
    r"per[\s-](?:device|gpu|npu|accelerator|card|die)|/\s*(?:gpu|npu|device)", re.IGNORECASE
)
_OTHER_LINK: Final = re.compile(r"pcie|nvlink|hccs|xgmi", re.IGNORECASE)
_OTHER_ROLE: Final = re.compile(r"storage|management", re.IGNORECASE)
_BRIDGE: Final = re.compile(r"\b(\d+)[\s-]way\b", re.IGNORECASE)


def bridged_devices(text: str | None) -> int | None:
    """Return how many devices a bridge joins, where a description of the link inside a node says so.

    >>> bridged_devices("4-way NVIDIA NVLINK bridge"), bridged_devices("NVLink")
    (4, None)
    """
    found = _BRIDGE.search(text or "")
    return int(found[1]) if found and int(found[1]) > 0 else None


def nic_bytes_per_s(
    text: str | None, *, per_node: int, port_bytes_per_s: float | None = None
) -> float | None:
    """Return the line rate between nodes that one device gets, in bytes/s and direction; None if not stated.

    Equation: n · r / d, with n ports of rate r on a node of d devices.

    Of several parts of a text that for computing counts, else the fastest; storage and management do not. A
    rate "per GPU" is the device's own. A rate without a number of ports is that of the whole node, unless it
    is the rate of one compute port of the server, of which each device has one. A generation by name without
    a number of ports is one port for each device.

    Args:
        text: description as the source gives it.
        per_node: devices of a node.
        port_bytes_per_s: rate of one compute port of the server, where it is known.

    >>> [nic_bytes_per_s(text, per_node=8) / 1e9 for text in (
    ...     "4 x 100 Gb/s RoCE", "800 Gb/s", "RDMA 400 Gb/s per GPU", "InfiniBand HDR, 8 per node")]
    [6.25, 12.5, 50.0, 25.0]
    """
    parts = re.split(r";|,(?!\s*\d+\s+(?:links?\s+)?per\s)|\s\+\s", text or "")
    parts = [part for part in parts if not _OTHER_LINK.search(part)]
    computing = [part for part in parts if "compute" in part.casefold()]
    chosen = computing or [part for part in parts if not _OTHER_ROLE.search(part)]
    rates = [_rate_of(part, per_node, port_bytes_per_s) for part in chosen]
    return max((rate for rate in rates if rate is not None), default=None)


def _rate_of(part: str, per_node: int, port_bytes_per_s: float | None) -> float | None:
    """Return what one part of a text gives each device."""
    rate, named = _port_rate(part)
    if rate is None or rate < _LEAST_BYTES_PER_S:
        return None
    count = _PER_NODE.search(part) or _COUNT.search(part)
    if _PER_DEVICE.search(part):
        return rate * (int(count[1]) if count else 1)
    if count:
        return int(count[1]) * rate / per_node
    own = named or rate == port_bytes_per_s
    return rate if own else rate / per_node


def _port_rate(part: str) -> tuple[float | None, bool]:
    """Return the rate in a text, and whether it is only the name of a generation; of several the fastest."""
    scales = {"G": 1e9, "T": 1e12}
    found = [
        float(number) * scales[scale] * (1 if unit == "B" else 0.125)
        for number, scale, unit in _RATE.findall(part)
    ]
    if found:
        return max(found), False
    known = [rate for name, rate in _GENERATIONS.items() if name in part.casefold()]
    return (max(known), True) if known else (None, False)
