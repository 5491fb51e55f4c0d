"""The internal rate of return of a row of flows, as spreadsheets define it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["internal_rate"]

_LOWEST: Final = -0.99
_HIGHEST: Final = 10.0
_STEPS: Final = 200
"""Steps of the search for a change of sign, and halvings of the span in which it lies: each is ample."""


def internal_rate(flows: Sequence[float]) -> float | None:
    """Return the rate at which flows are worth zero, Σ flow_n / (1 + i)^n = 0; None where there is none.

    Of several such rates the one nearest to zero is taken, which is what a spreadsheet finds from a small
    guess. A rate may be negative.

    Args:
        flows: the first today, each other at the end of a period.

    Source: R. A. Brealey, S. C. Myers, F. Allen, Principles of Corporate Finance, chapter 5.

    >>> round(internal_rate([-70000, 12000, 15000, 18000, 21000, 26000]), 5)
    0.08663
    >>> internal_rate([-100, -5, -5]) is None
    True
    """
    if not (any(flow > 0 for flow in flows) and any(flow < 0 for flow in flows)):
        return None
    up = _crossing(flows, 0.0, _HIGHEST)
    down = _crossing(flows, 0.0, _LOWEST)
    found = [rate for rate in (up, down) if rate is not None]
    return min(found, key=abs, default=None)


def _worth(flows: Sequence[float], rate: float) -> float:
    total = 0.0
    for flow in reversed(flows):
        total = total / (1 + rate) + flow
    return total


def _crossing(flows: Sequence[float], start: float, end: float) -> float | None:
    """Return the first rate on the way from `start` to `end` at which the worth changes its sign."""
    near, worth = start, _worth(flows, start)
    for step in range(1, _STEPS + 1):
        # Quadratic steps: rates lie close together near zero.
        far = start + (end - start) * (step / _STEPS) ** 2
        other = _worth(flows, far)
        if worth == 0:
            return near
        if (worth < 0) != (other < 0):
            return _halved(flows, near, far)
        near, worth = far, other
    return None


def _halved(flows: Sequence[float], near: float, far: float) -> float:
    sign = _worth(flows, near) < 0
    for _ in range(_STEPS):
        middle = (near + far) / 2
        if (_worth(flows, middle) < 0) == sign:
            near = middle
        else:
            far = middle
    return (near + far) / 2
