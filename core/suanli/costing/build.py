"""The whole ledger: inputs, lines of every option, checks, and the tables that show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.capital import capital_lines
from suanli.costing.checks import check_lines, master_check
from suanli.costing.edits import edited_inputs
from suanli.costing.inputs import (
    colocation_price,
    general_inputs,
    option_inputs,
    price_inputs,
    rent_price,
    site_inputs,
    staff,
)
from suanli.costing.ledger import Entry, Ledger, Line
from suanli.costing.lines import Costed
from suanli.costing.operating import calendar_lines, energy_lines, operating_lines
from suanli.costing.payments import payment_inputs, payment_lines, purchase_lines
from suanli.costing.tables import make_tables
from suanli.costing.tariff import tariff_lines
from suanli.costing.tco import (
    breakeven_line,
    cash_lines,
    comparable,
    discount_lines,
    owned,
    rent_lines,
    unit_cost_lines,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.market import Price
    from suanli.domain.workload import Requirement
    from suanli.planning.results import ClusterPlan

__all__ = ["build_ledger"]


def build_ledger(
    plans: Sequence[tuple[str, ClusterPlan]], requirement: Requirement, catalogue: Catalogue
) -> Ledger:
    """Return the ledger of several options.

    Ids that others rely on, with the option's key in place of ``K``: ``K.capex.net``, ``K.capex.vat``,
    ``K.capex.gross``, ``K.opex.year1`` ..., ``K.cash.year0`` ..., ``K.tco.net``, ``K.tco.discounted``,
    ``K.energy.kwh_run``, ``K.energy.kwh_year``, ``K.carbon.kg_run``,
    ``K.bill.ITEM.quantity|unit_price|net|vat|gross``, ``K.depreciation.year1`` ..., ``check.master``. A
    figure that cannot be computed has no entry; a sum that misses a part is marked incomplete.

    Args:
        plans: option key and plan, in the order of the document.
        requirement: money rules and site.
        catalogue: prices of rack space, staff and rent; the bill's prices are in the plans.
    """
    options = [_costed(key, plan, requirement, catalogue) for key, plan in plans]
    years = range(1, requirement.commercial.horizon_years + 1)
    found: list[Entry] = [
        *general_inputs(requirement),
        *payment_inputs(requirement),
        *site_inputs(requirement, catalogue),
        *tariff_lines(requirement),
        *price_inputs(options, catalogue),
        *(entry for option in options for entry in option_inputs(option)),
        *calendar_lines(years),
        *discount_lines(years),
    ]
    entries = list(edited_inputs(found, options, requirement))
    colocation = colocation_price(requirement, catalogue)
    known_staff = staff(requirement, catalogue)
    staff_currency = "" if known_staff is None else known_staff[2]
    for option in options:
        rent = rent_price(option.plan.sizing.device.accelerator.id, requirement, catalogue)
        entries += _option_lines(option, colocation, staff_currency, rent)
        # Needs the values of what stands before it: a negative saving has no break-even to show.
        entries += _breakeven(option, entries)
    checks = [check for option in options for check in check_lines(option)]
    entries += [*checks, *master_check(checks)]
    whole = frozenset(option.key for option in options if owned(option) and comparable(option))
    return Ledger(requirement.commercial.currency, tuple(entries), make_tables(options, entries), whole)


def _costed(key: str, plan: ClusterPlan, requirement: Requirement, catalogue: Catalogue) -> Costed:
    """Return an option; rack space and staff are known only where their currency can be converted."""
    plain = Costed(key, plan, requirement, colocated=False, staffed=False)
    colocation = colocation_price(requirement, catalogue)
    known_staff = staff(requirement, catalogue)
    return Costed(
        key,
        plan,
        requirement,
        colocated=colocation is not None and plain.convertible(colocation.currency),
        staffed=known_staff is not None and plain.convertible(known_staff[2]),
    )


def _option_lines(
    option: Costed, colocation: Price | None, staff_currency: str, rent: Price | None
) -> tuple[Line, ...]:
    return (
        *capital_lines(option),
        *payment_lines(option),
        *purchase_lines(option),
        *energy_lines(option),
        *operating_lines(option, colocation, staff_currency),
        *cash_lines(option),
        *unit_cost_lines(option),
        *rent_lines(option, rent),
    )


def _breakeven(option: Costed, entries: Sequence[Entry]) -> tuple[Line, ...]:
    """Return the months to break even, where renting costs more cash a year than operating an own cluster."""
    ids = {entry.id for entry in entries}
    if option.id("rent", "year") not in ids:
        return ()
    values = Ledger(option.currency, tuple(entries)).values()
    if values[option.id("rent", "year")] <= values.get(option.id("opex", "year1"), 0):
        return ()
    return (breakeven_line(option),)
