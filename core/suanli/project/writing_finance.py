"""Writes what a project says about money over time, all defaults spelt out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.scoring import Criterion
from suanli.project.quantities import spell_fraction, spell_number

if TYPE_CHECKING:
    from suanli.domain.finance import Financing, ScenarioFactors
    from suanli.domain.workload import Commercial
    from suanli.project.writing import Node

__all__ = ["written_finance"]


def written_finance(rules: Commercial) -> dict[str, Node]:
    """Return the keys of financing, escalation, insurance, removal, served work and scenarios."""
    rise, serving = rules.escalation, rules.serving
    served: dict[str, Node] | None = None
    if serving is not None:
        served = {
            "tokens_per_s_per_accelerator": spell_number(serving.tokens_per_s_per_accelerator),
            "utilisation": spell_fraction(serving.utilisation),
        }
    return {
        "insurance": spell_fraction(rules.insurance_share),
        "decommissioning": spell_fraction(rules.decommissioning_share),
        "escalation": {
            "electricity": spell_fraction(rise.electricity),
            "staff": spell_fraction(rise.staff),
            "services": spell_fraction(rise.services),
        },
        "financing": None if rules.financing is None else _financing(rules.financing),
        "serving": served,
        "scoring": {name.value: spell_fraction(rules.scoring.of(name)) for name in Criterion},
        "scenarios": {
            "optimistic": _factors(rules.optimistic),
            "pessimistic": _factors(rules.pessimistic),
        },
    }


def _financing(terms: Financing) -> dict[str, Node]:
    return {
        "method": terms.method.value,
        "share": spell_fraction(terms.share),
        "rate": spell_fraction(terms.rate),
        "term": f"{terms.term_months} months",
        "grace": f"{terms.grace_months} months" if terms.grace_months else None,
    }


def _factors(factors: ScenarioFactors) -> dict[str, Node]:
    return {
        "price": spell_number(factors.price),
        "exchange": spell_number(factors.exchange),
        "electricity": spell_number(factors.electricity),
        "staff": spell_number(factors.staff),
        "use": spell_number(factors.use),
        "run_time": None if factors.run_time is None else spell_number(factors.run_time),
        "residual": spell_number(factors.residual),
    }
