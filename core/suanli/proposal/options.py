"""Options as they are shown, from sizings, plans and the ledger."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_GB, FLOPS_PER_TFLOP, S_PER_DAY
from suanli.estimation.evaluate import quantile_s
from suanli.estimation.results import Constraint, Infeasible, Remedy, RemedyKind
from suanli.proposal.acceptance_view import acceptance_view
from suanli.proposal.availability_view import availability_view
from suanli.proposal.compliance_view import compliance_view
from suanli.proposal.emissions_view import ledger_energy
from suanli.proposal.expansion_view import expansion_view
from suanli.proposal.facility_view import facility_view
from suanli.proposal.model import EnergyView, Option, RemedyView, Shown, Verdict
from suanli.proposal.money_view import Books, bill_rows, money_view
from suanli.proposal.network_view import network_view
from suanli.proposal.plan_view import edited_energy_view, energy_view, fabric_view, power_view
from suanli.proposal.rounding import shown
from suanli.proposal.sizing_view import sizing_fields
from suanli.proposal.software_view import software_view
from suanli.proposal.storage_view import storage_view
from suanli.proposal.topology_view import topology_view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.hardware import Accelerator, Server
    from suanli.domain.workload import Requirement
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.references import References

__all__ = ["Failed", "costed_option", "deadline_met", "failed_option"]


@dataclass(frozen=True, slots=True)
class Failed:
    """A device that cannot do the job."""

    accelerator: Accelerator
    server: Server | None
    verdict: Infeasible


def costed_option(  # noqa: PLR0913 - the parts of an option, each computed once by the caller
    key: str,
    plan: ClusterPlan,
    verdict: Verdict,
    *,
    requirement: Requirement,
    books: Books,
    stale: Mapping[str, bool],
    catalogue: Catalogue,
) -> Option:
    """Return a feasible option with all its views."""
    references = books.references
    sizing, device = plan.sizing, plan.sizing.device
    region = requirement.delivery_region
    bill = bill_rows(key, plan, books, stale)
    return Option(
        key=key,
        accelerator=device.accelerator.id,
        accelerator_name=device.accelerator.name,
        maker=device.accelerator.maker,
        vendor=device.accelerator.vendor,
        server=device.server.id,
        server_name=device.server.name,
        server_maker=device.server.maker,
        stack_name=device.stack.name,
        verdict=verdict,
        binding=sizing.binding,
        deadline_met=deadline_met(plan, requirement),
        spare_servers=plan.spare_nodes,
        fabric=fabric_view(plan.fabric, references),
        storage=storage_view(plan.storage, references),
        power=power_view(plan.power, references) if plan.power else None,
        facility=facility_view(plan.facility, catalogue, references, uncounted=plan.fabric.switches is None)
        if plan.facility
        else None,
        energy=_energy(key, plan, books),
        bill=bill,
        money=money_view(key, bill, books) if key in books.ledger.whole else None,
        compliance=compliance_view(
            device.accelerator.id, region, requirement.project.day, catalogue, references
        ),
        acceptance=acceptance_view(plan, requirement, catalogue, references),
        topology=topology_view(plan, references),
        expansion=expansion_view(plan.expansion, requirement.commercial.currency, references)
        if plan.expansion
        else None,
        borrowed=device.borrowed,
        software=software_view(plan.software, references) if plan.software else None,
        availability=availability_view(plan.availability, references) if plan.availability else None,
        network=network_view(plan.fabric, plan.network, references) if plan.network else None,
        **sizing_fields(sizing, references),
    )


def _energy(key: str, plan: ClusterPlan, books: Books) -> EnergyView | None:
    """Return energy and carbon: as planned with their range, or as the ledger has them after an edit."""
    if plan.energy is None:
        return None
    view = energy_view(plan.energy, books.references)
    seen = edited_energy_view(view, key, books.values) if plan.edits else view
    return ledger_energy(seen, key, plan, books)


def deadline_met(plan: ClusterPlan, requirement: Requirement) -> bool | None:
    """Tell whether the run ends in time with the asked probability; None where there is no deadline.

    Waiting for repairs counts, as far as it was planned.
    """
    job = requirement.workload
    if job.deadline_s is None:
        return None
    known = plan.availability
    duration = plan.sizing.duration_s if known is None else known.adjusted_s
    return quantile_s(duration, job.deadline_confidence) <= job.deadline_s


def failed_option(
    key: str, failed: Failed, requirement: Requirement, catalogue: Catalogue, references: References
) -> Option:
    """Return an option that cannot do the job, with what binds and the ways out."""
    accelerator, server, infeasible = failed.accelerator, failed.server, failed.verdict
    compliance = compliance_view(
        accelerator.id, requirement.delivery_region, requirement.project.day, catalogue, references
    )
    # These two say that a figure is missing, not that the device is too small or too slow.
    computable = infeasible.constraint not in {Constraint.CALIBRATION, Constraint.PRECISION}
    peak, memory = accelerator.dense_peak.get(requirement.workload.precision), accelerator.memory
    return Option(
        key=key,
        accelerator=accelerator.id,
        accelerator_name=accelerator.name,
        maker=accelerator.maker,
        vendor=accelerator.vendor,
        server=server.id if server else "",
        server_name=server.name if server else accelerator.name,
        server_maker=server.maker if server else None,
        stack_name=None,
        verdict=Verdict.INFEASIBLE if computable else Verdict.NOT_COMPUTABLE,
        binding=infeasible.constraint,
        peak=shown(peak.si / FLOPS_PER_TFLOP, "TFLOPS", digits=4, refs=references.figure(peak))
        if peak
        else None,
        memory_nominal=shown(memory.si / BYTES_PER_GB, "GB", refs=references.figure(memory)),
        compliance=compliance,
        remedies=tuple(_remedy(remedy, requirement) for remedy in infeasible.remedies),
        shortfall=_shortfall(infeasible, requirement),
    )


def _shortfall(infeasible: Infeasible, requirement: Requirement) -> tuple[Shown, Shown] | None:
    scale, unit = {
        Constraint.MEMORY: (1e-9, "GB"),
        Constraint.DEADLINE: (1 / S_PER_DAY, "day"),
        Constraint.BATCH: (1.0, "sequence"),
        Constraint.BUDGET: (1.0, requirement.commercial.currency),
        Constraint.NODE: (1.0, "device"),
        Constraint.NETWORK: (1.0, "share"),
        Constraint.PINNED: (1.0, "device"),
    }.get(infeasible.constraint, (None, ""))
    if scale is None:
        return None
    return shown(infeasible.need * scale, unit), shown(infeasible.have * scale, unit)


def _safe(value: float, *, down: bool) -> float:
    """Return a way out at three digits, rounded to the side on which it still is one.

    >>> _safe(4.5512, down=False), _safe(219_700_993_455.0, down=True)
    (4.56, 219000000000.0)
    """
    if value == 0 or (value == int(value) and abs(value) < _WHOLE_BELOW):
        return value
    exponent = math.floor(math.log10(abs(value))) - 2
    digits = Decimal(repr(value)).scaleb(-exponent)
    whole = digits.to_integral_value(ROUND_FLOOR if down else ROUND_CEILING)
    return float(whole.scaleb(exponent))


_WHOLE_BELOW = 1e7
"""Counts below this are shown as they are."""


def _remedy(remedy: Remedy, requirement: Requirement) -> RemedyView:
    scale, unit = {
        RemedyKind.MORE_TIME: (1 / S_PER_DAY, "day"),
        RemedyKind.MORE_ACCELERATORS: (1.0, "device"),
        RemedyKind.FEWER_TOKENS: (1.0, "token"),
        RemedyKind.MORE_BUDGET: (1.0, requirement.commercial.currency),
        RemedyKind.LARGER_MEMORY: (1e-9, "GB"),
        RemedyKind.LARGER_BATCH: (1.0, "sequence"),
        RemedyKind.SHORTER_SEQUENCE: (1.0, "token"),
    }.get(remedy.kind, (1.0, "count"))
    if remedy.kind is RemedyKind.FEWER_TOKENS:
        # What a project states are the tokens of one epoch.
        scale /= max(requirement.workload.epochs, 1.0)
    down = remedy.kind in {RemedyKind.FEWER_TOKENS, RemedyKind.SHORTER_SEQUENCE}
    value = None if remedy.value is None else shown(_safe(remedy.value * scale, down=down), unit)
    return RemedyView(kind=remedy.kind, value=value, detail=remedy.detail)
