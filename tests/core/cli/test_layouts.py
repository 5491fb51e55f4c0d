"""What the terminal shows of the layout search."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tests.core.cli.test_questions import EXAMPLES, document

from suanli.cli.layouts import layout_text
from suanli.cli.main import run
from suanli.domain.workload import Offload, Recompute
from suanli.proposal.model import LayoutView

Capture = pytest.CaptureFixture[str]
PLAIN = LayoutView(
    tp=4,
    pp=2,
    cp=1,
    dp=8,
    ep=1,
    micro_batch_size=1,
    micro_batches=16,
    virtual_pipeline=1,
    recompute=Recompute.NONE,
    zero_stage=1,
    sequence_parallel=True,
)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({}, "tp4 pp2 dp8 · b1"),
        ({"virtual_pipeline": 3, "cp": 2}, "tp4 pp2 cp2 dp8 · v3 · b1"),
        ({"recompute": Recompute.SELECTIVE}, "tp4 pp2 dp8 · b1 · selective"),
        ({"recompute": Recompute.FULL, "recompute_layers": 7}, "tp4 pp2 dp8 · b1 · full 7"),
        ({"shard_group": 8, "offload": Offload.OPTIMIZER}, "tp4 pp2 dp8 · b1 · shard 8 · offload optimizer"),
    ],
)
def test_a_layout_is_named_by_what_is_unusual(changed: dict[str, object], text: str) -> None:
    assert layout_text(PLAIN.model_copy(update=changed)) == text


def test_the_sizing_shows_candidates_alternatives_and_reasons(capsys: Capture) -> None:
    found = document(capsys, "estimate", EXAMPLES / "lora-13b.yaml")
    option = found["options"][0]
    points = option["pareto"]
    assert option["candidates"] > 1000
    assert option["rejected"]["memory"] > 0
    assert len(points) > 1
    assert max(Decimal(one["tokens_per_s"]) for one in points) == Decimal(points[0]["tokens_per_s"])
    assert run(["estimate", str(EXAMPLES / "lora-13b.yaml")]) == 0
    printed = capsys.readouterr().out
    assert f"{option['candidates']:,}" in printed
    assert "显存不足" in printed
