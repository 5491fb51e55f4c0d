"""The tables of docs/catalogue.md against the records, so that the page cannot fall behind the data."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.plugins.catalogue_data import CATALOGUE, ENTRIES, PLUGINS, figures_of

from suanli.domain.figure import Check, Grade
from suanli.domain.hardware import Accelerator, Server, Switch
from suanli.domain.market import Price, PriceKind
from suanli.plugin import RECORD_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (Path(__file__).parents[2] / "docs" / "catalogue.md").read_text(encoding="utf-8")
Row = tuple[str, ...]


def _table(heading: str) -> list[Row]:
    """Return the body of the first table below a heading of the page."""
    _, found, below = PAGE.partition(f"\n## {heading}\n")
    assert found, f"docs/catalogue.md has no heading {heading!r}"
    lines = [line for line in below.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines[2:]]


def _with_total(name: str, counts: list[int]) -> Row:
    return (name, *(str(count) if count else "–" for count in counts), str(sum(counts)))


def _kinds() -> Iterator[Row]:
    counts = Counter((record.kind, origin.plugin) for record, origin in ENTRIES)
    for kind in RECORD_TYPES:
        yield _with_total(f"`{kind}`", [counts[kind, plugin] for plugin in PLUGINS])
    yield _with_total("all", [sum(counts[kind, plugin] for kind in RECORD_TYPES) for plugin in PLUGINS])


def _graded() -> Iterator[tuple[str, Grade, Check]]:
    for record, origin in ENTRIES:
        if isinstance(record, Price):
            yield origin.plugin, record.grade, record.check
        for _, figure in figures_of(record):
            yield origin.plugin, figure.grade, figure.check


def _grades() -> Iterator[Row]:
    graded = list(_graded())
    counts = Counter((grade, plugin) for plugin, grade, _ in graded)
    recalled = Counter(plugin for plugin, _, check in graded if check is Check.RECALL)
    for grade in Grade:
        yield _with_total(f"`{grade.value}`", [counts[grade, plugin] for plugin in PLUGINS])
    yield _with_total("all", [sum(counts[grade, plugin] for grade in Grade) for plugin in PLUGINS])
    yield _with_total("of these `recall`", [recalled[plugin] for plugin in PLUGINS])


def _priced(kind: PriceKind) -> set[str]:
    return {
        thing
        for price in CATALOGUE.all(Price)
        if price.what is kind and not price.barred
        for thing in price.prices
    }


def _gaps() -> dict[str, set[str]]:
    devices, servers = CATALOGUE.all(Accelerator), CATALOGUE.all(Server)
    served = {name for server in servers for name in (server.accelerator, *server.sibling_accelerators)}
    return {
        "servers without a price": {server.id for server in servers} - _priced(PriceKind.SERVER),
        "servers without a nameplate": {server.id for server in servers if server.max_power is None},
        "switches without a price": {s.id for s in CATALOGUE.all(Switch)} - _priced(PriceKind.SWITCH),
        "devices without a TDP": {device.id for device in devices if device.tdp is None},
        "devices without a server": {device.id for device in devices if device.trains} - served,
        "devices not offered for training": {device.id for device in devices if not device.trains},
    }


def _show(rows: list[Row]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def test_the_counts_by_kind_are_those_of_the_records() -> None:
    expected = list(_kinds())
    assert _table("What is in it") == expected, f"the table should read\n{_show(expected)}"


def test_the_counts_by_grade_are_those_of_the_figures() -> None:
    expected = list(_grades())
    assert _table("Figures by grade") == expected, f"the table should read\n{_show(expected)}"


def test_every_recalled_figure_is_counted_among_the_weak_or_borrowed() -> None:
    recalled = [grade for _, grade, check in _graded() if check is Check.RECALL]
    assert set(recalled) <= {Grade.WEAK, Grade.SIBLING}


def test_every_grade_is_explained() -> None:
    assert {row[0] for row in _table("What a document may do with a figure")} == {
        f"`{grade.value}`" for grade in Grade
    }


def test_every_check_is_explained() -> None:
    assert {row[0] for row in _table("How to read `check`")} == {f"`{check.value}`" for check in Check}


@pytest.mark.parametrize("gap", sorted(_gaps()))
def test_the_known_gaps_are_those_of_the_records(gap: str) -> None:
    rows = {row[0]: row[1] for row in _table("Known gaps")}
    expected = _gaps()[gap]
    named = set(re.findall(r"`([^`]+)`", rows[gap]))
    assert named == expected, "the row should list " + ", ".join(f"`{name}`" for name in sorted(expected))


def test_the_page_lists_no_gap_that_is_not_checked() -> None:
    assert {row[0] for row in _table("Known gaps")} == set(_gaps())
