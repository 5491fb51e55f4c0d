"""Network design of the sample proposal, built by hand."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Text
from suanli.proposal.model import (
    CableView,
    LinkOptionView,
    NetworkView,
    ShapeView,
    Shown,
    SideNetworkView,
    SubscriptionView,
    TrafficView,
)
from suanli.proposal.model.network import PortGroupView

__all__ = ["sample_network"]

D = Decimal


def shown(value: str, unit: str, *refs: str) -> Shown:
    return Shown(value=D(value), unit=unit, refs=refs)


def _traffic() -> tuple[TrafficView, ...]:
    rows = (
        ("tp", 8, "902", "GB", "node", "5.79", "0.17"),
        ("dp", 21, "26", "GB", "leaf", "0.414", "0.012"),
        ("pp", 4, "6.44", "GB", "spine", "0.09", "0.003"),
    )
    return tuple(
        TrafficView(
            dimension=dimension,
            ranks=ranks,
            moved=shown(moved, unit, "F3"),
            level=level,
            exposed=shown(exposed, "s"),
            share=D(share),
        )
        for dimension, ranks, moved, unit, level, exposed, share in rows
    )


def _option(  # noqa: PLR0913, PLR0917 - a table row has that many cells
    name: str, kind: str, rate: str, share: str, step: str, verdict: str, cost: str = ""
) -> LinkOptionView:
    own = kind == "scale-up"
    return LinkOptionView(
        name=Text(zh="昇腾 HCCS v2", en="Ascend HCCS v2") if own else Text(zh=name, en=name),
        kind=kind,
        rate=shown(rate, "GB/s" if own else "Gbit/s"),
        share=D(share),
        step=shown(step, "s"),
        switches=None if own else 36,
        cost=shown(cost, "CNY") if cost else None,
        verdict=verdict,
        fitted=rate == "200",
        cheapest=rate == "200",
        refs=("S5",),
    )


def sample_network() -> NetworkView:
    """Return a rail-optimised network of 90 servers of 8 ports under 24 leaves and 12 spines."""
    return NetworkView(
        shape="rail-optimised",
        rails=8,
        ports_used=1800,
        threshold=D("0.2"),
        compared_by_rate=True,
        traffic=_traffic(),
        options=(
            _option("RoCE v2 100GbE", "ethernet", "100", "0.211", "34.1", "exceeds"),
            _option("RoCE v2 200GbE", "ethernet", "200", "0.189", "33.2", "meets"),
            _option("InfiniBand NDR 400G", "infiniband", "400", "0.183", "33", "meets", "17778684.00"),
            _option("HCCS", "scale-up", "196", "0.179", "32.8", "bound"),
        ),
        shapes=(
            ShapeView(shape="fat-tree", leaf=23, spine=12, core=0, cables=736, ports_free=784, chosen=False),
            ShapeView(
                shape="rail-optimised", leaf=24, spine=12, core=0, cables=720, ports_free=504, chosen=True
            ),
        ),
        cables=(
            CableView(
                tier="host-leaf",
                kind="multimode",
                cables=720,
                host_modules=720,
                switch_modules=360,
                longest_m=D(13),
            ),
            CableView(
                tier="leaf-spine", kind="copper", cables=96, host_modules=0, switch_modules=0, longest_m=D(2)
            ),
            CableView(
                tier="leaf-spine",
                kind="single-mode",
                cables=624,
                host_modules=0,
                switch_modules=1248,
                longest_m=D(64),
            ),
        ),
        subscription=tuple(
            SubscriptionView(
                asked=D(asked),
                ratio=D(ratio),
                switches=switches,
                cables=cables,
                bisection=shown(bisection, "TB/s"),
                share=D(share),
                step=shown(step, "s"),
                chosen=asked == "1",
            )
            for asked, ratio, switches, cables, bisection, share, step in (
                ("1", "1", 36, 720, "9", "0.189", "33.2"),
                ("2", "1.91", 26, 462, "4.71", "0.196", "33.6"),
                ("4", "3.92", 20, 260, "2.3", "0.209", "34.1"),
            )
        ),
        sides=(
            SideNetworkView(
                purpose="storage",
                switch=Text(zh="64 口 100G 以太网交换机", en="64-port 100G Ethernet switch"),
                ports=240,
                ports_per_server=2,
                rate=shown("100", "Gbit/s"),
                switches=6,
                planes=1,
                cables=304,
                oversubscription=D(3),
                needed=shown("67.5", "GB/s"),
                given=shown("100", "GB/s"),
                assumed_ports=True,
                adapters=90,
                groups=tuple(
                    PortGroupView(user=user, machines=machines, each=each)
                    for user, machines, each in (
                        ("training", 90, 2),
                        ("performance", 6, 4),
                        ("capacity", 4, 2),
                        ("support", 8, 2),
                        ("out-of-band", 6, 2),
                    )
                ),
            ),
            SideNetworkView(
                purpose="management",
                switch=None,
                ports=254,
                ports_per_server=2,
                rate=shown("1", "Gbit/s"),
                switches=6,
                planes=1,
                cables=254,
                oversubscription=D(1),
                needed=None,
                given=None,
                assumed_ports=True,
                adapters=0,
            ),
        ),
    )
