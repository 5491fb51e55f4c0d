"""Spares: as many as are likely to be under repair at one time, or as pay for themselves in time saved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from suanli.planning import defaults
from suanli.planning.availability_results import RepairUnit, SparePlan
from suanli.planning.counting import erlang_loss, poisson_cover
from suanli.planning.results import Rule
from suanli.planning.shop import numbers_of

if TYPE_CHECKING:
    from suanli.domain.workload import ClusterWish
    from suanli.estimation.results import Goodput

__all__ = [
    "SPARE_RULE",
    "nodes_under_repair",
    "paying_spares",
    "plan_spares",
    "repair_unit",
    "spares_needed",
    "swap_wall",
    "waiting_share",
    "wall_factor",
]


SPARE_RULE: Final = "spare-units"
"""Key of the rule that chooses the spares; another says that the project does."""


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


def waiting_share(spares: int, under_repair: float) -> float:
    """Return the share of wall-clock time in which more are under repair than there are spares.

    Equation: W(s) = B(s + 1, m), Erlang's loss formula. s: spares; m: units under repair while the run goes
    on. A run that waits fails no further, as arrivals stop at a full telephone exchange. Without spares
    W(0) = m/(1 + m), the unavailability MTTR/(MTBF + MTTR).

    Range of validity: one job on all working servers; failures at random; repairs independent of each other,
    of any distribution with the mean behind m.

    Raises:
        ValueError: a number is negative.

    Source: Kleinrock, "Queueing Systems", volume 1, 1975, section 3.6 (Erlang B).

    >>> waiting_share(0, 1.0), waiting_share(1, 1.0)
    (0.5, 0.2)
    """
    return erlang_loss(spares + 1, under_repair)


def repair_unit(per_server: int) -> RepairUnit:
    """Return what is swapped as one: an 8-way server, or a tray of a rack-scale system.

    >>> repair_unit(8).value, repair_unit(64).value
    ('server', 'tray')
    """
    return RepairUnit.TRAY if per_server > defaults.TRAY_ACCELERATORS else RepairUnit.SERVER


def swap_wall(unit: RepairUnit, under_repair: float, repair_s: float) -> float:
    """Return the time per unit of progress that swapping by hand takes; 0 where spares stand by."""
    return under_repair * defaults.SWAP_S / repair_s if unit is RepairUnit.TRAY else 0.0


def wall_factor(spares: int, under_repair: float, swap: float = 0.0) -> float:
    """Return wall-clock time over the time that a run takes with unlimited spares standing by.

    >>> wall_factor(0, 1.0), wall_factor(1, 1.0)
    (2.0, 1.25)
    """
    # Without a spare to swap in, the repair itself is what is waited for.
    return 1.0 / (1.0 - waiting_share(spares, under_repair)) + (swap if spares else 0.0)


def paying_spares(under_repair: float, units: int, swap: float = 0.0) -> int:
    """Return the spares that each shorten a run by more than the same unit at work could.

    One unit more among n at work shortens a run by at most 1/n, so a spare that saves less is money better
    spent on computing: the rule needs no prices.

    >>> paying_spares(1.0, 64)
    3
    """
    count = 0
    while True:
        saved = 1.0 - wall_factor(count + 1, under_repair, swap) / wall_factor(count, under_repair, swap)
        if saved <= 1.0 / units:
            return count
        count += 1


def spares_needed(under_repair: float, units: int, swap: float = 0.0) -> int:
    """Return the larger of the spares that cover what is under repair and of those that pay.

    >>> spares_needed(1.0, 64)
    3
    """
    cover = poisson_cover(under_repair, defaults.SPARE_CONFIDENCE)
    return max(cover, paying_spares(under_repair, units, swap))


def plan_spares(
    goodput: Goodput, wish: ClusterWish, per_server: int, nodes: int, repair_s: float | None = None
) -> SparePlan:
    """Return the spares: the user's wish, else the failure rate's, by cover or by time saved.

    A rack-scale system of `per_server` devices is repaired tray by tray, so that trays are kept on site in
    place of whole systems.

    Args:
        goodput: failures of the cluster at work.
        wish: what the user fixed.
        per_server: devices of a server.
        nodes: servers at work.
        repair_s: time until a unit is back; None: the planning default.
    """
    repair = repair_s or defaults.REPAIR_S
    unit = repair_unit(per_server)
    mean = nodes_under_repair(goodput.mtbf_s, defaults.HARDWARE_FAULT_SHARE, repair)
    trays_each = max(1, per_server // defaults.TRAY_ACCELERATORS)
    units = nodes * trays_each
    cover = poisson_cover(mean, defaults.SPARE_CONFIDENCE)
    paying = paying_spares(mean, units, swap_wall(unit, mean, repair))
    if wish.spare_nodes is not None:
        stated = wish.spare_nodes
        rule = Rule("spare-servers-stated")
        # A whole spare system brings all its trays.
        return SparePlan(unit, stated * trays_each, stated, 0, units, mean, cover, paying, rule)
    count = max(cover, paying)
    numbers = numbers_of(
        mean=f"{mean:.2f}",
        confidence=defaults.SPARE_CONFIDENCE,
        cover=cover,
        paying=paying,
        units=units,
    )
    servers, trays = (count, 0) if unit is RepairUnit.SERVER else (0, count)
    return SparePlan(unit, count, servers, trays, units, mean, cover, paying, Rule(SPARE_RULE, numbers))
