"""Bytes, rates and times in the unit in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.domain.units import BYTES_PER_GB, BYTES_PER_TB, S_PER_DAY, S_PER_HOUR, S_PER_MINUTE
from suanli.proposal.rounding import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.proposal.model import Shown

__all__ = ["rate", "size", "time"]

_SIZES: Final = ((1e15, "PB"), (BYTES_PER_TB, "TB"), (BYTES_PER_GB, "GB"), (1e6, "MB"))
_RATES: Final = ((BYTES_PER_TB, "TB/s"), (BYTES_PER_GB, "GB/s"), (1e6, "MB/s"))
_TIMES: Final = ((S_PER_DAY, "day"), (S_PER_HOUR, "h"), (S_PER_MINUTE, "min"), (1.0, "s"))


def size(stored: float, refs: tuple[str, ...] = ()) -> Shown:
    """Return bytes in the largest unit of which they are at least one.

    >>> size(5.67e12).unit, str(size(5.67e12).value)
    ('TB', '5.67')
    """
    return _scaled(stored, _SIZES, refs)


def rate(bytes_per_s: float, refs: tuple[str, ...] = ()) -> Shown:
    """Return bytes per second in the largest unit of which they are at least one.

    >>> rate(32.7e9).unit
    'GB/s'
    """
    return _scaled(bytes_per_s, _RATES, refs)


def time(seconds: float, refs: tuple[str, ...] = ()) -> Shown:
    """Return a time in the largest unit of which it is at least two.

    >>> time(5400).unit, time(300).unit, time(90).unit
    ('min', 'min', 's')
    """
    factor, unit = next(((one, name) for one, name in _TIMES if seconds >= 2 * one), _TIMES[-1])
    return shown(seconds / factor, unit, refs=refs)


def _scaled(value: float, ladder: Sequence[tuple[float, str]], refs: tuple[str, ...]) -> Shown:
    factor, unit = next(((one, name) for one, name in ladder if value >= one), ladder[-1])
    return shown(value / factor, unit, refs=refs)
