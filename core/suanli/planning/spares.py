"""Spare servers: as many as are likely to be under repair at one time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.planning import defaults
from suanli.planning.results import Rule

if TYPE_CHECKING:
    from suanli.domain.workload import ClusterWish
    from suanli.estimation.results import Goodput

__all__ = ["nodes_under_repair", "plan_spares", "poisson_cover"]


def nodes_under_repair(mtbf_s: float, hardware_share: float, repair_s: float) -> float:
    """Return the expected number of servers under repair, m = h * r / MTBF (Little's law).

    Args:
        mtbf_s: mean time between interruptions of the whole cluster in s; infinite where nothing fails.
        hardware_share: share of interruptions that take a server out.
        repair_s: time until the server is back, in s.

    >>> nodes_under_repair(mtbf_s=86400, hardware_share=0.5, repair_s=172800)
    1.0
    """
    return hardware_share * repair_s / mtbf_s if mtbf_s > 0 else math.inf


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
    count = 0
    cumulative = math.exp(-mean)
    while cumulative < confidence:
        count += 1
        # The logarithm keeps large means from overflowing m**k and k!.
        cumulative += math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
    return count


def plan_spares(goodput: Goodput, wish: ClusterWish, per_server: int) -> tuple[int, Rule]:
    """Return the spare servers and the rule that gave them: the user's wish, else the failure rate.

    A rack-scale system of `per_server` devices is bought as a spare only where as many trays are likely to be
    under repair at one time.
    """
    if wish.spare_nodes is not None:
        return wish.spare_nodes, Rule("spare-servers-stated")
    mean = nodes_under_repair(goodput.mtbf_s, defaults.HARDWARE_FAULT_SHARE, defaults.REPAIR_S)
    # An 8-way server is one tray; a rack of 64 devices is repaired tray by tray in place.
    trays_each = max(1, per_server // defaults.TRAY_ACCELERATORS)
    count = poisson_cover(mean, defaults.SPARE_CONFIDENCE) // trays_each
    return count, Rule(
        "spare-servers", (("mean", f"{mean:.2f}"), ("confidence", f"{defaults.SPARE_CONFIDENCE:g}"))
    )
