"""Cost of a cluster over a period, over its life, and rented by the month."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.finance.amounts import exact, require

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.finance.amounts import Amount

__all__ = [
    "Cluster",
    "LifetimeCost",
    "PeriodCost",
    "RentedCluster",
    "RentedCost",
    "cost_share",
    "implied_node_price",
    "lifetime_cost",
    "period_cost",
    "relative_saving",
    "rented_cost",
]


@dataclass(frozen=True, slots=True)
class PeriodCost:
    """What a cluster costs in a period of days."""

    capex: Decimal
    """Part of the purchase that the period uses up."""
    maintenance: Decimal
    energy: Decimal

    @property
    def total(self) -> Decimal:
        """Return the cost of the period."""
        return self.capex + self.maintenance + self.energy


def period_cost(  # noqa: PLR0913 - the terms of the cost
    capex: Amount,
    days: Amount,
    *,
    life_years: Amount,
    maintenance_share: Amount,
    energy_kwh: float,
    electricity_price: Amount,
    days_per_year: Amount = 365,
) -> PeriodCost:
    """Return what some days of a cluster cost: C / L * d / D, C m d / D and E p.

    Args:
        capex: C, the whole purchase.
        days: d of the period.
        life_years: L that the purchase is spread over.
        maintenance_share: m of the whole purchase a year.
        energy_kwh: E of the facility in the period.
        electricity_price: p per kWh.
        days_per_year: D.

    Raises:
        InputError: the life or the year has no length.

    >>> cost = period_cost(365, 30, life_years=3, maintenance_share=0, energy_kwh=5, electricity_price=2)
    >>> cost.capex, cost.energy
    (Decimal('10'), Decimal('10'))
    """
    require(
        life_years > 0 and days_per_year > 0, "a purchase is spread over no time", "life and year are above 0"
    )
    share = Decimal(days) / days_per_year
    spread = capex * Decimal(days) / (life_years * Decimal(days_per_year))
    return PeriodCost(
        spread, capex * Decimal(maintenance_share) * share, exact(energy_kwh) * electricity_price
    )


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster as it is bought, with what running a node costs over its life."""

    nodes: int
    accelerators_per_node: int
    node_price: Amount
    switches: int
    switch_price: Amount
    cabling: Amount
    """Cables, optics and connectors."""
    lifetime_operation_per_node: Amount
    """Facility and operations."""


@dataclass(frozen=True, slots=True)
class LifetimeCost:
    """What a cluster costs over its life."""

    servers: Decimal
    network: Decimal
    operation: Decimal
    nodes: int
    accelerators: int

    @property
    def total(self) -> Decimal:
        """Return hardware and operation together."""
        return self.servers + self.network + self.operation

    @property
    def per_node(self) -> Decimal:
        """Return the cost of one node with its share of the network."""
        return self.total / self.nodes

    @property
    def per_accelerator(self) -> Decimal:
        """Return the cost of one accelerator with its share of everything."""
        return self.total / self.accelerators

    @property
    def network_share_of_hardware(self) -> Decimal:
        """Return the network's share of servers and network."""
        return self.network / (self.servers + self.network)


def lifetime_cost(cluster: Cluster) -> LifetimeCost:
    """Return what a cluster costs over its life, N (p + o) + S q + c.

    Raises:
        InputError: there are no nodes or no accelerators in them.

    >>> cost = lifetime_cost(Cluster(64, 8, 310_000, 8, 36_000, 675_840, 50_000))
    >>> cost.total, round(cost.per_accelerator)
    (Decimal('24003840'), 46882)
    """
    _require_nodes(cluster)
    return LifetimeCost(
        Decimal(cluster.nodes * cluster.node_price),
        Decimal(cluster.switches * cluster.switch_price + cluster.cabling),
        Decimal(cluster.nodes * cluster.lifetime_operation_per_node),
        cluster.nodes,
        cluster.nodes * cluster.accelerators_per_node,
    )


def _require_nodes(cluster: Cluster) -> None:
    require(
        cluster.nodes >= 1 and cluster.accelerators_per_node >= 1,
        f"{cluster.nodes} nodes of {cluster.accelerators_per_node} accelerators are no cluster",
        "a cluster has nodes with accelerators",
    )


def implied_node_price(cluster: Cluster, stated_total: Amount) -> Decimal:
    """Return the price of a node that a stated total implies, (T - N o - S q - c) / N.

    Beside the stated price it shows which input a published total does not follow.

    Raises:
        InputError: as `lifetime_cost`.

    >>> implied_node_price(Cluster(64, 8, 310_000, 8, 36_000, 675_840, 50_000), 24_003_840)
    Decimal('310000')
    """
    cost = lifetime_cost(cluster)
    return (stated_total - cost.network - cost.operation) / cluster.nodes


@dataclass(frozen=True, slots=True)
class RentedCluster:
    """Accelerators that are rented for a term."""

    accelerators: int
    rate: Amount
    """Per accelerator-hour."""
    hours_per_month: float
    """720 for thirty days, 730 for a twelfth of 8,760, 730.5 for a twelfth of 8,766."""
    months: int
    monthly: Mapping[str, Amount]
    """Whatever else is paid or lost each month."""
    set_up: Amount = 0
    """Paid once."""


@dataclass(frozen=True, slots=True)
class RentedCost:
    """What a rented cluster costs."""

    accelerator_month: Decimal
    """The accelerators alone, in a month."""
    month: Decimal
    """With everything else, the set-up spread over the term."""
    total: Decimal
    """Over the term."""


def rented_cost(rented: RentedCluster) -> RentedCost:
    """Return what a rented cluster costs a month and over its term, n r H + sum of monthly items + s / T.

    Raises:
        InputError: the term has no month.

    >>> rented_cost(RentedCluster(1_000, 2, 720, 36, {"storage": 10_000}, set_up=36_000)).month
    Decimal('1451000')
    """
    require(rented.months >= 1, f"a term of {rented.months} months is none", "a term has at least one month")
    accelerators = (
        rented.accelerators * Decimal(rented.rate) * exact(rented.hours_per_month)
    ).normalize() + 0
    month = accelerators + sum(rented.monthly.values()) + Decimal(rented.set_up) / rented.months
    return RentedCost(accelerators, month, month * rented.months)


def relative_saving(before: Amount, after: Amount) -> Decimal:
    """Return the share that a cheaper way saves, 1 - after / before; negative where it costs more.

    Raises:
        InputError: there is nothing to save of.

    >>> relative_saving(200, 150)
    Decimal('0.25')
    """
    require(before > 0, f"nothing can be saved of {before}", "the cost before is above 0")
    return 1 - Decimal(after) / before


def cost_share(*shares: Amount) -> Decimal:
    """Return the share of the whole that nested shares make, their product.

    >>> cost_share(Decimal("0.7"), Decimal("0.5"))
    Decimal('0.35')
    """
    product = Decimal(1)
    for share in shares:
        product *= share
    return product
