"""The proposal, assembled from a completed requirement, its options and the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli import __version__
from suanli.domain.figure import Confidence, Grade
from suanli.domain.market import Price
from suanli.domain.regions import country
from suanli.domain.units import S_PER_DAY
from suanli.domain.vendor import Deliverability, ProcurementRule
from suanli.estimation.flops import training_flops
from suanli.estimation.goodput import DEFAULT_FAILURES, FailureModel
from suanli.planning.prices import stale
from suanli.procurement.goods import functional_goods
from suanli.procurement.terms import commercial_terms
from suanli.proposal.claims import claim_view
from suanli.proposal.compliance_view import supply_view
from suanli.proposal.delivery_view import delivery_view
from suanli.proposal.dominance import with_dominance
from suanli.proposal.dossier_view import dossier_view
from suanli.proposal.edits_view import ProjectChange, edit_notices, edit_views
from suanli.proposal.model import (
    AssumptionView,
    GoodView,
    NoticeView,
    Option,
    ProfileView,
    ProjectView,
    Proposal,
    Shown,
    SourceView,
    SummaryView,
    TermView,
    Verdict,
    WorkloadView,
)
from suanli.proposal.money_view import Books
from suanli.proposal.options import Failed, costed_option, failed_option
from suanli.proposal.plan_notices import plan_notices
from suanli.proposal.references import References, with_edited_sheet
from suanli.proposal.risks import risks
from suanli.proposal.rounding import places, shown, significant
from suanli.proposal.sensitivity import sensitivities
from suanli.proposal.specification_view import specification_view
from suanli.proposal.uncertainty_view import uncertainty_views
from suanli.proposal.worked_view import FAILS_AT, failed_calculation, worked_calculation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suanli.costing.ledger import Ledger
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.record import Text
    from suanli.domain.workload import Assumption, Requirement
    from suanli.estimation.results import ModelProfile, Sizing
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.claim_facts import ClaimFacts

__all__ = ["Decided", "assemble"]

_CORE_PRODUCT = "servers"
_TOKENS_PER_PARAMETER = 20
"""Compute-optimal tokens per parameter (Hoffmann et al., 2022, table 3)."""


@dataclass(frozen=True, slots=True)
class Decided:
    """Everything the pipeline worked out, in the order of the document."""

    requirement: Requirement
    profile: ModelProfile
    plans: Mapping[str, ClusterPlan]
    """Feasible options by final key, best first."""
    verdicts: Mapping[str, Verdict]
    failed: tuple[Failed, ...]
    ledger: Ledger
    claims: tuple[ClaimFacts, ...]
    assumptions: tuple[Assumption, ...]
    notices: tuple[Text, ...]
    catalogue: Catalogue
    """What the plugins know, with the prices of the project's quotations."""
    failures: FailureModel = DEFAULT_FAILURES
    """What the options were sized with."""
    changes: tuple[ProjectChange, ...] = ()
    """Keys of the project that a cost sheet changed."""
    unedited: Ledger | None = None
    """The ledger without figures changed by hand; None where there are none."""


def assemble(decided: Decided, catalogue: Catalogue) -> Proposal:
    """Return the proposal: every view rounded, every figure with its reference keys.

    Reference keys are numbered in order of first use, so the order of the calls is the order of the numbers.
    """
    references = References(with_edited_sheet(catalogue, decided.requirement))
    requirement = decided.requirement
    profile = _profile(decided, references)
    options = _options(decided, catalogue, references)
    recommended = next((option for option in options if option.verdict is Verdict.RECOMMENDED), None)
    claims = tuple(claim_view(facts, references) for facts in decided.claims)
    site = _site(requirement, references)
    assumptions = _assumptions(decided, references)
    rules = _rules(requirement, catalogue, references)
    devices = {option.key: option.accelerator for option in options}
    supply = supply_view(devices, requirement, catalogue, references)
    options = _explained(options, decided, references)
    # The workbook cites a source beside every input, those that no view mentions included.
    for entry in decided.ledger.inputs:
        references.source(entry.source, weak=entry.grade is Grade.WEAK)
    proposal = Proposal(
        project=_project(requirement),
        profile=profile,
        workload=_workload(decided, references),
        summary=_summary(options, recommended, decided.ledger),
        options=options,
        claims=claims,
        risks=risks(options, requirement),
        assumptions=assumptions,
        formulas=references.formulas(),
        sources=references.sources(),
        rules=rules,
        supply=supply,
        notices=_notices(decided),
        ledger=decided.ledger,
        requirement=requirement,
        source_keys=references.source_keys,
        site_pue=site[0],
        site_electricity=site[1],
        site_carbon=site[2],
        exchange_rates=_exchange_rates(requirement, references),
        terms=_terms(requirement),
        edits=edit_views(decided.changes, dict(decided.plans), requirement, decided.ledger, decided.unedited),
    )
    described = proposal.model_copy(update=_of_the_subject(proposal, decided))
    return described.model_copy(update={"dossier": dossier_view(described)})


