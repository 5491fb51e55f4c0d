"""Which inputs of the ledger are keys of the project file, and how a changed one is written there.

An input with a key is changed in the project itself, so that sizing, facility, energy and documents follow;
any other one is changed in the ledger (`suanli.costing.edits`).
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from suanli.costing.inputs import OFFER_SOURCE
from suanli.project.quantities import spell_fraction, spell_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from suanli.costing.ledger import Input
    from suanli.domain.workload import Requirement

__all__ = ["project_key", "spelled"]

_KEYS: Final = {
    "general.horizon": "commercial.horizon",
    "general.discount_rate": "commercial.discount_rate",
    "general.depreciation_years": "commercial.depreciation_years",
    "general.residual_share": "commercial.residual",
    "general.warranty_years": "commercial.warranty_years",
    "general.maintenance_share": "commercial.maintenance",
    "general.spare_parts_share": "commercial.spare_parts",
    "general.runs_per_year": "workload.runs_per_year",
    "general.vat_goods": "commercial.vat.goods",
    "general.vat_works": "commercial.vat.works",
    "general.vat_services": "commercial.vat.services",
    "general.staff_fte": "commercial.staff.posts",
    "general.staff_cost": "commercial.staff.cost",
    "general.insurance_share": "commercial.insurance",
    "general.decommissioning_share": "commercial.decommissioning",
    "general.escalation.electricity": "commercial.escalation.electricity",
    "general.escalation.staff": "commercial.escalation.staff",
    "general.escalation.services": "commercial.escalation.services",
    "general.financing.share": "commercial.financing.share",
    "general.financing.rate": "commercial.financing.rate",
    "general.financing.term": "commercial.financing.term",
    "general.financing.grace": "commercial.financing.grace",
    "general.served_tokens_per_s": "commercial.serving.tokens_per_s_per_accelerator",
    "general.served_utilisation": "commercial.serving.utilisation",
    "site.planned_downtime": "site.planned_downtime",
    "site.electricity": "site.electricity",
    "site.pue": "site.pue",
    "site.grid_carbon": "site.grid_carbon",
}
"""Key by input, for those that stand once."""

_NUMBERED: Final = (
    (re.compile(r"general\.milestone\.(\d+)"), "commercial.milestones.{}.share"),
    (re.compile(r"general\.milestone_month\.(\d+)"), "commercial.milestones.{}.after"),
    (re.compile(r"site\.tariff\.(\d+)\.hours"), "site.tariff.{}.hours"),
    (re.compile(r"site\.tariff\.(\d+)\.price"), "site.tariff.{}.price"),
)
"""Inputs that are numbered from 1, and their places in a list, which count from 0."""

_SCENARIO: Final = re.compile(r"scenario\.(optimistic|pessimistic)\.([a-z]+)")

_RATE: Final = re.compile(r"general\.fx\.([A-Z]{3})\.([A-Z]{3})")


def project_key(entry: Input, requirement: Requirement) -> str | None:
    """Return the key of the project file that an input is, or None where it has none.

    Args:
        entry: the input.
        requirement: the project; the order of its exchange rates is that of its file.
    """
    if entry.id in _KEYS:
        return _KEYS[entry.id]
    if entry.source == OFFER_SOURCE:
        return "commercial.rent.price"
    for pattern, key in _NUMBERED:
        found = pattern.fullmatch(entry.id)
        if found is not None:
            return key.format(int(found[1]) - 1)
    if _SCENARIO.fullmatch(entry.id):
        return f"commercial.{entry.id.replace('scenario', 'scenarios', 1)}"
    found = _RATE.fullmatch(entry.id)
    if found is None:
        return None
    pairs = [(rate.base, rate.quote) for rate in requirement.commercial.exchange_rates]
    return f"commercial.fx.{pairs.index((found[1], found[2]))}.rate"


_DAYS_PER_MONTH: Final = Decimal("365.25") / 12

_PLAIN: Final = {"count", "FTE", "h", "PUE", "factor", "1/s"}
"""Units that the project file does not write: its keys name them."""

_UNITS: Final[dict[str, Callable[[Decimal], str]]] = {
    "fraction": spell_fraction,
    "year": lambda value: f"{spell_number(value)} years",
    "month": lambda value: f"{spell_number(value)} months",
    "kg/kWh": lambda value: f"{spell_number(value)} kg/kWh",
}


def spelled(entry: Input, value: Decimal) -> str:
    """Return a value as the project file spells the key of an input.

    >>> from decimal import Decimal
    >>> from suanli.costing.ledger import Input
    >>> from suanli.domain.record import Text
    >>> tariff = Input("site.electricity", Text(zh="电价", en="Price"), Decimal(1), "CNY/kWh", "site")
    >>> spelled(tariff, Decimal("0.650"))
    '0.65 CNY/kWh'
    """
    if entry.id.startswith("general.milestone_month."):
        # The file counts days; the month whose end is nearest to these days is the one that is meant.
        return f"{round(value * _DAYS_PER_MONTH)} days"
    if entry.id == "site.planned_downtime":
        return f"{spell_number(value)} h"
    if entry.unit in _UNITS:
        return _UNITS[entry.unit](value)
    number = spell_number(value)
    if entry.unit in _PLAIN or _RATE.fullmatch(entry.id):
        return number
    currency, _, per = entry.unit.partition("/")
    return f"{number} {currency}/kWh" if per == "kWh" else f"{number} {currency}"
