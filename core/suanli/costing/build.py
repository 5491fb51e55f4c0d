"""The whole ledger: inputs, lines of every option, checks, and the tables that show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.accounting import accounting_lines
from suanli.costing.calendar import calendar_lines, operating_months, year_key
from suanli.costing.capital import capital_lines
from suanli.costing.checks import check_lines, master_check
from suanli.costing.edits import edited_inputs
from suanli.costing.emissions import embodied_lines
from suanli.costing.expressions import nearest_rate
from suanli.costing.financing import financing_inputs, financing_lines
from suanli.costing.inputs import (
    colocation_price,
    general_inputs,
    option_inputs,
    price_inputs,
    rent_price,
    serving_inputs,
    site_inputs,
    staff,
)
from suanli.costing.ledger import Entry, Ledger, Line, values_of
from suanli.costing.lines import Costed
from suanli.costing.operating import energy_lines, operating_lines
from suanli.costing.payments import payment_inputs, payment_lines, purchase_lines
from suanli.costing.renting import breakeven_line, rent_lines, return_line
from suanli.costing.scenarios import base_factors, scenario_inputs, scenario_lines
from suanli.costing.schedule import factor_lines
from suanli.costing.tables import make_tables
from suanli.costing.tariff import tariff_lines
from suanli.costing.tco import cash_lines, comparable, owned
from suanli.costing.unit_costs import unit_cost_lines

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
    found: list[Entry] = [
        *general_inputs(requirement),
        *payment_inputs(requirement),
        *financing_inputs(requirement),
        *serving_inputs(requirement),
        *site_inputs(requirement, catalogue),
        *tariff_lines(requirement),
        *price_inputs(options, catalogue),
        *(entry for option in options for entry in option_inputs(option)),
        *scenario_inputs(requirement, options),
        *calendar_lines(requirement.commercial.horizon_years),
        *base_factors(options),
    ]
    entries = list(edited_inputs(found, options, requirement))
    colocation = colocation_price(requirement, catalogue)
    known_staff = staff(requirement, catalogue)
    staff_currency = "" if known_staff is None else known_staff[2]
    for option in options:
        rent = _rent(option, catalogue)
        entries += _option_lines(option, colocation, staff_currency, rent)
        if rent is not None:
            entries += _returns(option, entries)
    checks = [check for option in options for check in check_lines(option)]
    entries += [*checks, *master_check(checks)]
    whole = frozenset(option.key for option in options if owned(option) and comparable(option))
    return Ledger(requirement.commercial.currency, tuple(entries), make_tables(options, entries), whole)


def _costed(key: str, plan: ClusterPlan, requirement: Requirement, catalogue: Catalogue) -> Costed:
    """Return an option; rack space and staff are known only where their currency can be converted."""
    plain = Costed(key, plan, requirement, colocated=False, staffed=False)
    rented = owned(plain) and _rent(plain, catalogue) is not None
    colocation = colocation_price(requirement, catalogue)
    known_staff = staff(requirement, catalogue)
    return Costed(
        key,
        plan,
        requirement,
        colocated=colocation is not None and plain.convertible(colocation.currency),
        staffed=known_staff is not None and plain.convertible(known_staff[2]),
        rented=rented,
    )


def _rent(option: Costed, catalogue: Catalogue) -> Price | None:
    """Return the rent that an option can be compared with, or None."""
    rent = rent_price(option.plan.sizing.device.accelerator.id, option.requirement, catalogue)
    known = rent is not None and comparable(option) and option.convertible(rent.currency)
    return rent if known else None


def _option_lines(
    option: Costed, colocation: Price | None, staff_currency: str, rent: Price | None
) -> tuple[Line, ...]:
    return (
        *capital_lines(option),
        *factor_lines(option, operating_months(option.horizon_years)),
        *payment_lines(option),
        *purchase_lines(option),
        *energy_lines(option),
        *embodied_lines(option),
        *operating_lines(option, colocation, staff_currency),
        *cash_lines(option),
        *accounting_lines(option),
        *unit_cost_lines(option),
        *rent_lines(option, rent),
        *financing_lines(option),
        *scenario_lines(option),
    )


def _returns(option: Costed, entries: Sequence[Entry]) -> tuple[Line, ...]:
    """Return break-even and internal rate of return, each only where the figures of today have one.

    Renting that costs less cash a year than operating an own cluster never breaks even, and flows without a
    change of sign have no return.
    """
    flows = tuple(option.id("net_flow", year_key(year)) for year in (0, *option.years))
    rent, running = option.id("rent", "year"), option.id("opex", "year1")
    values = values_of(entries, (rent, running, *flows))
    found: list[Line] = []
    if values[rent] > values.get(running, 0):
        found.append(breakeven_line(option))
    if not nearest_rate([values[flow] for flow in flows]).is_nan():
        found.append(return_line(option))
    return tuple(found)
