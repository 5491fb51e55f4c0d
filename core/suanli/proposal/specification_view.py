"""The technical specification of a tender, drawn from the need and from the cluster that was sized.

Thresholds of the whole (rate, capacity, recovery) come from the need; those of a device are classes that
several makers can meet. Whatever the plan does not know asks for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.figure import Grade
from suanli.domain.hardware import Accelerator
from suanli.domain.vendor import Deliverability
from suanli.planning.compliance import delivery
from suanli.procurement.classes import LADDERS, class_below, ladder_steps, rounded_down, rounded_up
from suanli.procurement.clauses import Clause, Mark, Part, Proof, numbered, settled
from suanli.procurement.market import (
    ENOUGH_MAKERS,
    Thresholds,
    candidates,
    grades,
    makers_meeting,
    open_thresholds,
)
from suanli.procurement.scoring import BlockKey, Subject, price_scores, scoring_blocks
from suanli.proposal.model import Shown
from suanli.proposal.model.procurement import (
    BidScore,
    BlockView,
    ClauseView,
    EvaluationView,
    MarketView,
    SpecificationView,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement, Track
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.model import Option

__all__ = ["specification_view"]

_EFFECTIVE = ladder_steps("0.80", "0.85", "0.90", "0.93", "0.95", "0.96", "0.97", "0.98")
_LINE_SHARES = ladder_steps("0.40", "0.50", "0.60", "0.70", "0.80", "0.90")
"""Shares of the line rate that a collective over all devices reaches."""
_RATE_DIGITS = 3
"""Digits of the delivered rate: putting it up costs less than 1% over what the deadline asks for."""
_MESSAGE_GIB = Decimal(4)
"""Message of the largest step of the acceptance tests, in GiB."""
_UNQUOTED = frozenset({Grade.WEAK, Grade.SIBLING, Grade.BARRED})
"""Grades of figures that no bid states."""
_LOG_DAYS = Decimal(180)
"""Days that network logs are kept.

Source: Cybersecurity Law of China, on network operators (six months).
"""
_EXAMPLE_BIDS = (Decimal(9600), Decimal(10000), Decimal(12000))
"""Prices of an invented example, which shows the formula and nothing else."""


@dataclass(frozen=True, slots=True)
class _Source:
    """What the clauses are drawn from."""

    requirement: Requirement
    plan: ClusterPlan
    option: Option
    market: Thresholds
    wanted: dict[str, Decimal]
    grades: dict[str, Grade]
    """Of the device's own figures behind the thresholds."""
    dies: int = 1
    """Devices that software sees in one accelerator."""


def specification_view(
    requirement: Requirement, plan: ClusterPlan, option: Option, catalogue: Catalogue
) -> SpecificationView:
    """Return the specification of the option that the document describes.

    Args:
        requirement: the completed project.
        plan: the plan of the option.
        option: the option as it is shown, whose rounded figures are the basis.
        catalogue: the devices that could be offered.
    """
    precision = requirement.workload.precision
    device = catalogue.find(Accelerator, option.accelerator)
    market = candidates(catalogue.all(Accelerator), precision)
    wanted = _wanted(option, device, requirement)
    thresholds = open_thresholds(wanted, market)
    known = grades(device, precision) if device else {}
    source = _Source(requirement, plan, option, thresholds, wanted, known, dies=device.dies if device else 1)
    clauses = numbered(settled(tuple(_clauses(source))))
    return SpecificationView(
        clauses=tuple(_view(clause, source) for clause in clauses),
        market=_market(source, catalogue),
        evaluation=_evaluation(requirement.project.track, clauses),
    )


def _market(source: _Source, catalogue: Catalogue) -> MarketView:
    """Return who can meet the thresholds, and who of them may deliver to the site without a licence."""
    requirement, thresholds = source.requirement, source.market
    region, day = requirement.delivery_region, requirement.project.day
    free = [
        device
        for device in catalogue.all(Accelerator)
        if delivery(device.id, region, day, catalogue).deliverability is Deliverability.FREE
    ]
    deliverable = makers_meeting(thresholds.values, candidates(free, requirement.workload.precision))
    return MarketView(
        makers=thresholds.makers,
        known=thresholds.known,
        deliverable=deliverable,
        exclusive=thresholds.exclusive or deliverable < ENOUGH_MAKERS,
        given_up=tuple(key for key in source.wanted if _lowered(key, source)),
    )


