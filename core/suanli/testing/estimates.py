"""A reference estimate for every training device: it must finish and give finite, possible figures."""

from __future__ import annotations

import math
from dataclasses import fields
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from suanli.domain.architecture import Architecture
from suanli.domain.hardware import Accelerator, Cooling, Precision, Server
from suanli.domain.money import Money
from suanli.domain.record import Text
from suanli.domain.workload import (
    ClusterWish,
    Commercial,
    LayoutPins,
    ModelChoice,
    Objective,
    ProjectInfo,
    ProposalType,
    Requirement,
    Rounding,
    Site,
    SolveFor,
    Task,
    Track,
    VendorChoice,
    Workload,
)
from suanli.errors import Fault
from suanli.estimation.devices import candidate_devices
from suanli.estimation.results import Constraint, Infeasible, Range, Sizing
from suanli.estimation.sizing import size_at
from suanli.testing.subject import Check, Subject, place

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CHECKS", "reference_job"]

_SERVERS: Final = 8
_TOKENS: Final = 1e11


_SHAPE: Final = Architecture(
    layers=32,
    hidden_size=4096,
    ffn_hidden_size=14336,
    attention_heads=32,
    kv_heads=8,
    head_dim=128,
    vocab_size=128256,
)
_PROJECT: Final = ProjectInfo(
    name=Text.same("conformance"),
    client=Text.same("conformance"),
    type=ProposalType.INTERNAL_APPROVAL,
    track=Track.ENTERPRISE,
    languages=("en",),
    day=date(2026, 1, 1),
)
_COMMERCIAL: Final = Commercial(
    currency="CNY",
    budget=None,
    horizon_years=5,
    discount_rate=Decimal("0.06"),
    vat_goods=Decimal("0.13"),
    vat_works=Decimal("0.09"),
    vat_services=Decimal("0.06"),
    exchange_rates=(),
    rounding=Rounding.LINE,
    price_validity_days=90,
    depreciation_years=5,
    residual_share=Decimal("0.05"),
    maintenance_share=Decimal("0.05"),
    warranty_years=3,
    spare_parts_share=Decimal("0.02"),
)


def reference_job(accelerator: str, precision: Precision = Precision.BF16) -> Requirement:
    """Return the job that every device is sized for: a dense model of 8B parameters on 100 billion tokens.

    Site and money are filled in because a requirement has them; no check reads them.
    """
    return Requirement(
        project=_PROJECT,
        scenario="conformance",
        model=ModelChoice(Text(zh="80 亿参数稠密模型", en="8B dense"), _SHAPE, "parameters"),
        workload=Workload(Task.PRETRAIN, 4096, 1024, precision, _TOKENS),
        solve_for=SolveFor.DAYS,
        objective=Objective.COST,
        pins=LayoutPins(),
        cluster=ClusterWish(),
        site=Site("CN", Decimal("1.3"), Money(Decimal(1), "CNY"), None, 40_000.0, Cooling.AIR),
        vendors=VendorChoice(consider=(), accelerators=(accelerator,)),
        commercial=_COMMERCIAL,
    )


def _estimates(subject: Subject) -> Iterator[tuple[Accelerator, Sizing | Infeasible]]:
    """Yield every training device that the host keeps, with its reference estimate on eight servers."""
    for device in subject.records(Accelerator):
        if not device.trains or subject.host.catalogue.find(Accelerator, device.id) is None:
            continue
        precision = next(
            (one for one in (Precision.BF16, Precision.FP16) if one in device.dense_peak), Precision.BF16
        )
        job = reference_job(device.id, precision)
        (found,) = candidate_devices(job, subject.host.catalogue)
        if isinstance(found, tuple):
            yield device, found[1]
        else:
            yield device, size_at(found, job, found.server.accelerator_count * _SERVERS)


def the_reference_estimate_finishes_with_finite_figures(subject: Subject) -> Iterator[Fault]:
    """Yield every device with a server that cannot be sized, and every figure that is no positive number."""
    for device, result in _estimates(subject):
        if isinstance(result, Infeasible):
            if result.constraint is Constraint.CALIBRATION and _has_server(device, subject):
                why = "it needs a calibration, a memory bandwidth and a stack of its vendor"
                yield Fault("cannot be sized", key=place(device), why=why)
        else:
            yield from _not_finite(device, result)


def _has_server(device: Accelerator, subject: Subject) -> bool:
    servers = subject.host.catalogue.all(Server)
    return any(device.id in (server.accelerator, *server.sibling_accelerators) for server in servers)


def _not_finite(device: Accelerator, sizing: Sizing) -> Iterator[Fault]:
    for field in fields(sizing):
        value: object = getattr(sizing, field.name)
        numbers = (value.p10, value.p50, value.p90) if isinstance(value, Range) else (value,)
        for number in numbers:
            if isinstance(number, float) and not (math.isfinite(number) and number > 0):
                yield Fault(f"{field.name} is {number}", key=place(device), why="finite and positive")


def the_reference_estimate_is_never_faster_than_the_dense_peak(subject: Subject) -> Iterator[Fault]:
    """Yield every device whose estimate has an MFU of 1 or more, or falls outside its own range."""
    for device, result in _estimates(subject):
        if isinstance(result, Sizing):
            if result.mfu.p90 >= 1 or result.duration_s.p10 < result.peak_bound_s:
                yield Fault(
                    f"MFU {result.mfu.p90:.2f} at P90", key=place(device), why="the dense peak is a bound"
                )
            if not result.duration_s.p10 <= result.duration_s.p50 <= result.duration_s.p90:
                yield Fault("P10, P50 and P90 do not rise", key=place(device))


CHECKS = (
    Check(the_reference_estimate_finishes_with_finite_figures, Accelerator),
    Check(the_reference_estimate_is_never_faster_than_the_dense_peak, Accelerator),
)