def _terms(requirement: Requirement) -> tuple[TermView, ...]:
    return tuple(
        TermView(
            number=f"C{number}",
            key=term.key,
            numbers={key: Decimal(value) for key, value in term.numbers.items()},
            name=term.name,
            agreed=term.agreed,
        )
        for number, term in enumerate(commercial_terms(requirement), start=1)
    )


def _of_the_subject(proposal: Proposal, decided: Decided) -> dict[str, object]:
    """Return what is drawn up for the described option alone."""
    subject = proposal.subject
    if subject is None or subject.key not in decided.plans:
        return {}
    plan = decided.plans[subject.key]
    return {
        "specification": specification_view(decided.requirement, plan, subject, decided.catalogue),
        "delivery": delivery_view(decided.requirement, plan, subject),
        "goods": _goods(subject),
    }


def _goods(option: Option) -> tuple[GoodView, ...]:
    # A yearly price is a cost of operation, and its line names what the devices of one maker need.
    bought = (row for row in option.bill if not row.recurring)
    lines = ((row.id, row.category.value, row.unit, row.quantity) for row in bought)
    return tuple(
        GoodView(
            key=good.key,
            unit=good.unit,
            quantity=good.quantity,
            spare=good.spare,
            core=good.key == _CORE_PRODUCT and not good.spare,
        )
        for good in functional_goods(lines)
    )


def _assumptions(decided: Decided, references: References) -> tuple[AssumptionView, ...]:
    return tuple(
        AssumptionView(
            key=f"A{number}",
            setting=item.key,
            value=item.value,
            reason=item.reason,
            refs=references.source(item.source),
        )
        for number, item in enumerate(decided.assumptions, start=1)
    )


def _notices(decided: Decided) -> tuple[NoticeView, ...]:
    texts = (*decided.notices, *plan_notices(decided.plans, decided.requirement))
    by_hand = edit_notices(dict(decided.plans), decided.requirement, decided.ledger, decided.unedited)
    return (*(NoticeView(text=text) for text in texts), *by_hand)


def _exchange_rates(requirement: Requirement, references: References) -> tuple[Shown, ...]:
    return tuple(
        Shown(value=rate.rate, unit=f"{rate.base}/{rate.quote}", refs=references.source(rate.source))
        for rate in requirement.commercial.exchange_rates
    )


def _options(decided: Decided, catalogue: Catalogue, references: References) -> tuple[Option, ...]:
    requirement = decided.requirement
    books = Books.of(decided.ledger, requirement.commercial, references)
    day, validity = requirement.project.day, requirement.commercial.price_validity_days
    expired = {price.id: stale(price, day, validity) for price in catalogue.all(Price)}
    costed = [
        costed_option(
            key,
            plan,
            decided.verdicts[key],
            requirement=requirement,
            books=books,
            stale=expired,
            catalogue=catalogue,
        )
        for key, plan in decided.plans.items()
    ]
    # What cannot be chosen is not compared: its price would only look like a missed chance.
    open_to_choice = {Verdict.RECOMMENDED, Verdict.ALTERNATE}
    compared = [one.key for one in costed if one.money and one.verdict in open_to_choice]
    spread = uncertainty_views([one.key for one in costed if one.money], decided.ledger, compared)
    costed = [one.model_copy(update={"uncertainty": spread.get(one.key)}) for one in costed]
    costed = [with_dominance(one, [other for other in costed if other.key in compared]) for one in costed]
    first = len(costed)
    failed = [
        failed_option(option_key(first + number), item, requirement, catalogue, references)
        for number, item in enumerate(decided.failed)
    ]
    return (*costed, *failed)


def _explained(options: tuple[Option, ...], decided: Decided, references: References) -> tuple[Option, ...]:
    """Return the options with their worked calculations; one that was not sized says where it ends."""
    return tuple(_with_calculation(option, decided, references) for option in options)


def _with_calculation(option: Option, decided: Decided, references: References) -> Option:
    plan, requirement = decided.plans.get(option.key), decided.requirement
    if plan is not None:
        lines = worked_calculation(option, plan, requirement, decided.failures, references)
        return option.model_copy(update={"calculation": lines})
    lines = failed_calculation(option, decided.profile, requirement, references)
    return option.model_copy(update={"calculation": lines, "fails_at": FAILS_AT[option.binding]})


def option_key(index: int) -> str:
    """Return the key of the option at an index: A to Z, then AA.

    >>> option_key(0), option_key(26)
    ('A', 'AA')
    """
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _project(requirement: Requirement) -> ProjectView:
    info = requirement.project
    return ProjectView(
        name=info.name,
        client=info.client,
        type=info.type,
        track=info.track,
        paper=info.paper,
        day=info.day,
        languages=info.languages,
        version=__version__,
        region=requirement.site.region,
        currency=requirement.commercial.currency,
        horizon_years=requirement.commercial.horizon_years,
        price_validity_days=requirement.commercial.price_validity_days,
    )


