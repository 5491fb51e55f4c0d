from __future__ import annotations

import itertools
from decimal import Decimal

from tests.core.costing.test_uncertainty import book

from suanli.proposal.uncertainty_view import uncertainty_views


def test_every_option_with_a_total_has_its_distribution() -> None:
    views = uncertainty_views(["A", "B"], book())
    assert set(views) == {"A", "B"}
    for view in views.values():
        for figure in (view.capex_gross, view.tco, view.tco_discounted):
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low < figure.value < figure.high
        assert view.per_billion_tokens is not None
        assert 0 < len(view.drivers) <= 8
    assert sum((view.cheapest or Decimal(0) for view in views.values()), Decimal(0)) == 1


def test_quantiles_are_shown_to_four_significant_digits() -> None:
    view = uncertainty_views(["A"], book())["A"]
    assert view.cheapest is None
    shown = str(view.tco.value)
    assert shown.isdigit()
    assert len(shown.rstrip("0")) <= 4


def test_drivers_stand_in_the_order_of_what_they_move() -> None:
    drivers = uncertainty_views(["A"], book())["A"].drivers
    swings = [abs(one.at_high - one.at_low) for one in drivers]
    # Rounded to four digits, so neighbours may change places by a digit.
    assert all(first >= second * Decimal("0.99") for first, second in itertools.pairwise(swings))


def test_without_options_there_is_nothing() -> None:
    assert uncertainty_views([], book()) == {}
