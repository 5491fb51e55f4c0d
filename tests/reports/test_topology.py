"""The drawing of the network: its boxes and labels add up to what the bill holds."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.built_in import NAMES
from tests.core.built_in import proposal as example
from tests.reports.growth_sample import sample_topology

from suanli.domain.hardware import Topology
from suanli.proposal.contributions import RenderJob
from suanli.proposal.model import (
    ScaleUpView,
    ServerGroup,
    Shown,
    TopologyLink,
    TopologyRow,
    TopologyView,
)
from suanli_reports import topology, topology_labels
from suanli_reports.drawing import Canvas, Chart, Palette
from suanli_reports.environment import compose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.proposal.model import Option, Proposal

TINTS = ("#111", "#444", "#777", "#aaa", "#ddd", "#eee", "#999", "#bbb")
CANVAS = Canvas(Palette("#000", "#555", "#ccc", "#066", "#b50", TINTS), str, str, width=482.0)


def say(key: str, /, **values: object) -> tuple[str, ...]:
    return (" ".join([key, *(str(value) for value in values.values())]),)


def pods(*leaves: int, spine: int = 4, core: int = 3, servers: int = 40) -> TopologyView:
    """Return a network of pods; of two tiers where there is one pod."""
    several = len(leaves) > 1
    spines = tuple(spine for _ in leaves)
    rows = [TopologyRow(tier="core", groups=(core,))] if several else []
    rows += [TopologyRow(tier="spine", groups=spines), TopologyRow(tier="leaf", groups=leaves)]
    total = sum(leaves)
    return TopologyView(
        servers=servers - 1,
        spare_servers=1,
        accelerators=8,
        domain=8,
        scale_up=None,
        ports=8,
        rows=tuple(rows),
        links=(
            TopologyLink(upper="spine", lower="leaf", cables=32 * total, each=32, gbit_s=Decimal(400)),
            TopologyLink(upper="leaf", lower="server", cables=8 * servers, each=8, gbit_s=Decimal(400)),
        ),
        groups=(ServerGroup(servers=servers, leaf_switches=total),),
    )


def box_texts(chart: Chart, legend: int) -> dict[float, list[str]]:
    """Return the texts inside boxes by the height of their row, the legend's left out."""
    found: dict[float, list[str]] = {}
    for bar in chart.bars[: len(chart.bars) - legend]:
        inside = [
            word.text
            for word in chart.words
            if bar.x <= word.x <= bar.x + bar.width and bar.y <= word.y <= bar.y + bar.height
        ]
        assert len(inside) == 1
        found.setdefault(bar.y, []).extend(inside)
    return found


def told(texts: Iterable[str]) -> int:
    """Return how many devices the boxes of a row stand for."""
    return sum(int(text[1:]) if text.startswith("×") else 1 for text in texts)


def totals(view: TopologyView, chart: Chart) -> list[int]:
    rows = box_texts(chart, legend=2 if topology.grouped(view) else 1)
    return [told(texts) for _, texts in sorted(rows.items())]


def drawn(view: TopologyView) -> Chart:
    return topology.network(CANVAS, view, topology_labels.several(view, say))


@given(
    leaves=st.lists(st.integers(1, 64), min_size=1, max_size=40),
    spine=st.integers(1, 64),
    core=st.integers(1, 600),
    servers=st.integers(2, 5000),
)
@settings(max_examples=150, deadline=None)
def test_the_boxes_of_every_row_add_up_to_its_count(
    leaves: list[int], spine: int, core: int, servers: int
) -> None:
    view = pods(*leaves, spine=spine, core=core, servers=servers)
    assert totals(view, drawn(view)) == [*(row.count for row in view.rows), servers]


@given(leaves=st.lists(st.integers(1, 30), min_size=1, max_size=12), servers=st.integers(2, 900))
@settings(max_examples=100, deadline=None)
def test_boxes_of_a_row_stand_apart_inside_the_drawing(leaves: list[int], servers: int) -> None:
    chart = drawn(pods(*leaves, servers=servers))
    rows: dict[float, list[tuple[float, float]]] = {}
    for bar in chart.bars:
        assert bar.x >= 0
        assert bar.x + bar.width <= chart.width + 1e-6
        assert bar.y + bar.height <= chart.height + 1e-6
        rows.setdefault(bar.y, []).append((bar.x, bar.x + bar.width))
    for boxes in rows.values():
        ordered = sorted(boxes)
        assert all(one[1] < other[0] for one, other in pairwise(ordered))


def test_few_boxes_carry_their_numbers() -> None:
    rows = box_texts(drawn(pods(3, spine=2, servers=4)), legend=1)

    assert [texts for _, texts in sorted(rows.items())] == [["1", "2"], ["1", "2", "3"], ["1", "2", "3", "4"]]


