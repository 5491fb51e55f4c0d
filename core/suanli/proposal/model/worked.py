"""The worked calculation of an option: formula, numbers put in, result, line by line."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from suanli.domain.record import Part, Text

__all__ = ["WORKED_GROUPS", "WorkedLine"]

WORKED_GROUPS = ("work", "rate", "time", "memory", "cost")
"""The chain in its order: training work, effective rate, step and days, memory, cluster and money."""


class WorkedLine(Part):
    """One line of the chain, which gives its result when it is worked out from the numbers it shows.

    The numbers are those that earlier lines show as their results, so the chain can be followed with a pocket
    calculator: `suanli.explaining.formula.evaluate` reads the formula as it stands.
    """

    group: str
    """One of `WORKED_GROUPS`."""
    key: str
    """What the line works out, such as ``run.goodput``."""
    symbol: str
    formula: str
    """In symbols, with · − ^ √ and max, min, ceil."""
    numbers: dict[str, Decimal]
    """What is put in for each symbol, in the order of the formula."""
    names: dict[str, Text] = Field(default_factory=dict[str, Text])
    """What to call symbols that belong to this option, such as the blocks of its bill."""
    result: Decimal
    unit: str
    """Key of the unit, such as flops-per-token, flops-per-s, share, bytes or money."""
    figure: str = ""
    """Path of the option's figure that repeats the result rounded, such as ``days``; empty for none."""
    refs: tuple[str, ...] = ()
