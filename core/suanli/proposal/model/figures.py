"""What every view is made of: a figure as it is shown, and a part of a whole."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.figure import Grade
from suanli.domain.record import Part

__all__ = ["Share", "Shown"]


class Shown(Part):
    """A figure as it is shown: rounded, with its unit, its 80 % range and where it comes from."""

    value: Decimal
    unit: str
    """Unit key of the message catalogue: device, day, h, kWh, MWh, GWh, t, GB, TB, kW, MW, share, flops,
    tokens/s, CNY, ...
    """
    low: Decimal | None = None
    high: Decimal | None = None
    refs: tuple[str, ...] = ()
    grade: Grade | None = None
    incomplete: bool = False
    """True for a sum that misses an unpriced or unknown part, and so is a lower bound."""


class Share(Part):
    """One named part of a stack or a breakdown, in the unit of the whole."""

    key: str
    value: Decimal