def test_a_network_without_room_for_each_box_says_how_many_a_box_stands_for() -> None:
    view = pods(26, 26, 26, 26, spine=32, core=52, servers=401)
    rows = [texts for _, texts in sorted(box_texts(drawn(view), legend=2).items())]

    assert rows[1] == ["×32"] * 4
    assert rows[2] == ["×26"] * 4
    assert all(text.startswith("×") for text in (*rows[0], *rows[3]))


def test_a_leaf_is_joined_to_the_spines_of_its_pod_and_to_no_other() -> None:
    joined = [line for line in drawn(pods(2, 3, spine=2, core=1, servers=20)).lines if line.width < 0.4]

    # A core to four spines, then two leaves and three leaves to two spines each.
    assert len(joined) == 4 + 2 * 2 + 3 * 2


def test_servers_of_a_rail_group_hang_below_their_own_leaves() -> None:
    view = sample_topology()
    chart = drawn(view)
    bars = [line for line in chart.lines if line.width > 1]

    assert len(bars) == len(view.groups)
    edges = sorted((line.points[0][0], line.points[-1][0]) for line in bars)
    assert all(one[1] < other[0] for one, other in pairwise(edges))


def single(topology_of: Topology | None, accelerators: int, domain: int) -> TopologyView:
    link = None
    if topology_of is not None:
        link = ScaleUpView(per_device=Shown(value=Decimal(196), unit="GB/s"), topology=topology_of)
    return TopologyView(
        servers=1,
        spare_servers=0,
        accelerators=accelerators,
        domain=domain,
        scale_up=link,
        ports=8,
        rows=(),
        links=(),
        groups=(),
    )


@pytest.mark.parametrize("kind", [*Topology, None])
@pytest.mark.parametrize(("accelerators", "domain"), [(1, 1), (8, 8), (8, 4), (16, 8), (72, 72), (64, 8)])
def test_a_single_server_shows_each_of_its_accelerators(
    kind: Topology | None, accelerators: int, domain: int
) -> None:
    view = single(kind, accelerators, domain)
    chart = topology.domain(CANVAS, view, topology_labels.single(view, say))
    texts = [word.text for word in chart.words if word.anchor == "middle"][:-1]

    assert told(texts) == accelerators


def test_devices_of_a_mesh_are_joined_pair_by_pair() -> None:
    view = single(Topology.MESH, 8, 8)
    chart = topology.domain(CANVAS, view, topology_labels.single(view, say))

    assert sum(line.width < 0.6 for line in chart.lines) == 8 * 7 // 2


@pytest.mark.parametrize(("total", "most"), [(1, 10), (10, 10), (11, 10), (702, 10), (28, 5), (5, 1)])
def test_parcels_are_equal_but_for_the_last(total: int, most: int) -> None:
    found = topology.parcels(total, most)

    assert sum(found) == total
    assert len(found) <= most
    assert set(found[:-1]) <= {found[0]}
    assert found[-1] <= found[0]


def quantity(option: Option, start: str, end: str = "") -> int:
    """Return the quantity of the line of an id, or of all lines whose ids start and end so."""
    found = (row for row in option.bill if row.id == start or (end and row.id.startswith(start)))
    return sum(row.quantity for row in found if row.id.endswith(end))


@pytest.mark.parametrize("name", NAMES)
def test_the_drawing_of_an_example_holds_the_quantities_of_its_bill(name: str) -> None:
    option = example(name).options[0]
    view = option.topology
    assert view is not None
    counts = {row.tier: row.count for row in view.rows}

    for tier in ("leaf", "spine", "core"):
        assert counts.get(tier, 0) == quantity(option, f"{tier}-switches"), tier
    servers = quantity(option, "servers") + quantity(option, "spare-servers")
    assert view.servers + view.spare_servers == servers
    assert sum(group.servers for group in view.groups) == (servers if view.rows else 0)
    cables = {link.lower: link.cables for link in view.links}
    for lower, line in (("server", "host-leaf-"), ("leaf", "leaf-spine-"), ("spine", "spine-core-")):
        assert cables.get(lower, 0) == quantity(option, line, "-cables"), lower
    if view.rows:
        assert totals(view, drawn(view)) == [*(row.count for row in view.rows), servers]


@pytest.mark.parametrize("language", ["zh", "en", "bilingual"])
def test_the_document_shows_the_drawing_with_its_counts_in_words(proposal: Proposal, language: str) -> None:
    document, _ = compose(RenderJob(proposal=proposal, language=language), "screen")
    titles = re.findall(r"<title>([^<]*)</title>", document)
    wanted = {"zh": "叶 24 台", "en": "24 leaf", "bilingual": "24 leaf"}[language]

    assert any(wanted in title for title in titles)
