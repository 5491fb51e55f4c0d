"""Network and growth of the sample proposal, built by hand."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.figure import Grade
from suanli.domain.hardware import Topology
from suanli.domain.record import Text
from suanli.planning.expansion.results import Kind
from suanli.proposal.model import (
    ChangeView,
    ExpansionView,
    PathStageView,
    PathView,
    ScaleUpView,
    ServerFormView,
    ServerGroup,
    Shown,
    StageView,
    TopologyLink,
    TopologyRow,
    TopologyView,
)

__all__ = ["sample_expansion", "sample_topology"]

D = Decimal


def shown(value: str, unit: str, *refs: str, incomplete: bool = False) -> Shown:
    return Shown(value=D(value), unit=unit, refs=refs, incomplete=incomplete)


def sample_topology() -> TopologyView:
    """Return 90 servers of 8 ports under 24 leaves and 12 spines."""
    return TopologyView(
        servers=88,
        spare_servers=2,
        accelerators=8,
        domain=8,
        scale_up=ScaleUpView(per_device=shown("196", "GB/s", "S2"), topology=Topology.MESH),
        ports=8,
        rows=(TopologyRow(tier="spine", groups=(12,)), TopologyRow(tier="leaf", groups=(24,))),
        links=(
            TopologyLink(upper="spine", lower="leaf", cables=720, each=30, gbit_s=D(200)),
            TopologyLink(upper="leaf", lower="server", cables=720, each=8, gbit_s=D(200)),
        ),
        groups=tuple(ServerGroup(servers=30, leaf_switches=8) for _ in range(3)),
    )


def stage(factor: int, days: str, efficiency: str, network: str, *, tier: bool = False) -> StageView:
    return StageView(
        factor=D(factor),
        servers=88 * factor,
        spare_servers=2 * factor,
        accelerators=704 * factor,
        idle_accelerators=32 if factor > 2 else 0,
        tiers=3 if tier else 2,
        leaf_switches=24 * factor,
        spine_switches=12 * factor,
        core_switches=24 if tier else 0,
        host_cables=720 * factor,
        fabric_cables=720 * factor,
        ports_free=96 * factor,
        new_tier=tier,
        racks=45 * factor,
        rack_power_left=shown(str(1017 * factor), "kW"),
        facility_peak=shown(str(698 * factor), "kW"),
        storage_capacity=shown("640", "TB"),
        storage_write=shown("67.5", "GB/s"),
        storage_read=shown("40", "GB/s"),
        days=shown(days, "day", "F7"),
        efficiency=D(efficiency) if efficiency else None,
        network=shown(network, "CNY", incomplete=True) if network else None,
    )


def change(kind: Kind, kept: int, moved: int, added: int, discarded: int = 0) -> ChangeView:
    return ChangeView(
        kind=kind,
        before=kept + moved + discarded,
        kept=kept,
        moved=moved,
        added=added,
        discarded=discarded,
        after=kept + moved + added,
    )


def path_stage(factor: int, spine: int, moved: int, changes: tuple[ChangeView, ...]) -> PathStageView:
    return PathStageView(
        factor=D(factor),
        tiers=2,
        leaf_switches=24 * factor,
        spine_switches=spine,
        core_switches=0,
        switches=24 * factor + spine,
        ports_free=96,
        moved=moved,
        changes=changes,
    )


def grown(factor: int, moved: int) -> tuple[ChangeView, ...]:
    before = factor // 2
    return (
        change(Kind.SERVERS, 90 * before, 0, 90 * before),
        change(Kind.LEAF, 24 * before, 0, 24 * before),
        change(Kind.HOST_CABLES, 720 * before - 40, 20, 720 * before + 20, 20),
        change(Kind.LEAF_SPINE_LINKS, 720 * before - moved, moved, 720 * before),
    )


def sample_expansion() -> ExpansionView:
    """Return growth to twice and four times, spines early, beside a rack-scale form and another device."""
    early = (
        path_stage(1, 24, 0, ()),
        path_stage(2, 24, 20, grown(2, 0)),
        path_stage(4, 48, 740, grown(4, 720)),
    )
    place = (
        path_stage(1, 12, 0, ()),
        path_stage(2, 24, 380, grown(2, 360)),
        path_stage(4, 48, 740, grown(4, 720)),
    )
    return ExpansionView(
        stages=(
            stage(1, "109", "", "18900000.00"),
            stage(2, "53.8", "1.013", "37500000.00"),
            stage(4, "29.4", "0.927", "", tier=True),
        ),
        paths=(
            PathView(
                target=D(1),
                recommended=False,
                extra_switches=0,
                extra_price=None,
                moved=1120,
                discarded=40,
                stages=place,
            ),
            PathView(
                target=D(2),
                recommended=True,
                extra_switches=12,
                extra_price=shown("2184000.00", "CNY").model_copy(update={"grade": Grade.SECONDARY}),
                moved=760,
                discarded=40,
                stages=early,
            ),
        ),
        forms=(form(chosen=True), form(chosen=False)),
        recommended=D(2),
        early_port_share=D("0.25"),
        spared=360,
    )


def form(*, chosen: bool) -> ServerFormView:
    return ServerFormView(
        server=Text(zh="Atlas 800T A2", en="Atlas 800T A2")
        if chosen
        else Text(zh="Atlas 900 A2 PoD 整机柜", en="Atlas 900 A2 PoD rack"),
        accelerator=Text(zh="昇腾 910B2", en="Ascend 910B2"),
        chosen=chosen,
        other_device=False,
        per_server=8 if chosen else 64,
        domain=8,
        servers=88 if chosen else 11,
        spare_servers=2 if chosen else 0,
        bought=720 if chosen else 704,
        endpoints=720 if chosen else 704,
        switches=36 if chosen else None,
        cables=1440 if chosen else None,
        racks=45 if chosen else None,
        facility_peak=shown("698", "kW") if chosen else None,
        days=shown("109", "day") if chosen else None,
        communication_share=D("0.214") if chosen else None,
        repair=8,
        repair_share=D("0.011"),
        domain_share=D("0.011"),
    )
