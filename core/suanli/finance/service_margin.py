"""Margin of a compute service (智算服务) that rents out servers with their cabinets and bandwidth."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from suanli.finance.amounts import require

if TYPE_CHECKING:
    from suanli.finance.amounts import Amount

__all__ = ["ComputeService", "ServiceMargin", "service_margin"]

_MONTHS_PER_YEAR: Final = 12


@dataclass(frozen=True, slots=True)
class ComputeService:
    """Prices and costs of a service, all with VAT or all without."""

    servers: int
    years: int
    server_price_per_month: Amount
    """What a client pays for a server."""
    cabinet_price_per_kw_month: Amount
    cabinet_cost_per_kw_month: Amount
    kw_per_server: Amount
    bandwidth_price_per_gbps_month: Amount
    bandwidth_cost_per_gbps_month: Amount
    gbps_per_server: Amount
    server_cost: Amount
    network_cost_per_server: Amount
    maintenance_per_server_year: Amount
    capital_rate: Amount
    """Charged once on servers, network and maintenance, whatever the years."""


@dataclass(frozen=True, slots=True)
class ServiceMargin:
    """Revenue and cost over the term."""

    revenue_compute: Decimal
    revenue_cabinet: Decimal
    revenue_bandwidth: Decimal
    cost_servers: Decimal
    cost_network: Decimal
    cost_maintenance: Decimal
    cost_cabinet: Decimal
    cost_bandwidth: Decimal
    cost_capital: Decimal

    @property
    def revenue(self) -> Decimal:
        """Return what clients pay."""
        return self.revenue_compute + self.revenue_cabinet + self.revenue_bandwidth

    @property
    def cost(self) -> Decimal:
        """Return what the service costs."""
        hardware = self.cost_servers + self.cost_network + self.cost_maintenance
        return hardware + self.cost_cabinet + self.cost_bandwidth + self.cost_capital

    @property
    def margin(self) -> Decimal:
        """Return revenue less cost."""
        return self.revenue - self.cost

    @property
    def bandwidth_margin(self) -> Decimal:
        """Return what bandwidth alone earns, which may be a loss that compute pays for."""
        return self.revenue_bandwidth - self.cost_bandwidth


def service_margin(service: ComputeService) -> ServiceMargin:
    """Return revenue and cost of a service over its term.

    Revenue is units x price x months; cost adds servers, network, maintenance by year, cabinets, bandwidth
    and a capital charge, once on servers, network and maintenance. Interest over the years is a loan's: see
    `loans`.

    Raises:
        InputError: there is no server or no year.

    >>> service = ComputeService(1, 1, 100, 10, 8, 2, 5, 6, 1, 500, 50, 20, Decimal("0.1"))
    >>> service_margin(service).margin
    Decimal('609.0')
    """
    require(
        service.servers >= 1 and service.years >= 1,
        "nothing is rented out",
        "servers and years are 1 or more",
    )
    server_months = Decimal(service.servers * service.years * _MONTHS_PER_YEAR)
    kw_months, gbps_months = server_months * service.kw_per_server, server_months * service.gbps_per_server
    servers = Decimal(service.servers) * service.server_cost
    network = Decimal(service.servers) * service.network_cost_per_server
    maintenance = Decimal(service.servers * service.years) * service.maintenance_per_server_year
    return ServiceMargin(
        revenue_compute=server_months * service.server_price_per_month,
        revenue_cabinet=kw_months * service.cabinet_price_per_kw_month,
        revenue_bandwidth=gbps_months * service.bandwidth_price_per_gbps_month,
        cost_servers=servers,
        cost_network=network,
        cost_maintenance=maintenance,
        cost_cabinet=kw_months * service.cabinet_cost_per_kw_month,
        cost_bandwidth=gbps_months * service.bandwidth_cost_per_gbps_month,
        cost_capital=(servers + network + maintenance) * service.capital_rate,
    )
