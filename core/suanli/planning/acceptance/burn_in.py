"""Burn-in as a test of two parties: the interruptions that chance allows, and what the test tells apart."""

from __future__ import annotations

import math
from typing import Final

from suanli.planning.acceptance.results import Allowance

__all__ = ["BUYER_RISK", "SELLER_RISK", "allowance", "allowed_failures", "detected_mean", "poisson_at_most"]

SELLER_RISK: Final = 0.05
"""Chance that a cluster as good as agreed is rejected."""
BUYER_RISK: Final = 0.10
"""Chance that a cluster as bad as the one named is accepted."""


def poisson_at_most(count: int, mean: float) -> float:
    """Return the probability of at most so many events where their mean number is known.

    Equation: P = Σ_{k=0..c} e^{−λ} λ^k / k!. c: count; λ: mean.

    Raises:
        ValueError: the count or the mean is negative.

    >>> round(poisson_at_most(0, 1.0), 4), round(poisson_at_most(2, 1.0), 4)
    (0.3679, 0.9197)
    """
    if count < 0 or mean < 0:
        raise ValueError(f"no probability of at most {count} events with mean {mean}")
    # Terms from logarithms: e^-λ alone is 0 in floating point from λ = 746 on.
    if mean == 0:
        return 1.0
    logs = (k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(count + 1))
    return min(1.0, math.fsum(math.exp(one) for one in logs))


def allowed_failures(mean: float, risk: float = SELLER_RISK) -> int:
    """Return the fewest failures that a good cluster stays within, but for a small risk.

    Equation: the smallest c with P(X ≤ c | λ) ≥ 1 − α. λ: mean number of failures in the test; α: risk.

    Source: Epstein, "Truncated life tests in the exponential case", Annals of Mathematical Statistics, 1954.

    >>> allowed_failures(3.0), allowed_failures(0.01)
    (6, 0)
    """
    count = 0
    while poisson_at_most(count, mean) < 1.0 - risk:
        count += 1
    return count


def detected_mean(count: int, risk: float = BUYER_RISK) -> float:
    """Return the mean number of failures at which a test with an allowance is passed by luck alone.

    Equation: λ₁ with P(X ≤ c | λ₁) = β. c: allowance; β: risk.

    >>> round(detected_mean(0), 3)
    2.303
    """
    low, high = 0.0, 1.0
    while poisson_at_most(count, high) > risk:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if poisson_at_most(count, middle) > risk else (low, middle)
    return high


def allowance(hours: float, mtbf_hours: float) -> Allowance:
    """Return how many interruptions a test of a length allows a cluster, and what it can tell apart.

    Args:
        hours: length of the test.
        mtbf_hours: mean time between interruptions of the cluster that the plan counts with.

    Raises:
        ValueError: one of the two is not positive.
    """
    if hours <= 0 or mtbf_hours <= 0:
        raise ValueError(f"no test of {hours} hours with {mtbf_hours} hours between interruptions")
    expected = hours / mtbf_hours
    allowed = allowed_failures(expected)
    return Allowance(hours, mtbf_hours, expected, allowed, detected_mean(allowed) / expected)
