"""Counts at random: how many interruptions a run sees, and how many repairs are under way at one time."""

from __future__ import annotations

import math

__all__ = ["erlang_loss", "poisson_cdf", "poisson_cover"]


def poisson_cdf(mean: float, count: int) -> float:
    """Return P(X <= count) for a Poisson variable X.

    Args:
        mean: expected number, at least 0 and finite.
        count: the number not exceeded; below 0 the probability is 0.

    >>> round(poisson_cdf(1.0, 1), 4)
    0.7358
    """
    if count < 0:
        return 0.0
    if mean == 0:
        return 1.0
    # The logarithm keeps large means from overflowing m**k and k!.
    terms = (math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(count + 1))
    return min(1.0, math.fsum(terms))


def poisson_cover(mean: float, confidence: float) -> int:
    """Return the smallest s with P(X <= s) >= confidence for a Poisson variable X.

    Args:
        mean: expected number, at least 0 and finite.
        confidence: probability below 1.

    Raises:
        ValueError: the mean is not finite, or the confidence is not below 1.

    >>> poisson_cover(1.0, 0.95)
    3
    """
    if not math.isfinite(mean) or mean < 0 or not 0 <= confidence < 1:
        raise ValueError(f"no cover for mean {mean} with confidence {confidence}")
    count, cumulative = 0, math.exp(-mean)
    while cumulative < confidence:
        count += 1
        cumulative += math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
    return count


def erlang_loss(places: int, load: float) -> float:
    """Return the share of time that all places are taken, Erlang's loss formula B(c, m).

    Equation: B(0) = 1; B(c) = m·B(c − 1)/(c + m·B(c − 1)). c: places; m: load, arrivals a second times the
    seconds that each stays.

    Range of validity: arrivals at random that stop while all places are taken; stays of any distribution
    (the formula depends on their mean alone).

    Raises:
        ValueError: a number is negative.

    Source: Erlang, "Solution of some problems in the theory of probabilities of significance in automatic
    telephone exchanges", 1917; Kleinrock, "Queueing Systems", volume 1, 1975, section 3.6.

    >>> erlang_loss(1, 1.0), erlang_loss(2, 1.0)
    (0.5, 0.2)
    """
    if places < 0 or load < 0:
        raise ValueError(f"no loss for {places} places and a load of {load}")
    blocked = 1.0
    for number in range(1, places + 1):
        blocked = load * blocked / (number + load * blocked)
    return blocked
