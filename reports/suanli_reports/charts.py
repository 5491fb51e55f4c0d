"""Charts made of horizontal bars: a stack with its limit, a breakdown, a tornado.

Labels stand at what they name, there is no legend and no frame, and the tints differ in lightness, so that
a grey print reads as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from suanli_reports.drawing import GAP, ROW, SIZE, Bar, Canvas, Chart, Line, Palette, Word
from suanli_reports.fonts import face

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from suanli.proposal.model import Share

__all__ = ["Stack", "breakdown", "stack", "stacks", "tornado"]

_BELOW = 3.0
"""How far a limit runs on below its bar: not into the labels."""
_WHITE = "#ffffff"
_PARTED = 1.6
"""Least width of a part that has a white edge, which parts equal tints in grey print."""

_STACK_TOP, _STACK_HEIGHT = 16.0, 22.0
_BREAKDOWN_PITCH, _BREAKDOWN_HEIGHT = 12.5, 7.5
_TORNADO_TOP, _TORNADO_PITCH, _TORNADO_HEIGHT = 14.0, 13.0, 8.0


@dataclass(frozen=True, slots=True)
class Stack:
    """A stacked bar among others: its name, its parts, its limit and what is written at the limit."""

    title: str
    parts: Sequence[Share]
    limit: tuple[float, str]
    strong: bool = False


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
    return stacks(canvas, (Stack("", parts, limit),), name)


def stacks(canvas: Canvas, rows: Sequence[Stack], name: Callable[[str], str]) -> Chart:
    """Return stacked bars on one scale, each with its limit and with its labels below it.

    Args:
        canvas: what to draw with.
        rows: the bars from the top; at least one.
        name: name of a part by its key.
    """
    chart = Chart(canvas.width)
    longest = max(max(_total(row.parts), row.limit[0]) for row in rows)
    scale = (canvas.width - 4) / max(longest, 1e-9)
    # A part has the same tint in every bar.
    keys = list(dict.fromkeys(part.key for row in rows for part in row.parts if part.value > 0))
    tints = {key: canvas.palette.tint(index) for index, key in enumerate(keys)}
    top = 0.0
    for row in rows:
        top = _draw_stack(chart, canvas, row, _Scale(scale, top, tints, name))
    chart.height = top
    return chart


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where a bar is drawn and how."""

    factor: float
    top: float
    tints: dict[str, str]
    name: Callable[[str], str]


def _total(parts: Sequence[Share]) -> float:
    return float(sum(part.value for part in parts if part.value > 0))


def _draw_stack(chart: Chart, canvas: Canvas, row: Stack, at: _Scale) -> float:
    """Draw a bar with its title, limit and labels; return where the next one may start."""
    palette, x = canvas.palette, 0.0
    top, bottom = at.top + _STACK_TOP, at.top + _STACK_TOP + _STACK_HEIGHT
    anchors: list[tuple[float, str]] = []
    for part in row.parts:
        if part.value <= 0:
            continue
        width = float(part.value) * at.factor
        edge = _WHITE if width > _PARTED else ""
        chart.bars.append(Bar(x, top, width, _STACK_HEIGHT, at.tints[part.key], edge, 0.4))
        anchors.append((x + width / 2, f"{at.name(part.key)} {canvas.show(float(part.value))}"))
        x += width
    place = row.limit[0] * at.factor
    chart.lines.append(Line(((place, top - 6), (place, bottom + _BELOW)), palette.warn, 1.2))
    _title_and_limit(chart, palette, row, (place, top - 8))
    return bottom + 10 + _label_rows(chart, anchors, bottom, palette) * ROW


def _title_and_limit(chart: Chart, palette: Palette, row: Stack, at: tuple[float, float]) -> None:
    """Write the limit at its line, and the title at the left where there is room, else at the right."""
    x, y = at
    side = "end" if x > chart.width / 2 else "start"
    limit = Word(x, y, row.limit[1], palette.warn, side)
    left, _, right, _ = limit.box
    if left < 0:
        limit = replace(limit, x=0.0, anchor="start")
    elif right > chart.width:
        limit = replace(limit, x=chart.width, anchor="end")
    chart.words.append(limit)
    if row.title:
        left, _, right, _ = limit.box
        words = [Word(0.0, y, row.title, palette.ink, bold=row.strong)]
        words += [Word(chart.width, y, row.title, palette.ink, "end", row.strong)]
        fitting = [word for word in words if word.box[2] + GAP < left or word.box[0] - GAP > right]
        # Only a title as long as the drawing finds no room; it is then cut to what is free at the left.
        chart.words.append(fitting[0] if fitting else replace(words[0], text=_cut(row, left)))


def _cut(row: Stack, room: float) -> str:
    """Return as much of a title as fits."""
    text = row.title
    while text and face(bold=row.strong).width(text, SIZE) > room - GAP:
        text = text[:-1]
    return text


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
