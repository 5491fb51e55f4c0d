"""Figures behind the charts that show why: who is beaten, what steps wait for, how buying catches up."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tests.core.proposal.test_worked import proposal, sized
from tests.reports.conftest import recommended_option

from suanli.proposal.dominance import with_dominance
from suanli.proposal.model import Option, Shown


def placed(key: str, days: str, cost: str) -> Option:
    """Return an option at a place of the chart of cost and duration."""
    first = recommended_option()
    assert first.money is not None
    money = first.money.model_copy(update={"tco_net": Shown(value=Decimal(cost), unit="CNY")})
    return first.model_copy(
        update={"key": key, "money": money, "days": Shown(value=Decimal(days), unit="day")}
    )


@pytest.mark.parametrize(
    ("days", "cost", "expected"),
    [("100", "50", "A"), ("120", "60", "A"), ("90", "60", ""), ("120", "40", ""), ("100", "49", "")],
)
def test_an_option_is_dominated_by_one_that_is_no_slower_and_no_dearer(
    days: str, cost: str, expected: str
) -> None:
    best = placed("A", "100", "49")
    assert with_dominance(placed("B", days, cost), [best]).dominated_by == expected


def test_an_option_without_money_is_dominated_by_none() -> None:
    bare = placed("B", "200", "90").model_copy(update={"money": None})
    assert not with_dominance(bare, [placed("A", "100", "49")]).dominated_by


def test_none_of_the_options_that_dominate_is_barred_and_none_dominates_itself() -> None:
    found = proposal("pretrain-70b")
    beaten = [option for option in found.options if option.dominated_by]
    assert beaten
    for option in beaten:
        assert option.dominated_by != option.key
        assert found.option(option.dominated_by).verdict.value in {"recommended", "alternate"}


def test_steps_and_what_they_wait_for_come_to_the_duration() -> None:
    for option in sized(proposal("pretrain-70b")):
        assert option.goodput is not None
        step = sum(float(part.value) for part in option.step)
        lost = sum(float(part.value) for part in option.step_losses)
        assert step / (step + lost) == pytest.approx(float(option.goodput.share.value), abs=2e-3)


def test_the_rate_of_a_size_is_the_tokens_over_its_duration() -> None:
    found = proposal("pretrain-70b")
    assert found.workload.tokens is not None
    for option in sized(found):
        assert len(option.throughput) == len(option.scaling) > 1
        for (count, rate), (same, days) in zip(option.throughput, option.scaling, strict=True):
            assert count == same
            expected = float(found.workload.tokens.value) / (float(days) * 86400)
            assert float(rate) == pytest.approx(expected, rel=1e-2)


def test_cash_ahead_of_renting_starts_behind_and_turns_in_the_month_of_payback() -> None:
    found = proposal("pretrain-70b", "commercial.rent.price=25 CNY")
    option = found.options[0]
    assert option.money is not None
    rent = option.money.rent
    assert rent is not None
    assert rent.saved[0] < 0
    assert len(rent.saved) == 12 * found.project.horizon_years + 1
    assert rent.saved[-1] == pytest.approx(rent.saving.value, abs=Decimal("0.10"))
    if rent.payback_months is not None:
        assert rent.saved[rent.payback_months] >= 0 > rent.saved[rent.payback_months - 1]


def test_the_waterfall_ends_in_the_total_of_the_ledger() -> None:
    for option in sized(proposal("pretrain-70b")):
        assert option.money is not None
        last = option.money.waterfall[-1]
        assert last.total
        assert last.end == option.money.tco_net.value
        capex = next(step for step in option.money.waterfall if step.key == "capex")
        assert capex.end == option.money.capex_net.value
