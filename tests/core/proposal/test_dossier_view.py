"""The money of a bid: what may be promised, and when a total stands."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reports.conftest import recommended_option, sample_proposal

from suanli.domain.figure import Grade
from suanli.planning.prices import PriceOrigin
from suanli.proposal.dossier_view import dossier_view, line_state
from suanli.proposal.model import BidView, BillRow, LineState, Shown


def line(origin: PriceOrigin | None, grade: Grade | None = None, *, stale: bool = False) -> BillRow:
    """Return a line whose price comes from somewhere."""
    row = recommended_option().bill[-2]
    price = Shown(value=Decimal("2400000.00"), unit="CNY", grade=grade) if origin else None
    return row.model_copy(update={"price": price, "origin": origin, "stale": stale})


def bid(*rows: BillRow) -> BidView:
    """Return the money of a bid with these lines."""
    option = recommended_option().model_copy(update={"bill": rows})
    found = dossier_view(sample_proposal((option,))).bid
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("row", "state"),
    [
        (line(PriceOrigin.QUOTE), LineState.FIRM),
        (line(PriceOrigin.LIST, Grade.SECONDARY), LineState.FIRM),
        (line(PriceOrigin.LIST, stale=True), LineState.EXPIRED),
        (line(PriceOrigin.PRESS), LineState.WEAK),
        (line(PriceOrigin.ESTIMATE), LineState.WEAK),
        (line(PriceOrigin.LIST, Grade.WEAK), LineState.WEAK),
        (line(PriceOrigin.LIST, Grade.SIBLING), LineState.WEAK),
        (line(None), LineState.UNPRICED),
    ],
)
def test_only_what_was_offered_or_published_and_is_valid_may_be_promised(
    row: BillRow, state: LineState
) -> None:
    assert line_state(row) is state


ROWS = st.builds(
    line, st.sampled_from([None, *PriceOrigin]), st.sampled_from([None, *Grade]), stale=st.booleans()
)


@given(st.lists(ROWS, min_size=1, max_size=5))
def test_a_total_stands_only_where_every_line_is_firm(rows: list[BillRow]) -> None:
    named = [row.model_copy(update={"number": f"A{at}"}) for at, row in enumerate(rows)]
    found = bid(*named)
    assert (found.gross is not None) == (found.open == 0)
    assert bool(found.in_words) == (found.open == 0)
    firm = [row for row in named if line_state(row) is LineState.FIRM]
    assert found.firm_gross == sum((row.gross or Decimal(0) for row in firm), Decimal(0))
    assert found.firm + found.open == len(named)
    assert found.firm_net + found.firm_vat == found.firm_gross


def test_the_scores_say_whether_they_agree_with_the_recommendation() -> None:
    found = dossier_view(sample_proposal()).matrix
    assert found is not None
    assert [row.option for row in found.rows] == ["A", "B"]
    assert found.agrees is True
    assert found.unscored == ()
    other = dossier_view(sample_proposal(recommended="B")).matrix
    assert other is not None
    assert other.agrees is False


def test_options_that_cannot_be_chosen_are_not_scored() -> None:
    found = dossier_view(sample_proposal((recommended_option(),))).matrix
    assert found is None
