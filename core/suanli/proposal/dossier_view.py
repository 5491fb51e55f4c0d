"""The frame of a document, drawn from a proposal that is otherwise complete."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.words import amount_in_words
from suanli.domain.figure import Grade
from suanli.domain.scoring import Criterion
from suanli.domain.vendor import Deliverability
from suanli.domain.workload import ProposalType
from suanli.planning.prices import PriceOrigin
from suanli.procurement.headings import rulebooks
from suanli.procurement.matrix import Measured, scored
from suanli.procurement.survey import SURVEY_FROM, open_items, survey_duty
from suanli.proposal.model import (
    AskedView,
    BackgroundView,
    BidView,
    DossierView,
    LineState,
    MatrixView,
    RulebookView,
    ScoreRow,
    ServiceView,
    Shown,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.proposal.model import BillRow, Option, Proposal

__all__ = ["dossier_view", "line_state", "matrix_view"]

_YUAN = "CNY"
_FIRM = frozenset({PriceOrigin.QUOTE, PriceOrigin.LIST})
_CHOOSABLE = frozenset({Verdict.RECOMMENDED, Verdict.ALTERNATE})
_NOT_FOR_BIDS = frozenset({Grade.WEAK, Grade.SIBLING})


def dossier_view(proposal: Proposal) -> DossierView:
    """Return what a document of the proposal's type and track needs beside the calculation."""
    project, subject = proposal.project, proposal.subject
    return DossierView(
        background=_background(proposal),
        service=_service(proposal),
        rulebooks=tuple(
            RulebookView(
                key=book.key,
                number=book.number,
                quoted=book.quoted,
                headings=tuple(AskedView(key=one.key, chapters=one.chapters) for one in book.headings),
            )
            for book in rulebooks(project.type, project.track)
        ),
        matrix=matrix_view(proposal),
        bid=None if subject is None or not subject.bill else _bid(subject, proposal),
    )


def _background(proposal: Proposal) -> BackgroundView:
    project, money = proposal.project, proposal.requirement.commercial
    budget = None if money.budget is None else Shown(value=money.budget.amount, unit=money.budget.currency)
    # A tender states the buyer's budget and no estimate of ours: that would tell bidders what to ask for.
    amount = budget if project.type is ProposalType.TENDER_REQUIREMENT else budget or _estimate(proposal)
    known = amount if amount is not None and amount.unit == _YUAN else None
    duty = survey_duty(project.track, None if known is None else known.value)
    return BackgroundView(
        duty=duty,
        survey_from=Shown(value=SURVEY_FROM, unit=_YUAN),
        amount=known,
        from_budget=budget is not None,
        budget=budget,
        open_items=open_items(project.type, project.track, budget=budget is not None, duty=duty),
    )


def _estimate(proposal: Proposal) -> Shown | None:
    subject = proposal.subject
    return None if subject is None or subject.money is None else subject.money.capex_gross


def _service(proposal: Proposal) -> ServiceView:
    money, subject = proposal.requirement.commercial, proposal.subject
    availability = subject.availability if subject else None
    return ServiceView(
        warranty_years=money.warranty_years,
        maintained_years=max(0, money.horizon_years - money.warranty_years),
        maintenance_share=money.maintenance_share,
        spare_parts_share=money.spare_parts_share,
        spare_servers=subject.spare_servers if subject else None,
        repair=availability.repair if availability else None,
    )


def matrix_view(proposal: Proposal) -> MatrixView | None:
    """Return the scores of the options that can be chosen; None where fewer than two can be scored."""
    weights = proposal.requirement.commercial.scoring
    open_to_choice = [one for one in proposal.options if one.verdict in _CHOOSABLE]
    rows = scored([_measured(one) for one in open_to_choice], weights)
    if not rows:
        return None
    ranked = {row.key for row in rows}
    names = {one.key: one.accelerator_name for one in open_to_choice}
    bounds = {one.key for one in open_to_choice if one.money and one.money.tco_net.incomplete}
    recommended = proposal.recommended
    return MatrixView(
        weights={criterion: weights.of(criterion) for criterion in Criterion},
        rows=tuple(
            ScoreRow(
                option=row.key,
                name=names[row.key],
                scores=dict(row.scores),
                total=row.total,
                rank=row.rank,
                incomplete=row.key in bounds,
            )
            for row in rows
        ),
        unscored=tuple(one.key for one in open_to_choice if one.key not in ranked),
        agrees=None if recommended is None else recommended.key in {row.key for row in rows if row.rank == 1},
    )


def _measured(option: Option) -> Measured:
    days, money, energy = option.days, option.money, option.energy
    ranged = days is not None and days.low is not None and days.high is not None
    return Measured(
        key=option.key,
        least={
            Criterion.COST: None if money is None else money.tco_net.value,
            Criterion.TIME: None if days is None else days.high or days.value,
            Criterion.ENERGY: None if energy is None else energy.per_run.value,
        },
        narrowness=days.low / days.high if days and ranged and days.low and days.high else None,
        deliverable=option.compliance.deliverability is Deliverability.FREE,
    )


def line_state(row: BillRow) -> LineState:
    """Return whether a bid may state the price of a line of the bill.

    What nobody offered or published is not promised to a buyer: a price of the press or an estimate, a
    recalled or borrowed figure, and a price past its validity must be quoted first.
    """
    if row.price is None or row.origin is None or row.unit_price is None:
        return LineState.UNPRICED
    if row.origin not in _FIRM or row.price.grade in _NOT_FOR_BIDS:
        return LineState.WEAK
    return LineState.EXPIRED if row.stale else LineState.FIRM


def _bid(subject: Option, proposal: Proposal) -> BidView:
    states = {row.number: line_state(row) for row in subject.bill}
    firm = [row for row in subject.bill if states[row.number] is LineState.FIRM]
    whole, money = len(firm) == len(subject.bill), subject.money
    gross = money.capex_gross.value if whole and money else None
    commercial = proposal.requirement.commercial
    return BidView(
        states=states,
        firm_net=_sum(row.net for row in firm),
        firm_vat=_sum(row.vat for row in firm),
        firm_gross=_sum(row.gross for row in firm),
        net=money.capex_net.value if whole and money else None,
        vat=money.capex_vat.value if whole and money else None,
        gross=gross,
        in_words=amount_in_words(gross) if gross is not None and proposal.project.currency == _YUAN else "",
        price_validity_days=commercial.price_validity_days,
        delivery_months=money.delivery_months if money else None,
        warranty_years=commercial.warranty_years,
    )


def _sum(amounts: Iterable[Decimal | None]) -> Decimal:
    """Return the sum of amounts to the cent; a line paid yearly has none."""
    return sum((amount for amount in amounts if amount is not None), Decimal("0.00"))
