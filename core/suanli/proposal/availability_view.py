"""Failures, lost time and spares of one option as they are shown, rounded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from suanli.domain.units import S_PER_DAY, S_PER_HOUR
from suanli.planning.availability_results import LossKind
from suanli.proposal.model import Share
from suanli.proposal.model.availability import AvailabilityView, LossView, RateView, SizeView, SpareView
from suanli.proposal.rounding import places, share, shown, shown_range, significant
from suanli.proposal.scales import time

if TYPE_CHECKING:
    from suanli.estimation.results import Range
    from suanli.planning.availability_results import AvailabilityPlan, RateOutcome, SpareEffect
    from suanli.proposal.model import Shown
    from suanli.proposal.references import References

__all__ = ["availability_view"]

_STATED = "spare-servers-stated"
_DIGITS: Final = 4
"""Of days that are compared with each other; three would hide what the last spare saves."""
_NEARLY: Final = Decimal("0.9999")
_RATE_UNIT = "per 1000 device-days"


def availability_view(plan: AvailabilityPlan, references: References) -> AvailabilityView:
    """Return failures, lost time and spares, rounded; every published rate with its source."""
    failures = references.source(plan.failure_source)
    formula = (references.formula("goodput"),)
    interval, scale = plan.interval, _Scale.of(plan.duration_s.p50)
    waiting = (references.formula("spares"),)
    return AvailabilityView(
        rate=shown(plan.per_1000_device_days, _RATE_UNIT, refs=failures),
        mtbf=time(plan.mtbf_s, failures),
        interruptions=_interruptions(plan.interruptions, failures),
        rare=plan.interruptions.p50 < 1,
        causes=tuple(Share(key=cause, value=significant(count)) for cause, count in plan.causes),
        causes_refs=references.source(plan.causes_source),
        restart=time(plan.restart_s),
        repair=time(plan.repair_s),
        young=time(interval.young_s, formula) if interval else None,
        daly=time(interval.daly_s, formula) if interval else None,
        young_loss=places(interval.young_wall - 1.0, 4) if interval else None,
        daly_loss=places(interval.daly_wall - 1.0, 4) if interval else None,
        losses=tuple(
            LossView(kind=loss.kind, time=time(loss.time_s), share=places(loss.share, 4))
            for loss in plan.losses
            if loss.time_s > 0 or loss.kind is not LossKind.REPAIR
        ),
        lost_share=places(sum(loss.share for loss in plan.losses), 4),
        unit=plan.spares.unit,
        spares=plan.spares.count,
        under_repair=significant(plan.spares.under_repair),
        cover_count=plan.spares.cover_count,
        paying_count=plan.spares.paying_count,
        stated=plan.spares.rule.key == _STATED,
        effects=tuple(_effect(effect, plan, scale, waiting) for effect in _telling(plan)),
        rates=tuple(_rate(outcome, scale, references) for outcome in plan.rates),
        sizes=_sizes(plan),
        ideal=scale.shown(plan.ideal_s),
        days=scale.ranged(plan.duration_s),
        adjusted=scale.ranged(plan.adjusted_s, waiting),
        waiting_share=places(plan.waiting_share, 4),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    """The unit of all durations of a run: days, or hours where it ends within two days."""

    unit: str
    per_s: float

    @classmethod
    def of(cls, duration_s: float) -> _Scale:
        """Return the unit that suits a run."""
        days = duration_s >= 2 * S_PER_DAY
        return cls("day", 1 / S_PER_DAY) if days else cls("h", 1 / S_PER_HOUR)

    def shown(self, duration_s: float, refs: tuple[str, ...] = ()) -> Shown:
        """Return one duration."""
        return shown(duration_s * self.per_s, self.unit, digits=_DIGITS, refs=refs)

    def ranged(self, duration_s: Range, refs: tuple[str, ...] = ()) -> Shown:
        """Return a duration with its range."""
        return shown_range(duration_s, self.unit, scale=self.per_s, digits=_DIGITS, refs=refs)


def _sizes(plan: AvailabilityPlan) -> tuple[SizeView, ...]:
    current = min(plan.sizes, key=lambda size: abs(size.mtbf_s - plan.mtbf_s), default=None)
    return tuple(
        SizeView(
            accelerators=size.accelerators,
            mtbf=time(size.mtbf_s),
            interval=time(size.interval_s),
            share=share(size.share),
            current=size is current,
        )
        for size in plan.sizes
    )


def _interruptions(count: Range, refs: tuple[str, ...]) -> Shown:
    """Return the expected number, with its range where that says more than none."""
    if count.p90 < 1:
        return shown(count.p50, "count", refs=refs)
    return shown_range(count, "count", refs=refs)


def _telling(plan: AvailabilityPlan) -> tuple[SpareEffect, ...]:
    """Return the effects that are shown: around what is bought, and a few below where these are many."""
    bought = plan.spares.count
    kept = {0, bought // 4, bought // 2, *range(bought - _AROUND, bought + _AROUND + 1)}
    return tuple(effect for effect in plan.effects if effect.spares in kept)


_AROUND: Final = 2
"""Numbers of spares shown on either side of what is bought."""


def _effect(effect: SpareEffect, plan: AvailabilityPlan, scale: _Scale, refs: tuple[str, ...]) -> SpareView:
    saved = None if effect.saved_s is None else time(max(0.0, effect.saved_s))
    return SpareView(
        spares=effect.spares,
        # Never shown as certain: a Poisson number has no upper end.
        cover=places(math.floor(effect.cover * 1e4) / 1e4, 4) if effect.cover < 1 else _NEARLY,
        waiting_share=places(effect.waiting_share, 4),
        days=scale.shown(effect.duration_s, refs),
        saved=saved,
        chosen=effect.spares == plan.spares.count,
    )


def _rate(outcome: RateOutcome, scale: _Scale, references: References) -> RateView:
    published = outcome.published
    refs = references.source(published.source, weak=published.weak)
    return RateView(
        name=published.name,
        rate=shown(published.per_1000_device_days, _RATE_UNIT, refs=refs),
        mtbf=time(outcome.mtbf_s),
        share=share(outcome.share),
        days=scale.shown(outcome.duration_s),
        spares=outcome.spares,
        used=outcome.used,
    )
