"""The hall of the sample proposal, with everything that the chapter can show."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Text
from suanli.proposal.model import (
    BoxView,
    CoolingView,
    FacilityView,
    FloorView,
    LimitView,
    PlantView,
    PueView,
    RackView,
    RowView,
    Shown,
    SlotView,
)

__all__ = ["rack", "sample_facility"]

D = Decimal


def _kw(value: str, *refs: str) -> Shown:
    return Shown(value=D(value), unit="kW", refs=refs)


def _bound(value: str) -> Shown:
    """Return a power that misses that of some switch."""
    return Shown(value=D(value), unit="kW", incomplete=True)


def _slots(*runs: tuple[str, str, int, int]) -> tuple[SlotView, ...]:
    """Return boxes from the floor up, from letter, kind, number and height of each run."""
    slots: list[SlotView] = []
    bottom = 1
    for letter, kind, count, units in runs:
        for _ in range(count):
            slots.append(SlotView(letter=letter, kind=kind, bottom=bottom, units=units))
            bottom += units
    return tuple(slots)


def rack(key: str, role: str, count: int, *runs: tuple[str, str, int, int], **changed: object) -> RackView:
    """Return a rack of runs of boxes."""
    fields: dict[str, object] = {
        "key": key,
        "role": role,
        "count": count,
        "units": 42,
        "reserved_units": 2,
        "slots": _slots(*runs),
        "content": tuple((letter, number) for letter, _, number, _ in runs),
        "peak": _kw("11.2"),
        "training": _kw("9.6"),
        "power_known": True,
        "over_power": False,
        "sources": 2,
        "circuits_per_source": 1,
        "rating_a": 32,
        "current_a": D(18),
        "method": "air",
        "weight": None,
        "floor": None,
    }
    return RackView.model_validate(fields | changed)


def sample_facility() -> FacilityView:
    """Return 45 racks: 44 of two servers, and one of everything else."""
    weight = Shown(value=D(420), unit="kg")
    load = Shown(value=D(304), unit="kg/m2", refs=("S2",))
    boxes = (
        ("A", "servers", "server", Text(zh="Atlas 800T A2", en="Atlas 800T A2"), 88, 4, _kw("5.6")),
        ("B", "leaf-switches", "leaf", Text(zh="400G 叶交换机", en="400G leaf switch"), 12, 1, None),
        ("C", "storage-servers", "storage", Text(zh="存储服务器", en="Storage server"), 6, 2, _kw("1.2")),
        ("D", "spare-servers", "spare", Text(zh="Atlas 800T A2", en="Atlas 800T A2"), 2, 4, _kw("5.6")),
    )
    return FacilityView(
        boxes=tuple(
            BoxView(
                key=key,
                letter=letter,
                kind=kind,
                name=name,
                count=count,
                rack_units=units,
                height_assumed=kind == "leaf",
                peak=peak,
            )
            for letter, key, kind, name, count, units, peak in boxes
        ),
        racks=(
            rack("R1", "compute", 44, ("A", "server", 2, 4), weight=weight, floor=load),
            rack("R2", "compute", 1, ("D", "spare", 2, 4), method="assisted-air", weight=weight, floor=load),
            rack("R3", "mixed", 1, ("B", "leaf", 12, 1), ("C", "storage", 6, 2), power_known=False),
        ),
        rows=(
            RowView(
                racks=(("R1", 12),),
                count=3,
                racks_each=12,
                peak=_kw("134.4"),
                training=_kw("115.2"),
                total_peak=_kw("403.2"),
                total_training=_kw("345.6"),
            ),
            RowView(
                racks=(("R1", 8), ("R2", 1), ("R3", 1)),
                count=1,
                racks_each=10,
                peak=_kw("108"),
                training=_kw("91.8"),
                total_peak=_kw("108"),
                total_training=_kw("91.8"),
                power_known=False,
            ),
        ),
        rack_count=46,
        pdu_count=92,
        rack_limit=_kw("30"),
        it_peak=_bound("511.2"),
        it_training=_bound("437.4"),
        facility_peak=_bound("639"),
        reserved=_kw("12.4"),
        hosted=True,
        redundancy="N+1",
        voltage=Shown(value=D(380), unit="V"),
        ups=PlantView(load_kva=D(538), unit_kva=D(400), needed=2, installed=3, installed_kva=D(1200)),
        transformers=PlantView(
            load_kva=D(673), unit_kva=D(1000), needed=1, installed=2, installed_kva=D(2000)
        ),
        cooling=CoolingView(
            site="liquid",
            servers="air",
            heat=_kw("511.2"),
            liquid=_kw("468.2"),
            air=_kw("151"),
            air_plain=_kw("30", "S2"),
            air_assisted=_kw("50", "S2"),
            concerns=("liquid-servers-air-site", "air-servers-liquid-site", "density-above-air"),
        ),
        floor=FloorView(
            rack="R1",
            weight=weight,
            load=load,
            limit=Shown(value=D(1224), unit="kg/m2", refs=("S2",)),
            met=True,
        ),
        pue=PueView(
            value=D("1.15"),
            given=True,
            planning=Shown(value=D("1.4"), unit="PUE", low=D("1.25"), high=D("1.4"), refs=("S2",)),
            optimistic=True,
            limits=(
                LimitView(
                    name=Text(zh="国家枢纽节点项目", en="projects in national hub nodes"),
                    limit=Shown(value=D("1.2"), unit="PUE", refs=("S2",)),
                    met=True,
                ),
            ),
        ),
        unknown_power=("B",),
    )
