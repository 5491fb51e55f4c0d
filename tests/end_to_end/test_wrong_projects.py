"""Wrong project files through the command line: a clear error, exit code 2, no traceback, nothing written."""

# ruff: noqa: E501 - a table reads best with one case a line

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suanli.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
project: {name: Cluster, client: Client, date: 2026-11-30}
scenario: pretrain-34b-70b
model: qwen2.5-72b
workload:
  tokens: 1T
  deadline: 120 days
  sequence_length: 4096
  global_batch_tokens: 4M
site:
  region: CN-GZ
  pue: 1.25
  electricity: 0.42 CNY/kWh
vendors: {accelerators: [ascend-910b2]}
commercial:
  discount_rate: 6%
  fx: [{pair: USD/CNY, rate: 7.10, date: 2026-11-28}]
"""

# (what is wrong, text replaced, replacement, fragments that the message must hold)
WRONG = [
    ("tensor parallel 8 for 28 heads", "model: qwen2.5-72b", "model: {layers: 28, hidden: 3584, ffn_hidden: 18944, heads: 28, kv_heads: 4, vocab: 152064}\nlayout: {tp: 8}", ["layout.tp", "1, 2, 4, 7, 14, 28", "pp"]),
    ("tensor parallel 3 for 40 heads", "model: qwen2.5-72b", "model: llama-2-13b\nlayout: {tp: 3}", ["layout.tp", "2, 4"]),
    ("a device name that fits two devices", "[ascend-910b2]", "[H100]", ["h100-pcie", "h100-sxm"]),
    ("an unknown device", "[ascend-910b2]", "[ascend-910b7]", ["ascend-910b7", "did you mean"]),
    ("experts times size as a model", "model: qwen2.5-72b", "model: 8x7B", ["8x7B", "46.7"]),
    ("zero tokens", "tokens: 1T", "tokens: 0", ["workload.tokens"]),
    ("negative tokens", "tokens: 1T", "tokens: -1T", ["workload.tokens"]),
    ("tokens that are not a number", "tokens: 1T", "tokens: nan", ["workload.tokens"]),
    ("endless tokens", "tokens: 1T", "tokens: inf", ["workload.tokens"]),
    ("a bare float for tokens", "tokens: 1T", "tokens: 1.0", ["workload.tokens", "1T"]),
    ("PUE below one", "pue: 1.25", "pue: 0.9", ["site.pue", "1"]),
    ("a percent as a fraction", "discount_rate: 6%", "discount_rate: 6", ["commercial.discount_rate", "6%"]),
    ("a misspelt key", "deadline: 120 days", "deadlin: 120 days", ["workload.deadlin", "deadline"]),
    ("a misspelt section", "vendors:", "vendor:", ["vendor", "vendors"]),
    ("an unknown scenario", "pretrain-34b-70b", "pretrain-34b", ["pretrain-34b-70b"]),
    ("an unknown model", "qwen2.5-72b", "qwen2.5-27b", ["qwen2.5-27b", "did you mean"]),
    ("a currency without a rate", "0.42 CNY/kWh", "0.42 EUR/kWh", ["EUR"]),
    ("a duration without a unit", "120 days", "120", ["workload.deadline", "days"]),
    ("a date that does not exist", "2026-11-30", "2026-02-30", ["project.date"]),
    ("a key given twice", "scenario: pretrain-34b-70b", "scenario: pretrain-34b-70b\nscenario: base-100b", ["scenario", "twice"]),
    ("an unclosed bracket", "[ascend-910b2]}", "[ascend-910b2}", [":13:"]),
    ("an alias", "tokens: 1T", "tokens: &a 1T\n  epochs: *a", ["alias"]),
    ("a number of experts below top-k", "model: qwen2.5-72b", "model: {layers: 8, hidden: 1024, ffn: 4096, heads: 8, kv_heads: 8, vocab: 32000, moe: {experts: 2, top_k: 4, expert_ffn: 512}}", ["top_k"]),
    ("a config file that is not there", "model: qwen2.5-72b", "model: ./missing.json", ["missing.json"]),
    ("nothing to solve for", "deadline: 120 days\n", "precision: bf16\n", ["accelerators", "deadline"]),
    ("a precision nobody knows", "tokens: 1T", "tokens: 1T\n  precision: bf61", ["workload.precision", "bf16"]),
    ("a region that is no code", "region: CN-GZ", "region: Guizhou", ["site.region"]),
    ("a list where a mapping stands", "site:\n  region: CN-GZ\n  pue: 1.25\n  electricity: 0.42 CNY/kWh\n", "site: [CN-GZ]\n", ["site"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "fragments"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_a_wrong_project_file_is_answered_and_nothing_is_written(
    old: str, new: str, fragments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in GOOD
    path = tmp_path / "project.yaml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    assert run(["propose", str(path), "-o", str(tmp_path / "out")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert "project.yaml" in captured.err
    for fragment in fragments:
        assert fragment in captured.err
    assert not (tmp_path / "out").exists()


def test_all_faults_are_told_at_once_in_the_order_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = GOOD.replace("tokens: 1T", "tokens: 1.0").replace("pue: 1.25", "pue: 0.9").replace("6%", "6")
    path = tmp_path / "project.yaml"
    path.write_text(text, encoding="utf-8")
    assert run(["propose", str(path), "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    places = [error.index(key) for key in ("workload.tokens", "site.pue", "commercial.discount_rate")]
    assert places == sorted(places)
    assert ":5" in error


def test_the_good_file_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "project.yaml"
    path.write_text(GOOD, encoding="utf-8")
    assert run(["estimate", str(path), "--json"]) == 0
    assert '"options"' in capsys.readouterr().out
