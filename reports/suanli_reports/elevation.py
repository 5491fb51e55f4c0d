"""Rack elevations: every box of a rack at its height, with its letter, the rack units and the PDUs.

Racks of equal content are drawn once with their number. A drawing is one line of racks, so that a page can
break between the lines. Runs of equal boxes are counted at the right; boxes stand apart, so that a reader can
count them as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from suanli_reports.drawing import Bar, Chart, Line, Palette, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from suanli.proposal.model import RackView, SlotView

__all__ = ["Labels", "elevations", "text_on"]

_WIDTH = 482.0
_PER_LINE = 5
_NUMBERS, _TOP = 11.0, 21.0
_WIDEST = 140.0
"""Width of a rack with its numbers and labels, at most."""
_LABELS = 38.0
"""Room for PDUs and labels at the right of a frame."""
_UNIT = 4.6
"""Height of a rack unit."""
_FOOT = 11.0
_BAND, _PITCH, _STRIP_SHARE = 10.0, 2.7, 2 / 3
"""Room for PDUs beside a frame, the distance of two where there are few, the part of it that one fills."""
_INSET, _SLIT = 1.2, 0.7
"""Distance of a box from the posts, and from the next box."""
_FRAME_LINE, _BOX_LINE = 0.7, 0.5
_SMALL = 5.2
_LABEL = 6.0
_LETTER_FROM = 8.0
"""Least height of a box that its letter is written into."""
_DARK_BELOW = 0.5
_EVERY = 5

_TINTS = {
    "server": 0,
    "spare": 1,
    "core": 5,
    "spine": 6,
    "leaf": 3,
    "switch": 7,
    "storage": 2,
    "management": 4,
    "out-of-band": 7,
}
"""Tint of a kind of box; letters tell apart what a grey print does not."""


@dataclass(frozen=True, slots=True)
class Labels:
    """How words are written in the document's language."""

    head: Callable[[RackView], str]
    """Below the name: what a rack is for, and its power."""
    count: Callable[[int], str]
    """How often a rack or box is there, such as ``× 12``."""
    reserved: str
    """Name of the units at the top."""


