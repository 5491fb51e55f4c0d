"""The commands that answer one question: model, catalog, check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suanli.cli.main import run

Capture = pytest.CaptureFixture[str]
EXAMPLES = Path(__file__).parents[3] / "examples"


def document(capsys: Capture, *words: str | Path) -> Any:  # noqa: ANN401 - JSON
    assert run([*(str(word) for word in words), "--json"]) == 0
    captured = capsys.readouterr()
    return json.loads(captured.out)


def refused(capsys: Capture, *words: str | Path, code: int = 2) -> str:
    assert run([str(word) for word in words]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


LLAMA_7B = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "vocab_size": 32000,
}


def test_a_catalogue_model_is_counted_by_part(capsys: Capture) -> None:
    profile = document(capsys, "model", "llama-2-7b")
    parameters = profile["parameters"]
    assert parameters["total"] == parameters["published_total"] == 6_738_415_616
    assert sum(parameters["parts"].values()) == parameters["total"]
    work = profile["training_flops_per_token"]
    assert work["total"] == work["matmul"] + work["attention"]
    assert work["attention"] == 6 * 32 * 4096 * 4096


def test_a_config_file_gives_the_same_counts_as_the_catalogue(capsys: Capture, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA_7B), encoding="utf-8")
    assert document(capsys, "model", config)["parameters"]["total"] == 6_738_415_616


def test_attention_work_grows_with_the_sequence(capsys: Capture) -> None:
    short, long = (
        document(capsys, "model", "llama-2-7b", "--sequence-length", str(length))["training_flops_per_token"]
        for length in (4096, 8192)
    )
    assert long["attention"] == 2 * short["attention"]
    assert long["matmul"] == short["matmul"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"hidden_size": NaN}', "is not JSON: NaN is no number"),
        ("[]", "is not a Hugging Face config.json"),
        ("{}", "config.json: num_hidden_layers: no layers"),
    ],
    ids=["cut", "deep", "not-a-number", "list", "empty"],
)
def test_a_file_that_is_no_config_is_refused(
    capsys: Capture, tmp_path: Path, content: str, expected: str
) -> None:
    config = tmp_path / "config.json"
    config.write_text(content, encoding="utf-8")
    assert expected in refused(capsys, "model", config)


def test_a_folder_is_answered_with_the_file_in_it(capsys: Capture, tmp_path: Path) -> None:
    assert f"name the file: {tmp_path / 'config.json'}" in refused(capsys, "model", tmp_path)


def test_an_unknown_model_is_answered_with_the_nearest(capsys: Capture) -> None:
    assert 'did you mean "llama-2-7b"?' in refused(capsys, "model", "llama-2-7")


def test_the_model_table_is_aligned_and_names_the_source(capsys: Capture) -> None:
    assert run(["model", "llama-2-7b"]) == 0
    out = capsys.readouterr().out
    assert "6,738,415,616" in out
    assert "LitGPT" in out
    assert all(line == line.rstrip() for line in out.splitlines())


KINDS = ("accelerators", "servers", "links", "switches", "software", "prices", "models")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_listed_with_figures_and_sources(capsys: Capture, kind: str) -> None:
    listed = document(capsys, "catalog", kind)
    assert listed["kind"] == kind
    ids = [row["id"] for row in listed["records"]]
    assert ids == sorted(ids)
    assert all(row["plugin"]["distribution"] == "suanli" for row in listed["records"])
    if kind in {"accelerators", "servers", "prices", "models"}:
        assert all(row["cited_sources"] for row in listed["records"])
    assert run(["catalog", kind]) == 0
    out = capsys.readouterr().out
    assert f"{len(ids)} {kind}" in out


def test_one_record_is_shown_with_grade_and_source_of_each_figure(capsys: Capture) -> None:
    assert run(["catalog", "accelerators", "h100-sxm"]) == 0
    out = capsys.readouterr().out
    assert "989 TFLOPS" in out
    assert "datasheet" in out
    assert "retrieved" in out


def test_a_list_that_is_no_terminal_has_one_line_a_record_with_its_whole_id(capsys: Capture) -> None:
    ids = [row["id"] for row in document(capsys, "catalog", "prices")["records"]]
    assert run(["catalog", "prices"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:-1]] == ids


def test_kinds_are_counted(capsys: Capture) -> None:
    kinds = document(capsys, "catalog")["kinds"]
    assert set(KINDS) <= set(kinds)
    assert kinds["accelerators"] == len(document(capsys, "catalog", "accelerators")["records"])


def test_unknown_kinds_and_ids_are_answered_with_the_nearest(capsys: Capture) -> None:
    assert 'did you mean "accelerators"?' in refused(capsys, "catalog", "acelerators")
    assert 'did you mean "h100-sxm"?' in refused(capsys, "catalog", "accelerators", "h100-smx", "--json")


CLAIM = ("check", "--model", "70B", "--tokens", "1T", "--accelerator", "ascend-910b2")


def test_an_impossible_claim_is_refuted_with_the_arithmetic(capsys: Capture) -> None:
    (claim,) = document(capsys, *CLAIM, "--accelerators", "32", "--days", "5")["claims"]
    assert claim["verdict"] == "impossible"
    rate, peak = float(claim["implied_rate"]["value"]), float(claim["peak"]["value"])
    assert float(claim["implied_mfu"]["value"]) == pytest.approx(rate / peak, rel=0.01)
    # 6·N·T alone: 4.2e23 FLOPs over 32 devices and 5 days is 30.4 PFLOP/s each; attention adds a little.
    assert rate == pytest.approx(6 * 70e9 * 1e12 / (32 * 5 * 86400) / 1e12, rel=0.05)
    assert float(claim["right_days"]["value"]) > 365


def test_the_right_time_is_a_plausible_claim(capsys: Capture) -> None:
    (first,) = document(capsys, *CLAIM, "--accelerators", "512", "--days", "1")["claims"]
    right = first["right_days"]["value"]
    (second,) = document(capsys, *CLAIM, "--accelerators", "512", "--days", right)["claims"]
    assert second["verdict"] == "plausible"


def test_a_file_with_model_tokens_and_claims_is_enough(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    text = """
    model: qwen2.5-72b
    workload: {tokens: 1T}
    claims:
      - {by: X, says: in 5 days, accelerator: ascend-910b2, accelerators: 32, days: 5}
      - {by: Y, says: in 298 hours, accelerator: ascend-910b2, accelerators: 8, days: 298 h}
    """
    path.write_text(text, encoding="utf-8")
    claims = document(capsys, "check", path)["claims"]
    assert [claim["by"] for claim in claims] == ["X", "Y"]
    assert [claim["verdict"] for claim in claims] == ["impossible", "impossible"]


def test_a_project_file_is_checked_and_answered_in_the_asked_language(capsys: Capture) -> None:
    assert run(["check", str(EXAMPLES / "pretrain-70b.yaml"), "--lang", "zh"]) == 0
    out = capsys.readouterr().out
    assert "隐含 MFU" in out
    assert "不可能" in out


def test_every_missing_flag_is_named_at_once(capsys: Capture) -> None:
    error = refused(capsys, "check", "--model", "70B")
    assert [line for line in error.splitlines() if line.startswith("error:")] == [
        f"error: --{name}: is missing" for name in ("tokens", "accelerator", "accelerators", "days")
    ]


@pytest.mark.parametrize(("flag", "value"), [("--tokens", "2X"), ("--days", "0")])
def test_a_wrong_quantity_names_its_flag(capsys: Capture, flag: str, value: str) -> None:
    error = refused(capsys, *CLAIM, "--accelerators", "32", "--days", "5", flag, value)
    assert f"error: {flag}:" in error


@pytest.mark.parametrize(("days", "said"), [("5", "5 days"), ("12.5", "12.5 days"), ("298 h", "298 h")])
def test_a_claimed_time_is_said_with_its_own_unit(capsys: Capture, days: str, said: str) -> None:
    (claim,) = document(capsys, *CLAIM, "--accelerators", "32", "--days", days)["claims"]
    assert claim["says"] == f"32 × ascend-910b2, {said}"
