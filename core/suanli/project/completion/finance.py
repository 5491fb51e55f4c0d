"""Money over time: financing, escalation, insurance, removal, served work, scenarios; defaults are listed."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypedDict

from suanli.domain.finance import Escalation, Financing, ScenarioFactors, Serving
from suanli.domain.scoring import Criterion, ScoringWeights
from suanli.project.completion.draft import Default
from suanli.project.finance_section import EscalationKeys, ScenarioKeys, ScenariosKeys
from suanli.project.quantities import spell_fraction, spell_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.project.completion.draft import Draft
    from suanli.project.finance_section import FinancingKeys, ServingKeys
    from suanli.project.model_section import Keys
    from suanli.project.scoring_section import ScoringKeys

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

_SCENARIO_REASON = (
    "清单价格取估算 3 级精度的中值（AACE 18R-97），其他取可研敏感性分析的通常幅度 ±10%；悲观情景不计残值。",
    (
        "Prices by the middle of a class 3 estimate (AACE 18R-97), the rest by an appraisal's usual tenth; "
        "no residual value in the worse case."
    ),
)
_CONSTANT = ("按不变价测算。", "Constant prices: no rise is counted.")
_RISES: Final = ("electricity", "staff", "services")
_FACTORS: Final = ("price", "exchange", "electricity", "staff", "use", "residual")


class Finance(TypedDict):
    """The part of the commercial rules that is completed here."""

    insurance_share: Decimal
    decommissioning_share: Decimal
    escalation: Escalation
    financing: Financing | None
    serving: Serving | None
    optimistic: ScenarioFactors
    pessimistic: ScenarioFactors
    scoring: ScoringWeights


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
        scoring=_scoring(draft, keys.scoring),
    )


def _escalation(draft: Draft, keys: EscalationKeys) -> Escalation:
    chosen = _chosen(draft, "commercial.escalation", keys, dict.fromkeys(_RISES, _NONE), _CONSTANT)
    return Escalation(**chosen)


def _chosen(
    draft: Draft, key: str, keys: Keys, usual: Mapping[str, Decimal], reason: tuple[str, str]
) -> dict[str, Decimal]:
    """Return the given values and the usual ones in place of others, which are one assumption together."""
    given: dict[str, Decimal | None] = {name: getattr(keys, name) for name in usual}
    spell = spell_number if key.startswith("commercial.scenarios") else spell_fraction
    absent = {name: spell(usual[name]) for name, value in given.items() if value is None}
    if absent:
        spelled = ", ".join(f"{name}: {value}" for name, value in absent.items())
        draft.given_or(None, key, None, Default(f"{{{spelled}}}", *reason))
    return {name: usual[name] if value is None else value for name, value in given.items()}


def _scoring(draft: Draft, keys: ScoringKeys | None) -> ScoringWeights:
    if keys is not None:
        return ScoringWeights(keys.cost, keys.time, keys.energy, keys.evidence, keys.supply)
    usual = ScoringWeights()
    spelled = ", ".join(f"{name}: {spell_fraction(usual.of(name))}" for name in Criterion)
    reason = "约定权重，成本占比最高。", "A convention; the cost weighs most."
    return draft.given_or(None, "commercial.scoring", usual, Default(f"{{{spelled}}}", *reason))


def _financing(keys: FinancingKeys | None) -> Financing | None:
    if keys is None:
        return None
    return Financing(keys.method, keys.share, keys.rate, keys.term, keys.grace or 0)


def _serving(keys: ServingKeys | None) -> Serving | None:
    return None if keys is None else Serving(keys.tokens_per_s_per_accelerator, keys.utilisation)


def _factors(draft: Draft, keys: ScenarioKeys, scenario: str, usual: ScenarioFactors) -> ScenarioFactors:
    values = {name: getattr(usual, name) for name in _FACTORS}
    key = f"commercial.scenarios.{scenario}"
    return ScenarioFactors(**_chosen(draft, key, keys, values, _SCENARIO_REASON), run_time=keys.run_time)
