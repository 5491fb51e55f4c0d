"""The network as a drawing: a box for every switch and server, or for a stated number of them.

Rows stand above each other from the core to the servers. A row with room for them shows each box with its
number; else a box stands for several and says how many, ``×n``. Boxes of a row always add up to its count,
and nothing is drawn that is not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

from suanli.domain.hardware import Topology
from suanli_reports.drawing import GAP, SIZE, Bar, Canvas, Chart, Line, Palette, Word
from suanli_reports.fonts import face

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.proposal.model import TopologyRow, TopologyView

__all__ = ["Labels", "domain", "grouped", "network", "parcels"]

_Piece = tuple[int, int, int | None]
"""Members, pod and number of a box; no number where it stands for several."""
_MOST_BOXES = 28
"""Boxes of a row that can be told apart and counted."""
_MOST_PARCELS = 10
"""Boxes that stand for several."""
_BOX, _SERVER_BOX = 15.0, 18.0
_BETWEEN = 46.0
"""Height between two rows."""
_WIDEST = 40.0
_ROOM = 2.6
"""Free width between two boxes."""
_TOP = 4.0
_FRAME = 8.0
"""Room inside the case of a server."""
_INNER = 96.0
"""Height of the case of a server."""
_NUMBER = 5.6
"""Font size of the numbers in boxes."""
_LINE = 9.0
"""Distance of two lines of one label."""
_FILLS = {"core": 0, "spine": 1, "leaf": 2, "server": 4}
"""Tint of a row; they differ in lightness, so that a grey print reads as well."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What is written beside rows and cables, one line for each language."""

    rows: Mapping[str, tuple[str, ...]]
    """By tier; ``server`` for the servers. Of a single server, ``link`` and ``device``."""
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """By the lower row."""
    legend: tuple[tuple[str, str], ...] = ()
    """What stands in a box, and what it means."""


@dataclass(frozen=True, slots=True)
class _Box:
    """A box of a row: where it stands, how many it stands for, and which pod it belongs to."""

    left: float
    right: float
    members: int
    pod: int
    number: int | None
    """None where it stands for several."""

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def text(self) -> str:
        return f"×{self.members}" if self.number is None else str(self.number)


