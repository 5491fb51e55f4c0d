"""A point is the project under its settings: its figures are the proposal's, whatever was remembered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.built_in import EXAMPLES, SMALL, host, proposal

from suanli.pipeline import complete
from suanli.project.load import load_project, parse_project
from suanli.stages import size_all
from suanli.sweep.columns import COLUMNS
from suanli.sweep.grid import parse_grid
from suanli.sweep.job import make_job
from suanli.sweep.point import UNREAD_BY_SIZING, Bench, SizingCache
from suanli.sweep.table import cell_of

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.sweep.columns import Cell
    from suanli.sweep.rows import Row


def bench(path: Path, *varied: str) -> Bench:
    grid = parse_grid(varied)
    return Bench(make_job(load_project(path, grid.settings(0)), (), grid, host()), host())


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def named(row: Row) -> dict[str, Cell]:
    return {column.name: cell for column, cell in zip(COLUMNS, row, strict=True)}


def test_rows_say_what_the_proposal_says_under_the_same_settings() -> None:
    settings = ("workload.deadline=1 days", "site.pue=1.4")
    document = proposal("lora-13b", *settings)
    rows = [named(row) for row in bench(EXAMPLES / "lora-13b.yaml", *settings).compute(0).rows]
    assert [row["option"] for row in rows] == [option.key for option in document.options]
    for row, option in zip(rows, document.options, strict=True):
        assert row["accelerator"] == option.accelerator
        assert row["verdict"] == option.verdict.value
        assert row["deadline_met"] == option.deadline_met
        assert row["delivery"] == option.compliance.deliverability.value
        assert option.money is not None
        assert option.days is not None
        assert float(str(row["days_p50"])) == pytest.approx(float(option.days.value), rel=0.01)
        assert str(row["tco_net"]) == f"{option.money.tco_net.value:.2f}"
        assert str(row["capex_gross"]) == f"{option.money.capex_gross.value:.2f}"


@pytest.mark.parametrize("name", ["lora-13b", "pretrain-70b", "base-moe-671b"])
def test_the_sizing_reads_nothing_of_what_its_memory_leaves_out(name: str) -> None:
    class Unread:
        def __getattribute__(self, attribute: str) -> object:
            raise AssertionError(f"the sizing reads {attribute} of a part that is not in its key")

    requirement = complete(load_project(EXAMPLES / f"{name}.yaml"), host())
    hidden: dict[str, Any] = dict.fromkeys(UNREAD_BY_SIZING, Unread())
    sized, failed = size_all(replace(requirement, **hidden), host().catalogue, lambda _: None)
    assert sized
    assert not failed


def test_prices_tariff_and_pue_do_not_repeat_the_layout_search_and_yield_the_rows_of_a_fresh_one(
    small: Path,
) -> None:
    varied = (
        "price.ascend-price-*=0.5x,2x",
        "site.pue=1.1,1.5",
        "site.electricity=0.3 CNY/kWh,0.9 CNY/kWh",
        "commercial.discount_rate=4%,8%",
    )
    remembering = bench(small, *varied)
    rows = [remembering.compute(point).rows for point in range(16)]
    assert remembering.cache.misses == 1
    assert rows == [Bench(remembering.job, host()).compute(point).rows for point in range(16)]
    # Every one of the keys moves the total, or the memory would prove nothing.
    assert len({cell_of(found[0], "tco_discounted_net") for found in rows}) == 16


def test_what_the_sizing_depends_on_is_sized_again_and_few_sizings_are_kept(small: Path) -> None:
    found = bench(small, "workload.sequence_length=1024,2048,4096,1024.0")
    found.cache.limit = 2
    for point in (0, 1, 0, 2, 1):
        found.compute(point)
    # 1024, 2048, remembered, 4096 which drops 2048, and so 2048 again.
    assert found.cache.misses == 4


def test_the_best_within_a_budget_depends_on_prices_and_is_never_remembered(small: Path) -> None:
    text = SMALL.replace(", deadline: 7 days", "") + "solve_for: best-within-budget\n"
    text = text.replace("commercial: {", "commercial: {budget: 5M CNY, ")
    requirement = complete(parse_project(text), host())
    assert SizingCache.key(requirement) is None
    small.write_text(text, encoding="utf-8")
    found = bench(small, "price.ascend-price-*=1x,0.4x")
    dear, cheap = (found.compute(point).rows[0] for point in range(2))
    assert float(str(cell_of(cheap, "accelerators"))) > float(str(cell_of(dear, "accelerators")))


def test_an_infeasible_device_is_a_row_with_what_binds_and_the_ways_out(small: Path) -> None:
    (row,) = bench(small, "workload.deadline=1s").compute(0).rows
    cells = named(row)
    assert cells["verdict"] == "infeasible"
    assert cells["binding"] == cells["reason"] == "deadline"
    assert cells["need_unit"] == "day"
    assert float(str(cells["need"])) > float(str(cells["have"]))
    assert "more-time" in str(cells["remedies"])
    assert cells["tco_net"] is None


def test_a_contradiction_is_a_row_with_its_reason(small: Path) -> None:
    found = bench(small, "model=llama-2-13b,no-such-model")
    assert named(found.compute(0).rows[0])["verdict"] == "recommended"
    (row,) = found.compute(1).rows
    assert named(row)["verdict"] == "error"
    assert "no-such-model" in str(named(row)["reason"])


def test_a_fault_of_suanli_is_a_row_too_and_is_told_apart(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("nothing")

    monkeypatch.setattr("suanli.sweep.point.plan_all", broken)
    outcome = bench(small, "site.pue=1.1").compute(0)
    assert outcome.fault
    assert named(outcome.rows[0])["verdict"] == "fault"
    assert "ZeroDivisionError: nothing" in str(named(outcome.rows[0])["reason"])


def test_a_price_that_cannot_be_converted_is_a_reason_not_a_total_without_it(small: Path) -> None:
    # The project states a rate of dollars and none of Swiss francs.
    found = bench(small, "price.ascend-price-910b-train-node=1M CHF,1M USD,7.1M CNY")
    francs, dollars, yuan = (named(found.compute(point).rows[0]) for point in range(3))
    assert francs["verdict"] == "error"
    assert "the project has no exchange rate of CHF" in str(francs["reason"])
    assert francs["tco_net"] is None
    assert dollars["capex_net"] == yuan["capex_net"]
