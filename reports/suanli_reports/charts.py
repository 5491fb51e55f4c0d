"""Charts made of horizontal bars: a stack with its limit, a breakdown, a tornado.

Labels stand at what they name, there is no legend and no frame, and the tints differ in lightness, so that
a grey print reads as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli_reports.drawing import GAP, ROW, SIZE, Bar, Canvas, Chart, Line, Palette, Word
from suanli_reports.fonts import face

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from suanli.proposal.model import Share

__all__ = ["breakdown", "stack", "tornado"]

_STACK_TOP, _STACK_HEIGHT = 16.0, 22.0
_BREAKDOWN_PITCH, _BREAKDOWN_HEIGHT = 12.5, 7.5
_TORNADO_TOP, _TORNADO_PITCH, _TORNADO_HEIGHT = 14.0, 13.0, 8.0


def stack(
    canvas: Canvas, parts: Sequence[Share], name: Callable[[str], str], limit: tuple[float, str]
) -> Chart:
    """Return one stacked bar with a limit line; labels stand below in as many rows as they need.

    Args:
        canvas: what to draw with.
        parts: the parts in order; zero parts are left out.
        name: name of a part by its key.
        limit: where the line stands, in the unit of the parts, and what is written at it.
    """
    chart = Chart(canvas.width)
    shown = [part for part in parts if part.value > 0]
    total = float(sum(part.value for part in shown))
    scale = (canvas.width - 4) / max(total, limit[0], 1e-9)
    x, bottom = 0.0, _STACK_TOP + _STACK_HEIGHT
    anchors: list[tuple[float, str]] = []
    for index, part in enumerate(shown):
        width = float(part.value) * scale
        chart.bars.append(Bar(x, _STACK_TOP, width, _STACK_HEIGHT, canvas.palette.tint(index)))
        anchors.append((x + width / 2, f"{name(part.key)} {canvas.show(float(part.value))}"))
        x += width
    at = limit[0] * scale
    chart.lines.append(Line(((at, _STACK_TOP - 6), (at, bottom + 6)), canvas.palette.warn, 1.2))
    anchor = "end" if at > canvas.width / 2 else "start"
    chart.words.append(Word(at, _STACK_TOP - 8, limit[1], canvas.palette.warn, anchor))
    rows = _label_rows(chart, anchors, bottom, canvas.palette)
    chart.height = bottom + 10 + rows * ROW
    return chart


def _label_rows(chart: Chart, anchors: Sequence[tuple[float, str]], bottom: float, palette: Palette) -> int:
    """Put labels below a bar, each in the first row with room and a line to its part; return the rows."""
    ends: list[float] = []
    for x, text in anchors:
        length = face().width(text, SIZE)
        left = min(max(0.0, x - length / 2), chart.width - length)
        row = next((index for index, end in enumerate(ends) if left >= end + 2 * GAP), len(ends))
        if row == len(ends):
            ends.append(0.0)
        ends[row] = left + length
        base = bottom + 10 + row * ROW
        if row:
            chart.lines.append(Line(((x, bottom), (x, base - SIZE)), palette.hair, 0.5))
        chart.words.append(Word(left, base, text, palette.ink))
    return len(ends)


def breakdown(canvas: Canvas, parts: Sequence[Share], name: Callable[[str], str]) -> Chart:
    """Return one bar for each part, its name at the left and its value at its end.

    Args:
        canvas: what to draw with.
        parts: the parts in order; zero parts are left out.
        name: name of a part by its key.
    """
    chart = Chart(canvas.width)
    shown = [(name(part.key), float(part.value)) for part in parts if part.value > 0]
    left = max((face().width(text, SIZE) for text, _ in shown), default=0.0) + 2 * GAP
    tail = max((face().width(canvas.show(value), SIZE) for _, value in shown), default=0.0) + 2 * GAP
    longest = max((value for _, value in shown), default=1.0)
    for index, (text, value) in enumerate(shown):
        y = 2 + index * _BREAKDOWN_PITCH
        base = y + _BREAKDOWN_HEIGHT - 1
        length = max(0.8, value / longest * (canvas.width - left - tail))
        fill = canvas.palette.tint(min(index, 1))
        chart.bars.append(Bar(left, y, length, _BREAKDOWN_HEIGHT, fill))
        chart.words.append(Word(left - GAP, base, text, canvas.palette.ink, "end"))
        chart.words.append(Word(left + length + GAP, base, canvas.show(value), canvas.palette.ink))
    chart.height = 4 + len(shown) * _BREAKDOWN_PITCH
    return chart


def tornado(canvas: Canvas, rows: Sequence[tuple[str, float, float]], base: float) -> Chart:
    """Return bars from low to high around a base, one for each input.

    Args:
        canvas: what to draw with.
        rows: name, result with the input lowered, result with it raised; at least one.
        base: result as it stands.
    """
    chart = Chart(canvas.width)
    palette, ends = canvas.palette, [end for row in rows for end in row[1:]]
    names = max(face().width(name, SIZE) for name, *_ in rows) + 2 * GAP
    side = max(face().width(canvas.show(end), SIZE) for end in ends) + 2 * GAP
    low, high = min(*ends, base), max(*ends, base)
    scale = (canvas.width - names - 2 * side) / ((high - low) or 1.0)

    def across(value: float) -> float:
        return names + side + (value - low) * scale

    for index, (name, *moved) in enumerate(rows):
        y = _TORNADO_TOP + index * _TORNADO_PITCH
        line = y + _TORNADO_HEIGHT - 1
        first, last = min(*moved, base), max(*moved, base)
        chart.bars.append(
            Bar(across(first), y, across(base) - across(first), _TORNADO_HEIGHT, palette.tint(1))
        )
        chart.bars.append(Bar(across(base), y, across(last) - across(base), _TORNADO_HEIGHT, palette.tint(3)))
        chart.words.append(Word(names - GAP, line, name, palette.ink, "end"))
        chart.words.append(Word(across(first) - GAP, line, canvas.show(first), palette.ink, "end"))
        chart.words.append(Word(across(last) + GAP, line, canvas.show(last), palette.ink))
    bottom = _TORNADO_TOP + len(rows) * _TORNADO_PITCH
    chart.lines.append(Line(((across(base), 10), (across(base), bottom)), palette.ink, 0.7))
    chart.words.append(Word(across(base), 7, canvas.show(base), palette.soft, "middle"))
    chart.height = bottom + 4
    return chart
