"""The cluster of one option as it is shown: network, power, energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_S_PER_GBIT, BYTES_PER_TB, W_PER_KW
from suanli.proposal.model import EnergyView, FabricView, PowerView
from suanli.proposal.rounding import places, share, shown, shown_range

if TYPE_CHECKING:
    from suanli.planning.results import EnergyUse, FabricPlan, PowerPlan
    from suanli.proposal.model import Shown
    from suanli.proposal.references import References

__all__ = ["energy_view", "fabric_view", "facility_peak", "power_view"]


def fabric_view(fabric: FabricPlan, references: References) -> FabricView:
    """Return the compute network, rounded."""
    refs = references.figure(fabric.link.per_device) if fabric.link else ()
    if fabric.switch is not None:
        refs += references.figure(fabric.switch.ports)
    rate, bisection = fabric.endpoint_bytes_per_s, fabric.bisection_bytes_per_s
    return FabricView(
        link=fabric.link.name if fabric.link else None,
        switch=fabric.switch.name if fabric.switch else None,
        per_port_gbit_s=None if rate is None else places(rate / BYTES_PER_S_PER_GBIT, 0),
        endpoints=fabric.endpoints,
        tiers=fabric.tiers,
        leaf_switches=fabric.leaf_switches,
        spine_switches=fabric.spine_switches,
        core_switches=fabric.core_switches,
        host_cables=fabric.host_cables,
        fabric_cables=fabric.fabric_cables,
        transceivers=fabric.transceivers,
        ports_free=fabric.ports_free,
        oversubscription=places(fabric.oversubscription, 2),
        bisection=None if bisection is None else shown(bisection / BYTES_PER_TB, "TB/s"),
        refs=tuple(dict.fromkeys(refs)),
    )


def power_view(power: PowerPlan, references: References) -> PowerView:
    """Return power and racks, rounded; kW for a server and a rack, kW or MW for the site."""
    refs = tuple(key for source in power.refs for key in references.source(source))
    return PowerView(
        server_peak=shown(power.server_peak_w / W_PER_KW, "kW", refs=refs)
        if power.server_peak_w is not None
        else None,
        server_training=shown_range(power.server_training_w, "kW", scale=1e-3, refs=refs),
        it_peak=_bound(shown(power.it_peak_w / W_PER_KW, "kW"), power),
        it_training=_bound(shown_range(power.it_training_w, "kW", scale=1e-3), power),
        facility_peak=facility_peak(power),
        racks=power.racks,
        servers_per_rack=power.servers_per_rack,
        rack_power=shown(power.rack_power_w / W_PER_KW, "kW"),
        cooling=power.cooling.value,
        estimated=power.estimated,
        over_rack_limit=power.over_rack_limit,
        rack_part=None if power.rack_part_w is None else shown(power.rack_part_w / W_PER_KW, "kW", refs=refs),
        rack_limit=None if power.rack_limit_w is None else shown(power.rack_limit_w / W_PER_KW, "kW"),
    )


def facility_peak(power: PowerPlan) -> Shown:
    """Return the peak power of the site in kW, a lower bound where some switch's power is unknown."""
    return _bound(shown(power.facility_peak_w / W_PER_KW, "kW"), power)


def _bound(figure: Shown, power: PowerPlan) -> Shown:
    return figure.model_copy(update={"incomplete": True}) if power.lower_bound else figure


def energy_view(energy: EnergyUse, references: References) -> EnergyView:
    """Return energy in MWh and carbon in tonnes, rounded."""
    formula = (references.formula("energy"),)
    carbon = (references.formula("carbon"),)
    return EnergyView(
        per_run=shown_range(energy.facility_kwh_per_run, "MWh", scale=1e-3, refs=formula),
        per_year=shown_range(energy.facility_kwh_per_year, "MWh", scale=1e-3, refs=formula),
        carbon_per_run=(
            shown_range(energy.carbon_kg_per_run, "t", scale=1e-3, refs=carbon)
            if energy.carbon_kg_per_run
            else None
        ),
        carbon_per_year=(
            shown_range(energy.carbon_kg_per_year, "t", scale=1e-3, refs=carbon)
            if energy.carbon_kg_per_year
            else None
        ),
        busy_share=share(energy.busy_share),
    )