def parcels(total: int, most: int) -> tuple[int, ...]:
    """Return a total in at most so many parcels, equal but for the last.

    >>> parcels(702, 10)
    (71, 71, 71, 71, 71, 71, 71, 71, 71, 63)
    """
    size = max(1, -(-total // most))
    return tuple(min(size, total - start) for start in range(0, total, size))


def network(canvas: Canvas, view: TopologyView, labels: Labels) -> Chart:
    """Return the drawing of a network of several servers.

    Args:
        canvas: what to draw with; its height is not used.
        view: rows, cables and groups of servers.
        labels: what is written at the left.
    """
    chart = Chart(canvas.width)
    left = _margin([*labels.rows.values(), *labels.links.values()])
    y = _TOP
    above: Sequence[_Box] = ()
    for row in view.rows:
        boxes = _boxes(_pieces(row, whole=_whole(view.rows)), left, canvas.width)
        if above:
            _join(chart, canvas.palette, above, boxes, (y - _BETWEEN, y))
            _beside(chart, labels.links.get(row.tier, ()), y - _BETWEEN / 2, canvas.palette.soft)
        _draw(chart, canvas.palette, row.tier, boxes, y)
        _beside(chart, labels.rows[row.tier], y + _BOX / 2, canvas.palette.ink, bold=True)
        above, y = boxes, y + _BOX + _BETWEEN
    _servers(chart, canvas, view, above, (left, y))
    _beside(chart, labels.links.get("server", ()), y - _BETWEEN / 2, canvas.palette.soft)
    _beside(chart, labels.rows["server"], y + _SERVER_BOX / 2, canvas.palette.ink, bold=True)
    _legend(chart, canvas.palette, labels.legend, y + _SERVER_BOX + 9)
    return chart


def grouped(view: TopologyView) -> bool:
    """Tell whether some box of a network's drawing stands for several."""
    most = max(row.count for row in view.rows)
    return max(most, view.servers + view.spare_servers) > _MOST_BOXES


def _margin(texts: Sequence[tuple[str, ...]]) -> float:
    lines = [line for text in texts for line in text]
    return max((face(bold=True).width(line, SIZE) for line in lines), default=0.0) + 3 * GAP


def _beside(chart: Chart, lines: tuple[str, ...], middle: float, fill: str, *, bold: bool = False) -> None:
    """Write lines at the left, their block around a height."""
    first = middle - (len(lines) - 1) * _LINE / 2 + SIZE * 0.35
    chart.words += [
        Word(0.0, first + number * _LINE, line, fill, bold=bold) for number, line in enumerate(lines)
    ]


def _whole(rows: Sequence[TopologyRow]) -> bool:
    """Tell whether the rows of pods can show each of their boxes; else each pod is a box."""
    return all(row.count <= _MOST_BOXES for row in rows if len(row.groups) > 1)


def _pieces(row: TopologyRow, *, whole: bool) -> list[_Piece]:
    """Return members, pod and number of each box of a row."""
    pods = len(row.groups)
    if row.count <= _MOST_BOXES and (whole or pods == 1):
        pod_of = [pod for pod, count in enumerate(row.groups) for _ in range(count)]
        return [(1, pod, number) for number, pod in enumerate(pod_of, start=1)]
    if pods == 1:
        return [(members, 0, None) for members in parcels(row.count, _MOST_PARCELS)]
    # Of many pods, neighbours share a box; the rows above and below do the same.
    found: list[_Piece] = []
    start = 0
    for pod, count in enumerate(parcels(pods, _MOST_PARCELS)):
        found.append((sum(row.groups[start : start + count]), pod, None))
        start += count
    return found


def _boxes(pieces: Sequence[_Piece], left: float, right: float) -> list[_Box]:
    """Return boxes spread evenly between two ends."""
    pitch = (right - left) / len(pieces)
    width = min(_WIDEST, pitch - _ROOM)
    return [
        _Box(
            left + (index + 0.5) * pitch - width / 2,
            left + (index + 0.5) * pitch + width / 2,
            members,
            pod,
            number,
        )
        for index, (members, pod, number) in enumerate(pieces)
    ]


def _draw(chart: Chart, palette: Palette, tier: str, boxes: Sequence[_Box], y: float) -> None:
    height = _SERVER_BOX if tier == "server" else _BOX
    fill = palette.tint(_FILLS[tier])
    ink = palette.tint(4) if _FILLS[tier] == 0 else palette.ink
    for box in boxes:
        chart.bars.append(Bar(box.left, y, box.right - box.left, height, fill, palette.soft))
        chart.words.append(_inside(box, y + height / 2, ink))


def _inside(box: _Box, middle: float, ink: str) -> Word:
    """Return the text of a box, as large as fits."""
    word = Word(box.middle, middle, box.text, ink, "middle", size=SIZE if box.number is None else _NUMBER)
    room = box.right - box.left - 1.2
    size = word.size if word.width <= room else word.size * room / word.width
    return replace(word, size=round(size, 2), y=middle + size * 0.35)


def _join(
    chart: Chart,
    palette: Palette,
    upper: Sequence[_Box],
    lower: Sequence[_Box],
    heights: tuple[float, float],
) -> None:
    """Draw a line for each pair of boxes with cables; pods have some between their own boxes only."""
    split = len({box.pod for box in upper}) > 1
    for one in upper:
        for other in lower:
            if not split or one.pod == other.pod:
                ends = ((one.middle, heights[0]), (other.middle, heights[1]))
                chart.lines.append(Line(ends, palette.tint(5), 0.3))


def _servers(
    chart: Chart, canvas: Canvas, view: TopologyView, leaves: Sequence[_Box], place: tuple[float, float]
) -> None:
    """Draw the servers below their leaves, joined by a bar that stands for the cables of a group.

    Where a box stands for several leaves, groups of servers cannot be told apart and are drawn as one.
    """
    left, y = place
    alone = all(box.number is not None for box in leaves)
    counts = [group.servers for group in view.groups] if alone else [view.servers + view.spare_servers]
    spans = [group.leaf_switches for group in view.groups] if alone else [len(leaves)]
    pitch = (canvas.width - left) / len(leaves)
    start = number = 0
    for servers, span in zip(counts, spans, strict=True):
        first = number if sum(counts) <= _MOST_BOXES else None
        pieces = _server_pieces(servers, first, max(1, round(_MOST_PARCELS * span / len(leaves))))
        boxes = _boxes(pieces, left + start * pitch, left + (start + span) * pitch)
        _bar(chart, canvas.palette, leaves[start : start + span], boxes, y)
        _draw(chart, canvas.palette, "server", boxes, y)
        start, number = start + span, number + servers


def _server_pieces(servers: int, first: int | None, most: int) -> list[_Piece]:
    """Return each server after a first number, or in few parcels where these are not told apart."""
    if first is None:
        return [(members, 0, None) for members in parcels(servers, most)]
    return [(1, 0, first + index) for index in range(1, servers + 1)]


def _bar(chart: Chart, palette: Palette, upper: Sequence[_Box], lower: Sequence[_Box], y: float) -> None:
    middle = y - _BETWEEN / 2
    ends = [box.middle for box in (*upper, *lower)]
    chart.lines.append(Line(((min(ends), middle), (max(ends), middle)), palette.soft, 1.4))
    for box in upper:
        chart.lines.append(Line(((box.middle, y - _BETWEEN), (box.middle, middle)), palette.soft, 0.5))
    for box in lower:
        chart.lines.append(Line(((box.middle, middle), (box.middle, y)), palette.soft, 0.5))


def _legend(chart: Chart, palette: Palette, entries: Sequence[tuple[str, str]], y: float) -> None:
    """Show what the texts in boxes mean, and close the drawing."""
    x = 0.0
    for sample, meaning in entries:
        width = face().width(sample, _NUMBER) + 5
        if x and x + width + GAP + face().width(meaning, SIZE) > chart.width:
            x, y = 0.0, y + _LINE + 2
        chart.bars.append(Bar(x, y, width, 9.0, palette.tint(4), palette.soft))
        chart.words.append(Word(x + width / 2, y + 6.4, sample, palette.ink, "middle", size=_NUMBER))
        chart.words.append(Word(x + width + GAP, y + 6.8, meaning, palette.soft))
        x += width + 4 * GAP + face().width(meaning, SIZE)
    chart.height = y + (11.0 if entries else 0.0)


def domain(canvas: Canvas, view: TopologyView, labels: Labels) -> Chart:
    """Return the drawing of a single server: its devices, and the link that joins them.

    Devices of a mesh are joined pair by pair, others through a bar that stands for switches or for the host.
    """
    chart = Chart(canvas.width)
    left = _margin(list(labels.rows.values()))
    count = -(-view.accelerators // min(view.domain, view.accelerators))
    pitch = (canvas.width - left) / count
    mesh = view.scale_up is not None and view.scale_up.topology is Topology.MESH
    numbers = iter(range(1, view.accelerators + 1))
    for index in range(count):
        edges = left + index * pitch + _FRAME, left + (index + 1) * pitch - _FRAME
        share = parcels(view.accelerators, count)[index]
        pieces: list[_Piece] = (
            [(1, 0, next(numbers)) for _ in range(share)]
            if view.accelerators <= _MOST_BOXES
            else [(members, 0, None) for members in parcels(share, _MOST_PARCELS)]
        )
        (_meshed if mesh else _switched)(chart, canvas.palette, pieces, edges)
    _frame(chart, canvas, left)
    for row, middle in (("link", _TOP + _FRAME + _BOX / 2), ("device", _TOP + 2 * _FRAME + 2.5 * _BOX)):
        _beside(chart, labels.rows[row], middle, canvas.palette.ink, bold=row == "device")
    _legend(chart, canvas.palette, labels.legend, _INNER + 2 * _TOP + 5)
    return chart


def _frame(chart: Chart, canvas: Canvas, left: float) -> None:
    """Draw the case of the server around its devices."""
    right, bottom = canvas.width - 0.5, _TOP + _INNER
    corners = ((left, _TOP), (right, _TOP), (right, bottom), (left, bottom), (left, _TOP))
    chart.lines.append(Line(corners, canvas.palette.soft, 0.8))


def _switched(chart: Chart, palette: Palette, pieces: Sequence[_Piece], edges: tuple[float, float]) -> None:
    boxes = _boxes(pieces, *edges)
    upper, lower = _TOP + _FRAME, _TOP + _INNER - _FRAME - _BOX
    chart.bars.append(
        Bar(boxes[0].left, upper, boxes[-1].right - boxes[0].left, _BOX, palette.tint(1), palette.soft)
    )
    for box in boxes:
        chart.lines.append(Line(((box.middle, upper), (box.middle, lower)), palette.soft, 0.8))
    _draw(chart, palette, "leaf", boxes, lower)


def _meshed(chart: Chart, palette: Palette, pieces: Sequence[_Piece], edges: tuple[float, float]) -> None:
    half = -(-len(pieces) // 2)
    upper, lower = _TOP + _FRAME, _TOP + _INNER - _FRAME - _BOX
    rows = [(_boxes(pieces[:half], *edges), upper)]
    rows += [(_boxes(pieces[half:], *edges), lower)] if pieces[half:] else []
    spots = [(box.middle, y + _BOX / 2) for boxes, y in rows for box in boxes]
    for one, other in combinations(spots, 2):
        # A straight line between boxes of one row would hide behind those between; it bows out instead.
        bow = (_BOX if one[1] == upper + _BOX / 2 else -_BOX) if one[1] == other[1] else 0.0
        middle = ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2 + bow)
        chart.lines.append(Line((one, middle, other), palette.soft, 0.5))
    for boxes, y in rows:
        _draw(chart, palette, "leaf", boxes, y)