def _wanted(option: Option, device: Accelerator | None, requirement: Requirement) -> dict[str, Decimal]:
    """Return the measures of the device that was sized, and of its memory no more than the sizing needs."""
    if device is None:
        return {}
    (own,) = candidates([device], requirement.workload.precision) or (None,)
    found = dict(own.measures) if own else {}
    if option.memory_total is not None and "memory" in found:
        found["memory"] = min(found["memory"], option.memory_total.value)
    return found


def _lowered(key: str, source: _Source) -> bool:
    return source.market.values.get(key) != class_below(source.wanted[key], LADDERS[key])


def _clauses(source: _Source) -> Iterator[Clause]:
    yield from _performance(source)
    yield from _compute(source)
    yield from _network(source)
    yield from _storage(source)
    yield from _platform(source)
    yield from _site(source)
    yield from _service(source)


def _performance(source: _Source) -> Iterator[Clause]:
    goodput = source.option.goodput
    if goodput is None:
        return
    effective = class_below(goodput.share.value, _EFFECTIVE)
    rate = _needed_rate(source, effective)
    if rate is not None:
        yield Clause(
            Part.PERFORMANCE,
            "delivered-rate",
            Mark.MANDATORY,
            Proof.ACCEPTANCE,
            rounded_up(rate, _RATE_DIGITS),
            "tokens/s",
            basis=rate,
        )
    if effective is not None:
        yield Clause(
            Part.PERFORMANCE,
            "effective-time",
            Mark.IMPORTANT,
            Proof.ACCEPTANCE,
            effective,
            "share",
            basis=goodput.share.value,
            grade=goodput.share.grade,
        )
    yield _at_most(Part.PERFORMANCE, "recovery", goodput.restart_min, Proof.ACCEPTANCE)


def _needed_rate(source: _Source, effective: Decimal | None) -> Decimal | None:
    """Return the tokens per second of the whole cluster that meet the deadline.

    Training is taken to be effective for no more than the share of time that the specification asks for, so
    that the two clauses together meet the deadline.
    """
    job, tokens = source.requirement.workload, source.plan.sizing.tokens
    if not job.deadline_s or not tokens or effective is None:
        return None
    return Decimal(str(tokens / job.deadline_s)) / effective


def _compute(source: _Source) -> Iterator[Clause]:
    units = {"memory": "GB", "peak": "TFLOPS", "bandwidth": "TB/s", "scale-up": "GB/s"}
    marks = {"memory": Mark.MANDATORY}
    for key, unit in units.items():
        if key in source.market.values:
            yield Clause(
                Part.COMPUTE,
                f"device-{key}",
                marks.get(key, Mark.IMPORTANT),
                Proof.REPORT,
                source.market.values[key],
                unit,
                basis=source.wanted[key],
                # What the job needs of memory is computed; the rest is read from the device's figures.
                grade=None if key == "memory" else source.grades.get(key),
            )
    for key in ("formats", "error-correction", "firmware"):
        yield _function(Part.COMPUTE, key)


def _network(source: _Source) -> Iterator[Clause]:
    fabric, devices = source.option.fabric, source.option.accelerators
    if fabric and fabric.per_port_gbit_s and fabric.endpoints and devices and source.plan.nodes > 1:
        total = source.option.servers or 0
        share = devices / Decimal(total) if total else Decimal(1)
        ports = Decimal(fabric.endpoints) / source.plan.nodes
        rate = fabric.per_port_gbit_s * ports / share
        yield Clause(
            Part.NETWORK,
            "device-port",
            Mark.IMPORTANT,
            Proof.DESIGN,
            rounded_down(rate),
            "Gbit/s",
            basis=rate,
        )
        yield Clause(
            Part.NETWORK,
            "oversubscription",
            Mark.GENERAL,
            Proof.DESIGN,
            fabric.oversubscription,
            "count",
            at_most=True,
        )
        yield from _collective(source)
        for key in ("direct-access", "port-errors"):
            yield _function(Part.NETWORK, key)
    yield _function(Part.NETWORK, "separate-storage")
    yield _function(Part.NETWORK, "out-of-band")


