"""Charts of money: a waterfall from the servers to the total cost, and what buying is ahead of renting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli_reports.drawing import AROUND, GAP, SIZE, Bar, Canvas, Chart, Dot, Line, Word
from suanli_reports.fonts import face
from suanli_reports.plots import nice_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Level", "balance", "waterfall"]

_PITCH, _HEIGHT, _TOP = 12.5, 8.0, 2.0
_LEAST = 0.8
"""Width at which a part that is too small to see is drawn."""
_FOOT, _RIGHT = 16.0, 14.0
_ALONG = (0.0, 40.0, 80.0, 120.0, 160.0, 220.0, 280.0)
"""Places along the line of zero where its name may stand."""


@dataclass(frozen=True, slots=True)
class Level:
    """A row of a waterfall: from where to where it runs."""

    label: str
    start: float
    end: float
    total: bool = False


def waterfall(canvas: Canvas, levels: Sequence[Level]) -> Chart:
    """Return bars that each start where the one above ended; totals start at zero and are darker.

    Args:
        canvas: what to draw with.
        levels: the rows from the top; at least one.
    """
    chart = Chart(canvas.width, 2 * _TOP + len(levels) * _PITCH)
    ends = [value for level in levels for value in (level.start, level.end)]
    low, high = min(0.0, *ends), max(0.0, *ends)
    left = max(face(bold=level.total).width(level.label, SIZE) for level in levels) + 2 * GAP
    tail = max(face(bold=level.total).width(_shown(canvas, level), SIZE) for level in levels) + 2 * GAP
    scale = (canvas.width - left - tail) / ((high - low) or 1.0)

    def across(value: float) -> float:
        return left + (value - low) * scale

    for index, level in enumerate(levels):
        y = _TOP + index * _PITCH
        first, last = sorted((across(level.start), across(level.end)))
        chart.bars.append(Bar(first, y, max(_LEAST, last - first), _HEIGHT, _fill(canvas, level)))
        if index:
            previous = across(levels[index - 1].end)
            chart.lines.append(
                Line(((previous, y - _PITCH + _HEIGHT), (previous, y)), canvas.palette.soft, 0.4)
            )
        base, ink = y + _HEIGHT - 1, canvas.palette.ink
        chart.words.append(Word(left - GAP, base, level.label, ink, "end", level.total))
        chart.words.append(Word(last + GAP, base, _shown(canvas, level), ink, bold=level.total))
    return chart


def _shown(canvas: Canvas, level: Level) -> str:
    return canvas.show(level.end - level.start)


def _fill(canvas: Canvas, level: Level) -> str:
    """Return the tint of a total, of what is added, or of what is taken away."""
    return canvas.palette.tint(0 if level.total else 3 if level.end < level.start else 1)


def balance(canvas: Canvas, values: Sequence[float], turn: tuple[int, str] | None, zero_name: str) -> Chart:
    """Return a balance by month with the month in which it turns.

    Args:
        canvas: what to draw with; `tick` writes the amounts.
        values: balance of each month, the first one of month 0; at least two.
        turn: month in which it is ahead for good, and what is written there; None where it is not.
        zero_name: what stands at the line of zero.
    """
    chart = Chart(canvas.width, canvas.height)
    ticks = nice_ticks(min(0.0, *values), max(0.0, *values))
    left = max(face().width(canvas.tick(value), SIZE) for value in ticks) + 2 * GAP
    right, top, bottom = canvas.width - _RIGHT, 12.0, canvas.height - _FOOT
    months = len(values) - 1

    def place(month: float, value: float) -> tuple[float, float]:
        share = (value - ticks[0]) / (ticks[-1] - ticks[0])
        return left + month / months * (right - left), bottom - share * (bottom - top)

    palette = canvas.palette
    for value in ticks:
        y = place(0, value)[1]
        chart.lines.append(Line(((left, y), (right, y)), palette.hair, 0.4))
        chart.words.append(Word(left - GAP, y + 2.4, canvas.tick(value), palette.soft, "end", axis=True))
    _months(chart, canvas, [(place(month, 0)[0], month) for month in _marks(months)], bottom)
    zero = place(0, 0.0)[1]
    chart.lines.append(Line(((left, zero), (right, zero)), palette.warn, 0.9, dashed=True, solid=True))
    path = tuple(place(month, value) for month, value in enumerate(values))
    chart.lines.append(Line(path, palette.accent, 1.4, solid=True))
    _marked(chart, canvas, (*path[-1], canvas.show(values[-1])), strong=False)
    if turn is not None:
        _marked(chart, canvas, (*place(turn[0], values[min(turn[0], months)]), turn[1]), strong=True)
    places = ((left + GAP + step, zero + lift) for step in _ALONG for lift in (-3.0, 8.5))
    chart.put(*(Word(x, y, zero_name, palette.warn) for x, y in places))
    return chart


def _marked(chart: Chart, canvas: Canvas, at: tuple[float, float, str], *, strong: bool) -> None:
    """Mark a point and write what stands there."""
    x, y, text = at
    accent = canvas.palette.accent
    chart.dots.append(Dot(x, y, 3.0 if strong else 1.9, accent if strong else "#ffffff", accent))
    chart.put(*(Word(x + dx, y + dy, text, canvas.palette.ink, side, strong) for dx, dy, side in AROUND))


def _marks(months: int) -> range:
    """Return the months that are named: every year, or every month of less than two years."""
    return range(0, months + 1, 12 if months >= 24 else max(1, months // 6))  # noqa: PLR2004 - two years


def _months(chart: Chart, canvas: Canvas, marks: Sequence[tuple[float, int]], bottom: float) -> None:
    soft = canvas.palette.soft
    for x, month in marks:
        chart.lines.append(Line(((x, bottom), (x, bottom + 3)), soft, 0.5))
        chart.words.append(Word(x, bottom + 11, str(month), soft, "middle", axis=True))
