"""Money over time: financing, escalation, insurance, removal, served work, scenarios; defaults are listed."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypedDict

from suanli.domain.finance import Escalation, Financing, ScenarioFactors, Serving
from suanli.project.completion.draft import Default
from suanli.project.finance_section import EscalationKeys, ScenarioKeys, ScenariosKeys
from suanli.project.quantities import spell_fraction, spell_number

if TYPE_CHECKING:
    from suanli.project.completion.draft import Draft
    from suanli.project.finance_section import FinancingKeys, ServingKeys

__all__ = ["Finance", "completed_finance"]

_NONE = Decimal(0)
_TENTH_LESS, _TENTH_MORE = Decimal("0.9"), Decimal("1.1")
_OPTIMISTIC: Final = ScenarioFactors(
    price=Decimal("0.85"),
    exchange=_TENTH_LESS,
    electricity=_TENTH_LESS,
    staff=_TENTH_LESS,
    use=_TENTH_MORE,
)
_PESSIMISTIC: Final = ScenarioFactors(
    price=Decimal("1.20"),
    exchange=_TENTH_MORE,
    electricity=_TENTH_MORE,
    staff=_TENTH_MORE,
    use=_TENTH_LESS,
    residual=_NONE,
)
"""Prices by the middle of class 3 of AACE 18R-97, other factors by the tenth that appraisals use."""

_PRICE_REASON = (
    "按估算 3 级精度的中值（AACE 18R-97）。",
    "Middle of the accuracy of a class 3 estimate (AACE 18R-97).",
)
_TENTH_REASON = ("按可研敏感性分析的通常幅度 ±10%。", "The usual step of a sensitivity analysis, a tenth.")
_RESIDUAL_REASON = (
    "乐观情景取基准残值，悲观情景不计残值。",
    "The base's residual value in the better case, none in the worse.",
)


class Finance(TypedDict):
    """The part of the commercial rules that is completed here."""

    insurance_share: Decimal
    decommissioning_share: Decimal
    escalation: Escalation
    financing: Financing | None
    serving: Serving | None
    optimistic: ScenarioFactors
    pessimistic: ScenarioFactors


def completed_finance(draft: Draft) -> Finance:
    """Return the rules of money over time."""
    keys = draft.project.file.commercial
    scenarios = keys.scenarios or ScenariosKeys()
    unstated = "未给出，不计入。", "Not stated: none is counted."
    return Finance(
        insurance_share=draft.given_or(
            keys.insurance, "commercial.insurance", _NONE, Default("0%", *unstated)
        ),
        decommissioning_share=draft.given_or(
            keys.decommissioning, "commercial.decommissioning", _NONE, Default("0%", *unstated)
        ),
        escalation=_escalation(draft, keys.escalation or EscalationKeys()),
        financing=_financing(keys.financing),
        serving=_serving(keys.serving),
        optimistic=_factors(draft, scenarios.optimistic or ScenarioKeys(), "optimistic", _OPTIMISTIC),
        pessimistic=_factors(draft, scenarios.pessimistic or ScenarioKeys(), "pessimistic", _PESSIMISTIC),
    )


def _escalation(draft: Draft, keys: EscalationKeys) -> Escalation:
    def rise(given: Decimal | None, name: str) -> Decimal:
        default = Default(spell_fraction(_NONE), "按不变价测算。", "Constant prices: no rise is counted.")
        return draft.given_or(given, f"commercial.escalation.{name}", _NONE, default)

    return Escalation(
        electricity=rise(keys.electricity, "electricity"),
        staff=rise(keys.staff, "staff"),
        services=rise(keys.services, "services"),
    )


def _financing(keys: FinancingKeys | None) -> Financing | None:
    if keys is None:
        return None
    return Financing(keys.method, keys.share, keys.rate, keys.term, keys.grace or 0)


def _serving(keys: ServingKeys | None) -> Serving | None:
    return None if keys is None else Serving(keys.tokens_per_s_per_accelerator, keys.utilisation)


def _factors(draft: Draft, keys: ScenarioKeys, scenario: str, usual: ScenarioFactors) -> ScenarioFactors:
    def factor(given: Decimal | None, name: str, chosen: Decimal, reason: tuple[str, str]) -> Decimal:
        default = Default(spell_number(chosen), *reason)
        return draft.given_or(given, f"commercial.scenarios.{scenario}.{name}", chosen, default)

    return ScenarioFactors(
        price=factor(keys.price, "price", usual.price, _PRICE_REASON),
        exchange=factor(keys.exchange, "exchange", usual.exchange, _TENTH_REASON),
        electricity=factor(keys.electricity, "electricity", usual.electricity, _TENTH_REASON),
        staff=factor(keys.staff, "staff", usual.staff, _TENTH_REASON),
        use=factor(keys.use, "use", usual.use, _TENTH_REASON),
        run_time=keys.run_time,
        residual=factor(keys.residual, "residual", usual.residual, _RESIDUAL_REASON),
    )
