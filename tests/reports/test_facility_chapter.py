"""What the document says of a hall that is too weak, not fully known, or rented."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from suanli.domain.vendor import Deliverability
from suanli.proposal.contributions import RenderJob
from suanli.proposal.model import Option, Proposal, Shown
from suanli_reports.environment import compose


def page(proposal: Proposal, language: str) -> str:
    """Return the words of a document, without tags."""
    whole = compose(RenderJob(proposal=proposal, language=language), "screen")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", whole)).replace("\N{NO-BREAK SPACE}", " ")


def kilowatts(value: str, *, bound: bool = False) -> Shown:
    return Shown(value=Decimal(value), unit="kW", incomplete=bound)


def weak(option: Option) -> Option:
    """Return an option whose servers are too strong for a rack, with some power and delivery unknown."""
    power, facility, growth = option.power, option.facility, option.expansion
    if power is None or facility is None or growth is None:
        return option
    strong = {"over_rack_limit": True, "rack_part": kilowatts("16.2"), "rack_limit": kilowatts("12")}
    bound = {name: kilowatts("698", bound=True) for name in ("it_peak", "it_training", "facility_peak")}
    short = {"rack_power_left": kilowatts("92.4"), "rack_power_short": True}
    return option.model_copy(
        update={
            "power": power.model_copy(update={**strong, **bound}),
            "facility": facility.model_copy(update={"rack_limit": kilowatts("12"), "uncounted": True}),
            "expansion": growth.model_copy(
                update={"stages": tuple(stage.model_copy(update=short) for stage in growth.stages)}
            ),
            "compliance": option.compliance.model_copy(update={"deliverability": Deliverability.UNKNOWN}),
        }
    )


TOLD = {
    "zh": (
        "不足：一台服务器在一柜内的峰值为 16.2 kW",
        "缺 92.4 kW",
        "预留的 12.4 kW",
        "由机房方提供，不列入采购清单",
        "参数面交换机数量未知",
        "峰值供电 ≥ 698 kW",
        "其交付状态尚不能确定",
    ),
    "en": (
        "too little: one server puts a peak of 16.2 kW into a rack",
        "92.4 kW short",
        "12.4 kW reserved for racks of unknown power",
        "the hall must provide, and are not on the bill",
        "compute network are of unknown number",
        "≥ 698 kW peak supply",
        "its status is not established",
    ),
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_hall_that_is_too_weak_or_not_known_says_so_wherever_it_is_shown(
    proposal: Proposal, language: str
) -> None:
    changed = proposal.model_copy(update={"options": tuple(weak(option) for option in proposal.options)})
    shown = page(changed, language)

    assert [words for words in TOLD[language] if words not in shown] == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_hall_that_holds_everything_says_none_of_it(proposal: Proposal, language: str) -> None:
    shown = page(proposal, language)
    _, _, reserved, rented, *_ = TOLD[language]

    # The hall of the sample is rented and has racks of unknown power.
    assert [words for words in TOLD[language] if words in shown] == [reserved, rented]
