"""Scores of options follow from their figures; what is unknown is not scored."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from suanli.domain.scoring import Criterion, ScoringWeights
from suanli.procurement.matrix import Measured, scored

FIGURES = st.decimals("0.01", "1e9", places=2)
SHARES = st.decimals("0.01", "1", places=3)
LEAST = (Criterion.COST, Criterion.TIME, Criterion.ENERGY)


def option(key: str, cost: str, time: str = "10", energy: str = "5", **parts: object) -> Measured:
    least = {
        Criterion.COST: Decimal(cost) if cost else None,
        Criterion.TIME: Decimal(time),
        Criterion.ENERGY: Decimal(energy),
    }
    filled: dict[str, object] = {"narrowness": Decimal("0.8"), "deliverable": True, **parts}
    return Measured(key, least, **filled)  # type: ignore[arg-type]


OPTIONS = st.lists(
    st.builds(
        lambda cost, time, energy, narrowness, deliverable: Measured(
            "", dict(zip(LEAST, (cost, time, energy), strict=True)), narrowness, deliverable
        ),
        FIGURES,
        FIGURES,
        FIGURES,
        SHARES,
        st.booleans(),
    ),
    min_size=2,
    max_size=6,
).map(lambda rows: [Measured(f"{at}", r.least, r.narrowness, r.deliverable) for at, r in enumerate(rows)])


@given(OPTIONS)
def test_scores_lie_between_nought_and_a_hundred_and_the_lowest_figure_gets_all(rows: list[Measured]) -> None:
    found = scored(rows, ScoringWeights())
    assert {one.key for one in found} == {one.key for one in rows}
    for criterion in LEAST:
        assert max(one.scores[criterion] for one in found) == 100
    for one in found:
        assert all(0 <= score <= 100 for score in one.scores.values())
        assert min(one.scores.values()) <= one.total + Decimal("0.1")
        assert one.total <= max(one.scores.values()) + Decimal("0.1")
    assert [one.total for one in found] == sorted((one.total for one in found), reverse=True)
    assert found[0].rank == 1


@given(OPTIONS, FIGURES)
def test_scores_do_not_depend_on_the_unit_of_a_figure(rows: list[Measured], factor: Decimal) -> None:
    moved = [
        Measured(
            one.key,
            {name: None if value is None else value * factor for name, value in one.least.items()},
            one.narrowness,
            one.deliverable,
        )
        for one in rows
    ]
    for before, after in zip(scored(rows, ScoringWeights()), scored(moved, ScoringWeights()), strict=True):
        assert all(
            abs(score - after.scores[name]) <= Decimal("0.1") for name, score in before.scores.items()
        ) or (before.key != after.key)


def test_a_score_is_worked_out_as_the_document_says() -> None:
    first, second = scored(
        [option("A", "100"), option("B", "80", time="20", deliverable=False)], ScoringWeights()
    )
    assert (first.key, first.total) == ("A", Decimal("89.0"))
    assert first.scores[Criterion.COST] == Decimal("80.0")
    # 0.4 x 100 + 0.2 x 50 + 0.1 x 100 + 0.15 x 80 + 0.15 x 50
    assert (second.key, second.total, second.rank) == ("B", Decimal("79.5"), 2)


def test_an_option_without_a_figure_is_not_scored() -> None:
    rows = [option("A", "100"), option("B", "80"), option("C", "")]
    assert {one.key for one in scored(rows, ScoringWeights())} == {"A", "B"}


def test_one_option_alone_has_no_score() -> None:
    assert scored([option("A", "100"), option("B", "")], ScoringWeights()) == ()


def test_equal_options_share_a_rank() -> None:
    assert [one.rank for one in scored([option("A", "9"), option("B", "9")], ScoringWeights())] == [1, 1]


def test_the_usual_weights_add_up_to_one() -> None:
    assert sum(ScoringWeights().of(criterion) for criterion in Criterion) == 1
