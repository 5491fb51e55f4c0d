"""Failures of a run: how many, of what, what they cost, what spares save, and how published rates differ."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from suanli.domain.figure import Grade
from suanli.domain.market import Reliability
from suanli.domain.record import Text
from suanli.domain.units import S_PER_DAY
from suanli.estimation.goodput import (
    FailureModel,
    daly_interval_s,
    failure_rate,
    goodput,
    wall_per_progress,
    young_interval_s,
)
from suanli.estimation.results import Range
from suanli.planning import defaults
from suanli.planning.availability_results import (
    AvailabilityPlan,
    IntervalChoice,
    Loss,
    LossKind,
    PublishedRate,
    RateOutcome,
    SizeOutcome,
    SpareEffect,
)
from suanli.planning.counting import poisson_cdf, poisson_cover
from suanli.planning.spares import nodes_under_repair, spares_needed, swap_wall, waiting_share, wall_factor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.figure import Number, Seconds
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Goodput, Sizing
    from suanli.planning.availability_results import SparePlan

__all__ = [
    "interval_choice",
    "losses_of",
    "plan_availability",
    "published_rates",
    "rate_per_1000_device_days",
    "spare_effects",
]

_MTTF: Final = re.compile(r"mttf_(\d+)_devices")
_CAUSES: Final = ("device", "host", "network", "software")
"""Causes that records count as ``cause_NAME``, in the order of the document."""
_SIZES: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
_BEYOND: Final = 2
"""Spares beyond those bought whose effect is shown."""


def rate_per_1000_device_days(mtbf_s: float, accelerators: int) -> float:
    """Return interruptions per 1,000 device-days, φ = 1000 days/(n·M).

    >>> round(rate_per_1000_device_days(3.09 * 3600, 16384), 3)
    0.474
    """
    return 1000.0 * S_PER_DAY / (accelerators * mtbf_s)


def published_rates(catalogue: Catalogue) -> tuple[PublishedRate, ...]:
    """Return the rates of published runs and fleets, the lowest first.

    A record states a rate, or the mean time to failure of jobs of some sizes.
    """
    found = (rate for record in catalogue.all(Reliability) for rate in _rates(record))
    return tuple(sorted(found, key=lambda rate: (rate.per_1000_device_days, rate.record)))


def _rates(record: Reliability) -> Iterator[PublishedRate]:
    stated = failure_rate(record)
    if stated is not None and stated.grade is not Grade.BARRED:
        yield PublishedRate(record.id, record.name, stated.si, stated.source, _weak(stated))
    for key, figure in record.figures.items():
        match = _MTTF.fullmatch(key)
        if match is None or figure.grade is Grade.BARRED:
            continue
        devices = int(match.group(1))
        name = Text(
            zh=f"{record.name.zh}（{devices:,} 卡作业）", en=f"{record.name.en}, jobs of {devices:,} devices"
        )
        rate = rate_per_1000_device_days(figure.si, devices)
        yield PublishedRate(record.id, name, rate, figure.source, _weak(figure))


def _weak(figure: Number | Seconds) -> bool:
    return figure.grade in {Grade.WEAK, Grade.SIBLING}


def interval_choice(point: Goodput) -> IntervalChoice | None:
    """Return Young's and Daly's interval with what each costs; None for asynchronous checkpoints."""
    if point.background_write_s:
        return None
    write, mtbf = point.checkpoint_write_s, point.mtbf_s
    young, daly = young_interval_s(write, mtbf), daly_interval_s(write, mtbf)
    return IntervalChoice(
        young_s=young,
        daly_s=daly,
        young_wall=wall_per_progress(young, write, point.restart_s, mtbf),
        daly_wall=wall_per_progress(daly, write, point.restart_s, mtbf),
    )


def spare_effects(spares: SparePlan, duration_s: float, repair_s: float) -> tuple[SpareEffect, ...]:
    """Return what no spares, one, two and so on do, up to two beyond what is bought.

    Args:
        spares: what is bought, and the units under repair.
        duration_s: P50 of a run that never waits for a repair.
        repair_s: time until a unit is back.
    """
    swap = swap_wall(spares.unit, spares.under_repair, repair_s)
    times = [
        duration_s * wall_factor(count, spares.under_repair, swap)
        for count in range(spares.count + _BEYOND + 1)
    ]
    return tuple(
        SpareEffect(
            spares=count,
            cover=poisson_cdf(spares.under_repair, count),
            waiting_share=waiting_share(count, spares.under_repair),
            duration_s=time,
            saved_s=times[count - 1] - time if count else None,
        )
        for count, time in enumerate(times)
    )


def losses_of(point: Goodput, duration_s: float, adjusted_s: float) -> tuple[Loss, ...]:
    """Return the time that each cause takes from a run; the shares and the effective share add up to 1.

    Args:
        point: failures and checkpoints of the run.
        duration_s: P50 without waiting for repairs.
        adjusted_s: P50 with it.
    """
    times = {
        LossKind.CHECKPOINT: point.checkpoint_share * duration_s,
        LossKind.LOST_WORK: point.lost_work_share * duration_s,
        LossKind.RESTART: point.restart_share * duration_s,
        LossKind.REPAIR: adjusted_s - duration_s,
    }
    return tuple(Loss(kind, time, time / adjusted_s) for kind, time in times.items())


def _poisson_range(mean: float) -> Range:
    """Return an expected number of events with its Poisson range; of rare ones the mean is the upper end."""
    return Range(min(mean, poisson_cover(mean, 0.1)), mean, max(mean, poisson_cover(mean, 0.9)))


def plan_availability(
    sizing: Sizing, spares: SparePlan, requirement: Requirement, catalogue: Catalogue
) -> AvailabilityPlan:
    """Return the failures of a run on a cluster and what its spares and checkpoints make of them."""
    point, count = sizing.goodput, sizing.accelerators
    repair_s = requirement.reliability.repair_s or defaults.REPAIR_S
    effects = spare_effects(spares, sizing.duration_s.p50, repair_s)
    adjusted = sizing.duration_s.scaled(effects[spares.count].duration_s / sizing.duration_s.p50)
    causes, source = _causes(point, catalogue)
    mean = point.interruptions
    return AvailabilityPlan(
        per_1000_device_days=rate_per_1000_device_days(point.mtbf_s, count),
        failure_source=point.failure_source,
        mtbf_s=point.mtbf_s,
        interruptions=_poisson_range(mean),
        causes=causes,
        causes_source=source,
        repair_s=repair_s,
        restart_s=point.restart_s,
        interval=interval_choice(point),
        losses=losses_of(point, sizing.duration_s.p50, adjusted.p50),
        spares=spares,
        effects=effects,
        rates=_outcomes(sizing, spares, repair_s, catalogue),
        sizes=tuple(_size(sizing, factor) for factor in _SIZES if count * factor >= 1),
        ideal_s=sizing.ideal_s,
        duration_s=sizing.duration_s,
        adjusted_s=adjusted,
    )


def _causes(point: Goodput, catalogue: Catalogue) -> tuple[tuple[tuple[str, float], ...], str]:
    """Return the expected interruptions by cause, split as the planned rate's own record, else another's."""
    records = [record for record in catalogue.all(Reliability) if _counted(record)]
    if not records:
        return (), ""
    # The run that the rate is of knows best what it failed of.
    chosen = min(records, key=lambda one: (_source(one) != point.failure_source, one.id))
    counts = {cause: figure.si for cause, figure in _counted(chosen).items()}
    total = sum(counts.values())
    return (
        tuple((cause, point.interruptions * number / total) for cause, number in counts.items()),
        _source(chosen),
    )


def _counted(record: Reliability) -> dict[str, Number | Seconds]:
    keys = ((cause, record.figures.get(f"cause_{cause}")) for cause in _CAUSES)
    return {cause: figure for cause, figure in keys if figure is not None}


def _source(record: Reliability) -> str:
    return next(iter(_counted(record).values())).source


def _failures(sizing: Sizing, rate: float, source: str) -> FailureModel:
    point = sizing.goodput
    return FailureModel(
        rate,
        source,
        point.checkpoint_write_s,
        point.restart_s,
        background_write_s=point.background_write_s,
    )


def _outcomes(
    sizing: Sizing, spares: SparePlan, repair_s: float, catalogue: Catalogue
) -> tuple[RateOutcome, ...]:
    """Return what the run would see at every published rate."""
    return tuple(_outcome(sizing, spares, repair_s, rate) for rate in published_rates(catalogue))


def _outcome(sizing: Sizing, spares: SparePlan, repair_s: float, rate: PublishedRate) -> RateOutcome:
    own = sizing.goodput
    model = _failures(sizing, rate.per_1000_device_days, rate.source)
    found = goodput(sizing.accelerators, sizing.ideal_s, sizing.profile.trainable_parameters, model)
    mean = nodes_under_repair(found.mtbf_s, defaults.HARDWARE_FAULT_SHARE, repair_s)
    return RateOutcome(
        published=rate,
        mtbf_s=found.mtbf_s,
        share=found.share,
        duration_s=sizing.duration_s.p50 * own.share / found.share,
        spares=spares_needed(mean, spares.units, swap_wall(spares.unit, mean, repair_s)),
        used=rate.source == own.failure_source and abs(found.mtbf_s / own.mtbf_s - 1.0) < _SAME,
    )


_SAME: Final = 1e-9
"""Relative difference below which two rates are one."""


def _size(sizing: Sizing, factor: float) -> SizeOutcome:
    """Return failures at so many times the accelerators, for the same checkpoint and restart times."""
    count = round(sizing.accelerators * factor)
    rate = rate_per_1000_device_days(sizing.goodput.mtbf_s, sizing.accelerators)
    trained = sizing.profile.trainable_parameters
    found = goodput(count, sizing.ideal_s, trained, _failures(sizing, rate, sizing.goodput.failure_source))
    return SizeOutcome(count, found.mtbf_s, found.checkpoint_interval_s, found.share)
