"""Terms of money over time: financing, escalation, served work, and the scenarios of a review."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

__all__ = ["Escalation", "Financing", "FinancingMethod", "ScenarioFactors", "Serving"]

_ZERO = Decimal(0)
_ONE = Decimal(1)


class FinancingMethod(StrEnum):
    """How a loan is paid back, or that it is a lease."""

    LEVEL = "level"
    """Equal instalments of interest and principal together, at the end of each month (等额本息)."""
    EQUAL_PRINCIPAL = "equal-principal"
    """Equal parts of the principal and interest on what is left, at the end of each month (等额本金)."""
    LEASE = "lease"
    """Equal rents at the beginning of each month."""


@dataclass(frozen=True, slots=True)
class Financing:
    """Money that another party lends for the purchase."""

    method: FinancingMethod
    share: Decimal
    """Of the purchase net of VAT, 0-1."""
    rate: Decimal
    """Nominal yearly rate; the rate of a month is a twelfth of it."""
    term_months: int
    """Grace included."""
    grace_months: int = 0
    """Months at the beginning in which only interest is paid."""


@dataclass(frozen=True, slots=True)
class Escalation:
    """Yearly rise of running costs from the second year of operation on."""

    electricity: Decimal = _ZERO
    staff: Decimal = _ZERO
    services: Decimal = _ZERO
    """Rack space, maintenance, spare parts, software and insurance."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What the cluster delivers when it serves its model, as measured by the project."""

    tokens_per_s_per_accelerator: Decimal
    """Output tokens per second and accelerator under the load that the service agreement allows."""
    utilisation: Decimal
    """Share of all hours at that rate, 0-1."""


@dataclass(frozen=True, slots=True)
class ScenarioFactors:
    """What a scenario multiplies, each 1 in the base."""

    price: Decimal = _ONE
    """Prices of goods, works, services and software."""
    exchange: Decimal = _ONE
    """Price of foreign currency."""
    electricity: Decimal = _ONE
    """Electricity price and rack space."""
    staff: Decimal = _ONE
    use: Decimal = _ONE
    """Runs a year."""
    run_time: Decimal | None = None
    """Time of a run; None: that of each option at its P10 or P90."""
    residual: Decimal = _ONE
    """Residual value."""
