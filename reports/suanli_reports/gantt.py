"""The delivery plan as bars over days: tasks down the page, days across."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from suanli_reports.drawing import GAP, SIZE, Bar, Canvas, Chart, Line, Word
from suanli_reports.fonts import face
from suanli_reports.plots import nice_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Strip", "gantt"]

_ROW = 15.0
_BAR = 7.0
_FOOT = 14.0
_MARK = 5.0
_RIGHT = 46.0
"""Room right of the last day, for the label of a task that ends there."""
_UNKNOWN_SHARE = 0.16
"""Part of the width that tasks of unknown length take, left of the day from which the others count."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A task: name, label, days. A milestone has no length; an unknown one ends where the count begins."""

    name: str
    label: str
    start: float = 0.0
    low: float = 0.0
    """Earliest end."""
    high: float = 0.0
    """Latest end."""
    unknown: bool = False
    milestone: bool = False


def gantt(canvas: Canvas, strips: Sequence[Strip]) -> Chart:
    """Return the chart: a bar up to the earliest end, a paler one up to the latest.

    Milestones are diamonds. Tasks of unknown length stand dashed left of day 0.
    """
    width = canvas.width
    left = max(face(bold=False).width(strip.name, SIZE) for strip in strips) + 2 * GAP
    ticks = nice_ticks(0.0, max([strip.high for strip in strips if not strip.unknown] + [1.0]))
    room = width - left - _RIGHT
    zero = left + (_UNKNOWN_SHARE * room if any(strip.unknown for strip in strips) else 0.0)
    scale = (width - _RIGHT - zero) / ticks[-1]
    chart = Chart(width, len(strips) * _ROW + _FOOT)
    foot = len(strips) * _ROW
    for tick in ticks:
        x = zero + tick * scale
        chart.lines.append(Line(((x, 0.0), (x, foot)), canvas.palette.hair))
        chart.words.append(Word(x, foot + SIZE + GAP, canvas.tick(tick), canvas.palette.soft, "middle"))
    for row, strip in enumerate(strips):
        _draw(chart, canvas, strip, row * _ROW, (left, zero, scale))
    return chart


def _draw(chart: Chart, canvas: Canvas, strip: Strip, top: float, axis: tuple[float, float, float]) -> None:
    left, zero, scale = axis
    middle = top + _ROW / 2
    base = middle + 0.35 * SIZE
    palette = canvas.palette
    chart.words.append(Word(left - GAP, base, strip.name, palette.ink, "end"))
    if strip.unknown:
        ends = ((left, middle), (zero - GAP, middle))
        chart.lines.append(Line(ends, palette.warn, 1.4, dashed=True))
        chart.words.append(Word(zero + GAP, base, strip.label, palette.warn))
        return
    start, low, high = (zero + day * scale for day in (strip.start, strip.low, strip.high))
    if strip.milestone:
        west, east, north, south = high - _MARK, high + _MARK, middle - _MARK, middle + _MARK
        points = ((west, middle), (high, north), (east, middle), (high, south), (west, middle), (high, north))
        chart.lines.append(Line(points, palette.accent, 1.4))
        chart.words.append(Word(high + _MARK + GAP, base, strip.label, palette.ink))
        return
    if high > low:
        chart.bars.append(Bar(start, middle - _BAR / 2, high - start, _BAR, palette.tint(2)))
    chart.bars.append(Bar(start, middle - _BAR / 2, max(low - start, 0.5), _BAR, palette.accent))
    chart.words.append(Word(high + GAP, base, strip.label, palette.ink))
