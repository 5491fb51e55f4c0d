"""Charts with two axes: a curve, a scatter of options, stacked years."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli_reports.drawing import AROUND, GAP, ROW, SIZE, Bar, Canvas, Chart, Dot, Line, Word
from suanli_reports.fonts import face

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Point", "curve", "nice_ticks", "scatter", "years"]

_APART = 26.0
"""Least distance across between two points of a curve that are both named."""
_FOOT = 16.0
"""Room for the numbers below the horizontal axis."""
_TOP = 15.0
_RIGHT = 14.0
_TICKS = 4
_HOLLOW = "#ffffff"
_PARTED = 1.6
"""Least height of a part that has a white edge."""

Series = "Sequence[tuple[str, Sequence[float]]]"


@dataclass(frozen=True, slots=True)
class Point:
    """One option in a scatter: position, ranges and name."""

    x: float
    y: float
    key: str
    name: str
    strong: bool = False
    faded: bool = False
    """True for an option that another one beats in both."""
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None


def nice_ticks(low: float, high: float, count: int = _TICKS) -> tuple[float, ...]:
    """Return round values that span a range.

    >>> nice_ticks(0, 214)
    (0.0, 100.0, 200.0, 300.0)
    """
    raw = max(high - low, 1e-12) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(step * tick for tick in range(first, max(last, first + 1) + 1))


def _from_zero(values: Sequence[float]) -> float:
    """Return where an axis starts: at zero, unless all values lie in its upper half."""
    low, high = min(values), max(values)
    return 0.0 if low < high / 2 else low * 0.95


@dataclass(frozen=True, slots=True)
class _Axes:
    """The map from data to the page."""

    left: float
    right: float
    top: float
    bottom: float
    x_ticks: tuple[float, ...]
    y_ticks: tuple[float, ...]

    def x(self, value: float) -> float:
        low, high = self.x_ticks[0], self.x_ticks[-1]
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def y(self, value: float) -> float:
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)


def _margin(texts: Sequence[str]) -> float:
    return max(face().width(text, SIZE) for text in texts) + 2 * GAP


def _draw_y_axis(chart: Chart, axes: _Axes, canvas: Canvas, write: Callable[[float], str]) -> None:
    for value in axes.y_ticks:
        y = axes.y(value)
        chart.lines.append(Line(((axes.left, y), (axes.right, y)), canvas.palette.hair, 0.4))
        chart.words.append(
            Word(axes.left - GAP, y + 2.4, write(value), canvas.palette.soft, "end", axis=True)
        )


def _draw_x_axis(chart: Chart, axes: _Axes, canvas: Canvas) -> None:
    soft = canvas.palette.soft
    for value in axes.x_ticks:
        x = axes.x(value)
        chart.lines.append(Line(((x, axes.bottom), (x, axes.bottom + 3)), soft, 0.5))
        chart.words.append(Word(x, axes.bottom + 11, canvas.show(value), soft, "middle", axis=True))
    chart.lines.append(Line(((axes.left, axes.bottom), (axes.right, axes.bottom)), soft))


def curve(
    canvas: Canvas,
    points: Sequence[tuple[float, float]],
    marked: float | None,
    limit: tuple[float, str] | None,
    ideal: str = "",
) -> Chart:
    """Return a curve through points, one of them marked, with a dashed limit.

    Args:
        canvas: what to draw with.
        points: (x, y) in order of x; at least two.
        marked: x of the point to mark.
        limit: height and name of the dashed line.
        ideal: name of the straight line from zero through the first point; empty for none.
    """
    chart = Chart(canvas.width, canvas.height)
    slope = points[0][1] / points[0][0] if ideal else 0.0
    x_ticks = nice_ticks(0.0, points[-1][0])
    y_ticks = nice_ticks(
        0.0, max([y for _, y in points] + ([limit[0]] if limit else []) + [slope * points[-1][0]])
    )
    left = _margin([canvas.show(value) for value in y_ticks])
    axes = _Axes(left, canvas.width - _RIGHT, _TOP, canvas.height - _FOOT, x_ticks, y_ticks)
    _draw_y_axis(chart, axes, canvas, canvas.show)
    _draw_x_axis(chart, axes, canvas)
    path = tuple((axes.x(x), axes.y(y)) for x, y in points)
    chart.lines.append(Line(path, canvas.palette.accent, 1.4, solid=True))
    if limit:
        _draw_limit_across(chart, axes, canvas, limit)
    if ideal:
        _draw_ideal(chart, axes, canvas, (points[-1][0], slope * points[-1][0], ideal))
    for x, y in points:
        fill, radius = (canvas.palette.accent, 3.0) if x == marked else (_HOLLOW, 1.9)
        chart.dots.append(Dot(axes.x(x), axes.y(y), radius, fill, canvas.palette.accent))
    _name_points(chart, axes, canvas, points, marked)
    return chart


def _draw_limit_across(chart: Chart, axes: _Axes, canvas: Canvas, limit: tuple[float, str]) -> None:
    y, warn = axes.y(limit[0]), canvas.palette.warn
    chart.lines.append(Line(((axes.left, y), (axes.right, y)), warn, 0.9, dashed=True, solid=True))
    ends = [Word(axes.right, y + lift, limit[1], warn, "end") for lift in (-3.0, 8.5)]
    starts = [Word(axes.left + GAP, y + lift, limit[1], warn) for lift in (-3.0, 8.5)]
    chart.put(*ends, *starts)


def _draw_ideal(chart: Chart, axes: _Axes, canvas: Canvas, end: tuple[float, float, str]) -> None:
    """Draw the straight line from zero to an end, and name it there."""
    x, y, soft = axes.x(end[0]), axes.y(end[1]), canvas.palette.soft
    path = ((axes.x(0.0), axes.y(0.0)), (x, y))
    chart.lines.append(Line(path, soft, 0.6, dashed=True, solid=True))
    lifts = (2.4, 10.0, -4.0, 18.0, 26.0)
    chart.put(
        *(Word(x - GAP - step, y + lift, end[2], soft, "end") for step in (0.0, 16.0) for lift in lifts)
    )


def _name_points(
    chart: Chart, axes: _Axes, canvas: Canvas, points: Sequence[tuple[float, float]], marked: float | None
) -> None:
    """Name the marked point, then both ends, then every point that stands apart from those named."""
    ends = {points[0], points[-1]}
    named: list[float] = []
    for point in sorted(points, key=lambda point: (point[0] != marked, point not in ends)):
        x, y = axes.x(point[0]), axes.y(point[1])
        strong = point[0] == marked
        if not strong and any(abs(x - other) < _APART for other in named):
            continue
        text = f"{canvas.show(point[0])}: {canvas.show(point[1])}" if strong else canvas.show(point[1])
        words = [Word(x + dx, y + dy, text, canvas.palette.ink, anchor, strong) for dx, dy, anchor in AROUND]
        if strong or any(chart.free(word) for word in words):
            chart.put(*words)
            named.append(x)


def scatter(canvas: Canvas, points: Sequence[Point], limit: tuple[float, str] | None) -> Chart:
    """Return options by duration (across) and cost (up), named at the point, their ranges as thin crosses.

    Args:
        canvas: what to draw with; `show` writes the numbers across and `tick` those up.
        points: the options; at least one.
        limit: place and name of a dashed vertical line.
    """
    chart = Chart(canvas.width, canvas.height)
    xs = [value for point in points for value in (point.x, *(point.x_range or ()))]
    ys = [value for point in points for value in (point.y, *(point.y_range or ()))]
    xs += [limit[0]] if limit else []
    x_ticks, y_ticks = nice_ticks(_from_zero(xs), max(xs)), nice_ticks(_from_zero(ys), max(ys), 3)
    left = _margin([canvas.tick(value) for value in y_ticks])
    axes = _Axes(left, canvas.width - _RIGHT, _TOP, canvas.height - _FOOT, x_ticks, y_ticks)
    _draw_y_axis(chart, axes, canvas, canvas.tick)
    _draw_x_axis(chart, axes, canvas)
    if limit:
        x, warn = axes.x(limit[0]), canvas.palette.warn
        chart.lines.append(Line(((x, _TOP - 6), (x, axes.bottom)), warn, 0.9, dashed=True, solid=True))
        words = [
            Word(x + side * GAP, _TOP - 4, limit[1], warn, anchor)
            for side, anchor in ((-1, "end"), (1, "start"))
        ]
        chart.put(*words)
    for point in points:
        _draw_point(chart, axes, canvas, point)
    for point in points:
        _name_option(chart, axes, canvas, point)
    return chart


def _draw_point(chart: Chart, axes: _Axes, canvas: Canvas, point: Point) -> None:
    x, y = axes.x(point.x), axes.y(point.y)
    thin = canvas.palette.hair if point.faded else canvas.palette.tint(1)
    if point.x_range:
        low, high = (axes.x(end) for end in point.x_range)
        chart.lines.append(Line(((low, y), (high, y)), thin, 0.7, solid=True))
    if point.y_range:
        low, high = (axes.y(end) for end in point.y_range)
        chart.lines.append(Line(((x, low), (x, high)), thin, 0.7, solid=True))
    fill = canvas.palette.accent if point.strong else _HOLLOW
    edge = canvas.palette.soft if point.faded else canvas.palette.accent
    chart.dots.append(Dot(x, y, 2.2 if point.faded else 3.0, fill, edge))


def _name_option(chart: Chart, axes: _Axes, canvas: Canvas, point: Point) -> None:
    """Name a point; the key alone stands in where the whole name finds no room."""
    x, y = axes.x(point.x), axes.y(point.y)
    ink = canvas.palette.soft if point.faded else canvas.palette.ink
    chart.put(
        *(
            Word(x + dx, y + dy, text, ink, anchor, point.strong)
            for text in (f"{point.key} {point.name}", point.key)
            for dx, dy, anchor in AROUND
        )
    )


def years(canvas: Canvas, series: Sequence[tuple[str, Sequence[float]]], names: Sequence[str]) -> Chart:
    """Return stacked bars by year, each series named where it ends or is largest; negative values hang down.

    Args:
        canvas: what to draw with.
        series: name and value of each year, for each series; a series of zeros is left out.
        names: name of each year.
    """
    chart = Chart(canvas.width, canvas.height)
    used = [(name, values) for name, values in series if any(values)]
    above = [sum(max(0.0, values[year]) for _, values in used) for year in range(len(names))]
    below = [sum(min(0.0, values[year]) for _, values in used) for year in range(len(names))]
    y_ticks = nice_ticks(min(below), max(above) or 1.0)
    labels = [f"{name} {canvas.show(max(values, key=abs))}" for name, values in used] or [""]
    right = canvas.width - _margin(labels) - 2
    left = _margin([canvas.tick(value) for value in y_ticks])
    axes = _Axes(left, right, 8.0, canvas.height - _FOOT, (0.0, float(len(names))), y_ticks)
    _draw_y_axis(chart, axes, canvas, canvas.tick)
    middles = _draw_years(chart, axes, canvas, used, names)
    chart.lines.append(Line(((axes.left, axes.y(0)), (axes.right, axes.y(0))), canvas.palette.soft))
    _name_series(chart, axes, canvas, used, middles)
    return chart


def _draw_years(
    chart: Chart,
    axes: _Axes,
    canvas: Canvas,
    used: Sequence[tuple[str, Sequence[float]]],
    names: Sequence[str],
) -> dict[tuple[int, int], float]:
    """Draw the bars and return the middle height of each segment by (series, year)."""
    middles: dict[tuple[int, int], float] = {}
    for year, name in enumerate(names):
        left, right = axes.x(year + 0.2), axes.x(year + 0.8)
        up = down = 0.0
        for index, (_, values) in enumerate(used):
            start = up if values[year] >= 0 else down
            end = start + values[year]
            if values[year]:
                y0, y1 = axes.y(start), axes.y(end)
                fill = canvas.palette.tint(index)
                edge = _HOLLOW if abs(y1 - y0) > _PARTED else ""
                chart.bars.append(Bar(left, min(y0, y1), right - left, abs(y1 - y0), fill, edge, 0.4))
                middles[index, year] = (y0 + y1) / 2
            up, down = (end, down) if values[year] >= 0 else (up, end)
        chart.words.append(Word((left + right) / 2, axes.bottom + 11, name, canvas.palette.soft, "middle"))
    return middles


def _name_series(
    chart: Chart,
    axes: _Axes,
    canvas: Canvas,
    used: Sequence[tuple[str, Sequence[float]]],
    middles: dict[tuple[int, int], float],
) -> None:
    """Name series that run to the last year in a column beside it, the others at their largest segment."""
    wanted = sorted((middles[index, _named_year(values)], index) for index, (_, values) in enumerate(used))
    column = [(middle, index) for middle, index in wanted if used[index][1][-1]]
    places = _spread([middle for middle, _ in column], axes.top + SIZE, axes.bottom)
    for (middle, index), y in zip(column, places, strict=True):
        name, values = used[index]
        path = ((axes.x(len(values) - 0.2), middle), (axes.right + 1, y))
        chart.lines.append(Line(path, canvas.palette.hair, 0.5))
        text = f"{name} {canvas.show(values[-1])}"
        chart.words.append(Word(axes.right + GAP, y + 2.4, text, canvas.palette.ink))
    for middle, index in wanted:
        name, values = used[index]
        if not values[-1]:
            year = _named_year(values)
            text = f"{name} {canvas.show(values[year])}"
            x = axes.x(year + 0.8) + GAP
            chart.put(
                *(Word(x, middle + lift, text, canvas.palette.ink) for lift in (2.4, -7.0, -16.0, 12.0))
            )


def _spread(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Return heights near those wanted, in their order, a row apart, inside the drawing if they fit."""
    placed: list[float] = []
    for height in wanted:
        placed.append(max(height, placed[-1] + ROW * 0.9) if placed else max(height, top))
    overshoot = placed[-1] - bottom if placed else 0.0
    for index in range(len(placed) - 1, -1, -1):
        below = placed[index + 1] - ROW * 0.9 if index + 1 < len(placed) else math.inf
        placed[index] = min(placed[index], below, bottom) if overshoot > 0 else placed[index]
    return placed


def _named_year(values: Sequence[float]) -> int:
    """Return the last year of a series that runs to the end, else the year in which it is largest."""
    return len(values) - 1 if values[-1] else max(range(len(values)), key=lambda year: abs(values[year]))
