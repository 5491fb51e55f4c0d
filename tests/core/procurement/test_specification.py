"""Thresholds are classes that keep competition open; marks and scores keep to the rules."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suanli.domain.figure import Grade
from suanli.domain.workload import Track
from suanli.procurement.classes import LADDERS, class_above, class_below, rounded_down, rounded_up
from suanli.procurement.clauses import MANDATORY_SHARE, Clause, Mark, Part, Proof, numbered, settled
from suanli.procurement.market import ENOUGH_MAKERS, Candidate, makers_meeting, open_thresholds
from suanli.procurement.scoring import (
    FULL_MARKS,
    PRICE_FLOOR,
    BlockKey,
    Subject,
    price_scores,
    scoring_blocks,
)

POSITIVE = st.decimals("0.001", "1e9", allow_nan=False, allow_infinity=False, places=4)
LADDER = st.sampled_from(sorted(LADDERS))
MEASURES = st.dictionaries(LADDER, st.decimals("1", "1500", places=2), min_size=1)
MARKET = st.lists(st.builds(Candidate, st.sampled_from("ABCD"), MEASURES), max_size=12).map(tuple)


@given(POSITIVE, LADDER)
def test_a_class_below_is_never_stricter_than_the_figure(value: Decimal, ladder: str) -> None:
    step = class_below(value, LADDERS[ladder])
    assert step is None or step <= value
    higher = [one for one in LADDERS[ladder] if one <= value]
    assert step == (max(higher) if higher else None)


@given(POSITIVE, LADDER)
def test_a_class_above_is_never_stricter_than_a_limit(value: Decimal, ladder: str) -> None:
    step = class_above(value, LADDERS[ladder])
    assert step is None or step >= value


@given(POSITIVE)
def test_rounding_goes_the_lenient_way_and_by_less_than_a_tenth(value: Decimal) -> None:
    assert (
        value * Decimal("0.9") < rounded_down(value) <= value <= rounded_up(value) < value * Decimal("1.1001")
    )


def test_a_threshold_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="a threshold is positive"):
        rounded_down(Decimal(0))


@given(MEASURES, MARKET)
def test_thresholds_are_open_or_say_that_they_are_not(
    wanted: dict[str, Decimal], market: tuple[Candidate, ...]
) -> None:
    found = open_thresholds(wanted, market)
    assert found.makers == makers_meeting(found.values, market)
    assert found.exclusive == (found.makers < ENOUGH_MAKERS)
    for key, value in found.values.items():
        assert value in LADDERS[key]
        assert value <= wanted[key]
    able = {one.maker for one in market if one.meets({key: LADDERS[key][0] for key in found.values})}
    assert found.makers >= min(ENOUGH_MAKERS, found.known) or len(able) < ENOUGH_MAKERS


def test_a_conjunction_is_tested_not_each_measure_alone() -> None:
    market = (
        Candidate("a", {"memory": Decimal(192), "peak": Decimal(300)}),
        Candidate("b", {"memory": Decimal(64), "peak": Decimal(1000)}),
        Candidate("c", {"memory": Decimal(80), "peak": Decimal(500)}),
    )
    found = open_thresholds({"memory": Decimal(80), "peak": Decimal(500)}, market)
    assert found.makers == 3
    assert dict(found.values) == {"memory": Decimal(64), "peak": Decimal(300)}


def test_an_unknown_measure_meets_no_threshold() -> None:
    assert makers_meeting({"peak": Decimal(50)}, [Candidate("a", {"memory": Decimal(64)})]) == 0


def _clause(mark: Mark = Mark.MANDATORY, value: str | None = "1", grade: Grade | None = None) -> Clause:
    figure = None if value is None else Decimal(value)
    return Clause(Part.COMPUTE, "key", mark, Proof.DESIGN, figure, grade=grade)


@pytest.mark.parametrize("grade", [Grade.WEAK, Grade.SIBLING])
def test_no_uncertain_figure_voids_a_bid(grade: Grade) -> None:
    clauses = settled((_clause(grade=grade), *(_clause(Mark.GENERAL) for _ in range(20))))
    assert clauses[0].mark is Mark.GENERAL


def test_a_function_without_a_figure_is_neither_mandatory_nor_scored() -> None:
    clauses = settled(tuple(_clause(mark, None) for mark in Mark))
    assert {clause.mark for clause in clauses} == {Mark.GENERAL}


@given(st.lists(st.sampled_from(Mark), max_size=60))
def test_mandatory_clauses_stay_few(marks: list[Mark]) -> None:
    clauses = settled(tuple(_clause(mark) for mark in marks))
    strict = sum(clause.mark is Mark.MANDATORY for clause in clauses)
    assert strict <= MANDATORY_SHARE * len(clauses)
    assert len(clauses) == len(marks)


def test_numbers_follow_the_parts_that_are_there() -> None:
    parts = (Part.SITE, Part.COMPUTE, Part.COMPUTE)
    clauses = numbered(tuple(Clause(part, "key", Mark.GENERAL, Proof.DESIGN) for part in parts))
    assert [clause.number for clause in clauses] == ["T1.1", "T1.2", "T2.1"]


@pytest.mark.parametrize("track", Track)
@given(subject=st.builds(Subject, important=st.integers(0, 40), rated=st.booleans()))
def test_points_add_up_and_the_price_weighs_what_the_rules_ask(track: Track, subject: Subject) -> None:
    blocks = scoring_blocks(track, subject)
    assert sum(block.points for block in blocks) == FULL_MARKS
    price = next(block.points for block in blocks if block.key is BlockKey.PRICE)
    assert price >= PRICE_FLOOR.get(track, 0)


@pytest.mark.parametrize("track", Track)
def test_a_block_without_a_subject_is_not_scored(track: Track) -> None:
    keys = {block.key for block in scoring_blocks(track, Subject(important=0, rated=False))}
    assert keys.isdisjoint({BlockKey.TECHNICAL, BlockKey.BENCHMARK, BlockKey.LIFE_CYCLE})


@pytest.mark.parametrize("track", Track)
def test_the_parts_of_a_block_are_worth_its_points(track: Track) -> None:
    blocks = {block.key: block for block in scoring_blocks(track, Subject(important=5, rated=True))}
    rate, delivery = blocks[BlockKey.BENCHMARK], blocks[BlockKey.DELIVERY]
    assert rate.numbers["half"] + 5 * rate.numbers["step"] == rate.points
    assert delivery.numbers["early"] + delivery.numbers["plan"] == delivery.points
    assert blocks[BlockKey.SERVICE].numbers["extra"] + 2 + 2 == blocks[BlockKey.SERVICE].points
    assert all(number > 0 for block in blocks.values() for number in block.numbers.values())


@given(st.lists(st.decimals("0.01", "1e9", places=2), min_size=1, max_size=9), st.integers(1, 100))
def test_the_lowest_price_gets_all_points_and_nobody_more(prices: list[Decimal], points: int) -> None:
    scores = price_scores(prices, points)
    assert max(scores) == points
    assert scores[prices.index(min(prices))] == points
    assert [scores[at] for at in sorted(range(len(prices)), key=prices.__getitem__)] == sorted(scores)[::-1]


def test_a_price_of_nothing_is_no_bid() -> None:
    with pytest.raises(ValueError, match="positive price"):
        price_scores([Decimal(0)], 30)
