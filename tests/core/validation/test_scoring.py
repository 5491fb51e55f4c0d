"""Statistics of errors, checked by hand."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suanli.validation.scoring import LONG_SEQUENCE, Scored, slices, statistics, summarise


def scored(name: str, error: float | None, group: str = "g", **fields: object) -> Scored:
    predicted = None if error is None else 100 * (1 + error)
    given = {"predicted": predicted, "error": error, "group": group, **fields}
    return Scored(id=name, metric="throughput", measured=100.0, **given)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


RUNS = [
    scored("a", 0.05, "g1", p10=90.0, p90=120.0, null_error=0.3, constant_error=0.5, vendor="x"),
    scored("b", -0.15, "g1", p10=70.0, p90=99.0, null_error=-0.1, constant_error=-0.2, vendor="x"),
    scored("c", 0.50, "g2", p10=100.0, p90=200.0, null_error=0.2, constant_error=0.4, vendor="y"),
    scored("d", None, "g3", skipped="no such device", vendor="y"),
]


def test_every_statistic_is_what_its_definition_says() -> None:
    found = statistics(RUNS)
    assert found.n == 3
    assert found.groups == 2
    assert found.median == pytest.approx(0.15)
    # Between 0.15 and 0.50, 80 % of the way: position 0.9 · 2 = 1.8.
    assert found.p90 == pytest.approx(0.15 + 0.8 * 0.35)
    assert found.mean == pytest.approx(0.70 / 3)
    assert found.bias == pytest.approx(0.40 / 3)
    assert found.median_error == pytest.approx(0.05)
    assert found.within_10 == pytest.approx(1 / 3)
    assert found.within_20 == pytest.approx(2 / 3)
    # a and c are in range (an end counts), b is above its range.
    assert found.coverage == pytest.approx(2 / 3)
    assert found.coverage_by_group == pytest.approx((0.5 + 1) / 2)
    assert found.null_n == 3
    assert found.null_median == pytest.approx(0.2)
    assert found.null_p90 == pytest.approx(0.28)
    assert found.constant_median == pytest.approx(0.4)
    assert found.constant_p90 == pytest.approx(0.48)


def test_nothing_predicted_has_no_statistics_rather_than_zeros() -> None:
    found = asdict(statistics([RUNS[-1]]))
    assert {name: found.pop(name) for name in ("n", "groups", "null_n")} == dict.fromkeys(
        ("n", "groups", "null_n"), 0
    )
    assert set(found.values()) == {None}


def test_a_run_without_a_range_does_not_count_as_missed() -> None:
    assert scored("a", 0.1).covered is None
    assert scored("a", 0.1, p10=1.0).covered is None
    assert statistics([scored("a", 0.1), RUNS[0]]).coverage == 1.0


def test_ten_percent_exactly_is_within_ten_percent() -> None:
    assert statistics([scored("a", 0.1), scored("b", -0.1)]).within_10 == 1.0


def test_a_summary_counts_skips_by_reason_and_leaves_traps_out_of_the_clean_figure() -> None:
    runs = [*RUNS, scored("e", 4.0, "g4", trap="local batch stands for micro-batch", vendor="x")]
    summary = summarise(runs, "throughput")
    assert (summary.selected, summary.predicted, summary.traps) == (5, 4, 1)
    assert dict(summary.skipped) == {"no such device": 1}
    assert summary.without_traps == statistics(RUNS)
    assert summary.overall.mean == pytest.approx(4.70 / 4)
    assert list(summary.by["vendor"]) == ["x", "y"]
    assert [summary.by["vendor"][name].n for name in ("x", "y")] == [3, 1]


def test_slices_name_the_unknown_and_the_long() -> None:
    runs = [
        scored("a", 0.0, sequence_length=LONG_SEQUENCE, task="lora"),
        scored("b", 0.1, sequence_length=LONG_SEQUENCE - 1),
        scored("c", 0.2, sequence_length=None),
    ]
    by = summarise(runs, "throughput").by
    assert set(by["sequence length"]) == {">= 32,768", "< 32,768", "unknown"}
    assert by["sequence length"][">= 32,768"].median == 0.0
    assert {name: found.n for name, found in by["task"].items()} == {"unknown": 2, "lora": 1}


@given(st.lists(st.tuples(st.floats(-0.99, 10), st.sampled_from("abc")), min_size=1))
def test_slices_divide_the_runs_and_quantiles_are_ordered(runs: list[tuple[float, str]]) -> None:
    made = [scored(str(at), error, vendor=vendor) for at, (error, vendor) in enumerate(runs)]
    found = statistics(made)
    assert found.median is not None
    assert found.p90 is not None
    assert found.within_10 is not None
    assert found.within_20 is not None
    assert found.median <= found.p90
    assert found.within_10 <= found.within_20
    assert sum(part.n for part in slices(made, lambda run: run.vendor).values()) == found.n
