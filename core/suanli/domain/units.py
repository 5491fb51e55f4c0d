"""Factors between SI units and those that people and data sheets use; GB is 10⁹ bytes, a year has 8760 h."""

from __future__ import annotations

from typing import Final

__all__ = [
    "BYTES_PER_GB",
    "BYTES_PER_S_PER_GBIT",
    "BYTES_PER_TB",
    "FLOPS_PER_TFLOP",
    "HOURS_PER_YEAR",
    "S_PER_DAY",
    "S_PER_HOUR",
    "S_PER_MINUTE",
    "W_PER_KW",
]

S_PER_MINUTE: Final = 60.0
S_PER_HOUR: Final = 3_600.0
S_PER_DAY: Final = 86_400.0
HOURS_PER_YEAR: Final = 8_760
"""Hours of a common year, as energy and accounts of a year are reckoned."""

BYTES_PER_GB: Final = 1e9
BYTES_PER_TB: Final = 1e12
BYTES_PER_S_PER_GBIT: Final = 0.125e9
"""Bytes per second of 1 Gbit/s."""

FLOPS_PER_TFLOP: Final = 1e12
W_PER_KW: Final = 1_000.0
