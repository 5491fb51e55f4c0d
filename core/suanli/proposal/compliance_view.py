"""Compliance and supply as they are shown: status of each device, timeline, rules around the purchase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.figure import Confidence, Grade, Source, grade_of
from suanli.domain.hardware import Precision
from suanli.domain.regions import region_chain
from suanli.domain.units import FLOPS_PER_TFLOP
from suanli.domain.vendor import Deliverability, ProcurementRule, RuleTopic
from suanli.planning.compliance import Delivery, delivery, relevant_events
from suanli.proposal.model.compliance import (
    ComplianceView,
    EventView,
    GroupView,
    NoteView,
    PerformanceView,
    SupplyView,
)
from suanli.proposal.rounding import shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.record import Text
    from suanli.domain.vendor import ComplianceEvent
    from suanli.domain.workload import Requirement
    from suanli.planning.performance import Performance
    from suanli.proposal.references import References

__all__ = ["compliance_view", "supply_view"]

_TOPICS = tuple(RuleTopic)
_INTEGER = frozenset({Precision.INT8})
"""Formats whose operations are no floating-point ones."""


def compliance_view(
    accelerator_id: str, region: str, day: date, catalogue: Catalogue, references: References
) -> ComplianceView:
    """Return whether a device may be delivered to a region on a day, and on what ground."""
    found = delivery(accelerator_id, region, day, catalogue)
    control = found.control
    summary, as_of, refs = _ground(found, references)
    return ComplianceView(
        region=region,
        deliverability=found.deliverability,
        summary=summary,
        as_of=as_of,
        refs=refs,
        timing=found.timing,
        days_apart=found.days_apart,
        control=None if control is None else control.name,
        control_refs=()
        if control is None
        else references.cited(control.source, control.check, control.confidence, letter="C"),
        below_thresholds=found.row is None
        and control is None
        and found.deliverability is Deliverability.FREE,
        path=_path(found),
        reexport=None if control is None else control.reexport,
        groups=tuple(
            GroupView(
                name=group.name,
                note=group.note,
                refs=references.cited(group.source, group.check, group.confidence, letter="C"),
            )
            for group in found.groups
        ),
        performance=None if found.performance is None else _performance(found.performance, references),
    )


def _ground(found: Delivery, references: References) -> tuple[Text | None, date | None, tuple[str, ...]]:
    """Return what decides, the day on which it was checked, and its reference."""
    ground = found.row or found.control
    if ground is None:
        return None, None, ()
    refs = references.cited(ground.source, ground.check, ground.confidence, letter="C")
    # A rule that cannot be applied for want of a figure is no statement on the device.
    undecided = found.row is None and found.deliverability is not ground.deliverability
    return (None if undecided else ground.summary), ground.as_of, refs


def _path(found: Delivery) -> Text | None:
    if found.row is not None and found.row.path is not None:
        return found.row.path
    if found.control is None or found.deliverability is Deliverability.FREE:
        return None
    return found.control.path


def _performance(found: Performance, references: References) -> PerformanceView:
    area, density, memory = found.die_area, found.density, found.dram_gb_per_s
    return PerformanceView(
        precision=found.precision.value,
        peak=shown(
            found.peak.si / FLOPS_PER_TFLOP,
            "TOPS" if found.precision in _INTEGER else "TFLOPS",
            digits=5,
            refs=references.figure(found.peak),
        ),
        bits=found.bits,
        tpp=shown(found.tpp, "bit-TOPS", digits=5),
        die_area=None if area is None else shown(area.si * 1e6, "mm2", refs=references.figure(area)),
        density=None if density is None else shown(density, "bit-TOPS/mm2"),
        memory_bandwidth=None if memory is None else shown(memory, "GB/s", digits=4),
    )


def supply_view(
    devices: Mapping[str, str], requirement: Requirement, catalogue: Catalogue, references: References
) -> SupplyView:
    """Return the events that concern the options, and the rules of the site and of the place of delivery.

    Args:
        devices: accelerator of each option by its key.
        requirement: the project.
        catalogue: events and rules.
        references: gives the sources their keys.
    """
    region, day = requirement.delivery_region, requirement.project.day
    concerned: dict[str, tuple[ComplianceEvent, list[str]]] = {}
    for key, device in devices.items():
        for event in relevant_events(device, region, day, catalogue):
            concerned.setdefault(event.id, (event, []))[1].append(key)
    ordered = sorted(concerned.values(), key=lambda item: (item[0].day, item[0].id))
    return SupplyView(
        region=region,
        day=day,
        events=tuple(_event(event, tuple(keys), references) for event, keys in ordered),
        notes=_notes(requirement, catalogue, references),
    )


def _event(event: ComplianceEvent, options: tuple[str, ...], references: References) -> EventView:
    return EventView(
        day=event.day,
        jurisdiction=event.jurisdiction,
        title=event.title,
        effect=event.effect,
        status=event.status,
        options=options,
        weak=grade_of(event.check, event.confidence) is Grade.WEAK,
        refs=references.cited(event.source, event.check, event.confidence, letter="C"),
    )


def _notes(requirement: Requirement, catalogue: Catalogue, references: References) -> tuple[NoteView, ...]:
    """Return the rules of the site's and the delivery's jurisdictions, those that apply before the others."""
    places = {*region_chain(requirement.site.region), *region_chain(requirement.delivery_region)}
    track = requirement.project.track
    rules = [rule for rule in catalogue.all(ProcurementRule) if rule.jurisdiction in places]
    ordered = sorted(
        rules, key=lambda rule: (_TOPICS.index(rule.topic), bool(rule.tracks) and track not in rule.tracks)
    )
    return tuple(
        NoteView(
            topic=rule.topic,
            name=rule.name,
            dated=rule.dated,
            content=rule.content,
            applies=not rule.tracks or track in rule.tracks,
            reading=rule.check,
            press=rule.confidence in {Confidence.PRESS, Confidence.COMMUNITY},
            refs=references.cited(rule.source, rule.check, rule.confidence, letter="C"),
            checked=_checked(rule, catalogue),
        )
        for rule in ordered
    )


def _checked(rule: ProcurementRule, catalogue: Catalogue) -> date | None:
    source = catalogue.find(Source, rule.source)
    return source.retrieved if source else None
