"""Which risks the figures of an option show, and how grave they are."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import cache

import pytest
from tests.core.built_in import SMALL, host
from tests.factories import requirement, text

from suanli.domain.vendor import Deliverability
from suanli.pipeline import build_proposal
from suanli.project.load import parse_project
from suanli.proposal.model import Option, RiskLevel, RiskView, Shown, Verdict
from suanli.proposal.risks import risks


@cache
def plain() -> Option:
    """Return a recommended option without any of the risks that a test adds."""
    (option, *_) = build_proposal(parse_project(SMALL), host()).options
    assert option.money is not None
    assert option.power is not None
    assert option.goodput is not None
    assert option.days is not None
    days = option.days
    return option.model_copy(
        update={
            "verdict": Verdict.RECOMMENDED,
            "days": days.model_copy(
                update={"value": Decimal(10), "low": Decimal(9), "high": Decimal(11), "refs": ("R1",)}
            ),
            "untuned_days": Shown(value=Decimal(10), unit="day"),
            "memory_headroom": Decimal("0.30"),
            "communication_share": Decimal("0.10"),
            "goodput": option.goodput.model_copy(
                update={"interruptions": Shown(value=Decimal("0.5"), unit="count")}
            ),
            "borrowed": (),
            "money": option.money.model_copy(update={"unpriced": (), "stale_prices": 0, "weak_prices": 0}),
            "power": option.power.model_copy(update={"estimated": False, "over_rack_limit": False}),
            "compliance": option.compliance.model_copy(update={"deliverability": Deliverability.FREE}),
        }
    )


def changed(**fields: object) -> Option:
    return plain().model_copy(update=fields)


def nested(part: str, **fields: object) -> Option:
    return changed(**{part: getattr(plain(), part).model_copy(update=fields)})


KW = Shown(value=Decimal("16.2"), unit="kW")


def found(*options: Option, origin: str = "catalogue") -> dict[str, RiskView]:
    asked = requirement()
    asked = replace(asked, model=replace(asked.model, origin=origin))
    return {risk.key: risk for risk in risks(options, asked)}


def test_an_option_without_weak_points_still_has_a_range_and_interruptions() -> None:
    assert {key: risk.level for key, risk in found(plain()).items()} == {
        "duration-range": RiskLevel.MEDIUM,
        "interruptions": RiskLevel.LOW,
    }


@pytest.mark.parametrize(
    ("option", "key", "level"),
    [
        (nested("days", high=Decimal("13.01")), "duration-range", RiskLevel.HIGH),
        (nested("days", high=Decimal(13)), "duration-range", RiskLevel.MEDIUM),
        (changed(untuned_days=Shown(value=Decimal("10.1"), unit="day")), "untuned-team", RiskLevel.HIGH),
        (changed(memory_headroom=Decimal("0.099")), "memory-headroom", RiskLevel.MEDIUM),
        (changed(communication_share=Decimal("0.251")), "communication", RiskLevel.MEDIUM),
        (
            nested("goodput", interruptions=Shown(value=Decimal(1), unit="count")),
            "interruptions",
            RiskLevel.MEDIUM,
        ),
        (changed(borrowed=("calibration",)), "borrowed-figures", RiskLevel.MEDIUM),
        (nested("money", unpriced=(text("racks"),)), "unpriced-lines", RiskLevel.HIGH),
        (nested("money", stale_prices=2), "stale-prices", RiskLevel.HIGH),
        (nested("money", weak_prices=3), "weak-prices", RiskLevel.MEDIUM),
        (changed(power=None), "power-unknown", RiskLevel.HIGH),
        (nested("power", estimated=True), "power-estimated", RiskLevel.MEDIUM),
        (nested("power", over_rack_limit=True, rack_part=KW), "rack-limit", RiskLevel.HIGH),
        (nested("compliance", deliverability=Deliverability.BARRED), "delivery-barred", RiskLevel.HIGH),
        (nested("compliance", deliverability=Deliverability.LICENCE), "delivery-licence", RiskLevel.HIGH),
        (nested("compliance", deliverability=Deliverability.UNKNOWN), "delivery-unknown", RiskLevel.HIGH),
    ],
)
def test_a_weak_point_is_a_risk_of_its_level(option: Option, key: str, level: RiskLevel) -> None:
    risk = found(option)[key]
    assert risk.level is level
    assert risk.option == option.key


@pytest.mark.parametrize(
    ("option", "absent"),
    [
        (changed(memory_headroom=Decimal("0.10")), "memory-headroom"),
        (changed(communication_share=Decimal("0.25")), "communication"),
        (changed(untuned_days=None), "untuned-team"),
        (changed(days=None), "duration-range"),
        (changed(goodput=None), "interruptions"),
        (changed(money=None), "unpriced-lines"),
    ],
)
def test_what_is_at_the_limit_or_unknown_is_not_called_a_risk(option: Option, absent: str) -> None:
    assert absent not in found(option)


def test_a_risk_carries_the_numbers_that_its_sentence_needs() -> None:
    risk = found(changed(untuned_days=Shown(value=Decimal(15), unit="day")))["untuned-team"]
    assert {name: figure.value for name, figure in risk.numbers.items()} == {"days": 10, "untuned": 15}
    assert found(plain())["duration-range"].refs == ("R1",)


def test_a_rack_is_held_against_the_peak_of_a_server_not_its_training_power() -> None:
    limit = Shown(value=Decimal(12), unit="kW")
    option = nested("power", over_rack_limit=True, rack_part=KW, rack_limit=limit)
    assert found(option)["rack-limit"].numbers == {"power": KW, "rack": limit}


def test_a_recommendation_whose_delivery_is_unknown_is_among_the_first_risks() -> None:
    unknown = {"compliance": plain().compliance.model_copy(update={"deliverability": Deliverability.UNKNOWN})}
    money = nested("money", stale_prices=2, unpriced=(text("racks"),)).money
    option = changed(**unknown, money=money, untuned_days=Shown(value=Decimal(15), unit="day"))
    other = plain().model_copy(update={**unknown, "key": "B", "verdict": Verdict.ALTERNATE})
    shown = risks((other, option), requirement())

    assert (shown[0].key, shown[0].option) == ("delivery-unknown", option.key)
    # An alternate whose status is unknown is no grave risk of the project.
    assert {risk.level for risk in shown if risk.option == "B"} == {RiskLevel.MEDIUM}


def test_only_delivery_is_said_of_options_that_are_not_recommended() -> None:
    other = nested("compliance", deliverability=Deliverability.BARRED).model_copy(
        update={"key": "B", "verdict": Verdict.BARRED, "borrowed": ("server",)}
    )
    assert {risk.key for risk in risks((plain(), other), requirement()) if risk.option == "B"} == {
        "delivery-barred"
    }


def test_a_missing_recommendation_is_the_first_risk() -> None:
    option = changed(verdict=Verdict.OVER_BUDGET)
    first, *_ = risks((option,), requirement())
    assert (first.key, first.level) == ("no-recommendation", RiskLevel.HIGH)


def test_a_shape_that_was_assumed_is_a_risk() -> None:
    assert found(plain(), origin="parameters")["assumed-shape"].level is RiskLevel.MEDIUM
    assert "assumed-shape" not in found(plain(), origin="config")


def test_grave_risks_come_first() -> None:
    option = changed(power=None, borrowed=("server",))
    levels = [risk.level for risk in risks((option,), requirement())]
    order = [RiskLevel.HIGH, RiskLevel.MEDIUM, RiskLevel.LOW]
    assert levels == sorted(levels, key=order.index)
