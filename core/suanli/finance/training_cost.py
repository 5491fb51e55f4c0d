"""Cost of a published training run: amortised hardware, purchase, rental, and hours where only work is known.

Source: B. Cottier, R. Rahman, L. Fattorini, N. Maslej, D. Owen, The rising costs of training frontier AI
models, 2024, arXiv:2405.21015, and the code of its data set, for amortised cost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from suanli.domain.units import S_PER_HOUR, W_PER_KW
from suanli.finance.amounts import exact, require, require_share

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from suanli.finance.amounts import Amount

__all__ = [
    "AmortisedCost",
    "AmortisedRun",
    "InterconnectBasis",
    "Purchase",
    "Rental",
    "accelerator_hours_of_flops",
    "amortised_run_cost",
    "amortised_servers",
    "hardware_value",
    "interconnect_cost",
    "purchase_cost",
    "rental_cost",
    "training_kwh",
    "years_between",
]

_LN_10: Final = Decimal(10).ln()
_DAYS_PER_YEAR: Final = Decimal("365.25")


class InterconnectBasis(StrEnum):
    """What a share of interconnect is a share of."""

    CLUSTER = "cluster"
    """Of servers and interconnect together: interconnect = servers * s / (1 - s)."""
    SERVERS = "servers"
    """A mark-up on the servers: interconnect = servers * s."""


def years_between(start: date, end: date, days_per_year: Amount = _DAYS_PER_YEAR) -> Decimal:
    """Return the years from one day to another, whole days over the days of a year.

    >>> from datetime import date
    >>> years_between(date(2024, 1, 1), date(2025, 1, 1), 366)
    Decimal('1')
    """
    return Decimal((end - start).days) / days_per_year


def hardware_value(price: Amount, falling_per_year: Amount, years: Amount) -> Decimal:
    """Return what hardware is worth some years after it came out, P * 10^(-t y).

    Args:
        price: P when it became available.
        falling_per_year: t, orders of magnitude a year by which price for performance falls; 0.14 is 28 %.
        years: y since then.

    Source: Cottier et al., 2024.

    >>> hardware_value(1_000, Decimal("0.5"), 2)
    Decimal('100.0')
    """
    return price * Decimal(10) ** (-Decimal(falling_per_year) * years)


def amortised_servers(
    value: Amount, falling_per_year: Amount, chip_hours: float, hours_per_year: float
) -> Decimal:
    """Return what a run uses up of its servers' value, V * t ln 10 / H * h.

    It is the rate at which the value falls at the start of the run, taken as constant while it lasts.

    Args:
        value: V of a chip with its share of the server at the start of the run.
        falling_per_year: t, as in `hardware_value`.
        chip_hours: h of the run.
        hours_per_year: H, 8,766 for years of 365.25 days, 8,760 for common ones.

    Raises:
        InputError: a year has no hours.

    Source: Cottier et al., 2024.

    >>> round(amortised_servers(14_165, Decimal("0.14"), 57e6, 8_766) / 1_000_000, 2)
    Decimal('29.69')
    """
    require(hours_per_year > 0, f"a year of {hours_per_year} hours is none", "8,760 or 8,766 are used")
    return value * Decimal(falling_per_year) * _LN_10 / exact(hours_per_year) * exact(chip_hours)


def interconnect_cost(servers: Amount, share: Amount, basis: InterconnectBasis) -> Decimal:
    """Return the cost of the interconnect beside servers, C s / (1 - s) of the cluster or C s as a mark-up.

    Raises:
        InputError: the share is not between 0 and 1, or the interconnect is the whole cluster.

    >>> interconnect_cost(81, Decimal("0.19"), InterconnectBasis.CLUSTER)
    Decimal('19')
    """
    require_share(Decimal(share), "interconnect")
    if basis is InterconnectBasis.SERVERS:
        return servers * Decimal(share)
    require(share < 1, "interconnect is the whole cluster", "servers have a share of it")
    return servers * Decimal(share) / (1 - Decimal(share))


def training_kwh(
    chip_hours: float, chip_tdp_w: float, server_multiplier: float, power_share: float, pue: float
) -> float:
    """Return the facility energy of a run from rated power, E = h * TDP * m * f * PUE / 1000 in kWh.

    Args:
        chip_hours: h of the run.
        chip_tdp_w: rated power of a chip.
        server_multiplier: m, rated power of a chip's share of the server over that of the chip.
        power_share: f, average power over rated power.
        pue: facility energy over IT energy.

    Raises:
        InputError: the PUE is below 1, or the power share is no share.

    Source: Cottier et al., 2024.

    >>> training_kwh(1_000, 400, 2.0, 0.75, 1.25)
    750.0
    """
    require(pue >= 1, f"PUE {pue} is below 1", "a facility draws at least what its equipment draws")
    require_share(power_share, "average power")
    return chip_hours * chip_tdp_w * server_multiplier * power_share * pue / W_PER_KW


@dataclass(frozen=True, slots=True)
class AmortisedRun:
    """Inputs of the amortised cost of a run."""

    price: Amount
    """Of a chip with its share of the server, when it became available."""
    years_since_available: Amount
    chip_hours: float
    falling_per_year: Amount
    hours_per_year: float
    interconnect_share: Amount
    interconnect_basis: InterconnectBasis
    server_over_chip_cost: Amount
    """Price of a chip with its share of the server over that of the chip."""
    chip_tdp_w: float
    server_multiplier: float
    power_share: float
    pue: float
    electricity_price: Amount
    """Per kWh."""


@dataclass(frozen=True, slots=True)
class AmortisedCost:
    """What a run costs in hardware used up and energy."""

    value_per_chip: Decimal
    servers: Decimal
    accelerators: Decimal
    """Part of the servers."""
    interconnect: Decimal
    energy: Decimal
    energy_kwh: float
    total: Decimal
    per_chip_hour: Decimal


def amortised_run_cost(run: AmortisedRun) -> AmortisedCost:
    """Return the cost of a run: servers and interconnect used up, and energy.

    Raises:
        InputError: as the formulas that it adds up; or there are no chip-hours.

    Source: Cottier et al., 2024.

    >>> rated = {"chip_tdp_w": 400, "server_multiplier": 2.0, "power_share": 0.75, "pue": 1.25}
    >>> cost = amortised_run_cost(AmortisedRun(
    ...     price=24_875, years_since_available=1, chip_hours=1e6, falling_per_year=Decimal("0.14"),
    ...     hours_per_year=8_766, interconnect_share=Decimal("0.19"),
    ...     interconnect_basis=InterconnectBasis.CLUSTER, server_over_chip_cost=Decimal("1.66"),
    ...     electricity_price=Decimal("0.08"), **rated))
    >>> round(cost.value_per_chip), round(cost.servers), round(cost.interconnect), round(cost.energy)
    (18020, 662682, 155444, 60000)
    """
    require(
        run.chip_hours > 0, "a run without chip-hours has no cost per chip-hour", "chip-hours are above 0"
    )
    require(
        run.server_over_chip_cost >= 1, "a server cannot cost less than its chips", "the ratio is 1 or more"
    )
    value = hardware_value(run.price, run.falling_per_year, run.years_since_available)
    servers = amortised_servers(value, run.falling_per_year, run.chip_hours, run.hours_per_year)
    interconnect = interconnect_cost(servers, run.interconnect_share, run.interconnect_basis)
    kwh = training_kwh(run.chip_hours, run.chip_tdp_w, run.server_multiplier, run.power_share, run.pue)
    energy = exact(kwh) * run.electricity_price
    total = servers + interconnect + energy
    chips = servers / run.server_over_chip_cost
    return AmortisedCost(
        value, servers, chips, interconnect, energy, kwh, total, total / exact(run.chip_hours)
    )


@dataclass(frozen=True, slots=True)
class Purchase:
    """A cluster bought at once."""

    servers: Decimal
    interconnect: Decimal

    @property
    def total(self) -> Decimal:
        """Return servers and interconnect together."""
        return self.servers + self.interconnect


def purchase_cost(chips: int, price: Amount, share: Amount, basis: InterconnectBasis) -> Purchase:
    """Return what the servers of some chips and their interconnect cost.

    Raises:
        InputError: as `interconnect_cost`.

    >>> purchase_cost(100, 81, Decimal("0.19"), InterconnectBasis.CLUSTER).total
    Decimal('10000')
    """
    servers = Decimal(chips) * price
    return Purchase(servers, interconnect_cost(servers, share, basis))


def accelerator_hours_of_flops(flops: float, peak_flops_per_s: float, mfu: float) -> float:
    """Return the accelerator-hours that work takes, h = C / (P * MFU) / 3600.

    Args:
        flops: C, floating-point operations of the model.
        peak_flops_per_s: P, dense peak of an accelerator.
        mfu: share of the peak that the model's operations reach, above 0 and at most 1.

    Raises:
        InputError: the peak or the utilisation is not above 0.

    >>> round(accelerator_hours_of_flops(3.6e18, 1e15, 0.5))
    2
    """
    require(peak_flops_per_s > 0, "a peak of zero never ends", "the dense peak is above 0")
    require(0 < mfu <= 1, f"MFU {mfu} is no utilisation", "it is above 0 and at most 1")
    hours = flops / (peak_flops_per_s * mfu) / S_PER_HOUR
    require(math.isfinite(hours), "the hours are beyond all bounds", "FLOPs and peak are finite")
    return hours


@dataclass(frozen=True, slots=True)
class Rental:
    """A run on rented accelerators."""

    stages: dict[str, Decimal]
    """Cost of each stage."""
    hours: float

    @property
    def total(self) -> Decimal:
        """Return the cost of all stages."""
        return sum(self.stages.values(), Decimal(0))


def rental_cost(stage_hours: Mapping[str, float], rate: Amount) -> Rental:
    """Return what the stages of a run cost at a rate per accelerator-hour.

    Official training alone: research, ablations, data, staff and hours that stand idle are outside.

    >>> rental_cost({"pre-training": 1_000, "post-training": 100}, 2).total
    Decimal('2200')
    """
    return Rental(
        {stage: exact(hours) * rate for stage, hours in stage_hours.items()}, math.fsum(stage_hours.values())
    )
