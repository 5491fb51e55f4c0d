"""Weights with which a buyer compares options."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

__all__ = ["Criterion", "ScoringWeights"]


class Criterion(StrEnum):
    """What options are scored by."""

    COST = "cost"
    """Total cost of ownership."""
    TIME = "time"
    """The slow end of the duration of a run."""
    ENERGY = "energy"
    """Electricity of a run."""
    EVIDENCE = "evidence"
    """How narrow the range of the duration is."""
    SUPPLY = "supply"
    """Whether the device may be delivered."""


@dataclass(frozen=True, slots=True)
class ScoringWeights:
    """Shares of the criteria, which add up to 1."""

    cost: Decimal = Decimal("0.40")
    time: Decimal = Decimal("0.20")
    energy: Decimal = Decimal("0.10")
    evidence: Decimal = Decimal("0.15")
    supply: Decimal = Decimal("0.15")

    def of(self, criterion: Criterion) -> Decimal:
        """Return the share of a criterion."""
        return {
            Criterion.COST: self.cost,
            Criterion.TIME: self.time,
            Criterion.ENERGY: self.energy,
            Criterion.EVIDENCE: self.evidence,
            Criterion.SUPPLY: self.supply,
        }[criterion]
