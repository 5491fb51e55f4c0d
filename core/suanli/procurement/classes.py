"""Classes of performance: a threshold is a step of a ladder, never a figure of a data sheet.

A tender that asks for a data sheet's last digit names the product without naming it, so a threshold is put
down to the class below the figure that it comes from.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

__all__ = ["LADDERS", "class_above", "class_below", "ladder_steps", "rounded_down", "rounded_up"]


def ladder_steps(*steps: str) -> tuple[Decimal, ...]:
    """Return steps as decimals, in rising order."""
    return tuple(sorted(Decimal(step) for step in steps))


LADDERS: dict[str, tuple[Decimal, ...]] = {
    "peak": ladder_steps("50", "100", "150", "200", "250", "300", "400", "500", "750", "1000", "1500"),
    "memory": ladder_steps("16", "24", "32", "48", "64", "80", "96", "128", "160", "192", "256"),
    "bandwidth": ladder_steps("0.3", "0.5", "0.8", "1.0", "1.2", "1.5", "2.0", "3.0", "4.0", "5.0", "6.0"),
    "scale-up": ladder_steps("30", "50", "100", "150", "200", "300", "400", "600", "800"),
}
"""Steps of each measure of an accelerator: TFLOPS of dense peak, GB, TB/s, and GB/s per direction."""


def class_below(value: Decimal, ladder: tuple[Decimal, ...]) -> Decimal | None:
    """Return the highest step not above a value; None where all steps are above it.

    >>> class_below(Decimal("353.9"), LADDERS["peak"])
    Decimal('300')
    """
    at = bisect_right(ladder, value)
    return ladder[at - 1] if at else None


def class_above(value: Decimal, ladder: tuple[Decimal, ...]) -> Decimal | None:
    """Return the lowest step not below a value; None where all steps are below it."""
    at = bisect_left(ladder, value)
    return ladder[at] if at < len(ladder) else None


def rounded_down(value: Decimal, digits: int = 2) -> Decimal:
    """Return a positive value put down to significant digits.

    >>> rounded_down(Decimal("48.77")), rounded_down(Decimal("1234"))
    (Decimal('48'), Decimal('1200'))
    """
    return _rounded(value, digits, ROUND_FLOOR)


def rounded_up(value: Decimal, digits: int = 2) -> Decimal:
    """Return a positive value put up to significant digits.

    >>> rounded_up(Decimal("48.01")), rounded_up(Decimal("1201"))
    (Decimal('49'), Decimal('1300'))
    """
    return _rounded(value, digits, ROUND_CEILING)


def _rounded(value: Decimal, digits: int, way: str) -> Decimal:
    if value <= 0:
        raise ValueError(f"a threshold is positive, not {value}")
    step = Decimal(1).scaleb(value.adjusted() - digits + 1)
    found = (value / step).to_integral_value(way) * step
    return found.quantize(Decimal(1)) if step >= 1 else found