def text_on(fill: str, palette: Palette) -> str:
    """Return white or the ink, whichever reads better on a fill.

    >>> palette = Palette("#000000", "", "", "", "", ())
    >>> text_on("#0b5f6b", palette), text_on("#e3e6ea", palette)
    ('#ffffff', '#000000')
    """
    red, green, blue = (int(fill[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < _DARK_BELOW else palette.ink


def elevations(
    racks: Sequence[RackView], palette: Palette, labels: Labels
) -> tuple[tuple[Sequence[RackView], Chart], ...]:
    """Return lines of at most five racks, as even as can be, each with its drawing."""
    each = math.ceil(len(racks) / max(1, math.ceil(len(racks) / _PER_LINE)))
    lines = [racks[start : start + each] for start in range(0, len(racks), max(1, each))]
    return tuple((line, _line(line, palette, labels)) for line in lines)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a rack stands in a drawing."""

    left: float
    width: float
    """Of the frame."""
    floor: float

    @property
    def right(self) -> float:
        return self.left + self.width

    def height(self, unit: float) -> float:
        """Return the height on the page of a number of rack units above the floor."""
        return self.floor - unit * _UNIT


@dataclass(frozen=True, slots=True)
class _Pen:
    """A drawing, and what it is drawn with."""

    chart: Chart
    palette: Palette
    labels: Labels

    def word(self, x: float, y: float, text: str, size: float = _LABEL, *, soft: bool = False) -> None:
        fill = self.palette.soft if soft else self.palette.ink
        self.chart.words.append(Word(x, y, text, fill, size=size))


def _line(racks: Sequence[RackView], palette: Palette, labels: Labels) -> Chart:
    floor = _TOP + max(rack.units for rack in racks) * _UNIT
    pen = _Pen(Chart(_WIDTH, floor + _FOOT), palette, labels)
    column = min(_WIDTH / len(racks), _WIDEST)
    for index, rack in enumerate(racks):
        _draw(pen, rack, _Place(index * column + _NUMBERS, column - _NUMBERS - _LABELS, floor))
    return pen.chart


def _draw(pen: _Pen, rack: RackView, place: _Place) -> None:
    top, palette = place.height(rack.units), pen.palette
    name = f"{rack.key} {pen.labels.count(rack.count)}"
    pen.chart.words.append(Word(place.left, top - 12, name, palette.ink, bold=True))
    pen.word(place.left, top - 4, pen.labels.head(rack), soft=True)
    frame = _outline(place.left, top, place.right, place.floor)
    pen.chart.lines.append(Line(frame, palette.ink, _FRAME_LINE))
    _units(pen, rack, place)
    for slot in rack.slots:
        _box(pen, slot, place)
    _runs(pen, rack, place, _strips(pen, rack, place))
    if rack.pdus:
        pen.word(place.left, place.floor + 8, f"PDU {pen.labels.count(rack.pdus)}", soft=True)


def _outline(left: float, top: float, right: float, bottom: float) -> tuple[tuple[float, float], ...]:
    return (left, top), (right, top), (right, bottom), (left, bottom), (left, top)


def _units(pen: _Pen, rack: RackView, place: _Place) -> None:
    """Number the units: 1, every fifth, and the highest."""
    soft = pen.palette.soft
    steps = range(_EVERY, rack.units - 1, _EVERY)
    for unit in (1, *steps, rack.units):
        y = place.height(unit - 0.5)
        pen.chart.words.append(Word(place.left - 1.5, y + 1.8, str(unit), soft, "end", size=_SMALL))
        pen.chart.lines.append(Line(((place.left, y), (place.left + _INSET * 0.8, y)), soft, 0.3))
    if rack.reserved_units:
        y = place.height(rack.units - rack.reserved_units)
        pen.chart.lines.append(Line(((place.left, y), (place.right, y)), soft, 0.4, dashed=True))


def _box(pen: _Pen, slot: SlotView, place: _Place) -> None:
    fill = pen.palette.tint(_TINTS[slot.kind])
    height = slot.units * _UNIT - _SLIT
    y = place.height(slot.bottom - 1 + slot.units) + _SLIT / 2
    left, width = place.left + _INSET, place.width - 2 * _INSET
    pen.chart.bars.append(Bar(left, y, width, height, fill))
    ink = text_on(fill, pen.palette)
    if ink == pen.palette.ink:
        # Pale boxes need an edge in a grey print; dark ones are told apart by the white between them.
        edge = _outline(left, y, left + width, y + height)
        pen.chart.lines.append(Line(edge, pen.palette.soft, _BOX_LINE))
    if height >= _LETTER_FROM:
        middle = place.left + place.width / 2
        pen.chart.words.append(Word(middle, y + height / 2 + 2.2, slot.letter, ink, "middle", size=_LABEL))


def _strips(pen: _Pen, rack: RackView, place: _Place) -> float:
    """Draw the PDUs beside a rack, those of the second source darker; return where they end."""
    pitch = min(_PITCH, _BAND / max(1, rack.pdus))
    strip = pitch * _STRIP_SHARE
    top, bottom = place.height(rack.units - 2), place.height(1)
    for index in range(rack.pdus):
        fill = pen.palette.tint(2) if index < rack.circuits_per_source else pen.palette.soft
        x = place.right + (index + 1) * pitch - strip
        pen.chart.bars.append(Bar(x, top, strip, bottom - top, fill))
    return place.right + rack.pdus * pitch + 0.6


def _runs(pen: _Pen, rack: RackView, place: _Place, left: float) -> None:
    """Name every run of equal boxes at the right, from the floor up, with a line to its middle."""
    free = place.floor
    for letter, count, unit in _run_middles(rack):
        middle = place.height(unit)
        y = min(middle + 2.0, free)
        pen.chart.lines.append(Line(((left, middle), (left + 2.5, y - 2.0)), pen.palette.soft, 0.4))
        pen.word(left + 3.5, y, f"{letter} {pen.labels.count(count)}")
        free = y - _LABEL - 0.6
    if rack.reserved_units:
        y = place.height(rack.units - rack.reserved_units / 2) + 2.0
        text = f"{rack.reserved_units}U {pen.labels.reserved}"
        pen.word(left + 3.5, min(y, free), text, _SMALL, soft=True)


def _run_middles(rack: RackView) -> Iterator[tuple[str, int, float]]:
    """Yield letter, number and middle in rack units of each run of equal boxes, from the floor up."""
    for letter, run in groupby(rack.slots, key=lambda slot: slot.letter):
        slots = list(run)
        low, high = slots[0].bottom - 1, slots[-1].bottom - 1 + slots[-1].units
        yield letter, len(slots), (low + high) / 2
