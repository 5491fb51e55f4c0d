"""Rack elevations: a reader can count the boxes and the PDUs, and no label covers another."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reports.facility_sample import rack, sample_facility

from suanli_reports.drawing import Chart, Palette, Word
from suanli_reports.elevation import Labels, elevations, text_on

if TYPE_CHECKING:
    from suanli.proposal.model import RackView

PALETTE = Palette(
    "#16202e",
    "#5b6675",
    "#d4d9df",
    "#0b5f6b",
    "#b4541a",
    ("#0b5f6b", "#5a9aa3", "#a9ced3", "#c9a27e", "#e3e6ea", "#7d8896", "#3d7f89", "#e9d3bd"),
)
LABELS = Labels(
    head=lambda one: f"{one.role} {one.peak.value} kW", count=lambda count: f"× {count}", reserved="patch"
)
UNIT = 4.6


def drawn(*racks: RackView) -> list[Chart]:
    return [chart for _, chart in elevations(racks, PALETTE, LABELS)]


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


@st.composite
def racks(draw: st.DrawFn) -> RackView:
    """Return a rack that is filled from the floor up to at most forty units."""
    kinds = ("server", "spare", "core", "spine", "leaf", "switch", "storage", "management", "out-of-band")
    runs: list[tuple[str, str, int, int]] = []
    left = 40
    for index in range(draw(st.integers(1, 8))):
        units = draw(st.integers(1, 10))
        if units > left:
            break
        count = draw(st.integers(1, left // units))
        runs.append((chr(ord("A") + index), draw(st.sampled_from(kinds)), count, units))
        left -= count * units
    per_source = draw(st.integers(1, 6))
    return rack("R1", "mixed", draw(st.integers(1, 999)), *runs, circuits_per_source=per_source)


@given(st.lists(racks(), min_size=1, max_size=7))
@settings(max_examples=60, deadline=None)
def test_every_box_and_every_pdu_is_drawn_once_at_its_height(found: list[RackView]) -> None:
    charts = drawn(*found)

    assert len(charts) == -(-len(found) // 5)
    assert sum(len(chart.bars) for chart in charts) == sum(len(one.slots) + one.pdus for one in found)
    first, chart = found[0], charts[0]
    floor = chart.height - 11.0
    for slot, bar in zip(first.slots, chart.bars, strict=False):
        assert abs(bar.y + bar.height - (floor - (slot.bottom - 1) * UNIT)) < 1
        assert abs(bar.height - slot.units * UNIT) < 1


@given(st.lists(racks(), min_size=1, max_size=7))
@settings(max_examples=60, deadline=None)
def test_no_label_covers_another_or_leaves_the_drawing(found: list[RackView]) -> None:
    for chart in drawn(*found):
        assert covered(chart.words) == []
        assert all(word.box[0] >= -0.1 and word.box[2] <= chart.width + 0.1 for word in chart.words)
        assert all(bar.x >= 0 and bar.x + bar.width <= chart.width for bar in chart.bars)


def test_boxes_stand_apart_so_that_they_can_be_counted() -> None:
    (chart,) = drawn(rack("R1", "network", 1, ("A", "leaf", 12, 1)))
    boxes = sorted((bar.y, bar.y + bar.height) for bar in chart.bars[:12])

    assert all(low[1] < high[0] for low, high in pairwise(boxes))
    assert "A × 12" in [word.text for word in chart.words]


def test_equal_racks_are_drawn_once_with_their_number() -> None:
    facility = sample_facility()
    (chart,) = drawn(*facility.racks)

    assert [word.text for word in chart.words if word.bold] == ["R1 × 44", "R2 × 1", "R3 × 1"]
    assert [word.text for word in chart.words if word.text.startswith("PDU")] == ["PDU × 2"] * 3


def test_tall_and_standard_racks_stand_on_one_floor() -> None:
    tall = rack("R1", "compute", 8, ("A", "server", 1, 48), units=48, reserved_units=0)
    (chart,) = drawn(tall, rack("R2", "network", 1, ("B", "leaf", 2, 1)))
    tall_frame, low_frame = (line.points for line in chart.lines if line.width == 0.7)

    assert max(y for _, y in tall_frame) == max(y for _, y in low_frame)
    assert min(y for _, y in tall_frame) < min(y for _, y in low_frame)


def test_a_rack_that_comes_with_its_system_has_no_pdus_of_its_own() -> None:
    (chart,) = drawn(
        rack("R1", "compute", 8, ("A", "server", 1, 48), units=48, reserved_units=0, brought=True)
    )

    assert len(chart.bars) == 1
    assert not any(word.text.startswith("PDU") for word in chart.words)


def test_letters_read_on_every_tint() -> None:
    assert {text_on(tint, PALETTE) for tint in PALETTE.tints} == {"#ffffff", PALETTE.ink}


def test_the_boxes_of_the_legend_are_those_of_the_drawing() -> None:
    facility = sample_facility()
    counted: dict[str, int] = {}
    for one in facility.racks:
        for slot in one.slots:
            counted[slot.letter] = counted.get(slot.letter, 0) + one.count

    assert counted == {one.letter: one.count for one in facility.boxes}
    assert facility.pdu_count == sum(one.pdus_all for one in facility.racks)
    assert facility.rack_count == sum(one.count for one in facility.racks)
