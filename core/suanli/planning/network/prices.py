"""What a network costs: switches, cabling, adapters, in the project's currency where every price is known."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.market import PriceKind
from suanli.domain.money import Money
from suanli.domain.units import BYTES_PER_S_PER_GBIT
from suanli.planning.network.selection import INFINIBAND
from suanli.planning.prices import class_price, item_price

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.hardware import Server, Switch
    from suanli.domain.market import Price
    from suanli.domain.workload import Requirement
    from suanli.planning.network.clos import ClosCounts

__all__ = ["cabling_price", "gbit_of", "network_cost", "nic_basis", "optic_basis", "switch_price"]

_CABLING_GBIT = 400
"""Port rate for which cabling is priced by port and tiers."""


def gbit_of(rate_bytes_per_s: float) -> int:
    """Return a line rate in Gbit/s."""
    return round(rate_bytes_per_s / BYTES_PER_S_PER_GBIT)


def optic_basis(technology: str, gbit: int, *, single_mode: bool = False) -> str:
    """Return the class of a transceiver; InfiniBand and single-mode have classes of their own.

    >>> optic_basis("ethernet", 400), optic_basis("infiniband", 400, single_mode=True)
    ('optic-400g', 'optic-ib-400g-sm')
    """
    made = f"optic-ib-{gbit}g" if technology == INFINIBAND else f"optic-{gbit}g"
    return f"{made}-sm" if single_mode else made


def nic_basis(technology: str, gbit: int) -> str:
    """Return the class of a network adapter; those of InfiniBand are of one maker.

    >>> nic_basis("ethernet", 400), nic_basis("infiniband", 400)
    ('nic-400g', 'nic-400g-connectx-7')
    """
    made = {400: "connectx-7", 800: "connectx-8"}.get(gbit) if technology == INFINIBAND else None
    return f"nic-{gbit}g-{made}" if made else f"nic-{gbit}g"


def switch_price(catalogue: Catalogue, switch: Switch, server_vendor: str, region: str) -> Price | None:
    """Return a switch's own price; its class's price only for a make of no accelerator vendor."""
    own = item_price(catalogue, switch.id, PriceKind.SWITCH, region)
    if own is not None or switch.vendor == server_vendor or switch.ports is None or switch.port_rate is None:
        return own
    return class_price(catalogue, f"switch-{gbit_of(switch.port_rate.si)}g-{round(switch.ports.si)}p", region)


def cabling_price(
    catalogue: Catalogue, technology: str, rate_bytes_per_s: float, tiers: int, region: str
) -> Price | None:
    """Return the price of cabling by compute port where a network is so priced: InfiniBand at 400 Gbit/s.

    Modules of one maker for InfiniBand cost several times those for Ethernet, whose prices never stand in.
    """
    if technology != INFINIBAND or gbit_of(rate_bytes_per_s) != _CABLING_GBIT:
        return None
    return class_price(catalogue, f"fabric-cabling-{tiers}l", region)


def network_cost(  # noqa: PLR0913, PLR0917 - the parts of one sum
    requirement: Requirement,
    catalogue: Catalogue,
    switch: Switch,
    counts: ClosCounts,
    rate_bytes_per_s: float,
    server: Server,
) -> Money | None:
    """Return the cost of switches, cabling and adapters before tax, or None where a price is unknown.

    Every cable counts as optical, so that options compare whatever the racks; adapters count for each
    endpoint, though servers may come with them, for the same reason.
    """
    region, endpoints = requirement.site.region, sum(counts.leaf_endpoints)
    parts = [
        (switch_price(catalogue, switch, server.vendor, region), counts.switches),
        (class_price(catalogue, nic_basis(switch.technology, gbit_of(rate_bytes_per_s)), region), endpoints),
        *_cabling(catalogue, switch, counts, rate_bytes_per_s, region),
    ]
    total = Decimal(0)
    for price, count in parts:
        amount = None if price is None else _in_currency(price, requirement)
        if amount is None:
            return None
        total += amount * count
    return Money(total, requirement.commercial.currency)


def _cabling(
    catalogue: Catalogue, switch: Switch, counts: ClosCounts, rate: float, region: str
) -> list[tuple[Price | None, int]]:
    whole = cabling_price(catalogue, switch.technology, rate, counts.tiers, region)
    endpoints = sum(counts.leaf_endpoints)
    if whole is not None:
        return [(whole, endpoints)]
    at_switch = 0 if switch.port_rate is None else gbit_of(switch.port_rate.si)
    bases = (
        ("cable-fibre", endpoints + counts.links),
        (optic_basis(switch.technology, gbit_of(rate)), endpoints),
        (optic_basis(switch.technology, at_switch), counts.host_ports + 2 * counts.links),
    )
    return [(class_price(catalogue, basis, region), count) for basis, count in bases]


def _in_currency(price: Price, requirement: Requirement) -> Decimal | None:
    """Return an amount in the project's currency, or None without an exchange rate."""
    commercial = requirement.commercial
    if price.currency == commercial.currency:
        return price.amount
    for rate in commercial.exchange_rates:
        if (rate.base, rate.quote) == (price.currency, commercial.currency):
            return price.amount * rate.rate
        if (rate.quote, rate.base) == (price.currency, commercial.currency):
            return price.amount / rate.rate
    return None
