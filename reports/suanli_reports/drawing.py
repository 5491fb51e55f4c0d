"""A drawing as geometry: bars, lines, dots and words, placed so that no label covers another.

The charts of `suanli_reports.charts` and `suanli_reports.plots` fill a `Chart`; the template
``charts/chart.svg.j2`` draws it. Sizes are in points. Labels are measured in the packaged font.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from suanli_reports.fonts import face

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["AROUND", "GAP", "ROW", "SIZE", "Bar", "Canvas", "Chart", "Dot", "Line", "Palette", "Word"]

SIZE = 7.0
"""Font size of labels."""
ROW = 10.5
"""Distance of two rows of labels."""
GAP = 3.0
"""Distance of a label from what it names."""

_STEPS_DOWN = 60
"""How often a label without a free place is moved down before it is left where it is."""
_STEP = 2.0

Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a theme."""

    ink: str
    soft: str
    hair: str
    accent: str
    warn: str
    tints: tuple[str, ...]

    def tint(self, index: int) -> str:
        """Return the tint of a part, starting again after the last."""
        return self.tints[index % len(self.tints)]


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a chart is drawn with: colours, size and the way numbers are written."""

    palette: Palette
    show: Callable[[float], str]
    """A value at its point."""
    tick: Callable[[float], str]
    """A value on an axis."""
    width: float = 235.0
    height: float = 130.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str = ""
    """Colour of the edge; none where empty."""
    edge: float = 0.5
    """Width of the edge."""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight or broken line through points."""

    points: tuple[tuple[float, float], ...]
    stroke: str
    width: float = 0.6
    dashed: bool = False
    solid: bool = False
    """True for a line that labels must not cross: data and limits, not grid lines."""

    def crosses(self, box: Box) -> bool:
        """Tell whether the line passes through a box, in steps shorter than any label is high."""
        left, top, right, bottom = box
        for (x0, y0), (x1, y1) in itertools.pairwise(self.points):
            steps = max(1, math.ceil(math.hypot(x1 - x0, y1 - y0)))
            for step in range(steps + 1):
                x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
                if left <= x <= right and top <= y <= bottom:
                    return True
        return False

    @property
    def path(self) -> str:
        """Return the points as an SVG list."""
        return " ".join(f"{x:.2f},{y:.2f}" for x, y in self.points)


@dataclass(frozen=True, slots=True)
class Dot:
    """A marker."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str


@dataclass(frozen=True, slots=True)
class Word:
    """A label; `y` is its baseline."""

    x: float
    y: float
    text: str
    fill: str
    anchor: str = "start"
    bold: bool = False
    size: float = SIZE
    axis: bool = False
    """True for a number on an axis, which a description of the drawing leaves out."""

    @property
    def width(self) -> float:
        """Return the width in the packaged font."""
        return face(bold=self.bold).width(self.text, self.size)

    @property
    def box(self) -> Box:
        """Return the rectangle that the text fills."""
        left = self.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * self.width
        return left, self.y - 0.85 * self.size, left + self.width, self.y + 0.2 * self.size


AROUND = tuple(
    (side * (4.0 + reach), lift, "start" if side > 0 else "end")
    for reach in (0.0, 8.0, 18.0)
    for lift in (-5.0, 10.0, -12.0, 17.0, 2.4, -20.0, 26.0)
    for side in (1.0, -1.0)
)
"""Places of a label around its point, nearest first: offset across, offset down, anchor."""


@dataclass(slots=True)
class Chart:
    """A drawing of a size."""

    width: float
    height: float = 0.0
    bars: list[Bar] = field(default_factory=list[Bar])
    lines: list[Line] = field(default_factory=list[Line])
    dots: list[Dot] = field(default_factory=list[Dot])
    words: list[Word] = field(default_factory=list[Word])

    @property
    def described(self) -> str:
        """Return what the drawing says to who cannot see it: its labels, without the numbers on axes."""
        return "; ".join(word.text for word in self.words if word.text and not word.axis)

    def free(self, word: Word) -> bool:
        """Tell whether a word would stand inside the drawing, clear of words, dots and lines that matter."""
        left, top, right, bottom = word.box
        if left < 0 or right > self.width or top < 0 or (self.height and bottom > self.height):
            return False
        if any(line.crosses(word.box) for line in self.lines if line.solid):
            return False
        if any(left <= dot.x <= right and top <= dot.y <= bottom for dot in self.dots):
            return False
        return not any(_overlap(word.box, other.box) for other in self.words)

    def put(self, *candidates: Word) -> Word:
        """Add the first word that is free, else the last one moved down until it is, and return it."""
        found = next((word for word in candidates if self.free(word)), None)
        if found is None:
            last = candidates[-1]
            lower = (replace(last, y=last.y + _STEP * step) for step in range(_STEPS_DOWN))
            found = next((word for word in lower if self.free(word)), last)
        self.words.append(found)
        return found


def _overlap(one: Box, other: Box) -> bool:
    """Tell whether two boxes touch, with a point's room between words on one line."""
    return one[0] < other[2] + 1 and other[0] < one[2] + 1 and one[1] < other[3] and other[1] < one[3]