def _profile(decided: Decided, references: References) -> ProfileView:
    model, profile = decided.requirement.model, decided.profile
    shape = model.architecture
    formula = (references.formula("training-work"),)
    return ProfileView(
        name=model.name,
        origin=model.origin,
        reference=model.reference,
        total_parameters=profile.total_parameters,
        active_parameters=profile.active_parameters,
        matmul_parameters=profile.matmul_parameters,
        trainable_parameters=profile.trainable_parameters,
        layers=shape.layers,
        hidden_size=shape.hidden_size,
        ffn_hidden_size=shape.ffn_hidden_size,
        attention_heads=shape.attention_heads,
        kv_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        vocab_size=shape.vocab_size,
        experts=shape.moe.experts if shape.moe else 0,
        top_k=shape.moe.top_k if shape.moe else 0,
        flops_per_token=shown(profile.flops_per_token, "FLOPs", digits=4, refs=formula),
        matmul_flops_per_token=shown(profile.matmul_flops_per_token, "FLOPs", digits=4),
        attention_flops_per_token=shown(profile.attention_flops_per_token, "FLOPs", digits=4),
        six_n_flops_per_token=shown(profile.six_n_flops_per_token, "FLOPs", digits=4),
        refs=references.source(model.source),
    )


def _workload(decided: Decided, references: References) -> WorkloadView:
    job = decided.requirement.workload
    sizing = _first_sizing(decided)
    tokens = sizing.tokens if sizing else job.tokens
    optimal = _TOKENS_PER_PARAMETER * decided.profile.active_parameters
    return WorkloadView(
        task=job.task,
        tokens=shown(tokens, "token", digits=4) if tokens else None,
        sequence_length=job.sequence_length,
        global_batch_size=job.global_batch_size,
        global_batch_tokens=job.global_batch_tokens,
        step_batch_size=_step_batch(sizing),
        precision=job.precision.value,
        deadline=shown(job.deadline_s / S_PER_DAY, "day") if job.deadline_s else None,
        deadline_confidence=places(job.deadline_confidence, 2),
        runs_per_year=significant(job.runs_per_year),
        epochs=significant(job.epochs),
        solve_for=decided.requirement.solve_for,
        objective=decided.requirement.objective,
        total_flops=shown(training_flops(decided.profile, tokens), "FLOPs", digits=4) if tokens else None,
        steps=sizing.steps if sizing else None,
        optimal_tokens=shown(optimal, "token", refs=(references.formula("optimal-tokens"),)),
    )


def _step_batch(sizing: Sizing | None) -> int | None:
    """Return the sequences of a step as the first layout rounds them; None without a layout."""
    if sizing is None:
        return None
    layout = sizing.layout
    return layout.micro_batch_size * layout.dp * layout.micro_batches


def _first_sizing(decided: Decided) -> Sizing | None:
    return next((plan.sizing for plan in decided.plans.values()), None)


def _site(requirement: Requirement, references: References) -> tuple[Shown, Shown, Shown | None]:
    site = requirement.site
    pue = Shown(value=site.pue, unit="PUE", refs=references.source(site.pue_source))
    electricity = Shown(
        value=site.electricity.amount,
        unit=f"{site.electricity.currency}/kWh",
        refs=references.source(site.electricity_source),
    )
    carbon = site.grid_carbon_kg_per_kwh
    if carbon is None:
        return pue, electricity, None
    return (
        pue,
        electricity,
        Shown(value=carbon, unit="kg/kWh", refs=references.source(site.grid_carbon_source)),
    )


def _rules(requirement: Requirement, catalogue: Catalogue, references: References) -> tuple[SourceView, ...]:
    home = country(requirement.site.region)
    keys = {
        key
        for rule in catalogue.all(ProcurementRule)
        if rule.jurisdiction == home and rule.confidence is not Confidence.PRESS
        for key in references.cited(rule.source, rule.check, rule.confidence, letter="C")
    }
    return tuple(source for source in references.sources() if source.key in keys)


def _summary(options: tuple[Option, ...], recommended: Option | None, ledger: Ledger) -> SummaryView:
    barred = {Deliverability.BARRED, Deliverability.LICENCE}
    return SummaryView(
        recommended=recommended.key if recommended else "",
        feasible=sum(option.layout is not None for option in options),
        barred=sum(option.compliance.deliverability in barred for option in options),
        stale_prices=recommended.money.stale_prices if recommended and recommended.money else 0,
        weak_figures=_weak_figures(recommended) if recommended else 0,
        sensitivities=sensitivities(recommended.key, ledger) if recommended else (),
    )


def _weak_figures(option: Option) -> int:
    weak = {Grade.WEAK, Grade.SIBLING}
    figures = (option.peak, option.memory_nominal, option.memory_usable, option.mfu)
    prices = option.money.weak_prices if option.money else 0
    return prices + sum(figure is not None and figure.grade in weak for figure in figures)
