"""The technical specification of a tender, drawn from the need and from the cluster that was sized.

Thresholds of the whole (rate, capacity, recovery) come from the need; those of a device are classes that
several makers can meet. Whatever the plan does not know asks for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.hardware import Accelerator
from suanli.procurement.classes import LADDERS, class_below, ladder_steps, rounded_down, rounded_up
from suanli.procurement.clauses import Clause, Mark, Part, Proof, numbered, settled
from suanli.procurement.market import Thresholds, candidates, open_thresholds
from suanli.procurement.scoring import BlockKey, price_scores, scoring_blocks
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
    market = candidates(catalogue.all(Accelerator), precision)
    wanted = _wanted(option, catalogue, requirement)
    thresholds = open_thresholds(wanted, market)
    source = _Source(requirement, plan, option, thresholds, wanted)
    clauses = numbered(settled(tuple(_clauses(source))))
    return SpecificationView(
        clauses=tuple(_view(clause, source) for clause in clauses),
        market=MarketView(
            makers=thresholds.makers,
            known=thresholds.known,
            exclusive=thresholds.exclusive,
            given_up=tuple(key for key in wanted if _lowered(key, source)),
        ),
        evaluation=_evaluation(requirement.project.track, sum(one.mark is Mark.IMPORTANT for one in clauses)),
    )


def _wanted(option: Option, catalogue: Catalogue, requirement: Requirement) -> dict[str, Decimal]:
    device = catalogue.find(Accelerator, option.accelerator)
    if device is None:
        return {}
    (own,) = candidates([device], requirement.workload.precision) or (None,)
    return dict(own.measures) if own else {}


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
    rate = _needed_rate(source)
    if rate is not None:
        yield Clause(
            Part.PERFORMANCE,
            "delivered-rate",
            Mark.MANDATORY,
            Proof.ACCEPTANCE,
            rounded_up(rate),
            "tokens/s",
            basis=rate,
        )
    goodput = source.option.goodput
    if goodput is None:
        return
    share = class_below(goodput.share.value, _EFFECTIVE)
    if share is not None:
        yield Clause(
            Part.PERFORMANCE,
            "effective-time",
            Mark.IMPORTANT,
            Proof.ACCEPTANCE,
            share,
            "share",
            basis=goodput.share.value,
        )
    yield _at_most(Part.PERFORMANCE, "recovery", goodput.restart_min, Proof.ACCEPTANCE)


def _needed_rate(source: _Source) -> Decimal | None:
    """Return the tokens per second of the whole cluster, without interruptions, that meet the deadline."""
    job, goodput = source.requirement.workload, source.option.goodput
    tokens = source.plan.sizing.tokens
    if not job.deadline_s or not tokens or goodput is None:
        return None
    return Decimal(str(tokens / job.deadline_s)) / goodput.share.value


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
    yield Clause(
        Part.NETWORK,
        "all-reduce",
        Mark.IMPORTANT,
        Proof.ACCEPTANCE,
        rounded_down(last.threshold.value),
        "GB/s",
        basis=last.threshold.value,
        numbers={"ranks": Decimal(last.ranks)},
    )


def _storage(source: _Source) -> Iterator[Clause]:
    storage = source.option.storage
    if storage is None:
        return
    yield _at_least(Part.STORAGE, "capacity", storage.capacity, Mark.MANDATORY, Proof.DESIGN)
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
        yield _function(Part.PLATFORM, key)
    yield Clause(
        Part.PLATFORM,
        "licences",
        Mark.GENERAL,
        Proof.COMMITMENT,
        Decimal(source.requirement.commercial.horizon_years),
        "year",
    )
    yield Clause(Part.SECURITY, "logs", Mark.GENERAL, Proof.DESIGN, _LOG_DAYS, "day")
    for key in ("accounts", "graded-protection", "media"):
        yield _function(Part.SECURITY, key)


def _site(source: _Source) -> Iterator[Clause]:
    power = source.option.power
    if power is None:
        return
    limit = power.rack_limit or power.rack_power
    yield Clause(Part.SITE, "rack-power", Mark.MANDATORY, Proof.DESIGN, limit.value, limit.unit, at_most=True)
    yield _at_most(Part.SITE, "total-power", power.it_peak, Proof.DESIGN)
    yield _function(Part.SITE, f"cooling-{power.cooling}")
    yield _function(Part.SITE, "power-reading")


def _service(source: _Source) -> Iterator[Clause]:
    years = Decimal(source.requirement.commercial.warranty_years)
    if years > 0:
        yield Clause(Part.SERVICE, "warranty", Mark.IMPORTANT, Proof.COMMITMENT, years, "year")
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


def _function(part: Part, key: str) -> Clause:
    return Clause(part, key, Mark.GENERAL, Proof.DESIGN)


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
    """Return what the configuration has of a measure, where it is a fact of its devices or its design."""
    option = source.option
    if clause.part is Part.COMPUTE and clause.basis is not None:
        figure = {"device-memory": option.memory_nominal, "device-peak": option.peak}.get(clause.key)
        return figure or Shown(value=clause.basis, unit=clause.unit)
    if clause.proof is Proof.DESIGN and clause.basis is not None:
        return Shown(value=clause.basis, unit=clause.unit)
    return None


def _evaluation(track: Track, important: int) -> EvaluationView:
    blocks = scoring_blocks(track)
    points = next(block.points for block in blocks if block.key is BlockKey.PRICE)
    scores = price_scores(_EXAMPLE_BIDS, points)
    return EvaluationView(
        blocks=tuple(
            BlockView(
                key=block.key,
                points=block.points,
                items=important if block.key is BlockKey.TECHNICAL else 0,
            )
            for block in blocks
        ),
        example=tuple(
            BidScore(price=price, score=score) for price, score in zip(_EXAMPLE_BIDS, scores, strict=True)
        ),
        lowest=min(_EXAMPLE_BIDS),
        example_points=points,
    )