def _collective(source: _Source) -> Iterator[Clause]:
    rungs = [rung for test in source.option.acceptance for rung in test.rungs]
    if not rungs:
        return
    last = max(rungs, key=lambda rung: rung.ranks)
    # A share of the bidder's own line rate asks the same of every maker; GB/s would ask for one design.
    reached = last.threshold.value / last.line.value
    share = class_below(reached, _LINE_SHARES)
    if share is not None:
        yield Clause(
            Part.NETWORK,
            "all-reduce",
            Mark.IMPORTANT,
            Proof.ACCEPTANCE,
            share,
            "share",
            basis=reached,
            numbers={"message": _MESSAGE_GIB},
            grade=last.threshold.grade,
        )


def _storage(source: _Source) -> Iterator[Clause]:
    storage = source.option.storage
    if storage is None:
        return
    room = "local-capacity" if storage.local else "capacity"
    yield _at_least(Part.STORAGE, room, storage.capacity, Mark.MANDATORY, Proof.DESIGN)
    yield _at_least(Part.STORAGE, "read", storage.read, Mark.IMPORTANT, Proof.ACCEPTANCE)
    yield _at_least(Part.STORAGE, "write", storage.write, Mark.IMPORTANT, Proof.ACCEPTANCE)
    goodput = source.option.goodput
    if goodput is not None and goodput.write_s.value > 0:
        yield _at_most(Part.STORAGE, "stall", goodput.write_s, Proof.ACCEPTANCE)
    if not storage.local:
        for key in ("server-loss", "file-interface"):
            yield _function(Part.STORAGE, key)


def _platform(source: _Source) -> Iterator[Clause]:
    for key in ("scheduling", "telemetry", "isolation", "open-code"):
        yield _function(Part.PLATFORM, key, Proof.COMMITMENT if key == "open-code" else Proof.DESIGN)
    yield Clause(
        Part.PLATFORM,
        "licences",
        Mark.GENERAL,
        Proof.COMMITMENT,
        Decimal(source.requirement.commercial.horizon_years),
        "year",
    )
    yield Clause(Part.SECURITY, "logs", Mark.GENERAL, Proof.COMMITMENT, _LOG_DAYS, "day")
    yield _function(Part.SECURITY, "accounts")
    for key in ("graded-protection", "media"):
        yield _function(Part.SECURITY, key, Proof.COMMITMENT)


def _site(source: _Source) -> Iterator[Clause]:
    power = source.option.power
    if power is None:
        return
    limit = power.rack_limit
    if limit is not None:
        given = "site.rack_power" not in {one.key for one in source.requirement.assumptions}
        mark = Mark.MANDATORY if given else Mark.GENERAL
        yield Clause(Part.SITE, "rack-power", mark, Proof.DESIGN, limit.value, limit.unit, at_most=True)
    # The power that was sized is one design's, no limit of the site: it bounds, and voids no bid. A sum that
    # misses devices of unknown power bounds nothing.
    if not power.it_peak.incomplete:
        total = _at_most(Part.SITE, "total-power", power.it_peak, Proof.DESIGN)
        yield replace(total, mark=Mark.GENERAL)
    yield _function(Part.SITE, f"cooling-{source.requirement.site.cooling}")
    yield _function(Part.SITE, "power-reading")


def _service(source: _Source) -> Iterator[Clause]:
    years = Decimal(source.requirement.commercial.warranty_years)
    if years > 0:
        # General here: years beyond these are scored as service, and nothing is scored twice.
        yield Clause(Part.SERVICE, "warranty", Mark.GENERAL, Proof.COMMITMENT, years, "year")
    training = next((row for row in source.option.bill if row.id.endswith("operator-training")), None)
    if training is not None:
        yield Clause(
            Part.SERVICE,
            "training",
            Mark.GENERAL,
            Proof.COMMITMENT,
            Decimal(training.quantity),
            training.unit,
        )
    for key in ("spares", "documents"):
        yield _function(Part.SERVICE, key)


