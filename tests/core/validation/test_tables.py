"""Tables, the JSON document, and Markdown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from suanli.domain.catalogue import Catalogue
from suanli.validation.evaluation import Evaluation, evaluate
from suanli.validation.records import Metric, RunRecord, record_from
from suanli.validation.results import Prediction
from suanli.validation.tables import (
    Table,
    apart_table,
    document,
    markdown,
    overview_table,
    run_table,
    slice_table,
    worst_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

KEYS = ["id", "metric", "measured", "predicted", "p10", "p90", "error", "null_error", "skipped"]


def records() -> list[RunRecord]:
    return [
        record_from(
            {
                "id": f"run {at}",
                "split_group": f"group {at}",
                "use": {"throughput": True},
                "accelerator": f"device {at % 10}",
                "vendor": "acme",
                "measured": {"tokens_per_s_per_accelerator": 1000 + at},
            }
        )
        for at in range(12)
    ] + [record_from({"id": "mfu", "use": {"mfu_only": True}, "measured": {"mfu": 0.5}})]


def predict(asked: Sequence[RunRecord], catalogue: Catalogue, metric: str) -> list[Prediction]:  # noqa: ARG001
    """Predict each run 1 % a position too fast; the last one not at all."""
    return [
        Prediction(one.id, None, None, None, "no such device", "", None, None)
        if one.id == "run 11"
        else Prediction(
            *(one.id, value := 1000 * (1 + at / 100), value * 0.9, value * 1.05),
            *(None, "layout known", 4000.0, "odd batch" if at == 0 else None),
        )
        for at, one in enumerate(asked)
    ]


@pytest.fixture
def evaluation() -> Evaluation:
    return evaluate(records(), Catalogue(), Metric.THROUGHPUT, predict)


def test_the_document_has_the_keys_that_scripts_rely_on(evaluation: Evaluation) -> None:
    found = json.loads(json.dumps(document([evaluation]), allow_nan=False))
    assert set(found) == {"runs", "summary"}
    assert [list(run)[: len(KEYS)] for run in found["runs"]] == [KEYS] * 12
    first, last = found["runs"][5], found["runs"][11]
    assert (first["id"], first["metric"], first["measured"]) == ("run 5", "throughput", 1005)
    assert first["predicted"] == pytest.approx(1050)
    assert first["error"] == pytest.approx(1050 / 1005 - 1, rel=1e-5)
    assert first["null_error"] is not None
    assert (last["predicted"], last["p10"], last["error"]) == (None, None, None)
    assert last["skipped"] == "no such device"


def test_the_summary_of_the_document_is_complete(evaluation: Evaluation) -> None:
    summary = document([evaluation])["summary"]["throughput"]
    assert summary["unit"] == "tokens/s per accelerator"
    assert (summary["selected"], summary["predicted"], summary["traps"]) == (12, 11, 1)
    assert summary["skipped"] == {"no such device": 1}
    assert summary["overall"]["n"] == 11
    assert summary["without_traps"]["n"] == 10
    assert set(summary["by"]) == {
        *("vendor", "task", "family", "evidence", "precision", "sequence_length", "accelerator", "source")
    }
    (mfu,) = summary["apart"]["mfu_only"]["runs"]
    assert mfu["predicted"] == pytest.approx(1120 / 4000)


def test_the_overview_has_a_row_with_and_one_without_traps(evaluation: Evaluation) -> None:
    table = overview_table([evaluation])
    assert [row[:3] for row in table.rows] == [("throughput", "all", "11"), ("throughput", "clean", "10")]
    assert all(len(row) == len(table.head) for row in table.rows)
    assert table.rows[0][3] == f"{(evaluation.summary.overall.median or 0) * 100:.1f}"


def test_a_short_table_of_slices_says_how_many_it_leaves_out(evaluation: Evaluation) -> None:
    short = slice_table(evaluation, ["accelerator"], complete=False)
    whole = slice_table(evaluation, ["accelerator"])
    assert [row[0] for row in short.rows] == ["accelerator", "(4 more)", *[""] * 4]
    assert [row[0] for row in whole.rows] == ["accelerator", *[""] * 9]
    assert [row[2] for row in whole.rows] == ["2", *["1"] * 9]
    assert {row[0] for row in slice_table(evaluation).rows} >= {"vendor", "sequence length"}


def test_every_run_has_a_row_with_its_remark(evaluation: Evaluation) -> None:
    table = run_table(evaluation.runs, "runs")
    assert len(table.rows) == 12
    assert table.rows[0][-1] == "misleads: odd batch"
    assert table.rows[11] == ("run 11", "1,011", *["–"] * 7, "skipped: no such device")
    assert table.rows[1][1:6] == ("1,001", "1,010", "909", "1,060", "+0.9")


def test_the_largest_errors_come_first(evaluation: Evaluation) -> None:
    rows = worst_table(evaluation).rows
    assert rows[0][0] == "run 10"
    assert len(rows) == 8


def test_what_is_apart_has_a_table_of_its_own(evaluation: Evaluation) -> None:
    table = apart_table(evaluation)
    assert table is not None
    assert [row[:2] for row in table.rows] == [("mfu_only", "1")]
    assert apart_table(evaluate([], Catalogue(), Metric.ENERGY, predict)) is None


def test_a_table_in_markdown_has_as_many_columns_in_every_line() -> None:
    lines = markdown(
        Table("", ("a", "b"), (("1", "x|y"), ("2", ""))),
    ).splitlines()
    assert lines == ["| a | b |", "|---|---|", "| 1 | x\\|y |", "| 2 |  |"]
