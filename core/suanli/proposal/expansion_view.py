"""The growth of the cluster as it is shown, rounded."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_GB, BYTES_PER_TB, S_PER_DAY, W_PER_KW
from suanli.planning.defaults_expansion import EARLY_SWITCH_PORT_SHARE
from suanli.planning.facility.results import RackRole
from suanli.proposal.model import (
    ChangeView,
    ExpansionView,
    PathStageView,
    PathView,
    ServerFormView,
    Shown,
    StageView,
)
from suanli.proposal.plan_view import facility_peak
from suanli.proposal.rounding import money, places, share, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from suanli.planning.expansion.results import (
        ExpansionPlan,
        ExpansionStage,
        GrowthPath,
        PathStage,
        ServerForm,
    )
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.references import References

__all__ = ["expansion_view"]

_TOLERANCE_W = 1e-6
"""What sums of floats may miss a limit by."""


def expansion_view(expansion: ExpansionPlan, currency: str, references: References) -> ExpansionView:
    """Return sizes, growth paths and forms of server, rounded.

    Args:
        expansion: the planned growth.
        currency: the project's.
        references: gives the formulas their keys.
    """
    recommended = expansion.recommended
    place = next((path for path in expansion.paths if path.target == 1), None)
    chosen = next((path for path in expansion.paths if path.target == recommended), None)
    return ExpansionView(
        stages=_stages(expansion.stages, currency, references),
        paths=tuple(_path(path, recommended, currency) for path in expansion.paths),
        forms=tuple(_form(form, chosen=not number) for number, form in enumerate(expansion.forms)),
        recommended=None if recommended is None else _factor(recommended),
        early_port_share=share(EARLY_SWITCH_PORT_SHARE),
        spared=place.moved - chosen.moved if place and chosen else 0,
    )


def _factor(factor: Fraction) -> Decimal:
    return (
        places(float(factor), 2).normalize().quantize(Decimal(1))
        if factor.denominator == 1
        else places(float(factor), 2)
    )


def _stages(stages: Sequence[ExpansionStage], currency: str, references: References) -> tuple[StageView, ...]:
    tiers = [stage.plan.fabric.tiers or 0 for stage in stages]
    # From a single server to several the network is new, and not a tier of it.
    grows = [False, *(later > before > 0 for before, later in pairwise(tiers))]
    return tuple(
        _stage(stage, currency, references, new_tier=new) for stage, new in zip(stages, grows, strict=True)
    )


def _stage(stage: ExpansionStage, currency: str, references: References, *, new_tier: bool) -> StageView:
    plan, fabric = stage.plan, stage.plan.fabric
    count = plan.sizing.nodes * plan.sizing.device.server.accelerator_count
    left = _power_left_w(plan)
    return StageView(
        factor=_factor(stage.factor),
        servers=plan.sizing.nodes,
        spare_servers=plan.spare_nodes,
        accelerators=count,
        idle_accelerators=None if stage.accelerators is None else count - stage.accelerators,
        tiers=fabric.tiers,
        leaf_switches=fabric.leaf_switches,
        spine_switches=fabric.spine_switches,
        core_switches=fabric.core_switches,
        host_cables=fabric.host_cables,
        fabric_cables=fabric.fabric_cables,
        ports_free=fabric.ports_free,
        new_tier=new_tier,
        racks=plan.power.racks if plan.power else None,
        rack_power_left=None if left is None else shown(abs(left) / W_PER_KW, "kW"),
        rack_power_short=left is not None and left < 0,
        facility_peak=_peak(plan),
        storage_capacity=shown(plan.storage.capacity_bytes / BYTES_PER_TB, "TB"),
        storage_write=shown(plan.storage.write_bytes_per_s / BYTES_PER_GB, "GB/s"),
        storage_read=shown(plan.storage.read_bytes_per_s / BYTES_PER_GB, "GB/s"),
        days=_days(stage.duration_s, references),
        efficiency=None if stage.efficiency is None or stage.factor == 1 else share(stage.efficiency),
        network=None
        if stage.network_net is None
        else money(stage.network_net, currency, incomplete=stage.network_incomplete),
    )


def _peak(plan: ClusterPlan) -> Shown | None:
    return facility_peak(plan.power) if plan.power else None


def _power_left_w(plan: ClusterPlan) -> float | None:
    """Return what racks with servers may draw beyond what stands in them in W, None where that is unknown.

    It is negative where racks exceed their limit: what others leave does not reach them. Racks that hold a
    box of unknown power leave nothing that could be counted on.
    """
    facility = plan.facility
    if facility is None:
        return None
    shared = {RackRole.COMPUTE, RackRole.MIXED}
    racks = [rack for rack in facility.racks if rack.role in shared and rack.power_known]
    if not racks:
        return None
    left = [rack.count * (facility.rack_limit_w - rack.peak_w) for rack in racks]
    missing = sum(watts for watts in left if watts < -_TOLERANCE_W)
    return missing or sum(watts for watts in left if watts > 0)


def _days(seconds: float | None, references: References) -> Shown | None:
    if seconds is None:
        return None
    return shown(seconds / S_PER_DAY, "day", refs=(references.formula("duration"),))


def _path(path: GrowthPath, recommended: Fraction | None, currency: str) -> PathView:
    return PathView(
        target=_factor(path.target),
        recommended=path.target == recommended,
        extra_switches=path.extra_today,
        extra_price=None if path.extra_net is None else money(path.extra_net, currency),
        moved=path.moved,
        discarded=path.discarded,
        stages=tuple(_path_stage(stage) for stage in path.stages),
    )


def _path_stage(stage: PathStage) -> PathStageView:
    wiring = stage.wiring
    return PathStageView(
        factor=_factor(stage.factor),
        tiers=wiring.tiers,
        leaf_switches=wiring.leaf,
        spine_switches=wiring.spine,
        core_switches=wiring.core,
        switches=wiring.switches,
        ports_free=wiring.ports_free,
        moved=stage.moved,
        changes=tuple(
            ChangeView(
                kind=change.kind,
                before=change.before,
                kept=change.kept,
                moved=change.moved,
                added=change.added,
                discarded=change.discarded,
                after=change.after,
            )
            for change in stage.changes
            if change.before or change.after
        ),
    )


def _form(form: ServerForm, *, chosen: bool) -> ServerFormView:
    plan, sizing = form.plan, form.plan.sizing
    device, fabric = sizing.device, plan.fabric
    links = fabric.fabric_cables
    return ServerFormView(
        server=device.server.name,
        accelerator=device.accelerator.name,
        chosen=chosen,
        other_device=form.other_device,
        per_server=device.server.accelerator_count,
        domain=device.server.scale_up_domain,
        servers=sizing.nodes,
        spare_servers=plan.spare_nodes,
        bought=form.bought,
        endpoints=fabric.endpoints,
        switches=fabric.switches,
        cables=None if fabric.host_cables is None or links is None else fabric.host_cables + links,
        racks=plan.power.racks if plan.power else None,
        facility_peak=_peak(plan),
        days=shown(sizing.duration_s.p50 / S_PER_DAY, "day") if form.sized else None,
        communication_share=share(sizing.step.communication_share) if form.sized else None,
        repair=form.repair_accelerators,
        repair_share=share(form.repair_accelerators / form.bought),
        domain_share=share(min(form.domain_accelerators, form.bought) / form.bought),
    )
