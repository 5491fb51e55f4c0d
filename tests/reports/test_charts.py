"""Drawings: what they show is to scale, and no label covers another."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suanli.proposal.model import Share
from suanli_reports import charts, plots
from suanli_reports.drawing import Canvas, Chart, Palette, Word
from suanli_reports.plots import Point

PALETTE = Palette("#000", "#555", "#ccc", "#066", "#b50", ("#111", "#444", "#777", "#aaa", "#ddd"))
CANVAS = Canvas(PALETTE, lambda value: f"{value:g}", lambda value: f"{value:g}")
PARTS = st.lists(st.decimals(0, 80, places=2), min_size=1, max_size=8).filter(any)


def shares(values: list[Decimal]) -> list[Share]:
    return [Share(key=f"部分 part {index}", value=value) for index, value in enumerate(values)]


def covered(words: list[Word]) -> list[tuple[str, str]]:
    """Return the pairs of words that cover each other."""
    return [
        (one.text, other.text)
        for index, one in enumerate(words)
        for other in words[index + 1 :]
        if one.box[0] < other.box[2]
        and other.box[0] < one.box[2]
        and one.box[1] < other.box[3]
        and other.box[1] < one.box[3]
    ]


def inside(chart: Chart) -> bool:
    boxes = [word.box for word in chart.words]
    return all(
        left >= -0.1 and right <= chart.width + 0.1 and bottom <= chart.height + 0.1
        for left, _, right, bottom in boxes
    )


@given(PARTS)
def test_the_parts_of_a_stack_add_up_to_its_length_and_its_labels_never_collide(
    values: list[Decimal],
) -> None:
    chart = charts.stack(CANVAS, shares(values), lambda key: key, (60.0, "limit 60"))
    assert covered(chart.words) == []
    assert inside(chart)
    scale = (CANVAS.width - 4) / max(float(sum(values)), 60.0)
    assert sum(bar.width for bar in chart.bars) == pytest.approx(float(sum(values)) * scale)
    assert chart.lines[0].points[0][0] == pytest.approx(60.0 * scale)
    assert all(second.x == pytest.approx(first.x + first.width) for first, second in pairwise(chart.bars))


def test_a_stack_leaves_out_what_is_zero() -> None:
    chart = charts.stack(
        CANVAS, shares([Decimal(5), Decimal(0), Decimal(3)]), lambda key: key, (10.0, "limit")
    )
    assert len(chart.bars) == 2


@given(PARTS)
def test_a_breakdown_has_a_bar_for_each_part_in_proportion(values: list[Decimal]) -> None:
    chart = charts.breakdown(CANVAS, shares(values), lambda key: key)
    assert covered(chart.words) == []
    assert inside(chart)
    shown = [float(value) for value in values if value > 0]
    assert len(chart.bars) == len(shown)
    longest = max(range(len(shown)), key=lambda index: shown[index])
    assert chart.bars[longest].width == max(bar.width for bar in chart.bars)


def test_a_tornado_runs_from_low_to_high_around_its_base() -> None:
    canvas = Canvas(PALETTE, lambda value: f"{value:g}", lambda value: f"{value:g}", width=482.0)
    chart = charts.tornado(canvas, [("price", 90.0, 110.0), ("residual", 103.0, 97.0)], 100.0)
    assert covered(chart.words) == []
    assert inside(chart)
    widths = [bar.width for bar in chart.bars]
    assert widths[0] == pytest.approx(widths[1])
    assert widths[2] == pytest.approx(widths[0] * 0.3)


@pytest.mark.parametrize(
    "points",
    [
        [(352.0, 214.0), (512.0, 149.0), (640.0, 120.0), (704.0, 109.0), (1024.0, 76.0), (1408.0, 57.0)],
        [(8.0 * 2**step, 400.0 / 2**step) for step in range(12)],
        [(8.0, 3.0), (16.0, 1.6)],
    ],
)
def test_a_curve_names_the_marked_point_and_covers_no_label(points: list[tuple[float, float]]) -> None:
    marked = points[len(points) // 2][0]
    chart = plots.curve(CANVAS, points, marked, (120.0, "deadline 120"))
    assert covered(chart.words) == []
    assert inside(chart)
    assert [word.text for word in chart.words if word.bold] == [f"{marked:g}: {dict(points)[marked]:g}"]


def test_a_curve_falls_where_its_values_fall() -> None:
    chart = plots.curve(CANVAS, [(8.0, 3.0), (16.0, 1.6)], None, None)
    first, second = chart.dots
    assert first.x < second.x
    assert first.y < second.y


OPTIONS = st.lists(
    st.tuples(st.floats(20, 300), st.floats(1e7, 1e9), st.floats(0.7, 0.99), st.floats(1.01, 1.4)),
    min_size=1,
    max_size=6,
)


@given(OPTIONS)
def test_options_in_a_scatter_are_named_without_covering_each_other(
    rows: list[tuple[float, float, float, float]],
) -> None:
    points = [
        Point(
            days,
            cost,
            chr(65 + index),
            "加速卡 X100",
            x_range=(days * low, days * high),
            y_range=(cost * low, cost * high),
        )
        for index, (days, cost, low, high) in enumerate(rows)
    ]
    canvas = Canvas(PALETTE, lambda value: f"{value:.0f}", lambda value: f"{value / 1e4:.0f}")
    chart = plots.scatter(canvas, points, (120.0, "deadline 120"))
    assert len(chart.dots) == len(points)
    named = [word.text for word in chart.words]
    assert all(any(text.split()[0] == point.key for text in named) for point in points)


def test_options_that_stand_apart_carry_their_whole_names() -> None:
    points = [Point(100.0, 2e8, "A", "昇腾 910B2", strong=True), Point(60.0, 4e8, "B", "H100 SXM")]
    chart = plots.scatter(CANVAS, points, None)
    assert {"A 昇腾 910B2", "B H100 SXM"} <= {word.text for word in chart.words}
    assert covered(chart.words) == []


def test_years_are_stacked_to_scale_and_negative_values_hang_below_the_line() -> None:
    canvas = Canvas(
        PALETTE, lambda value: f"{value:g}", lambda value: f"{value:g}", width=482.0, height=150.0
    )
    series = [
        ("capex", [100.0, 0.0, 0.0]),
        ("power", [0.0, 10.0, 10.0]),
        ("staff", [0.0, 5.0, 5.0]),
        ("residual", [0.0, 0.0, -20.0]),
        ("nothing", [0.0, 0.0, 0.0]),
    ]
    chart = plots.years(canvas, series, ["year 0", "year 1", "year 2"])
    heights = [bar.height for bar in chart.bars]
    assert len(heights) == 6
    assert heights[0] == pytest.approx(10 * heights[1])
    baseline = next(line for line in reversed(chart.lines) if line.stroke == PALETTE.soft).points[0][1]
    assert chart.bars[-1].y == pytest.approx(baseline)
    assert covered(chart.words) == []
    assert not any("nothing" in word.text for word in chart.words)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 214, (0, 100, 200, 300)),
        (90, 130, (90, 100, 110, 120, 130)),
        (-20, 100, (-50, 0, 50, 100)),
        (0, 0.9, (0, 0.25, 0.5, 0.75, 1)),
    ],
)
def test_axes_are_marked_at_round_values(low: float, high: float, expected: tuple[float, ...]) -> None:
    assert plots.nice_ticks(low, high) == pytest.approx(expected)
