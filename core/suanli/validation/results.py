"""What the predictor answers for one run and one metric."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Prediction"]


@dataclass(frozen=True, slots=True)
class Prediction:
    """One prediction with its range, or the reason why there is none; values in the metric's unit."""

    id: str
    predicted: float | None
    p10: float | None
    p90: float | None
    skipped: str | None
    """Why there is no prediction."""
    evidence: str
    """Evidence level that the range rests on."""
    null_basis: float | None
    """Quantity q such that a model of constant efficiency predicts k·q: for throughput the dense peak over
    the exact model FLOPs of a token, so that k is the MFU."""
    trap: str | None
    """Why the record is known to mislead; None for a clean one."""
