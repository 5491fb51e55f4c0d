"""Whether a device may be delivered to a place on a day, and what says so.

A plugin's statement on the device and the region decides first; then the licence rules, by the device's
processing performance and the country groups of the destination; then a statement for any other region.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from suanli.domain.export import CountryGroup, ExportControl
from suanli.domain.hardware import Accelerator
from suanli.domain.regions import country
from suanli.domain.vendor import ComplianceEvent, Deliverability, SkuStatus
from suanli.planning.performance import Performance, meets, performance

if TYPE_CHECKING:
    from datetime import date

    from suanli.domain.catalogue import Catalogue

__all__ = ["Delivery", "Timing", "delivery", "relevant_events"]

_ANYWHERE: Final = "*"
_SEVERITY: Final = (
    Deliverability.BARRED,
    Deliverability.LICENCE,
    Deliverability.UNKNOWN,
    Deliverability.FREE,
)
"""From worst to best."""


class Timing(StrEnum):
    """How the day of a statement stands to the day of the project."""

    CURRENT = "current"
    """In force on the day, and checked on it or later."""
    OLDER = "older"
    """Checked before the day: it may have changed since."""
    NEWER = "newer"
    """Holds only from a later day on; nothing older is known."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A verdict on delivery with its grounds."""

    deliverability: Deliverability
    day: date
    row: SkuStatus | None = None
    """Statement on the device; None where none decides."""
    control: ExportControl | None = None
    """Licence rule that the device falls under, whether or not a statement on it decides."""
    groups: tuple[CountryGroup, ...] = ()
    """Country groups of the destination that the licence rules know."""
    performance: Performance | None = None
    timing: Timing = Timing.CURRENT
    days_apart: int = 0
    """Days between the statement's day and the project's."""


def delivery(accelerator_id: str, region: str, day: date, catalogue: Catalogue) -> Delivery:
    """Return whether a device may be delivered to a region on a day, and on what grounds.

    Args:
        accelerator_id: id of the device.
        region: ISO 3166-1 or 3166-2 code of the place of delivery.
        day: day of the project.
        catalogue: statements, licence rules and country groups.

    Returns:
        The verdict; unknown, without grounds, where no plugin says anything.
    """
    home = country(region)
    groups = tuple(group for group in catalogue.all(CountryGroup) if home in group.members)
    device = catalogue.find(Accelerator, accelerator_id)
    found = None if device is None else performance(device)
    verdict, control = _by_rules(device, found, groups, day, catalogue)
    own = _row(accelerator_id, (region, home), day, catalogue)
    # A rule in force says more of the day than a statement that holds only from a later one.
    if own is not None and (verdict is None or _begun(own, day)):
        return _stated(own, day, groups, control, found)
    if verdict is not None:
        return _ruled(verdict, control, day, groups, found)
    other = _row(accelerator_id, (_ANYWHERE,), day, catalogue)
    if other is not None:
        return _stated(other, day, groups, None, found)
    return Delivery(Deliverability.UNKNOWN, day, groups=groups, performance=found)


def _row(accelerator_id: str, places: tuple[str, ...], day: date, catalogue: Catalogue) -> SkuStatus | None:
    """Return the statement that holds: of the nearest place, begun by the day, the latest of those.

    Where none has begun the earliest is returned, which `Timing.NEWER` then says.
    """
    rows = [
        row for row in catalogue.all(SkuStatus) if row.accelerator == accelerator_id and row.region in places
    ]
    begun = [row for row in rows if _begun(row, day)]
    if begun:
        return min(begun, key=lambda row: (places.index(row.region), *_newest_first(row)))
    return min(
        rows, key=lambda row: (places.index(row.region), row.from_day or row.as_of, row.id), default=None
    )


def _begun(row: SkuStatus, day: date) -> bool:
    return row.from_day is None or row.from_day <= day


def _newest_first(row: SkuStatus) -> tuple[int, int, str]:
    begins = 0 if row.from_day is None else row.from_day.toordinal()
    return -begins, -row.as_of.toordinal(), row.id


def _by_rules(
    device: Accelerator | None,
    found: Performance | None,
    groups: tuple[CountryGroup, ...],
    day: date,
    catalogue: Catalogue,
) -> tuple[Deliverability | None, ExportControl | None]:
    """Return the worst verdict of the licence rules in force and the rule that gives it.

    No verdict where no rule is for the destination, the maker's country or the day; free where the device
    meets none of the criteria of those that are; unknown where a figure that would decide is missing.
    """
    rules = [rule for rule in catalogue.all(ExportControl) if _applies(rule, device, groups, day)]
    if not rules or found is None:
        return None, None
    worst: tuple[Deliverability, ExportControl | None] = (Deliverability.FREE, None)
    for rule in rules:
        answers = [meets(found, criterion) for criterion in rule.criteria]
        if True in answers:
            verdict = rule.deliverability
        elif None in answers:
            verdict = Deliverability.UNKNOWN
        else:
            continue
        if _SEVERITY.index(verdict) < _SEVERITY.index(worst[0]):
            worst = verdict, rule
    return worst


def _applies(
    rule: ExportControl, device: Accelerator | None, groups: tuple[CountryGroup, ...], day: date
) -> bool:
    members = {group.id for group in groups}
    return (
        device is not None
        and device.origin in rule.origins
        and not members.isdisjoint(rule.groups)
        and members.isdisjoint(rule.except_groups)
        and rule.from_day <= day
        and (rule.until_day is None or day <= rule.until_day)
    )


def _stated(
    row: SkuStatus,
    day: date,
    groups: tuple[CountryGroup, ...],
    control: ExportControl | None,
    found: Performance | None,
) -> Delivery:
    timing, days = _timing(row.from_day, row.as_of, day)
    return Delivery(row.deliverability, day, row, control, groups, found, timing, days)


def _ruled(
    verdict: Deliverability,
    control: ExportControl | None,
    day: date,
    groups: tuple[CountryGroup, ...],
    found: Performance | None,
) -> Delivery:
    if control is None:
        return Delivery(verdict, day, groups=groups, performance=found)
    timing, days = _timing(control.from_day, control.as_of, day)
    return Delivery(verdict, day, None, control, groups, found, timing, days)


def _timing(begins: date | None, checked: date, day: date) -> tuple[Timing, int]:
    if begins is not None and begins > day:
        return Timing.NEWER, (begins - day).days
    if checked < day:
        return Timing.OLDER, (day - checked).days
    return Timing.CURRENT, 0


def relevant_events(
    accelerator_id: str, region: str, day: date, catalogue: Catalogue
) -> tuple[ComplianceEvent, ...]:
    """Return the dated events that concern a device at a destination, up to a day, in order of day.

    Args:
        accelerator_id: id of the device.
        region: place of delivery.
        day: day of the project; what came later was not known then.
        catalogue: the events.
    """
    device = catalogue.find(Accelerator, accelerator_id)
    vendor = "" if device is None else device.vendor
    places = {region, country(region)}
    # Dates of different precision compare as text: a month or a year stands before its days.
    found = [
        event
        for event in catalogue.all(ComplianceEvent)
        if event.day <= day.isoformat()
        and (not event.vendors or vendor in event.vendors)
        and (not event.accelerators or accelerator_id in event.accelerators)
        and (not event.regions or not places.isdisjoint(event.regions))
    ]
    return tuple(sorted(found, key=lambda event: (event.day, event.id)))
