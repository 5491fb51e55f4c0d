"""Figures that a decision rests on: unit costs, buying against renting, financing, scenarios."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.finance import FinancingMethod
from suanli.domain.record import Part, Text
from suanli.proposal.model.figures import Shown

__all__ = ["FinancingView", "FinancingYear", "RentView", "ScenarioRow", "UnitCost"]


class UnitCost(Part):
    """The total cost of ownership by a unit of the cluster or of its work."""

    key: str
    label: Text
    figure: Shown


class RentView(Part):
    """Buying against renting the same accelerator-hours, where a rent is known."""

    hour: Shown
    total: Shown
    """Rent over the horizon, net."""
    saving: Shown
    """Rent less total cost of ownership, nominal; negative where renting costs less."""
    npv: Shown
    """The same in present value."""
    irr: Decimal | None
    """Return of the yearly flows of buying in place of renting; None where they have none."""
    payback_months: int | None
    """Month of operation in which buying is ahead in cash; None where that is not within the horizon."""
    breakeven_months: Decimal | None
    """Simple form at the costs of the first year; None where renting is cheaper to run."""
    saved: tuple[Decimal, ...] = ()
    """Cash that buying is ahead of renting by month of operation, 0 first; negative while it is behind."""
    breakeven_utilisation: Decimal
    """Share of all hours in use at which buying costs what renting does."""


class FinancingYear(Part):
    """A year of the schedule, counted from the order."""

    year: int
    interest: Decimal
    principal: Decimal
    instalments: Decimal
    closing: Decimal


class FinancingView(Part):
    """A loan or a lease for the purchase."""

    method: FinancingMethod
    share: Decimal
    rate: Decimal
    term_months: int
    grace_months: int
    amount: Shown
    instalment: Shown
    """Level instalment or rent of a month, or the principal of a month in equal parts."""
    interest: Shown
    present: Shown
    """What is paid back, at today's worth by the discount rate."""
    gain: Shown
    """Amount less what is paid back at today's worth."""
    total: Shown
    """Total cost of ownership with interest."""
    years: tuple[FinancingYear, ...]


class ScenarioRow(Part):
    """A factor or a cost in the three scenarios."""

    key: str
    label: Text
    unit: str
    optimistic: Decimal
    base: Decimal
    pessimistic: Decimal
    factor: bool
    """True for a factor, which is set; False for what follows from it."""
