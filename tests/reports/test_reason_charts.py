"""Charts that show why: to scale, no label on another, legible in grey, told in the text by number."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reports.test_charts import CANVAS, PALETTE, covered, inside
from yaml import safe_load

import suanli_templates
from suanli.domain.record import Text
from suanli.planning.results import BillCategory
from suanli.proposal.contributions import RenderJob
from suanli.proposal.model import CategoryTotal, Proposal, Share, TcoRow
from suanli.proposal.waterfall_view import waterfall_steps
from suanli_reports import charts, money_plots, plots
from suanli_reports.drawing import Canvas, Chart, Word
from suanli_reports.environment import compose
from suanli_reports.money_plots import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDE = Canvas(PALETTE, lambda value: f"{value:.4g}", lambda value: f"{value:.4g}", width=482.0, height=150.0)
LEAST_DIFFERENCE = 11.0
"""Least difference of lightness (CIE L*, 0 to 100) of neighbours; a printer's grey steps are about 3."""
AMOUNTS = st.one_of(st.just(0.0), st.floats(1e-3, 1e12), st.floats(-1e12, -1e-3))
PARTS = st.lists(st.one_of(st.just(Decimal(0)), st.decimals("0.01", 900, places=2)), min_size=1, max_size=6)


def lightness(colour: str) -> float:
    """Return CIE L* of a colour: what is left of it in grey print."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 116 * luminance ** (1 / 3) - 16 if luminance > 0.008856 else 903.3 * luminance


def shipped_tints() -> list[str]:
    style = Path(suanli_templates.__file__).parent / "style" / "palette.yaml"
    tints: list[str] = safe_load(style.read_text(encoding="utf-8"))["tints"]
    return tints


def test_neighbouring_tints_part_in_grey_print() -> None:
    tints = shipped_tints()
    steps = {pair: abs(lightness(pair[0]) - lightness(pair[1])) for pair in pairwise([*tints, tints[0]])}
    assert len(steps) == len(tints)
    assert {pair: step for pair, step in steps.items() if step < LEAST_DIFFERENCE} == {}


def test_what_a_waterfall_adds_takes_away_and_sums_up_parts_in_grey_print() -> None:
    tints = shipped_tints()
    used = [lightness(tints[index]) for index in (0, 1, 3)]
    assert min(abs(one - other) for one, other in pairwise(sorted(used))) >= LEAST_DIFFERENCE - 2


@given(st.lists(st.tuples(PARTS, st.floats(0.5, 2000)), min_size=1, max_size=5))
def test_bars_of_several_options_share_a_scale_and_their_labels_never_collide(
    rows: list[tuple[list[Decimal], float]],
) -> None:
    bars = [
        charts.Stack(
            f"{chr(65 + index)} 加速卡 X{index}",
            [Share(key=f"部分 part {place}", value=value) for place, value in enumerate(values)],
            (limit, f"可用 {limit:g}"),
        )
        for index, (values, limit) in enumerate(rows)
    ]
    chart = charts.stacks(WIDE, bars, lambda key: key)
    assert covered(chart.words) == []
    assert inside(chart)
    shown = [float(value) for values, _ in rows for value in values if value > 0]
    longest = max(max(float(sum(values)), limit) for values, limit in rows)
    scale = (WIDE.width - 4) / longest
    assert [bar.width for bar in chart.bars] == pytest.approx([value * scale for value in shown])


def test_a_part_has_the_same_tint_in_every_bar() -> None:
    rows = [
        charts.Stack("A", [Share(key="a", value=Decimal(1)), Share(key="b", value=Decimal(2))], (4.0, "4")),
        charts.Stack("B", [Share(key="a", value=Decimal(0)), Share(key="b", value=Decimal(3))], (4.0, "4")),
    ]
    first, second, third = charts.stacks(WIDE, rows, str).bars
    assert first.fill != second.fill
    assert second.fill == third.fill


def levels(amounts: Sequence[float]) -> list[Level]:
    """Return the steps of a waterfall with its sum."""
    found: list[Level] = []
    at = 0.0
    for index, amount in enumerate(amounts):
        found.append(Level(f"项目 item {index}", at, at + amount))
        at += amount
    return [*found, Level("合计 total", 0.0, at, total=True)]


@given(st.lists(AMOUNTS, min_size=1, max_size=12))
def test_a_waterfall_is_to_scale_and_its_labels_never_collide(amounts: list[float]) -> None:
    steps = levels(amounts)
    chart = money_plots.waterfall(WIDE, steps)
    assert covered(chart.words) == []
    assert inside(chart)
    assert len(chart.bars) == len(steps)
    largest = max(abs(step.end - step.start) for step in steps)
    if largest == 0:
        return
    widest = max(chart.bars, key=lambda bar: bar.width)
    place = chart.bars.index(widest)
    assert abs(steps[place].end - steps[place].start) == pytest.approx(largest, rel=0.02)
    assert all(bar.x >= -0.1 and bar.x + bar.width <= chart.width + 0.1 for bar in chart.bars)


def test_a_waterfall_takes_up_where_the_step_before_ended() -> None:
    chart = money_plots.waterfall(WIDE, levels([60.0, 40.0, -30.0]))
    first, second, third, total = chart.bars
    assert second.x == pytest.approx(first.x + first.width)
    assert third.x + third.width == pytest.approx(second.x + second.width)
    assert total.x + total.width == pytest.approx(third.x)


@given(st.lists(st.floats(-1e10, 1e10), min_size=2, max_size=121), st.data())
def test_a_balance_covers_no_label_and_stays_inside(values: list[float], data: st.DataObject) -> None:
    month = data.draw(st.one_of(st.none(), st.integers(1, len(values) - 1)))
    turn = None if month is None else (month, f"第 {month} 个月收回")
    chart = money_plots.balance(WIDE, values, turn, "与租用持平")
    assert covered(chart.words) == []
    assert inside(chart)
    assert all(
        0 <= x <= chart.width and 0 <= y <= chart.height for line in chart.lines for x, y in line.points
    )
    assert len(chart.dots) == 1 + (turn is not None)


def test_a_balance_marks_the_month_in_which_it_turns() -> None:
    values = [3.2 * month - 131 for month in range(61)]
    chart = money_plots.balance(WIDE, values, (41, "paid back in month 41"), "level with renting")
    assert covered(chart.words) == []
    zero = next(line for line in chart.lines if line.dashed).points[0][1]
    marked = chart.dots[1]
    assert abs(marked.y - zero) < 3
    assert {"paid back in month 41", "level with renting"} <= {word.text for word in chart.words}


@pytest.mark.parametrize("rates", [[1.0, 1.9, 3.4, 5.0], [5.0, 10.0, 20.0, 40.0], [3.0, 3.0, 3.0, 3.0]])
def test_a_rate_is_drawn_beside_the_straight_line_from_its_smallest_size(rates: list[float]) -> None:
    points = [(8.0 * 2**index, rate) for index, rate in enumerate(rates)]
    chart = plots.curve(CANVAS, points, 16.0, None, "linear")
    assert covered(chart.words) == []
    assert inside(chart)
    straight = next(line for line in chart.lines if line.dashed)
    curve = next(line for line in chart.lines if line.solid and not line.dashed)
    # Down the page is up in the numbers: the straight line ends no lower than the curve.
    assert straight.points[-1][1] <= curve.points[-1][1] + 0.01


def test_steps_of_a_waterfall_lead_to_the_totals_of_the_ledger() -> None:
    blocks = [
        CategoryTotal(
            category=category, net=Decimal(net), vat=Decimal(0), gross=Decimal(net), incomplete=False
        )
        for category, net in (
            (BillCategory.COMPUTE, "100.00"),
            (BillCategory.NETWORK, "0"),
            (BillCategory.STORAGE, "7.50"),
        )
    ]
    rows = [("capex", "107.50"), ("staff", "20.25"), ("power", "0.00"), ("residual", "-9.75")]
    cash = [
        TcoRow(key=key, label=Text(zh=key, en=key), years=(Decimal(total),), total=Decimal(total))
        for key, total in rows
    ]
    steps = waterfall_steps(blocks, cash)
    assert [step.key for step in steps] == ["compute", "storage", "capex", "staff", "residual", "tco"]
    assert [step.end for step in steps if step.total] == [Decimal("107.50"), Decimal("118.00")]
    parts = [step for step in steps if not step.total]
    assert all(second.start == first.end for first, second in pairwise(parts))


def test_a_description_leaves_out_the_numbers_on_axes() -> None:
    chart = Chart(100.0, 50.0)
    chart.words += [
        Word(0, 10, "10", "#000", axis=True),
        Word(0, 20, "计算 5", "#000"),
        Word(0, 30, "", "#000"),
    ]
    assert chart.described == "计算 5"


@pytest.mark.parametrize("language", ["zh", "en", "bilingual"])
def test_every_chart_has_words_for_who_cannot_see_it(proposal: Proposal, language: str) -> None:
    document, _ = compose(RenderJob(proposal, language), "print")
    drawings = re.findall(r"<svg role=\"img\".*?</svg>", document, re.DOTALL)
    assert len(drawings) >= 10
    for drawing in drawings:
        assert re.search(r"<title>[^<]+</title>", drawing)
        assert re.search(r"<desc>[^<]+</desc>", drawing)


CAPTION = re.compile(
    r'<p class="caption"><span class="no">.*?(?:图|Figure)(?:</span>)? ?([\w.]+-\d+)</span>', re.DOTALL
)


@pytest.mark.parametrize(("language", "word"), [("zh", "图"), ("en", "[Ff]igures?")])
def test_every_chart_is_told_by_its_number_in_a_sentence(
    proposal: Proposal, language: str, word: str
) -> None:
    document, _ = compose(RenderJob(proposal, language), "print")
    numbers = CAPTION.findall(document)
    assert len(numbers) >= 10
    told = re.sub(r'<p class="caption">.*?</p>', "", document, flags=re.DOTALL)
    plain = re.sub(r"<[^>]+>", "", told)
    assert [
        number for number in numbers if not re.search(rf"{word}\s?{re.escape(number)}(?!\d)", plain)
    ] == []


def test_a_document_with_one_option_and_no_money_draws_what_it_has(proposal: Proposal) -> None:
    bare = proposal.options[0].model_copy(
        update={"money": None, "uncertainty": None, "energy": None, "scaling": (), "throughput": ()}
    )
    alone = proposal.model_copy(update={"options": (bare,)})
    document, _ = compose(RenderJob(alone, "en"), "print")
    assert "Memory of a device by option" not in document
    assert "From the servers to the total cost" not in document
    assert "Memory of the fullest device" in document
