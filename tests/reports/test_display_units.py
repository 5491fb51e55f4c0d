"""The units of a document: small figures in small units, one unit a row, digits kept."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from suanli.proposal.contributions import RenderJob
from suanli.proposal.model import Shown
from suanli_reports.display_units import converted, displayed, fitting_unit
from suanli_reports.environment import compose

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal


def shown(value: str, unit: str, low: str = "", high: str = "") -> Shown:
    return Shown(
        value=Decimal(value),
        unit=unit,
        low=Decimal(low) if low else None,
        high=Decimal(high) if high else None,
    )


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        (("86.3", "100"), "day", "day"),
        (("0.685", "0.229", "1.06"), "day", "h"),
        (("0.01",), "day", "min"),
        (("0.00001",), "day", "day"),
        (("0.5", "989"), "day", "day"),
        (("288",), "h", "h"),
        (("6329",), "h", "day"),
        (("0.0469",), "t", "kg"),
        (("0.107", "0.0667"), "MWh", "kWh"),
        (("0.00320",), "TB", "GB"),
        (("0.0292", "0.00584"), "GB/s", "MB/s"),
        (("0",), "day", "day"),
        (("0.5",), "TFLOPS", "TFLOPS"),
    ],
)
def test_a_row_takes_the_largest_unit_in_which_its_smallest_figure_is_one_or_more(
    values: tuple[str, ...], unit: str, expected: str
) -> None:
    assert fitting_unit(shown(value, unit) for value in values) == expected


def test_a_row_of_two_units_has_none_in_common() -> None:
    assert fitting_unit((shown("1", "day"), shown("1", "h"))) == ""
    assert fitting_unit(()) == ""


@pytest.mark.parametrize(
    ("figure", "unit", "expected"),
    [
        (shown("0.685", "day", "0.570", "0.807"), "h", shown("16.4", "h", "13.7", "19.4")),
        (shown("0.0469", "t", "0.0339", "0.0604"), "kg", shown("46.9", "kg", "33.9", "60.4")),
        (shown("6329", "h"), "day", shown("263.7", "day")),
        (shown("3", "day"), "h", shown("72", "h")),
        (shown("86.3", "day"), "day", shown("86.3", "day")),
        (shown("86.3", "day"), "kg", shown("86.3", "day")),
    ],
)
def test_a_conversion_moves_figure_and_range_and_keeps_the_digits(
    figure: Shown, unit: str, expected: Shown
) -> None:
    assert converted(figure, unit) == expected


def test_a_conversion_keeps_references_grade_and_incompleteness() -> None:
    figure = Shown(value=Decimal("0.5"), unit="t", refs=("S1",), incomplete=True)
    assert converted(figure, "kg").model_copy(update={"value": figure.value, "unit": "t"}) == figure


def short(proposal: Proposal) -> Proposal:
    """Return the sample with runs of less than a day."""
    first = proposal.options[0].model_copy(
        update={
            "days": shown("0.685", "day", "0.570", "0.807"),
            "ideal_days": shown("0.684", "day"),
            "untuned_days": shown("0.951", "day"),
            "bound_days": shown("0.334", "day"),
            "scaling": ((8, Decimal("0.685")), (16, Decimal("0.345"))),
        }
    )
    others = tuple(
        option.model_copy(
            update=dict.fromkeys(("ideal_days", "untuned_days", "bound_days"))
            | {"days": shown("1.06", "day") if option.days else None}
        )
        for option in proposal.options[1:]
    )
    return proposal.model_copy(update={"options": (first, *others), "claims": (), "risks": ()})


def test_all_durations_of_all_options_share_a_unit(proposal: Proposal) -> None:
    options = displayed(short(proposal)).options
    assert {option.days.unit for option in options if option.days} == {"h"}
    assert options[0].days == shown("16.4", "h", "13.7", "19.4")
    assert options[0].untuned_days == shown("22.8", "h")


def test_a_proposal_in_fitting_units_stays_as_it_is(proposal: Proposal) -> None:
    first, again = displayed(proposal), displayed(displayed(proposal))
    assert first.options == again.options
    assert first.options[0].days == proposal.options[0].days


@pytest.mark.parametrize(
    ("language", "expected"), [("zh", "16.4\N{NO-BREAK SPACE}小时"), ("en", "16.4\N{NO-BREAK SPACE}h")]
)
def test_a_short_run_is_told_in_hours_and_its_chart_too(
    proposal: Proposal, language: str, expected: str
) -> None:
    document, _ = compose(RenderJob(proposal=short(proposal), language=language), "screen")
    assert expected in document
    assert "0.685\N{NO-BREAK SPACE}" not in document
    assert ">8: 16.4</text>" in document or ">16.4</text>" in document
    assert ("小时（P50）— 加速卡数" if language == "zh" else "hours (P50) by accelerators") in document


def test_an_impossible_share_of_the_peak_is_told_as_a_multiple(proposal: Proposal) -> None:
    claim = proposal.claims[0].model_copy(update={"implied_mfu": shown("90.9", "share")})
    document, _ = compose(
        RenderJob(proposal=proposal.model_copy(update={"claims": (claim,)}), language="en"), "screen"
    )
    assert "90.9\N{NO-BREAK SPACE}times the dense peak" in document
    assert "9,090%" not in document


def test_a_claim_is_shown_with_arithmetic_that_a_reader_can_repeat(proposal: Proposal) -> None:
    document, _ = compose(RenderJob(proposal=proposal, language="en"), "screen")
    assert proposal.workload.total_flops is not None
    claim = proposal.claims[0]
    assert claim.implied_rate is not None
    assert claim.accelerators is not None
    assert claim.days is not None
    seconds = claim.accelerators * claim.days.value * 86_400
    assert abs(
        proposal.workload.total_flops.value / seconds / claim.implied_rate.value.scaleb(12) - 1
    ) < Decimal("0.01")
    assert "Check: " in document
    assert "× 86,400 s) ≈" in document
