"""The distribution of an option's costs as it is shown."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Part, Text
from suanli.proposal.model.figures import Shown

__all__ = ["DriverView", "UncertaintyView"]


class DriverView(Part):
    """An input that spreads the total cost, at its P10 and its P90."""

    label: Text
    basis: str
    """What its spread rests on: source, class-2 to class-5, run-time or tenth."""
    low_ratio: Decimal
    """P10 of the input over its value."""
    high_ratio: Decimal
    at_low: Decimal
    """Total cost with the input at its P10, in the project's currency."""
    at_high: Decimal
    low_change: Decimal
    """How far the total cost moves from its base with the input at its P10."""
    high_change: Decimal
    swing: Decimal
    """Distance of the two ends."""


class UncertaintyView(Part):
    """P10, P50 and P90 of costs over correlated draws of the inputs; the value of each figure is its P50."""

    draws: int
    seed: int
    capex_gross: Shown
    tco: Shown
    tco_discounted: Shown
    per_billion_tokens: Shown | None
    cheapest: Decimal | None
    """Share of draws in which this option has the lowest total cost; None for an option alone."""
    base: Decimal
    """Total cost with every input at its value, which the drivers move."""
    drivers: tuple[DriverView, ...] = ()
    """The inputs that move the total cost most, the first the most."""
