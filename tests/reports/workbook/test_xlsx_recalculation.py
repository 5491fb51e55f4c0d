"""The workbook against a second engine: what it shows, and what it shows after a reviewer changed a cell."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import ironcalc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suanli.costing.expressions import (
    Binary,
    Choose,
    Constant,
    Expression,
    Maximum,
    Minimum,
    Power,
    Ref,
    Round,
    RoundUp,
    Sum,
)
from suanli.costing.ledger import Entry, Input, Ledger, Line
from suanli.domain.record import Text
from suanli.proposal.contributions import RenderJob
from suanli_reports.workbook_grid import Grid, arrange
from suanli_reports.workbook_template import load_layout
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from suanli.proposal.model import Proposal

HALF_A_CENT = 0.005


def _grid(job: RenderJob) -> Grid:
    return arrange(load_layout(job), job.proposal.ledger, job.language)


def _load(job: RenderJob, folder: Path) -> ironcalc.Model:
    path = folder / "cost-sheet.xlsx"
    path.write_bytes(render_xlsx(job))
    return ironcalc.load_from_xlsx(str(path))


def _read(model: ironcalc.Model, grid: Grid, entry_id: str) -> float:
    place = grid.homes[entry_id]
    value = model.get_cell_value(place.sheet, place.row + 1, place.column + 1)
    assert isinstance(value, float), f"{entry_id} reads {value!r}"
    return value


def _type(model: ironcalc.Model, grid: Grid, entry_id: str, value: Decimal) -> None:
    place = grid.homes[entry_id]
    model.set_user_input(place.sheet, place.row + 1, place.column + 1, str(value))


def test_every_formula_cell_recalculates_to_its_cached_value(job: RenderJob, tmp_path: Path) -> None:
    model = _load(job, tmp_path)
    cells = [cell for cell in model.get_all_cells() if model.get_cell_formula(*cell)]
    cached = {cell: model.get_cell_value(*cell) for cell in cells}
    model.evaluate()
    wrong = {cell: (value, model.get_cell_value(*cell)) for cell, value in cached.items()}
    assert len(cells) > 80
    for cell, (before, after) in wrong.items():
        if isinstance(before, str):
            # An amount in words, as issued.
            assert before == after
            continue
        assert isinstance(before, float), f"{cell} holds {before!r}"
        assert isinstance(after, float), f"{cell} recalculates to {after!r}"
        assert before == pytest.approx(after, abs=HALF_A_CENT), f"{cell}: {model.get_cell_formula(*cell)}"


def test_a_planted_cached_value_does_not_survive_recalculation(job: RenderJob, tmp_path: Path) -> None:
    model, grid = _load(job, tmp_path), _grid(job)
    _type(model, grid, "general.vat_goods", Decimal(0))
    stale = _read(model, grid, "A.capex.vat")
    model.evaluate()
    fresh = job.proposal.ledger.values(changed={"general.vat_goods": Decimal(0)})["A.capex.vat"]
    assert stale > float(fresh) + 1
    assert _read(model, grid, "A.capex.vat") == pytest.approx(float(fresh), abs=HALF_A_CENT)


CHANGES = [
    ("price", {"price.h100": Decimal("300000.07")}),
    ("VAT rate", {"general.vat_goods": Decimal("0.09")}),
    ("tariff", {"site.electricity": Decimal("0.65")}),
    ("discount rate", {"general.discount_rate": Decimal("0.1")}),
    ("exchange rate", {"general.fx.USD.CNY": Decimal("6.8135")}),
    ("quantity", {"A.quantity.h100": Decimal(73)}),
    (
        "several at once",
        {"general.vat_goods": Decimal("0.06"), "price.switch": Decimal("99.995"), "site.pue": Decimal("1.5")},
    ),
]


@pytest.mark.parametrize("changed", [change for _, change in CHANGES], ids=[name for name, _ in CHANGES])
def test_a_changed_input_gives_what_the_ledger_gives_to_the_cent(
    changed: dict[str, Decimal], bilingual: RenderJob, tmp_path: Path
) -> None:
    model, grid, ledger = _load(bilingual, tmp_path), _grid(bilingual), bilingual.proposal.ledger
    for entry_id, value in changed.items():
        _type(model, grid, entry_id, value)
    model.evaluate()
    expected, before = ledger.values(changed=changed), ledger.values()
    assert any(expected[line.id] != before[line.id] for line in ledger.lines)
    for line in ledger.lines:
        assert _read(model, grid, line.id) == pytest.approx(float(expected[line.id]), abs=HALF_A_CENT), (
            line.id
        )


PLANNED_CHANGES = [
    ("price", {"price.p-box": Decimal("312345.67")}),
    (
        "VAT rates",
        {
            "general.vat_goods": Decimal("0.09"),
            "general.vat_works": Decimal("0.03"),
            "general.vat_services": Decimal("0.01"),
        },
    ),
    ("tariff and PUE", {"site.electricity": Decimal("0.613"), "site.pue": Decimal("1.37")}),
    ("discount rate", {"general.discount_rate": Decimal("0.0825")}),
    ("lives", {"general.depreciation_years": Decimal(3), "general.warranty_years": Decimal(1)}),
    ("quantity", {"A.quantity.servers": Decimal(41)}),
]


@pytest.mark.parametrize(
    "changed", [change for _, change in PLANNED_CHANGES], ids=[name for name, _ in PLANNED_CHANGES]
)
def test_a_reviewers_change_reaches_every_figure_of_a_planned_cluster(
    changed: dict[str, Decimal], planned: Proposal, tmp_path: Path
) -> None:
    job = RenderJob(planned, "zh")
    model, grid, ledger = _load(job, tmp_path), _grid(job), planned.ledger
    for entry_id, value in changed.items():
        _type(model, grid, entry_id, value)
    model.evaluate()
    expected, before = ledger.values(changed=changed), ledger.values()
    assert any(expected[line.id] != before[line.id] for line in ledger.lines)
    for line in ledger.lines:
        assert _read(model, grid, line.id) == pytest.approx(float(expected[line.id]), abs=HALF_A_CENT), (
            line.id
        )


def test_links_follow_their_home(bilingual: RenderJob, tmp_path: Path) -> None:
    model, grid, ledger = _load(bilingual, tmp_path), _grid(bilingual), bilingual.proposal.ledger
    changed = {"price.switch": Decimal(1000000)}
    _type(model, grid, "price.switch", changed["price.switch"])
    model.evaluate()
    values = ledger.values(changed=changed)
    links = 0
    for number, sheet in enumerate(grid.sheets):
        for index, row in enumerate(sheet.rows):
            for cell in row.cells:
                if cell.entry:
                    shown = model.get_cell_value(number, index + 1, cell.column + 1)
                    assert shown == pytest.approx(float(values[cell.entry]), abs=HALF_A_CENT), (
                        sheet.name,
                        index,
                        cell.entry,
                    )
                    place = grid.homes[cell.entry]
                    links += (place.sheet, place.row, place.column) != (number, index, cell.column)
    assert links > 10


_amounts = st.decimals(Decimal("0.01"), Decimal(2000), places=2)
_names = st.sampled_from(["in.a", "in.b", "in.c"])


def _trees(leaves: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Trees whose values stay within what a spectrum of spreadsheets holds exactly enough."""
    some = st.lists(leaves, min_size=1, max_size=4).map(tuple)
    return st.one_of(
        st.builds(Binary, st.sampled_from("+-*"), leaves, leaves),
        st.builds(Binary, st.just("/"), leaves, _names.map(Ref)),
        st.builds(Sum, some),
        st.builds(Minimum, some),
        st.builds(Maximum, some),
        st.builds(Choose, _names.map(Ref), _names.map(Ref), leaves, leaves),
        st.builds(Power, _names.map(Ref), st.integers(0, 3).map(lambda value: Constant(Decimal(value)))),
        st.builds(
            Round,
            st.builds(Binary, st.sampled_from("+-*"), _names.map(Ref), _names.map(Ref)),
            st.integers(0, 3),
        ),
        st.builds(RoundUp, _names.map(Ref)),
    )


_expressions = st.recursive(
    st.one_of(_names.map(Ref), st.builds(Constant, _amounts)),
    _trees,
    max_leaves=12,
)


@st.composite
def _ledgers(draw: st.DrawFn) -> Ledger:
    label = Text(zh="项", en="Entry")
    entries: list[Entry] = [Input(f"in.{name}", label, draw(_amounts), "CNY", "prices") for name in "abc"]
    entries += [
        Line(f"line.{n}", label, tree, "CNY")
        for n, tree in enumerate(draw(st.lists(_expressions, min_size=1, max_size=6)))
    ]
    return Ledger("CNY", tuple(entries))


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(ledger=_ledgers())
def test_both_back_ends_of_any_expression_agree(
    ledger: Ledger, job_for: Callable[[Ledger], RenderJob], tmp_path: Path
) -> None:
    job = job_for(ledger)
    model, grid = _load(job, tmp_path), _grid(job)
    model.evaluate()
    for entry_id, value in ledger.values().items():
        assert _read(model, grid, entry_id) == pytest.approx(float(value), rel=1e-6, abs=1e-5), id
