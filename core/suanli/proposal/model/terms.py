"""The commercial terms and the goods of a purchase as they are shown."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from suanli.domain.record import Part, Text

__all__ = ["GoodView", "TermView"]


class TermView(Part):
    """A clause of the commercial terms."""

    number: str
    """C1, C2 ..."""
    key: str
    """Key of its words in the message catalogue."""
    numbers: dict[str, Decimal] = Field(default_factory=dict[str, Decimal])
    name: Text | None = None
    """Of a payment."""
    agreed: bool = True
    """False where the figure is still to be agreed."""


class GoodView(Part):
    """A kind of goods or services, without make or model."""

    key: str
    unit: str
    quantity: int
    spare: bool
    core: bool
    """True for the core product, of which offers of one brand count as one bid."""
