"""What the lines of a bill are drawn from: the plan so far, and the prices of the site."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from suanli.domain.market import Price, PriceKind
from suanli.domain.units import BYTES_PER_S_PER_GBIT
from suanli.planning.prices import class_price, item_price, line_price

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.hardware import Switch
    from suanli.estimation.results import Sizing
    from suanli.planning.facility.results import FacilityPlan
    from suanli.planning.network.results import NetworkPlan
    from suanli.planning.results import BillItem, FabricPlan, PowerPlan, Rule, StoragePlan

__all__ = ["Planned", "Shop", "numbers_of"]


@dataclass(frozen=True, slots=True)
class Planned:
    """What the bill is drawn from."""

    sizing: Sizing
    spares: int
    spare_rule: Rule
    fabric: FabricPlan
    storage: StoragePlan
    power: PowerPlan | None
    spare_trays: int = 0
    """Trays of a rack-scale system that lie on site."""
    network: NetworkPlan | None = None
    """Storage and management networks, and what was found of the compute network."""
    facility: FacilityPlan | None = None
    """None where the power of the servers is unknown, or where it is not planned yet."""

    @property
    def servers(self) -> int:
        """Return all servers, spares included."""
        return self.sizing.nodes + self.spares


@dataclass(frozen=True, slots=True)
class Shop:
    """Where prices are asked for."""

    catalogue: Catalogue
    region: str
    accelerator: str = ""
    """Id of the device of the option, which some quotations are bound to."""

    def of_class(self, basis: str) -> Price | None:
        """Return the price of a class of things."""
        return class_price(self.catalogue, basis, self.region, self.accelerator)

    def with_line_prices(self, bill: tuple[BillItem, ...]) -> tuple[BillItem, ...]:
        """Return a bill with the lines that have no price given the one that a quotation states for them."""
        return tuple(
            replace(item, price=self._of_line(item)) if item.price is None else item for item in bill
        )

    def _of_line(self, item: BillItem) -> Price | None:
        return line_price(self.catalogue, item.id, item.unit, self.accelerator, self.region)

    def of_item(self, item: str, kind: PriceKind) -> Price | None:
        """Return the price of a catalogue record."""
        return item_price(self.catalogue, item, kind, self.region)

    def of_switch(self, switch: Switch, server_vendor: str) -> Price | None:
        """Return a switch's own price; its class's price only for a make of no accelerator vendor."""
        own = self.of_item(switch.id, PriceKind.SWITCH)
        if (
            own is not None
            or switch.vendor == server_vendor
            or switch.ports is None
            or switch.port_rate is None
        ):
            return own
        gbit = round(switch.port_rate.si / BYTES_PER_S_PER_GBIT)
        return self.of_class(f"switch-{gbit}g-{round(switch.ports.si)}p")


def numbers_of(**numbers: object) -> tuple[tuple[str, str], ...]:
    """Return the numbers of a rule by name, as they are shown."""
    return tuple(
        (name, f"{value:g}" if isinstance(value, float) else str(value)) for name, value in numbers.items()
    )
