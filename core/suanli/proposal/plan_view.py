"""The cluster of one option as it is shown: network, power, energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.units import BYTES_PER_S_PER_GBIT, BYTES_PER_TB, HOURS_PER_YEAR, W_PER_KW
from suanli.proposal.model import EnergyView, FabricView, PowerView
from suanli.proposal.rounding import places, share, shown, shown_range, significant

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from suanli.planning.results import EnergyUse, FabricPlan, PowerPlan
    from suanli.proposal.model import Shown
    from suanli.proposal.references import References

__all__ = ["edited_energy_view", "energy_view", "fabric_view", "facility_peak", "power_view"]

_THOUSAND = 1000
"""kWh of a MWh, and kg of a tonne."""


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


def edited_energy_view(view: EnergyView, key: str, values: Mapping[str, Decimal]) -> EnergyView:
    """Return energy and carbon as the ledger has them, where figures of an option were changed by hand.

    The range of the sizing is no range of what somebody typed, so there is none.

    Args:
        view: energy as sized.
        key: the option's key.
        values: the ledger's values.
    """

    def figure(shown: Shown, entry: str) -> Shown:
        value = significant(float(values[f"{key}.{entry}"]) / _THOUSAND)
        return shown.model_copy(update={"value": value, "low": None, "high": None})

    def optional(shown: Shown | None, entry: str) -> Shown | None:
        return None if shown is None else figure(shown, entry)

    busy = float(values[f"{key}.energy.busy_hours"])
    return EnergyView(
        per_run=figure(view.per_run, "energy.kwh_run"),
        per_year=figure(view.per_year, "energy.kwh_year"),
        carbon_per_run=optional(view.carbon_per_run, "carbon.kg_run"),
        carbon_per_year=optional(view.carbon_per_year, "carbon.kg_year"),
        busy_share=share(busy / HOURS_PER_YEAR),
    )
