"""The network design of an option as it is shown, rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_GB, BYTES_PER_S_PER_GBIT, BYTES_PER_TB
from suanli.planning.network.results import LinkKind
from suanli.proposal.model.network import (
    CableView,
    LinkOptionView,
    NetworkView,
    PortGroupView,
    ShapeView,
    SideNetworkView,
    SubscriptionView,
    TrafficView,
)
from suanli.proposal.rounding import money, places, share, shown
from suanli.proposal.scales import rate, size

if TYPE_CHECKING:
    from decimal import Decimal

    from suanli.planning.network.results import (
        CableCount,
        LinkOption,
        NetworkPlan,
        ShapeCounts,
        SideNetwork,
        SubscriptionRow,
        Traffic,
    )
    from suanli.planning.results import FabricPlan
    from suanli.proposal.model import Shown
    from suanli.proposal.references import References

__all__ = ["network_view"]


def network_view(fabric: FabricPlan, network: NetworkPlan, references: References) -> NetworkView:
    """Return the design of all networks of an option."""
    return NetworkView(
        shape=None if fabric.shape is None else fabric.shape.value,
        rails=fabric.rails,
        ports_used=fabric.ports_used,
        threshold=None if network.threshold is None else share(network.threshold),
        compared_by_rate=network.compared_by_rate,
        asked_oversubscription=_ratio(network.asked_oversubscription)
        if network.asked_oversubscription > 1
        else None,
        traffic=tuple(_traffic(one, references) for one in network.traffic),
        options=tuple(_option(one, references) for one in network.options),
        shapes=tuple(_shape(one) for one in network.shapes),
        cables=tuple(_cable(one) for one in fabric.cables),
        subscription=tuple(_subscription(one) for one in network.subscription),
        sides=tuple(_side(one) for one in network.sides),
    )


def _traffic(one: Traffic, references: References) -> TrafficView:
    return TrafficView(
        dimension=one.dimension.value,
        ranks=one.ranks,
        moved=size(one.bytes_per_step, (references.formula("traffic"),)),
        level=one.level.value,
        exposed=_seconds(one.exposed_s),
        share=share(one.exposed_share),
    )


def _seconds(value: float) -> Shown:
    """Return a time in seconds, a tenth and less in milliseconds."""
    return shown(value, "s") if value >= _MILLISECONDS_BELOW or not value else shown(value * 1e3, "ms")


_MILLISECONDS_BELOW = 0.1


def _port(rate_bytes_per_s: float) -> Shown:
    return shown(rate_bytes_per_s / BYTES_PER_S_PER_GBIT, "Gbit/s")


def _option(one: LinkOption, references: References) -> LinkOptionView:
    own = one.kind is LinkKind.SCALE_UP
    device = shown(one.port_bytes_per_s / BYTES_PER_GB, "GB/s")
    return LinkOptionView(
        name=one.name,
        kind=one.kind.value,
        rate=device if own else _port(one.port_bytes_per_s),
        share=share(one.exposed_share),
        step=shown(one.step_s, "s"),
        switches=one.switches,
        cost=None if one.cost is None else money(one.cost.amount, one.cost.currency),
        verdict=_verdict(one),
        fitted=one.fitted,
        cheapest=one.cheapest,
        refs=references.source(one.source),
    )


def _verdict(one: LinkOption) -> str:
    if one.kind is LinkKind.SCALE_UP:
        return "bound"
    if one.meets is None:
        return "open"
    return "meets" if one.meets else "exceeds"


def _shape(one: ShapeCounts) -> ShapeView:
    return ShapeView(
        shape=one.shape.value,
        leaf=one.leaf,
        spine=one.spine,
        core=one.core,
        cables=one.cables,
        ports_free=one.ports_free,
        chosen=one.chosen,
    )


def _cable(one: CableCount) -> CableView:
    return CableView(
        tier=one.tier.value,
        kind=one.kind.value,
        cables=one.cables,
        host_modules=one.host_modules,
        switch_modules=one.switch_modules,
        longest_m=None if one.longest_m is None else places(one.longest_m, 0),
    )


def _ratio(value: float) -> Decimal:
    """Return a ratio at two decimals, a whole one without any."""
    exact, whole = places(value, 2), places(value, 0)
    return whole if exact == whole else exact


def _subscription(one: SubscriptionRow) -> SubscriptionView:
    return SubscriptionView(
        asked=_ratio(one.asked),
        ratio=_ratio(one.ratio),
        switches=one.switches,
        cables=one.cables,
        bisection=shown(one.bisection_bytes_per_s / BYTES_PER_TB, "TB/s"),
        share=share(one.exposed_share),
        step=shown(one.step_s, "s"),
        chosen=one.chosen,
    )


def _side(one: SideNetwork) -> SideNetworkView:
    return SideNetworkView(
        purpose=one.purpose.value,
        switch=None if one.switch is None else one.switch.name,
        ports=one.ports,
        ports_per_server=one.ports_per_server,
        rate=_port(one.port_bytes_per_s),
        switches=one.switches,
        planes=one.planes,
        cables=one.cables,
        oversubscription=None if one.oversubscription is None else _ratio(one.oversubscription),
        needed=None if one.needed_bytes_per_s is None else rate(one.needed_bytes_per_s),
        given=None if one.given_bytes_per_s is None else rate(one.given_bytes_per_s),
        assumed_ports=one.assumed_ports,
        adapters=one.adapters,
        groups=tuple(
            PortGroupView(user=group.user.value, machines=group.machines, each=group.each)
            for group in one.groups
        ),
    )
