"""Leases in the lessee's accounts: liability and right-of-use asset, at commencement and over the term.

Source: IFRS 16, Leases (2016), paragraphs 22 to 36; CAS 21 租赁 (2018), articles 16 and 17.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.finance.amounts import require
from suanli.finance.time_value import Timing, present_value

if TYPE_CHECKING:
    from suanli.finance.amounts import Amount

__all__ = ["Lease", "LeasePeriod", "LeaseStart", "lease_schedule", "lease_start"]


@dataclass(frozen=True, slots=True)
class Lease:
    """The terms of a lease."""

    payments: tuple[Amount, ...]
    """Rent of each period."""
    rate: Amount
    """Per period: the rate implicit in the lease, else the lessee's incremental borrowing rate."""
    timing: Timing
    final: Amount = 0
    """At the end of the term: a residual value guarantee or a purchase option that is reasonably certain."""
    initial_direct_costs: Amount = 0
    incentives: Amount = 0
    """What the lessor reimburses."""
    restoration: Amount = 0
    """Present value of dismantling and restoring."""


@dataclass(frozen=True, slots=True)
class LeaseStart:
    """What is recognised at commencement."""

    paid: Decimal
    """Rent that falls due at commencement, which is no liability any more."""
    liability: Decimal
    right_of_use_asset: Decimal


@dataclass(frozen=True, slots=True)
class LeasePeriod:
    """One period of a lease."""

    period: int
    interest: Decimal
    payment: Decimal
    """What is paid of the liability in the period: its rent in arrears, or the next rent in advance."""
    liability: Decimal
    """At the end of the period; in advance, after the rent that falls due with it."""
    depreciation: Decimal
    right_of_use_asset: Decimal
    """At the end of the period."""


def lease_start(lease: Lease) -> LeaseStart:
    """Return liability and right-of-use asset at commencement.

    Liability = present value of the payments not paid yet; asset = liability + what is paid at commencement +
    initial direct costs + restoration - incentives.

    Raises:
        InputError: there are no payments, or the rate is -100 % or below.

    Source: IFRS 16, paragraphs 23, 24 and 26; CAS 21 租赁 (2018), articles 16 and 17.

    >>> rents, rate = (50_000,) * 10, Decimal("0.05")
    >>> start = lease_start(Lease(rents, rate, Timing.START, initial_direct_costs=20_000, incentives=5_000))
    >>> round(start.liability), round(start.right_of_use_asset)
    (355391, 420391)
    """
    require(
        bool(lease.payments), "a lease without payments has no liability", "at least one payment is needed"
    )
    paid = Decimal(lease.payments[0]) if lease.timing is Timing.START else Decimal(0)
    liability = present_value(lease.rate, _due(lease), first_year=1)
    extras = lease.initial_direct_costs + lease.restoration - lease.incentives
    return LeaseStart(paid, liability, liability + paid + extras)


def _due(lease: Lease) -> list[Amount]:
    """Return what falls due at the end of each period."""
    rents = [*lease.payments[1:], 0] if lease.timing is Timing.START else list(lease.payments)
    rents[-1] += lease.final
    return rents


def lease_schedule(lease: Lease) -> tuple[LeasePeriod, ...]:
    """Return interest, payments and straight-line depreciation of every period.

    The liability grows by interest, L r, and falls by payments; the asset is depreciated over the term.

    Raises:
        InputError: as `lease_start`.

    Source: IFRS 16, paragraphs 31, 32 and 36.

    >>> rows = lease_schedule(Lease((100, 100), Decimal("0.1"), Timing.END))
    >>> [round(one.interest, 2) for one in rows], round(rows[-1].liability, 2)
    ([Decimal('17.36'), Decimal('9.09')], Decimal('0.00'))
    """
    start = lease_start(lease)
    term = len(lease.payments)
    charge = start.right_of_use_asset / term
    rows: list[LeasePeriod] = []
    liability = start.liability
    for period, payment in enumerate(_due(lease), start=1):
        interest = liability * lease.rate
        liability += interest - payment
        asset = start.right_of_use_asset - charge * period
        rows.append(LeasePeriod(period, interest, Decimal(payment), liability, charge, asset))
    return tuple(rows)