def _function(part: Part, key: str, proof: Proof = Proof.DESIGN) -> Clause:
    return Clause(part, key, Mark.GENERAL, proof)


def _at_least(part: Part, key: str, figure: Shown, mark: Mark, proof: Proof) -> Clause:
    return Clause(
        part,
        key,
        mark,
        proof,
        rounded_down(figure.value),
        figure.unit,
        basis=figure.value,
        grade=figure.grade,
        refs=figure.refs,
    )


def _at_most(part: Part, key: str, figure: Shown, proof: Proof) -> Clause:
    found = _at_least(part, key, figure, Mark.IMPORTANT, proof)
    return replace(found, value=rounded_up(figure.value), at_most=True)


def _view(clause: Clause, source: _Source) -> ClauseView:
    shown = None if clause.value is None else Shown(value=clause.value, unit=clause.unit)
    basis = None if clause.basis is None else Shown(value=clause.basis, unit=clause.unit, refs=clause.refs)
    return ClauseView(
        number=clause.number,
        key=clause.key,
        section=clause.part,
        mark=clause.mark,
        proof=clause.proof,
        threshold=shown,
        at_most=clause.at_most,
        basis=basis,
        numbers=dict(clause.numbers),
        offered=_offered(clause, source),
    )


def _offered(clause: Clause, source: _Source) -> Shown | None:
    """Return what a bid states: a fact of the devices or the design, else the value that it commits to.

    A bid states no figure that is recalled, estimated or borrowed; the bidder fills such a line in.
    """
    if clause.value is None:
        return None
    own = _own_figure(clause, source)
    if own is not None:
        return None if own.grade in _UNQUOTED or own.incomplete else own
    measure = clause.key.removeprefix("device-")
    if clause.part is Part.COMPUTE and clause.basis is not None:
        return (
            None if source.grades.get(measure) in _UNQUOTED else Shown(value=clause.basis, unit=clause.unit)
        )
    if clause.part is Part.SITE:
        return None
    if clause.proof is Proof.DESIGN and clause.basis is not None:
        return Shown(value=clause.basis, unit=clause.unit)
    return Shown(value=clause.value, unit=clause.unit)


def _own_figure(clause: Clause, source: _Source) -> Shown | None:
    option = source.option
    return {
        "device-memory": _part_memory(option, source.dies),
        "device-peak": option.peak,
        "rack-power": _rack_peak(option),
        "total-power": option.power.it_peak if option.power else None,
    }.get(clause.key)


def _rack_peak(option: Option) -> Shown | None:
    """Return the peak power of the fullest rack; a lower bound where a rack holds what is unknown."""
    racks = option.facility.racks if option.facility else ()
    fullest = max(racks, key=lambda rack: rack.peak.value, default=None)
    if fullest is None:
        return None
    known = all(rack.power_known for rack in racks)
    return fullest.peak.model_copy(update={"incomplete": fullest.peak.incomplete or not known})


def _part_memory(option: Option, dies: int) -> Shown | None:
    nominal = option.memory_nominal
    return None if nominal is None else nominal.model_copy(update={"value": nominal.value / dies})


def _evaluation(track: Track, clauses: tuple[Clause, ...]) -> EvaluationView:
    important = sum(one.mark is Mark.IMPORTANT for one in clauses)
    rated = next((one.number for one in clauses if one.key == "delivered-rate"), "")
    blocks = scoring_blocks(track, Subject(important=important, rated=bool(rated)))
    points = next(block.points for block in blocks if block.key is BlockKey.PRICE)
    scores = price_scores(_EXAMPLE_BIDS, points)
    return EvaluationView(
        blocks=tuple(
            BlockView(key=block.key, points=block.points, numbers=dict(block.numbers)) for block in blocks
        ),
        rated=rated,
        example=tuple(
            BidScore(price=price, score=score) for price, score in zip(_EXAMPLE_BIDS, scores, strict=True)
        ),
        lowest=min(_EXAMPLE_BIDS),
        example_points=points,
    )
